// L2_NORMALIZATION and LOCAL_RESPONSE_NORMALIZATION.
#include "compiler/import/emit/normalization.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/reduction.h"
#include "compiler/import/emit/window.h"
#include "compiler/import/tflite/op_table.h"

namespace synap_internal::tflite_import {
namespace {

// x / max(|x|, 1e-6), |x| along the last dimension
absl::Status MapL2Normalization(OperatorContext& op) {
  ASSIGN_OR_RETURN(const auto* options, op.Options<tflite::L2NormOptions>());
  ASSIGN_OR_RETURN(Tensor * x, op.Float(op.input(0)));
  ASSIGN_OR_RETURN(Tensor * norm, EmitReduce(op, "reduce_l2", x, {-1}, true, ".norm"));
  Tensor* smallest = op.Scalar(1e-6f, ".smallest");
  ASSIGN_OR_RETURN(norm, op.Emit("maximum", {norm, smallest}, {}, ".divisor"));
  return op.SetOutput(op.EmitActivated("div", {x, norm}, {}, options->fused_activation_function()));
}

// x / (bias + alpha * sum of the squares of up to `radius` channels on both sides) ^ beta
absl::Status MapLrn(OperatorContext& op) {
  ASSIGN_OR_RETURN(const auto* options, op.Options<tflite::LocalResponseNormalizationOptions>());
  ASSIGN_OR_RETURN(Tensor * x, op.Float(op.input(0)));
  RETURN_IF_ERROR(CheckImage(x->type.shape));
  const int64_t channels = x->type.shape[3], radius = options->radius();
  if (radius < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("its radius is ", radius, ", expected 0 or more"));
  }
  // Beyond the channels there is nothing to add.
  const int64_t size = 2 * std::min(radius, channels) + 1;
  const Lrn lrn{options->alpha() * static_cast<float>(size), options->beta(), options->bias()};
  return op.SetOutput(EmitChannelLrn(op, x, size, lrn, ""));
}

constexpr OpMapping kNormalizationMappings[] = {
    {tflite::BuiltinOperator::L2_NORMALIZATION, 1, 1, MapL2Normalization, kFusedActivations},
    {tflite::BuiltinOperator::LOCAL_RESPONSE_NORMALIZATION, 1, 1, MapLrn},
};

}  // namespace

absl::Span<const OpMapping> NormalizationMappings() { return kNormalizationMappings; }

}  // namespace synap_internal::tflite_import
