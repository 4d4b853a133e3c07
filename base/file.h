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

namespace synap_internal {

// The content of a regular file. Errors begin with the path: NotFound if it doesn't exist,
// Unavailable if the system can't read it, InvalidArgument for a directory, a pipe or a device
// (a pipe without a writer doesn't block).
absl::StatusOr<std::string> ReadFile(const std::string& path);
// The same, but Unavailable for a path that is a symbolic link.
absl::StatusOr<std::string> ReadFileUnlessLink(const std::string& path);

// Writes a new file of TemporaryPath and renames it to `path`: a reader of `path` sees the old or
// the new content, never a part. On error (a full disk) the old file stays and the temporary file
// is deleted. Missing parent folders are an error. A symbolic link stays and its target is
// replaced; a device or a pipe is written to directly.
absl::Status WriteFileAtomically(const std::string& path, absl::string_view content);
absl::Status WriteFileAtomically(const std::string& path, const absl::Cord& content);
// The same, but replaces a symbolic link, a pipe or a device itself. For folders in which others
// may have placed one.
absl::Status ReplaceFile(const std::string& path, const absl::Cord& content);

// Name beside `path` that nobody can foresee: "<path>.tmp<process ID>-<16 hexadecimal digits>". To
// be opened with O_EXCL.
std::string TemporaryPath(const std::string& path);

// The file that a symbolic link, or a chain of them, leads to, whether it exists or not; `path`
// itself if it isn't a link, or for a chain of more than 40.
std::string LinkTarget(const std::string& path);

// Creates a folder and its missing parents, as mkdir -p.
absl::Status CreateDirectories(const std::string& path);

// A file mapped read-only (private), unmapped by the destructor. Movable.
// The content may change while it is mapped if another process writes to the
// file in place: a reader must not rely on anything it read before.
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
// "a/b/c.onnx" -> "c"; ".onnx" -> ".onnx".
std::string Stem(const std::string& path);
// `path` if absolute, else `base`/`path`.
std::string JoinPath(const std::string& base, const std::string& path);

// The names of a folder's entries, sorted by bytes; none if it can't be read.
std::vector<std::string> NamesIn(const std::string& folder);

// Files that match a shell glob pattern (*, ?, [..]), sorted by bytes; empty if
// none does. Unavailable if a folder can't be read.
absl::StatusOr<std::vector<std::string>> Glob(const std::string& pattern);

}  // namespace synap_internal

#endif  // BASE_FILE_H_
