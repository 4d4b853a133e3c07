// One step of a GRU, whatever the framework.
#ifndef COMPILER_IMPORT_EMIT_GRU_CELL_H_
#define COMPILER_IMPORT_EMIT_GRU_CELL_H_

#include "absl/status/statusor.h"
#include "compiler/import/emit/lstm_cell.h"
#include "compiler/import/emit/op_emitter.h"
#include "compiler/ir/graph.h"

namespace synap_internal {

// What the reset gate multiplies: the state, or the product of the state with the hidden gate's
// recurrence weights and its bias.
enum class GruReset { kState, kProduct };

// From the products of one step's input, [B, 3 * H], and the state to the next. Gates stand in
// ONNX's order: update, reset, hidden. Functions are those of the first two, and of the hidden one.
absl::StatusOr<RecurrentState> GruCell(OpEmitter& emitter, const RecurrentDirection& direction,
                                       GruReset reset, Tensor* input, const RecurrentState& state);

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_EMIT_GRU_CELL_H_
