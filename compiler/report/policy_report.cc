#include "compiler/report/policy_report.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "kernels/attributes.h"

namespace synap_internal {
namespace {

constexpr size_t kShown = 3;  // layers in a line for people

std::string ShortenedList(const std::vector<std::string>& layers) {
  const size_t shown = std::min(layers.size(), kShown);
  const std::string first = absl::StrJoin(absl::MakeConstSpan(layers).subspan(0, shown), ", ");
  return layers.size() == shown ? first
                                : absl::StrCat(first, " and ", layers.size() - shown, " more");
}

}  // namespace

std::string PolicyYaml(absl::Span<const PrecisionMeasure> measures) {
  if (measures.empty()) return "";
  std::string text = "detector_safety:\n";
  for (const PrecisionMeasure& measure : measures) {
    std::vector<std::string> layers;
    for (const std::string& layer : measure.layers) {
      layers.push_back(ToString(AttributeValue(layer)));
    }
    absl::StrAppend(&text, "  ", Name(measure.kind), ":\n    layers: [",
                    absl::StrJoin(layers, ", "), "]\n");
  }
  return text;
}

std::string PolicyText(absl::Span<const PricedMeasure> measures) {
  if (measures.empty()) return "";
  std::string text = absl::StrCat(
      "Done to keep precision, with the estimated latency as a multiple of that without it ",
      "('optimize: false' does none of it):\n");
  for (const auto& [measure, latency] : measures) {
    absl::StrAppendFormat(&text, "  %.3f  %s: %s\n", latency, Description(measure.kind),
                          ShortenedList(measure.layers));
  }
  return text;
}

}  // namespace synap_internal
