// The entries of a .pt2 file: a ZIP archive whose entries are stored, below one folder.
#ifndef COMPILER_IMPORT_PT2_ARCHIVE_H_
#define COMPILER_IMPORT_PT2_ARCHIVE_H_

#include <zip.h>

#include <cstdint>
#include <memory>
#include <string>

#include "absl/container/btree_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace synap_internal::pt2_import {

class Archive {
 public:
  // `bytes` must outlive the archive. InvalidArgument if they are no such archive.
  static absl::StatusOr<Archive> Open(absl::string_view bytes);

  // By their names without the folder that all are in: "models/model.json".
  const absl::btree_map<std::string, uint64_t>& entries() const { return entries_; }
  bool Has(absl::string_view name) const { return entries_.contains(std::string(name)); }
  // InvalidArgument if there is none of that name, or it is compressed or damaged.
  absl::StatusOr<std::string> Read(absl::string_view name) const;

 private:
  struct CloseZip {
    void operator()(zip_t* archive) const { zip_discard(archive); }
  };

  uint64_t size_ = 0;
  std::unique_ptr<zip_t, CloseZip> zip_;
  absl::btree_map<std::string, uint64_t> entries_;
};

}  // namespace synap_internal::pt2_import

#endif  // COMPILER_IMPORT_PT2_ARCHIVE_H_
