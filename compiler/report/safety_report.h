// Report of detector safety: its measures and what they cost.
#ifndef COMPILER_REPORT_SAFETY_REPORT_H_
#define COMPILER_REPORT_SAFETY_REPORT_H_

#include <string>

#include "absl/types/span.h"
#include "compiler/quantize/ranges/detector_safety.h"

namespace synap_internal {

struct PricedMeasure {
  SafetyMeasure measure;
  double latency = 1;  // estimated time with the measure as a multiple of that without it
};

// The section detector_safety of quantization_info.yaml; "" if nothing was done.
std::string SafetyYaml(absl::Span<const SafetyMeasure> measures);

// A line for each measure, with its latency; "" if nothing was done. Ends with a newline.
std::string SafetyText(absl::Span<const PricedMeasure> measures);

}  // namespace synap_internal

#endif  // COMPILER_REPORT_SAFETY_REPORT_H_
