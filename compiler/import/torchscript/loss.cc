// Losses as functions of predictions and targets, which modules that are exported in evaluation
// mode may return. class_loss.cc has those whose target is a class.
#include "compiler/import/torchscript/loss.h"

#include <limits>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/elementwise.h"
#include "compiler/import/emit/reduction.h"
#include "compiler/import/emit/shape.h"
#include "compiler/import/torchscript/op_table.h"
#include "compiler/import/torchscript/operands.h"

namespace synap_internal::torchscript_import {
namespace {

// The losses kEmit(node, x) of the first two operands, with the reduction at argument kReductionAt.
template <auto kEmit, size_t kReductionAt>
absl::Status MapLoss(NodeContext& node) {
  ASSIGN_OR_RETURN(const Operands x, GetPromoted(node, DataType::kFloat32));
  return SetLoss(node, kEmit(node, x), kReductionAt);
}

// --- Differences of predictions and targets

Emitted SquaredLoss(NodeContext& node, const Operands& x) {
  return EmitSquaredDifference(node, x.a, x.b);
}

Emitted AbsoluteLoss(NodeContext& node, const Operands& x) {
  return node.Emit("abs", {node.Emit("sub", {x.a, x.b}, {}, ".difference")}, {}, ".distance");
}

// Half the square of a distance below `limit`, a line from there on. Huber's has slope `limit`, the
// smooth L1 loss, which is Huber's divided by that, slope 1.
Emitted QuadraticThenLinear(NodeContext& node, const Operands& x, bool huber) {
  ASSIGN_OR_RETURN(const float limit, node.GetRealOr(3, 1));
  const Emitted distance = AbsoluteLoss(node, x);
  if (limit == 0 && !huber) return distance;
  Tensor* bound = node.Scalar(limit, ".limit");
  const Emitted square = node.Emit("square", {distance}, {}, ".square");
  const Emitted near = node.Scale(square, huber ? 0.5f : 0.5f / limit, ".near");
  Emitted far = node.Emit("sub", {distance, node.Scalar(limit / 2, ".half_limit")}, {}, ".beyond");
  if (huber) far = node.Scale(far, limit, ".far");
  const Emitted small = node.Emit("less", {distance, bound}, {}, ".small");
  return node.Emit("where", {small, near, far}, {}, ".losses");
}

Emitted SmoothAbsoluteLoss(NodeContext& node, const Operands& x) {
  return QuadraticThenLinear(node, x, false);
}

Emitted HuberLoss(NodeContext& node, const Operands& x) {
  return QuadraticThenLinear(node, x, true);
}

// --- Probabilities

// The losses times the weights that argument `at` has, if it is there.
Emitted Weighted(NodeContext& node, const Emitted& losses, size_t at) {
  if (!node.Has(at)) return losses;
  return node.Emit("mul", {losses, GetRealTensor(node, at)}, {}, ".weighted");
}

// log(x), -100 or more, as PyTorch bounds it.
Emitted BoundedLog(NodeContext& node, const Emitted& x, absl::string_view suffix) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const Emitted log = node.Emit("log", {x}, {}, suffix);
  return node.Emit("clip", {log}, {{"min", -100.0f}, {"max", kInfinity}}, suffix);
}

// (x, target, weight, reduction): -(target log(x) + (1 - target) log(1 - x))
Emitted CrossEntropyOfProbabilities(NodeContext& node, const Operands& x) {
  Tensor* one = node.Scalar(1, ".one");
  const Emitted rest = node.Emit("sub", {one, x.a}, {}, ".rest");
  const Emitted against = node.Emit("sub", {x.b, one}, {}, ".against");
  const Emitted no = node.Emit("mul", {against, BoundedLog(node, rest, ".log_rest")}, {}, ".no");
  const Emitted yes = node.Emit("mul", {x.b, BoundedLog(node, x.a, ".log")}, {}, ".yes");
  return Weighted(node, node.Emit("sub", {no, yes}, {}, ".losses"), 2);
}

// (x, target, weight, pos_weight, reduction): (1 - target) x + softplus(-x), the latter times
// 1 + (pos_weight - 1) target.
Emitted CrossEntropyOfLogits(NodeContext& node, const Operands& x) {
  Tensor* one = node.Scalar(1, ".one");
  const Emitted rest = node.Emit("sub", {one, x.b}, {}, ".rest");
  const Emitted linear = node.Emit("mul", {rest, x.a}, {}, ".linear");
  const Emitted negative = node.Emit("neg", {x.a}, {}, ".negative");
  Emitted soft = node.Emit("softplus", {negative}, {}, ".softplus");
  if (node.Has(3)) {
    const Emitted more = node.Emit("sub", {GetRealTensor(node, 3), one}, {}, ".more");
    const Emitted extra = node.Emit("mul", {more, x.b}, {}, ".extra");
    const Emitted factor = node.Emit("add", {extra, one}, {}, ".factor");
    soft = node.Emit("mul", {soft, factor}, {}, ".scaled");
  }
  return Weighted(node, node.Emit("add", {linear, soft}, {}, ".losses"), 2);
}

// (log x, target, reduction, log_target): target (log(target) - log(x)), 0 where the target is 0.
Emitted Divergence(NodeContext& node, const Operands& x) {
  ASSIGN_OR_RETURN(const bool log_target, node.GetBoolOr(3, false));
  if (log_target) {
    const Emitted target = node.Emit("exp", {x.b}, {}, ".target");
    return node.Emit("mul", {target, node.Emit("sub", {x.b, x.a}, {}, ".difference")}, {},
                     ".losses");
  }
  const Value target = Value::Of(x.b);
  const Emitted entropy = EmitOperator(node, "aten::xlogy", {target, target});
  const Emitted cross = node.Emit("mul", {x.b, x.a}, {}, ".cross");
  return node.Emit("sub", {entropy, cross}, {}, ".losses");
}

// log(target!) by Stirling's formula where the target is above 1, else 0.
Emitted StirlingTerm(NodeContext& node, Tensor* target) {
  constexpr float kPi = 3.14159265358979324f;
  const Emitted log = node.Emit("log", {target}, {}, ".log_target");
  const Emitted product = node.Emit("mul", {target, log}, {}, ".target_product");
  const Emitted first = node.Emit("sub", {product, target}, {}, ".first");
  const Emitted circle =
      node.Emit("log", {node.Scale(target, 2 * kPi, ".circle")}, {}, ".log_circle");
  const Emitted sum = node.Emit("add", {first, node.Scale(circle, 0.5f, ".half")}, {}, ".stirling");
  const Emitted above = node.Emit("greater", {target, node.Scalar(1, ".one")}, {}, ".above");
  return node.Emit("where", {above, sum, node.Scalar(0, ".zero")}, {}, ".term");
}

// (x, target, log_input, full, eps, reduction): exp(x) - target x, or x - target log(x + eps).
Emitted PoissonLoss(NodeContext& node, const Operands& x) {
  ASSIGN_OR_RETURN(const bool log_input, node.GetBool(2));
  ASSIGN_OR_RETURN(const bool full, node.GetBool(3));
  ASSIGN_OR_RETURN(const float epsilon, node.GetReal(4));
  Emitted rate = x.a, log = x.a;
  if (log_input) {
    rate = node.Emit("exp", {x.a}, {}, ".rate");
  } else {
    const Emitted above = node.Emit("add", {x.a, node.Scalar(epsilon, ".eps")}, {}, ".above_eps");
    log = node.Emit("log", {above}, {}, ".log");
  }
  const Emitted product = node.Emit("mul", {x.b, log}, {}, ".product");
  const Emitted losses = node.Emit("sub", {rate, product}, {}, ".losses");
  if (!full) return losses;
  return node.Emit("add", {losses, StirlingTerm(node, x.b)}, {}, ".full");
}

// --- Margins

// log(1 + exp(-target x))
Emitted SoftMarginLoss(NodeContext& node, const Operands& x) {
  const Emitted product = node.Emit("mul", {x.a, x.b}, {}, ".product");
  return node.Emit("softplus", {node.Emit("neg", {product}, {}, ".negative")}, {}, ".losses");
}

// `values` where the target is the number or, without `equals`, is another one; 0 elsewhere.
Emitted WhereTarget(NodeContext& node, Tensor* target, float number, bool equals,
                    const Emitted& values, absl::string_view suffix) {
  Tensor* zero = node.Scalar(0, ".zero");
  const Emitted found = node.Emit("equal", {target, node.Scalar(number, suffix)}, {}, suffix);
  return equals ? node.Emit("where", {found, values, zero}, {}, suffix)
                : node.Emit("where", {found, zero, values}, {}, suffix);
}

// (x, target, margin, reduction): x where the target is 1, max(0, margin - x) where it is -1.
Emitted HingeEmbeddingLoss(NodeContext& node, const Operands& x) {
  ASSIGN_OR_RETURN(const float margin, node.GetRealOr(2, 1));
  const Emitted below = node.Emit("sub", {node.Scalar(margin, ".margin"), x.a}, {}, ".below");
  const Emitted apart =
      WhereTarget(node, x.b, 1, false, node.Emit("relu", {below}, {}, ".positive"), ".apart");
  const Emitted alike = WhereTarget(node, x.b, -1, false, x.a, ".alike");
  return node.Emit("add", {apart, alike}, {}, ".losses");
}

// (a, b, target, margin, reduction): max(0, margin - target (a - b))
absl::Status MapMarginRankingLoss(NodeContext& node) {
  ASSIGN_OR_RETURN(const Operands x, GetPromoted(node, DataType::kFloat32));
  ASSIGN_OR_RETURN(const float margin, node.GetRealOr(3, 0));
  const Emitted difference = node.Emit("sub", {x.a, x.b}, {}, ".difference");
  const Emitted product = node.Emit("mul", {GetRealTensor(node, 2), difference}, {}, ".product");
  const Emitted below = node.Emit("sub", {node.Scalar(margin, ".margin"), product}, {}, ".below");
  return SetLoss(node, node.Emit("relu", {below}, {}, ".positive"), 4);
}

// The cosine of the angle between a and b along their last dimension.
Emitted EmitCosine(NodeContext& node, const Operands& x) {
  const auto dot = [&](Tensor* a, Tensor* b, absl::string_view suffix) {
    const Emitted products = node.Emit("mul", {a, b}, {}, suffix);
    return EmitReduce(node, "reduce_sum", products, {-1}, false, suffix);
  };
  Tensor* epsilon = node.Scalar(1e-12f, ".eps");
  const Emitted a = node.Emit("add", {dot(x.a, x.a, ".a_square"), epsilon}, {}, ".a_size");
  const Emitted b = node.Emit("add", {dot(x.b, x.b, ".b_square"), epsilon}, {}, ".b_size");
  const Emitted size = node.Emit("sqrt", {node.Emit("mul", {a, b}, {}, ".sizes")}, {}, ".size");
  return node.Emit("div", {dot(x.a, x.b, ".dot"), size}, {}, ".cosine");
}

// (a, b, target, margin, reduction): 1 - the cosine where the target is 1, max(0, the cosine -
// margin) where it is -1.
absl::Status MapCosineEmbeddingLoss(NodeContext& node) {
  ASSIGN_OR_RETURN(const Operands x, GetPromoted(node, DataType::kFloat32));
  ASSIGN_OR_RETURN(Tensor * target, GetRealTensor(node, 2));
  ASSIGN_OR_RETURN(const float margin, node.GetRealOr(3, 0));
  const Emitted cosine = EmitCosine(node, x);
  const Emitted angle = node.Emit("sub", {node.Scalar(1, ".one"), cosine}, {}, ".angle");
  const Emitted above = node.Emit("sub", {cosine, node.Scalar(margin, ".margin")}, {}, ".above");
  const Emitted alike = WhereTarget(node, target, 1, true, angle, ".alike");
  const Emitted apart =
      WhereTarget(node, target, -1, true, node.Emit("relu", {above}, {}, ".positive"), ".apart");
  return SetLoss(node, node.Emit("add", {alike, apart}, {}, ".losses"), 4);
}

// (anchor, positive, negative, margin, p, eps, swap, reduction): max(0, margin + the distance from
// the positive - that from the negative), or from the nearer of anchor and positive with `swap`.
absl::Status MapTripletMarginLoss(NodeContext& node) {
  ASSIGN_OR_RETURN(const float margin, node.GetRealOr(3, 1));
  ASSIGN_OR_RETURN(const double p, node.GetDoubleOr(4, 2));
  ASSIGN_OR_RETURN(const double epsilon, node.GetDoubleOr(5, 1e-6));
  ASSIGN_OR_RETURN(const bool swap, node.GetBoolOr(6, false));
  const auto distance = [&](size_t a, size_t b) {
    return EmitOperator(node, "aten::pairwise_distance",
                        {node.argument(a), node.argument(b), Value{p}, Value{epsilon}});
  };
  Emitted far = distance(0, 2);
  if (swap) far = node.Emit("minimum", {far, distance(1, 2)}, {}, ".nearer");
  const Emitted difference = node.Emit("sub", {distance(0, 1), far}, {}, ".difference");
  const Emitted above =
      node.Emit("add", {difference, node.Scalar(margin, ".margin")}, {}, ".above");
  return SetLoss(node, node.Emit("relu", {above}, {}, ".positive"), 7);
}

constexpr OpMapping kLossMappings[] = {
    {"aten::mse_loss", 2, MapLoss<SquaredLoss, 2>},
    {"aten::l1_loss", 2, MapLoss<AbsoluteLoss, 2>},
    {"aten::smooth_l1_loss", 2, MapLoss<SmoothAbsoluteLoss, 2>},
    {"aten::huber_loss", 2, MapLoss<HuberLoss, 2>},
    {"aten::binary_cross_entropy", 2, MapLoss<CrossEntropyOfProbabilities, 3>},
    {"aten::binary_cross_entropy_with_logits", 2, MapLoss<CrossEntropyOfLogits, 4>},
    {"aten::kl_div", 2, MapLoss<Divergence, 2>},
    {"aten::poisson_nll_loss", 6, MapLoss<PoissonLoss, 5>},
    {"aten::soft_margin_loss", 2, MapLoss<SoftMarginLoss, 2>},
    {"aten::hinge_embedding_loss", 2, MapLoss<HingeEmbeddingLoss, 3>},
    {"aten::margin_ranking_loss", 3, MapMarginRankingLoss},
    {"aten::cosine_embedding_loss", 3, MapCosineEmbeddingLoss},
    {"aten::triplet_margin_loss", 3, MapTripletMarginLoss},
};

}  // namespace

absl::StatusOr<LossReduction> ReadLossReduction(const NodeContext& node, size_t at) {
  ASSIGN_OR_RETURN(const int64_t number, node.GetIntOr(at, kMeanLoss));
  if (number >= kEachLoss && number <= kSumOfLosses) return static_cast<LossReduction>(number);
  return absl::InvalidArgumentError(
      absl::StrCat("its reduction is number ", number, ", expected 0 (none), 1 (mean) or 2 (sum)"));
}

Emitted EmitOverAll(NodeContext& node, absl::string_view op, const Emitted& x,
                    absl::string_view suffix) {
  return EmitReduce(node, op, EmitFlat(node, x, absl::StrCat(suffix, ".list")), {0}, false, suffix);
}

Emitted EmitReducedLoss(NodeContext& node, const Emitted& losses, LossReduction reduction) {
  if (reduction == kEachLoss) return losses;
  return EmitOverAll(node, reduction == kMeanLoss ? "reduce_mean" : "reduce_sum", losses);
}

absl::Status SetLoss(NodeContext& node, const Emitted& losses, size_t at) {
  ASSIGN_OR_RETURN(const LossReduction reduction, ReadLossReduction(node, at));
  return node.SetOutput(EmitReducedLoss(node, losses, reduction));
}

absl::Span<const OpMapping> LossMappings() { return kLossMappings; }

}  // namespace synap_internal::torchscript_import
