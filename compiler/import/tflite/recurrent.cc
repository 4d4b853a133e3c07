// UNIDIRECTIONAL_SEQUENCE_LSTM, BIDIRECTIONAL_SEQUENCE_LSTM and SVDF. In a quantized model their
// operands are dequantized and their outputs are quantized again.
#include "compiler/import/emit/recurrent.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/reduction.h"
#include "compiler/import/emit/slice.h"
#include "compiler/import/tflite/op_table.h"
#include "compiler/import/tflite/tensor_data.h"

namespace synap_internal::tflite_import {
namespace {

// Offsets of the gates' operands to their first one, in the order of RecurrentDirection: input,
// output, forget, cell.
constexpr size_t kGates[] = {0, 3, 1, 2};
constexpr size_t kNormalization = 20;  // of UNIDIRECTIONAL_SEQUENCE_LSTM

// The first operand of each kind of one direction.
struct LstmOperands {
  size_t input_weights, recurrent_weights;
  size_t peepholes;  // input, forget, output
  size_t biases;
  size_t projection;  // then its bias
  size_t output_state, cell_state;
  size_t second_weights = 0;  // of another input; 0: there is none
};

constexpr LstmOperands kUnidirectional = {1, 5, 9, 12, 16, 18, 19};
constexpr LstmOperands kForward = {1, 5, 9, 12, 16, 35, 36, 40};
constexpr LstmOperands kBackward = {18, 22, 26, 29, 33, 37, 38, 44};
constexpr size_t kSecondInput = 39;  // of BIDIRECTIONAL_SEQUENCE_LSTM

// What the options of both operators say.
struct LstmOptions {
  tflite::Activation activation;
  float cell_clip, projection_clip;
  bool time_major;
};

template <typename T>
LstmOptions OptionsOf(const T& options) {
  return {options.fused_activation_function(), options.cell_clip(), options.proj_clip(),
          options.time_major()};
}

struct Lstm {
  LstmOperands operands = {};
  int64_t steps = 0, batch = 0, outputs = 0;
  bool time_major = false;
  RecurrentDirection direction;
};

// The operand itself, or the forget gate's where coupled gates leave out the input gate's: the
// input gate's products are then not used.
size_t Present(const OperatorContext& op, size_t first, size_t gate) {
  const size_t operand = first + kGates[gate];
  return op.HasInput(operand) ? operand : first + 1;
}

absl::Status CheckShape(const OperatorContext& op, size_t i, absl::string_view what,
                        const Shape& expected) {
  if (!op.HasInput(i)) return absl::InvalidArgumentError(absl::StrCat("it has no ", what));
  return CheckOperandShape(what, op.shape(i), expected);
}

Emitted ConstantFloat(OperatorContext& op, size_t i, absl::string_view what) {
  if (!op.input(i)->is_constant()) {
    return absl::UnimplementedError(
        absl::StrCat("its ", what, " is computed, expected a constant"));
  }
  ASSIGN_OR_RETURN(Tensor * real, op.Float(op.input(i)));
  if (real->type.dtype == DataType::kFloat32) return real;
  return absl::UnimplementedError(absl::StrCat(
      "its ", what, " is ", synap_internal::Name(real->type.dtype), ", expected real numbers"));
}

// The integers of a bias are multiples of the product of the scales of `x` and the weights.
Emitted Bias(OperatorContext& op, size_t i, const Tensor* x, size_t weights) {
  ASSIGN_OR_RETURN(TensorData data, op.Stored(i));
  if (data.type.dtype == DataType::kInt32) {
    const QuantParams &of_x = x->type.quant, &of_w = op.input(weights)->type.quant;
    if (!of_x.quantized() || !of_w.quantized() || of_w.scales.size() != 1) {
      return absl::InvalidArgumentError(
          "its bias is quantized, but its input or its weights are not");
    }
    data.type.quant = QuantParams::Affine(of_x.scale() * of_w.scale(), 0);
    RETURN_IF_ERROR(data.type.quant.Validate(data.type.dtype, data.type.shape));
    Tensor integers;
    integers.type = data.type;
    integers.constant = std::make_shared<const Constant>(std::move(data.constant));
    data.constant = Dequantized(integers);
    data.type = {DataType::kFloat32, data.type.shape, {}};
  }
  if (data.type.dtype != DataType::kFloat32) {
    return absl::UnimplementedError(absl::StrCat(
        "its bias is ", synap_internal::Name(data.type.dtype), ", expected float32 or int32"));
  }
  return op.builder().graph().AddConstant(op.Name(".bias"), data.type, std::move(data.constant));
}

// [4 * H, columns] of the four gates as [columns, 4 * H].
Emitted Weights(OperatorContext& op, size_t first, const Shape& shape, absl::string_view suffix) {
  std::vector<Emitted> parts;
  for (size_t gate = 0; gate < 4; ++gate) {
    const size_t operand = Present(op, first, gate);
    RETURN_IF_ERROR(CheckShape(op, operand, absl::StrCat("operand ", operand), shape));
    parts.push_back(ConstantFloat(op, operand, absl::StrCat("operand ", operand)));
  }
  return op.Transpose(op.Concat(parts, 0, suffix), {1, 0}, suffix);
}

Emitted Biases(OperatorContext& op, const LstmOperands& operands, const Tensor* x,
               const Shape& shape) {
  std::vector<Emitted> parts;
  for (size_t gate = 0; gate < 4; ++gate) {
    const size_t operand = Present(op, operands.biases, gate);
    RETURN_IF_ERROR(CheckShape(op, operand, "bias", shape));
    parts.push_back(Bias(op, operand, x, Present(op, operands.input_weights, gate)));
  }
  return op.Concat(parts, 0, ".biases");
}

Emitted Peepholes(OperatorContext& op, size_t first, const Shape& shape) {
  const size_t input = first, forget = first + 1, output = first + 2;
  if (!op.HasInput(forget) && !op.HasInput(output)) return nullptr;
  std::vector<Emitted> parts;
  for (const size_t i : {op.HasInput(input) ? input : forget, output, forget}) {
    RETURN_IF_ERROR(CheckShape(op, i, "peephole", shape));
    parts.push_back(ConstantFloat(op, i, "peephole"));
  }
  return op.Concat(parts, 0, ".peepholes");
}

absl::Status ReadProjection(OperatorContext& op, size_t weights, RecurrentDirection& direction,
                            int64_t outputs) {
  if (!op.HasInput(weights)) return absl::OkStatus();
  RETURN_IF_ERROR(CheckShape(op, weights, "projection", Shape({outputs, direction.hidden})));
  direction.projection = ConstantFloat(op, weights, "projection");
  const size_t bias = weights + 1;
  if (!op.HasInput(bias)) return absl::OkStatus();
  if (op.input(0)->type.quant.quantized()) {
    return absl::UnimplementedError("its projection has a bias beside quantized values");
  }
  RETURN_IF_ERROR(CheckShape(op, bias, "projection's bias", Shape({outputs})));
  direction.projection_bias = ConstantFloat(op, bias, "projection's bias");
  return absl::OkStatus();
}

absl::StatusOr<std::string> ActivationFunction(tflite::Activation activation) {
  switch (activation) {
    case tflite::Activation::NONE:
      return std::string();
    case tflite::Activation::TANH:
      return std::string("tanh");
    case tflite::Activation::RELU:
      return std::string("relu");
    case tflite::Activation::RELU6:
      return std::string("relu6");
    default:
      return absl::UnimplementedError(
          absl::StrCat("its fused activation is ", tflite::EnumNameActivation(activation)));
  }
}

absl::Status CheckLstm(const OperatorContext& op, const LstmOperands& operands) {
  const size_t input = operands.input_weights + 1, recurrent = operands.recurrent_weights + 1;
  if (!op.HasInput(input) || !op.HasInput(recurrent)) {
    return absl::InvalidArgumentError("it has no weights of the forget gate");
  }
  const Shape &x = op.shape(0), &w = op.shape(input), &r = op.shape(recurrent);
  if (x.rank() == 3 && w.rank() == 2 && r.rank() == 2 && x.elements() > 0 && r.elements() > 0) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat("its input is ", x.ToString(), ", its weights ",
                                                 w.ToString(), " and ", r.ToString(),
                                                 ", expected three dimensions and two of each"));
}

absl::StatusOr<Lstm> ReadLstm(OperatorContext& op, const LstmOperands& operands,
                              const LstmOptions& options) {
  RETURN_IF_ERROR(CheckLstm(op, operands));
  const Shape x = op.shape(0);
  Lstm lstm;
  lstm.operands = operands;
  lstm.time_major = options.time_major;
  lstm.steps = x[lstm.time_major ? 0 : 1];
  lstm.batch = x[lstm.time_major ? 1 : 0];
  lstm.outputs = op.shape(operands.recurrent_weights + 1)[1];
  RETURN_IF_ERROR(ChargeSteps(op.builder(), lstm.steps, 1));
  RecurrentDirection& direction = lstm.direction;
  const int64_t hidden = op.shape(operands.input_weights + 1)[0];
  direction.hidden = hidden;
  if (!op.HasInput(operands.input_weights)) direction.coupled = CoupledGate::kInput;
  direction.recurrence =
      Weights(op, operands.recurrent_weights, Shape({hidden, lstm.outputs}), ".recurrent");
  direction.peepholes = Peepholes(op, operands.peepholes, Shape({hidden}));
  RETURN_IF_ERROR(ReadProjection(op, operands.projection, direction, lstm.outputs));
  if (!IsGiven(direction.projection) && lstm.outputs != hidden) {
    return absl::InvalidArgumentError(
        absl::StrCat("its recurrent weights are for ", lstm.outputs, " values, expected ", hidden));
  }
  direction.cell_clip = options.cell_clip;
  direction.projection_clip = options.projection_clip;
  ASSIGN_OR_RETURN(const std::string activation, ActivationFunction(options.activation));
  direction.functions = {"sigmoid", activation, activation};
  return lstm;
}

// The state before the first step; zeros if it isn't given.
Emitted InitialState(OperatorContext& op, size_t i, const Shape& shape) {
  if (!op.HasInput(i)) return ZeroState(op, shape);
  RETURN_IF_ERROR(CheckShape(op, i, "state", shape));
  return op.Float(op.input(i));
}

// The products of all steps of an input, [steps, batch, 4 * H].
Emitted StepProducts(OperatorContext& op, const Lstm& lstm, Tensor* x, size_t weights_operand,
                     bool with_bias) {
  const int64_t hidden = lstm.direction.hidden, inputs = x->type.shape[2];
  Emitted steps = op.Float(x);
  if (!lstm.time_major) steps = op.Transpose(steps, {1, 0, 2}, ".steps");
  steps = op.Reshape(steps, {lstm.steps * lstm.batch, inputs}, ".steps");
  const Emitted weights = Weights(op, weights_operand, Shape({hidden, inputs}), ".input");
  const Emitted bias = with_bias ? Biases(op, lstm.operands, x, Shape({hidden})) : nullptr;
  return InputProducts(op, steps, weights, bias, lstm.steps, ".products");
}

// Inputs of one direction: x and, if it isn't null, another one with weights of its own.
struct LstmInputs {
  Tensor* x = nullptr;
  Tensor* second = nullptr;
};

// The outputs of all steps, [1, batch, outputs] each, in the order of time.
absl::StatusOr<std::vector<Tensor*>> RunLstm(OperatorContext& op, const Lstm& lstm,
                                             const LstmInputs& inputs, bool backwards) {
  const LstmOperands& operands = lstm.operands;
  RecurrentRun run{LstmCell, lstm.direction};
  run.as_rows = true;
  Emitted products = StepProducts(op, lstm, inputs.x, operands.input_weights, true);
  if (inputs.second != nullptr) {
    const Emitted second = StepProducts(op, lstm, inputs.second, operands.second_weights, false);
    products = op.Emit("add", {products, second}, {}, ".products");
  }
  ASSIGN_OR_RETURN(run.products, products);
  ASSIGN_OR_RETURN(run.state.h,
                   InitialState(op, operands.output_state, Shape({lstm.batch, lstm.outputs})));
  ASSIGN_OR_RETURN(run.state.c, InitialState(op, operands.cell_state,
                                             Shape({lstm.batch, lstm.direction.hidden})));
  if (backwards) {
    run.backwards = true;
    run.number = [steps = lstm.steps](int64_t i, int64_t) { return steps + i; };
  }
  ASSIGN_OR_RETURN(std::vector<Tensor*> rows, Unroll(op, run));
  RETURN_IF_ERROR(op.SetState(operands.output_state, run.state.h));
  RETURN_IF_ERROR(op.SetState(operands.cell_state, run.state.c));
  return rows;
}

// Rows of all steps as [steps, batch, outputs], or with the batch first if time isn't.
Emitted JoinedSteps(OperatorContext& op, std::vector<Tensor*> rows, bool time_major) {
  const Emitted y = op.Concat(std::move(rows), 0, time_major ? "" : ".y");
  return time_major ? y : op.Transpose(y, {1, 0, 2});
}

absl::Status MapLstm(OperatorContext& op) {
  ASSIGN_OR_RETURN(const auto* options, op.Options<tflite::UnidirectionalSequenceLSTMOptions>());
  if (options->diagonal_recurrent_tensors()) {
    return absl::UnimplementedError("its recurrent weights are diagonals");
  }
  for (size_t i = kNormalization; i < op.input_count(); ++i) {
    if (op.HasInput(i)) {
      return absl::UnimplementedError("it normalizes its gates");
    }
  }
  ASSIGN_OR_RETURN(const Lstm lstm, ReadLstm(op, kUnidirectional, OptionsOf(*options)));
  ASSIGN_OR_RETURN(std::vector<Tensor*> rows, RunLstm(op, lstm, {op.input(0)}, false));
  return op.SetOutput(JoinedSteps(op, std::move(rows), lstm.time_major));
}

// A second input with weights is one of both directions; without any, it is what the backward
// direction reads.
absl::Status MapBidirectionalLstm(OperatorContext& op) {
  ASSIGN_OR_RETURN(const auto* options, op.Options<tflite::BidirectionalSequenceLSTMOptions>());
  Tensor *x = op.input(0), *second = op.input(kSecondInput);
  const Shape& of_x = x->type.shape;
  if (second != nullptr && (second->type.shape.rank() != 3 || of_x.rank() != 3 ||
                            second->type.shape[0] != of_x[0] || second->type.shape[1] != of_x[1])) {
    return absl::InvalidArgumentError(
        absl::StrCat("its inputs are ", of_x.ToString(), " and ", second->type.shape.ToString(),
                     ", expected three dimensions and the same first two"));
  }
  const bool weighted = op.HasInput(kForward.second_weights + 1);
  std::vector<std::vector<Tensor*>> rows;
  for (const bool backwards : {false, true}) {
    const LstmOperands& operands = backwards ? kBackward : kForward;
    ASSIGN_OR_RETURN(const Lstm lstm, ReadLstm(op, operands, OptionsOf(*options)));
    LstmInputs inputs{x, weighted ? second : nullptr};
    if (backwards && !weighted && second != nullptr) inputs.x = second;
    ASSIGN_OR_RETURN(rows.emplace_back(), RunLstm(op, lstm, inputs, backwards));
  }
  if (!options->merge_outputs()) {
    for (size_t i = 0; i < rows.size(); ++i) {
      RETURN_IF_ERROR(op.SetOutput(i, JoinedSteps(op, std::move(rows[i]), options->time_major())));
    }
    return absl::OkStatus();
  }
  for (size_t t = 0; t < rows[0].size(); ++t) {
    OpEmitter step = op.Step(static_cast<int64_t>(t));
    ASSIGN_OR_RETURN(rows[0][t], step.Concat({rows[0][t], rows[1][t]}, 2, ".both"));
  }
  return op.SetOutput(JoinedSteps(op, std::move(rows[0]), options->time_major()));
}

// --- SVDF: each filter keeps the products of the last inputs with its weights, `memory` of them,
// and shows their sum with weights of time. A unit is the sum of `rank` filters.

constexpr size_t kFeatureWeights = 1, kTimeWeights = 2, kSvdfBias = 3, kSvdfState = 4;

struct Svdf {
  int64_t batch = 0, inputs = 0, filters = 0, memory = 0, rank = 1;
};

absl::StatusOr<Svdf> ReadSvdf(const OperatorContext& op, int64_t rank) {
  const Shape &x = op.shape(0), &features = op.shape(kFeatureWeights),
              &time = op.shape(kTimeWeights);
  const bool fits = x.rank() == 2 && features.rank() == 2 && time.rank() == 2 &&
                    x[1] == features[1] && features[0] == time[0] && time.elements() > 0 &&
                    rank > 0 && time[0] % rank == 0;
  if (fits) return Svdf{x[0], x[1], time[0], time[1], rank};
  return absl::InvalidArgumentError(absl::StrCat(
      "its input is ", x.ToString(), ", its weights ", features.ToString(), " and ",
      time.ToString(), " of rank ", rank, ", expected [B,I], [F,I] and [F,M], F a multiple of it"));
}

// The integers of a bias are multiples of the product of the scales of the state and the weights of
// time.
Emitted SvdfBias(OperatorContext& op) {
  ASSIGN_OR_RETURN(const TensorType state, op.OperandType(kSvdfState));
  Tensor of_state;
  of_state.type = state;
  return Bias(op, kSvdfBias, &of_state, kTimeWeights);
}

absl::Status MapSvdf(OperatorContext& op) {
  ASSIGN_OR_RETURN(const auto* options, op.Options<tflite::SVDFOptions>());
  ASSIGN_OR_RETURN(const Svdf svdf, ReadSvdf(op, options->rank()));
  const int64_t filters = svdf.filters, memory = svdf.memory;
  RETURN_IF_ERROR(Shape({svdf.batch, filters * memory}).Validate());
  const Emitted x = op.Float(op.input(0));
  const Emitted features = ConstantFloat(op, kFeatureWeights, "weights of features");
  const Emitted time = ConstantFloat(op, kTimeWeights, "weights of time");
  Emitted kept = op.Emit("fully_connected", {x, features}, {}, ".features");
  kept = op.Reshape(kept, {svdf.batch, filters, 1}, ".newest");
  if (memory > 1) {
    Emitted past = InitialState(op, kSvdfState, Shape({svdf.batch, filters * memory}));
    past = op.Reshape(past, {svdf.batch, filters, memory}, ".past");
    past = EmitAxisSlice(op, past, 2, 1, memory - 1, ".past");
    kept = op.Concat({past, kept}, 2, ".kept");
  }
  RETURN_IF_ERROR(
      op.SetState(kSvdfState, op.Reshape(kept, {svdf.batch, filters * memory}, ".state")));
  const Emitted weighted = op.Emit("mul", {kept, time}, {}, ".weighted");
  const Emitted units =
      op.Reshape(weighted, {svdf.batch, filters / svdf.rank, svdf.rank * memory}, ".units");
  const Emitted bias = op.HasInput(kSvdfBias) ? SvdfBias(op) : op.Scalar(0, ".bias");
  const Emitted sum = EmitReduce(op, "reduce_sum", units, {2}, false, ".sum");
  return op.SetOutput(
      op.EmitActivated("add", {sum, bias}, {}, options->fused_activation_function()));
}

constexpr char kLstmLimits[] =
    "constant weights, neither diagonal nor normalizing the gates; biases of float32 and int32, a "
    "projection's of float32; the fused activations RELU, RELU6 and TANH";

constexpr OpMapping kRecurrentMappings[] = {
    {tflite::BuiltinOperator::UNIDIRECTIONAL_SEQUENCE_LSTM, 1, 24, MapLstm, kLstmLimits},
    {tflite::BuiltinOperator::BIDIRECTIONAL_SEQUENCE_LSTM, 1, 48, MapBidirectionalLstm,
     "constant weights; biases of float32 and int32, a projection's of float32; the fused "
     "activations RELU, RELU6 and TANH"},
    {tflite::BuiltinOperator::SVDF, 3, 5, MapSvdf,
     "constant weights and bias; the fused activations RELU, RELU6, RELU_N1_TO_1 and TANH"},
};

}  // namespace

absl::Span<const OpMapping> RecurrentMappings() { return kRecurrentMappings; }

}  // namespace synap_internal::tflite_import
