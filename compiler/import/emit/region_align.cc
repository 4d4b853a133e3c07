#include "compiler/import/emit/region_align.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/indexing.h"
#include "compiler/import/emit/nhwc.h"
#include "compiler/import/emit/resize.h"
#include "compiler/import/emit/slice.h"
#include "compiler/import/emit/window.h"

namespace synap_internal {
namespace {

using Dims = std::vector<int64_t>;

// Positions along one dimension of `in` pixels, [R,count], for regions that begin at `start` and
// are `size` pixels long, both [R,1].
struct RegionAxis {
  Emitted normalized;  // from -1 to 1 over the edges of the image
  Emitted inside;      // 1 within a pixel around the image, else 0
};

// 1 at positions within a pixel around the image, which is `length` long, else 0.
Emitted EmitWithinImage(OpEmitter& op, const Emitted& at, float length, absl::string_view suffix) {
  const auto before = op.Emit("less", {at, op.Scalar(-1, ".begin")}, {}, ".before");
  const auto after = op.Emit("greater", {at, op.Scalar(length, ".end")}, {}, ".after");
  Tensor *zero = op.Scalar(0, ".zero"), *one = op.Scalar(1, ".one");
  const auto from_begin = op.Emit("where", {before, zero, one}, {}, ".from_begin");
  return op.Emit("where", {after, zero, from_begin}, {}, suffix);
}

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
  axis.inside = EmitWithinImage(op, at, length, ".inside");
  return axis;
}

// The numbers 0, 1, ... as float32 of this shape.
Emitted FloatRange(OpEmitter& op, const Shape& shape, absl::string_view suffix) {
  RETURN_IF_ERROR(op.ChargeValues<float>(shape));
  std::vector<float> values;
  for (int64_t i = 0; i < shape.elements(); ++i) values.push_back(static_cast<float>(i));
  return op.Values(shape, std::move(values), suffix);
}

// Positions of samples along one dimension of `in` pixels, for regions [R,1] in `out` parts of a
// size of their own. They are numbered across the parts of a region, and only those from the first
// within the image on are listed: with two or more of a part they are at least half a pixel apart,
// so that no more than `count` can be within.
struct AdaptiveSamples {
  Emitted numbers;    // [R,count], of whole numbers
  Emitted of_part;    // [R,1], samples of each part, 1 or more
  Emitted positions;  // [R,count], in pixels
  Emitted weights;    // [R,count]: 1 / of_part within a pixel around the image, else 0
};

AdaptiveSamples EmitAdaptiveSamples(OpEmitter& op, const Emitted& start, const Emitted& size,
                                    int64_t in, int64_t out) {
  const int64_t count = std::max(out, 2 * in + 5);
  const Emitted part =
      op.Emit("div", {size, op.Scalar(static_cast<float>(out), ".parts")}, {}, ".part");
  const Emitted rounded = op.Emit("ceil", {part}, {}, ".rounded");
  AdaptiveSamples samples;
  samples.of_part = op.Emit("maximum", {rounded, op.Scalar(1, ".one")}, {}, ".samples");
  const Emitted spacing = op.Emit("div", {part, samples.of_part}, {}, ".spacing");
  // Below a millionth of a pixel all samples are at the same place.
  const Emitted divisor = op.Emit("maximum", {spacing, op.Scalar(1e-6f, ".least")}, {}, ".step");
  Emitted first = op.Emit("sub", {op.Scalar(-1, ".before"), start}, {}, ".distance");
  first = op.Emit("div", {first, divisor}, {}, ".before");
  first = op.Emit("add", {first, op.Scalar(-0.5f, ".half")}, {}, ".first");
  first = op.Emit("relu", {op.Emit("floor", {first}, {}, ".first")}, {}, ".first");
  samples.numbers =
      op.Emit("add", {first, FloatRange(op, Shape({1, count}), ".range")}, {}, ".numbers");
  Emitted at = op.Emit("add", {samples.numbers, op.Scalar(0.5f, ".middle")}, {}, ".middles");
  at = op.Emit("mul", {at, spacing}, {}, ".offsets");
  samples.positions = op.Emit("add", {start, at}, {}, ".positions");
  // Regions without a size have no samples.
  const Emitted total = op.Scale(rounded, static_cast<float>(out), ".total");
  const Emitted exist = op.Cast(op.Emit("less", {samples.numbers, total}, {}, ".exist"),
                                DataType::kFloat32, ".exist");
  const Emitted within = EmitWithinImage(op, samples.positions, static_cast<float>(in), ".within");
  samples.weights = op.Emit("mul", {exist, within}, {}, ".counted");
  samples.weights = op.Emit("div", {samples.weights, samples.of_part}, {}, ".weights");
  return samples;
}

// How much each of `in` pixels counts in each of `out` parts of the regions [R,1], along one
// dimension: [R,out,in].
Emitted EmitAdaptiveWeights(OpEmitter& op, const Emitted& start, const Emitted& size, int64_t in,
                            int64_t out) {
  const AdaptiveSamples samples = EmitAdaptiveSamples(op, start, size, in, out);
  ASSIGN_OR_RETURN(const Tensor* positions, samples.positions);
  const int64_t regions = positions->type.shape[0], count = positions->type.shape[1];
  Emitted part = op.Emit("div", {samples.numbers, samples.of_part}, {}, ".quotients");
  part = op.Reshape(op.Emit("floor", {part}, {}, ".part_of"), {regions, 1, count}, ".part_of");
  part = op.Emit("equal", {part, FloatRange(op, Shape({1, out, 1}), ".rows")}, {}, ".own");
  part = op.Cast(part, DataType::kFloat32, ".own");
  part = op.Emit("mul", {part, op.Reshape(samples.weights, {regions, 1, count}, ".share")}, {},
                 ".shares");
  const Attributes image = {{"min", 0.0f}, {"max", static_cast<float>(in - 1)}};
  Emitted pixels = op.Emit("clip", {samples.positions}, image, ".inside");
  pixels = op.Reshape(pixels, {regions, count, 1}, ".inside");
  pixels = op.Emit("sub", {pixels, FloatRange(op, Shape({1, 1, in}), ".pixels")}, {}, ".offset");
  pixels = op.Emit("abs", {pixels}, {}, ".away");
  pixels = op.Emit("sub", {op.Scalar(1, ".whole"), pixels}, {}, ".left");
  pixels = op.Emit("relu", {pixels}, {}, ".near");
  return op.Emit("matmul", {part, pixels}, {}, ".matrix");
}

// Regions by matrices: their parts' means are sums of rows and of columns.
Emitted EmitAdaptiveRoiAlign(OpEmitter& op, const RoiAlign& align, const Emitted& begin,
                             const Emitted& size) {
  const Shape x = (*align.x)->type.shape;
  const int64_t regions = (*align.rois)->type.shape[0];
  const auto matrix = [&](int64_t column, int64_t in, int64_t out, absl::string_view suffix) {
    OpEmitter one(op.builder(), op.origin(), op.Name(suffix));
    const auto own = EmitAxisSlice(one, begin, 1, column, 1, ".begin");
    const auto length = EmitAxisSlice(one, size, 1, column, 1, ".size");
    return EmitAdaptiveWeights(one, own, length, in, out);
  };
  const int64_t height = align.output[0], width = align.output[1];
  const Emitted rows =
      op.Reshape(matrix(1, x[2], height, ".y"), {regions, 1, height, x[2]}, ".rows");
  const Emitted columns =
      op.Reshape(op.Transpose(matrix(0, x[3], width, ".x"), {0, 2, 1}, ".turned"),
                 {regions, 1, x[3], width}, ".columns");
  // A single image is that of all regions.
  const Emitted images = x[0] == 1 ? align.x : EmitGather(op, align.x, align.images, 0, ".images");
  const Emitted y = op.Emit("matmul", {rows, images}, {}, ".lines");
  return op.Emit("matmul", {y, columns});
}

absl::Status CheckRegions(const Shape& x, const Shape& rois, const Shape& images) {
  if (x.rank() == 4 && rois.rank() == 2 && rois[1] == 4 && images == Shape({rois[0]})) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat("its operands are ", x.ToString(), ", ",
                                                 rois.ToString(), " and ", images.ToString(),
                                                 ", expected [N,C,H,W], [R,4] and [R]"));
}

}  // namespace

Emitted EmitRoiAlign(OpEmitter& op, const RoiAlign& align) {
  ASSIGN_OR_RETURN(const Tensor* image, align.x);
  ASSIGN_OR_RETURN(const Tensor* boxes, align.rois);
  ASSIGN_OR_RETURN(const Tensor* indices, align.images);
  const Shape x = image->type.shape, rois = boxes->type.shape;
  RETURN_IF_ERROR(CheckRegions(x, rois, indices->type.shape));
  RETURN_IF_ERROR(CheckWindowValues("its output", align.output, 2, 1));
  RETURN_IF_ERROR(CheckWindowValues("its sampling ratio", {align.samples}, 1, 0, 1 << 10));
  Emitted edges = op.Scale(align.rois, align.scale, ".edges");
  if (align.half_pixel) edges = op.Emit("sub", {edges, op.Scalar(0.5f, ".half")}, {}, ".centers");
  const auto begin = EmitAxisSlice(op, edges, 1, 0, 2, ".begin");
  const auto end = EmitAxisSlice(op, edges, 1, 2, 2, ".end");
  Emitted size = op.Emit("sub", {end, begin}, {}, ".size");
  if (!align.half_pixel) {
    size = op.Emit("maximum", {size, op.Scalar(1, ".one")}, {}, ".at_least");
  }
  if (align.samples == 0) return EmitAdaptiveRoiAlign(op, align, begin, size);
  const int64_t samples = align.samples;
  const int64_t height = align.output[0] * samples, width = align.output[1] * samples;
  const auto axis = [&](int64_t column, int64_t in, int64_t count, absl::string_view suffix) {
    OpEmitter one(op.builder(), op.origin(), op.Name(suffix));
    const auto own = EmitAxisSlice(one, begin, 1, column, 1, ".begin");
    const auto length = EmitAxisSlice(one, size, 1, column, 1, ".size");
    return EmitRegionAxis(one, own, length, in, count);
  };
  ASSIGN_OR_RETURN(const RegionAxis columns, axis(0, x[3], width, ".x"));
  ASSIGN_OR_RETURN(const RegionAxis rows, axis(1, x[2], height, ".y"));
  const int64_t regions = rois[0];
  const Dims of_columns = {regions, 1, width, 1}, of_rows = {regions, height, 1, 1};
  const Attributes whole = {{"shape", Dims{regions, height, width, 1}}};
  const auto grid_x =
      op.Emit("expand", {op.Reshape(columns.normalized, of_columns, ".row")}, whole, ".grid_x");
  const auto grid_y =
      op.Emit("expand", {op.Reshape(rows.normalized, of_rows, ".column")}, whole, ".grid_y");
  const auto grid = EmitConcat(op, {grid_x, grid_y}, 3, ".grid");
  const auto images = EmitGather(op, align.x, align.images, 0, ".images");
  OpEmitter sampled(op.builder(), op.origin(), op.Name(".sampled"));
  Emitted y = EmitGridSample(sampled, images, grid, {"bilinear", "border", false});
  const auto inside_x = op.Reshape(columns.inside, {regions, 1, 1, width}, ".inside_x");
  const auto inside_y = op.Reshape(rows.inside, {regions, 1, height, 1}, ".inside_y");
  y = op.Emit("mul", {y, inside_x}, {}, ".within_columns");
  y = op.Emit("mul", {y, inside_y}, {}, ".within");
  const Window window{{samples, samples}, {samples, samples}};
  return EmitImage(op, "avg_pool2d", {y}, window.ToPoolAttributes());
}

}  // namespace synap_internal
