#include "compiler/cli/stage_cache.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/cli/digest.h"

namespace synap_internal {
namespace {

constexpr size_t kDigestCharacters = 64;

absl::Status Damaged() { return absl::NotFoundError("damaged"); }

// "<number of warnings>\n", then of each "<size in bytes>\n<sentence>"; behind them the content.
std::string Header(const std::vector<std::string>& warnings) {
  std::string header = absl::StrCat(warnings.size(), "\n");
  for (const std::string& warning : warnings) {
    absl::StrAppend(&header, warning.size(), "\n", warning);
  }
  return header;
}

// Takes the number and its line break off the front of `text`.
absl::StatusOr<size_t> TakeNumber(absl::string_view& text) {
  const size_t end = text.substr(0, 20).find('\n');
  size_t number = 0;
  if (end == absl::string_view::npos || !absl::SimpleAtoi(text.substr(0, end), &number)) {
    return Damaged();
  }
  text.remove_prefix(end + 1);
  return number;
}

// What stands in the way of a file: renaming would write into a pipe or a device.
void RemoveUnlessRegular(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(path, ignored)) return;
  std::filesystem::remove(path, ignored);
}

}  // namespace

std::string StageCache::FileOf(absl::string_view stage, const std::vector<std::string>& key) const {
  std::string digests = absl::StrCat(stage, " ", program_);
  for (const std::string& part : key) absl::StrAppend(&digests, " ", Digest(part));
  return JoinPath(folder_, absl::StrCat(Digest(digests), ".", stage));
}

absl::StatusOr<StageResult> StageCache::Read(const std::string& file) const {
  ASSIGN_OR_RETURN(const std::string stored, ReadFile(file));
  if (stored.size() < kDigestCharacters) return Damaged();
  absl::string_view rest = stored;
  rest.remove_prefix(kDigestCharacters);
  if (Digest(rest) != stored.substr(0, kDigestCharacters)) return Damaged();
  StageResult result;
  ASSIGN_OR_RETURN(const size_t warnings, TakeNumber(rest));
  for (size_t i = 0; i < warnings; ++i) {
    ASSIGN_OR_RETURN(const size_t size, TakeNumber(rest));
    if (size > rest.size()) return Damaged();
    result.warnings.emplace_back(rest.substr(0, size));
    rest.remove_prefix(size);
  }
  result.content = std::string(rest);
  return result;
}

absl::Status StageCache::Write(const std::string& file, const StageResult& result) const {
  RETURN_IF_ERROR(CreateDirectories(folder_));
  RemoveUnlessRegular(file);
  const std::string rest = absl::StrCat(Header(result.warnings), result.content);
  absl::Cord stored(Digest(rest));
  stored.Append(absl::MakeCordFromExternal(rest, [] {}));
  return WriteFileAtomically(file, stored);
}

bool DropOldestResults(const std::string& folder, uint64_t bytes) {
  using Entry = std::pair<std::filesystem::file_time_type, std::filesystem::path>;
  std::vector<Entry> entries;
  std::error_code error;
  for (auto it = std::filesystem::directory_iterator(folder, error);
       !error && it != std::filesystem::directory_iterator(); it.increment(error)) {
    std::error_code ignored;
    const bool is_result =
        it->path().stem().string().size() == kDigestCharacters && it->is_regular_file(ignored);
    if (is_result) entries.emplace_back(it->last_write_time(ignored), it->path());
  }
  std::sort(entries.begin(), entries.end());
  bool dropped = false;
  uint64_t freed = 0;
  for (const auto& [time, path] : entries) {
    if (freed >= bytes && dropped) break;
    std::error_code ignored;
    const uint64_t size = std::filesystem::file_size(path, ignored);
    if (!std::filesystem::remove(path, ignored)) continue;
    dropped = true;
    freed += size;
  }
  return dropped;
}

}  // namespace synap_internal
