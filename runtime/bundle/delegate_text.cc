#include "runtime/bundle/delegate_text.h"

#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace synap_internal {

absl::StatusOr<DelegateText> ParseDelegateText(absl::string_view text) {
  constexpr int kMaxThreads = 1024;
  const std::vector<absl::string_view> words = absl::StrSplit(text, ' ', absl::SkipEmpty());
  DelegateText delegate;
  if (!words.empty()) delegate.word = std::string(words[0]);
  if (delegate.word != "npu" && delegate.word != "gpu" && delegate.word != "cpu") {
    return absl::UnimplementedError(absl::StrCat("delegate '", text.substr(0, 60),
                                                 "' is not supported yet, expected npu, gpu or "
                                                 "cpu"));
  }
  for (size_t i = 1; i < words.size(); ++i) {
    absl::string_view value = words[i];
    if (!absl::ConsumePrefix(&value, "num_threads=")) continue;
    if (absl::SimpleAtoi(value, &delegate.threads) && delegate.threads >= 0 &&
        delegate.threads <= kMaxThreads) {
      continue;
    }
    return absl::InvalidArgumentError(absl::StrCat(
        "delegate has num_threads '", value.substr(0, 60), "', expected 0 to ", kMaxThreads));
  }
  return delegate;
}

}  // namespace synap_internal
