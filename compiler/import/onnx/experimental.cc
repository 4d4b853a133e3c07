// Experimental operators until opset 10, as converters of Core ML and CNTK wrote them. Source:
// ONNX's schemas of that time (onnx/defs/experiments).
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/onnx/op_table.h"

namespace synap_internal::onnx_import {
namespace {

absl::Status CheckImages(const Shape& x) {
  if (x.rank() == 4) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("its input is ", x.ToString(), ", expected [N,C,H,W]"));
}

// alpha x + beta
absl::Status MapAffine(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * scaled, node.Scale(node.input(0), node.Float("alpha", 1), ".scaled"));
  Tensor* beta = node.Scalar(node.Float("beta", 0), ".beta");
  return node.SetOutput(node.Emit("add", {scaled, beta}));
}

// scale x + bias, a bias for each channel.
absl::Status MapImageScaler(NodeContext& node) {
  const Shape x = node.shape(0);
  RETURN_IF_ERROR(CheckImages(x));
  const std::vector<float> bias = node.Floats("bias");
  if (static_cast<int64_t>(bias.size()) != x[1]) {
    return absl::InvalidArgumentError(absl::StrCat("attribute 'bias' has ", bias.size(),
                                                   " values for ", x[1],
                                                   " channels, expected one for each"));
  }
  ASSIGN_OR_RETURN(Tensor * scaled, node.Scale(node.input(0), node.Float("scale", 1), ".scaled"));
  return node.SetOutput(
      node.Emit("add", {scaled, node.Reshape(node.builder().AddFloats(node.Name(".bias"), bias),
                                             {x[1], 1, 1}, ".channels")}));
}

// Crops 'border' (left, top, right, bottom); with 'scale' (height, width) what is kept after left
// and top has that size.
absl::Status MapCrop(NodeContext& node) {
  const Shape x = node.shape(0);
  RETURN_IF_ERROR(CheckImages(x));
  const std::vector<int64_t> border = node.Ints("border"), scale = node.Ints("scale");
  if (border.size() != 4 || (!scale.empty() && scale.size() != 2)) {
    return absl::InvalidArgumentError(absl::StrCat("attributes 'border' and 'scale' have ",
                                                   border.size(), " and ", scale.size(),
                                                   " values, expected 4 and 2 or none"));
  }
  const std::vector<int64_t> starts = {0, 0, border[1], border[0]};
  std::vector<int64_t> sizes = x.dims();
  for (const size_t side : {size_t{0}, size_t{1}}) {  // height, width
    const int64_t begin = starts[2 + side], end = border[3 - side], extent = x[2 + side];
    const bool inside = begin >= 0 && begin <= extent && end >= 0 && end <= extent - begin;
    sizes[2 + side] = !inside ? 0 : scale.empty() ? extent - begin - end : scale[side];
    if (inside && sizes[2 + side] > 0 && sizes[2 + side] <= extent - begin) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("attributes 'border' and 'scale' don't fit its input ", x.ToString(),
                     ", expected a part of it that isn't empty"));
  }
  return node.SetOutput(
      node.Emit("slice", {node.input(0)}, {{"starts", starts}, {"sizes", sizes}}));
}

// alpha log(exp(beta x) + 1)
absl::Status MapParametricSoftplus(NodeContext& node) {
  const float alpha = node.Float("alpha", 1), beta = node.Float("beta", 1);
  ASSIGN_OR_RETURN(Tensor * scaled, node.Scale(node.input(0), beta, ".scaled"));
  return node.SetOutput(node.Scale(node.Emit("softplus", {scaled}, {}, ".softplus"), alpha));
}

// alpha tanh(beta x)
absl::Status MapScaledTanh(NodeContext& node) {
  const float alpha = node.Float("alpha", 1), beta = node.Float("beta", 1);
  ASSIGN_OR_RETURN(Tensor * scaled, node.Scale(node.input(0), beta, ".scaled"));
  return node.SetOutput(node.Scale(node.Emit("tanh", {scaled}, {}, ".tanh"), alpha));
}

constexpr OpMapping kExperimentalMappings[] = {
    {"Affine", 1, 1, MapAffine},
    {"Crop", 1, 1, MapCrop, "[N,C,H,W]"},
    {"ImageScaler", 1, 1, MapImageScaler, "[N,C,H,W]"},
    {"ParametricSoftplus", 1, 1, MapParametricSoftplus},
    {"ScaledTanh", 1, 1, MapScaledTanh},
};

}  // namespace

absl::Span<const OpMapping> ExperimentalMappings() { return kExperimentalMappings; }

}  // namespace synap_internal::onnx_import
