#include "compiler/report/policy_report.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/name_list.h"
#include "kernels/attributes.h"

namespace synap_internal {
namespace {

constexpr size_t kShown = 3;  // layers in a line for people

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
                          FirstNames(measure.layers, kShown));
  }
  return text;
}

}  // namespace synap_internal
