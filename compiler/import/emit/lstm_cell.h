// One step of recurrent networks, whatever the framework.
#ifndef COMPILER_IMPORT_EMIT_LSTM_CELL_H_
#define COMPILER_IMPORT_EMIT_LSTM_CELL_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compiler/import/emit/op_emitter.h"
#include "compiler/ir/graph.h"

namespace synap_internal {

using RecurrentFunction = std::function<absl::StatusOr<Tensor*>(OpEmitter&, Tensor*)>;

// Whether one of an LSTM's gates is 1 - the other.
enum class CoupledGate { kNone, kInput, kForget };

// One direction of a network, as its cell sees it. Gates stand in ONNX's order: input, output,
// forget, cell (LSTM).
struct RecurrentDirection {
  int64_t hidden = 0;
  Tensor* recurrence = nullptr;       // [H, gates * H]; behind a projection [P, gates * H]
  Tensor* recurrence_bias = nullptr;  // [gates * H] or null
  std::vector<RecurrentFunction> functions;
  // LSTM only
  Tensor* peepholes = nullptr;  // [3 * H] of input, output, forget gate, or null
  CoupledGate coupled = CoupledGate::kNone;
  float cell_clip = 0;                // the cell state stays within +-; 0: unbounded
  Tensor* projection = nullptr;       // [P, H] or null: what is shown is a product with it
  Tensor* projection_bias = nullptr;  // [P] or null
  float projection_clip = 0;          // as cell_clip
};

struct RecurrentState {
  Tensor* h = nullptr;  // [B,H], behind a projection [B,P]
  Tensor* c = nullptr;  // [B,H], LSTM only
};

// For GraphBuilder::ChargeOps: each op of each step is one of the graph.
inline constexpr int64_t kOpsOfRecurrentStep = 32;

// Part `index` of the equal ones of `size` elements along the last dimension.
absl::StatusOr<Tensor*> RecurrentPart(OpEmitter& emitter, Tensor* x, int64_t index, int64_t size,
                                      absl::string_view suffix);

// Element `index` of the first dimension, without that dimension.
absl::StatusOr<Tensor*> RecurrentRow(OpEmitter& emitter, Tensor* x, int64_t index,
                                     absl::string_view suffix);

// h times the recurrence weights.
absl::StatusOr<Tensor*> RecurrentProduct(OpEmitter& emitter, const RecurrentDirection& direction,
                                         Tensor* h);

// From the products of one step's input, [B, 4 * H], and the state to the next. Functions are
// those of the gates, of the cell's input, and of what it shows.
absl::StatusOr<RecurrentState> LstmCell(OpEmitter& emitter, const RecurrentDirection& direction,
                                        Tensor* input, const RecurrentState& state);

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_EMIT_LSTM_CELL_H_
