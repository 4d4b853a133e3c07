#include "rules/checker/npz.h"

#include <zip.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"
#include "base/status_macros.h"

namespace synap_internal {
namespace {

// A reference output of a whole network is some megabytes.
constexpr zip_uint64_t kMaxEntryBytes = zip_uint64_t{1} << 30;

struct Discard {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
struct Close {
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};

absl::StatusOr<std::string> ReadEntry(zip_t* archive, zip_uint64_t index, const std::string& name) {
  zip_stat_t stat;
  if (zip_stat_index(archive, index, 0, &stat) != 0 || stat.size > kMaxEntryBytes) {
    return absl::InvalidArgumentError(absl::StrCat(name, ": has no size, or more than 1 GiB"));
  }
  const std::unique_ptr<zip_file_t, Close> file(zip_fopen_index(archive, index, 0));
  std::string bytes(stat.size, '\0');
  if (file == nullptr ||
      zip_fread(file.get(), bytes.data(), bytes.size()) != static_cast<zip_int64_t>(stat.size)) {
    return absl::InvalidArgumentError(absl::StrCat(name, ": ", zip_strerror(archive)));
  }
  return bytes;
}

}  // namespace

absl::StatusOr<std::map<std::string, NpyArray>> ReadNpz(const std::string& path,
                                                        absl::string_view prefix) {
  int error = 0;
  const std::unique_ptr<zip_t, Discard> archive(
      zip_open(path.c_str(), ZIP_RDONLY | ZIP_CHECKCONS, &error));
  if (archive == nullptr) {
    zip_error_t reason;
    zip_error_init_with_code(&reason, error);
    const std::string message = absl::StrCat(path, ": ", zip_error_strerror(&reason));
    zip_error_fini(&reason);
    if (error == ZIP_ER_NOENT) return absl::NotFoundError(message);
    return absl::InvalidArgumentError(message);
  }
  std::map<std::string, NpyArray> arrays;
  const zip_int64_t entries = zip_get_num_entries(archive.get(), 0);
  for (zip_int64_t i = 0; i < entries; ++i) {
    const char* const entry = zip_get_name(archive.get(), i, 0);
    if (entry == nullptr) continue;
    absl::string_view name = entry;
    if (!absl::ConsumePrefix(&name, prefix)) continue;
    absl::ConsumeSuffix(&name, ".npy");
    const std::string where = absl::StrCat(path, "(", entry, ")");
    ASSIGN_OR_RETURN(const std::string bytes, ReadEntry(archive.get(), i, where));
    const auto* const data = reinterpret_cast<const uint8_t*>(bytes.data());
    ASSIGN_OR_RETURN(NpyArray array, ParseNpy(absl::MakeConstSpan(data, bytes.size()), where));
    arrays.emplace(name, std::move(array));
  }
  return arrays;
}

}  // namespace synap_internal
