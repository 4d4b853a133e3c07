// Reading and writing of whole files.
#ifndef BASE_FILE_H_
#define BASE_FILE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/cord.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace synap {

// The content of a regular file. The error names the file and the reason; anything else than a
// file, a pipe that nobody writes to among it, is an error and doesn't block.
absl::StatusOr<std::string> ReadFile(const std::string& path);

// Writes `<path>.tmp<pid>` beside and renames it onto `path`: whoever reads
// `path` sees the old or the new content, never a part; on error (a full disk)
// the old file stays and nothing is left behind. Missing parent folders are an
// error. A symbolic link stays, and the file that it leads to is replaced; to a
// device or a pipe the content is written as it comes.
absl::Status WriteFileAtomically(const std::string& path, absl::string_view content);
absl::Status WriteFileAtomically(const std::string& path, const absl::Cord& content);

// mkdir -p.
absl::Status CreateDirectories(const std::string& path);

// A file mapped read-only (private), unmapped by the destructor. Movable.
// Readers of a mapping must expect only sizes that they checked; the content
// may change under them if somebody writes to the file in place.
class MappedFile {
 public:
  static absl::StatusOr<MappedFile> Open(const std::string& path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  absl::Span<const uint8_t> bytes() const { return {data_, size_}; }

 private:
  MappedFile(const uint8_t* data, size_t size) : data_(data), size_(size) {}

  const uint8_t* data_ = nullptr;
  size_t size_ = 0;
};

// "a/b/c.onnx" -> "a/b" ("." without a slash) and "c.onnx".
std::string Dirname(const std::string& path);
std::string Basename(const std::string& path);
// "a/b/c.onnx" -> "c"; of ".onnx" all of it.
std::string Stem(const std::string& path);
// `path` if absolute, else `base`/`path`.
std::string JoinPath(const std::string& base, const std::string& path);

// Files that match a shell glob pattern (*, ?, [..]), sorted bytewise. A
// pattern without a match gives an empty list.
absl::StatusOr<std::vector<std::string>> Glob(const std::string& pattern);

}  // namespace synap

#endif  // BASE_FILE_H_
