// Operators that pick elements of a tensor by indices.
#ifndef COMPILER_IMPORT_EMIT_INDEXING_H_
#define COMPILER_IMPORT_EMIT_INDEXING_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compiler/import/emit/op_emitter.h"
#include "compiler/ir/graph.h"

namespace synap_internal {

// x with the dimension `axis`, in [-rank, rank), replaced by those of `indices` (int64), which
// pick its elements; named Name(suffix). InvalidArgument for another axis.
absl::StatusOr<Tensor*> EmitGather(OpEmitter& op, Tensor* x, absl::StatusOr<Tensor*> indices,
                                   int64_t axis, absl::string_view suffix = "");

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_EMIT_INDEXING_H_
