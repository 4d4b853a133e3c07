#include "base/processor_count.h"

#include <sched.h>

#include <algorithm>
#include <cstdint>
#include <thread>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "base/control_groups.h"

namespace synap_internal {
namespace {

constexpr int64_t kMaxProcessors = 1 << 20;

// Processors of quota / period, both in microseconds; nullopt if they aren't positive numbers:
// "max" and -1 mean no limit.
absl::optional<int> Processors(absl::string_view quota_text, absl::string_view period_text) {
  int64_t quota = 0, period = 0;
  if (!absl::SimpleAtoi(absl::StripAsciiWhitespace(quota_text), &quota)) return absl::nullopt;
  if (!absl::SimpleAtoi(absl::StripAsciiWhitespace(period_text), &period)) return absl::nullopt;
  if (quota <= 0 || period <= 0) return absl::nullopt;
  const int64_t rounded_up = (quota - 1) / period + 1;
  return static_cast<int>(std::min(rounded_up, kMaxProcessors));
}

absl::optional<int> UnifiedQuota(const std::string& folder) {
  const std::string text = ReadSystemFile(folder + "/cpu.max");
  const std::vector<absl::string_view> words =
      absl::StrSplit(text, absl::ByAnyChar(" \n"), absl::SkipEmpty());
  return words.size() == 2 ? Processors(words[0], words[1]) : absl::nullopt;
}

absl::optional<int> ControllerQuota(const std::string& folder) {
  return Processors(ReadSystemFile(folder + "/cpu.cfs_quota_us"),
                    ReadSystemFile(folder + "/cpu.cfs_period_us"));
}

int ProcessorsInMask() {
  // Masks have room for as many processors as the kernel may have.
  for (int room = 1024; room <= kMaxProcessors; room *= 2) {
    cpu_set_t* const mask = CPU_ALLOC(room);
    if (mask == nullptr) break;
    const size_t bytes = CPU_ALLOC_SIZE(room);
    const bool is_read = sched_getaffinity(0, bytes, mask) == 0;
    const int count = is_read ? CPU_COUNT_S(bytes, mask) : 0;
    CPU_FREE(mask);
    if (is_read) return count;
  }
  return static_cast<int>(std::thread::hardware_concurrency());
}

}  // namespace

absl::optional<int> ProcessorQuota(const std::string& root) {
  absl::optional<int> least;
  const auto add = [&](absl::optional<int> quota) {
    if (quota.has_value()) least = std::min(least.value_or(*quota), *quota);
  };
  const ControlGroups groups = FindControlGroups("cpu", root);
  for (const std::string& folder : groups.unified) add(UnifiedQuota(folder));
  for (const std::string& folder : groups.controller) add(ControllerQuota(folder));
  return least;
}

int ProcessorCount() {
  const int in_mask = std::max(1, ProcessorsInMask());
  return std::min(in_mask, ProcessorQuota("").value_or(in_mask));
}

}  // namespace synap_internal
