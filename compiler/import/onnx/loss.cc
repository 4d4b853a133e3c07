// Losses, which end some exported training graphs.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/axes.h"
#include "compiler/import/emit/indexing.h"
#include "compiler/import/emit/reduction.h"
#include "compiler/import/onnx/op_table.h"

namespace synap_internal::onnx_import {
namespace {

// The sum over all elements, a scalar.
Emitted Total(NodeContext& node, const Emitted& x, absl::string_view suffix) {
  if (!x.ok()) return x;
  return EmitReduce(node, "reduce_sum", x, AxesFrom(0, (*x)->type.shape.rank()), false, suffix);
}

absl::Status CheckTarget(const Shape& scores, const Shape& target) {
  std::vector<int64_t> dims = scores.dims();
  if (dims.size() >= 2) dims.erase(dims.begin() + 1);
  if (scores.rank() >= 2 && target.dims() == dims) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("its target ", target.ToString(),
                                                 " doesn't fit its scores ", scores.ToString()));
}

struct LossTarget {
  Emitted classes;  // 0 for ignored elements
  Emitted weights;  // of each element's class, 0 for ignored ones; null if all are 1
};

LossTarget ReadLossTarget(NodeContext& node) {
  GraphBuilder& builder = node.builder();
  LossTarget target{node.input(1), nullptr};
  const bool ignores = node.HasAttribute("ignore_index");
  Emitted ignored = nullptr;
  if (ignores) {
    Tensor* index = builder.AddScalar(node.Name(".ignore_index"), node.Int("ignore_index", 0));
    Tensor* zero = builder.AddScalar(node.Name(".zero"), int64_t{0});
    ignored = node.Emit("equal", {target.classes, index}, {}, ".ignored");
    target.classes = node.Emit("where", {ignored, zero, target.classes}, {}, ".classes");
  }
  if (node.HasInput(2)) {
    target.weights = EmitGather(node, node.input(2), target.classes, 0, ".weights");
  }
  if (!ignores) return target;
  if (!IsGiven(target.weights)) target.weights = node.Scalar(1, ".one");
  target.weights =
      node.Emit("where", {ignored, node.Scalar(0, ".nothing"), target.weights}, {}, ".weights");
  return target;
}

// -weight * log_probability[target], for each element or over all of them.
absl::Status SetLikelihoodLoss(NodeContext& node, Tensor* log_probability) {
  const Shape shape = node.shape(1);
  RETURN_IF_ERROR(CheckTarget(node.shape(0), shape));
  ASSIGN_OR_RETURN(const std::string reduction,
                   node.Choice("reduction", "mean", {"none", "sum", "mean"}));
  const LossTarget target = ReadLossTarget(node);
  const bool weighted = IsGiven(target.weights);
  std::vector<int64_t> dims = shape.dims();
  dims.insert(dims.begin() + 1, 1);
  const auto classes = node.Reshape(target.classes, std::move(dims), ".class");
  const auto picked = EmitGatherElements(node, log_probability, classes, 1, ".picked");
  Emitted loss = node.Emit("neg", {node.Reshape(picked, shape.dims(), ".picked")}, {}, ".loss");
  if (weighted) loss = node.Emit("mul", {loss, target.weights}, {}, ".weighted");
  if (reduction == "none") return node.SetOutput(loss);
  loss = Total(node, loss, ".sum");
  if (reduction == "sum") return node.SetOutput(loss);
  const Emitted divisor = weighted ? Total(node, target.weights, ".weight")
                                   : node.Scalar(static_cast<float>(shape.elements()), ".count");
  return node.SetOutput(node.Emit("div", {loss, divisor}));
}

absl::Status MapNegativeLogLikelihoodLoss(NodeContext& node) {
  return SetLikelihoodLoss(node, node.input(0));
}

absl::Status MapSoftmaxCrossEntropyLoss(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * log_probability,
                   node.Emit("log_softmax", {node.input(0)}, {{"axis", int64_t{1}}}, ".log_prob"));
  RETURN_IF_ERROR(node.SetOutput(1, log_probability));
  return SetLikelihoodLoss(node, log_probability);
}

constexpr OpMapping kLossMappings[] = {
    {"NegativeLogLikelihoodLoss", 2, 3, MapNegativeLogLikelihoodLoss},
    {"SoftmaxCrossEntropyLoss", 2, 3, MapSoftmaxCrossEntropyLoss},
};

}  // namespace

absl::Span<const OpMapping> LossMappings() { return kLossMappings; }

}  // namespace synap_internal::onnx_import
