// Normalizations.
#include "compiler/import/emit/normalization.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/axes.h"
#include "compiler/import/onnx/op_table.h"

namespace synap_internal::onnx_import {
namespace {

// The node's statistics or, in training mode, those of x. In training mode outputs 1 and 2 are the
// running statistics, given * momentum + x's * (1 - momentum).
struct Statistics {
  Emitted mean;
  Emitted variance;
};

Emitted RunningStatistic(NodeContext& node, Tensor* given, const Emitted& found, float momentum,
                         absl::string_view suffix) {
  Tensor* kept = node.Scalar(momentum, ".kept");
  Tensor* taken = node.Scalar(1 - momentum, ".taken");
  Emitted old = node.Emit("mul", {given, kept}, {}, ".old");
  Emitted recent = node.Emit("mul", {found, taken}, {}, ".recent");
  return node.Emit("add", {old, recent}, {}, suffix);
}

absl::StatusOr<Statistics> TrainingStatistics(NodeContext& node) {
  Tensor* x = node.input(0);
  std::vector<int64_t> axes = AxesFrom(2, x->type.shape.rank());
  axes.insert(axes.begin(), 0);
  const Attributes keep = {{"axes", axes}, {"keep_dims", int64_t{1}}};
  const Attributes drop = {{"axes", axes}, {"keep_dims", int64_t{0}}};
  Statistics of_x;
  of_x.mean = node.Emit("reduce_mean", {x}, drop, ".mean");
  const auto mean = node.Emit("reduce_mean", {x}, keep, ".mean");
  const auto centered = node.Emit("sub", {x, mean}, {}, ".centered");
  const auto square = node.Emit("square", {centered}, {}, ".square");
  of_x.variance = node.Emit("reduce_mean", {square}, drop, ".variance");
  const float momentum = node.Float("momentum", 0.9f);
  const auto running_mean =
      RunningStatistic(node, node.input(3), of_x.mean, momentum, ".running_mean");
  const auto running_variance =
      RunningStatistic(node, node.input(4), of_x.variance, momentum, ".running_var");
  RETURN_IF_ERROR(node.SetOutput(1, running_mean));
  RETURN_IF_ERROR(node.SetOutput(2, running_variance));
  return of_x;
}

absl::StatusOr<Statistics> ReadStatistics(NodeContext& node) {
  node.IgnoreAttribute("consumed_inputs");
  node.IgnoreAttribute("momentum");
  // Before opset 7 a model for inference has is_test = 1, or reads only output 0.
  const bool test = node.Int("is_test", 0) != 0;
  if (node.Int("spatial", 1) != 1) return absl::UnimplementedError("attribute 'spatial' is not 1");
  if (node.Int("training_mode", 0) != 0 && !test) return TrainingStatistics(node);
  return Statistics{node.input(3), node.input(4)};
}

absl::Status MapBatchNormalization(NodeContext& node) {
  const Shape& shape = node.shape(0);
  constexpr absl::string_view kNames[] = {"'scale'", "'B'", "'mean'", "'var'"};
  for (size_t i = 1; i <= 4; ++i) {
    RETURN_IF_ERROR(CheckChannels(kNames[i - 1], node.input(i), shape));
  }
  ASSIGN_OR_RETURN(const Statistics statistics, ReadStatistics(node));
  ASSIGN_OR_RETURN(
      const ChannelAffine affine,
      EmitBatchNormalization(node, {node.input(1), node.input(2), statistics.mean,
                                    statistics.variance, node.Float("epsilon", 1e-5f)}));
  return node.SetOutput(EmitChannelAffine(node, node.input(0), affine.factor, affine.shift));
}

absl::Status MapInstanceNormalization(NodeContext& node) {
  node.IgnoreAttribute("consumed_inputs");
  const Shape& shape = node.shape(0);
  RETURN_IF_ERROR(CheckChannels("'scale'", node.input(1), shape));
  RETURN_IF_ERROR(CheckChannels("'B'", node.input(2), shape));
  return node.SetOutput(EmitInstanceNormalization(node, node.input(0), node.input(1), node.input(2),
                                                  node.Float("epsilon", 1e-5f)));
}

// The dimensions from 'axis' on.
absl::StatusOr<std::vector<int64_t>> ReadLastAxes(NodeContext& node) {
  node.IgnoreAttribute("stash_type");
  const size_t rank = node.shape(0).rank();
  ASSIGN_OR_RETURN(const int64_t axis, ResolveAxis(node.Int("axis", -1), rank));
  return AxesFrom(axis, rank);
}

absl::Status MapLayerNormalization(NodeContext& node) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> axes, ReadLastAxes(node));
  ASSIGN_OR_RETURN(const Standardized standard,
                   EmitStandardized(node, node.input(0), axes, node.Float("epsilon", 1e-5f)));
  RETURN_IF_ERROR(node.SetOutput(1, standard.mean));
  if (node.HasOutput(2)) {
    const auto inverse = node.Emit("reciprocal", {standard.deviation}, {}, ".inverse");
    RETURN_IF_ERROR(node.SetOutput(2, inverse));
  }
  return node.SetOutput(EmitAffine(node, standard.y, node.input(1), node.input(2)));
}

// x / sqrt(mean of squares + epsilon) * scale, over the dimensions from `axis` on.
absl::Status MapRmsNormalization(NodeContext& node) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> axes, ReadLastAxes(node));
  const auto y = EmitRootMeanSquare(node, node.input(0), axes, node.Float("epsilon", 1e-5f));
  return node.SetOutput(node.Emit("mul", {y, node.input(1)}));
}

// Values of a group for each of its channels, [G] as [C].
Emitted PerChannel(NodeContext& node, Tensor* values, int64_t groups, int64_t channels,
                   absl::string_view suffix) {
  const std::vector<int64_t> dims = {groups, channels / groups};
  const auto column = node.Reshape(values, {groups, 1}, suffix);
  return node.Reshape(node.Emit("expand", {column}, {{"shape", dims}}, suffix), {channels}, suffix);
}

// (x - mean) / deviation of each group of neighbouring channels. Scale and bias have a value for
// each group in opset 18, for each channel since opset 21.
absl::Status MapGroupNormalization(NodeContext& node) {
  node.IgnoreAttribute("stash_type");
  Tensor* x = node.input(0);
  const Shape shape = x->type.shape;
  const int64_t groups = node.Int("num_groups", 0);
  if (shape.rank() < 2 || groups < 1 || shape[1] % groups != 0) {
    return absl::InvalidArgumentError(absl::StrCat("attribute 'num_groups' is ", groups,
                                                   " for the input ", shape.ToString(),
                                                   ", expected a divisor of its channels"));
  }
  const bool by_group = node.opset() < 21;
  const Shape expected({by_group ? groups : shape[1]});
  Tensor* affine[] = {node.input(1), node.input(2)};
  for (size_t i = 0; i < 2; ++i) {
    const absl::string_view name = i == 0 ? "scale" : "bias";
    if (affine[i]->type.shape != expected) {
      return absl::InvalidArgumentError(absl::StrCat("its '", name, "' is ",
                                                     affine[i]->type.shape.ToString(),
                                                     ", expected ", expected.ToString()));
    }
    if (!by_group) continue;
    ASSIGN_OR_RETURN(affine[i],
                     PerChannel(node, affine[i], groups, shape[1], absl::StrCat(".", name)));
  }
  const auto grouped =
      node.Reshape(x, {shape[0], groups, shape.elements() / shape[0] / groups}, ".groups");
  ASSIGN_OR_RETURN(const Standardized standard,
                   EmitStandardized(node, grouped, {2}, node.Float("epsilon", 1e-5f)));
  return node.SetOutput(EmitChannelAffine(node, node.Reshape(standard.y, shape.dims(), ".standard"),
                                          affine[0], affine[1]));
}

// (x - mean) / (sqrt(variance) + 1e-9)
absl::Status MapMeanVarianceNormalization(NodeContext& node) {
  Tensor* x = node.input(0);
  ASSIGN_OR_RETURN(const std::vector<int64_t> axes,
                   ResolveAxes(node.Ints("axes", {0, 2, 3}), x->type.shape.rank()));
  ASSIGN_OR_RETURN(const Moments moments, EmitMoments(node, x, axes));
  Emitted deviation = node.Emit("sqrt", {moments.variance}, {}, ".deviation");
  deviation = node.Emit("add", {deviation, node.Scalar(1e-9f, ".epsilon")}, {}, ".divisor");
  return node.SetOutput(node.Emit("div", {moments.centered, deviation}));
}

// The mean of squares over `size` neighbouring channels: average pooling over
// the image [N, H = channels, W = pixels, 1].
Emitted SquareMeanOfChannels(NodeContext& node, Tensor* x, int64_t size) {
  const Shape& s = x->type.shape;
  Emitted y = node.Emit("square", {x}, {}, ".square");
  y = node.Reshape(y, {s[0], s[1], s.Product(2, s.rank()), 1}, ".image");
  y = node.Emit("avg_pool2d", {y},
                {{"kernel", std::vector<int64_t>{size, 1}},
                 {"pads", std::vector<int64_t>{(size - 1) / 2, 0, size / 2, 0}},
                 {"count_include_pad", int64_t{1}}},
                ".mean");
  return node.Reshape(y, s.dims(), ".mean");
}

// x / (bias + alpha * mean of squares) ^ beta
absl::Status MapLrn(NodeContext& node) {
  Tensor* x = node.input(0);
  const int64_t size = node.Int("size", 0);
  if (x->type.shape.rank() < 2 || size < 1 || size > x->type.shape[1] * 2) {
    return absl::InvalidArgumentError(absl::StrCat("attribute 'size' is ", size, " for the input ",
                                                   x->type.shape.ToString(),
                                                   ", expected 1 to twice its channels"));
  }
  const auto scalar = [&](absl::string_view name, float fallback) {
    return node.Scalar(node.Float(name, fallback), absl::StrCat(".", name));
  };
  Emitted mean = SquareMeanOfChannels(node, x, size);
  Emitted y = node.Emit("mul", {mean, scalar("alpha", 1e-4f)}, {}, ".scaled");
  y = node.Emit("add", {y, scalar("bias", 1)}, {}, ".biased");
  y = node.Emit("pow", {y, scalar("beta", 0.75f)}, {}, ".power");
  return node.SetOutput(node.Emit("div", {x, y}));
}

// x / norm along one axis; 0 where all of x is 0.
absl::Status MapLpNormalization(NodeContext& node) {
  Tensor* x = node.input(0);
  ASSIGN_OR_RETURN(const int64_t axis, ResolveAxis(node.Int("axis", -1), x->type.shape.rank()));
  const Attributes over = {{"axes", std::vector<int64_t>{axis}}, {"keep_dims", int64_t{1}}};
  const int64_t p = node.Int("p", 2);
  if (p != 1 && p != 2) {
    return absl::InvalidArgumentError(absl::StrCat("attribute 'p' is ", p, ", expected 1 or 2"));
  }
  Emitted norm = p == 1 ? node.Emit("abs", {x}, {}, ".abs") : x;
  norm = node.Emit(p == 1 ? "reduce_sum" : "reduce_l2", {norm}, over, ".norm");
  Tensor* zero = node.Scalar(0, ".zero");
  Tensor* one = node.Scalar(1, ".one");
  Emitted empty = node.Emit("equal", {norm, zero}, {}, ".empty");
  norm = node.Emit("where", {empty, one, norm}, {}, ".divisor");
  return node.SetOutput(node.Emit("div", {x, norm}));
}

constexpr OpMapping kNormalizationMappings[] = {
    {"BatchNormalization", 5, 5, MapBatchNormalization, "'spatial' of 1"},
    {"InstanceNormalization", 3, 3, MapInstanceNormalization, "[N,C,L], [N,C,H,W] and [N,C,D,H,W]"},
    {"LayerNormalization", 2, 3, MapLayerNormalization},
    {"RMSNormalization", 2, 2, MapRmsNormalization},
    // ONNX Runtime's optimizer writes it into the default domain.
    {"SimplifiedLayerNormalization", 2, 2, MapRmsNormalization},
    {"GroupNormalization", 3, 3, MapGroupNormalization},
    {"LRN", 1, 1, MapLrn},
    {"MeanVarianceNormalization", 1, 1, MapMeanVarianceNormalization},
    {"LpNormalization", 1, 1, MapLpNormalization},
};

}  // namespace

absl::Span<const OpMapping> NormalizationMappings() { return kNormalizationMappings; }

}  // namespace synap_internal::onnx_import
