// Reductions along axes and the indices of extrema.
#ifndef COMPILER_IMPORT_EMIT_REDUCTION_H_
#define COMPILER_IMPORT_EMIT_REDUCTION_H_

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "compiler/graph/graph.h"
#include "compiler/import/emit/op_emitter.h"

namespace synap_internal {

// op_name ("reduce_sum", ...) of x along `axes`, named Name(suffix). The axes stay
// as dimensions of 1 with keep_dims, else they are dropped.
Emitted EmitReduce(OpEmitter& op, absl::string_view op_name, const Emitted& x,
                   std::vector<int64_t> axes, bool keep_dims, absl::string_view suffix = "");

// log(sum(exp(x))) along `axes`, with the largest element taken out of the exponentials, so that it
// overflows only where the result does; -inf of elements that all are.
Emitted EmitLogSumExp(OpEmitter& op, const Emitted& x, const std::vector<int64_t>& axes,
                      bool keep_dims);

// int64 index of the first largest element of x along `axis`, in [-rank, rank).
// InvalidArgument for another axis.
Emitted EmitArgMax(OpEmitter& op, const Emitted& x, int64_t axis, bool keep_dims,
                   absl::string_view suffix = "");
// The same of the smallest element.
Emitted EmitArgMin(OpEmitter& op, const Emitted& x, int64_t axis, bool keep_dims,
                   absl::string_view suffix = "");

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_EMIT_REDUCTION_H_
