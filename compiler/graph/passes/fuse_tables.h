// Fuses a table look-up into the epilogue of the linear op before it.
//
//   %c: uint8<affine s z> = conv2d(%x, %w, %b)
//   %y: uint8 = lookup(%c, %t)
//      ->  %y = conv2d(%x, %w, %b, %t) {table_scale=s, table_zero_point=z}
//
// The results are the same to the bit; %c is never stored.
#ifndef COMPILER_GRAPH_PASSES_FUSE_TABLES_H_
#define COMPILER_GRAPH_PASSES_FUSE_TABLES_H_

#include "absl/status/statusor.h"
#include "compiler/graph/graph.h"

namespace synap_internal {

// Returns the number of rewrites.
absl::StatusOr<int> FuseTables(Graph& graph);

}  // namespace synap_internal

#endif  // COMPILER_GRAPH_PASSES_FUSE_TABLES_H_
