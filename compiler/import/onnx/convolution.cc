// Conv and ConvTranspose.
#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/onnx/op_table.h"
#include "compiler/import/onnx/spatial.h"
#include "compiler/import/onnx/volume.h"

namespace synap_internal::onnx_import {
namespace {

absl::Status CheckWeights(const Shape& x, const Shape& w, int64_t groups) {
  if (x.rank() < 3 || w.rank() != x.rank()) {
    return absl::InvalidArgumentError(absl::StrCat("its weights ", w.ToString(), " and its input ",
                                                   x.ToString(),
                                                   " should have the same rank, 3 or more"));
  }
  if (groups < 1 || x[1] % groups != 0) {
    return absl::InvalidArgumentError(absl::StrCat("attribute 'group' is ", groups,
                                                   ", expected a divisor of the ", x[1],
                                                   " channels of its input ", x.ToString()));
  }
  return absl::OkStatus();
}

std::vector<int64_t> SpatialDims(const Shape& w) { return {w.dims().begin() + 2, w.dims().end()}; }

absl::Status MapConv(NodeContext& node) {
  const Shape x_shape = node.shape(0), w_shape = node.shape(1);
  const int64_t groups = node.Int("group", 1);
  RETURN_IF_ERROR(CheckWeights(x_shape, w_shape, groups));
  if (x_shape.rank() == 5) return MapVolumeConv(node, groups);
  ASSIGN_OR_RETURN(const Window window, ReadWindow(node, x_shape, SpatialDims(w_shape)));
  ASSIGN_OR_RETURN(Tensor * x, ToNhwc(node, node.input(0)));
  ASSIGN_OR_RETURN(Tensor * w, WeightsAsImage(node, node.input(1)));
  Attributes attributes = window.ToAttributes();
  const bool depthwise = groups > 1 && groups == x_shape[1] && groups == w_shape[0];
  ASSIGN_OR_RETURN(w, ConvolutionWeights(node, w, depthwise));
  if (!depthwise) attributes["groups"] = groups;
  std::vector<Tensor*> operands = {x, w};
  if (node.HasInput(2)) operands.push_back(node.input(2));
  ASSIGN_OR_RETURN(Tensor * y, node.Emit(depthwise ? "depthwise_conv2d" : "conv2d",
                                         std::move(operands), std::move(attributes), ".nhwc"));
  return node.SetOutput(FromNhwc(node, y, x_shape.rank()));
}

// What ConvTranspose cuts off its full output, and what it appends to it.
struct Border {
  std::vector<int64_t> pads;    // begins, then ends; as many dimensions as x has
  std::vector<int64_t> output;  // output_padding
};

// Chooses pads so that the output has the dimensions `wanted`.
Border BorderFor(const Shape& x, const Window& window, const std::vector<int64_t>& wanted,
                 std::vector<int64_t> output_padding, bool upper) {
  const size_t dims = wanted.size();
  Border border{std::vector<int64_t>(2 * dims), std::move(output_padding)};
  for (size_t i = 0; i < dims; ++i) {
    const size_t at = i + 2 - dims;  // in the lifted window
    const int64_t full = window.strides[at] * (x[i + 2] - 1) + border.output[i] +
                         (window.kernel[at] - 1) * window.dilations[at] + 1;
    const int64_t total = full - wanted[i];
    if (total < 0) border.output[i] -= total;
    const int64_t cut = std::max<int64_t>(total, 0);
    border.pads[i] = upper ? cut / 2 : cut - cut / 2;
    border.pads[i + dims] = cut - border.pads[i];
  }
  return border;
}

absl::Status CheckDims(absl::string_view name, const std::vector<int64_t>& values, size_t dims) {
  constexpr int64_t kLimit = int64_t{1} << 24;
  const bool sane =
      std::all_of(values.begin(), values.end(), [](int64_t v) { return v >= 0 && v <= kLimit; });
  if (values.size() == dims && sane) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("attribute '", name, "' should have ", dims, " elements of 0 to ", kLimit));
}

// output_shape, or auto_pad SAME_*, which asks for in * stride; else what
// ReadWindow has found.
absl::StatusOr<Border> ReadBorder(NodeContext& node, const Shape& x, const Window& window) {
  const size_t dims = x.rank() - 2;
  const std::string auto_pad = node.String("auto_pad", "NOTSET");
  const bool same = auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER";
  std::vector<int64_t> output = node.Ints("output_padding", std::vector<int64_t>(dims, 0));
  RETURN_IF_ERROR(CheckDims("output_padding", output, dims));
  std::vector<int64_t> wanted = node.Ints("output_shape");
  if (wanted.size() == x.rank()) wanted.erase(wanted.begin(), wanted.begin() + 2);
  if (wanted.empty() && same) {
    for (size_t i = 0; i < dims; ++i) {
      wanted.push_back(x[i + 2] * window.strides[i + 2 - dims]);
    }
  }
  if (!wanted.empty()) {
    RETURN_IF_ERROR(CheckDims("output_shape", wanted, dims));
    return BorderFor(x, window, wanted, std::move(output), auto_pad == "SAME_UPPER");
  }
  Border border{window.pads, std::move(output)};
  if (dims == 1) border.pads = {window.pads[1], window.pads[3]};
  return border;
}

absl::Status MapConvTranspose(NodeContext& node) {
  const Shape x_shape = node.shape(0), w_shape = node.shape(1);
  const int64_t groups = node.Int("group", 1);
  RETURN_IF_ERROR(CheckWeights(x_shape, w_shape, groups));
  if (w_shape[0] != x_shape[1]) {
    return absl::InvalidArgumentError(absl::StrCat("its weights ", w_shape.ToString(), " are for ",
                                                   w_shape[0], " channels, its input ",
                                                   x_shape.ToString(), " has ", x_shape[1]));
  }
  ASSIGN_OR_RETURN(const Window window, ReadWindow(node, x_shape, SpatialDims(w_shape)));
  ASSIGN_OR_RETURN(Border border, ReadBorder(node, x_shape, window));
  if (x_shape.rank() == 3) {
    border = {{0, border.pads[0], 0, border.pads[1]}, {0, border.output[0]}};
  }
  ASSIGN_OR_RETURN(Tensor * x, ToNhwc(node, node.input(0)));
  ASSIGN_OR_RETURN(Tensor * w, WeightsAsImage(node, node.input(1)));
  ASSIGN_OR_RETURN(w, TransposedConvolutionWeights(node, w, groups));
  std::vector<Tensor*> operands = {x, w};
  if (node.HasInput(2)) operands.push_back(node.input(2));
  Attributes attributes = window.ToAttributes();
  attributes["pads"] = border.pads;
  attributes["output_padding"] = border.output;
  attributes["groups"] = groups;
  ASSIGN_OR_RETURN(Tensor * y, node.Emit("conv_transpose2d", std::move(operands),
                                         std::move(attributes), ".nhwc"));
  return node.SetOutput(FromNhwc(node, y, x_shape.rank()));
}

constexpr OpMapping kMappings[] = {
    {"Conv", 2, 3, MapConv, "constant weights; [N,C,L], [N,C,H,W] and [N,C,D,H,W]"},
    {"ConvTranspose", 2, 3, MapConvTranspose, "constant weights; [N,C,L] and [N,C,H,W]"},
};

}  // namespace

absl::Span<const OpMapping> ConvolutionMappings() { return kMappings; }

}  // namespace synap_internal::onnx_import
