#include "base/available_memory.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/control_groups.h"

namespace synap_internal {
namespace {

constexpr int64_t kUnlimited = std::numeric_limits<int64_t>::max();

int64_t AvailableOnMachine() {
  const std::string text = ReadSystemFile("/proc/meminfo");
  const absl::optional<int64_t> available = MemoryField(text, "MemAvailable");
  if (!available.has_value()) return kUnlimited;
  return *available + MemoryField(text, "SwapFree").value_or(0);
}

// Names of a control group's files, and of the page cache in its memory.stat.
struct GroupNames {
  const char* limit;
  const char* used;
  const char* cache;
};
constexpr GroupNames kUnified = {"/memory.max", "/memory.current", "file"};
// Usage and limit include the groups inside, as total_cache does and "cache" doesn't.
constexpr GroupNames kController = {"/memory.limit_in_bytes", "/memory.usage_in_bytes",
                                    "total_cache"};

// Bytes left below the limit of a control group. The page cache counts as used there, but can be
// freed.
int64_t AvailableInGroup(const std::string& folder, const GroupNames& names) {
  int64_t limit = 0, used = 0;
  // Without a limit: "max" in version 2, almost 2^63 in version 1.
  if (!absl::SimpleAtoi(ReadSystemFile(folder + names.limit), &limit)) return kUnlimited;
  if (!absl::SimpleAtoi(ReadSystemFile(folder + names.used), &used)) return limit;
  const int64_t cache =
      MemoryField(ReadSystemFile(folder + "/memory.stat"), names.cache).value_or(0);
  return std::max<int64_t>(limit - std::max<int64_t>(used - cache, 0), 0);
}

// The minimum over this process's groups and their ancestors.
int64_t AvailableInGroups() {
  int64_t available = kUnlimited;
  const auto add = [&](const std::vector<std::string>& folders, const GroupNames& names) {
    for (const std::string& folder : folders) {
      available = std::min(available, AvailableInGroup(folder, names));
    }
  };
  const ControlGroups groups = FindControlGroups("memory", "");
  add(groups.unified, kUnified);
  add(groups.controller, kController);
  return available;
}

}  // namespace

absl::optional<int64_t> MemoryField(absl::string_view text, absl::string_view key) {
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    if (!absl::ConsumePrefix(&line, key)) continue;
    if (!absl::ConsumePrefix(&line, ":") && !absl::ConsumePrefix(&line, " ")) continue;
    const bool is_kib = absl::ConsumeSuffix(&line, " kB");
    int64_t value = 0;
    if (!absl::SimpleAtoi(absl::StripAsciiWhitespace(line), &value)) return absl::nullopt;
    return is_kib ? value * 1024 : value;
  }
  return absl::nullopt;
}

bool IsAvailable(uint64_t bytes) {
  constexpr uint64_t kSmall = uint64_t{64} << 20;
  return bytes <= kSmall || bytes <= static_cast<uint64_t>(AvailableMemory());
}

// Without absl::StrFormat, which ends the process where a message needs more memory than there is.
std::string MemorySizeText(uint64_t bytes) {
  double size = static_cast<double>(bytes);
  if (size < 1024) return absl::StrCat(bytes, " bytes");
  constexpr const char* kUnits[] = {"KiB", "MiB", "GiB", "TiB"};
  size_t unit = 0;
  for (size /= 1024; size >= 1024 && unit + 1 < std::size(kUnits); ++unit) size /= 1024;
  const auto tenths = static_cast<int64_t>(std::nearbyint(size * 10));
  return absl::StrCat(tenths / 10, ".", tenths % 10, " ", kUnits[unit]);
}

int64_t AvailableMemory() { return std::min(AvailableOnMachine(), AvailableInGroups()); }

}  // namespace synap_internal
