#include "compiler/import/emit/patches.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "compiler/import/emit/axes.h"
#include "compiler/import/emit/indexing.h"
#include "compiler/import/emit/nhwc.h"
#include "compiler/import/emit/slice.h"
#include "compiler/import/emit/volume.h"

namespace synap_internal {
namespace {

using Dims = std::vector<int64_t>;

int64_t VolumeOf(const Dims& dims) {
  return std::accumulate(dims.begin(), dims.end(), int64_t{1}, std::multiplies<>());
}

// Those over the spatial dimensions of x [N,C,...].
Dims SpatialPlaces(const Window& window, const Shape& x) {
  Dims places;
  for (size_t i = 0; i < window.kernel.size(); ++i) {
    places.push_back(window.Places(i, x[i + 2]));
  }
  return places;
}

// x [N,C,...] with the window's pads.
Emitted PaddedForPatches(OpEmitter& op, Tensor* x, const Window& window) {
  const size_t dims = window.kernel.size(), rank = dims + 2;
  Dims pads(2 * rank, 0);
  for (size_t i = 0; i < dims; ++i) {
    pads[i + 2] = window.pads[i];
    pads[i + 2 + rank] = window.pads[i + dims];
  }
  if (std::all_of(pads.begin(), pads.end(), [](int64_t pad) { return pad == 0; })) return x;
  return op.Emit("pad", {x}, {{"pads", std::move(pads)}}, ".padded");
}

// What a convolution with computed weights lays out at most: 1 GiB of float32.
absl::Status CheckPatches(const Shape& x, int64_t taps, int64_t places) {
  constexpr int64_t kMaxElements = int64_t{1} << 28;
  RETURN_IF_ERROR(x.Validate());
  const int64_t channels = x[0] * x[1];
  const auto most = [](int64_t factor) { return kMaxElements / std::max<int64_t>(factor, 1); };
  const bool fits =
      channels <= kMaxElements && taps <= most(channels) && places <= most(channels * taps);
  if (fits) return absl::OkStatus();
  return absl::UnimplementedError(absl::StrCat("the network computes its weights, and ", places,
                                               " windows of ", taps, " elements over its input ",
                                               x.ToString(), " are more than the ", kMaxElements,
                                               " elements that such a convolution may lay out"));
}

Emitted PlusChannelBias(OpEmitter& op, const Emitted& y, const Emitted& bias, size_t rank) {
  if (!IsGiven(bias)) return y;
  return op.Emit("add", {y, AlongChannels(op, bias, rank, ".bias")});
}

// Columns [N, C * taps, places] of windows that don't overlap and leave nothing out.
Emitted TiledImage(OpEmitter& op, const Emitted& columns, const Dims& image, const Window& window,
                   const Shape& s, int64_t channels) {
  const Dims &k = window.kernel, places = {image[0] / k[0], image[1] / k[1]};
  Emitted y = op.Reshape(columns, {s[0], channels, k[0], k[1], places[0], places[1]}, ".taps");
  y = op.Transpose(y, {0, 1, 4, 2, 5, 3}, ".tiles");
  return op.Reshape(y, {s[0], channels, image[0], image[1]});
}

// [C * taps, 1, KH, KW]: 1 at the tap's own place.
Emitted PlacingWeights(OpEmitter& op, int64_t rows, const Dims& kernel) {
  const int64_t taps = VolumeOf(kernel);
  const Shape shape({rows, 1, kernel[0], kernel[1]});
  RETURN_IF_ERROR(op.ChargeValues<float>(shape));
  std::vector<float> values(static_cast<size_t>(shape.elements()), 0);
  for (int64_t i = 0; i < rows; ++i) values[static_cast<size_t>(i * taps + i % taps)] = 1;
  return op.Values(shape, std::move(values), ".places");
}

// [A,B,L] -> [A,B,1,L]
Emitted LineOperand(OpEmitter& op, const Emitted& operand, absl::string_view suffix) {
  ASSIGN_OR_RETURN(Tensor * line, operand);
  const Shape s = line->type.shape;
  return op.Reshape(line, {s[0], s[1], 1, s[2]}, suffix);
}

// A convolution over lines as one over images of height 1.
Convolution LineAsImage(OpEmitter& op, Convolution convolution) {
  convolution.x = LineOperand(op, convolution.x, ".line");
  convolution.weights = LineOperand(op, convolution.weights, ".oihw");
  return OverImages(std::move(convolution));
}

// The transposed convolution of [N,C,H,W] and weights [C, O/groups, KH, KW].
Emitted ComputedTransposedImage(OpEmitter& op, const Convolution& convolution) {
  ASSIGN_OR_RETURN(const Tensor* x, convolution.x);
  ASSIGN_OR_RETURN(const Tensor* w, convolution.weights);
  const Shape s = x->type.shape, filters = w->type.shape;
  const Window& window = convolution.window;
  const int64_t groups = convolution.groups, taps = VolumeOf(window.kernel);
  const int64_t places = s[2] * s[3], out = filters[1] * groups;
  RETURN_IF_ERROR(CheckPatches(Shape({s[0], out}), taps, places));
  Dims image;
  for (size_t i = 0; i < 2; ++i) {
    const int64_t extra = convolution.output_padding.empty() ? 0 : convolution.output_padding[i];
    image.push_back((s[i + 2] - 1) * window.strides[i] + window.Reach(i) + extra -
                    window.PadsOf(i));
  }
  Emitted weights =
      op.Reshape(convolution.weights, {groups, s[1] / groups, filters[1] * taps}, ".filters");
  weights = op.Transpose(weights, {0, 2, 1}, ".turned");
  const Emitted grouped =
      op.Reshape(convolution.x, {s[0], groups, s[1] / groups, places}, ".grouped");
  Emitted columns = op.Emit("matmul", {weights, grouped}, {}, ".product");
  columns = op.Reshape(columns, {s[0], out * taps, places}, ".products");
  const bool biased = IsGiven(convolution.bias);
  OpEmitter sum(op.builder(), op.origin(), op.Name(biased ? ".sum" : ""));
  return PlusChannelBias(op, EmitColumnsToImage(sum, columns, image, window), convolution.bias,
                         s.rank());
}

}  // namespace

Emitted EmitAxisWindows(OpEmitter& op, const Emitted& given, size_t axis,
                        const AxisWindows& windows, absl::string_view suffix) {
  ASSIGN_OR_RETURN(Tensor * x, given);
  const int64_t extent = x->type.shape[axis], taps = windows.taps, stride = windows.stride;
  const int64_t reach = (taps - 1) * windows.dilation + 1;
  if (reach > extent) {
    return absl::InvalidArgumentError(absl::StrCat("its window reaches over ", reach,
                                                   " elements, expected at most the ", extent,
                                                   " of the dimension that it moves over"));
  }
  const int64_t places = (extent - reach) / stride + 1;
  if (stride == taps && windows.dilation == 1) {
    Dims dims = x->type.shape.dims();
    dims[axis] = taps;
    dims.insert(dims.begin() + static_cast<ptrdiff_t>(axis), places);
    const bool whole = places * taps == extent;
    const Emitted kept =
        whole ? x : EmitAxisSlice(op, x, axis, 0, places * taps, absl::StrCat(suffix, ".kept"));
    return op.Reshape(kept, std::move(dims), suffix);
  }
  const Shape shape({places, taps});
  RETURN_IF_ERROR(op.ChargeValues<int64_t>(shape));
  Dims indices;
  for (int64_t i = 0; i < places; ++i) {
    for (int64_t t = 0; t < taps; ++t) indices.push_back(i * stride + t * windows.dilation);
  }
  Tensor* picked = op.Values(shape, std::move(indices), absl::StrCat(suffix, ".indices"));
  return EmitGather(op, x, picked, static_cast<int64_t>(axis), suffix);
}

Emitted EmitPatches(OpEmitter& op, const Emitted& given, const Window& window,
                    absl::string_view suffix) {
  ASSIGN_OR_RETURN(Tensor * x, given);
  ASSIGN_OR_RETURN(x, PaddedForPatches(op, x, window));
  const Shape s = x->type.shape;
  const size_t dims = window.kernel.size();
  Dims flat = {s[0] * s[1]};
  flat.insert(flat.end(), s.dims().begin() + 2, s.dims().end());
  Emitted y = op.Reshape(x, std::move(flat), ".channels");
  Dims taps_first = {0};
  for (size_t i = 0; i < dims; ++i) {
    const AxisWindows along = {window.kernel[i], window.strides[i], window.dilations[i]};
    y = EmitAxisWindows(op, y, 1 + 2 * i, along, absl::StrCat(".windows", i));
    taps_first.push_back(static_cast<int64_t>(2 + 2 * i));
  }
  for (size_t i = 0; i < dims; ++i) taps_first.push_back(static_cast<int64_t>(1 + 2 * i));
  ASSIGN_OR_RETURN(Tensor * windows, op.Transpose(y, std::move(taps_first), ".taps"));
  const int64_t taps = windows->type.shape.Product(1, 1 + dims);
  const int64_t places = windows->type.shape.Product(1 + dims, 1 + 2 * dims);
  return op.Reshape(windows, {s[0], s[1], taps, places}, suffix);
}

Emitted EmitColumnsToImage(OpEmitter& op, const Emitted& given, const Dims& image,
                           const Window& window) {
  ASSIGN_OR_RETURN(Tensor * x, given);
  RETURN_IF_ERROR(Shape(image).Validate());
  const Shape s = x->type.shape;
  const int64_t taps = VolumeOf(window.kernel);
  Dims places, rest;  // of windows, and what they leave of the image at its end
  bool tiles = true;
  for (size_t i = 0; i < 2; ++i) {
    places.push_back(window.Places(i, image[i]));
    rest.push_back((image[i] + window.PadsOf(i) - window.Reach(i)) % window.strides[i]);
    tiles &= window.strides[i] == window.kernel[i] && window.dilations[i] == 1 &&
             window.PadsOf(i) == 0 && rest[i] == 0;
  }
  if (s.rank() != 3 || s[1] % taps != 0 || places[0] < 1 || places[1] < 1 ||
      s[2] != places[0] * places[1]) {
    return absl::InvalidArgumentError(absl::StrCat(
        "its input ", s.ToString(), " has not ", places[0], "x", places[1], " blocks of ", taps,
        " elements for each channel, as its image [", absl::StrJoin(image, ", "), "] has"));
  }
  const int64_t channels = s[1] / taps;
  if (tiles) return TiledImage(op, x, image, window, s, channels);
  const Emitted weights =
      TransposedConvolutionWeights(op, PlacingWeights(op, s[1], window.kernel), channels);
  const Emitted columns = op.Reshape(x, {s[0], s[1], places[0], places[1]}, ".columns");
  return EmitTransposedConvolution(op,
                                   {columns, weights, nullptr, window, channels, std::move(rest)});
}

Emitted EmitComputedConvolution(OpEmitter& op, const Convolution& convolution) {
  ASSIGN_OR_RETURN(const Tensor* x, convolution.x);
  ASSIGN_OR_RETURN(const Tensor* w, convolution.weights);
  const Shape s = x->type.shape, filters = w->type.shape;
  const int64_t groups = convolution.groups, taps = VolumeOf(convolution.window.kernel);
  Dims out = SpatialPlaces(convolution.window, s);
  RETURN_IF_ERROR(Shape(out).Validate());
  const int64_t places = VolumeOf(out);
  RETURN_IF_ERROR(CheckPatches(s, taps, places));
  Emitted patches = EmitPatches(op, convolution.x, convolution.window, ".patches");
  patches = op.Reshape(patches, {s[0], groups, s[1] / groups * taps, places}, ".grouped");
  const Emitted weights =
      op.Reshape(convolution.weights, {groups, filters[0] / groups, filters[1] * taps}, ".filters");
  const Emitted y = op.Emit("matmul", {weights, patches}, {}, ".product");
  out.insert(out.begin(), {s[0], filters[0]});
  const bool biased = IsGiven(convolution.bias);
  return PlusChannelBias(op, op.Reshape(y, std::move(out), biased ? ".sum" : ""), convolution.bias,
                         s.rank());
}

Emitted EmitComputedTransposedConvolution(OpEmitter& op, const Convolution& convolution) {
  ASSIGN_OR_RETURN(const Tensor* given, convolution.x);
  const Shape& shape = given->type.shape;
  if (shape.rank() == 5) {
    return absl::UnimplementedError(
        "it is a transposed convolution over volumes whose weights the network computes");
  }
  if (shape.rank() == 4) return ComputedTransposedImage(op, convolution);
  OpEmitter image(op.builder(), op.origin(), op.Name(".image"));
  ASSIGN_OR_RETURN(Tensor * y, ComputedTransposedImage(image, LineAsImage(op, convolution)));
  const Shape s = y->type.shape;
  return op.Reshape(y, {s[0], s[1], s[3]});
}

Emitted EmitAnyConvolution(OpEmitter& op, Convolution convolution, bool transposed) {
  ASSIGN_OR_RETURN(const Tensor* w, convolution.weights);
  if (op.builder().DependsOnInputs(*w)) {
    return transposed ? EmitComputedTransposedConvolution(op, convolution)
                      : EmitComputedConvolution(op, convolution);
  }
  if (w->type.shape.rank() == 5) {
    return transposed ? EmitVolumeTransposedConvolution(op, convolution)
                      : EmitVolumeConvolution(op, convolution);
  }
  convolution = OverImages(std::move(convolution));
  const Emitted weights = convolution.weights;
  if (!transposed) {
    convolution.weights = ConvolutionWeights(op, weights, convolution.groups);
    return EmitConvolution(op, convolution);
  }
  convolution.weights = TransposedConvolutionWeights(op, weights, convolution.groups);
  return EmitTransposedConvolution(op, convolution);
}

}  // namespace synap_internal
