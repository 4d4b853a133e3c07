#include "compiler/import/emit/sampling.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "compiler/import/emit/convolution.h"
#include "compiler/import/emit/elementwise.h"
#include "compiler/import/emit/indexing.h"
#include "compiler/import/emit/slice.h"

namespace synap_internal {
namespace {

using Dims = std::vector<int64_t>;

// --- Deformable convolution

struct Deformable {
  Shape x;  // [N,C,H,W]
  Window window;
  int64_t taps = 0;  // of the window
  int64_t groups = 1;
  int64_t height = 0, width = 0;  // of the output
};

// Positions without offsets, [taps * height, width, 2]: columns and rows from -1 to 1 over the
// edges of the image.
Emitted RegularGrid(OpEmitter& op, const Deformable& in) {
  const Shape shape({in.taps * in.height, in.width, 2});
  RETURN_IF_ERROR(op.ChargeValues<float>(shape));
  const Window& w = in.window;
  const auto normalized = [&](size_t i, int64_t place, int64_t tap) {
    const int64_t pixel = place * w.strides[i] - w.pads[i] + tap * w.dilations[i];
    return static_cast<float>(
        static_cast<double>(2 * pixel + 1) / static_cast<double>(in.x[i + 2]) - 1);
  };
  std::vector<float> values;
  for (int64_t tap = 0; tap < in.taps; ++tap) {
    for (int64_t y = 0; y < in.height; ++y) {
      for (int64_t x = 0; x < in.width; ++x) {
        values.push_back(normalized(1, x, tap % w.kernel[1]));
        values.push_back(normalized(0, y, tap / w.kernel[1]));
      }
    }
  }
  return op.Values(shape, std::move(values), ".regular");
}

// What the taps of one group of channels read: [N,C/groups,taps * height,width].
Emitted EmitDeformedTaps(OpEmitter& op, const DeformableConvolution& convolution,
                         const Deformable& in, const Emitted& regular, int64_t group) {
  const std::string suffix = absl::StrCat(".group", group);
  const int64_t batch = in.x[0], channels = in.x[1] / in.groups;
  // Offsets of a tap are a row and a column.
  Dims order;
  for (int64_t tap = group * in.taps; tap < (group + 1) * in.taps; ++tap) {
    order.insert(order.end(), {2 * tap + 1, 2 * tap});
  }
  Emitted grid =
      EmitGather(op, convolution.offsets, op.builder().AddInts(op.Name(suffix + ".order"), order),
                 1, suffix + ".offsets");
  grid = op.Reshape(grid, {batch, in.taps, 2, in.height, in.width}, suffix + ".by_tap");
  grid = op.Transpose(grid, {0, 1, 3, 4, 2}, suffix + ".pairs");
  grid = op.Reshape(grid, {batch, in.taps * in.height, in.width, 2}, suffix + ".moved");
  Tensor* steps = op.Values(
      Shape({2}),
      std::vector<float>{2 / static_cast<float>(in.x[3]), 2 / static_cast<float>(in.x[2])},
      suffix + ".steps");
  grid = op.Emit("mul", {grid, steps}, {}, suffix + ".scaled");
  grid = op.Emit("add", {grid, regular}, {}, suffix + ".grid");
  const auto x =
      EmitAxisSlice(op, convolution.x, 1, group * channels, channels, suffix + ".channels");
  OpEmitter sampled(op.builder(), op.origin(), op.Name(suffix + ".sampled"));
  Emitted y = EmitGridSample(sampled, x, grid, {"bilinear", "zeros", false});
  if (!IsGiven(convolution.mask)) return y;
  Emitted mask =
      EmitAxisSlice(op, convolution.mask, 1, group * in.taps, in.taps, suffix + ".weights");
  mask = op.Reshape(mask, {batch, 1, in.taps * in.height, in.width}, suffix + ".mask");
  return op.Emit("mul", {y, mask}, {}, suffix + ".masked");
}

absl::StatusOr<Deformable> CheckDeformable(const DeformableConvolution& convolution) {
  ASSIGN_OR_RETURN(const Tensor* image, convolution.x);
  ASSIGN_OR_RETURN(const Tensor* weights, convolution.weights);
  ASSIGN_OR_RETURN(const Tensor* moved, convolution.offsets);
  ASSIGN_OR_RETURN(const Tensor* mask, convolution.mask);
  const Shape &x = image->type.shape, &offsets = moved->type.shape;
  if (x.rank() != 4) {
    return absl::UnimplementedError(
        absl::StrCat("its input is ", x.ToString(), ", expected [N,C,H,W]"));
  }
  RETURN_IF_ERROR(CheckConvolution(x, weights->type.shape, convolution.groups, false));
  const Window& window = convolution.window;
  Deformable in{x, window, window.kernel[0] * window.kernel[1], convolution.offset_groups};
  in.height = window.Places(0, x[2]);
  in.width = window.Places(1, x[3]);
  const bool fits = in.groups > 0 && x[1] % in.groups == 0 && in.height > 0 && in.width > 0;
  const int64_t maps = fits ? in.groups * in.taps : 0;
  if (!fits || offsets != Shape({x[0], 2 * maps, in.height, in.width})) {
    return absl::InvalidArgumentError(absl::StrCat(
        "its offsets are ", offsets.ToString(), " in ", in.groups, " groups, expected [N,2*groups*",
        in.taps, ",", in.height, ",", in.width, "] for its input ", x.ToString()));
  }
  if (mask != nullptr && mask->type.shape != Shape({x[0], maps, in.height, in.width})) {
    return absl::InvalidArgumentError(absl::StrCat("its mask is ", mask->type.shape.ToString(),
                                                   " and its offsets are ", offsets.ToString(),
                                                   ", expected half as many channels"));
  }
  return in;
}

// --- Grids and volumes

// Coordinates of a dimension's elements from -1 to 1.
std::vector<float> GridCoordinates(int64_t size, bool align_corners) {
  std::vector<float> values;
  for (int64_t i = 0; i < size; ++i) {
    const double at = static_cast<double>(i), n = static_cast<double>(size);
    const double corner = size == 1 ? 0 : 2 * at / (n - 1) - 1;
    values.push_back(static_cast<float>(align_corners ? corner : (2 * at + 1) / n - 1));
  }
  return values;
}

// Positions from -1 to 1 as elements of a dimension of `in`, moved inside as the padding says.
Emitted DepthPositions(OpEmitter& op, const Emitted& z, int64_t in, const GridSample& sample) {
  const auto n = static_cast<float>(in), last = static_cast<float>(in - 1);
  const bool align = sample.align_corners;
  Emitted at = op.Scale(z, (align ? last : n) / 2, ".scaled");
  at = op.Emit("add", {at, op.Scalar(last / 2, ".center")}, {}, ".elements");
  if (sample.padding == "zeros") return at;
  if (sample.padding == "reflection") {
    // Back and forth between the first and the last element, or their edges.
    const float first = align ? 0 : -0.5f, span = align ? last : n;
    if (span == 0) return op.Scale(at, 0, ".first");
    at = op.Emit("add", {at, op.Scalar(-first, ".begin")}, {}, ".from_begin");
    OpEmitter folded(op.builder(), op.origin(), op.Name(".folded"));
    at = EmitFloorMod(folded, at, op.Scalar(2 * span, ".period"));
    at = op.Emit("add", {at, op.Scalar(-span, ".turn")}, {}, ".from_turn");
    at = op.Emit("abs", {at}, {}, ".distance");
    at = op.Emit("sub", {op.Scalar(span + first, ".end"), at}, {}, ".reflected");
  }
  return op.Emit("clip", {at}, {{"min", 0.0f}, {"max", last}}, ".inside");
}

// How much image `depth` counts at the positions `at`: 1 at its own depth, 0 from one image on.
Emitted DepthWeights(OpEmitter& op, const Emitted& at, int64_t depth, bool nearest) {
  Tensor* own = op.Scalar(static_cast<float>(depth), ".depth");
  if (nearest) {
    const Emitted equal = op.Emit("equal", {at, own}, {}, ".equal");
    return op.Cast(equal, DataType::kFloat32, ".weights");
  }
  Emitted distance = op.Emit("sub", {at, own}, {}, ".offset");
  distance = op.Emit("abs", {distance}, {}, ".distance");
  const Emitted left = op.Emit("sub", {op.Scalar(1, ".one"), distance}, {}, ".left");
  return op.Emit("relu", {left}, {}, ".weights");
}

absl::Status CheckVolumeGrid(const Shape& x, const Shape& grid) {
  if (x.rank() == 5 && grid.rank() == 5 && grid[0] == x[0] && grid[4] == 3 && x[2] > 0) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat("its operands are ", x.ToString(), " and ",
                                                 grid.ToString(),
                                                 ", expected [N,C,D,H,W] and [N,D',H',W',3]"));
}

}  // namespace

// What the taps read becomes an image of the taps, over which the weights are an ordinary
// convolution.
Emitted EmitDeformableConvolution(OpEmitter& op, const DeformableConvolution& convolution) {
  ASSIGN_OR_RETURN(const Deformable in, CheckDeformable(convolution));
  const Shape w = (*convolution.weights)->type.shape;
  const Emitted regular = RegularGrid(op, in);
  RETURN_IF_ERROR(op.builder().ChargeOps(in.groups));
  std::vector<Tensor*> read;
  for (int64_t group = 0; group < in.groups; ++group) {
    ASSIGN_OR_RETURN(read.emplace_back(), EmitDeformedTaps(op, convolution, in, regular, group));
  }
  const auto y = op.Reshape(EmitConcat(op, std::move(read), 1, ".read"),
                            {in.x[0], in.x[1], in.taps, in.height * in.width}, ".taps");
  const auto weights = ConvolutionWeights(
      op, op.Reshape(convolution.weights, {w[0], w[1], in.taps, 1}, ".w"), convolution.groups);
  OpEmitter convolved(op.builder(), op.origin(), op.Name(".convolved"));
  const Window window{{in.taps, 1}, {1, 1}};
  return op.Reshape(
      EmitConvolution(convolved, {y, weights, convolution.bias, window, convolution.groups}),
      {in.x[0], w[0], in.height, in.width});
}

Emitted EmitAffineGrid(OpEmitter& op, const Emitted& given, const Dims& size, bool align_corners) {
  ASSIGN_OR_RETURN(const Tensor* tensor, given);
  const Shape theta = tensor->type.shape;
  const auto dims = static_cast<int64_t>(size.size()) - 2;
  const bool fits = (dims == 2 || dims == 3) && theta == Shape({size[0], dims, dims + 1});
  if (!fits || !Shape(size).Validate().ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("its theta ", theta.ToString(), " doesn't fit 'size' [",
                     absl::StrJoin(size, ", "), "], expected [N,2,3] for [N,C,H,W] or [N,3,4]"));
  }
  const Dims spatial(size.begin() + 2, size.end());
  const Shape positions(spatial);
  RETURN_IF_ERROR(positions.Validate());
  RETURN_IF_ERROR(op.builder().Charge(positions.elements() * (dims + 1) * int64_t{sizeof(float)}));
  std::vector<std::vector<float>> along;
  for (const int64_t dim : spatial) along.push_back(GridCoordinates(dim, align_corners));
  std::vector<float> values;
  for (int64_t at = 0; at < positions.elements(); ++at) {
    // The last dimension, x, comes first.
    int64_t left = at;
    for (size_t i = along.size(); i-- > 0;) {
      values.push_back(along[i][static_cast<size_t>(left % spatial[i])]);
      left /= spatial[i];
    }
    values.push_back(1);
  }
  Tensor* base = op.Values(Shape({positions.elements(), dims + 1}), std::move(values), ".base");
  const auto turned = op.Transpose(given, {0, 2, 1}, ".theta");
  const auto grid = op.Emit("matmul", {base, turned}, {}, ".positions");
  Dims shape = {size[0]};
  shape.insert(shape.end(), spatial.begin(), spatial.end());
  shape.push_back(dims);
  return op.Reshape(grid, std::move(shape));
}

Emitted EmitVolumeSample(OpEmitter& op, const Emitted& x, const Emitted& grid,
                         const GridSample& sample) {
  ASSIGN_OR_RETURN(const Tensor* volume, x);
  ASSIGN_OR_RETURN(const Tensor* positions, grid);
  const Shape s = volume->type.shape, g = positions->type.shape;
  RETURN_IF_ERROR(CheckVolumeGrid(s, g));
  constexpr int64_t kOpsPerImage = 8;
  RETURN_IF_ERROR(op.builder().ChargeOps(kOpsPerImage * s[2]));
  const int64_t rows = g[1] * g[2];
  const Emitted flat =
      op.Reshape(EmitAxisSlice(op, grid, 4, 0, 2, ".pixels"), {s[0], rows, g[3], 2}, ".pixels");
  const Emitted z = op.Reshape(EmitAxisSlice(op, grid, 4, 2, 1, ".z"), {s[0], 1, rows, g[3]}, ".z");
  const bool nearest = sample.mode == "nearest";
  Emitted at = DepthPositions(op, z, s[2], sample);
  if (nearest) at = op.Emit("round", {at}, {}, ".nearest");
  Emitted sum = nullptr;
  for (int64_t depth = 0; sum.ok() && depth < s[2]; ++depth) {
    OpEmitter step = op.Step(depth);
    OpEmitter sampled = op.Step(depth).Step(0);
    const Emitted image = EmitElement(step, x, 2, depth, ".image");
    const Emitted values = EmitGridSample(sampled, image, flat, sample);
    const Emitted weights = DepthWeights(step, at, depth, nearest);
    const Emitted part = step.Emit("mul", {values, weights}, {}, ".part");
    sum = depth == 0 ? part : step.Emit("add", {sum, part}, {}, ".sum");
  }
  return op.Reshape(sum, {s[0], s[1], g[1], g[2], g[3]});
}

}  // namespace synap_internal
