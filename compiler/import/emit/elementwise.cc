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
absl::StatusOr<Tensor*> OrEqual(OpEmitter& op, absl::string_view strict, Tensor* a, Tensor* b) {
  ASSIGN_OR_RETURN(Tensor * unequal, op.Emit(strict, {a, b}, {}, ".strict"));
  ASSIGN_OR_RETURN(Tensor * equal, op.Emit("equal", {a, b}, {}, ".equal"));
  return EmitOr(op, unequal, equal);
}

}  // namespace

absl::StatusOr<Tensor*> EmitFloorDiv(OpEmitter& op, Tensor* a, Tensor* b) {
  if (a->type.dtype == DataType::kFloat32) {
    return op.Emit("floor", {op.Emit("div", {a, b}, {}, ".quotient")});
  }
  // (a - mod(a, b)) / b, which has no remainder
  const auto rest = op.Emit("mod", {a, b}, {}, ".rest");
  return op.Emit("div", {op.Emit("sub", {a, rest}, {}, ".whole"), b});
}

absl::StatusOr<Tensor*> EmitFloorMod(OpEmitter& op, Tensor* a, Tensor* b) {
  // Of integers op mod is just that.
  if (a->type.dtype != DataType::kFloat32) return op.Emit("mod", {a, b});
  // Op mod's remainder of floats has the sign of a; where that isn't b's, b is added.
  ASSIGN_OR_RETURN(Tensor * rest, op.Emit("mod", {a, b}, {}, ".rest"));
  const auto signs =
      op.Emit("mul", {op.Emit("sign", {rest}, {}, ".rest_sign"), op.Emit("sign", {b}, {}, ".sign")},
              {}, ".signs");
  const auto differ = op.Emit("less", {signs, op.Scalar(0, ".zero")}, {}, ".differ");
  return op.Emit("where", {differ, op.Emit("add", {rest, b}, {}, ".raised"), rest});
}

absl::StatusOr<Tensor*> EmitSquaredDifference(OpEmitter& op, Tensor* a, Tensor* b) {
  return op.Emit("square", {op.Emit("sub", {a, b}, {}, ".difference")});
}

absl::StatusOr<Tensor*> EmitChain(OpEmitter& op, absl::string_view op_name, size_t count,
                                  absl::FunctionRef<absl::StatusOr<Tensor*>(size_t i)> operand,
                                  absl::string_view suffix) {
  ASSIGN_OR_RETURN(Tensor * y, operand(0));
  for (size_t i = 1; i < count; ++i) {
    const bool last = i + 1 == count;
    ASSIGN_OR_RETURN(y, op.Emit(op_name, {y, operand(i)}, {},
                                last ? std::string(suffix) : absl::StrCat(".partial", i)));
  }
  return y;
}

absl::StatusOr<Tensor*> EmitLessOrEqual(OpEmitter& op, Tensor* a, Tensor* b) {
  if (a->type.dtype != DataType::kFloat32) return EmitNegated<"greater">(op, a, b);
  return OrEqual(op, "less", a, b);
}

absl::StatusOr<Tensor*> EmitGreaterOrEqual(OpEmitter& op, Tensor* a, Tensor* b) {
  if (a->type.dtype != DataType::kFloat32) return EmitNegated<"less">(op, a, b);
  return OrEqual(op, "greater", a, b);
}

absl::StatusOr<Tensor*> EmitAnd(OpEmitter& op, Tensor* a, Tensor* b) {
  return op.Emit("where", {a, b, a});
}

absl::StatusOr<Tensor*> EmitOr(OpEmitter& op, Tensor* a, Tensor* b) {
  return op.Emit("where", {a, a, b});
}

absl::StatusOr<Tensor*> EmitXor(OpEmitter& op, Tensor* a, Tensor* b) {
  return op.Emit("where", {a, op.Emit("logical_not", {b}, {}, ".not"), b});
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
