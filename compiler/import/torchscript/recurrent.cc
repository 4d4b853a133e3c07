// LSTM, GRU and RNN: layers of all steps, and cells of one.
//
// Their gates are in PyTorch's order, input, forget, cell, output (LSTM) and reset, update, hidden
// (GRU); the shared cells expect ONNX's.
#include "compiler/import/emit/recurrent.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "compiler/import/emit/slice.h"
#include "compiler/import/torchscript/op_table.h"

namespace synap_internal::torchscript_import {
namespace {

using Dims = std::vector<int64_t>;

// A kind of cells, by the name of the layer's operator.
struct CellKind {
  absl::string_view name;
  RecurrentCell cell;
  // The places in PyTorch's order of ONNX's gates 0, 1, ...
  std::vector<int64_t> order;
  std::vector<RecurrentFunction> functions;
};

const CellKind& KindOf(absl::string_view op) {
  static const auto* const kKinds = new std::vector<CellKind>{
      {"aten::lstm", LstmCell, {0, 3, 1, 2}, {"sigmoid", "tanh", "tanh"}},
      {"aten::gru", GruCell, {1, 0, 2}, {"sigmoid", "tanh"}},
      {"aten::rnn_tanh", RnnCell, {0}, {"tanh"}},
      {"aten::rnn_relu", RnnCell, {0}, {"relu"}},
  };
  absl::ConsumeSuffix(&op, "_cell");
  for (const CellKind& kind : *kKinds) {
    if (kind.name == op) return kind;
  }
  return kKinds->front();
}

// Arguments that the layers share.
struct Network {
  const CellKind* kind = nullptr;
  bool batch_first = false;
  int64_t layers = 1, directions = 1;
  int64_t steps = 0, batch = 0, hidden = 0;
  size_t params_of_direction = 0;
  bool biases = false, projected = false;
  // Of layer 0: w_ih, w_hh, b_ih, b_hh, w_hr, then its other direction.
  std::vector<Tensor*> params;
  Tensor* h = nullptr;  // before the first step, [layers * directions, batch, hidden]
  Tensor* c = nullptr;  // the same, LSTM only

  bool lstm() const { return kind->cell == LstmCell; }
  int64_t gates() const { return static_cast<int64_t>(kind->order.size()); }
};

absl::Status CheckShape(absl::string_view what, const Tensor* x, const Shape& expected) {
  return CheckOperandShape(what, x->type.shape, expected);
}

// (..., has_biases, num_layers, dropout, train, bidirectional, batch_first) from argument 3 on
absl::Status ReadOptions(NodeContext& node, Network& network) {
  ASSIGN_OR_RETURN(network.biases, node.GetBool(3));
  ASSIGN_OR_RETURN(network.layers, node.GetInt(4));
  ASSIGN_OR_RETURN(const float dropout, node.GetReal(5));
  ASSIGN_OR_RETURN(const bool train, node.GetBool(6));
  ASSIGN_OR_RETURN(const bool bidirectional, node.GetBool(7));
  ASSIGN_OR_RETURN(network.batch_first, node.GetBool(8));
  network.directions = bidirectional ? 2 : 1;
  if (!train || dropout == 0 || network.layers == 1) return absl::OkStatus();
  return absl::UnimplementedError("it is in training mode");
}

absl::Status CheckParams(Network& network) {
  const auto found = static_cast<int64_t>(network.params.size());
  const int64_t least = network.biases ? 4 : 2;
  const bool sane = network.layers >= 1 && network.layers <= found;
  const int64_t runs = sane ? network.layers * network.directions : 1;
  network.projected = network.lstm() && sane && found == runs * (least + 1);
  network.params_of_direction = static_cast<size_t>(least + (network.projected ? 1 : 0));
  if (sane && found == runs * static_cast<int64_t>(network.params_of_direction)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat("it has ", found, " weights for ", network.layers,
                                                 " layers, expected ", least, " for each of ",
                                                 network.directions, " directions"));
}

// Argument 1: h or, of an LSTM, h and c.
absl::Status ReadStates(NodeContext& node, Network& network) {
  if (!network.lstm()) {
    ASSIGN_OR_RETURN(network.h, node.GetTensor(1));
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const std::vector<Tensor*> states, node.GetTensors(1));
  if (states.size() != 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("it has ", states.size(), " states, expected 2"));
  }
  network.h = states[0];
  network.c = states[1];
  return absl::OkStatus();
}

absl::StatusOr<Network> ReadNetwork(NodeContext& node) {
  Network network;
  network.kind = &KindOf(node.kind());
  // All have (x, sizes of batches, states, weights, ...) then.
  if (node.argument(3).AsList() != nullptr) {
    return absl::UnimplementedError("its input is packed (pack_padded_sequence)");
  }
  ASSIGN_OR_RETURN(network.params, node.GetTensors(2));
  RETURN_IF_ERROR(ReadOptions(node, network));
  RETURN_IF_ERROR(CheckParams(network));
  ASSIGN_OR_RETURN(const Tensor* x, node.GetTensor(0));
  const Shape& shape = x->type.shape;
  if (shape.rank() != 3 || shape.elements() == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("its input is ", shape.ToString(), ", expected three dimensions"));
  }
  network.steps = shape[network.batch_first ? 1 : 0];
  network.batch = shape[network.batch_first ? 0 : 1];
  RETURN_IF_ERROR(ReadStates(node, network));
  const Shape& recurrence = network.params[1]->type.shape;
  network.hidden = recurrence.rank() == 2 ? recurrence[0] / network.gates() : 0;
  if (network.hidden < 1 || recurrence[1] < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("its recurrent weights are ", recurrence.ToString(), ", expected a matrix"));
  }
  const int64_t runs = network.layers * network.directions;
  RETURN_IF_ERROR(CheckShape("state", network.h, Shape({runs, network.batch, recurrence[1]})));
  if (network.lstm()) {
    RETURN_IF_ERROR(
        CheckShape("cell state", network.c, Shape({runs, network.batch, network.hidden})));
  }
  RETURN_IF_ERROR(ChargeSteps(node.builder(), network.steps, runs));
  return network;
}

// The gates along the last dimension in ONNX's order.
Emitted Ordered(OpEmitter& emitter, const Network& network, const Emitted& x,
                absl::string_view suffix) {
  RETURN_IF_ERROR(x.status());
  const auto axis = static_cast<int64_t>((*x)->type.shape.rank()) - 1;
  std::vector<Emitted> parts;
  for (const int64_t gate : network.kind->order) {
    parts.push_back(RecurrentPart(emitter, x, gate, network.hidden, suffix));
  }
  return emitter.Concat(parts, axis, suffix);
}

// [gates * hidden, K] -> [K, gates * hidden]
Emitted GateWeights(OpEmitter& emitter, const Network& network, Tensor* w, int64_t columns,
                    absl::string_view suffix) {
  RETURN_IF_ERROR(CheckShape("weight", w, Shape({network.gates() * network.hidden, columns})));
  return Ordered(emitter, network, emitter.Transpose(w, {1, 0}, suffix), suffix);
}

// Run `index` of all: the directions of layer 0, then those of layer 1, ... `sequence`: [steps,
// batch, K].
absl::StatusOr<RecurrentRun> PrepareRun(OpEmitter& emitter, const Network& network, int64_t index,
                                        const Emitted& sequence) {
  ASSIGN_OR_RETURN(Tensor * x, sequence);
  Tensor* const* params =
      network.params.data() + static_cast<size_t>(index) * network.params_of_direction;
  const int64_t width = network.gates() * network.hidden, inputs = x->type.shape[2];
  RecurrentRun run{network.kind->cell};
  run.backwards = network.directions == 2 && index % 2 == 1;
  RecurrentDirection& direction = run.direction;
  direction.hidden = network.hidden;
  direction.reset = GruReset::kProduct;
  direction.functions = network.kind->functions;
  const Emitted w = GateWeights(emitter, network, params[0], inputs, ".w");
  direction.recurrence = GateWeights(emitter, network, params[1], network.h->type.shape[2], ".r");
  const Emitted flat = emitter.Reshape(x, {network.steps * network.batch, inputs}, ".steps");
  Emitted bias = nullptr;
  if (network.biases) {
    RETURN_IF_ERROR(CheckShape("bias", params[2], Shape({width})));
    RETURN_IF_ERROR(CheckShape("bias", params[3], Shape({width})));
    bias = Ordered(emitter, network, params[2], ".bias");
    direction.recurrence_bias = Ordered(emitter, network, params[3], ".r.bias");
  }
  ASSIGN_OR_RETURN(run.products, InputProducts(emitter, flat, w, bias, network.steps, ".inputs"));
  if (network.projected) {
    Tensor* projection = params[network.params_of_direction - 1];
    RETURN_IF_ERROR(
        CheckShape("projection", projection, Shape({network.h->type.shape[2], network.hidden})));
    direction.projection = projection;
  }
  ASSIGN_OR_RETURN(run.state.h, EmitRow(emitter, network.h, index, ".h0"));
  if (network.lstm()) {
    ASSIGN_OR_RETURN(run.state.c, EmitRow(emitter, network.c, index, ".c0"));
  }
  return run;
}

// [A, B] of each part -> [parts, A, B]
Emitted Stacked(OpEmitter& emitter, const std::vector<Tensor*>& parts, absl::string_view suffix) {
  std::vector<Emitted> rows;
  for (Tensor* part : parts) {
    const Shape& shape = part->type.shape;
    rows.push_back(emitter.Reshape(part, {1, shape[0], shape[1]}, suffix));
  }
  return emitter.Concat(rows, 0, suffix);
}

// (x, states, weights, options...) -> y, last states
absl::Status MapRecurrent(NodeContext& node) {
  ASSIGN_OR_RETURN(const Network network, ReadNetwork(node));
  Emitted x = node.GetTensor(0);
  if (network.batch_first) x = node.Transpose(x, {1, 0, 2}, ".steps");
  std::vector<Tensor*> last_h, last_c;
  for (int64_t l = 0; l < network.layers; ++l) {
    std::vector<Emitted> directions;
    for (int64_t d = 0; d < network.directions; ++d) {
      OpEmitter layer = node.Step(l).Step(d);
      ASSIGN_OR_RETURN(RecurrentRun run, PrepareRun(layer, network, l * network.directions + d, x));
      ASSIGN_OR_RETURN(const std::vector<Tensor*> shown, Unroll(layer, run));
      directions.push_back(Stacked(layer, shown, ".y"));
      last_h.push_back(run.state.h);
      last_c.push_back(run.state.c);
    }
    x = node.Concat(directions, 2, absl::StrCat(".", l));
  }
  if (network.batch_first) x = node.Transpose(x, {1, 0, 2}, ".y");
  std::vector<Emitted> outputs = {x, Stacked(node, last_h, ".h")};
  if (network.lstm()) outputs.push_back(Stacked(node, last_c, ".c"));
  return node.SetTensors(outputs);
}

// --- Cells

// Weights [gates * hidden,columns] as the shared cells have them, or a bias [gates * hidden].
// Constants are ordered once, however many steps of a module call the cell.
Emitted CellWeights(NodeContext& node, const Network& network, Tensor* w, int64_t columns,
                    absl::string_view suffix) {
  if (w == nullptr) return nullptr;
  const bool is_bias = w->type.shape.rank() == 1;
  if (is_bias) RETURN_IF_ERROR(CheckShape("bias", w, Shape({network.gates() * network.hidden})));
  const std::pair<const void*, const Tensor*> key(network.kind, w);
  const auto known = node.state().cell_weights.find(key);
  if (known != node.state().cell_weights.end()) return known->second;
  ASSIGN_OR_RETURN(Tensor * ordered, is_bias ? Ordered(node, network, w, suffix)
                                             : GateWeights(node, network, w, columns, suffix));
  if (w->is_constant()) node.state().cell_weights[key] = ordered;
  return ordered;
}

// The input [B,K] and the state of a cell, checked against its recurrent weights [gates * hidden,
// hidden].
absl::StatusOr<Network> ReadCell(NodeContext& node, const Tensor& recurrence) {
  Network network;
  network.kind = &KindOf(node.kind());
  RETURN_IF_ERROR(ReadStates(node, network));
  ASSIGN_OR_RETURN(const Tensor* x, node.GetTensor(0));
  const Shape &input = x->type.shape, &weights = recurrence.type.shape;
  if (input.rank() != 2 || weights.rank() != 2) {
    return absl::InvalidArgumentError(absl::StrCat("its input and recurrent weights are ",
                                                   input.ToString(), " and ", weights.ToString(),
                                                   ", expected two dimensions of each"));
  }
  network.batch = input[0];
  network.hidden = weights[1];
  const Shape state({network.batch, network.hidden});
  RETURN_IF_ERROR(CheckShape("state", network.h, state));
  if (network.lstm()) RETURN_IF_ERROR(CheckShape("cell state", network.c, state));
  return network;
}

// (x, state, w_ih, w_hh, b_ih, b_hh) -> the next state
absl::Status MapCell(NodeContext& node) {
  ASSIGN_OR_RETURN(const Tensor* x, node.GetTensor(0));
  ASSIGN_OR_RETURN(Tensor * w, node.GetTensor(2));
  ASSIGN_OR_RETURN(Tensor * r, node.GetTensor(3));
  ASSIGN_OR_RETURN(Tensor * bias, node.GetOptionalTensor(4));
  ASSIGN_OR_RETURN(Tensor * r_bias, node.GetOptionalTensor(5));
  ASSIGN_OR_RETURN(const Network network, ReadCell(node, *r));
  RecurrentDirection direction;
  direction.hidden = network.hidden;
  direction.reset = GruReset::kProduct;
  direction.functions = network.kind->functions;
  const Emitted weights = CellWeights(node, network, w, x->type.shape[1], ".w");
  direction.recurrence = CellWeights(node, network, r, network.hidden, ".r");
  direction.recurrence_bias = CellWeights(node, network, r_bias, 0, ".r.bias");
  const Emitted ordered_bias = CellWeights(node, network, bias, 0, ".bias");
  Emitted products = node.Emit("matmul", {node.GetTensor(0), weights}, {}, ".inputs");
  if (bias != nullptr) products = node.Emit("add", {products, ordered_bias}, {}, ".inputs");
  ASSIGN_OR_RETURN(Tensor * input, products);
  ASSIGN_OR_RETURN(const RecurrentState next,
                   network.kind->cell(node, direction, input, {network.h, network.c}));
  if (!network.lstm()) return node.SetOutput(next.h);
  return node.SetTensors({next.h, next.c});
}

constexpr char kLimits[] = "sequences that aren't packed, outside of training mode";

constexpr OpMapping kRecurrentMappings[] = {
    {"aten::lstm", 9, MapRecurrent, kLimits},
    {"aten::gru", 9, MapRecurrent, kLimits},
    {"aten::rnn_tanh", 9, MapRecurrent, kLimits},
    {"aten::rnn_relu", 9, MapRecurrent, kLimits},
    {"aten::lstm_cell", 4, MapCell},
    {"aten::gru_cell", 4, MapCell},
    {"aten::rnn_tanh_cell", 4, MapCell},
    {"aten::rnn_relu_cell", 4, MapCell},
};

}  // namespace

absl::Span<const OpMapping> RecurrentMappings() { return kRecurrentMappings; }

}  // namespace synap_internal::torchscript_import
