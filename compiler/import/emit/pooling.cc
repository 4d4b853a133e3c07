#include "compiler/import/emit/pooling.h"

#include <algorithm>

#include "base/status_macros.h"
#include "compiler/import/emit/nhwc.h"
#include "compiler/import/emit/reduction.h"
#include "compiler/import/emit/resize.h"

namespace synap_internal {
namespace {

// The elements [begin, end) of `in` that window i of `out` covers.
struct AdaptiveWindow {
  int64_t begin = 0, end = 0;
};

AdaptiveWindow AdaptiveWindowAt(int64_t i, int64_t in, int64_t out) {
  return {i * in / out, ((i + 1) * in + out - 1) / out};
}

// [in, out], row-major: each column is the mean over one window.
absl::StatusOr<std::vector<float>> MeanWeights(OpEmitter& emitter, int64_t in, int64_t out) {
  RETURN_IF_ERROR(emitter.builder().Charge(in * out * static_cast<int64_t>(sizeof(float))));
  std::vector<float> weights(static_cast<size_t>(in * out), 0);
  for (int64_t i = 0; i < out; ++i) {
    const AdaptiveWindow window = AdaptiveWindowAt(i, in, out);
    for (int64_t k = window.begin; k < window.end; ++k) {
      weights[static_cast<size_t>(k * out + i)] = 1 / static_cast<float>(window.end - window.begin);
    }
  }
  return weights;
}

Emitted MeanMatrix(OpEmitter& emitter, int64_t in, int64_t out) {
  ASSIGN_OR_RETURN(const std::vector<float> weights, MeanWeights(emitter, in, out));
  Tensor* matrix = emitter.builder().AddFloats(emitter.Name(".mean"), weights);
  return emitter.Reshape(matrix, {in, out}, ".mean");
}

// [out, taps]: the elements of each window; shorter ones repeat their last.
Emitted AdaptiveTaps(OpEmitter& emitter, int64_t in, int64_t out) {
  int64_t taps = 0;
  for (int64_t i = 0; i < out; ++i) {
    const AdaptiveWindow window = AdaptiveWindowAt(i, in, out);
    taps = std::max(taps, window.end - window.begin);
  }
  const Shape shape({out, taps});
  RETURN_IF_ERROR(emitter.ChargeValues<int64_t>(shape));
  std::vector<int64_t> places;
  for (int64_t i = 0; i < out; ++i) {
    const AdaptiveWindow window = AdaptiveWindowAt(i, in, out);
    for (int64_t k = 0; k < taps; ++k) places.push_back(std::min(window.begin + k, window.end - 1));
  }
  return emitter.Values(shape, std::move(places), ".elements");
}

// The places of a tap of `count` windows along dimension `i` of an image.
std::vector<int64_t> TapPlaces(const Window& window, size_t i, int64_t tap, int64_t count,
                               int64_t extent) {
  std::vector<int64_t> places;
  for (int64_t number = 0; number < count; ++number) {
    const TapRange inside = TapsInside(window, i, number, extent);
    const int64_t begin = number * window.strides[i] - window.pads[i];
    const int64_t moved = std::max(std::min(tap, inside.last), inside.first);
    places.push_back(std::clamp<int64_t>(begin + moved * window.dilations[i], 0, extent - 1));
  }
  return places;
}

}  // namespace

Emitted EmitGlobalPool(OpEmitter& emitter, absl::string_view op, const Emitted& x) {
  return EmitImage(emitter, op, {x},
                   {{"axes", std::vector<int64_t>{1, 2}}, {"keep_dims", int64_t{1}}});
}

Emitted EmitAdaptiveMean(OpEmitter& emitter, const Emitted& given,
                         const std::vector<int64_t>& out) {
  ASSIGN_OR_RETURN(Tensor * x, given);
  ASSIGN_OR_RETURN(Tensor * image, ToNhwc(emitter, x));
  const Shape& s = image->type.shape;
  const Emitted columns = MeanMatrix(emitter, s[2], out[1]);
  const Emitted rows = MeanMatrix(emitter, s[1], out[0]);
  Emitted y = emitter.Transpose(image, {0, 3, 1, 2}, ".nchw");
  y = emitter.Emit("matmul", {y, columns}, {}, ".columns");
  y = emitter.Transpose(y, {0, 1, 3, 2}, ".turned");
  y = emitter.Emit("matmul", {y, rows}, {}, ".rows");
  y = emitter.Transpose(y, {0, 3, 2, 1}, ".nhwc");
  return FromNhwc(emitter, y, x->type.shape.rank());
}

Emitted EmitAdaptiveVolumeMean(OpEmitter& emitter, const Emitted& given,
                               const std::vector<int64_t>& out) {
  ASSIGN_OR_RETURN(const Tensor* x, given);
  const Shape s = x->type.shape;
  Emitted y = given;
  for (size_t i = 0; i < out.size(); ++i) {
    if (s[i + 2] == out[i]) continue;
    ASSIGN_OR_RETURN(const std::vector<float> weights, MeanWeights(emitter, s[i + 2], out[i]));
    y = EmitResizedAxis(emitter, y, i + 2, weights, out[i]);
  }
  return y;
}

Emitted EmitAdaptiveMax(OpEmitter& emitter, const Emitted& given, const std::vector<int64_t>& out) {
  ASSIGN_OR_RETURN(const Tensor* x, given);
  const Shape s = x->type.shape;
  Emitted y = given;
  for (size_t i = 0; i < out.size(); ++i) {
    if (s[i + 2] == out[i]) continue;
    const auto axis = static_cast<int64_t>(i + 2);
    const Emitted taps = AdaptiveTaps(emitter, s[i + 2], out[i]);
    y = emitter.Emit("gather", {y, taps}, {{"axis", axis}}, ".windows");
    y = EmitReduce(emitter, "reduce_max", y, {axis + 1}, false, ".largest");
  }
  return y;
}

TapRange TapsInside(const Window& window, size_t i, int64_t number, int64_t extent) {
  const int64_t dilation = window.dilations[i];
  const int64_t begin = number * window.strides[i] - window.pads[i];
  return {begin < 0 ? (-begin + dilation - 1) / dilation : 0, (extent - 1 - begin) / dilation};
}

Emitted EmitTap(OpEmitter& emitter, const Emitted& x, size_t axis, const Window& window,
                RowAndColumn tap, RowAndColumn windows) {
  RETURN_IF_ERROR(x.status());
  const Shape shape = (*x)->type.shape;
  Tensor* rows = emitter.builder().AddInts(emitter.Name(".rows"),
                                           TapPlaces(window, 0, tap.row, windows.row, shape[axis]));
  Tensor* columns = emitter.builder().AddInts(
      emitter.Name(".columns"), TapPlaces(window, 1, tap.column, windows.column, shape[axis + 1]));
  const auto at = static_cast<int64_t>(axis);
  const Emitted row = emitter.Emit("gather", {x, rows}, {{"axis", at}}, ".row");
  return emitter.Emit("gather", {row, columns}, {{"axis", at + 1}}, ".tap");
}

}  // namespace synap_internal
