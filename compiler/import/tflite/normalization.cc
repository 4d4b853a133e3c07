// L2_NORMALIZATION.
#include "base/status_macros.h"
#include "compiler/import/emit/reduction.h"
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

constexpr OpMapping kMappings[] = {
    {tflite::BuiltinOperator::L2_NORMALIZATION, 1, 1, MapL2Normalization, kFusedActivations},
};

}  // namespace

absl::Span<const OpMapping> NormalizationMappings() { return kMappings; }

}  // namespace synap_internal::tflite_import
