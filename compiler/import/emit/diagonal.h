// Diagonals and triangles of the matrices in the last two dimensions of a tensor.
#ifndef COMPILER_IMPORT_EMIT_DIAGONAL_H_
#define COMPILER_IMPORT_EMIT_DIAGONAL_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "compiler/graph/graph.h"
#include "compiler/import/emit/op_emitter.h"

namespace synap_internal {

// Diagonal k has the elements whose column is k more than their row.

// The number of elements of diagonal k of a matrix; 0 for one that is outside of it.
int64_t DiagonalLength(int64_t rows, int64_t columns, int64_t k);

// bool [rows, columns]: is_set(k) at each element of diagonal k; named Name(suffix).
// ResourceExhausted beyond the builder's budget.
Emitted EmitDiagonalMask(OpEmitter& op, int64_t rows, int64_t columns,
                         absl::FunctionRef<bool(int64_t k)> is_set,
                         absl::string_view suffix = ".mask");

enum class Triangle { kUpper, kLower };

// x with 0 instead of what is below (or, of the lower triangle, above) diagonal k.
// InvalidArgument for fewer than two dimensions.
Emitted EmitTriangle(OpEmitter& op, Tensor* x, int64_t k, Triangle triangle);

// Diagonal k of x [..., rows, columns], [..., DiagonalLength]; named Name(suffix).
Emitted EmitDiagonal(OpEmitter& op, const Emitted& x, int64_t k, absl::string_view suffix = "");

// [..., m, m] with x [..., n] as diagonal k and 0 elsewhere, m = n + |k|; named Name(suffix).
// InvalidArgument for a k that makes too large a matrix.
Emitted EmitDiagonalMatrix(OpEmitter& op, Tensor* x, int64_t k, absl::string_view suffix = "");

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_EMIT_DIAGONAL_H_
