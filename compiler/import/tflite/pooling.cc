// Pooling over windows.
#include "base/status_macros.h"
#include "compiler/import/tflite/op_table.h"
#include "compiler/import/tflite/window.h"

namespace synap_internal::tflite_import {
namespace {

absl::StatusOr<Attributes> PoolAttributes(const tflite::Pool2DOptions& options, const Shape& x) {
  Window window{{options.filter_height(), options.filter_width()},
                {options.stride_h(), options.stride_w()}};
  RETURN_IF_ERROR(Pad(x, options.padding(), window));
  return window.ToPoolAttributes();
}

absl::Status MapPool(OperatorContext& op) {
  ASSIGN_OR_RETURN(const auto* options, op.Options<tflite::Pool2DOptions>());
  ASSIGN_OR_RETURN(Attributes attributes, PoolAttributes(*options, op.shape(0)));
  const bool average = op.code() == tflite::BuiltinOperator::AVERAGE_POOL_2D;
  return op.SetOutput(op.EmitActivated(average ? "avg_pool2d" : "max_pool2d", {op.input(0)},
                                       std::move(attributes),
                                       options->fused_activation_function()));
}

// sqrt(mean of squares)
absl::Status MapL2Pool(OperatorContext& op) {
  ASSIGN_OR_RETURN(const auto* options, op.Options<tflite::Pool2DOptions>());
  ASSIGN_OR_RETURN(Attributes attributes, PoolAttributes(*options, op.shape(0)));
  ASSIGN_OR_RETURN(Tensor * x, op.Float(op.input(0)));
  ASSIGN_OR_RETURN(Tensor * squares, op.Emit("square", {x}, {}, ".squares"));
  ASSIGN_OR_RETURN(Tensor * mean, op.Emit("avg_pool2d", {squares}, std::move(attributes), ".mean"));
  return op.SetOutput(op.EmitActivated("sqrt", {mean}, {}, options->fused_activation_function()));
}

constexpr OpMapping kPoolingMappings[] = {
    {tflite::BuiltinOperator::AVERAGE_POOL_2D, 1, 1, MapPool, kFusedActivations},
    {tflite::BuiltinOperator::MAX_POOL_2D, 1, 1, MapPool, kFusedActivations},
    {tflite::BuiltinOperator::L2_POOL_2D, 1, 1, MapL2Pool, kFusedActivations},
};

}  // namespace

absl::Span<const OpMapping> PoolingMappings() { return kPoolingMappings; }

}  // namespace synap_internal::tflite_import
