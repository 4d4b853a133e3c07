#include "compiler/import/onnx/spatial.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "compiler/import/emit/window.h"

namespace synap_internal::onnx_import {
namespace {

// Sums of a few products of two such numbers stay far below 2^63.
constexpr int64_t kMaxWindow = int64_t{1} << 24;

absl::Status CheckSpatial(const Shape& x) {
  if (x.rank() == 3 || x.rank() == 4) return absl::OkStatus();
  return absl::UnimplementedError(absl::StrCat("its input ", x.ToString(), " has rank ", x.rank()));
}

absl::Status CheckInts(absl::string_view name, const std::vector<int64_t>& values, size_t count,
                       int64_t min) {
  if (values.size() != count) {
    return absl::InvalidArgumentError(
        absl::StrCat("attribute '", name, "' has ", values.size(), " elements, expected ", count));
  }
  for (const int64_t value : values) {
    if (value < min || value > kMaxWindow) {
      return absl::InvalidArgumentError(absl::StrCat("attribute '", name, "' is [",
                                                     absl::StrJoin(values, ", "), "], expected ",
                                                     min, " to ", kMaxWindow));
    }
  }
  return absl::OkStatus();
}

// All begins, then all ends, so that the output has ceil(in / stride) elements.
std::vector<int64_t> SamePads(const Shape& x, const Window& window, bool upper) {
  const size_t dims = window.kernel.size();
  std::vector<int64_t> pads(2 * dims);
  for (size_t i = 0; i < dims; ++i) {
    const int64_t total =
        SamePadding(x[i + 2], window.kernel[i], window.strides[i], window.dilations[i]);
    pads[i] = upper ? total / 2 : total - total / 2;
    pads[i + dims] = total - pads[i];
  }
  return pads;
}

absl::Status ReadPads(NodeContext& node, const Shape& x, Window& window) {
  const size_t dims = window.kernel.size();
  const std::string auto_pad = node.String("auto_pad", "NOTSET");
  window.pads = node.Ints("pads", std::vector<int64_t>(2 * dims, 0));
  if (auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER") {
    window.pads = SamePads(x, window, auto_pad == "SAME_UPPER");
  } else if (auto_pad == "VALID") {
    window.pads.assign(2 * dims, 0);
  } else if (auto_pad != "NOTSET" && !auto_pad.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("attribute 'auto_pad' is '", auto_pad,
                     "', expected NOTSET, SAME_UPPER, SAME_LOWER or VALID"));
  }
  return CheckInts("pads", window.pads, 2 * dims, 0);
}

}  // namespace

absl::StatusOr<Tensor*> ToNhwc(NodeContext& node, Tensor* x) {
  return node.state().nhwc.Of(node, x);
}

Attributes Window::ToAttributes() const {
  return {{"strides", strides}, {"dilations", dilations}, {"pads", pads}};
}

absl::StatusOr<Window> ReadUnliftedWindow(NodeContext& node, const Shape& x,
                                          std::vector<int64_t> kernel) {
  const size_t dims = x.rank() - 2;
  Window window;
  window.kernel = node.Ints("kernel_shape", kernel);
  RETURN_IF_ERROR(CheckInts("kernel_shape", window.kernel, dims, 1));
  if (!kernel.empty() && window.kernel != kernel) {
    return absl::InvalidArgumentError(
        absl::StrCat("attribute 'kernel_shape' is [", absl::StrJoin(window.kernel, ", "),
                     "], but the weights say [", absl::StrJoin(kernel, ", "), "]"));
  }
  window.strides = node.Ints("strides", std::vector<int64_t>(dims, 1));
  RETURN_IF_ERROR(CheckInts("strides", window.strides, dims, 1));
  window.dilations = node.Ints("dilations", std::vector<int64_t>(dims, 1));
  RETURN_IF_ERROR(CheckInts("dilations", window.dilations, dims, 1));
  RETURN_IF_ERROR(ReadPads(node, x, window));
  return window;
}

absl::StatusOr<Window> ReadWindow(NodeContext& node, const Shape& x, std::vector<int64_t> kernel) {
  RETURN_IF_ERROR(CheckSpatial(x));
  ASSIGN_OR_RETURN(Window window, ReadUnliftedWindow(node, x, std::move(kernel)));
  if (x.rank() == 4) return window;
  for (auto* pair : {&window.kernel, &window.strides, &window.dilations}) {
    pair->insert(pair->begin(), 1);
  }
  window.pads = {0, window.pads[0], 0, window.pads[1]};
  return window;
}

}  // namespace synap_internal::onnx_import
