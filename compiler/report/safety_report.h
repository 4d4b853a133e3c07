// Report of detector safety: its measures and their latency.
#ifndef COMPILER_REPORT_SAFETY_REPORT_H_
#define COMPILER_REPORT_SAFETY_REPORT_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "compiler/quantize/ranges/detector_safety.h"

namespace synap_internal {

struct PricedMeasure {
  SafetyMeasure measure;
  // Estimates by target's name: time with the measure as a multiple of that without it.
  std::vector<std::pair<absl::string_view, double>> latency;
};

// The section detector_safety of quantization_info.yaml; "" if nothing was done.
std::string SafetyYaml(absl::Span<const PricedMeasure> measures);

// A line for each measure, with the latency of `target`; "" if nothing was done. Ends with a
// newline.
std::string SafetyText(absl::Span<const PricedMeasure> measures, absl::string_view target);

}  // namespace synap_internal

#endif  // COMPILER_REPORT_SAFETY_REPORT_H_
