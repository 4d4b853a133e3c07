// Einstein summation, as diagonals, sums and matrix products.
#ifndef COMPILER_IMPORT_EMIT_EINSUM_H_
#define COMPILER_IMPORT_EMIT_EINSUM_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "compiler/graph/graph.h"
#include "compiler/import/emit/op_emitter.h"

namespace synap_internal {

// What `equation` ("ij,jk->ik", as numpy.einsum has it, with "..." and without "->" too) says of
// the operands, one or more. An operand itself if the equation changes nothing. InvalidArgument
// for an equation that doesn't fit them.
Emitted EmitEinsum(OpEmitter& op, absl::string_view equation, const std::vector<Tensor*>& operands);

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_EMIT_EINSUM_H_
