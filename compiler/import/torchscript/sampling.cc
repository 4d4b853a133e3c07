// Operators that read images between their pixels, at positions that the network computes.
#include "compiler/import/emit/sampling.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/region_align.h"
#include "compiler/import/emit/slice.h"
#include "compiler/import/torchscript/op_table.h"

namespace synap_internal::torchscript_import {
namespace {

// (x, grid, mode, padding, align_corners): x [N,C,H,W] and grid [N,H',W',2], or x [N,C,D,H,W] and
// grid [N,D',H',W',3].
absl::Status MapGridSample(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  const Emitted grid = node.GetTensor(1);
  ASSIGN_OR_RETURN(const int64_t mode, node.GetInt(2));
  ASSIGN_OR_RETURN(const int64_t padding, node.GetInt(3));
  ASSIGN_OR_RETURN(const bool align_corners, node.GetBoolOr(4, false));
  constexpr const char* kModes[] = {"bilinear", "nearest", "bicubic"};
  constexpr const char* kPaddings[] = {"zeros", "border", "reflection"};
  const Shape& shape = x->type.shape;
  const bool volume = shape.rank() == 5;
  const int64_t modes = volume ? 2 : 3;
  if (mode < 0 || mode >= modes || padding < 0 || padding > 2) {
    return absl::InvalidArgumentError(absl::StrCat("its mode is ", mode, " and its padding ",
                                                   padding, ", expected 0 to ", modes - 1,
                                                   " and 0 to 2"));
  }
  if (shape.rank() != 4 && !volume) {
    return absl::InvalidArgumentError(
        absl::StrCat("its input is ", shape.ToString(), ", expected four or five dimensions"));
  }
  const GridSample sample{kModes[mode], kPaddings[padding], align_corners};
  return node.SetOutput(volume ? EmitVolumeSample(node, x, grid, sample)
                               : EmitGridSample(node, x, grid, sample));
}

// (theta, size, align_corners)
absl::Status MapAffineGrid(NodeContext& node) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> size, node.GetInts(1));
  ASSIGN_OR_RETURN(const bool align_corners, node.GetBool(2));
  return node.SetOutput(EmitAffineGrid(node, node.GetTensor(0), size, align_corners));
}

// Two arguments: of height and of width.
absl::StatusOr<std::vector<int64_t>> ReadPair(const NodeContext& node, size_t first) {
  ASSIGN_OR_RETURN(const int64_t height, node.GetInt(first));
  ASSIGN_OR_RETURN(const int64_t width, node.GetInt(first + 1));
  return std::vector<int64_t>{height, width};
}

// (x, weights, offsets, mask, bias, stride, padding and dilation by two numbers each, groups,
// offset groups, whether there is a mask)
absl::Status MapDeformConv(NodeContext& node) {
  DeformableConvolution convolution{node.GetTensor(0), node.GetTensor(1), node.GetTensor(2),
                                    node.GetOptionalTensor(4)};
  ASSIGN_OR_RETURN(const bool masked, node.GetBool(13));
  if (masked) convolution.mask = node.GetTensor(3);
  ASSIGN_OR_RETURN(const Tensor* weights, convolution.weights);
  const Shape& w = weights->type.shape;
  if (w.rank() != 4) {
    return absl::InvalidArgumentError(
        absl::StrCat("its weights are ", w.ToString(), ", expected four dimensions"));
  }
  convolution.window.kernel = {w[2], w[3]};
  ASSIGN_OR_RETURN(convolution.window.strides, ReadPair(node, 5));
  ASSIGN_OR_RETURN(std::vector<int64_t> padding, ReadPair(node, 7));
  ASSIGN_OR_RETURN(convolution.window.dilations, ReadPair(node, 9));
  RETURN_IF_ERROR(CheckWindowValues("its padding", padding, 2, 0));
  convolution.window.pads = SymmetricPads(std::move(padding));
  RETURN_IF_ERROR(convolution.window.Check());
  ASSIGN_OR_RETURN(convolution.groups, node.GetInt(11));
  ASSIGN_OR_RETURN(convolution.offset_groups, node.GetInt(12));
  return node.SetOutput(EmitDeformableConvolution(node, convolution));
}

// (x, regions [R,5], scale, height, width, sampling ratio, aligned); the first number of a region
// is that of its image.
absl::Status MapRoiAlign(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * rois, node.GetTensor(1));
  const Shape s = rois->type.shape;
  if (s.rank() != 2 || s[1] != 5) {
    return absl::InvalidArgumentError(
        absl::StrCat("its regions are ", s.ToString(), ", expected [R,5]"));
  }
  RoiAlign align{node.GetTensor(0)};
  ASSIGN_OR_RETURN(const int64_t samples, node.GetInt(5));
  align.samples = std::max<int64_t>(samples, 0);  // or less: by the size of each region
  Emitted image = EmitAxisSlice(node, rois, 1, 0, 1, ".image");
  image = node.Reshape(image, {s[0]}, ".image");
  align.images = node.Cast(image, DataType::kInt64, ".image");
  align.rois = EmitAxisSlice(node, rois, 1, 1, 4, ".edges");
  ASSIGN_OR_RETURN(align.scale, node.GetReal(2));
  ASSIGN_OR_RETURN(align.output, ReadPair(node, 3));
  ASSIGN_OR_RETURN(align.half_pixel, node.GetBool(6));
  return node.SetOutput(EmitRoiAlign(node, align));
}

constexpr OpMapping kSamplingMappings[] = {
    {"aten::grid_sampler", 4, MapGridSample},
    {"aten::grid_sampler_2d", 4, MapGridSample},
    {"aten::grid_sampler_3d", 4, MapGridSample},
    {"aten::affine_grid_generator", 3, MapAffineGrid},
    {"torchvision::deform_conv2d", 14, MapDeformConv, "constant weights"},
    {"torchvision::roi_align", 7, MapRoiAlign},
};

}  // namespace

absl::Span<const OpMapping> SamplingMappings() { return kSamplingMappings; }

}  // namespace synap_internal::torchscript_import
