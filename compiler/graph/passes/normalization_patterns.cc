#include "compiler/graph/passes/normalization_patterns.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/axes.h"
#include "compiler/graph/passes/op_attributes.h"
#include "compiler/graph/passes/producers.h"
#include "compiler/graph/passes/tensor_uses.h"

namespace synap_internal {
namespace {

// The op that makes `tensor`, if it is this one and has no clamp; else null.
const Op* ArithmeticProducer(const Tensor& tensor, Arithmetic arithmetic) {
  const Op* op = tensor.producer;
  return op != nullptr && op->Is(arithmetic) && !HasClamp(*op) ? op : nullptr;
}

// The dimensions that a mean runs over, in rising order, if it keeps them.
std::optional<std::vector<int64_t>> AxesOfMean(const Tensor& tensor) {
  const Op* op = tensor.producer;
  const bool is_mean = op != nullptr && op->def->averaged_elements != nullptr &&
                       op->attributes.count("axes") > 0 && IntAttribute(*op, "keep_dims", 1) != 0;
  if (!is_mean) return std::nullopt;
  absl::StatusOr<std::vector<int64_t>> axes =
      ResolveAxes(IntsAttribute(*op, "axes"), op->inputs[0]->type.shape.rank());
  if (!axes.ok()) return std::nullopt;
  std::sort(axes->begin(), axes->end());
  return *std::move(axes);
}

// x of x²; else null.
Tensor* SquaredBy(const Tensor& tensor) {
  if (FunctionOf(tensor) == UnaryFunction::kSquare) return tensor.producer->inputs[0];
  const Op* product = ArithmeticProducer(tensor, Arithmetic::kProduct);
  return product != nullptr && product->inputs[0] == product->inputs[1] ? product->inputs[0]
                                                                        : nullptr;
}

// sqrt(mean(values²) + epsilon), or its reciprocal.
struct Deviation {
  Tensor* values = nullptr;
  std::vector<int64_t> axes;
  float epsilon = 0;
  bool inverse = false;
};

std::optional<Deviation> DeviationIn(const Tensor& tensor) {
  Deviation found;
  const std::optional<UnaryFunction> function = FunctionOf(tensor);
  if (!function.has_value()) return std::nullopt;
  const Tensor* root = &tensor;
  if (*function == UnaryFunction::kReciprocal) {
    root = tensor.producer->inputs[0];
    if (FunctionOf(*root) != UnaryFunction::kSqrt) return std::nullopt;
  }
  found.inverse = *function != UnaryFunction::kSqrt;
  if (found.inverse && root == &tensor && *function != UnaryFunction::kRsqrt) return std::nullopt;
  const Tensor* mean = root->producer->inputs[0];
  if (const Op* sum = ArithmeticProducer(*mean, Arithmetic::kSum)) {
    const size_t constant = sum->inputs[1]->is_constant() ? 1 : 0;
    const std::optional<float> epsilon = ScalarValue(*sum->inputs[constant]);
    if (!epsilon.has_value()) return std::nullopt;
    found.epsilon = *epsilon;
    mean = sum->inputs[1 - constant];
  }
  std::optional<std::vector<int64_t>> axes = AxesOfMean(*mean);
  if (!axes.has_value() || !(found.epsilon >= 0)) return std::nullopt;
  found.values = SquaredBy(*mean->producer->inputs[0]);
  if (found.values == nullptr) return std::nullopt;
  found.axes = *std::move(axes);
  return found;
}

struct Centered {
  Tensor* x = nullptr;
  const Tensor* mean = nullptr;  // null: it isn't subtracted
};

// The values' own x, and its mean over the same axes, if they are x - mean(x); else they are x.
Centered CenteredOf(const Deviation& deviation) {
  if (const Op* difference = ArithmeticProducer(*deviation.values, Arithmetic::kDifference)) {
    const Tensor& mean = *difference->inputs[1];
    if (AxesOfMean(mean) == deviation.axes && mean.producer->inputs[0] == difference->inputs[0]) {
      return {difference->inputs[0], &mean};
    }
  }
  return {deviation.values, nullptr};
}

NormalizationMatch MatchOf(const Deviation& deviation, const Centered& centered) {
  return {.x = centered.x,
          .centers = centered.mean != nullptr,
          .axes = deviation.axes,
          .epsilon = deviation.epsilon};
}

// values / deviation, or times its reciprocal.
std::optional<NormalizationMatch> MatchQuotient(const Op& op) {
  const bool product = op.Is(Arithmetic::kProduct);
  if (!product && !op.Is(Arithmetic::kQuotient)) return std::nullopt;
  for (size_t i = 0; i < (product ? 2 : 1); ++i) {
    const std::optional<Deviation> deviation = DeviationIn(*op.inputs[1 - i]);
    if (deviation.has_value() && deviation->values == op.inputs[i] &&
        deviation->inverse == product) {
      return MatchOf(*deviation, CenteredOf(*deviation));
    }
  }
  return std::nullopt;
}

// The operand beside `operand`; null unless that is one of the op's two.
Tensor* Beside(const Op& op, const Tensor* operand) {
  if (op.inputs[0] == operand) return op.inputs[1];
  return op.inputs[1] == operand ? op.inputs[0] : nullptr;
}

// What is added to x * factor: a product with the mean or its negative, and a bias.
struct Shift {
  const Op* product = nullptr;  // null: there is none
  bool negated = false;
  Tensor* bias = nullptr;  // null: none
};

// bias - mean * factor, as TensorFlow writes it, or -mean * factor [+ bias], as Keras 3 does.
Shift ShiftOf(const Tensor& tensor) {
  if (const Op* difference = ArithmeticProducer(tensor, Arithmetic::kDifference)) {
    return Shift{ArithmeticProducer(*difference->inputs[1], Arithmetic::kProduct), false,
                 difference->inputs[0]};
  }
  if (const Op* sum = ArithmeticProducer(tensor, Arithmetic::kSum)) {
    const size_t constant = sum->inputs[1]->is_constant() ? 1 : 0;
    return Shift{ArithmeticProducer(*sum->inputs[1 - constant], Arithmetic::kProduct), true,
                 sum->inputs[constant]};
  }
  return Shift{ArithmeticProducer(tensor, Arithmetic::kProduct), true, nullptr};
}

// `scaled` + `shift` as x * factor + ShiftOf(x's mean).
std::optional<NormalizationMatch> MatchParts(const Op& scaled, const Shift& shift,
                                             const Tensor& factor) {
  if (shift.bias != nullptr && !shift.bias->is_float_constant()) return std::nullopt;
  Tensor* scale = nullptr;
  const Tensor* reciprocal = &factor;
  if (const Op* both = ArithmeticProducer(factor, Arithmetic::kProduct)) {
    const size_t constant = both->inputs[1]->is_constant() ? 1 : 0;
    scale = both->inputs[constant];
    reciprocal = both->inputs[1 - constant];
    if (!scale->is_float_constant()) return std::nullopt;
  }
  const std::optional<Deviation> deviation = DeviationIn(*reciprocal);
  if (!deviation.has_value() || !deviation->inverse) return std::nullopt;
  const Centered centered = CenteredOf(*deviation);
  const Tensor* mean = Beside(*shift.product, &factor);
  if (mean != nullptr && shift.negated) {
    mean = FunctionOf(*mean) == UnaryFunction::kNeg ? mean->producer->inputs[0] : nullptr;
  }
  if (mean == nullptr || mean != centered.mean || Beside(scaled, &factor) != centered.x) {
    return std::nullopt;
  }
  NormalizationMatch match = MatchOf(*deviation, centered);
  match.scale = scale;
  match.bias = shift.bias;
  return match;
}

std::optional<NormalizationMatch> MatchTakenApart(const Op& op) {
  if (!op.Is(Arithmetic::kSum)) return std::nullopt;
  for (size_t i = 0; i < 2; ++i) {
    const Op* scaled = ArithmeticProducer(*op.inputs[i], Arithmetic::kProduct);
    const Shift shift = ShiftOf(*op.inputs[1 - i]);
    if (scaled == nullptr || shift.product == nullptr) continue;
    for (const Tensor* factor : scaled->inputs) {
      if (auto match = MatchParts(*scaled, shift, *factor)) return match;
    }
  }
  return std::nullopt;
}

// The constant of `arithmetic` with `tensor`, which doesn't grow by it; else null.
Tensor* ConstantOf(const Op* op, Arithmetic arithmetic, const Tensor& tensor) {
  if (op == nullptr || !op->Is(arithmetic) || HasClamp(*op)) return nullptr;
  Tensor* constant = Beside(*op, &tensor);
  const bool fits = constant != nullptr && constant->is_float_constant() &&
                    op->output()->type.shape == tensor.type.shape;
  return fits ? constant : nullptr;
}

}  // namespace

std::optional<NormalizationMatch> MatchNormalization(const Op& op) {
  if (HasClamp(op) || op.output()->type.dtype != DataType::kFloat32) return std::nullopt;
  std::optional<NormalizationMatch> match = MatchQuotient(op);
  if (!match.has_value()) match = MatchTakenApart(op);
  if (!match.has_value() || match->x->type.shape != op.output()->type.shape) return std::nullopt;
  return match;
}

Op* OnlyReader(const Graph& graph, const Tensor& tensor) {
  return HasSingleUse(graph, &tensor) ? tensor.users[0] : nullptr;
}

AffineMatch MatchAffine(const Graph& graph, const Tensor& from) {
  AffineMatch found;
  const Tensor* result = &from;
  Op* next = OnlyReader(graph, *result);
  found.scale = ConstantOf(next, Arithmetic::kProduct, *result);
  if (found.scale != nullptr) {
    found.ops.push_back(next);
    result = next->output();
    next = OnlyReader(graph, *result);
  }
  found.bias = ConstantOf(next, Arithmetic::kSum, *result);
  if (found.bias != nullptr) found.ops.push_back(next);
  return found;
}

}  // namespace synap_internal
