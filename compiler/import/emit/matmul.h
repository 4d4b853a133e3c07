// Matrix products and their operands.
#ifndef COMPILER_IMPORT_EMIT_MATMUL_H_
#define COMPILER_IMPORT_EMIT_MATMUL_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "base/shape.h"
#include "compiler/graph/graph.h"
#include "compiler/import/emit/op_emitter.h"

namespace synap_internal {

// Whether fully_connected can take `w` as weights: a constant, or a constant that
// only has to be dequantized.
bool HoldsConstantWeights(const Tensor& w);

// InvalidArgument unless both operands of a product have two dimensions.
absl::Status CheckMatrices(const Shape& a, const Shape& b);

// x [..., M, N] as [..., N, M], named Name(suffix). InvalidArgument for fewer than
// two dimensions.
Emitted EmitMatrixTranspose(OpEmitter& op, const Emitted& x, absl::string_view suffix);

// a [..., M, K] times b [..., K, N] is [..., M, N], named Name(suffix). A vector a is a row and
// a vector b a column, and the result drops that dimension again. InvalidArgument for scalars.
Emitted EmitMatmul(OpEmitter& op, const Emitted& a, const Emitted& b,
                   absl::string_view suffix = "");

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_EMIT_MATMUL_H_
