// Operators that read images between their pixels, at positions that the network computes.
#include "compiler/import/emit/sampling.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/convolution.h"
#include "compiler/import/emit/region_align.h"
#include "compiler/import/onnx/op_table.h"
#include "compiler/import/onnx/window.h"

namespace synap_internal::onnx_import {
namespace {

// Operands: X, W, offset, B, mask.
absl::Status MapDeformConv(NodeContext& node) {
  const Shape x = node.shape(0), w = node.shape(1);
  if (x.rank() != 4) {
    return absl::UnimplementedError(
        absl::StrCat("its input is ", x.ToString(), ", expected [N,C,H,W]"));
  }
  DeformableConvolution convolution{node.input(0), node.input(1), node.input(2)};
  convolution.groups = node.Int("group", 1);
  convolution.offset_groups = node.Int("offset_group", 1);
  RETURN_IF_ERROR(CheckConvolution(x, w, convolution.groups, false));
  ASSIGN_OR_RETURN(convolution.window, ReadWindow(node, x, {w[2], w[3]}));
  convolution.bias = node.input(3);
  if (node.HasInput(4)) convolution.mask = node.input(4);
  return node.SetOutput(EmitDeformableConvolution(node, convolution));
}

// Operands: X, rois [R,4] (left, top, right, bottom), batch_indices [R]. Each element is the mean
// of `sampling_ratio` positions along each dimension of its part of the region, or of as many as
// that has pixels.
absl::Status MapRoiAlign(NodeContext& node) {
  const std::string mode = node.String("mode", "avg");
  RoiAlign align{node.input(0), node.input(1), node.input(2)};
  align.samples = node.Int("sampling_ratio", 0);
  if (mode != "avg") {
    return absl::UnimplementedError(
        absl::StrCat("attribute 'mode' is '", mode, "', expected 'avg'"));
  }
  align.output = {node.Int("output_height", 1), node.Int("output_width", 1)};
  align.scale = node.Float("spatial_scale", 1);
  ASSIGN_OR_RETURN(const std::string coordinates,
                   node.Choice("coordinate_transformation_mode",
                               node.opset() < 16 ? "output_half_pixel" : "half_pixel",
                               {"half_pixel", "output_half_pixel"}));
  align.half_pixel = coordinates == "half_pixel";
  return node.SetOutput(EmitRoiAlign(node, align));
}

constexpr OpMapping kSamplingMappings[] = {
    {"RoiAlign", 3, 3, MapRoiAlign, "'mode' of avg"},
    {"DeformConv", 3, 5, MapDeformConv, "[N,C,H,W]"},
};

}  // namespace

absl::Span<const OpMapping> SamplingMappings() { return kSamplingMappings; }

}  // namespace synap_internal::onnx_import
