#include "compiler/metafile/delegate_options.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/nearest_name.h"
#include "base/status_macros.h"

namespace synap_internal {
namespace {

constexpr absl::string_view kThreads = "num_threads";
constexpr int kMaxThreads = 1024;

constexpr char kForBoards[] = "for a board's runtime; no effect on the emulated one";
constexpr DelegateOption kOptions[] = {
    {kThreads, "at most so many threads, 1 to 1024; 0: those of the network"},
    {"allow_fp16", kForBoards},
    {"cache_dir", kForBoards},
    {"gpu_inference_preference", kForBoards},
    {"gpu_inference_priority1", kForBoards},
    {"latest_operators", kForBoards},
    {"log_level", kForBoards},
    {"model_token", kForBoards},
    {"use_xnnpack", kForBoards},
};

absl::Status CheckOption(absl::string_view option, std::set<absl::string_view>& seen) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(option, absl::MaxSplits('=', 1));
  const auto [name, value] = parts;
  std::vector<std::string> known;
  for (const DelegateOption& row : kOptions) known.emplace_back(row.name);
  if (std::find(known.begin(), known.end(), name) == known.end()) {
    return absl::InvalidArgumentError(
        absl::StrCat("unknown option '", option, "'", DidYouMean(name, known),
                     ", expected name=value with one of ", absl::StrJoin(known, ", ")));
  }
  if (value.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("option '", option, "' has no value, expected ", name, "=value"));
  }
  if (!seen.insert(name).second) {
    return absl::InvalidArgumentError(
        absl::StrCat("option '", name, "' is written twice; remove one"));
  }
  int threads = 0;
  const bool is_count = absl::SimpleAtoi(value, &threads) && threads >= 0 && threads <= kMaxThreads;
  if (name != kThreads || is_count) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("option '", option, "', expected a number from 0 to ", kMaxThreads));
}

}  // namespace

absl::Span<const DelegateOption> DelegateOptions() { return kOptions; }

absl::Status CheckDelegateOptions(Delegate delegate, absl::string_view options) {
  if (options.empty()) return absl::OkStatus();
  if (delegate != Delegate::kGpu && delegate != Delegate::kCpu) {
    return absl::InvalidArgumentError(absl::StrCat("found options '", options, "' of ",
                                                   Name(delegate),
                                                   ", which has none; only gpu and cpu have some"));
  }
  std::set<absl::string_view> seen;
  for (const absl::string_view option : absl::StrSplit(options, ' ')) {
    RETURN_IF_ERROR(CheckOption(option, seen));
  }
  return absl::OkStatus();
}

}  // namespace synap_internal
