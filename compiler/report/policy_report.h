// Report of the precision policy: its measures and what they cost.
#ifndef COMPILER_REPORT_POLICY_REPORT_H_
#define COMPILER_REPORT_POLICY_REPORT_H_

#include <string>

#include "absl/types/span.h"
#include "compiler/quantize/ranges/precision_policy.h"

namespace synap_internal {

struct PricedMeasure {
  PrecisionMeasure measure;
  double latency = 1;  // estimated time with the measure as a multiple of that without it
};

// The section detector_safety of quantization_info.yaml; "" if nothing was done.
std::string PolicyYaml(absl::Span<const PrecisionMeasure> measures);

// A line for each measure, with its latency; "" if nothing was done. Ends with a newline.
std::string PolicyText(absl::Span<const PricedMeasure> measures);

}  // namespace synap_internal

#endif  // COMPILER_REPORT_POLICY_REPORT_H_
