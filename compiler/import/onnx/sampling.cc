// Operators that read images between their pixels, at positions that the network computes.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/convolution.h"
#include "compiler/import/emit/indexing.h"
#include "compiler/import/emit/nhwc.h"
#include "compiler/import/emit/resize.h"
#include "compiler/import/emit/slice.h"
#include "compiler/import/onnx/op_table.h"
#include "compiler/import/onnx/window.h"

namespace synap_internal::onnx_import {
namespace {

// --- DeformConv

// Each tap of the window reads its own position in each place of the output.
struct Deformable {
  Shape x;  // [N,C,H,W]
  Window window;
  int64_t taps = 0;               // of the window
  int64_t groups = 1;             // of channels, which share their positions
  int64_t height = 0, width = 0;  // of the output
};

// Elements of the output along a dimension.
int64_t Places(int64_t in, const Window& window, size_t i) {
  const int64_t reach = (window.kernel[i] - 1) * window.dilations[i] + 1;
  const int64_t room = in + window.pads[i] + window.pads[i + 2] - reach;
  return room < 0 ? 0 : room / window.strides[i] + 1;
}

// Positions without offsets, [taps * height, width, 2]: columns and rows from -1 to 1 over the
// edges of the image.
Emitted RegularGrid(NodeContext& node, const Deformable& in) {
  const Shape shape({in.taps * in.height, in.width, 2});
  RETURN_IF_ERROR(node.ChargeFloats(shape));
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
  return node.Values(shape, std::move(values), ".regular");
}

// What the taps of one group of channels read: [N,C/groups,taps * height,width].
Emitted EmitDeformedTaps(NodeContext& node, const Deformable& in, const Emitted& regular,
                         int64_t group) {
  const std::string suffix = absl::StrCat(".group", group);
  const int64_t batch = in.x[0], channels = in.x[1] / in.groups;
  // Offsets of a tap are a row and a column.
  std::vector<int64_t> order;
  for (int64_t tap = group * in.taps; tap < (group + 1) * in.taps; ++tap) {
    order.insert(order.end(), {2 * tap + 1, 2 * tap});
  }
  Emitted grid =
      EmitGather(node, node.input(2), node.builder().AddInts(node.Name(suffix + ".order"), order),
                 1, suffix + ".offsets");
  grid = node.Reshape(grid, {batch, in.taps, 2, in.height, in.width}, suffix + ".by_tap");
  grid = node.Transpose(grid, {0, 1, 3, 4, 2}, suffix + ".pairs");
  grid = node.Reshape(grid, {batch, in.taps * in.height, in.width, 2}, suffix + ".moved");
  Tensor* steps = node.Values(
      Shape({2}),
      std::vector<float>{2 / static_cast<float>(in.x[3]), 2 / static_cast<float>(in.x[2])},
      suffix + ".steps");
  grid = node.Emit("mul", {grid, steps}, {}, suffix + ".scaled");
  grid = node.Emit("add", {grid, regular}, {}, suffix + ".grid");
  const auto x =
      EmitAxisSlice(node, node.input(0), 1, group * channels, channels, suffix + ".channels");
  OpEmitter sampled(node.builder(), node.origin(), node.Name(suffix + ".sampled"));
  Emitted y = EmitGridSample(sampled, x, grid, {"bilinear", "zeros", false});
  if (!node.HasInput(4)) return y;
  Emitted mask =
      EmitAxisSlice(node, node.input(4), 1, group * in.taps, in.taps, suffix + ".weights");
  mask = node.Reshape(mask, {batch, 1, in.taps * in.height, in.width}, suffix + ".mask");
  return node.Emit("mul", {y, mask}, {}, suffix + ".masked");
}

absl::StatusOr<Deformable> ReadDeformable(NodeContext& node, const Shape& w, int64_t groups) {
  const Shape x = node.shape(0), offsets = node.shape(2);
  if (x.rank() != 4) {
    return absl::UnimplementedError(
        absl::StrCat("its input is ", x.ToString(), ", expected [N,C,H,W]"));
  }
  RETURN_IF_ERROR(CheckConvolution(x, w, groups, false));
  ASSIGN_OR_RETURN(Window window, ReadWindow(node, x, {w[2], w[3]}));
  Deformable in{x, std::move(window), w[2] * w[3], node.Int("offset_group", 1)};
  in.height = Places(x[2], in.window, 0);
  in.width = Places(x[3], in.window, 1);
  const bool fits = in.groups > 0 && x[1] % in.groups == 0 && in.height > 0 && in.width > 0;
  const int64_t maps = fits ? in.groups * in.taps : 0;
  if (!fits || offsets != Shape({x[0], 2 * maps, in.height, in.width})) {
    return absl::InvalidArgumentError(absl::StrCat(
        "its offsets are ", offsets.ToString(), " in ", in.groups, " groups, expected [N,2*groups*",
        in.taps, ",", in.height, ",", in.width, "] for its input ", x.ToString()));
  }
  if (node.HasInput(4) && node.shape(4) != Shape({x[0], maps, in.height, in.width})) {
    return absl::InvalidArgumentError(absl::StrCat("its mask is ", node.shape(4).ToString(),
                                                   " and its offsets are ", offsets.ToString(),
                                                   ", expected half as many channels"));
  }
  return in;
}

// Operands: X, W, offset, B, mask. What the taps read becomes an image of the taps, over which the
// weights are an ordinary convolution.
absl::Status MapDeformConv(NodeContext& node) {
  const Shape w = node.shape(1);
  const int64_t groups = node.Int("group", 1);
  ASSIGN_OR_RETURN(const Deformable in, ReadDeformable(node, w, groups));
  Emitted regular = RegularGrid(node, in);
  RETURN_IF_ERROR(node.builder().ChargeOps(in.groups));
  std::vector<Tensor*> read;
  for (int64_t group = 0; group < in.groups; ++group) {
    ASSIGN_OR_RETURN(read.emplace_back(), EmitDeformedTaps(node, in, regular, group));
  }
  const auto y = node.Reshape(EmitConcat(node, std::move(read), 1, ".read"),
                              {in.x[0], in.x[1], in.taps, in.height * in.width}, ".taps");
  const auto weights =
      ConvolutionWeights(node, node.Reshape(node.input(1), {w[0], w[1], in.taps, 1}, ".w"), groups);
  OpEmitter convolved(node.builder(), node.origin(), node.Name(".convolved"));
  const Window window{{in.taps, 1}, {1, 1}};
  return node.SetOutput(
      node.Reshape(EmitConvolution(convolved, {y, weights, node.input(3), window, groups}),
                   {in.x[0], w[0], in.height, in.width}));
}

// --- RoiAlign

// Positions along one dimension of `in` pixels, [R,count], for regions that begin at `start` and
// are `size` pixels long, both [R,1].
struct RegionAxis {
  Emitted normalized;  // from -1 to 1 over the edges of the image
  Emitted inside;      // 1 within a pixel around the image, else 0
};

absl::StatusOr<RegionAxis> EmitRegionAxis(OpEmitter& op, const Emitted& start, const Emitted& size,
                                          int64_t in, int64_t count) {
  RETURN_IF_ERROR(op.builder().Charge(count * int64_t{sizeof(float)}));
  std::vector<float> parts;
  for (int64_t i = 0; i < count; ++i) {
    parts.push_back((static_cast<float>(i) + 0.5f) / static_cast<float>(count));
  }
  Tensor* part = op.Values(Shape({1, count}), std::move(parts), ".parts");
  Emitted at = op.Emit("mul", {size, part}, {}, ".offsets");
  at = op.Emit("add", {start, at}, {}, ".positions");
  const auto length = static_cast<float>(in);
  RegionAxis axis;
  const auto scaled = op.Scale(at, 2 / length, ".scaled");
  axis.normalized = op.Emit("add", {scaled, op.Scalar(1 / length - 1, ".shift")}, {}, ".grid");
  const auto before = op.Emit("less", {at, op.Scalar(-1, ".begin")}, {}, ".before");
  const auto after = op.Emit("greater", {at, op.Scalar(length, ".end")}, {}, ".after");
  Tensor *zero = op.Scalar(0, ".zero"), *one = op.Scalar(1, ".one");
  const auto from_begin = op.Emit("where", {before, zero, one}, {}, ".from_begin");
  axis.inside = op.Emit("where", {after, zero, from_begin}, {}, ".inside");
  return axis;
}

// Operands: X, rois [R,4] (left, top, right, bottom), batch_indices [R]. Each element is the mean
// of `sampling_ratio` positions along each dimension of its part of the region.
absl::Status MapRoiAlign(NodeContext& node) {
  const Shape x = node.shape(0), rois = node.shape(1);
  if (x.rank() != 4 || rois.rank() != 2 || rois[1] != 4 || node.shape(2) != Shape({rois[0]})) {
    return absl::InvalidArgumentError(
        absl::StrCat("its operands are ", x.ToString(), ", ", rois.ToString(), " and ",
                     node.shape(2).ToString(), ", expected [N,C,H,W], [R,4] and [R]"));
  }
  const std::string mode = node.String("mode", "avg");
  const int64_t samples = node.Int("sampling_ratio", 0);
  if (mode != "avg" || samples == 0) {
    return absl::UnimplementedError(
        absl::StrCat("attribute 'mode' is '", mode, "' and 'sampling_ratio' ", samples));
  }
  const std::vector<int64_t> output = {node.Int("output_height", 1), node.Int("output_width", 1)};
  RETURN_IF_ERROR(CheckWindowValues("attribute 'output_height' or 'output_width'", output, 2, 1));
  RETURN_IF_ERROR(CheckWindowValues("attribute 'sampling_ratio'", {samples}, 1, 1, 1 << 10));
  ASSIGN_OR_RETURN(const std::string coordinates,
                   node.Choice("coordinate_transformation_mode",
                               node.opset() < 16 ? "output_half_pixel" : "half_pixel",
                               {"half_pixel", "output_half_pixel"}));
  const bool half_pixel = coordinates == "half_pixel";
  Emitted edges = node.Scale(node.input(1), node.Float("spatial_scale", 1), ".edges");
  if (half_pixel) edges = node.Emit("sub", {edges, node.Scalar(0.5f, ".half")}, {}, ".centers");
  const auto begin = EmitAxisSlice(node, edges, 1, 0, 2, ".begin");
  const auto end = EmitAxisSlice(node, edges, 1, 2, 2, ".end");
  Emitted size = node.Emit("sub", {end, begin}, {}, ".size");
  if (!half_pixel) size = node.Emit("maximum", {size, node.Scalar(1, ".one")}, {}, ".at_least");
  const int64_t height = output[0] * samples, width = output[1] * samples;
  const auto axis = [&](int64_t column, int64_t in, int64_t count, absl::string_view suffix) {
    OpEmitter op(node.builder(), node.origin(), node.Name(suffix));
    const auto own = EmitAxisSlice(op, begin, 1, column, 1, ".begin");
    const auto length = EmitAxisSlice(op, size, 1, column, 1, ".size");
    return EmitRegionAxis(op, own, length, in, count);
  };
  ASSIGN_OR_RETURN(const RegionAxis columns, axis(0, x[3], width, ".x"));
  ASSIGN_OR_RETURN(const RegionAxis rows, axis(1, x[2], height, ".y"));
  const int64_t regions = rois[0];
  const std::vector<int64_t> of_columns = {regions, 1, width, 1}, of_rows = {regions, height, 1, 1};
  const Attributes whole = {{"shape", std::vector<int64_t>{regions, height, width, 1}}};
  const auto grid_x =
      node.Emit("expand", {node.Reshape(columns.normalized, of_columns, ".row")}, whole, ".grid_x");
  const auto grid_y =
      node.Emit("expand", {node.Reshape(rows.normalized, of_rows, ".column")}, whole, ".grid_y");
  const auto grid = EmitConcat(node, {grid_x, grid_y}, 3, ".grid");
  const auto images = EmitGather(node, node.input(0), node.input(2), 0, ".images");
  OpEmitter sampled(node.builder(), node.origin(), node.Name(".sampled"));
  Emitted y = EmitGridSample(sampled, images, grid, {"bilinear", "border", false});
  const auto inside_x = node.Reshape(columns.inside, {regions, 1, 1, width}, ".inside_x");
  const auto inside_y = node.Reshape(rows.inside, {regions, 1, height, 1}, ".inside_y");
  y = node.Emit("mul", {y, inside_x}, {}, ".within_columns");
  y = node.Emit("mul", {y, inside_y}, {}, ".within");
  const Window window{{samples, samples}, {samples, samples}};
  return node.SetOutput(EmitImage(node, "avg_pool2d", {y}, window.ToPoolAttributes()));
}

constexpr OpMapping kSamplingMappings[] = {
    {"RoiAlign", 3, 3, MapRoiAlign, "'mode' of avg; 'sampling_ratio' of 1 or more"},
    {"DeformConv", 3, 5, MapDeformConv, "[N,C,H,W]"},
};

}  // namespace

absl::Span<const OpMapping> SamplingMappings() { return kSamplingMappings; }

}  // namespace synap_internal::onnx_import
