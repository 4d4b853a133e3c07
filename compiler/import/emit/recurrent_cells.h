// One step of recurrent layers: LSTM, GRU and RNN.
#ifndef COMPILER_IMPORT_EMIT_RECURRENT_CELLS_H_
#define COMPILER_IMPORT_EMIT_RECURRENT_CELLS_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compiler/import/emit/op_emitter.h"
#include "compiler/ir/graph.h"

namespace synap_internal {

using RecurrentFunction = std::function<absl::StatusOr<Tensor*>(OpEmitter&, Tensor*)>;

// Which of an LSTM's input and forget gates is computed as 1 - the other.
enum class CoupledGate { kNone, kInput, kForget };

// The factor that a GRU's reset gate applies to: the state, or the product of the state with the
// hidden gate's recurrence weights, bias included.
enum class GruReset { kState, kProduct };

// Parameters of one direction of a layer. Gates are in ONNX's order: input, output, forget, cell
// (LSTM); update, reset, hidden (GRU).
struct RecurrentDirection {
  int64_t hidden = 0;
  Tensor* recurrence = nullptr;       // [H, gates * H]; after a projection [P, gates * H]
  Tensor* recurrence_bias = nullptr;  // [gates * H] or null
  // Of the gates, of the cell's (GRU: hidden) input and, of an LSTM, of the cell state's output; of
  // an RNN the only one.
  std::vector<RecurrentFunction> functions;
  GruReset reset = GruReset::kState;  // GRU only
  // LSTM only
  Tensor* peepholes = nullptr;  // [3 * H] of input, output, forget gate, or null
  CoupledGate coupled = CoupledGate::kNone;
  float cell_clip = 0;                // bound of the cell state's magnitude; 0: none
  Tensor* projection = nullptr;       // [P, H] or null; the output is a product with it
  Tensor* projection_bias = nullptr;  // [P] or null
  float projection_clip = 0;          // as cell_clip
};

struct RecurrentState {
  Tensor* h = nullptr;  // [B,H]; after a projection [B,P]
  Tensor* c = nullptr;  // [B,H], LSTM only
};

// Part `index` of the equal ones of `size` elements along the last dimension.
absl::StatusOr<Tensor*> RecurrentPart(OpEmitter& emitter, Tensor* x, int64_t index, int64_t size,
                                      absl::string_view suffix);

// Element `index` of the first dimension, without that dimension.
absl::StatusOr<Tensor*> RecurrentRow(OpEmitter& emitter, Tensor* x, int64_t index,
                                     absl::string_view suffix);

// h times the recurrence weights, with their bias.
absl::StatusOr<Tensor*> RecurrentProduct(OpEmitter& emitter, const RecurrentDirection& direction,
                                         Tensor* h);

// The next state, from the products of one step's input with its weights, [B, gates * H], and the
// state.
absl::StatusOr<RecurrentState> LstmCell(OpEmitter& emitter, const RecurrentDirection& direction,
                                        Tensor* input, const RecurrentState& state);
absl::StatusOr<RecurrentState> GruCell(OpEmitter& emitter, const RecurrentDirection& direction,
                                       Tensor* input, const RecurrentState& state);
absl::StatusOr<RecurrentState> RnnCell(OpEmitter& emitter, const RecurrentDirection& direction,
                                       Tensor* input, const RecurrentState& state);

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_EMIT_RECURRENT_CELLS_H_
