// Operators over images without weights: pooling, resizing and normalization.
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/normalization.h"
#include "compiler/import/emit/reduction.h"
#include "compiler/import/emit/resize.h"
#include "compiler/import/emit/window.h"
#include "compiler/import/tflite/layer_operands.h"
#include "compiler/import/tflite/op_table.h"

namespace synap_internal::tflite_import {
namespace {

using tflite::BuiltinOperator;

absl::StatusOr<Attributes> PoolAttributes(const tflite::Pool2DOptions& options, const Shape& x) {
  Window window{{options.filter_height(), options.filter_width()},
                {options.stride_h(), options.stride_w()}};
  RETURN_IF_ERROR(Pad(x, options.padding(), window));
  return window.ToPoolAttributes();
}

absl::Status MapPool(OperatorContext& op) {
  ASSIGN_OR_RETURN(const auto* options, op.Options<tflite::Pool2DOptions>());
  ASSIGN_OR_RETURN(Attributes attributes, PoolAttributes(*options, op.shape(0)));
  const bool average = op.code() == BuiltinOperator::AVERAGE_POOL_2D;
  return op.SetOutput(op.EmitActivated(average ? "avg_pool2d" : "max_pool2d", {op.input(0)},
                                       std::move(attributes),
                                       options->fused_activation_function()));
}

// sqrt(mean of squares)
absl::Status MapL2Pool(OperatorContext& op) {
  ASSIGN_OR_RETURN(const auto* options, op.Options<tflite::Pool2DOptions>());
  ASSIGN_OR_RETURN(Attributes attributes, PoolAttributes(*options, op.shape(0)));
  const Emitted squares = op.Emit("square", {op.Float(op.input(0))}, {}, ".squares");
  const Emitted mean = op.Emit("avg_pool2d", {squares}, std::move(attributes), ".mean");
  return op.SetOutput(op.EmitActivated("sqrt", {mean}, {}, options->fused_activation_function()));
}

template <typename Options, bool kNearest>
absl::Status MapResize(OperatorContext& op) {
  ASSIGN_OR_RETURN(const auto* options, op.Options<Options>());
  ASSIGN_OR_RETURN(std::vector<int64_t> size, op.ConstantInts(1, "size"));
  return op.SetOutput(EmitTensorflowResize(
      op, op.input(0),
      {std::move(size), kNearest, options->align_corners(), options->half_pixel_centers()}));
}

// x / max(|x|, 1e-6), |x| along the last dimension
absl::Status MapL2Normalization(OperatorContext& op) {
  ASSIGN_OR_RETURN(const auto* options, op.Options<tflite::L2NormOptions>());
  const Emitted x = op.Float(op.input(0));
  const Emitted norm = EmitReduce(op, "reduce_l2", x, {-1}, true, ".norm");
  const Emitted divisor = op.Emit("maximum", {norm, op.Scalar(1e-6f, ".smallest")}, {}, ".divisor");
  return op.SetOutput(
      op.EmitActivated("div", {x, divisor}, {}, options->fused_activation_function()));
}

// x / (bias + alpha * sum of the squares of up to `radius` channels on both sides) ^ beta
absl::Status MapLrn(OperatorContext& op) {
  ASSIGN_OR_RETURN(const auto* options, op.Options<tflite::LocalResponseNormalizationOptions>());
  const Emitted x = op.Float(op.input(0));
  RETURN_IF_ERROR(CheckImage(op.shape(0)));
  const int64_t channels = op.shape(0)[3], radius = options->radius();
  if (radius < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("its radius is ", radius, ", expected 0 or more"));
  }
  // Beyond the channels there is nothing to add.
  const int64_t size = 2 * std::min(radius, channels) + 1;
  const Lrn lrn{options->alpha() * static_cast<float>(size), options->beta(), options->bias()};
  return op.SetOutput(EmitChannelLrn(op, x, size, lrn, ""));
}

constexpr char kSizeLimits[] = "a constant size; aligned corners or half pixel centres, not both";

constexpr OpMapping kImageMappings[] = {
    {BuiltinOperator::AVERAGE_POOL_2D, 1, 1, MapPool, kFusedActivations},
    {BuiltinOperator::MAX_POOL_2D, 1, 1, MapPool, kFusedActivations},
    {BuiltinOperator::L2_POOL_2D, 1, 1, MapL2Pool, kFusedActivations},
    {BuiltinOperator::RESIZE_BILINEAR, 2, 2, MapResize<tflite::ResizeBilinearOptions, false>,
     kSizeLimits},
    {BuiltinOperator::RESIZE_NEAREST_NEIGHBOR, 2, 2,
     MapResize<tflite::ResizeNearestNeighborOptions, true>, kSizeLimits},
    {BuiltinOperator::L2_NORMALIZATION, 1, 1, MapL2Normalization, kFusedActivations},
    {BuiltinOperator::LOCAL_RESPONSE_NORMALIZATION, 1, 1, MapLrn},
};

}  // namespace

absl::Span<const OpMapping> ImageMappings() { return kImageMappings; }

}  // namespace synap_internal::tflite_import
