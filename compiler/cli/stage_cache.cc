#include "compiler/cli/stage_cache.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/digest.h"
#include "base/file.h"
#include "base/status_macros.h"

namespace synap_internal {
namespace {

constexpr size_t kDigestCharacters = 64;

absl::Status Damaged() { return absl::NotFoundError("damaged"); }

// "<size in bytes>\n<text>"
void AppendText(absl::string_view text, std::string& header) {
  absl::StrAppend(&header, text.size(), "\n", text);
}

// "<number of warnings>\n", then the fields of each; the content follows.
std::string Header(const std::vector<Warning>& warnings) {
  std::string header = absl::StrCat(warnings.size(), "\n");
  for (const Warning& warning : warnings) {
    const WarningPlace& place = warning.place;
    absl::StrAppend(&header, static_cast<int>(warning.severity), "\n", place.line, "\n",
                    place.column, "\n");
    AppendText(place.file, header);
    AppendText(place.node, header);
    AppendText(warning.sentence, header);
  }
  return header;
}

// Takes the number and its line break off the front of `text`.
template <typename T>
absl::Status TakeNumber(absl::string_view& text, T& number) {
  const size_t end = text.substr(0, 20).find('\n');
  if (end == absl::string_view::npos || !absl::SimpleAtoi(text.substr(0, end), &number)) {
    return Damaged();
  }
  text.remove_prefix(end + 1);
  return absl::OkStatus();
}

absl::Status TakeText(absl::string_view& text, std::string& taken) {
  size_t size = 0;
  RETURN_IF_ERROR(TakeNumber(text, size));
  if (size > text.size()) return Damaged();
  taken = std::string(text.substr(0, size));
  text.remove_prefix(size);
  return absl::OkStatus();
}

absl::StatusOr<Warning> TakeWarning(absl::string_view& text) {
  Warning warning;
  int severity = 0;
  RETURN_IF_ERROR(TakeNumber(text, severity));
  warning.severity = static_cast<Severity>(severity);
  RETURN_IF_ERROR(TakeNumber(text, warning.place.line));
  RETURN_IF_ERROR(TakeNumber(text, warning.place.column));
  RETURN_IF_ERROR(TakeText(text, warning.place.file));
  RETURN_IF_ERROR(TakeText(text, warning.place.node));
  RETURN_IF_ERROR(TakeText(text, warning.sentence));
  return warning;
}

// Removes what is there instead of a file: renaming would write into a pipe or a device.
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
  size_t warnings = 0;
  RETURN_IF_ERROR(TakeNumber(rest, warnings));
  for (size_t i = 0; i < warnings; ++i) {
    ASSIGN_OR_RETURN(result.warnings.emplace_back(), TakeWarning(rest));
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
