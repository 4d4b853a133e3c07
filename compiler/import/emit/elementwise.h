// Elementwise operators of several operands: arithmetic, comparisons, logic and selection.
#ifndef COMPILER_IMPORT_EMIT_ELEMENTWISE_H_
#define COMPILER_IMPORT_EMIT_ELEMENTWISE_H_

#include <cstddef>
#include <optional>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compiler/graph/graph.h"
#include "compiler/import/emit/op_emitter.h"
#include "compiler/import/emit/op_name.h"

namespace synap_internal {

// Operands broadcast as in NumPy. A result is the node's output unless it takes a suffix.

// floor(a / b), Python's a // b. a and b have one type, float32 or an integer type.
absl::StatusOr<Tensor*> EmitFloorDiv(OpEmitter& op, Tensor* a, Tensor* b);
// a - floor(a / b) * b, Python's a % b, likewise.
absl::StatusOr<Tensor*> EmitFloorMod(OpEmitter& op, Tensor* a, Tensor* b);

// (a - b)^2.
absl::StatusOr<Tensor*> EmitSquaredDifference(OpEmitter& op, Tensor* a, Tensor* b);

// kOp(a, b).
template <OpName kOp>
absl::StatusOr<Tensor*> EmitBinary(OpEmitter& op, Tensor* a, Tensor* b) {
  return op.Emit(kOp, {a, b});
}

// ((x0 op x1) op x2) ..., named Name(suffix); the result after operand i is
// Name(".partial<i>") until the last. `operand` is asked for x0, x1, ... in that order
// and just before each is used, since it may emit ops. REQUIRES: count >= 1.
absl::StatusOr<Tensor*> EmitChain(OpEmitter& op, absl::string_view op_name, size_t count,
                                  absl::FunctionRef<absl::StatusOr<Tensor*>(size_t i)> operand,
                                  absl::string_view suffix = "");

// not kOpposite(a, b): true where an operand is NaN.
template <OpName kOpposite>
absl::StatusOr<Tensor*> EmitNegated(OpEmitter& op, Tensor* a, Tensor* b) {
  return op.Emit("logical_not", {op.Emit(kOpposite, {a, b}, {}, ".negated")});
}
// a <= b and a >= b; false where an operand is NaN.
absl::StatusOr<Tensor*> EmitLessOrEqual(OpEmitter& op, Tensor* a, Tensor* b);
absl::StatusOr<Tensor*> EmitGreaterOrEqual(OpEmitter& op, Tensor* a, Tensor* b);

// Logic of bools, which have no kernels of their own.
absl::StatusOr<Tensor*> EmitAnd(OpEmitter& op, Tensor* a, Tensor* b);
absl::StatusOr<Tensor*> EmitOr(OpEmitter& op, Tensor* a, Tensor* b);
absl::StatusOr<Tensor*> EmitXor(OpEmitter& op, Tensor* a, Tensor* b);

// condition ? a : b, where a condition [N] chooses whole rows of a and b [N, ...],
// as TensorFlow's Select does.
absl::StatusOr<Tensor*> EmitRowSelect(OpEmitter& op, Tensor* condition, Tensor* a, Tensor* b);

// The number that `operand` is for every element of x: that of a constant float32
// of one element and no more dimensions than x. Nothing for other operands.
std::optional<float> NumberBeside(const Tensor& operand, const Tensor& x);

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_EMIT_ELEMENTWISE_H_
