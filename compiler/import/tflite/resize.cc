// RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR.
#include "compiler/import/emit/resize.h"

#include <utility>

#include "base/status_macros.h"
#include "compiler/import/tflite/op_table.h"

namespace synap_internal::tflite_import {
namespace {

template <typename Options>
absl::Status MapResize(OperatorContext& op, bool nearest) {
  ASSIGN_OR_RETURN(const auto* options, op.Options<Options>());
  ASSIGN_OR_RETURN(std::vector<int64_t> size, op.ConstantInts(1, "size"));
  return op.SetOutput(EmitTensorflowResize(
      op, op.input(0),
      {std::move(size), nearest, options->align_corners(), options->half_pixel_centers()}));
}

absl::Status MapBilinear(OperatorContext& op) {
  return MapResize<tflite::ResizeBilinearOptions>(op, false);
}
absl::Status MapNearest(OperatorContext& op) {
  return MapResize<tflite::ResizeNearestNeighborOptions>(op, true);
}

constexpr char kSizeLimits[] = "a constant size; aligned corners or half pixel centres, not both";

constexpr OpMapping kResizeMappings[] = {
    {tflite::BuiltinOperator::RESIZE_BILINEAR, 2, 2, MapBilinear, kSizeLimits},
    {tflite::BuiltinOperator::RESIZE_NEAREST_NEIGHBOR, 2, 2, MapNearest, kSizeLimits},
};

}  // namespace

absl::Span<const OpMapping> ResizeMappings() { return kResizeMappings; }

}  // namespace synap_internal::tflite_import
