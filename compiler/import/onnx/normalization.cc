// Normalizations, taken apart into element-wise ops and reductions.
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/onnx/op_table.h"
#include "compiler/import/onnx/spatial.h"

namespace synap_internal::onnx_import {
namespace {

absl::Status CheckChannels(const NodeContext& node, size_t i, absl::string_view what,
                           int64_t channels) {
  if (node.shape(i).rank() == 1 && node.shape(i)[0] == channels) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("its '", what, "' is ", node.shape(i).ToString(),
                                                 ", expected one value for each of ", channels,
                                                 " channels"));
}

absl::StatusOr<Tensor*> AddEpsilon(NodeContext& node, Tensor* variance, float epsilon) {
  Tensor* scalar = node.builder().AddScalar(node.Name(".epsilon"), epsilon);
  ASSIGN_OR_RETURN(Tensor * sum, node.Emit("add", {variance, scalar}, {}, ".variance"));
  return node.Emit("sqrt", {sum}, {}, ".deviation");
}

// y = x * factor + shift, both [C] along the last dimension.
struct Affine {
  Tensor* factor;
  Tensor* shift;
};

// [C] as [C,1,...,1] for a tensor of `rank` dimensions whose second is C.
absl::StatusOr<Tensor*> AlongChannels(NodeContext& node, Tensor* values, size_t rank,
                                      absl::string_view suffix) {
  if (rank <= 2) return values;
  std::vector<int64_t> shape(rank - 1, 1);
  shape[0] = values->type.shape.elements();
  return node.Reshape(values, std::move(shape), suffix);
}

// The node's statistics, or in training mode those of x, which then also move the
// running ones: outputs 1 and 2 are given * momentum + x's * (1 - momentum).
struct Statistics {
  Tensor* mean;
  Tensor* variance;
};

absl::StatusOr<Tensor*> RunningStatistic(NodeContext& node, Tensor* given, Tensor* found,
                                         float momentum, absl::string_view suffix) {
  Tensor* kept = node.builder().AddScalar(node.Name(".kept"), momentum);
  Tensor* taken = node.builder().AddScalar(node.Name(".taken"), 1 - momentum);
  ASSIGN_OR_RETURN(Tensor * old, node.Emit("mul", {given, kept}, {}, ".old"));
  ASSIGN_OR_RETURN(Tensor * recent, node.Emit("mul", {found, taken}, {}, ".recent"));
  return node.Emit("add", {old, recent}, {}, suffix);
}

absl::StatusOr<Statistics> TrainingStatistics(NodeContext& node) {
  Tensor* x = node.input(0);
  const size_t rank = x->type.shape.rank();
  std::vector<int64_t> axes = {0};
  for (size_t i = 2; i < rank; ++i) axes.push_back(static_cast<int64_t>(i));
  const Attributes keep = {{"axes", axes}, {"keep_dims", int64_t{1}}};
  const Attributes drop = {{"axes", axes}, {"keep_dims", int64_t{0}}};
  Statistics of_x;
  ASSIGN_OR_RETURN(of_x.mean, node.Emit("reduce_mean", {x}, drop, ".mean"));
  ASSIGN_OR_RETURN(Tensor * mean, node.Emit("reduce_mean", {x}, keep, ".mean"));
  ASSIGN_OR_RETURN(Tensor * centered, node.Emit("sub", {x, mean}, {}, ".centered"));
  ASSIGN_OR_RETURN(Tensor * square, node.Emit("square", {centered}, {}, ".square"));
  ASSIGN_OR_RETURN(of_x.variance, node.Emit("reduce_mean", {square}, drop, ".variance"));
  const float momentum = node.Float("momentum", 0.9f);
  ASSIGN_OR_RETURN(Tensor * running_mean,
                   RunningStatistic(node, node.input(3), of_x.mean, momentum, ".running_mean"));
  ASSIGN_OR_RETURN(Tensor * running_variance,
                   RunningStatistic(node, node.input(4), of_x.variance, momentum, ".running_var"));
  RETURN_IF_ERROR(node.SetOutput(1, running_mean));
  RETURN_IF_ERROR(node.SetOutput(2, running_variance));
  return of_x;
}

absl::StatusOr<Statistics> ReadStatistics(NodeContext& node) {
  node.IgnoreAttribute("consumed_inputs");
  node.IgnoreAttribute("momentum");
  // Models before opset 7 that are made for inference say is_test = 1, or only ask
  // for output 0.
  const bool test = node.Int("is_test", 0) != 0;
  if (node.Int("spatial", 1) != 1) return absl::UnimplementedError("attribute 'spatial' is not 1");
  if (node.Int("training_mode", 0) != 0 && !test) return TrainingStatistics(node);
  return Statistics{node.input(3), node.input(4)};
}

// factor = scale / sqrt(variance + epsilon), shift = bias - mean * factor
absl::StatusOr<Affine> BatchNormAffine(NodeContext& node, const Statistics& statistics) {
  Affine affine;
  ASSIGN_OR_RETURN(Tensor * deviation,
                   AddEpsilon(node, statistics.variance, node.Float("epsilon", 1e-5f)));
  ASSIGN_OR_RETURN(affine.factor, node.Emit("div", {node.input(1), deviation}, {}, ".factor"));
  ASSIGN_OR_RETURN(Tensor * moved, node.Emit("mul", {statistics.mean, affine.factor}, {}, ".mean"));
  ASSIGN_OR_RETURN(affine.shift, node.Emit("sub", {node.input(2), moved}, {}, ".shift"));
  return affine;
}

absl::Status MapBatchNormalization(NodeContext& node) {
  const size_t rank = node.shape(0).rank();
  if (rank < 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("its input ", node.shape(0).ToString(), " has no channels"));
  }
  constexpr absl::string_view kNames[] = {"scale", "B", "mean", "var"};
  for (size_t i = 1; i <= 4; ++i) {
    RETURN_IF_ERROR(CheckChannels(node, i, kNames[i - 1], node.shape(0)[1]));
  }
  ASSIGN_OR_RETURN(const Statistics statistics, ReadStatistics(node));
  ASSIGN_OR_RETURN(Affine affine, BatchNormAffine(node, statistics));
  Tensor* x = node.input(0);
  if (rank == 4) {
    ASSIGN_OR_RETURN(x, ToNhwc(node, x));
    ASSIGN_OR_RETURN(x, node.Emit("mul", {x, affine.factor}, {}, ".scaled.nhwc"));
    ASSIGN_OR_RETURN(x, node.Emit("add", {x, affine.shift}, {}, ".nhwc"));
    return node.SetOutput(FromNhwc(node, x, rank));
  }
  ASSIGN_OR_RETURN(affine.factor, AlongChannels(node, affine.factor, rank, ".factor"));
  ASSIGN_OR_RETURN(affine.shift, AlongChannels(node, affine.shift, rank, ".shift"));
  ASSIGN_OR_RETURN(x, node.Emit("mul", {x, affine.factor}, {}, ".scaled"));
  return node.SetOutput(node.Emit("add", {x, affine.shift}));
}

// (x - mean) / deviation over `axes`.
struct Standardized {
  Tensor* y;
  Tensor* mean;
  Tensor* deviation;  // sqrt(variance + epsilon)
};

absl::StatusOr<Standardized> Standardize(NodeContext& node, Tensor* x,
                                         const std::vector<int64_t>& axes, float epsilon) {
  const Attributes over = {{"axes", axes}, {"keep_dims", int64_t{1}}};
  Standardized standard;
  ASSIGN_OR_RETURN(standard.mean, node.Emit("reduce_mean", {x}, over, ".mean"));
  ASSIGN_OR_RETURN(Tensor * centered, node.Emit("sub", {x, standard.mean}, {}, ".centered"));
  ASSIGN_OR_RETURN(Tensor * square, node.Emit("square", {centered}, {}, ".square"));
  ASSIGN_OR_RETURN(Tensor * variance, node.Emit("reduce_mean", {square}, over, ".variance"));
  ASSIGN_OR_RETURN(standard.deviation, AddEpsilon(node, variance, epsilon));
  ASSIGN_OR_RETURN(standard.y, node.Emit("div", {centered, standard.deviation}, {}, ".standard"));
  return standard;
}

absl::Status MapInstanceNormalization(NodeContext& node) {
  node.IgnoreAttribute("consumed_inputs");
  const size_t rank = node.shape(0).rank();
  if (rank != 3 && rank != 4) {
    return absl::UnimplementedError(
        absl::StrCat("its input ", node.shape(0).ToString(), " has rank ", rank));
  }
  RETURN_IF_ERROR(CheckChannels(node, 1, "scale", node.shape(0)[1]));
  RETURN_IF_ERROR(CheckChannels(node, 2, "B", node.shape(0)[1]));
  ASSIGN_OR_RETURN(Tensor * x, ToNhwc(node, node.input(0)));
  ASSIGN_OR_RETURN(const Standardized standard,
                   Standardize(node, x, {1, 2}, node.Float("epsilon", 1e-5f)));
  ASSIGN_OR_RETURN(x, node.Emit("mul", {standard.y, node.input(1)}, {}, ".scaled.nhwc"));
  ASSIGN_OR_RETURN(x, node.Emit("add", {x, node.input(2)}, {}, ".nhwc"));
  return node.SetOutput(FromNhwc(node, x, rank));
}

absl::Status MapLayerNormalization(NodeContext& node) {
  node.IgnoreAttribute("stash_type");
  const size_t rank = node.shape(0).rank();
  ASSIGN_OR_RETURN(const int64_t axis, NodeContext::Axis(node.Int("axis", -1), rank));
  std::vector<int64_t> axes;
  for (auto i = axis; i < static_cast<int64_t>(rank); ++i) axes.push_back(i);
  ASSIGN_OR_RETURN(const Standardized standard,
                   Standardize(node, node.input(0), axes, node.Float("epsilon", 1e-5f)));
  RETURN_IF_ERROR(node.SetOutput(1, standard.mean));
  if (node.HasOutput(2)) {
    ASSIGN_OR_RETURN(Tensor * inverse,
                     node.Emit("reciprocal", {standard.deviation}, {}, ".inverse"));
    RETURN_IF_ERROR(node.SetOutput(2, inverse));
  }
  const bool biased = node.HasInput(2);
  ASSIGN_OR_RETURN(Tensor * x,
                   node.Emit("mul", {standard.y, node.input(1)}, {}, biased ? ".scaled" : ""));
  return node.SetOutput(biased ? node.Emit("add", {x, node.input(2)}) : x);
}

// x / sqrt(mean of squares + epsilon) * scale, over the dimensions from `axis` on.
absl::Status MapRmsNormalization(NodeContext& node) {
  node.IgnoreAttribute("stash_type");
  Tensor* x = node.input(0);
  const size_t rank = x->type.shape.rank();
  ASSIGN_OR_RETURN(const int64_t axis, NodeContext::Axis(node.Int("axis", -1), rank));
  std::vector<int64_t> axes;
  for (auto i = axis; i < static_cast<int64_t>(rank); ++i) axes.push_back(i);
  ASSIGN_OR_RETURN(Tensor * y, node.Emit("square", {x}, {}, ".square"));
  ASSIGN_OR_RETURN(
      y, node.Emit("reduce_mean", {y}, {{"axes", axes}, {"keep_dims", int64_t{1}}}, ".mean"));
  ASSIGN_OR_RETURN(y, AddEpsilon(node, y, node.Float("epsilon", 1e-5f)));
  ASSIGN_OR_RETURN(y, node.Emit("div", {x, y}, {}, ".standard"));
  return node.SetOutput(node.Emit("mul", {y, node.input(1)}));
}

// (x - mean) / (sqrt(variance) + 1e-9)
absl::Status MapMeanVarianceNormalization(NodeContext& node) {
  Tensor* x = node.input(0);
  ASSIGN_OR_RETURN(const std::vector<int64_t> axes,
                   NodeContext::Axes(node.Ints("axes", {0, 2, 3}), x->type.shape.rank()));
  const Attributes over = {{"axes", axes}, {"keep_dims", int64_t{1}}};
  ASSIGN_OR_RETURN(Tensor * mean, node.Emit("reduce_mean", {x}, over, ".mean"));
  ASSIGN_OR_RETURN(Tensor * centered, node.Emit("sub", {x, mean}, {}, ".centered"));
  ASSIGN_OR_RETURN(Tensor * square, node.Emit("square", {centered}, {}, ".square"));
  ASSIGN_OR_RETURN(Tensor * variance, node.Emit("reduce_mean", {square}, over, ".variance"));
  ASSIGN_OR_RETURN(Tensor * deviation, node.Emit("sqrt", {variance}, {}, ".deviation"));
  Tensor* epsilon = node.builder().AddScalar(node.Name(".epsilon"), 1e-9f);
  ASSIGN_OR_RETURN(deviation, node.Emit("add", {deviation, epsilon}, {}, ".divisor"));
  return node.SetOutput(node.Emit("div", {centered, deviation}));
}

// The mean of squares over `size` neighbouring channels: average pooling over
// the image [N, H = channels, W = pixels, 1].
absl::StatusOr<Tensor*> SquareMeanOfChannels(NodeContext& node, Tensor* x, int64_t size) {
  const Shape& s = x->type.shape;
  ASSIGN_OR_RETURN(Tensor * y, node.Emit("square", {x}, {}, ".square"));
  ASSIGN_OR_RETURN(y, node.Reshape(y, {s[0], s[1], s.Product(2, s.rank()), 1}, ".image"));
  ASSIGN_OR_RETURN(y, node.Emit("avg_pool2d", {y},
                                {{"kernel", std::vector<int64_t>{size, 1}},
                                 {"pads", std::vector<int64_t>{(size - 1) / 2, 0, size / 2, 0}},
                                 {"count_include_pad", int64_t{1}}},
                                ".mean"));
  return node.Reshape(y, s.dims(), ".mean");
}

// x / (bias + alpha * mean of squares) ^ beta
absl::Status MapLrn(NodeContext& node) {
  Tensor* x = node.input(0);
  const int64_t size = node.Int("size", 0);
  if (x->type.shape.rank() < 2 || size < 1 || size > x->type.shape[1] * 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("attribute 'size' is ", size, " for the input ", x->type.shape.ToString()));
  }
  const auto scalar = [&](absl::string_view name, float fallback) {
    return node.builder().AddScalar(node.Name(absl::StrCat(".", name)), node.Float(name, fallback));
  };
  ASSIGN_OR_RETURN(Tensor * mean, SquareMeanOfChannels(node, x, size));
  ASSIGN_OR_RETURN(Tensor * y, node.Emit("mul", {mean, scalar("alpha", 1e-4f)}, {}, ".scaled"));
  ASSIGN_OR_RETURN(y, node.Emit("add", {y, scalar("bias", 1)}, {}, ".biased"));
  ASSIGN_OR_RETURN(y, node.Emit("pow", {y, scalar("beta", 0.75f)}, {}, ".power"));
  return node.SetOutput(node.Emit("div", {x, y}));
}

// x / norm along one axis; 0 where all of x is 0.
absl::Status MapLpNormalization(NodeContext& node) {
  Tensor* x = node.input(0);
  ASSIGN_OR_RETURN(const int64_t axis,
                   NodeContext::Axis(node.Int("axis", -1), x->type.shape.rank()));
  const Attributes over = {{"axes", std::vector<int64_t>{axis}}, {"keep_dims", int64_t{1}}};
  const int64_t p = node.Int("p", 2);
  if (p != 1 && p != 2) {
    return absl::InvalidArgumentError(absl::StrCat("attribute 'p' is ", p, ", expected 1 or 2"));
  }
  Tensor* norm = x;
  if (p == 1) {
    ASSIGN_OR_RETURN(norm, node.Emit("abs", {x}, {}, ".abs"));
  }
  ASSIGN_OR_RETURN(norm, node.Emit(p == 1 ? "reduce_sum" : "reduce_l2", {norm}, over, ".norm"));
  Tensor* zero = node.builder().AddScalar(node.Name(".zero"), 0.0f);
  Tensor* one = node.builder().AddScalar(node.Name(".one"), 1.0f);
  ASSIGN_OR_RETURN(Tensor * empty, node.Emit("equal", {norm, zero}, {}, ".empty"));
  ASSIGN_OR_RETURN(norm, node.Emit("where", {empty, one, norm}, {}, ".divisor"));
  return node.SetOutput(node.Emit("div", {x, norm}));
}

constexpr OpMapping kMappings[] = {
    {"BatchNormalization", 5, 5, MapBatchNormalization, "'spatial' of 1"},
    {"InstanceNormalization", 3, 3, MapInstanceNormalization, "[N,C,L] and [N,C,H,W]"},
    {"LayerNormalization", 2, 3, MapLayerNormalization},
    {"RMSNormalization", 2, 2, MapRmsNormalization},
    {"LRN", 1, 1, MapLrn},
    {"MeanVarianceNormalization", 1, 1, MapMeanVarianceNormalization},
    {"LpNormalization", 1, 1, MapLpNormalization},
};

}  // namespace

absl::Span<const OpMapping> NormalizationMappings() { return kMappings; }

}  // namespace synap_internal::onnx_import
