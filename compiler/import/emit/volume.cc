#include "compiler/import/emit/volume.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/nhwc.h"
#include "compiler/import/emit/slice.h"

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

Emitted ToNdhwc(OpEmitter& emitter, const Emitted& x) {
  return emitter.Transpose(x, {0, 2, 3, 4, 1}, ".ndhwc");
}

Emitted FromNdhwc(OpEmitter& emitter, const Emitted& y) {
  return emitter.Transpose(y, {0, 4, 1, 2, 3});
}

// The elements of x [N,D,H,W,C] under tap `tap` of the kernel's depth: the images of `depth`
// outputs.
Emitted DepthTap(OpEmitter& emitter, Tensor* x, const Window& window, int64_t tap, int64_t depth) {
  const Shape s = x->type.shape;
  const Emitted images = emitter.Emit("slice", {x},
                                      {{"starts", Dims{0, tap * window.dilations[0], 0, 0, 0}},
                                       {"sizes", Dims{s[0], depth, s[2], s[3], s[4]}},
                                       {"steps", Dims{1, window.strides[0], 1, 1, 1}}},
                                      ".tap");
  return emitter.Reshape(images, {s[0] * depth, s[2], s[3], s[4]}, ".tap");
}

// x [N,D,H,W,C] with the window's pads along the depth.
Emitted PaddedDepth(OpEmitter& emitter, const Emitted& x, const Window& window) {
  if (window.pads[0] == 0 && window.pads[3] == 0) return x;
  return emitter.Emit("pad", {x},
                      {{"pads", Dims{0, window.pads[0], 0, 0, 0, 0, window.pads[3], 0, 0, 0}}},
                      ".padded");
}

// Image d of y [N,D,P,C] at depth d * stride + begin of [N,depth,P,C], among zeros.
// REQUIRES: D * stride + begin <= depth.
Emitted SpreadDepth(OpEmitter& emitter, const Emitted& y, int64_t stride, int64_t begin,
                    int64_t depth) {
  RETURN_IF_ERROR(y.status());
  const Shape s = (*y)->type.shape;
  Emitted spread = y;
  if (stride > 1) {
    spread = emitter.Reshape(y, {s[0], s[1], 1, s[2], s[3]}, ".columns");
    spread = emitter.Emit("pad", {spread}, {{"pads", Dims{0, 0, 0, 0, 0, 0, 0, stride - 1, 0, 0}}},
                          ".spread");
    spread = emitter.Reshape(spread, {s[0], s[1] * stride, s[2], s[3]}, ".spread");
  }
  const int64_t end = depth - begin - s[1] * stride;
  if (begin == 0 && end == 0) return spread;
  return emitter.Emit("pad", {spread}, {{"pads", Dims{0, begin, 0, 0, 0, end, 0, 0}}}, ".placed");
}

}  // namespace

Emitted EmitVolumeConvolution(OpEmitter& emitter, const Convolution& convolution) {
  const Window& window = convolution.window;
  ASSIGN_OR_RETURN(Tensor * x, PaddedDepth(emitter, ToNdhwc(emitter, convolution.x), window));
  const int64_t taps = window.kernel[0], reach = window.Reach(0);
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
  Emitted sum = nullptr;
  for (int64_t tap = 0; sum.ok() && tap < taps; ++tap) {
    OpEmitter step = emitter.Step(tap);
    const Emitted images = DepthTap(step, x, window, tap, depth);
    const Emitted w = EmitRow(step, weights, tap, ".w");  // [KD,O,KH,KW,I] -> [O,KH,KW,I]
    const Emitted bias = tap == 0 ? convolution.bias : Emitted(nullptr);
    const Emitted y = step.Emit("conv2d", WithBias(images, w, bias), attributes, ".product");
    sum = tap == 0 ? y : step.Emit("add", {sum, y}, {}, ".sum");
  }
  RETURN_IF_ERROR(sum.status());
  const Shape& y = (*sum)->type.shape;
  return FromNdhwc(emitter, emitter.Reshape(sum, {s[0], depth, y[1], y[2], y[3]}, ".sum"));
}

// Tap k of the depth adds the images of x, as its own transposed convolution makes them, at depths
// d * stride + k * dilation; the pads are cut off the sum.
Emitted EmitVolumeTransposedConvolution(OpEmitter& emitter, const Convolution& convolution) {
  const Window& window = convolution.window;
  Dims extra = convolution.output_padding;
  extra.resize(3, 0);
  ASSIGN_OR_RETURN(Tensor * x, ToNdhwc(emitter, convolution.x));
  const Shape s = x->type.shape;
  const int64_t taps = window.kernel[0], stride = window.strides[0], step = window.dilations[0];
  const int64_t full = (s[1] - 1) * stride + (taps - 1) * step + 1 + extra[0];
  const int64_t room = std::max(full, s[1] * stride + (taps - 1) * step);
  const int64_t depth = full - window.pads[0] - window.pads[3];
  if (depth < 1) {
    return absl::InvalidArgumentError(absl::StrCat("its pads ", window.pads[0], " and ",
                                                   window.pads[3], " leave nothing of a depth of ",
                                                   full, ", expected an element or more"));
  }
  RETURN_IF_ERROR(emitter.builder().ChargeOps(taps));
  const Emitted images = emitter.Reshape(x, {s[0] * s[1], s[2], s[3], s[4]}, ".images");
  Attributes attributes = ImageWindow(window).ToAttributes();
  attributes["groups"] = convolution.groups;
  attributes["output_padding"] = Dims{extra[1], extra[2]};
  Emitted sum = nullptr;
  Shape image;
  for (int64_t tap = 0; sum.ok() && tap < taps; ++tap) {
    OpEmitter one = emitter.Step(tap);
    const Emitted w = TransposedConvolutionWeights(
        one, EmitElement(one, convolution.weights, 2, tap, ".w"), convolution.groups);
    ASSIGN_OR_RETURN(Tensor * y, one.Emit("conv_transpose2d", {images, w}, attributes, ".product"));
    image = y->type.shape;
    const Emitted columns = one.Reshape(y, {s[0], s[1], image[1] * image[2], image[3]}, ".columns");
    const Emitted placed = SpreadDepth(one, columns, stride, tap * step, room);
    sum = tap == 0 ? placed : one.Emit("add", {sum, placed}, {}, ".sum");
  }
  if (depth != room) sum = EmitAxisSlice(emitter, sum, 1, window.pads[0], depth, ".cut");
  if (IsGiven(convolution.bias)) {
    sum = emitter.Emit("add", {sum, convolution.bias}, {}, ".biased");
  }
  return FromNdhwc(emitter,
                   emitter.Reshape(sum, {s[0], depth, image[1], image[2], image[3]}, ".volume"));
}

// The largest of the largest, and the mean of means: a window's extent in one dimension doesn't
// depend on its place in the others.
Emitted EmitVolumePool(OpEmitter& emitter, absl::string_view op, const Emitted& given,
                       const Window& window, const Attributes& attributes) {
  Attributes over_images = attributes, over_depth = attributes;
  over_images.merge(ImageWindow(window).ToPoolAttributes());
  over_depth.merge(DepthWindow(window).ToPoolAttributes());
  ASSIGN_OR_RETURN(Tensor * x, ToNdhwc(emitter, given));
  const Shape s = x->type.shape;
  const Emitted flat = emitter.Reshape(x, {s[0] * s[1], s[2], s[3], s[4]}, ".images");
  ASSIGN_OR_RETURN(Tensor * y, emitter.Emit(op, {flat}, std::move(over_images), ".images"));
  const Shape images = y->type.shape;
  const int64_t pixels = images[1] * images[2];
  const Emitted columns = emitter.Reshape(y, {s[0], s[1], pixels, s[4]}, ".columns");
  ASSIGN_OR_RETURN(y, emitter.Emit(op, {columns}, std::move(over_depth), ".columns"));
  const int64_t depth = y->type.shape[1];
  return FromNdhwc(emitter,
                   emitter.Reshape(y, {s[0], depth, images[1], images[2], s[4]}, ".volume"));
}

// Height and width of the images [N,C*D,H,W], then the depth as the height of [N,C,D,H*W].
Emitted EmitVolumeResize(OpEmitter& emitter, const Emitted& given, const Dims& size,
                         const std::vector<float>& scales, const Attributes& attributes) {
  ASSIGN_OR_RETURN(Tensor * x, given);
  const Shape s = x->type.shape;
  const int64_t pixels = size[1] * size[2];
  Attributes over_images = attributes, over_depth = attributes;
  over_images["size"] = Dims{size[1], size[2]};
  over_images["scales"] = std::vector<float>{scales[1], scales[2]};
  over_depth["size"] = Dims{size[0], pixels};
  over_depth["scales"] = std::vector<float>{scales[0], 1.0f};
  OpEmitter images(emitter.builder(), emitter.origin(), emitter.Name(".images"));
  Emitted y = images.Reshape(x, {s[0], s[1] * s[2], s[3], s[4]}, ".flat");
  y = EmitImage(images, "resize", {y}, std::move(over_images));
  OpEmitter columns(emitter.builder(), emitter.origin(), emitter.Name(".columns"));
  y = columns.Reshape(y, {s[0], s[1], s[2], pixels}, ".flat");
  y = EmitImage(columns, "resize", {y}, std::move(over_depth));
  return emitter.Reshape(y, {s[0], s[1], size[0], size[1], size[2]});
}

}  // namespace synap_internal
