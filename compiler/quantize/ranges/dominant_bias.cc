#include "compiler/quantize/ranges/dominant_bias.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_format.h"
#include "absl/types/span.h"
#include "base/data_type.h"
#include "kernels/op_def.h"

namespace synap_internal {
namespace {

constexpr double kMuch = 8192;

double LargestOf(absl::Span<const float> values) {
  double largest = 0;
  for (const float value : values) {
    largest = std::max(largest, std::abs(static_cast<double>(value)));
  }
  return largest;
}

bool IsFloatConstant(const Tensor* tensor) {
  return tensor != nullptr && tensor->is_float_constant();
}

}  // namespace

bool HasRealBias(const Op& op) {
  return op.def->is_weighted_sum() && IsFloatConstant(op.input(1)) && IsFloatConstant(op.input(2));
}

std::string DescribeDominantBias(const Op& op, const ValueRange& input) {
  const double bias = LargestOf(op.inputs[2]->values<float>());
  const double weight = LargestOf(op.inputs[1]->values<float>());
  const double value = LargestOf({input.min, input.max});
  if (bias <= kMuch * value * weight) return "";
  if (weight <= value) {
    return absl::StrFormat(
        "has weights of at most %g beside a bias of %g, and gives little but its bias: check that "
        "the model is trained",
        weight, bias);
  }
  return absl::StrFormat(
      "reads '%s', which is at most %g in all samples, beside a bias of %g, and gives little but "
      "its bias: if that is not so in real use, add samples that show it",
      op.inputs[0]->name, value, bias);
}

}  // namespace synap_internal
