// Entries of a ZIP archive, by libzip.
#ifndef COMPILER_IMPORT_ARCHIVE_H_
#define COMPILER_IMPORT_ARCHIVE_H_

#include <zip.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace synap_internal {

class Archive {
 public:
  // `bytes`, which must outlive the archive: a file that is one or ends in one. Nothing for others
  // and for truncated or damaged ones, an entry without a name among them.
  static std::optional<Archive> Open(absl::string_view bytes);

  // Of the entries, in the archive's order; an entry's index is its place here.
  const std::vector<std::string>& names() const { return names_; }
  // Bytes of an entry that isn't compressed; nothing for others.
  std::optional<uint64_t> StoredSize(size_t entry) const;
  // Contents of an entry; nothing if it is damaged, as its checksum tells, or has more than
  // `max_bytes`.
  std::optional<std::string> Read(size_t entry, uint64_t max_bytes) const;

 private:
  struct Closer {
    void operator()(zip_t* archive) const { zip_discard(archive); }
    void operator()(zip_file_t* file) const { zip_fclose(file); }
  };

  std::unique_ptr<zip_t, Closer> zip_;
  std::vector<std::string> names_;
};

// The name without the folder that all of PyTorch's entries are below: "data.pkl".
absl::string_view WithoutFolder(absl::string_view name);

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_ARCHIVE_H_
