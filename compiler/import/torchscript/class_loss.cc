// Losses whose target is a class, or a probability of each.
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/axes.h"
#include "compiler/import/emit/indexing.h"
#include "compiler/import/emit/reduction.h"
#include "compiler/import/emit/shape.h"
#include "compiler/import/torchscript/index_list.h"
#include "compiler/import/torchscript/loss.h"
#include "compiler/import/torchscript/op_table.h"
#include "compiler/import/torchscript/operands.h"

namespace synap_internal::torchscript_import {
namespace {

using Dims = std::vector<int64_t>;

// Indices of classes as the target of scores [N, C, ...] or [C].
struct ClassTarget {
  size_t axis = 0;            // of the classes
  Tensor* indices = nullptr;  // [N, ...], 0 where they are ignored
  Emitted ignored = nullptr;  // bool, likewise
  Emitted weights = nullptr;  // of each target's class, 0 where it is ignored
};

// The dimension of the classes of scores [N, C, ...] or [C].
size_t ClassAxis(const Shape& scores) { return scores.rank() == 1 ? 0 : 1; }

// The values, or 0 where the target is ignored.
Emitted ZeroWhereIgnored(NodeContext& node, const ClassTarget& target, const Emitted& values,
                         absl::string_view suffix) {
  return node.Emit("where", {target.ignored, node.Scalar(0, ".zero"), values}, {}, suffix);
}

// The elements of x that the indices pick along the axis, without that.
Emitted PickClasses(NodeContext& node, Tensor* x, Tensor* indices, size_t axis,
                    absl::string_view suffix) {
  const Dims dims = indices->type.shape.dims();
  ASSIGN_OR_RETURN(Dims placed, UnsqueezedDims(indices->type.shape, {static_cast<int64_t>(axis)}));
  const Emitted places = node.Reshape(indices, std::move(placed), suffix);
  return node.Reshape(EmitGatherElements(node, x, places, axis, suffix), dims, suffix);
}

// (x, target, weight, ..., ignore_index at `ignore_at`)
absl::StatusOr<ClassTarget> ReadClassTarget(NodeContext& node, const Tensor& x, size_t ignore_at) {
  ClassTarget target;
  const Shape& s = x.type.shape;
  target.axis = ClassAxis(s);
  ASSIGN_OR_RETURN(Tensor * given, IntegerIndices(node, node.GetTensor(1)));
  Dims dims = s.dims();
  if (!dims.empty()) dims.erase(dims.begin() + static_cast<ptrdiff_t>(target.axis));
  if (dims.size() + 1 != s.rank() || given->type.shape.dims() != dims) {
    return absl::InvalidArgumentError(absl::StrCat("its scores are ", s.ToString(),
                                                   " and its target ", given->type.shape.ToString(),
                                                   ", expected the same but for the classes"));
  }
  ASSIGN_OR_RETURN(const int64_t ignored, node.GetIntOr(ignore_at, -100));
  target.ignored = node.Emit("equal", {given, node.Integer(ignored, ".ignore")}, {}, ".ignored");
  ASSIGN_OR_RETURN(
      target.indices,
      node.Emit("where", {target.ignored, node.Integer(0, ".none"), given}, {}, ".classes"));
  Emitted weights = node.Scalar(1, ".weight");
  if (node.Has(2)) {
    weights = EmitGather(node, GetRealTensor(node, 2), target.indices, 0, ".weight");
  }
  target.weights = ZeroWhereIgnored(node, target, weights, ".weights");
  return target;
}

// The sum of losses divided by that of the weights, or each loss or their sum.
Emitted ReducedByWeights(NodeContext& node, const Emitted& losses, const ClassTarget& target,
                         LossReduction reduction) {
  if (reduction != kMeanLoss) return EmitReducedLoss(node, losses, reduction);
  return node.Emit("div",
                   {EmitOverAll(node, "reduce_sum", losses, ".sum"),
                    EmitOverAll(node, "reduce_sum", target.weights, ".total")},
                   {}, ".mean");
}

// Minus the scores of the target's classes, times their weights; 0 where they are ignored.
Emitted NegativeScores(NodeContext& node, Tensor* x, const ClassTarget& target) {
  const Emitted picked = PickClasses(node, x, target.indices, target.axis, ".picked");
  const Emitted product = node.Emit("mul", {picked, target.weights}, {}, ".weighed");
  // Beyond the ignored ones an infinite score would give NaN.
  const Emitted kept = ZeroWhereIgnored(node, target, product, ".kept");
  return node.Emit("neg", {kept}, {}, ".losses");
}

// (log x, target, weight, reduction, ignore_index): minus the score of each target's class; in
// decomposed graphs with the sum of the weights, which training reads.
absl::Status MapNegativeLogLikelihood(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, GetRealTensor(node, 0));
  ASSIGN_OR_RETURN(const LossReduction reduction, ReadLossReduction(node, 3));
  ASSIGN_OR_RETURN(const ClassTarget target, ReadClassTarget(node, *x, 4));
  const Emitted losses = NegativeScores(node, x, target);
  RETURN_IF_ERROR(node.SetOutput(ReducedByWeights(node, losses, target, reduction)));
  node.AddUnread("sum of its weights");
  return absl::OkStatus();
}

// x times the weights of its classes, argument 2, if there are any.
Emitted WeighClasses(NodeContext& node, const Emitted& x, size_t axis) {
  if (!node.Has(2)) return x;
  ASSIGN_OR_RETURN(const Tensor* scores, x);
  Dims dims(scores->type.shape.rank(), 1);
  dims[axis] = scores->type.shape[axis];
  const Emitted weights = node.Reshape(GetRealTensor(node, 2), std::move(dims), ".class_weights");
  return node.Emit("mul", {x, weights}, {}, ".class_weighted");
}

// Minus the sum over the classes.
Emitted NegativeSum(NodeContext& node, const Emitted& x, size_t axis) {
  const Emitted sum =
      EmitReduce(node, "reduce_sum", x, {static_cast<int64_t>(axis)}, false, ".over_classes");
  return node.Emit("neg", {sum}, {}, ".class_losses");
}

// The target has a probability of each class. The mean is one over the targets.
absl::Status SetCrossEntropyOfClasses(NodeContext& node, Tensor* log, size_t axis, float smoothing,
                                      LossReduction reduction) {
  const auto classes = static_cast<float>(log->type.shape[axis]);
  Emitted target = GetRealTensor(node, 1);
  if (smoothing > 0) {
    target = node.Scale(target, 1 - smoothing, ".sharp");
    target = node.Emit("add", {target, node.Scalar(smoothing / classes, ".even")}, {}, ".smooth");
  }
  const Emitted products = node.Emit("mul", {log, target}, {}, ".products");
  const Emitted losses = NegativeSum(node, WeighClasses(node, products, axis), axis);
  return node.SetOutput(EmitReducedLoss(node, losses, reduction));
}

// The target has indices of classes; with smoothing, a part of the loss is the mean of all classes.
absl::Status SetCrossEntropyOfIndices(NodeContext& node, Tensor* log, float smoothing,
                                      LossReduction reduction) {
  ASSIGN_OR_RETURN(const ClassTarget target, ReadClassTarget(node, *log, 4));
  Emitted losses = NegativeScores(node, log, target);
  if (smoothing > 0) {
    const float part = smoothing / static_cast<float>(log->type.shape[target.axis]);
    const Emitted all = NegativeSum(node, WeighClasses(node, log, target.axis), target.axis);
    const Emitted kept = ZeroWhereIgnored(node, target, all, ".all_kept");
    losses = node.Emit(
        "add", {node.Scale(losses, 1 - smoothing, ".sharp"), node.Scale(kept, part, ".even")}, {},
        ".smooth");
  }
  return node.SetOutput(ReducedByWeights(node, losses, target, reduction));
}

// (x, target, weight, reduction, ignore_index, label_smoothing): of log_softmax over the classes.
absl::Status MapCrossEntropy(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, GetRealTensor(node, 0));
  ASSIGN_OR_RETURN(const Tensor* target, node.GetTensor(1));
  ASSIGN_OR_RETURN(const LossReduction reduction, ReadLossReduction(node, 3));
  ASSIGN_OR_RETURN(const float smoothing, node.GetRealOr(5, 0));
  const size_t axis = ClassAxis(x->type.shape);
  if (x->type.shape.rank() == 0) {
    return absl::InvalidArgumentError("its scores are a number, expected [N,C,...] or [C]");
  }
  ASSIGN_OR_RETURN(Tensor * log,
                   node.Emit("log_softmax", {x}, {{"axis", static_cast<int64_t>(axis)}}, ".log"));
  if (target->type.shape == x->type.shape) {
    return SetCrossEntropyOfClasses(node, log, axis, smoothing, reduction);
  }
  return SetCrossEntropyOfIndices(node, log, smoothing, reduction);
}

// (x [N,C] or [C], target, p, margin, weight, reduction): the mean over all other classes of
// max(0, margin - the score of the target's + theirs)^p.
absl::Status MapMultiMarginLoss(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, GetRealTensor(node, 0));
  ASSIGN_OR_RETURN(Tensor * target, IntegerIndices(node, node.GetTensor(1)));
  ASSIGN_OR_RETURN(const float p, node.GetRealOr(2, 1));
  ASSIGN_OR_RETURN(const float margin, node.GetRealOr(3, 1));
  const Shape s = x->type.shape;
  const int64_t rows = s.rank() == 2 ? s[0] : 1;
  if (s.rank() < 1 || s.rank() > 2 || target->type.shape.elements() != rows) {
    return absl::InvalidArgumentError(absl::StrCat(
        "its scores are ", s.ToString(), " and its target ", target->type.shape.ToString(),
        ", expected [N,C] and [N], or [C] and a number"));
  }
  ASSIGN_OR_RETURN(target, node.Reshape(target, {rows}, ".targets"));
  ASSIGN_OR_RETURN(x, node.Reshape(x, {rows, s.back()}, ".rows"));
  const auto column = [&](const Emitted& values, absl::string_view suffix) {
    return node.Reshape(values, {rows, 1}, suffix);
  };
  const Emitted own = column(PickClasses(node, x, target, 1, ".picked"), ".own");
  const Emitted difference = node.Emit("sub", {x, own}, {}, ".difference");
  const Emitted above =
      node.Emit("add", {difference, node.Scalar(margin, ".margin")}, {}, ".above");
  Emitted losses = node.Emit("relu", {above}, {}, ".positive");
  if (p == 2) losses = node.Emit("square", {losses}, {}, ".square");
  if (node.Has(4)) {
    const Emitted weights = EmitGather(node, GetRealTensor(node, 4), target, 0, ".weights");
    losses = node.Emit("mul", {losses, column(weights, ".weight")}, {}, ".weighted");
  }
  Tensor* classes =
      node.Values(Shape({1, s.back()}), AxesFrom(0, static_cast<size_t>(s.back())), ".classes");
  const Emitted same = node.Emit("equal", {classes, column(target, ".column")}, {}, ".same");
  losses = node.Emit("where", {same, node.Scalar(0, ".zero"), losses}, {}, ".others");
  losses = EmitReduce(node, "reduce_mean", losses, {1}, s.rank() == 1, ".of_each");
  if (s.rank() == 1) losses = node.Reshape(losses, {}, ".number");
  return SetLoss(node, losses, 5);
}

constexpr OpMapping kClassLossMappings[] = {
    {"aten::multi_margin_loss", 2, MapMultiMarginLoss},
    {"aten::nll_loss", 2, MapNegativeLogLikelihood},
    {"aten::nll_loss2d", 2, MapNegativeLogLikelihood},
    {"aten::nll_loss_nd", 2, MapNegativeLogLikelihood},
    {"aten::nll_loss_forward", 5, MapNegativeLogLikelihood},
    {"aten::nll_loss2d_forward", 5, MapNegativeLogLikelihood},
    {"aten::cross_entropy_loss", 2, MapCrossEntropy},
};

}  // namespace

absl::Span<const OpMapping> ClassLossMappings() { return kClassLossMappings; }

}  // namespace synap_internal::torchscript_import
