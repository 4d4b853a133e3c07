#include "compiler/import/archive.h"

#include <algorithm>
#include <utility>

namespace synap_internal {

std::optional<Archive> Archive::Open(absl::string_view bytes) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error);
  zip_t* zip = source == nullptr ? nullptr : zip_open_from_source(source, ZIP_RDONLY, &error);
  if (zip == nullptr && source != nullptr) zip_source_free(source);
  zip_error_fini(&error);
  if (zip == nullptr) return std::nullopt;
  Archive archive;
  archive.zip_.reset(zip);
  const auto count = static_cast<uint64_t>(std::max<zip_int64_t>(0, zip_get_num_entries(zip, 0)));
  for (uint64_t i = 0; i < count; ++i) {
    const char* name = zip_get_name(zip, i, ZIP_FL_ENC_RAW);
    if (name == nullptr) return std::nullopt;
    archive.names_.emplace_back(name);
  }
  return archive;
}

std::optional<uint64_t> Archive::StoredSize(size_t entry) const {
  zip_stat_t stat;
  zip_stat_init(&stat);
  const bool known = zip_stat_index(zip_.get(), entry, 0, &stat) == 0;
  return known && stat.comp_method == ZIP_CM_STORE ? std::optional(stat.size) : std::nullopt;
}

std::optional<std::string> Archive::Read(size_t entry, uint64_t max_bytes) const {
  zip_stat_t stat;
  zip_stat_init(&stat);
  if (zip_stat_index(zip_.get(), entry, 0, &stat) != 0 || stat.size > max_bytes) {
    return std::nullopt;
  }
  const std::unique_ptr<zip_file_t, Closer> file(zip_fopen_index(zip_.get(), entry, 0));
  if (file == nullptr) return std::nullopt;
  std::string bytes(stat.size, '\0');
  const zip_int64_t read = zip_fread(file.get(), bytes.data(), bytes.size());
  // libzip compares the checksum when it meets the entry's end.
  char rest;
  const bool whole =
      read >= 0 && static_cast<uint64_t>(read) == stat.size && zip_fread(file.get(), &rest, 1) == 0;
  return whole ? std::optional(std::move(bytes)) : std::nullopt;
}

absl::string_view WithoutFolder(absl::string_view name) {
  return name.substr(std::min(name.size(), name.find('/') + 1));
}

}  // namespace synap_internal
