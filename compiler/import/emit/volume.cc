#include "compiler/import/emit/volume.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace synap_internal {
namespace {

using Dims = std::vector<int64_t>;

// Height and width of a window over three dimensions.
Window ImageWindow(const Window& window) {
  return {{window.kernel[1], window.kernel[2]},
          {window.strides[1], window.strides[2]},
          {window.dilations[1], window.dilations[2]},
          {window.pads[1], window.pads[2], window.pads[4], window.pads[5]}};
}

// Its depth, for images [N, H = depth, W = pixels, C].
Window DepthWindow(const Window& window) {
  return {{window.kernel[0], 1},
          {window.strides[0], 1},
          {window.dilations[0], 1},
          {window.pads[0], 0, window.pads[3], 0}};
}

absl::StatusOr<Tensor*> ToNdhwc(OpEmitter& emitter, Tensor* x) {
  return emitter.Transpose(x, {0, 2, 3, 4, 1}, ".ndhwc");
}

absl::StatusOr<Tensor*> FromNdhwc(OpEmitter& emitter, Tensor* y) {
  return emitter.Transpose(y, {0, 4, 1, 2, 3});
}

// The elements of x [N,D,H,W,C] under tap `tap` of the kernel's depth: the images of `depth`
// outputs.
absl::StatusOr<Tensor*> DepthTap(OpEmitter& emitter, Tensor* x, const Window& window, int64_t tap,
                                 int64_t depth) {
  const Shape s = x->type.shape;
  ASSIGN_OR_RETURN(Tensor * images,
                   emitter.Emit("slice", {x},
                                {{"starts", Dims{0, tap * window.dilations[0], 0, 0, 0}},
                                 {"sizes", Dims{s[0], depth, s[2], s[3], s[4]}},
                                 {"steps", Dims{1, window.strides[0], 1, 1, 1}}},
                                ".tap"));
  return emitter.Reshape(images, {s[0] * depth, s[2], s[3], s[4]}, ".tap");
}

// [KD,O,KH,KW,I] -> [O,KH,KW,I] of one tap of the depth.
absl::StatusOr<Tensor*> WeightsOfTap(OpEmitter& emitter, Tensor* w, int64_t tap) {
  const Shape s = w->type.shape;
  ASSIGN_OR_RETURN(Tensor * slice, emitter.Emit("slice", {w},
                                                {{"starts", Dims{tap, 0, 0, 0, 0}},
                                                 {"sizes", Dims{1, s[1], s[2], s[3], s[4]}}},
                                                ".w"));
  return emitter.Reshape(slice, {s[1], s[2], s[3], s[4]}, ".w");
}

// x [N,D,H,W,C] with the window's pads along the depth.
absl::StatusOr<Tensor*> PaddedDepth(OpEmitter& emitter, Tensor* x, const Window& window) {
  if (window.pads[0] == 0 && window.pads[3] == 0) return x;
  return emitter.Emit("pad", {x},
                      {{"pads", Dims{0, window.pads[0], 0, 0, 0, 0, window.pads[3], 0, 0, 0}}},
                      ".padded");
}

}  // namespace

absl::StatusOr<Tensor*> EmitVolumeConvolution(OpEmitter& emitter, const Convolution& convolution) {
  const Window& window = convolution.window;
  ASSIGN_OR_RETURN(Tensor * x, ToNdhwc(emitter, convolution.x));
  ASSIGN_OR_RETURN(x, PaddedDepth(emitter, x, window));
  const int64_t taps = window.kernel[0], reach = (taps - 1) * window.dilations[0] + 1;
  const Shape s = x->type.shape;
  if (s[1] < reach) {
    return absl::InvalidArgumentError(
        absl::StrCat("its kernel reaches over ", reach, " elements of a padded depth of ", s[1]));
  }
  const int64_t depth = (s[1] - reach) / window.strides[0] + 1;
  ASSIGN_OR_RETURN(Tensor * weights,
                   emitter.Transpose(convolution.weights, {2, 0, 3, 4, 1}, ".weights"));
  RETURN_IF_ERROR(emitter.builder().ChargeOps(taps));
  Attributes attributes = ImageWindow(window).ToAttributes();
  attributes["groups"] = convolution.groups;
  Tensor* sum = nullptr;
  for (int64_t tap = 0; tap < taps; ++tap) {
    OpEmitter step = emitter.Step(tap);
    ASSIGN_OR_RETURN(Tensor * images, DepthTap(step, x, window, tap, depth));
    ASSIGN_OR_RETURN(Tensor * w, WeightsOfTap(step, weights, tap));
    std::vector<Tensor*> linear = {images, w};
    if (tap == 0 && convolution.bias != nullptr) linear.push_back(convolution.bias);
    ASSIGN_OR_RETURN(Tensor * y, step.Emit("conv2d", std::move(linear), attributes, ".product"));
    if (sum == nullptr) {
      sum = y;
    } else {
      ASSIGN_OR_RETURN(sum, step.Emit("add", {sum, y}, {}, ".sum"));
    }
  }
  const Shape y = sum->type.shape;
  ASSIGN_OR_RETURN(sum, emitter.Reshape(sum, {s[0], depth, y[1], y[2], y[3]}, ".sum"));
  return FromNdhwc(emitter, sum);
}

// The largest of the largest, and the mean of means: a window's extent in one dimension doesn't
// depend on its place in the others.
absl::StatusOr<Tensor*> EmitVolumePool(OpEmitter& emitter, absl::string_view op, Tensor* x,
                                       const Window& window, const Attributes& attributes) {
  Attributes over_images = attributes, over_depth = attributes;
  over_images.merge(ImageWindow(window).ToPoolAttributes());
  over_depth.merge(DepthWindow(window).ToPoolAttributes());
  ASSIGN_OR_RETURN(x, ToNdhwc(emitter, x));
  const Shape s = x->type.shape;
  ASSIGN_OR_RETURN(x, emitter.Reshape(x, {s[0] * s[1], s[2], s[3], s[4]}, ".images"));
  ASSIGN_OR_RETURN(Tensor * y, emitter.Emit(op, {x}, std::move(over_images), ".images"));
  const Shape images = y->type.shape;
  const int64_t pixels = images[1] * images[2];
  ASSIGN_OR_RETURN(y, emitter.Reshape(y, {s[0], s[1], pixels, s[4]}, ".columns"));
  ASSIGN_OR_RETURN(y, emitter.Emit(op, {y}, std::move(over_depth), ".columns"));
  const int64_t depth = y->type.shape[1];
  ASSIGN_OR_RETURN(y, emitter.Reshape(y, {s[0], depth, images[1], images[2], s[4]}, ".volume"));
  return FromNdhwc(emitter, y);
}

}  // namespace synap_internal
