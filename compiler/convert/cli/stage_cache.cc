#include "compiler/convert/cli/stage_cache.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <numeric>
#include <optional>
#include <system_error>
#include <tuple>

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/digest.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "runtime/bundle/text_bytes.h"
#include "runtime/security/encrypted_program.h"

namespace synap_internal {
namespace {

constexpr size_t kDigestCharacters = 64;

absl::Status Damaged() { return absl::NotFoundError("damaged"); }

// "<size in bytes>\n<text>"
void AppendText(absl::string_view text, std::string& header) {
  absl::StrAppend(&header, text.size(), "\n", text);
}

// The file's name, which binds the result to its key and stage, "<number of warnings>\n", then the
// fields of each; the content follows.
std::string Header(const std::string& file, const std::vector<Warning>& warnings) {
  std::string header;
  AppendText(Basename(file), header);
  absl::StrAppend(&header, warnings.size(), "\n");
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

struct Entry {
  std::filesystem::file_time_type used;
  std::filesystem::path path;
  uint64_t bytes = 0;
};

// A time in the future says nothing about the last use, and would keep the entry for ever. Clocks
// of machines that share a folder may differ by a minute.
std::filesystem::file_time_type WithoutFuture(std::filesystem::file_time_type used) {
  using Time = std::filesystem::file_time_type;
  return used > Time::clock::now() + std::chrono::minutes(1) ? Time::min() : used;
}

std::optional<Entry> EntryAt(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(std::filesystem::symlink_status(path, error))) {
    return std::nullopt;
  }
  Entry entry{WithoutFuture(std::filesystem::last_write_time(path, error)), path};
  if (!error) entry.bytes = std::filesystem::file_size(path, error);
  if (error) return std::nullopt;  // another process removed it
  return entry;
}

// Whole results, the least recently used first. Files that a process still writes have longer
// names.
std::vector<Entry> Entries(const std::string& folder) {
  std::vector<Entry> entries;
  for (const std::string& name : NamesIn(folder)) {
    const std::filesystem::path path = std::filesystem::path(folder) / name;
    if (path.stem().string().size() != kDigestCharacters) continue;
    if (const std::optional<Entry> entry = EntryAt(path)) entries.push_back(*entry);
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.used, a.path) < std::tie(b.used, b.path);
  });
  return entries;
}

uint64_t TotalBytes(const std::vector<Entry>& entries) {
  return std::accumulate(entries.begin(), entries.end(), uint64_t{0},
                         [](uint64_t sum, const Entry& entry) { return sum + entry.bytes; });
}

// One process at a time removes results from a folder: two would each make the same room. Without
// locks in the file system, more results go than need to.
class EvictionLock {
 public:
  explicit EvictionLock(const std::string& folder)
      : fd_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    while (fd_ >= 0 && flock(fd_, LOCK_EX) != 0 && errno == EINTR) {
    }
  }
  EvictionLock(const EvictionLock&) = delete;
  EvictionLock& operator=(const EvictionLock&) = delete;
  ~EvictionLock() {
    if (fd_ >= 0) close(fd_);
  }

 private:
  const int fd_;
};

// A result that another process has used or replaced since is kept.
bool RemoveUnlessUsed(const Entry& entry) {
  const std::optional<Entry> now = EntryAt(entry.path);
  std::error_code ignored;
  return now.has_value() && now->used == entry.used && std::filesystem::remove(entry.path, ignored);
}

void KeepBelow(uint64_t max_bytes, const std::string& folder) {
  constexpr int kMostScans = 10;  // results that are used meanwhile stay, and others go instead
  const EvictionLock lock(folder);
  for (int scan = 0; scan < kMostScans; ++scan) {
    const std::vector<Entry> entries = Entries(folder);
    uint64_t bytes = TotalBytes(entries);
    for (const Entry& entry : entries) {
      if (bytes <= max_bytes) return;
      if (RemoveUnlessUsed(entry)) bytes -= entry.bytes;
    }
    if (bytes <= max_bytes) return;
  }
}

}  // namespace

std::string StageCache::FileOf(absl::string_view stage, const std::vector<std::string>& key) const {
  std::string digests = absl::StrCat(stage, " ", program_);
  if (encryption_ != nullptr) {
    absl::StrAppend(&digests, " encrypted with ", ShortDigits(encryption_->id()));
  }
  for (const std::string& part : key) absl::StrAppend(&digests, " ", Digest(part));
  return JoinPath(folder_, absl::StrCat(Digest(digests), ".", stage));
}

absl::StatusOr<StageResult> StageCache::Read(const std::string& file) const {
  ASSIGN_OR_RETURN(const std::string stored, ReadFileUnlessLink(file));
  if (stored.size() < kDigestCharacters) return Damaged();
  absl::string_view rest = stored;
  rest.remove_prefix(kDigestCharacters);
  if (Digest(rest) != stored.substr(0, kDigestCharacters)) return Damaged();
  DecryptedProgram decrypted;
  if (encryption_ != nullptr) {
    ASSIGN_OR_RETURN(decrypted, DecryptProgram(AsBytes(rest), *encryption_));
    rest = {reinterpret_cast<const char*>(decrypted.bytes.data()), decrypted.bytes.size()};
  }
  std::string name;
  RETURN_IF_ERROR(TakeText(rest, name));
  if (name != Basename(file)) return Damaged();  // a copy of another result
  StageResult result;
  size_t warnings = 0;
  RETURN_IF_ERROR(TakeNumber(rest, warnings));
  for (size_t i = 0; i < warnings; ++i) {
    ASSIGN_OR_RETURN(result.warnings.emplace_back(), TakeWarning(rest));
  }
  result.content = std::string(rest);
  // Now is the time of its last use. A folder that can't be written to keeps the older one.
  (void)utimensat(AT_FDCWD, file.c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
  return result;
}

absl::Status StageCache::Write(const std::string& file, const StageResult& result) const {
  std::string rest = absl::StrCat(Header(file, result.warnings), result.content);
  if (encryption_ != nullptr) rest = EncryptProgram(AsBytes(rest), *encryption_);
  const uint64_t bytes = kDigestCharacters + rest.size();
  if (bytes > max_bytes_) {
    return absl::ResourceExhaustedError(
        absl::StrCat("a result has ", bytes, " bytes, and the cache at most ", max_bytes_));
  }
  RETURN_IF_ERROR(CreateDirectories(folder_));
  if (std::error_code ignored; std::filesystem::is_directory(file, ignored)) {
    std::filesystem::remove(file, ignored);  // an empty one, or a link to one
  }
  absl::Cord stored(Digest(rest));
  stored.Append(absl::MakeCordFromExternal(rest, [] {}));
  RETURN_IF_ERROR(ReplaceFile(file, stored));
  KeepBelow(max_bytes_, folder_);
  return absl::OkStatus();
}

CacheSize SizeOfCache(const std::string& folder) {
  const std::vector<Entry> entries = Entries(folder);
  return {entries.size(), TotalBytes(entries)};
}

bool DropOldestResults(const std::string& folder, uint64_t bytes) {
  const EvictionLock lock(folder);
  bool dropped = false;
  uint64_t freed = 0;
  for (const Entry& entry : Entries(folder)) {
    if (freed >= bytes && dropped) break;
    if (!RemoveUnlessUsed(entry)) continue;
    dropped = true;
    freed += entry.bytes;
  }
  return dropped;
}

}  // namespace synap_internal
