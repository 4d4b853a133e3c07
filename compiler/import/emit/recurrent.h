// Recurrent layers, unrolled over their steps.
//
// The products of all steps' inputs with the input weights are one product; each step then runs a
// cell on its part of that and the state.
#ifndef COMPILER_IMPORT_EMIT_RECURRENT_H_
#define COMPILER_IMPORT_EMIT_RECURRENT_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/shape.h"
#include "compiler/import/emit/graph_builder.h"
#include "compiler/import/emit/op_emitter.h"
#include "compiler/import/emit/recurrent_cells.h"
#include "compiler/ir/graph.h"

namespace synap_internal {

// The next state, from the products of one step's input, [B, gates * H], and the state. LstmCell,
// GruCell or RnnCell.
using RecurrentCell = absl::StatusOr<RecurrentState> (*)(OpEmitter& emitter,
                                                         const RecurrentDirection& direction,
                                                         Tensor* input,
                                                         const RecurrentState& state);

// An op of one operand without attributes as a cell's function.
RecurrentFunction RecurrentActivation(absl::string_view op);

// InvalidArgument unless `found`, the shape of what `what` names, is `expected`.
absl::Status CheckOperandShape(absl::string_view what, const Shape& found, const Shape& expected);

// Takes the ops of `runs` times `steps` steps off the builder's budget. ResourceExhausted if less
// is left: a small file may ask for any number of steps.
absl::Status ChargeSteps(GraphBuilder& builder, int64_t steps, int64_t runs);

// A state of zeros. ResourceExhausted if it is beyond the budget.
absl::StatusOr<Tensor*> ZeroState(OpEmitter& emitter, const Shape& shape);

// x [steps * batch, inputs] times weights [inputs, width] plus bias [width] (null: none), as
// [steps, batch, width]. All results are named Name(suffix).
absl::StatusOr<Tensor*> InputProducts(OpEmitter& emitter, Tensor* x, Tensor* weights, Tensor* bias,
                                      int64_t steps, absl::string_view suffix);

// One pass over the steps of a layer, in one direction.
struct RecurrentRun {
  RecurrentCell cell = nullptr;
  RecurrentDirection direction = {};
  Tensor* products = nullptr;  // InputProducts, [steps, batch, gates * H]
  RecurrentState state = {};   // before the first step; Unroll leaves that after the last
  bool backwards = false;      // from the last step in time to the first
  // Steps of each element of the batch; empty: all. An element's state stays, and its output is 0,
  // after its last step. REQUIRES: empty unless forward.
  std::vector<int64_t> lengths = {};
  // The number in a step's names, of its place in the order of running and in time. Default: time.
  std::function<int64_t(int64_t iteration, int64_t time)> number = nullptr;
  bool as_rows = false;  // outputs are [1, batch, P]
};

// The output h [batch, P] of each step, in the order of time.
absl::StatusOr<std::vector<Tensor*>> Unroll(OpEmitter& emitter, RecurrentRun& run);

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_EMIT_RECURRENT_H_
