#include "compiler/import/onnx/window.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"

namespace synap_internal::onnx_import {
namespace {

absl::Status ReadWindowPads(NodeContext& node, const Shape& x, Window& window) {
  const size_t dims = window.kernel.size();
  const auto in = absl::MakeConstSpan(x.dims()).subspan(2);
  const std::string auto_pad = node.String("auto_pad", "NOTSET");
  window.pads = node.Ints("pads", std::vector<int64_t>(2 * dims, 0));
  if (auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER") {
    window.pads = SamePads(in, window, auto_pad == "SAME_UPPER" ? OddPad::kEnd : OddPad::kBegin);
  } else if (auto_pad == "VALID") {
    window.pads.assign(2 * dims, 0);
  } else if (auto_pad != "NOTSET" && !auto_pad.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("attribute 'auto_pad' is '", auto_pad,
                     "', expected NOTSET, SAME_UPPER, SAME_LOWER or VALID"));
  }
  return CheckWindowValues("attribute 'pads'", window.pads, 2 * dims, 0);
}

}  // namespace

absl::StatusOr<Window> ReadWindow(NodeContext& node, const Shape& x, std::vector<int64_t> kernel) {
  const size_t dims = x.rank() - 2;
  const std::vector<int64_t> ones(dims, 1);
  Window window{node.Ints("kernel_shape", kernel), node.Ints("strides", ones),
                node.Ints("dilations", ones)};
  RETURN_IF_ERROR(CheckWindowValues("attribute 'kernel_shape'", window.kernel, dims, 1));
  if (!kernel.empty() && window.kernel != kernel) {
    return absl::InvalidArgumentError(
        absl::StrCat("attribute 'kernel_shape' is [", absl::StrJoin(window.kernel, ", "),
                     "], but the weights say [", absl::StrJoin(kernel, ", "), "]"));
  }
  RETURN_IF_ERROR(CheckWindowValues("attribute 'strides'", window.strides, dims, 1));
  RETURN_IF_ERROR(CheckWindowValues("attribute 'dilations'", window.dilations, dims, 1));
  RETURN_IF_ERROR(ReadWindowPads(node, x, window));
  return window;
}

absl::StatusOr<Window> ReadImageWindow(NodeContext& node, const Shape& x,
                                       std::vector<int64_t> kernel) {
  if (x.rank() != 3 && x.rank() != 4) {
    return absl::UnimplementedError(
        absl::StrCat("its input ", x.ToString(), " has rank ", x.rank()));
  }
  ASSIGN_OR_RETURN(Window window, ReadWindow(node, x, std::move(kernel)));
  return LiftedToImage(std::move(window));
}

}  // namespace synap_internal::onnx_import
