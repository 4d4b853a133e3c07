#include "compiler/report/conversion_summary.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace synap_internal {

std::string ConversionSummary(const ConversionResult& result) {
  const auto bytes = static_cast<double>(result.bytes);
  const std::string size = result.bytes < 1'000'000 ? absl::StrFormat("%.1f kB", bytes / 1e3)
                                                    : absl::StrFormat("%.1f MB", bytes / 1e6);
  const std::string warnings = result.warnings == 0   ? "no warnings"
                               : result.warnings == 1 ? "1 warning"
                                                      : absl::StrCat(result.warnings, " warnings");
  return absl::StrFormat("Conversion successful: %s, %s, about %s on %s, %s%s", result.file, size,
                         result.time, result.target,
                         result.loss.empty() ? "" : absl::StrCat(result.loss, ", "), warnings);
}

}  // namespace synap_internal
