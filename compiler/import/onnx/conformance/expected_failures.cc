#include "compiler/import/onnx/conformance/expected_failures.h"

#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace synap_internal::onnx_import {

absl::StatusOr<ExpectedFailures> ParseExpectedFailures(absl::string_view text) {
  ExpectedFailures failures;
  int number = 0;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    if (line.empty() || line[0] == '#') continue;
    const std::vector<std::string> parts = absl::StrSplit(line, absl::MaxSplits(": ", 1));
    if (parts.size() != 2 || parts[0].find('/') == std::string::npos || parts[1].empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("line ", number, " is '", line, "', expected 'group/case: reason'"));
    }
    if (!failures.emplace(parts[0], parts[1]).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("line ", number, " lists ", parts[0], " again"));
    }
  }
  return failures;
}

}  // namespace synap_internal::onnx_import
