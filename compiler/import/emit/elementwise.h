// Elementwise operators: arithmetic, comparisons, logic, selection and activations.
#ifndef COMPILER_IMPORT_EMIT_ELEMENTWISE_H_
#define COMPILER_IMPORT_EMIT_ELEMENTWISE_H_

#include <cstddef>
#include <optional>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "compiler/graph/graph.h"
#include "compiler/import/emit/op_emitter.h"
#include "compiler/import/emit/op_name.h"

namespace synap_internal {

// Operands broadcast as in NumPy. A result is the node's output unless it takes a suffix.

// floor(a / b), Python's a // b. a and b have one type, float32 or an integer type.
Emitted EmitFloorDiv(OpEmitter& op, const Emitted& a, const Emitted& b);
// a - floor(a / b) * b, Python's a % b, likewise.
Emitted EmitFloorMod(OpEmitter& op, const Emitted& a, const Emitted& b);

// x, float32, without its fraction, named Name(suffix).
Emitted EmitTruncate(OpEmitter& op, const Emitted& x, absl::string_view suffix = "");

// Whether x, float32, has the sign of negative numbers, which -0 has and of NaN isn't told; named
// Name(suffix).
Emitted EmitSignBit(OpEmitter& op, const Emitted& x, absl::string_view suffix = "");

// log(exp(a) + exp(b)) of float32, which overflows only where the result does; the node's output.
Emitted EmitLogAddExp(OpEmitter& op, const Emitted& a, const Emitted& b);

// (a - b)^2.
Emitted EmitSquaredDifference(OpEmitter& op, const Emitted& a, const Emitted& b);

// kOp(a, b).
template <OpName kOp>
Emitted EmitBinary(OpEmitter& op, const Emitted& a, const Emitted& b) {
  return op.Emit(kOp, {a, b});
}

// ((x0 op x1) op x2) ..., named Name(suffix); the result after operand i is
// Name(".partial<i>") until the last. `operand` is asked for x0, x1, ... in that order
// and just before each is used, since it may emit ops. REQUIRES: count >= 1.
Emitted EmitChain(OpEmitter& op, absl::string_view op_name, size_t count,
                  absl::FunctionRef<Emitted(size_t i)> operand, absl::string_view suffix = "");

// not kOpposite(a, b): true where an operand is NaN.
template <OpName kOpposite>
Emitted EmitNegated(OpEmitter& op, const Emitted& a, const Emitted& b) {
  return op.Emit("logical_not", {op.Emit(kOpposite, {a, b}, {}, ".negated")});
}
// a <= b and a >= b; false where an operand is NaN.
Emitted EmitLessOrEqual(OpEmitter& op, const Emitted& a, const Emitted& b);
Emitted EmitGreaterOrEqual(OpEmitter& op, const Emitted& a, const Emitted& b);

// Logic of bools, which have no kernels of their own.
Emitted EmitAnd(OpEmitter& op, const Emitted& a, const Emitted& b);
Emitted EmitOr(OpEmitter& op, const Emitted& a, const Emitted& b);
Emitted EmitXor(OpEmitter& op, const Emitted& a, const Emitted& b);

// scale * elu(x), the node's output; the constant is named Name(scale_suffix). alpha is that of
// elu.
Emitted EmitSelu(OpEmitter& op, const Emitted& x, float alpha, float scale,
                 absl::string_view scale_suffix);

// x / (1 + |x|), the node's output; the divisor is named Name(divisor_suffix).
Emitted EmitSoftsign(OpEmitter& op, const Emitted& x, absl::string_view divisor_suffix);

// condition ? a : b, where a condition [N] chooses whole rows of a and b [N, ...],
// as TensorFlow's Select does.
Emitted EmitRowSelect(OpEmitter& op, Tensor* condition, Tensor* a, Tensor* b);

// The number that `operand` is for every element of x: that of a constant float32
// of one element and no more dimensions than x. Nothing for other operands.
std::optional<float> NumberBeside(const Tensor& operand, const Tensor& x);

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_EMIT_ELEMENTWISE_H_
