// Conv and ConvTranspose.
#include "compiler/import/emit/convolution.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/patches.h"
#include "compiler/import/onnx/op_table.h"
#include "compiler/import/onnx/window.h"

namespace synap_internal::onnx_import {
namespace {

std::vector<int64_t> SpatialDims(const Shape& w) { return {w.dims().begin() + 2, w.dims().end()}; }

// The node's operands, groups and window, which isn't lifted to images: checked. The weights are in
// the model's order.
absl::StatusOr<Convolution> ReadConvolution(NodeContext& node, bool transposed) {
  const Shape x = node.shape(0), w = node.shape(1);
  Convolution convolution{node.input(0), node.input(1), node.input(2), {}, node.Int("group", 1)};
  RETURN_IF_ERROR(CheckConvolution(x, w, convolution.groups, transposed));
  if (x.rank() > 5) {
    return absl::UnimplementedError(
        absl::StrCat("its input ", x.ToString(), " has rank ", x.rank(), ", expected 3 to 5"));
  }
  ASSIGN_OR_RETURN(convolution.window, ReadWindow(node, x, SpatialDims(w)));
  return convolution;
}

absl::Status MapConv(NodeContext& node) {
  ASSIGN_OR_RETURN(Convolution convolution, ReadConvolution(node, false));
  return node.SetOutput(EmitAnyConvolution(node, std::move(convolution), false));
}

// Pads of a transposed convolution: cut off its full output, or appended to it.
struct Border {
  std::vector<int64_t> pads;    // begins, then ends
  std::vector<int64_t> output;  // output_padding
};

// Chooses pads so that the output has the dimensions `wanted`.
Border BorderFor(const Shape& x, const Window& window, const std::vector<int64_t>& wanted,
                 std::vector<int64_t> output_padding, bool upper) {
  const size_t dims = wanted.size();
  Border border{std::vector<int64_t>(2 * dims), std::move(output_padding)};
  for (size_t i = 0; i < dims; ++i) {
    const int64_t full = window.strides[i] * (x[i + 2] - 1) + border.output[i] + window.Reach(i);
    const int64_t total = full - wanted[i];
    if (total < 0) border.output[i] -= total;
    const int64_t cut = std::max<int64_t>(total, 0);
    border.pads[i] = upper ? cut / 2 : cut - cut / 2;
    border.pads[i + dims] = cut - border.pads[i];
  }
  return border;
}

// For output_shape, or auto_pad SAME_*, which asks for in * stride; else the window's own pads.
absl::StatusOr<Border> ReadBorder(NodeContext& node, const Shape& x, const Window& window) {
  const size_t dims = x.rank() - 2;
  const std::string auto_pad = node.String("auto_pad", "NOTSET");
  const bool same = auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER";
  std::vector<int64_t> output = node.Ints("output_padding", std::vector<int64_t>(dims, 0));
  RETURN_IF_ERROR(CheckWindowValues("attribute 'output_padding'", output, dims, 0));
  std::vector<int64_t> wanted = node.Ints("output_shape");
  if (wanted.size() == x.rank()) wanted.erase(wanted.begin(), wanted.begin() + 2);
  if (wanted.empty() && same) {
    for (size_t i = 0; i < dims; ++i) wanted.push_back(x[i + 2] * window.strides[i]);
  }
  if (wanted.empty()) return Border{window.pads, std::move(output)};
  RETURN_IF_ERROR(CheckWindowValues("attribute 'output_shape'", wanted, dims, 0, int64_t{1} << 24));
  return BorderFor(x, window, wanted, std::move(output), auto_pad == "SAME_UPPER");
}

absl::Status MapConvTranspose(NodeContext& node) {
  ASSIGN_OR_RETURN(Convolution convolution, ReadConvolution(node, true));
  ASSIGN_OR_RETURN(Border border, ReadBorder(node, node.shape(0), convolution.window));
  convolution.window.pads = std::move(border.pads);
  convolution.output_padding = std::move(border.output);
  return node.SetOutput(EmitAnyConvolution(node, std::move(convolution), true));
}

constexpr OpMapping kConvolutionMappings[] = {
    {"Conv", 2, 3, MapConv, "[N,C,L], [N,C,H,W] and [N,C,D,H,W]; computed weights of few windows"},
    {"ConvTranspose", 2, 3, MapConvTranspose,
     "[N,C,L], [N,C,H,W] and [N,C,D,H,W]; computed weights of few windows, not of volumes"},
};

}  // namespace

absl::Span<const OpMapping> ConvolutionMappings() { return kConvolutionMappings; }

}  // namespace synap_internal::onnx_import
