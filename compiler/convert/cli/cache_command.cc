// `synap cache`: tells the size of a conversion's cache, and empties it.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "compiler/convert/cli/commands.h"
#include "compiler/convert/cli/stage_cache.h"
#include "compiler/report/figures.h"

namespace synap_internal {
namespace {

struct CacheFlags {
  std::string out_dir;
  bool clear = false;
};

absl::Status RunCache(const CacheFlags& flags) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(flags.out_dir, ignored)) {
    return absl::NotFoundError(absl::StrCat(
        flags.out_dir, ": found no folder, expected the output folder of a conversion"));
  }
  const std::string folder = JoinPath(flags.out_dir, "cache");
  const CacheSize size = SizeOfCache(folder);
  if (flags.clear) DropOldestResults(folder, std::numeric_limits<uint64_t>::max());
  const uint64_t left = flags.clear ? SizeOfCache(folder).results : 0;
  if (left > 0) {
    return absl::UnavailableError(absl::StrCat(folder, ": ", left, " of ", size.results,
                                               " results can't be removed, expected a folder that "
                                               "may be written to"));
  }
  std::printf("%s: %s%llu results, %s\n", folder.c_str(), flags.clear ? "removed " : "",
              static_cast<unsigned long long>(size.results), BytesText(size.bytes).c_str());
  return absl::OkStatus();
}

}  // namespace

void AddCacheCommand(CommandLine& app, Command& chosen) {
  const auto flags = std::make_shared<CacheFlags>();
  CommandLine cache = app.AddCommand("cache", "Show the size of a conversion's cache, or empty it");
  cache.AddOption("--out-dir", flags->out_dir, "Output folder of the conversion").Required();
  cache.AddFlag("--clear", flags->clear, "Remove all results of stages");
  SetWork(cache, flags, RunCache, chosen);
}

}  // namespace synap_internal
