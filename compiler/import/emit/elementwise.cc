#include "compiler/import/emit/elementwise.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace synap_internal {
namespace {

// strict(a, b) or a == b of real numbers: not the negated opposite, which NaN would be true for.
Emitted OrEqual(OpEmitter& op, absl::string_view strict, const Emitted& a, const Emitted& b) {
  const Emitted unequal = op.Emit(strict, {a, b}, {}, ".strict");
  return EmitOr(op, unequal, op.Emit("equal", {a, b}, {}, ".equal"));
}

}  // namespace

Emitted EmitFloorDiv(OpEmitter& op, const Emitted& a, const Emitted& b) {
  RETURN_IF_ERROR(a.status());
  if ((*a)->type.dtype == DataType::kFloat32) {
    return op.Emit("floor", {op.Emit("div", {a, b}, {}, ".quotient")});
  }
  // (a - mod(a, b)) / b, which has no remainder
  const Emitted rest = op.Emit("mod", {a, b}, {}, ".rest");
  return op.Emit("div", {op.Emit("sub", {a, rest}, {}, ".whole"), b});
}

Emitted EmitFloorMod(OpEmitter& op, const Emitted& a, const Emitted& b) {
  RETURN_IF_ERROR(a.status());
  // Of integers op mod is just that.
  if ((*a)->type.dtype != DataType::kFloat32) return op.Emit("mod", {a, b});
  // Op mod's remainder of floats has the sign of a; where that isn't b's, b is added.
  const Emitted rest = op.Emit("mod", {a, b}, {}, ".rest");
  const Emitted signs =
      op.Emit("mul", {op.Emit("sign", {rest}, {}, ".rest_sign"), op.Emit("sign", {b}, {}, ".sign")},
              {}, ".signs");
  const Emitted differ = op.Emit("less", {signs, op.Scalar(0, ".zero")}, {}, ".differ");
  return op.Emit("where", {differ, op.Emit("add", {rest, b}, {}, ".raised"), rest});
}

Emitted EmitTruncate(OpEmitter& op, const Emitted& x, absl::string_view suffix) {
  const Emitted size = op.Emit("floor", {op.Emit("abs", {x}, {}, ".abs")}, {}, ".floor");
  return op.Emit("mul", {op.Emit("sign", {x}, {}, ".sign"), size}, {}, suffix);
}

Emitted EmitSignBit(OpEmitter& op, const Emitted& x, absl::string_view suffix) {
  Tensor* zero = op.Scalar(0, ".zero");
  const Emitted below = op.Emit("less", {x, zero}, {}, ".below");
  const Emitted inverse = op.Emit("reciprocal", {x}, {}, ".inverse");
  return op.Emit("where", {below, below, op.Emit("less", {inverse, zero}, {}, ".inverse_below")},
                 {}, suffix);
}

Emitted EmitLogAddExp(OpEmitter& op, const Emitted& a, const Emitted& b) {
  // max(a, b) + log(1 + exp(-|a - b|)); the difference of equal infinities would be NaN.
  const Emitted equal = op.Emit("equal", {a, b}, {}, ".equal");
  Emitted distance = op.Emit("abs", {op.Emit("sub", {a, b}, {}, ".difference")}, {}, ".abs");
  distance = op.Emit("where", {equal, op.Scalar(0, ".zero"), distance}, {}, ".distance");
  const Emitted below = op.Emit("neg", {distance}, {}, ".below");
  const Emitted rest = op.Emit("softplus", {below}, {}, ".rest");
  return op.Emit("add", {op.Emit("maximum", {a, b}, {}, ".largest"), rest});
}

Emitted EmitSquaredDifference(OpEmitter& op, const Emitted& a, const Emitted& b) {
  return op.Emit("square", {op.Emit("sub", {a, b}, {}, ".difference")});
}

Emitted EmitChain(OpEmitter& op, absl::string_view op_name, size_t count,
                  absl::FunctionRef<Emitted(size_t i)> operand, absl::string_view suffix) {
  Emitted y = operand(0);
  for (size_t i = 1; y.ok() && i < count; ++i) {
    const bool last = i + 1 == count;
    y = op.Emit(op_name, {y, operand(i)}, {},
                last ? std::string(suffix) : absl::StrCat(".partial", i));
  }
  return y;
}

Emitted EmitLessOrEqual(OpEmitter& op, const Emitted& a, const Emitted& b) {
  RETURN_IF_ERROR(a.status());
  if ((*a)->type.dtype != DataType::kFloat32) return EmitNegated<"greater">(op, a, b);
  return OrEqual(op, "less", a, b);
}

Emitted EmitGreaterOrEqual(OpEmitter& op, const Emitted& a, const Emitted& b) {
  RETURN_IF_ERROR(a.status());
  if ((*a)->type.dtype != DataType::kFloat32) return EmitNegated<"less">(op, a, b);
  return OrEqual(op, "greater", a, b);
}

Emitted EmitAnd(OpEmitter& op, const Emitted& a, const Emitted& b) {
  return op.Emit("where", {a, b, a});
}

Emitted EmitOr(OpEmitter& op, const Emitted& a, const Emitted& b) {
  return op.Emit("where", {a, a, b});
}

Emitted EmitXor(OpEmitter& op, const Emitted& a, const Emitted& b) {
  return op.Emit("where", {a, op.Emit("logical_not", {b}, {}, ".not"), b});
}

Emitted EmitSelu(OpEmitter& op, const Emitted& x, float alpha, float scale,
                 absl::string_view scale_suffix) {
  return op.Emit("mul",
                 {op.Emit("elu", {x}, {{"alpha", alpha}}, ".elu"), op.Scalar(scale, scale_suffix)});
}

Emitted EmitSoftsign(OpEmitter& op, const Emitted& x, absl::string_view divisor_suffix) {
  const Emitted abs = op.Emit("abs", {x}, {}, ".abs");
  Tensor* one = op.Scalar(1, ".one");
  return op.Emit("div", {x, op.Emit("add", {abs, one}, {}, divisor_suffix)});
}

Emitted EmitRowSelect(OpEmitter& op, Tensor* condition, Tensor* a, Tensor* b) {
  const Shape& rows = condition->type.shape;
  const size_t rank = a->type.shape.rank();
  Emitted chosen = condition;
  if (rows.rank() == 1 && rank > 1 && rows[0] == a->type.shape[0]) {
    std::vector<int64_t> dims(rank, 1);
    dims[0] = rows[0];
    chosen = op.Reshape(condition, std::move(dims), ".condition");
  }
  return op.Emit("where", {chosen, a, b});
}

std::optional<float> NumberBeside(const Tensor& operand, const Tensor& x) {
  const TensorType& type = operand.type;
  const bool number = operand.is_constant() && type.dtype == DataType::kFloat32 &&
                      type.shape.elements() == 1 && type.shape.rank() <= x.type.shape.rank();
  return number ? std::optional(operand.values<float>()[0]) : std::nullopt;
}

}  // namespace synap_internal
