#include "compiler/import/pt2/archive.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace synap_internal::pt2_import {

absl::StatusOr<Archive> Archive::Open(absl::string_view bytes) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error);
  zip_t* zip = source == nullptr ? nullptr : zip_open_from_source(source, ZIP_RDONLY, &error);
  if (zip == nullptr && source != nullptr) zip_source_free(source);
  zip_error_fini(&error);
  if (zip == nullptr) {
    return absl::InvalidArgumentError("is not a ZIP archive, or a truncated or damaged one");
  }
  Archive archive;
  archive.size_ = bytes.size();
  archive.zip_.reset(zip);
  const auto count = static_cast<uint64_t>(std::max<zip_int64_t>(0, zip_get_num_entries(zip, 0)));
  for (uint64_t i = 0; i < count; ++i) {
    const char* name = zip_get_name(zip, i, ZIP_FL_ENC_RAW);
    if (name == nullptr) return absl::InvalidArgumentError("is a damaged ZIP archive");
    const absl::string_view path(name);
    archive.entries_.emplace(path.substr(std::min(path.size(), path.find('/') + 1)), i);
  }
  return archive;
}

absl::StatusOr<std::string> Archive::Read(absl::string_view name) const {
  const auto it = entries_.find(std::string(name));
  if (it == entries_.end()) {
    return absl::InvalidArgumentError(absl::StrCat("its archive has no entry '", name, "'"));
  }
  zip_stat_t stat;
  zip_stat_init(&stat);
  const bool known = zip_stat_index(zip_.get(), it->second, 0, &stat) == 0;
  if (!known || stat.comp_method != ZIP_CM_STORE || stat.size > size_) {
    return absl::InvalidArgumentError(
        absl::StrCat("its entry '", name, "' is compressed or damaged, expected a stored one"));
  }
  std::string bytes(stat.size, '\0');
  zip_file_t* file = zip_fopen_index(zip_.get(), it->second, 0);
  const zip_int64_t read = file == nullptr ? -1 : zip_fread(file, bytes.data(), bytes.size());
  // libzip compares the checksum when it meets the entry's end.
  char rest;
  const bool whole =
      read >= 0 && static_cast<uint64_t>(read) == stat.size && zip_fread(file, &rest, 1) == 0;
  if (file != nullptr) zip_fclose(file);
  if (!whole) {
    return absl::InvalidArgumentError(
        absl::StrCat("its entry '", name, "' is damaged, or lies outside of the file"));
  }
  return bytes;
}

}  // namespace synap_internal::pt2_import
