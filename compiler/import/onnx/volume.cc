#include "compiler/import/onnx/volume.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/onnx/spatial.h"

namespace synap_internal::onnx_import {
namespace {

// Dimensions 1 and 2 of a window over three, for the images.
Attributes ImageWindow(const Window& window) {
  return {{"strides", std::vector<int64_t>{window.strides[1], window.strides[2]}},
          {"dilations", std::vector<int64_t>{window.dilations[1], window.dilations[2]}},
          {"pads",
           std::vector<int64_t>{window.pads[1], window.pads[2], window.pads[4], window.pads[5]}}};
}

// Dimension 0, for images [N, H = depth, W = pixels, C].
Attributes DepthWindow(const Window& window) {
  return {{"kernel", std::vector<int64_t>{window.kernel[0], 1}},
          {"strides", std::vector<int64_t>{window.strides[0], 1}},
          {"dilations", std::vector<int64_t>{window.dilations[0], 1}},
          {"pads", std::vector<int64_t>{window.pads[0], 0, window.pads[3], 0}}};
}

absl::StatusOr<Tensor*> ToNdhwc(NodeContext& node) {
  return node.Transpose(node.input(0), {0, 2, 3, 4, 1}, ".ndhwc");
}

absl::Status SetFromNdhwc(NodeContext& node, Tensor* y) {
  return node.SetOutput(node.Transpose(y, {0, 4, 1, 2, 3}));
}

// What tap `tap` of the kernel's depth sees of x [N,D,H,W,C]: the images of `depth`
// outputs.
absl::StatusOr<Tensor*> DepthTap(NodeContext& node, Tensor* x, const Window& window, int64_t tap,
                                 int64_t depth) {
  const Shape s = x->type.shape;
  ASSIGN_OR_RETURN(
      Tensor * images,
      node.Emit("slice", {x},
                {{"starts", std::vector<int64_t>{0, tap * window.dilations[0], 0, 0, 0}},
                 {"sizes", std::vector<int64_t>{s[0], depth, s[2], s[3], s[4]}},
                 {"steps", std::vector<int64_t>{1, window.strides[0], 1, 1, 1}}},
                ".tap"));
  return node.Reshape(images, {s[0] * depth, s[2], s[3], s[4]}, ".tap");
}

// [KD,O,KH,KW,I] -> [O,KH,KW,I] of one tap of the depth.
absl::StatusOr<Tensor*> WeightsOfTap(NodeContext& node, Tensor* w, int64_t tap) {
  const Shape s = w->type.shape;
  ASSIGN_OR_RETURN(Tensor * slice,
                   node.Emit("slice", {w},
                             {{"starts", std::vector<int64_t>{tap, 0, 0, 0, 0}},
                              {"sizes", std::vector<int64_t>{1, s[1], s[2], s[3], s[4]}}},
                             ".w"));
  return node.Reshape(slice, {s[1], s[2], s[3], s[4]}, ".w");
}

}  // namespace

absl::Status MapVolumeConv(NodeContext& node, int64_t groups) {
  const Shape w_shape = node.shape(1);
  const std::vector<int64_t> kernel(w_shape.dims().begin() + 2, w_shape.dims().end());
  ASSIGN_OR_RETURN(const Window window, ReadUnliftedWindow(node, node.shape(0), kernel));
  ASSIGN_OR_RETURN(Tensor * x, ToNdhwc(node));
  if (window.pads[0] != 0 || window.pads[3] != 0) {
    std::vector<int64_t> pads = {0, window.pads[0], 0, 0, 0, 0, window.pads[3], 0, 0, 0};
    ASSIGN_OR_RETURN(x, node.Emit("pad", {x}, {{"pads", std::move(pads)}}, ".padded"));
  }
  const int64_t reach = (kernel[0] - 1) * window.dilations[0] + 1;
  const Shape s = x->type.shape;
  if (s[1] < reach) {
    return absl::InvalidArgumentError(
        absl::StrCat("its kernel reaches over ", reach, " elements of a padded depth of ", s[1]));
  }
  const int64_t depth = (s[1] - reach) / window.strides[0] + 1;
  ASSIGN_OR_RETURN(Tensor * weights, node.Transpose(node.input(1), {2, 0, 3, 4, 1}, ".weights"));
  RETURN_IF_ERROR(node.builder().ChargeOps(kernel[0]));
  Attributes attributes = ImageWindow(window);
  attributes["groups"] = groups;
  Tensor* sum = nullptr;
  for (int64_t tap = 0; tap < kernel[0]; ++tap) {
    const UnrolledStep step(node.state(), tap);
    ASSIGN_OR_RETURN(Tensor * images, DepthTap(node, x, window, tap, depth));
    ASSIGN_OR_RETURN(Tensor * w, WeightsOfTap(node, weights, tap));
    std::vector<Tensor*> operands = {images, w};
    if (tap == 0 && node.HasInput(2)) operands.push_back(node.input(2));
    ASSIGN_OR_RETURN(Tensor * y, node.Emit("conv2d", std::move(operands), attributes, ".product"));
    if (sum == nullptr) {
      sum = y;
    } else {
      ASSIGN_OR_RETURN(sum, node.Emit("add", {sum, y}, {}, ".sum"));
    }
  }
  const Shape y = sum->type.shape;
  ASSIGN_OR_RETURN(sum, node.Reshape(sum, {s[0], depth, y[1], y[2], y[3]}, ".sum"));
  return SetFromNdhwc(node, sum);
}

// The largest of the largest, and the mean of means: what a window holds in one
// dimension doesn't depend on where it is in the others.
absl::Status MapVolumePool(NodeContext& node, absl::string_view op, Attributes attributes) {
  ASSIGN_OR_RETURN(const Window window, ReadUnliftedWindow(node, node.shape(0), {}));
  attributes["ceil_mode"] = node.Int("ceil_mode", 0);
  ASSIGN_OR_RETURN(Tensor * x, ToNdhwc(node));
  const Shape s = x->type.shape;
  ASSIGN_OR_RETURN(x, node.Reshape(x, {s[0] * s[1], s[2], s[3], s[4]}, ".images"));
  Attributes over_images = attributes, over_depth = attributes;
  over_images.merge(ImageWindow(window));
  over_images["kernel"] = std::vector<int64_t>{window.kernel[1], window.kernel[2]};
  over_depth.merge(DepthWindow(window));
  ASSIGN_OR_RETURN(Tensor * y, node.Emit(op, {x}, std::move(over_images), ".images"));
  const Shape images = y->type.shape;
  const int64_t pixels = images[1] * images[2];
  ASSIGN_OR_RETURN(y, node.Reshape(y, {s[0], s[1], pixels, s[4]}, ".columns"));
  ASSIGN_OR_RETURN(y, node.Emit(op, {y}, std::move(over_depth), ".columns"));
  const int64_t depth = y->type.shape[1];
  ASSIGN_OR_RETURN(y, node.Reshape(y, {s[0], depth, images[1], images[2], s[4]}, ".volume"));
  return SetFromNdhwc(node, y);
}

}  // namespace synap_internal::onnx_import
