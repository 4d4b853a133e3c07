#include "base/available_memory.h"

#include <algorithm>
#include <limits>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
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

// Bytes left below the limit of a control group (version 2). The page cache counts as used there,
// but can be freed.
int64_t AvailableInGroup(const std::string& folder) {
  int64_t limit = 0, used = 0;
  // "max" means no limit.
  if (!absl::SimpleAtoi(ReadSystemFile(folder + "/memory.max"), &limit)) return kUnlimited;
  if (!absl::SimpleAtoi(ReadSystemFile(folder + "/memory.current"), &used)) return limit;
  const int64_t cache = MemoryField(ReadSystemFile(folder + "/memory.stat"), "file").value_or(0);
  return std::max<int64_t>(limit - used + cache, 0);
}

// The minimum over this process's group and its ancestors.
int64_t AvailableInGroups() {
  int64_t available = kUnlimited;
  for (const std::string& folder : FindControlGroups("memory", "").unified) {
    available = std::min(available, AvailableInGroup(folder));
  }
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

std::string MemorySizeText(uint64_t bytes) {
  double size = static_cast<double>(bytes);
  if (size < 1024) return absl::StrCat(bytes, " bytes");
  for (const char* unit : {"KiB", "MiB", "GiB"}) {
    size /= 1024;
    if (size < 1024) return absl::StrFormat("%.1f %s", size, unit);
  }
  return absl::StrFormat("%.1f TiB", size / 1024);
}

int64_t AvailableMemory() { return std::min(AvailableOnMachine(), AvailableInGroups()); }

}  // namespace synap_internal
