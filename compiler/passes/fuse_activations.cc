#include "compiler/passes/fuse_activations.h"

#include <cmath>
#include <optional>
#include <vector>

#include "base/status_macros.h"
#include "compiler/passes/rewrite.h"
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
    const std::optional<float> scalar = ScalarValue(op.inputs[i]);
    if (scalar.has_value() && Near(*scalar, value)) return op.inputs[1 - i];
  }
  return nullptr;
}

// relu6(x + 3), as add with a fused or a following clamp: x, else null.
Tensor* ShiftedRelu6(const Tensor* tensor) {
  if (tensor == nullptr || tensor->producer == nullptr) return nullptr;
  const Op& last = *tensor->producer;
  if (last.Is(Arithmetic::kSum)) {
    const Clamp fused{FloatAttribute(last, "min", -1), FloatAttribute(last, "max", -1)};
    return IsToSix(fused) ? OtherOperand(last, 3) : nullptr;
  }
  if (last.def->clamp == nullptr || !IsToSix(last.def->clamp(last.attributes))) return nullptr;
  const Op* sum = ProducerIf(last.inputs[0], Arithmetic::kSum);
  return sum == nullptr ? nullptr : OtherOperand(*sum, 3);
}

// tensor = hard_sigmoid(x) with slope 1/6 in one of its spellings: x, else null.
Tensor* HardSigmoidOf(const Tensor* tensor) {
  const Op* producer = tensor == nullptr ? nullptr : tensor->producer;
  if (producer == nullptr) return nullptr;
  const absl::StatusOr<UnaryParams> unary = FloatUnary(producer->def->name, producer->attributes);
  if (unary.ok() && unary->function == UnaryFunction::kHardSigmoid) {
    const bool slope = Near(unary->alpha, 1.0f / 6) && Near(unary->beta, 0.5f);
    return slope ? producer->inputs[0] : nullptr;
  }
  if (Op* op = ProducerIf(tensor, Arithmetic::kQuotient)) {
    const std::optional<float> divisor = ScalarValue(op->inputs[1]);
    return divisor == 6.0f ? ShiftedRelu6(op->inputs[0]) : nullptr;
  }
  if (Op* op = ProducerIf(tensor, Arithmetic::kProduct))
    return ShiftedRelu6(OtherOperand(*op, 1.0f / 6));
  return nullptr;
}

struct Match {
  absl::string_view name;
  Tensor* x;
  const Op* part;  // whose origins are joined
};

// mul(x, f(x)) in either order.
std::optional<Match> MatchProduct(const Op& mul) {
  for (size_t i = 0; i < 2; ++i) {
    Tensor* x = mul.inputs[i];
    const Tensor* factor = mul.inputs[1 - i];
    if (factor->producer == nullptr) continue;
    if (factor->producer->Is(Probability::kSigmoid) && factor->producer->inputs[0] == x) {
      return Match{"silu", x, factor->producer};
    }
    if (HardSigmoidOf(factor) == x) return Match{"hard_swish", x, factor->producer};
  }
  return std::nullopt;
}

// x * relu6(x + 3) / 6, divided last.
std::optional<Match> MatchQuotient(const Op& op) {
  const Tensor* product = nullptr;
  if (op.Is(Arithmetic::kQuotient) && ScalarValue(op.inputs[1]) == 6.0f) product = op.inputs[0];
  if (op.Is(Arithmetic::kProduct)) product = OtherOperand(op, 1.0f / 6);
  Op* mul = ProducerIf(product, Arithmetic::kProduct);
  if (mul == nullptr || mul->attributes.count("min") + mul->attributes.count("max") > 0) {
    return std::nullopt;
  }
  for (size_t i = 0; i < 2; ++i) {
    if (ShiftedRelu6(mul->inputs[1 - i]) == mul->inputs[i]) {
      return Match{"hard_swish", mul->inputs[i], mul};
    }
  }
  return std::nullopt;
}

}  // namespace

absl::StatusOr<int> FuseActivations(Graph& graph) {
  std::vector<Op*> order;
  for (Op& op : graph.ops()) order.push_back(&op);
  int rewrites = 0;
  for (Op* op : order) {
    if ((!op->Is(Arithmetic::kProduct) && !op->Is(Arithmetic::kQuotient)) ||
        op->attributes.count("min") + op->attributes.count("max") > 0 ||
        op->output()->type.dtype != DataType::kFloat32) {
      continue;
    }
    std::optional<Match> match = MatchQuotient(*op);
    if (!match.has_value() && op->Is(Arithmetic::kProduct)) match = MatchProduct(*op);
    if (!match.has_value() || match->x->type.shape != op->output()->type.shape) continue;
    ASSIGN_OR_RETURN(
        Op * fused, graph.AddInferredOp(match->name, {match->x}, {}, JoinOrigins(*match->part, *op),
                                        op->output()->name, op));
    ReplaceOp(graph, op, fused->output());
    ++rewrites;
  }
  graph.RemoveDead();
  return rewrites;
}

}  // namespace synap_internal
