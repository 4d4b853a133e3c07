// Operators that make constants.
#ifndef COMPILER_IMPORT_EMIT_CONSTANT_H_
#define COMPILER_IMPORT_EMIT_CONSTANT_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "compiler/graph/graph.h"
#include "compiler/import/emit/op_emitter.h"

namespace synap_internal {

// int64 start, start + step, ... before `end`, rank 1, named Name(suffix). InvalidArgument for a
// step of 0 and for numbers outside of -2^53 to 2^53, ResourceExhausted beyond the builder's
// budget.
Emitted EmitRange(OpEmitter& op, int64_t start, int64_t end, int64_t step,
                  absl::string_view suffix = "");

// The same of constant operands of one element, all integers or all float32. The numbers of a
// float32 range are sums, each rounded. InvalidArgument for those that aren't finite.
Emitted EmitRange(OpEmitter& op, const Tensor& start, const Tensor& limit, const Tensor& delta);

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_EMIT_CONSTANT_H_
