// RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR.
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "compiler/import/tflite/op_table.h"
#include "compiler/import/tflite/window.h"

namespace synap_internal::tflite_import {
namespace {

template <typename T>
absl::StatusOr<std::string> Coordinates(const T& options) {
  if (options.align_corners() && options.half_pixel_centers()) {
    return absl::UnimplementedError(
        "its corners are aligned and its pixels' centres are halves at once");
  }
  return options.align_corners()        ? "align_corners"
         : options.half_pixel_centers() ? "half_pixel"
                                        : "asymmetric";
}

absl::Status EmitResize(OperatorContext& op, Attributes attributes) {
  RETURN_IF_ERROR(CheckImage(op.shape(0)));
  ASSIGN_OR_RETURN(std::vector<int64_t> size, op.ConstantInts(1, "size"));
  if (size.size() != 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("its size is [", absl::StrJoin(size, ", "), "], expected height and width"));
  }
  attributes["size"] = std::move(size);
  return op.SetOutput(op.Emit("resize", {op.input(0)}, std::move(attributes)));
}

absl::Status MapBilinear(OperatorContext& op) {
  ASSIGN_OR_RETURN(const auto* options, op.Options<tflite::ResizeBilinearOptions>());
  ASSIGN_OR_RETURN(std::string coordinates, Coordinates(*options));
  return EmitResize(op, {{"mode", std::string("linear")}, {"coordinates", std::move(coordinates)}});
}

// The source is floor(i * scale), floor((i + 0.5) * scale) with half pixels, or
// round(i * scale) with aligned corners.
absl::Status MapNearest(OperatorContext& op) {
  ASSIGN_OR_RETURN(const auto* options, op.Options<tflite::ResizeNearestNeighborOptions>());
  ASSIGN_OR_RETURN(std::string coordinates, Coordinates(*options));
  const std::string rounding = coordinates == "asymmetric" ? "floor" : "round_prefer_ceil";
  return EmitResize(op, {{"mode", std::string("nearest")},
                         {"coordinates", std::move(coordinates)},
                         {"rounding", rounding}});
}

constexpr char kSizeLimits[] = "a constant size; aligned corners or half pixel centres, not both";

constexpr OpMapping kMappings[] = {
    {tflite::BuiltinOperator::RESIZE_BILINEAR, 2, 2, MapBilinear, kSizeLimits},
    {tflite::BuiltinOperator::RESIZE_NEAREST_NEIGHBOR, 2, 2, MapNearest, kSizeLimits},
};

}  // namespace

absl::Span<const OpMapping> ResizeMappings() { return kMappings; }

}  // namespace synap_internal::tflite_import
