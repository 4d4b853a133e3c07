#include "compiler/import/emit/elementwise.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace synap_internal {

absl::StatusOr<Tensor*> EmitFloorDiv(OpEmitter& op, Tensor* a, Tensor* b) {
  if (a->type.dtype == DataType::kFloat32) {
    ASSIGN_OR_RETURN(Tensor * quotient, op.Emit("div", {a, b}, {}, ".quotient"));
    return op.Emit("floor", {quotient});
  }
  // (a - mod(a, b)) / b, which has no remainder
  ASSIGN_OR_RETURN(Tensor * rest, op.Emit("mod", {a, b}, {}, ".rest"));
  ASSIGN_OR_RETURN(Tensor * whole, op.Emit("sub", {a, rest}, {}, ".whole"));
  return op.Emit("div", {whole, b});
}

absl::StatusOr<Tensor*> EmitFloorMod(OpEmitter& op, Tensor* a, Tensor* b) {
  // Of integers op mod is just that.
  if (a->type.dtype != DataType::kFloat32) return op.Emit("mod", {a, b});
  ASSIGN_OR_RETURN(Tensor * quotient, op.Emit("div", {a, b}, {}, ".quotient"));
  ASSIGN_OR_RETURN(quotient, op.Emit("floor", {quotient}, {}, ".floor"));
  ASSIGN_OR_RETURN(Tensor * whole, op.Emit("mul", {quotient, b}, {}, ".whole"));
  return op.Emit("sub", {a, whole});
}

absl::StatusOr<Tensor*> EmitSquaredDifference(OpEmitter& op, Tensor* a, Tensor* b) {
  ASSIGN_OR_RETURN(Tensor * difference, op.Emit("sub", {a, b}, {}, ".difference"));
  return op.Emit("square", {difference});
}

absl::StatusOr<Tensor*> EmitChain(OpEmitter& op, absl::string_view op_name, size_t count,
                                  absl::FunctionRef<absl::StatusOr<Tensor*>(size_t i)> operand,
                                  absl::string_view prefix, absl::string_view suffix) {
  ASSIGN_OR_RETURN(Tensor * y, operand(0));
  for (size_t i = 1; i < count; ++i) {
    ASSIGN_OR_RETURN(Tensor * x, operand(i));
    const std::string name = i + 1 == count ? std::string(suffix) : absl::StrCat(prefix, i);
    ASSIGN_OR_RETURN(y, op.Emit(op_name, {y, x}, {}, name));
  }
  return y;
}

absl::StatusOr<Tensor*> EmitNegatedComparison(OpEmitter& op, absl::string_view op_name, Tensor* a,
                                              Tensor* b, absl::string_view inner) {
  ASSIGN_OR_RETURN(Tensor * negated, op.Emit(op_name, {a, b}, {}, inner));
  return op.Emit("logical_not", {negated});
}

absl::StatusOr<Tensor*> EmitOrEqual(OpEmitter& op, absl::string_view strict, Tensor* a, Tensor* b,
                                    absl::string_view inner) {
  if (a->type.dtype != DataType::kFloat32) {
    return EmitNegatedComparison(op, strict == "less" ? "greater" : "less", a, b, inner);
  }
  // Not the negated opposite, which NaN would be true for.
  ASSIGN_OR_RETURN(Tensor * less, op.Emit(strict, {a, b}, {}, ".strict"));
  ASSIGN_OR_RETURN(Tensor * equal, op.Emit("equal", {a, b}, {}, ".equal"));
  return EmitOr(op, less, equal);
}

absl::StatusOr<Tensor*> EmitAnd(OpEmitter& op, Tensor* a, Tensor* b) {
  return op.Emit("where", {a, b, a});
}

absl::StatusOr<Tensor*> EmitOr(OpEmitter& op, Tensor* a, Tensor* b) {
  return op.Emit("where", {a, a, b});
}

absl::StatusOr<Tensor*> EmitXor(OpEmitter& op, Tensor* a, Tensor* b, absl::string_view inner) {
  ASSIGN_OR_RETURN(Tensor * not_b, op.Emit("logical_not", {b}, {}, inner));
  return op.Emit("where", {a, not_b, b});
}

absl::StatusOr<Tensor*> EmitRowSelect(OpEmitter& op, Tensor* condition, Tensor* a, Tensor* b) {
  const Shape& rows = condition->type.shape;
  const size_t rank = a->type.shape.rank();
  if (rows.rank() == 1 && rank > 1 && rows[0] == a->type.shape[0]) {
    std::vector<int64_t> dims(rank, 1);
    dims[0] = rows[0];
    ASSIGN_OR_RETURN(condition, op.Reshape(condition, std::move(dims), ".condition"));
  }
  return op.Emit("where", {condition, a, b});
}

std::optional<float> NumberBeside(const Tensor& operand, const Tensor& x) {
  const TensorType& type = operand.type;
  const bool number = operand.is_constant() && type.dtype == DataType::kFloat32 &&
                      type.shape.elements() == 1 && type.shape.rank() <= x.type.shape.rank();
  return number ? std::optional(operand.values<float>()[0]) : std::nullopt;
}

}  // namespace synap_internal
