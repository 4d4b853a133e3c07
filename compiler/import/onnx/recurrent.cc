// LSTM, GRU and RNN.
#include "compiler/import/emit/recurrent.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/elementwise.h"
#include "compiler/import/emit/op_name.h"
#include "compiler/import/emit/slice.h"
#include "compiler/import/onnx/op_table.h"

namespace synap_internal::onnx_import {
namespace {

struct Kind {
  absl::string_view op_type;
  int64_t gates;
  RecurrentCell cell;
  std::vector<std::string> functions;  // by default, for one direction
};

const Kind& KindOf(absl::string_view op_type) {
  static const auto* const kinds = new std::vector<Kind>{
      {"RNN", 1, RnnCell, {"tanh"}},
      {"GRU", 3, GruCell, {"sigmoid", "tanh"}},
      {"LSTM", 4, LstmCell, {"sigmoid", "tanh", "tanh"}},
  };
  return *std::find_if(kinds->begin(), kinds->end(),
                       [&](const Kind& kind) { return kind.op_type == op_type; });
}

// An activation with its parameters; a default is that of ONNX's operator.
struct GateActivation {
  struct Parameter {
    bool is_read = false;
    std::optional<float> fallback = {};
  };

  absl::string_view name;  // lower case
  RecurrentFunction (*make)(float alpha, float beta);
  Parameter alpha = {}, beta = {};
};

template <OpName kOp>
RecurrentFunction PlainOp(float /*alpha*/, float /*beta*/) {
  return RecurrentFunction(kOp);
}
template <OpName kOp>
RecurrentFunction OpWithAlpha(float alpha, float /*beta*/) {
  return RecurrentFunction(kOp, {{"alpha", alpha}});
}
RecurrentFunction HardSigmoid(float alpha, float beta) {
  return RecurrentFunction("hard_sigmoid", {{"alpha", alpha}, {"beta", beta}});
}
// alpha x + beta
RecurrentFunction Affine(float alpha, float beta) {
  return RecurrentFunction([alpha, beta](OpEmitter& op, const Emitted& x) {
    return op.Emit("add", {op.Scale(x, alpha, ".scaled"), op.Scalar(beta, ".beta")}, {},
                   ".activation");
  });
}
// alpha tanh(beta x)
RecurrentFunction ScaledTanh(float alpha, float beta) {
  return RecurrentFunction([alpha, beta](OpEmitter& op, const Emitted& x) {
    return op.Scale(op.Emit("tanh", {op.Scale(x, beta, ".scaled")}, {}, ".tanh"), alpha,
                    ".activation");
  });
}
// x > alpha ? x : 0
RecurrentFunction ThresholdedRelu(float alpha, float /*beta*/) {
  return RecurrentFunction([alpha](OpEmitter& op, const Emitted& x) {
    const auto above = op.Emit("greater", {x, op.Scalar(alpha, ".alpha")}, {}, ".above");
    return op.Emit("where", {above, x, op.Scalar(0, ".zero")}, {}, ".activation");
  });
}
RecurrentFunction Softsign(float /*alpha*/, float /*beta*/) {
  return RecurrentFunction(
      [](OpEmitter& op, const Emitted& x) { return EmitSoftsign(op, x, ".divisor"); });
}

// By their names in any case.
absl::StatusOr<const GateActivation*> FindActivation(const std::string& name) {
  static const auto* const rows = new std::vector<GateActivation>{
      {"affine", Affine, {true}, {true}},
      {"elu", OpWithAlpha<"elu">, {true, 1.0f}},
      {"hardsigmoid", HardSigmoid, {true, 0.2f}, {true, 0.5f}},
      {"leakyrelu", OpWithAlpha<"leaky_relu">, {true, 0.01f}},
      {"relu", PlainOp<"relu">},
      {"scaledtanh", ScaledTanh, {true}, {true}},
      {"sigmoid", PlainOp<"sigmoid">},
      {"softplus", PlainOp<"softplus">},
      {"softsign", Softsign},
      {"tanh", PlainOp<"tanh">},
      {"thresholdedrelu", ThresholdedRelu, {true}},
  };
  for (const GateActivation& row : *rows) {
    if (row.name == absl::AsciiStrToLower(name)) return &row;
  }
  return absl::UnimplementedError(
      absl::StrCat("attribute 'activations' has the unknown '", name, "'"));
}

// Hands out 'activation_alpha' or 'activation_beta', of which each activation that has such a
// parameter takes the next.
class ParameterList {
 public:
  ParameterList(NodeContext& node, absl::string_view name)
      : name_(name), values_(node.Floats(name)) {}

  absl::StatusOr<float> Next(const GateActivation::Parameter& parameter,
                             const std::string& activation) {
    if (!parameter.is_read) return 0;
    if (next_ < values_.size()) return values_[next_++];
    if (parameter.fallback.has_value()) return *parameter.fallback;
    return absl::InvalidArgumentError(absl::StrCat("attribute 'activations' has '", activation,
                                                   "', for which '", name_,
                                                   "' has no value, expected one"));
  }

 private:
  const absl::string_view name_;
  const std::vector<float> values_;
  size_t next_ = 0;
};

// Operands and attributes that the directions share.
struct Network {
  const Kind* kind = nullptr;
  int64_t directions = 1;
  int64_t steps = 0, batch = 0, hidden = 0;
  bool batch_first = false;
  Emitted x;                                 // [steps * batch, inputs]
  std::vector<int64_t> lengths;              // of the batch's elements; empty: all `steps`
  std::vector<RecurrentFunction> functions;  // of all directions
  float clip = 0;                            // 0: none
};

absl::Status CheckWeightShape(const NodeContext& node, size_t i, absl::string_view what,
                              const Shape& expected) {
  if (!node.HasInput(i)) return absl::OkStatus();
  return CheckOperandShape(what, node.shape(i), expected);
}

absl::Status ReadLengths(NodeContext& node, Network& network) {
  if (!node.HasInput(4)) return absl::OkStatus();
  ASSIGN_OR_RETURN(network.lengths, node.ConstantInts(4, "sequence_lens"));
  bool all = true;
  for (const int64_t length : network.lengths) {
    if (length < 0 || length > network.steps) {
      return absl::InvalidArgumentError(
          absl::StrCat("its 'sequence_lens' has ", length, ", expected 0 to ", network.steps));
    }
    all &= length == network.steps;
  }
  if (static_cast<int64_t>(network.lengths.size()) != network.batch) {
    return absl::InvalidArgumentError(absl::StrCat(
        "its 'sequence_lens' has ", network.lengths.size(), " elements, expected ", network.batch));
  }
  if (all) network.lengths.clear();
  return absl::OkStatus();
}

absl::Status CheckOperandShapes(const NodeContext& node, const Network& network, int64_t inputs) {
  const int64_t d = network.directions, h = network.hidden, gates = network.kind->gates;
  const bool lstm = network.kind->op_type == "LSTM";
  const Shape state =
      network.batch_first ? Shape({network.batch, d, h}) : Shape({d, network.batch, h});
  RETURN_IF_ERROR(CheckWeightShape(node, 1, "'W'", Shape({d, gates * h, inputs})));
  RETURN_IF_ERROR(CheckWeightShape(node, 2, "'R'", Shape({d, gates * h, h})));
  RETURN_IF_ERROR(CheckWeightShape(node, 3, "'B'", Shape({d, 2 * gates * h})));
  RETURN_IF_ERROR(CheckWeightShape(node, 5, "'initial_h'", state));
  if (!lstm) return absl::OkStatus();
  RETURN_IF_ERROR(CheckWeightShape(node, 6, "'initial_c'", state));
  return CheckWeightShape(node, 7, "'P'", Shape({d, 3 * h}));
}

absl::Status ReadFunctions(NodeContext& node, Network& network) {
  std::vector<std::string> names;
  for (int64_t d = 0; d < network.directions; ++d) {
    names.insert(names.end(), network.kind->functions.begin(), network.kind->functions.end());
  }
  if (node.HasAttribute("activations")) {
    const std::vector<std::string> given = node.Strings("activations");
    if (given.size() != names.size()) {
      return absl::InvalidArgumentError(absl::StrCat("attribute 'activations' has ", given.size(),
                                                     " elements, expected ", names.size()));
    }
    names = given;
  }
  ParameterList alphas(node, "activation_alpha"), betas(node, "activation_beta");
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(const GateActivation* activation, FindActivation(name));
    ASSIGN_OR_RETURN(const float alpha, alphas.Next(activation->alpha, name));
    ASSIGN_OR_RETURN(const float beta, betas.Next(activation->beta, name));
    network.functions.push_back(activation->make(alpha, beta));
  }
  return absl::OkStatus();
}

absl::Status ReadClip(NodeContext& node, Network& network) {
  if (!node.HasAttribute("clip")) return absl::OkStatus();
  network.clip = node.Float("clip", 0);
  if (network.clip > 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("attribute 'clip' is ", network.clip, ", expected a positive number"));
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
  ASSIGN_OR_RETURN(const std::string direction,
                   node.Choice("direction", "forward", {"forward", "reverse", "bidirectional"}));
  network.directions = direction == "bidirectional" ? 2 : 1;
  if (x.elements() == 0 || network.hidden < 1 || network.hidden != r[2]) {
    return absl::InvalidArgumentError(absl::StrCat("attribute 'hidden_size' is ", network.hidden,
                                                   " for 'X' ", x.ToString(), " and 'R' ",
                                                   r.ToString()));
  }
  RETURN_IF_ERROR(CheckOperandShapes(node, network, x[2]));
  RETURN_IF_ERROR(ReadLengths(node, network));
  RETURN_IF_ERROR(ReadFunctions(node, network));
  RETURN_IF_ERROR(ReadClip(node, network));
  network.x = node.input(0);
  if (network.batch_first) network.x = node.Transpose(network.x, {1, 0, 2}, ".steps");
  network.x = node.Reshape(network.x, {network.steps * network.batch, x[2]}, ".steps");
  RETURN_IF_ERROR(ChargeSteps(node.builder(), network.steps, network.directions));
  return network;
}

// [D, K, N] -> [N, K] of direction d.
Emitted TransposedWeights(NodeContext& node, size_t i, int64_t d, absl::string_view suffix) {
  return node.Transpose(EmitRow(node, node.input(i), d, suffix), {1, 0}, suffix);
}

// The state before the first step; zeros if it isn't given.
Emitted InitialState(NodeContext& node, const Network& network, size_t i, int64_t d) {
  if (!node.HasInput(i)) return ZeroState(node, Shape({network.batch, network.hidden}));
  Emitted state = node.input(i);
  if (network.batch_first) state = node.Transpose(state, {1, 0, 2}, ".initial");
  return EmitRow(node, state, d, ".initial");
}

// All but the weights.
RecurrentDirection ReadDirection(NodeContext& node, const Network& network, int64_t d) {
  RecurrentDirection direction;
  direction.hidden = network.hidden;
  const absl::string_view type = network.kind->op_type;
  if (type == "LSTM" && node.Int("input_forget", 0) != 0) direction.coupled = CoupledGate::kForget;
  if (type == "GRU" && node.Int("linear_before_reset", 0) != 0) {
    direction.reset = GruReset::kProduct;
  }
  direction.gate_clip = network.clip;
  const auto functions = static_cast<ptrdiff_t>(network.kind->functions.size());
  const auto first = network.functions.begin() + d * functions;
  direction.functions.assign(first, first + functions);
  return direction;
}

absl::StatusOr<RecurrentRun> PrepareRun(NodeContext& node, const Network& network, int64_t d) {
  RecurrentRun run{network.kind->cell};
  run.direction = ReadDirection(node, network, d);
  const auto weights = TransposedWeights(node, 1, d, ".w");
  run.direction.recurrence = TransposedWeights(node, 2, d, ".r");
  Emitted bias = nullptr;
  if (node.HasInput(3)) {
    const int64_t width = network.kind->gates * network.hidden;
    const auto biases = EmitRow(node, node.input(3), d, ".bias");
    bias = RecurrentPart(node, biases, 0, width, ".bias");
    run.direction.recurrence_bias = RecurrentPart(node, biases, 1, width, ".bias");
  }
  if (node.HasInput(7)) {
    run.direction.peepholes = EmitRow(node, node.input(7), d, ".p");
  }
  ASSIGN_OR_RETURN(run.products,
                   InputProducts(node, network.x, weights, bias, network.steps, ".inputs"));
  ASSIGN_OR_RETURN(run.state.h, InitialState(node, network, 5, d));
  if (network.kind->op_type == "LSTM") {
    ASSIGN_OR_RETURN(run.state.c, InitialState(node, network, 6, d));
  }
  run.backwards = d == 1 || node.String("direction", "forward") == "reverse";
  run.lengths = network.lengths;
  run.number = [first = d * network.steps](int64_t i, int64_t) { return first + i; };
  return run;
}

// [B,H] of each direction -> [D,B,H], or [B,D,H] where the batch comes first.
absl::Status SetLast(NodeContext& node, const Network& network, size_t output,
                     const std::vector<Tensor*>& states) {
  if (!node.HasOutput(output)) return absl::OkStatus();
  const int64_t batch = network.batch;
  const std::vector<int64_t> dims = network.batch_first
                                        ? std::vector{batch, int64_t{1}, network.hidden}
                                        : std::vector{int64_t{1}, batch, network.hidden};
  std::vector<Emitted> parts;
  for (Tensor* state : states) parts.push_back(node.Reshape(state, dims, ".last"));
  return node.SetOutput(output, node.Concat(parts, network.batch_first ? 1 : 0, ".last"));
}

// [T,D,B,H], or [B,T,D,H] where the batch comes first. `shown`: of each direction, of each step.
absl::Status SetSteps(NodeContext& node, const Network& network,
                      const std::vector<std::vector<Tensor*>>& shown) {
  if (!node.HasOutput(0)) return absl::OkStatus();
  std::vector<Emitted> parts;
  for (int64_t t = 0; t < network.steps; ++t) {
    OpEmitter step = node.Step(t);
    for (const std::vector<Tensor*>& steps : shown) {
      parts.push_back(
          step.Reshape(steps[static_cast<size_t>(t)], {1, 1, network.batch, network.hidden}, ".y"));
    }
  }
  Emitted y = node.Reshape(node.Concat(parts, 0, ".y"),
                           {network.steps, network.directions, network.batch, network.hidden},
                           network.batch_first ? ".y" : "");
  if (network.batch_first) y = node.Transpose(y, {2, 0, 1, 3});
  return node.SetOutput(y);
}

absl::Status MapRecurrent(NodeContext& node) {
  node.IgnoreAttribute("output_sequence");  // of opset 1: whether output 0 is there
  ASSIGN_OR_RETURN(const Network network, ReadNetwork(node));
  std::vector<std::vector<Tensor*>> shown;
  std::vector<Tensor*> last_h, last_c;
  for (int64_t d = 0; d < network.directions; ++d) {
    ASSIGN_OR_RETURN(RecurrentRun run, PrepareRun(node, network, d));
    ASSIGN_OR_RETURN(shown.emplace_back(), Unroll(node, run));
    last_h.push_back(run.state.h);
    last_c.push_back(run.state.c);
  }
  RETURN_IF_ERROR(SetSteps(node, network, shown));
  RETURN_IF_ERROR(SetLast(node, network, 1, last_h));
  return last_c[0] == nullptr ? absl::OkStatus() : SetLast(node, network, 2, last_c);
}

constexpr char kRecurrentLimits[] =
    "Affine, Elu, HardSigmoid, LeakyRelu, Relu, ScaledTanh, Sigmoid, Softplus, Softsign, Tanh and "
    "ThresholdedRelu; constant 'sequence_lens'";

constexpr OpMapping kRecurrentMappings[] = {
    {"RNN", 3, 6, MapRecurrent, kRecurrentLimits},
    {"GRU", 3, 6, MapRecurrent, kRecurrentLimits},
    {"LSTM", 3, 8, MapRecurrent, kRecurrentLimits},
};

}  // namespace

absl::Span<const OpMapping> RecurrentMappings() { return kRecurrentMappings; }

}  // namespace synap_internal::onnx_import
