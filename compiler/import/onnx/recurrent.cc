// LSTM, GRU and RNN, unrolled over their steps.
//
// All steps' products with the input weights are one product; a step multiplies the
// state h [B,H] by the recurrence weights. Gates stand in ONNX's order: input,
// output, forget, cell (LSTM); update, reset, hidden (GRU).
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/gru_cell.h"
#include "compiler/import/emit/lstm_cell.h"
#include "compiler/import/onnx/op_table.h"

namespace synap_internal::onnx_import {
namespace {

using Function = RecurrentFunction;
using Direction = RecurrentDirection;
using State = RecurrentState;

// From the products of one step's input, [B, gates * H], and the state to the next.
using Cell = absl::StatusOr<State> (*)(NodeContext& node, const Direction& direction, Tensor* input,
                                       const State& state);

absl::StatusOr<State> RnnCell(NodeContext& node, const Direction& direction, Tensor* input,
                              const State& state) {
  ASSIGN_OR_RETURN(Tensor * product, RecurrentProduct(node, direction, state.h));
  ASSIGN_OR_RETURN(Tensor * sum, node.Emit("add", {input, product}, {}, ".gates"));
  State next;
  ASSIGN_OR_RETURN(next.h, direction.functions[0](node, sum));
  return next;
}

absl::StatusOr<State> OnnxLstmCell(NodeContext& node, const Direction& direction, Tensor* input,
                                   const State& state) {
  return LstmCell(node, direction, input, state);
}

absl::StatusOr<State> OnnxGruCell(NodeContext& node, const Direction& direction, Tensor* input,
                                  const State& state) {
  const GruReset reset =
      node.Int("linear_before_reset", 0) != 0 ? GruReset::kProduct : GruReset::kState;
  return GruCell(node, direction, reset, input, state);
}

struct Kind {
  absl::string_view op_type;
  int64_t gates;
  Cell cell;
  std::vector<std::string> functions;  // by default, for one direction
};

const Kind& KindOf(absl::string_view op_type) {
  static const auto* const kinds = new std::vector<Kind>{
      {"RNN", 1, RnnCell, {"tanh"}},
      {"GRU", 3, OnnxGruCell, {"sigmoid", "tanh"}},
      {"LSTM", 4, OnnxLstmCell, {"sigmoid", "tanh", "tanh"}},
  };
  return *std::find_if(kinds->begin(), kinds->end(),
                       [&](const Kind& kind) { return kind.op_type == op_type; });
}

// Activations by their names in any case; only those without parameters, but for
// the ones whose parameters are left at their defaults.
absl::StatusOr<Function> FunctionOf(const std::string& name) {
  constexpr std::pair<absl::string_view, absl::string_view> kOps[] = {
      {"sigmoid", "sigmoid"}, {"tanh", "tanh"},         {"relu", "relu"},
      {"elu", "elu"},         {"softplus", "softplus"}, {"hardsigmoid", "hard_sigmoid"},
  };
  for (const auto& [activation, op] : kOps) {
    if (activation != absl::AsciiStrToLower(name)) continue;
    return Function([op = op](OpEmitter& emitter, Tensor* x) {
      return emitter.Emit(op, {x}, {}, ".activation");
    });
  }
  return absl::UnimplementedError(absl::StrCat("attribute 'activations' has '", name, "'"));
}

// All that is the same for the directions.
struct Network {
  const Kind* kind = nullptr;
  int64_t directions = 1;
  int64_t steps = 0, batch = 0, hidden = 0;
  bool batch_first = false;
  Tensor* x = nullptr;           // [steps * batch, inputs]
  std::vector<int64_t> lengths;  // of the batch's elements; empty: all `steps`
  std::vector<std::string> functions;
};

absl::Status CheckShape(const NodeContext& node, size_t i, absl::string_view what,
                        const Shape& expected) {
  if (!node.HasInput(i) || node.shape(i) == expected) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("its '", what, "' is ", node.shape(i).ToString(),
                                                 ", expected ", expected.ToString()));
}

absl::Status ReadLengths(NodeContext& node, Network& network) {
  if (!node.HasInput(4)) return absl::OkStatus();
  ASSIGN_OR_RETURN(network.lengths, node.ConstantInts(4, "sequence_lens"));
  bool all = true;
  for (const int64_t length : network.lengths) {
    if (length < 0 || length > network.steps) {
      return absl::InvalidArgumentError(
          absl::StrCat("its 'sequence_lens' has ", length, " for ", network.steps, " steps"));
    }
    all &= length == network.steps;
  }
  if (static_cast<int64_t>(network.lengths.size()) != network.batch) {
    return absl::InvalidArgumentError(absl::StrCat(
        "its 'sequence_lens' has ", network.lengths.size(), " elements, expected ", network.batch));
  }
  if (all) network.lengths.clear();
  if (network.lengths.empty() || node.String("direction", "forward") == "forward") {
    return absl::OkStatus();
  }
  return absl::UnimplementedError("sequences of different lengths are read backwards");
}

absl::Status CheckOperandShapes(const NodeContext& node, const Network& network, int64_t inputs) {
  const int64_t d = network.directions, h = network.hidden, gates = network.kind->gates;
  const bool lstm = network.kind->op_type == "LSTM";
  const Shape state =
      network.batch_first ? Shape({network.batch, d, h}) : Shape({d, network.batch, h});
  RETURN_IF_ERROR(CheckShape(node, 1, "W", Shape({d, gates * h, inputs})));
  RETURN_IF_ERROR(CheckShape(node, 2, "R", Shape({d, gates * h, h})));
  RETURN_IF_ERROR(CheckShape(node, 3, "B", Shape({d, 2 * gates * h})));
  RETURN_IF_ERROR(CheckShape(node, 5, "initial_h", state));
  if (!lstm) return absl::OkStatus();
  RETURN_IF_ERROR(CheckShape(node, 6, "initial_c", state));
  return CheckShape(node, 7, "P", Shape({d, 3 * h}));
}

absl::Status ReadFunctions(NodeContext& node, Network& network) {
  for (int64_t d = 0; d < network.directions; ++d) {
    network.functions.insert(network.functions.end(), network.kind->functions.begin(),
                             network.kind->functions.end());
  }
  if (!node.HasAttribute("activations")) return absl::OkStatus();
  const std::vector<std::string> given = node.Strings("activations");
  if (given.size() == network.functions.size()) {
    network.functions = given;
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat("attribute 'activations' has ", given.size(),
                                                 " elements, expected ", network.functions.size()));
}

absl::StatusOr<Network> ReadNetwork(NodeContext& node) {
  Network network;
  network.kind = &KindOf(node.node().op_type());
  network.batch_first = node.Int("layout", 0) != 0;
  const Shape x = node.shape(0), r = node.shape(2);
  if (x.rank() != 3 || r.rank() != 3) {
    return absl::InvalidArgumentError(absl::StrCat("its 'X' is ", x.ToString(), " and its 'R' ",
                                                   r.ToString(), ", expected three dimensions"));
  }
  network.steps = x[network.batch_first ? 1 : 0];
  network.batch = x[network.batch_first ? 0 : 1];
  network.hidden = node.Int("hidden_size", r[2]);
  const std::string direction = node.String("direction", "forward");
  if (direction != "forward" && direction != "reverse" && direction != "bidirectional") {
    return absl::InvalidArgumentError(absl::StrCat("attribute 'direction' is '", direction, "'"));
  }
  network.directions = direction == "bidirectional" ? 2 : 1;
  if (node.HasAttribute("clip")) return absl::UnimplementedError("it has an attribute 'clip'");
  if (x.elements() == 0 || network.hidden < 1 || network.hidden != r[2]) {
    return absl::InvalidArgumentError(absl::StrCat("attribute 'hidden_size' is ", network.hidden,
                                                   " for 'X' ", x.ToString(), " and 'R' ",
                                                   r.ToString()));
  }
  RETURN_IF_ERROR(CheckOperandShapes(node, network, x[2]));
  RETURN_IF_ERROR(ReadLengths(node, network));
  RETURN_IF_ERROR(ReadFunctions(node, network));
  network.x = node.input(0);
  if (network.batch_first) {
    ASSIGN_OR_RETURN(network.x, node.Transpose(network.x, {1, 0, 2}, ".steps"));
  }
  ASSIGN_OR_RETURN(network.x,
                   node.Reshape(network.x, {network.steps * network.batch, x[2]}, ".steps"));
  RETURN_IF_ERROR(node.builder().ChargeOps(network.steps));
  RETURN_IF_ERROR(
      node.builder().ChargeOps(network.steps * network.directions * kOpsOfRecurrentStep));
  return network;
}

// [D, K, N] -> [N, K] of direction d.
absl::StatusOr<Tensor*> TransposedWeights(NodeContext& node, size_t i, int64_t d,
                                          absl::string_view suffix) {
  ASSIGN_OR_RETURN(Tensor * w, RecurrentRow(node, node.input(i), d, suffix));
  return node.Transpose(w, {1, 0}, suffix);
}

// The state before the first step; zeros if it isn't given.
absl::StatusOr<Tensor*> InitialState(NodeContext& node, const Network& network, size_t i,
                                     int64_t d) {
  if (!node.HasInput(i)) {
    const TensorType type{DataType::kFloat32, Shape({network.batch, network.hidden}), {}};
    RETURN_IF_ERROR(node.builder().Charge(type.bytes()));
    return node.builder().graph().AddConstant(
        node.Name(".initial"), type,
        Constant::Own(std::vector<uint8_t>(static_cast<size_t>(type.bytes()), 0)));
  }
  Tensor* state = node.input(i);
  if (network.batch_first) {
    ASSIGN_OR_RETURN(state, node.Transpose(state, {1, 0, 2}, ".initial"));
  }
  return RecurrentRow(node, state, d, ".initial");
}

// What a step changes only for the batch elements whose sequence isn't over.
absl::StatusOr<Tensor*> Unless(NodeContext& node, Tensor* over, Tensor* old, Tensor* fresh) {
  return over == nullptr ? fresh : node.Emit("where", {over, old, fresh}, {}, ".running");
}

// bool [batch, 1]: the sequence has no step t. Null if all have.
absl::StatusOr<Tensor*> IsOver(NodeContext& node, const Network& network, int64_t t) {
  std::vector<uint8_t> over;
  for (const int64_t length : network.lengths) over.push_back(t >= length);
  if (std::find(over.begin(), over.end(), 1) == over.end()) return nullptr;
  return node.builder().graph().AddConstant(node.Name(".over"),
                                            {DataType::kBool, Shape({network.batch, 1}), {}},
                                            Constant::Own(std::move(over)));
}

struct DirectionResult {
  std::vector<Tensor*> steps;  // h [batch, hidden] of each step, in the order of time
  State last;
};

absl::StatusOr<DirectionResult> RunDirection(NodeContext& node, const Network& network, int64_t d) {
  const int64_t width = network.kind->gates * network.hidden;
  Direction direction;
  direction.hidden = network.hidden;
  if (node.Int("input_forget", 0) != 0) direction.coupled = CoupledGate::kForget;
  const size_t functions = network.kind->functions.size();
  for (size_t i = 0; i < functions; ++i) {
    ASSIGN_OR_RETURN(Function function,
                     FunctionOf(network.functions[static_cast<size_t>(d) * functions + i]));
    direction.functions.push_back(std::move(function));
  }
  ASSIGN_OR_RETURN(Tensor * weights, TransposedWeights(node, 1, d, ".w"));
  ASSIGN_OR_RETURN(direction.recurrence, TransposedWeights(node, 2, d, ".r"));
  ASSIGN_OR_RETURN(Tensor * products, node.Emit("matmul", {network.x, weights}, {}, ".inputs"));
  if (node.HasInput(3)) {
    ASSIGN_OR_RETURN(Tensor * biases, RecurrentRow(node, node.input(3), d, ".bias"));
    ASSIGN_OR_RETURN(Tensor * bias, RecurrentPart(node, biases, 0, width, ".bias"));
    ASSIGN_OR_RETURN(direction.recurrence_bias, RecurrentPart(node, biases, 1, width, ".bias"));
    ASSIGN_OR_RETURN(products, node.Emit("add", {products, bias}, {}, ".inputs"));
  }
  if (node.HasInput(7)) {
    ASSIGN_OR_RETURN(direction.peepholes, RecurrentRow(node, node.input(7), d, ".p"));
  }
  ASSIGN_OR_RETURN(products,
                   node.Reshape(products, {network.steps, network.batch, width}, ".inputs"));
  DirectionResult result;
  ASSIGN_OR_RETURN(result.last.h, InitialState(node, network, 5, d));
  if (network.kind->op_type == "LSTM") {
    ASSIGN_OR_RETURN(result.last.c, InitialState(node, network, 6, d));
  }
  const bool backwards = d == 1 || node.String("direction", "forward") == "reverse";
  Tensor* nothing = node.builder().AddScalar(node.Name(".nothing"), 0.0f);
  for (int64_t i = 0; i < network.steps; ++i) {
    const UnrolledStep step(node.state(), d * network.steps + i);
    const int64_t t = backwards ? network.steps - 1 - i : i;
    ASSIGN_OR_RETURN(Tensor * input, RecurrentRow(node, products, t, ".step"));
    ASSIGN_OR_RETURN(State next, network.kind->cell(node, direction, input, result.last));
    ASSIGN_OR_RETURN(Tensor * over, IsOver(node, network, t));
    ASSIGN_OR_RETURN(Tensor * shown, Unless(node, over, nothing, next.h));
    result.steps.push_back(shown);
    ASSIGN_OR_RETURN(result.last.h, Unless(node, over, result.last.h, next.h));
    if (next.c != nullptr) {
      ASSIGN_OR_RETURN(result.last.c, Unless(node, over, result.last.c, next.c));
    }
  }
  if (backwards) std::reverse(result.steps.begin(), result.steps.end());
  return result;
}

absl::StatusOr<Tensor*> Concat(NodeContext& node, std::vector<Tensor*> parts, int64_t axis,
                               absl::string_view suffix) {
  if (parts.size() == 1) return parts[0];
  return node.Emit("concat", std::move(parts), {{"axis", axis}}, suffix);
}

// [B,H] of each direction -> [D,B,H], or [B,D,H] where the batch comes first.
absl::Status SetLast(NodeContext& node, const Network& network, size_t output,
                     const std::vector<Tensor*>& states) {
  if (!node.HasOutput(output)) return absl::OkStatus();
  std::vector<Tensor*> parts;
  const bool batch_first = network.batch_first;
  for (Tensor* state : states) {
    ASSIGN_OR_RETURN(Tensor * part, node.Reshape(state,
                                                 {batch_first ? network.batch : 1,
                                                  batch_first ? 1 : network.batch, network.hidden},
                                                 ".last"));
    parts.push_back(part);
  }
  ASSIGN_OR_RETURN(Tensor * last, Concat(node, std::move(parts), batch_first ? 1 : 0, ".last"));
  return node.SetOutput(output, last);
}

// [T,D,B,H], or [B,T,D,H] where the batch comes first.
absl::Status SetSteps(NodeContext& node, const Network& network,
                      const std::vector<DirectionResult>& results) {
  if (!node.HasOutput(0)) return absl::OkStatus();
  std::vector<Tensor*> parts;
  for (int64_t t = 0; t < network.steps; ++t) {
    const UnrolledStep step(node.state(), t);
    for (const DirectionResult& result : results) {
      ASSIGN_OR_RETURN(Tensor * part, node.Reshape(result.steps[static_cast<size_t>(t)],
                                                   {1, 1, network.batch, network.hidden}, ".y"));
      parts.push_back(part);
    }
  }
  ASSIGN_OR_RETURN(Tensor * y, Concat(node, std::move(parts), 0, ".y"));
  ASSIGN_OR_RETURN(
      y, node.Reshape(y, {network.steps, network.directions, network.batch, network.hidden},
                      network.batch_first ? ".y" : ""));
  if (network.batch_first) {
    ASSIGN_OR_RETURN(y, node.Transpose(y, {2, 0, 1, 3}));
  }
  return node.SetOutput(0, y);
}

absl::Status MapRecurrent(NodeContext& node) {
  node.IgnoreAttribute("output_sequence");  // of opset 1: whether output 0 is there
  ASSIGN_OR_RETURN(const Network network, ReadNetwork(node));
  std::vector<DirectionResult> results;
  std::vector<Tensor*> last_h, last_c;
  for (int64_t d = 0; d < network.directions; ++d) {
    ASSIGN_OR_RETURN(DirectionResult result, RunDirection(node, network, d));
    last_h.push_back(result.last.h);
    last_c.push_back(result.last.c);
    results.push_back(std::move(result));
  }
  RETURN_IF_ERROR(SetSteps(node, network, results));
  RETURN_IF_ERROR(SetLast(node, network, 1, last_h));
  return last_c[0] == nullptr ? absl::OkStatus() : SetLast(node, network, 2, last_c);
}

constexpr char kRecurrentLimits[] =
    "Sigmoid, Tanh, Relu, Elu, Softplus and HardSigmoid; no 'clip'; constant 'sequence_lens', all "
    "equal unless forward";

constexpr OpMapping kMappings[] = {
    {"RNN", 3, 6, MapRecurrent, kRecurrentLimits},
    {"GRU", 3, 6, MapRecurrent, kRecurrentLimits},
    {"LSTM", 3, 8, MapRecurrent, kRecurrentLimits},
};

}  // namespace

absl::Span<const OpMapping> RecurrentMappings() { return kMappings; }

}  // namespace synap_internal::onnx_import
