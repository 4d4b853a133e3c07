#include "compiler/graph/passes/fuse_activations.h"

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "base/status_macros.h"
#include "compiler/graph/passes/gelu_pattern.h"
#include "compiler/graph/passes/op_attributes.h"
#include "compiler/graph/passes/producers.h"
#include "compiler/graph/passes/replace_op.h"
#include "kernels/unary/unary.h"

namespace synap_internal {
namespace {

bool Near(float a, float b) { return std::fabs(a - b) <= 1e-6f; }

Op* ProducerIf(const Tensor* tensor, Arithmetic arithmetic) {
  Op* producer = tensor == nullptr ? nullptr : tensor->producer;
  return producer != nullptr && producer->Is(arithmetic) ? producer : nullptr;
}

bool IsToSix(const Clamp& clamp) { return clamp.min == 0 && clamp.max == 6; }

// The operand of a binary op that isn't the scalar constant `value`; null if
// none is.
Tensor* OtherOperand(const Op& op, float value) {
  for (size_t i = 0; i < 2; ++i) {
    if (Near(ScalarValue(*op.inputs[i]).value_or(NAN), value)) return op.inputs[1 - i];
  }
  return nullptr;
}

// The attributes min and max are 0 and 6.
bool ClampsToSix(const Op& op) {
  return IsToSix({FloatAttribute(op, "min", -INFINITY), FloatAttribute(op, "max", INFINITY)});
}

// relu6(x + 3), as add with a fused or a following clamp: x, else null.
Tensor* ShiftedRelu6(const Tensor* tensor) {
  if (tensor == nullptr || tensor->producer == nullptr) return nullptr;
  const Op& last = *tensor->producer;
  if (last.Is(Arithmetic::kSum)) return ClampsToSix(last) ? OtherOperand(last, 3) : nullptr;
  if (last.def->clamp == nullptr || !IsToSix(last.def->clamp(last.attributes))) return nullptr;
  const Op* sum = ProducerIf(last.inputs[0], Arithmetic::kSum);
  // A clamp of the sum's own must leave 0 to 6 alone.
  const bool wide = sum != nullptr && FloatAttribute(*sum, "min", -INFINITY) <= 0 &&
                    FloatAttribute(*sum, "max", INFINITY) >= 6;
  return wide ? OtherOperand(*sum, 3) : nullptr;
}

// The op is hard_sigmoid(x) with slope 1/6 in one of its spellings: x, else null.
Tensor* HardSigmoidOf(const Op& op) {
  const absl::StatusOr<UnaryParams> unary = FloatUnary(op.def->name, op.attributes);
  if (unary.ok() && unary->function == UnaryFunction::kHardSigmoid) {
    const bool slope = Near(unary->alpha, 1.0f / 6) && Near(unary->beta, 0.5f);
    return slope ? op.inputs[0] : nullptr;
  }
  if (op.Is(Arithmetic::kQuotient)) {
    return ScalarValue(*op.inputs[1]) == 6.0f ? ShiftedRelu6(op.inputs[0]) : nullptr;
  }
  if (!op.Is(Arithmetic::kProduct) || HasClamp(op)) return nullptr;
  return ShiftedRelu6(OtherOperand(op, 1.0f / 6));
}

struct Match {
  absl::string_view name;
  Tensor* x;
  std::vector<std::string> origins;
  Attributes attributes = {};
};

// mul(x, f(x)) in either order.
std::optional<Match> MatchProduct(const Graph& graph, const Op& mul) {
  if (!mul.Is(Arithmetic::kProduct)) return std::nullopt;
  for (size_t i = 0; i < 2; ++i) {
    Tensor* x = mul.inputs[i];
    const Op* factor = mul.inputs[1 - i]->producer;
    if (factor == nullptr) continue;
    if (factor->Is(Probability::kSigmoid) && factor->inputs[0] == x) {
      return Match{"silu", x, JoinOrigins(*factor, mul)};
    }
    const Tensor* softplus =
        FunctionOf(*mul.inputs[1 - i]) == UnaryFunction::kTanh ? factor->inputs[0] : nullptr;
    if (softplus != nullptr && FunctionOf(*softplus) == UnaryFunction::kSoftplus &&
        softplus->producer->inputs[0] == x) {
      return Match{"mish", x, JoinOriginsBetween(graph, *x, mul)};
    }
    if (HardSigmoidOf(*factor) == x) return Match{"hard_swish", x, JoinOrigins(*factor, mul)};
  }
  return std::nullopt;
}

// x * relu6(x + 3) / 6, divided last.
std::optional<Match> MatchGateQuotient(const Op& op) {
  const Tensor* product = nullptr;
  if (op.Is(Arithmetic::kQuotient) && ScalarValue(*op.inputs[1]) == 6.0f) product = op.inputs[0];
  if (op.Is(Arithmetic::kProduct)) product = OtherOperand(op, 1.0f / 6);
  Op* mul = ProducerIf(product, Arithmetic::kProduct);
  if (mul == nullptr || HasClamp(*mul)) return std::nullopt;
  for (size_t i = 0; i < 2; ++i) {
    if (ShiftedRelu6(mul->inputs[1 - i]) == mul->inputs[i]) {
      return Match{"hard_swish", mul->inputs[i], JoinOrigins(*mul, op)};
    }
  }
  return std::nullopt;
}

std::optional<Match> MatchSpelledGelu(const Graph& graph, const Op& op) {
  const std::optional<GeluMatch> gelu = MatchGelu(op);
  if (!gelu.has_value()) return std::nullopt;
  Match match{"gelu", gelu->x, JoinOriginsBetween(graph, *gelu->x, op)};
  if (gelu->approximate) match.attributes["approximate"] = int64_t{1};
  return match;
}

}  // namespace

absl::StatusOr<int> FuseActivations(Graph& graph) {
  std::vector<Op*> order;
  for (Op& op : graph.ops()) order.push_back(&op);
  int rewrites = 0;
  for (Op* op : order) {
    if (HasClamp(*op) || op->output()->type.dtype != DataType::kFloat32) continue;
    std::optional<Match> match = MatchGateQuotient(*op);
    if (!match.has_value()) match = MatchProduct(graph, *op);
    if (!match.has_value()) match = MatchSpelledGelu(graph, *op);
    if (!match.has_value() || match->x->type.shape != op->output()->type.shape) continue;
    ASSIGN_OR_RETURN(Op * fused, graph.AddInferredOp(match->name, {match->x}, match->attributes,
                                                     match->origins, op->output()->name, op));
    ReplaceOp(graph, op, fused->output());
    ++rewrites;
  }
  graph.RemoveDead();
  return rewrites;
}

}  // namespace synap_internal
