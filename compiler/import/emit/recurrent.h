// Recurrent layers (LSTM, GRU, RNN), unrolled over their steps.
//
// The products of all steps' inputs with the input weights are one product; each step then runs a
// cell on its part of that and the state.
#ifndef COMPILER_IMPORT_EMIT_RECURRENT_H_
#define COMPILER_IMPORT_EMIT_RECURRENT_H_

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/shape.h"
#include "compiler/graph/graph.h"
#include "compiler/import/emit/graph_builder.h"
#include "compiler/import/emit/op_emitter.h"

namespace synap_internal {

// Which of an LSTM's input and forget gates is computed as 1 - the other.
enum class CoupledGate { kNone, kInput, kForget };

// The factor that a GRU's reset gate applies to: the state, or the product of the state with the
// hidden gate's recurrence weights, bias included.
enum class GruReset { kState, kProduct };

// An activation: an op of one operand, or what a function emits.
class RecurrentFunction {
 public:
  using Emitting = std::function<Emitted(OpEmitter& emitter, const Emitted& x)>;

  // "": none, x itself.
  // NOLINTNEXTLINE(google-explicit-constructor): a list of names is a list of these.
  RecurrentFunction(absl::string_view op, Attributes attributes = {})
      : op_(op), attributes_(std::move(attributes)) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  RecurrentFunction(const char* op) : op_(op) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  RecurrentFunction(const std::string& op) : op_(op) {}
  explicit RecurrentFunction(Emitting emit) : emit_(std::move(emit)) {}

  Emitted Emit(OpEmitter& emitter, const Emitted& x) const {
    if (emit_ != nullptr) return emit_(emitter, x);
    return op_.empty() ? x : emitter.Emit(op_, {x}, attributes_, ".activation");
  }

 private:
  std::string op_;
  Attributes attributes_;
  Emitting emit_;
};

// Parameters of one direction of a layer. Gates are in ONNX's order: input, output, forget, cell
// (LSTM); update, reset, hidden (GRU).
struct RecurrentDirection {
  int64_t hidden = 0;
  Emitted recurrence = nullptr;       // [H, gates * H]; after a projection [P, gates * H]
  Emitted recurrence_bias = nullptr;  // [gates * H] or null
  // The activations of the gates, of the cell's (GRU: hidden) input and, of an LSTM, of the cell
  // state's output; of an RNN the only one.
  std::vector<RecurrentFunction> functions;
  float gate_clip = 0;  // bound of the magnitude of the gates before their activations; 0: none
  GruReset reset = GruReset::kState;  // GRU only
  // LSTM only
  Emitted peepholes = nullptr;  // [3 * H] of input, output, forget gate, or null
  CoupledGate coupled = CoupledGate::kNone;
  float cell_clip = 0;                // as gate_clip, of the cell state
  Emitted projection = nullptr;       // [P, H] or null; the output is a product with it
  Emitted projection_bias = nullptr;  // [P] or null
  float projection_clip = 0;          // as gate_clip, of the projection
};

struct RecurrentState {
  Tensor* h = nullptr;  // [B,H]; after a projection [B,P]
  Tensor* c = nullptr;  // [B,H], LSTM only
};

// Part `index` of the equal ones of `size` elements along the last dimension.
Emitted RecurrentPart(OpEmitter& emitter, const Emitted& x, int64_t index, int64_t size,
                      absl::string_view suffix);

// The next state, from the products of one step's input with its weights, [B, gates * H], and the
// state.
absl::StatusOr<RecurrentState> LstmCell(OpEmitter& emitter, const RecurrentDirection& direction,
                                        Tensor* input, const RecurrentState& state);
absl::StatusOr<RecurrentState> GruCell(OpEmitter& emitter, const RecurrentDirection& direction,
                                       Tensor* input, const RecurrentState& state);
absl::StatusOr<RecurrentState> RnnCell(OpEmitter& emitter, const RecurrentDirection& direction,
                                       Tensor* input, const RecurrentState& state);

// One of these.
using RecurrentCell = absl::StatusOr<RecurrentState> (*)(OpEmitter& emitter,
                                                         const RecurrentDirection& direction,
                                                         Tensor* input,
                                                         const RecurrentState& state);

// InvalidArgument unless `found`, the shape of what `what` names, is `expected`.
absl::Status CheckOperandShape(absl::string_view what, const Shape& found, const Shape& expected);

// Takes the ops of `runs` times `steps` steps off the builder's budget. ResourceExhausted if less
// is left: a small file may ask for any number of steps.
absl::Status ChargeSteps(GraphBuilder& builder, int64_t steps, int64_t runs);

// A state of zeros. ResourceExhausted if it is beyond the budget.
Emitted ZeroState(OpEmitter& emitter, const Shape& shape);

// x [steps * batch, inputs] times weights [inputs, width] plus bias [width] (null: none), as
// [steps, batch, width]. All results are named Name(suffix).
Emitted InputProducts(OpEmitter& emitter, const Emitted& x, const Emitted& weights,
                      const Emitted& bias, int64_t steps, absl::string_view suffix);

// One pass over the steps of a layer, in one direction.
struct RecurrentRun {
  RecurrentCell cell = nullptr;
  RecurrentDirection direction = {};
  Tensor* products = nullptr;  // InputProducts, [steps, batch, gates * H]
  RecurrentState state = {};   // before the first step; Unroll leaves that after the last
  bool backwards = false;      // from the last step in time to the first
  // Steps of each element of the batch; empty: all. After an element's last step in time its state
  // stays and its output is 0; backwards its first step is that one.
  std::vector<int64_t> lengths = {};
  // The number in a step's names, of its place in the order of running and in time. Default: time.
  std::function<int64_t(int64_t iteration, int64_t time)> number = nullptr;
  bool as_rows = false;  // outputs are [1, batch, P]
};

// The output h [batch, P] of each step, in the order of time.
absl::StatusOr<std::vector<Tensor*>> Unroll(OpEmitter& emitter, RecurrentRun& run);

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_EMIT_RECURRENT_H_
