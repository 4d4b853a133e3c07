#include "compiler/import/archive_texts.h"

#include <zip.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "absl/strings/match.h"

namespace synap_internal {
namespace {

constexpr uint64_t kMostBytes = uint64_t{1} << 20;
constexpr size_t kMostTexts = 64;

struct Closer {
  void operator()(zip_t* archive) const { zip_discard(archive); }
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};

std::unique_ptr<zip_t, Closer> OpenArchive(absl::string_view bytes) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error);
  zip_t* archive = source == nullptr ? nullptr : zip_open_from_source(source, ZIP_RDONLY, &error);
  if (archive == nullptr && source != nullptr) zip_source_free(source);
  zip_error_fini(&error);
  return std::unique_ptr<zip_t, Closer>(archive);
}

// nullopt for a large or damaged entry.
std::optional<std::string> ReadEntry(zip_t* archive, uint64_t index) {
  zip_stat_t stat;
  zip_stat_init(&stat);
  if (zip_stat_index(archive, index, 0, &stat) != 0 || stat.size > kMostBytes) return std::nullopt;
  const std::unique_ptr<zip_file_t, Closer> file(zip_fopen_index(archive, index, 0));
  if (file == nullptr) return std::nullopt;
  std::string text(stat.size, '\0');
  const zip_int64_t read = zip_fread(file.get(), text.data(), text.size());
  // libzip compares the checksum when it meets the entry's end.
  char rest;
  if (read < 0 || static_cast<uint64_t>(read) != stat.size ||
      zip_fread(file.get(), &rest, 1) != 0) {
    return std::nullopt;
  }
  return text;
}

}  // namespace

std::map<std::string, std::string> ReadArchiveTexts(absl::string_view bytes) {
  std::map<std::string, std::string> texts;
  const std::unique_ptr<zip_t, Closer> archive = OpenArchive(bytes);
  if (archive == nullptr) return texts;
  const zip_int64_t count = std::max<zip_int64_t>(0, zip_get_num_entries(archive.get(), 0));
  for (uint64_t i = 0; i < static_cast<uint64_t>(count) && texts.size() < kMostTexts; ++i) {
    const char* name = zip_get_name(archive.get(), i, ZIP_FL_ENC_RAW);
    if (name == nullptr || !(absl::EndsWith(name, ".txt") || absl::EndsWith(name, ".json"))) {
      continue;
    }
    std::optional<std::string> text = ReadEntry(archive.get(), i);
    if (text.has_value()) texts.emplace(name, *std::move(text));
  }
  return texts;
}

}  // namespace synap_internal
