#include "compiler/metafile/effort.h"

#include <algorithm>

namespace synap_internal {

void SetEffortFields(Effort effort, QuantizationSpec& quantization) {
  const bool is_best = effort == Effort::kBest;
  quantization.algorithm =
      is_best ? QuantizationAlgorithm::kAuto : QuantizationAlgorithm::kStandard;
  quantization.options.rounding = is_best ? Rounding::kAuto : Rounding::kBalanced;
  quantization.options.bias_correction = is_best ? BiasCorrection::kFull : BiasCorrection::kNone;
}

std::string LastSample(const QuantizationSpec& quantization, std::vector<std::string> names) {
  if (quantization.effort != Effort::kFast || names.size() <= kFastSamples) {
    return quantization.last_sample;
  }
  const auto last = names.begin() + (kFastSamples - 1);
  std::nth_element(names.begin(), last, names.end());
  return quantization.last_sample.empty() ? *last : std::min(*last, quantization.last_sample);
}

}  // namespace synap_internal
