// UNIDIRECTIONAL_SEQUENCE_LSTM. In a quantized model its operands are dequantized and its output is
// quantized again.
#include "compiler/import/emit/recurrent.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/tflite/op_table.h"
#include "compiler/import/tflite/tensor_data.h"

namespace synap_internal::tflite_import {
namespace {

// Offsets of the gates' operands to their first one, in the order of RecurrentDirection: input,
// output, forget, cell.
constexpr size_t kGates[] = {0, 3, 1, 2};
constexpr size_t kInputWeights = 1, kRecurrentWeights = 5, kBiases = 12;
constexpr size_t kInputPeephole = 9, kForgetPeephole = 10, kOutputPeephole = 11;
constexpr size_t kProjection = 16, kProjectionBias = 17, kOutputState = 18, kCellState = 19;
constexpr size_t kNormalization = 20, kOperands = 24;

struct Lstm {
  int64_t steps = 0, batch = 0, inputs = 0, outputs = 0;
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

absl::StatusOr<Tensor*> ConstantFloat(OperatorContext& op, size_t i, absl::string_view what) {
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
absl::StatusOr<Tensor*> Bias(OperatorContext& op, size_t i, const Tensor* x, size_t weights) {
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
absl::StatusOr<Tensor*> Weights(OperatorContext& op, size_t first, const Shape& shape,
                                absl::string_view suffix) {
  std::vector<Tensor*> parts;
  for (size_t gate = 0; gate < 4; ++gate) {
    const size_t operand = Present(op, first, gate);
    RETURN_IF_ERROR(CheckShape(op, operand, absl::StrCat("operand ", operand), shape));
    ASSIGN_OR_RETURN(Tensor * part, ConstantFloat(op, operand, absl::StrCat("operand ", operand)));
    parts.push_back(part);
  }
  ASSIGN_OR_RETURN(Tensor * joined, op.Concat(std::move(parts), 0, suffix));
  return op.Transpose(joined, {1, 0}, suffix);
}

absl::StatusOr<Tensor*> Biases(OperatorContext& op, const Shape& shape) {
  std::vector<Tensor*> parts;
  for (size_t gate = 0; gate < 4; ++gate) {
    const size_t operand = Present(op, kBiases, gate);
    RETURN_IF_ERROR(CheckShape(op, operand, "bias", shape));
    ASSIGN_OR_RETURN(Tensor * part,
                     Bias(op, operand, op.input(0), Present(op, kInputWeights, gate)));
    parts.push_back(part);
  }
  return op.Concat(std::move(parts), 0, ".biases");
}

absl::StatusOr<Tensor*> Peepholes(OperatorContext& op, const Shape& shape) {
  if (!op.HasInput(kForgetPeephole) && !op.HasInput(kOutputPeephole)) return nullptr;
  std::vector<Tensor*> parts;
  for (const size_t i : {op.HasInput(kInputPeephole) ? kInputPeephole : kForgetPeephole,
                         kOutputPeephole, kForgetPeephole}) {
    RETURN_IF_ERROR(CheckShape(op, i, "peephole", shape));
    ASSIGN_OR_RETURN(Tensor * part, ConstantFloat(op, i, "peephole"));
    parts.push_back(part);
  }
  return op.Concat(std::move(parts), 0, ".peepholes");
}

absl::Status ReadProjection(OperatorContext& op, RecurrentDirection& direction, int64_t outputs) {
  if (!op.HasInput(kProjection)) return absl::OkStatus();
  RETURN_IF_ERROR(CheckShape(op, kProjection, "projection", Shape({outputs, direction.hidden})));
  ASSIGN_OR_RETURN(direction.projection, ConstantFloat(op, kProjection, "projection"));
  if (!op.HasInput(kProjectionBias)) return absl::OkStatus();
  if (op.input(0)->type.quant.quantized()) {
    return absl::UnimplementedError("its projection has a bias beside quantized values");
  }
  RETURN_IF_ERROR(CheckShape(op, kProjectionBias, "projection's bias", Shape({outputs})));
  ASSIGN_OR_RETURN(direction.projection_bias,
                   ConstantFloat(op, kProjectionBias, "projection's bias"));
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

absl::Status CheckLstm(const OperatorContext& op,
                       const tflite::UnidirectionalSequenceLSTMOptions& options) {
  if (options.diagonal_recurrent_tensors()) {
    return absl::UnimplementedError("its recurrent weights are diagonals");
  }
  for (size_t i = kNormalization; i < op.input_count(); ++i) {
    if (op.HasInput(i)) {
      return absl::UnimplementedError("it normalizes its gates");
    }
  }
  if (!op.HasInput(kInputWeights + 1) || !op.HasInput(kRecurrentWeights + 1)) {
    return absl::InvalidArgumentError("it has no weights of the forget gate");
  }
  const Shape &x = op.shape(0), &w = op.shape(kInputWeights + 1),
              &r = op.shape(kRecurrentWeights + 1);
  if (x.rank() == 3 && w.rank() == 2 && r.rank() == 2 && x.elements() > 0 && r.elements() > 0) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat("its input is ", x.ToString(), ", its weights ",
                                                 w.ToString(), " and ", r.ToString(),
                                                 ", expected three dimensions and two of each"));
}

absl::StatusOr<Lstm> ReadLstm(OperatorContext& op) {
  ASSIGN_OR_RETURN(const auto* options, op.Options<tflite::UnidirectionalSequenceLSTMOptions>());
  RETURN_IF_ERROR(CheckLstm(op, *options));
  const Shape x = op.shape(0);
  Lstm lstm;
  lstm.time_major = options->time_major();
  lstm.steps = x[lstm.time_major ? 0 : 1];
  lstm.batch = x[lstm.time_major ? 1 : 0];
  lstm.inputs = x[2];
  lstm.outputs = op.shape(kRecurrentWeights + 1)[1];
  RETURN_IF_ERROR(ChargeSteps(op.builder(), lstm.steps, 1));
  RecurrentDirection& direction = lstm.direction;
  const int64_t hidden = op.shape(kInputWeights + 1)[0];
  direction.hidden = hidden;
  if (!op.HasInput(kInputWeights)) direction.coupled = CoupledGate::kInput;
  ASSIGN_OR_RETURN(direction.recurrence,
                   Weights(op, kRecurrentWeights, Shape({hidden, lstm.outputs}), ".recurrent"));
  ASSIGN_OR_RETURN(direction.peepholes, Peepholes(op, Shape({hidden})));
  RETURN_IF_ERROR(ReadProjection(op, direction, lstm.outputs));
  if (direction.projection == nullptr && lstm.outputs != hidden) {
    return absl::InvalidArgumentError(
        absl::StrCat("its recurrent weights are for ", lstm.outputs, " values, expected ", hidden));
  }
  direction.cell_clip = options->cell_clip();
  direction.projection_clip = options->proj_clip();
  ASSIGN_OR_RETURN(const std::string activation,
                   ActivationFunction(options->fused_activation_function()));
  direction.functions = {"sigmoid", activation, activation};
  return lstm;
}

// The state before the first step; zeros if it isn't given.
absl::StatusOr<Tensor*> InitialState(OperatorContext& op, size_t i, const Shape& shape) {
  if (!op.HasInput(i)) return ZeroState(op, shape);
  RETURN_IF_ERROR(CheckShape(op, i, "state", shape));
  return op.Float(op.input(i));
}

// The products of all steps' inputs, [steps, batch, 4 * H].
absl::StatusOr<Tensor*> AllInputProducts(OperatorContext& op, const Lstm& lstm) {
  const int64_t hidden = lstm.direction.hidden;
  ASSIGN_OR_RETURN(Tensor * x, op.Float(op.input(0)));
  if (!lstm.time_major) {
    ASSIGN_OR_RETURN(x, op.Transpose(x, {1, 0, 2}, ".steps"));
  }
  ASSIGN_OR_RETURN(x, op.Reshape(x, {lstm.steps * lstm.batch, lstm.inputs}, ".steps"));
  ASSIGN_OR_RETURN(Tensor * weights,
                   Weights(op, kInputWeights, Shape({hidden, lstm.inputs}), ".input"));
  ASSIGN_OR_RETURN(Tensor * bias, Biases(op, Shape({hidden})));
  return InputProducts(op, x, weights, bias, lstm.steps, ".products");
}

absl::Status MapLstm(OperatorContext& op) {
  ASSIGN_OR_RETURN(const Lstm lstm, ReadLstm(op));
  RecurrentRun run{LstmCell, lstm.direction};
  run.as_rows = true;
  ASSIGN_OR_RETURN(run.products, AllInputProducts(op, lstm));
  ASSIGN_OR_RETURN(run.state.h, InitialState(op, kOutputState, Shape({lstm.batch, lstm.outputs})));
  ASSIGN_OR_RETURN(run.state.c,
                   InitialState(op, kCellState, Shape({lstm.batch, lstm.direction.hidden})));
  ASSIGN_OR_RETURN(std::vector<Tensor*> rows, Unroll(op, run));
  ASSIGN_OR_RETURN(Tensor * y, op.Concat(std::move(rows), 0, lstm.time_major ? "" : ".y"));
  if (!lstm.time_major) {
    ASSIGN_OR_RETURN(y, op.Transpose(y, {1, 0, 2}));
  }
  return op.SetOutput(y);
}

constexpr OpMapping kMappings[] = {
    {tflite::BuiltinOperator::UNIDIRECTIONAL_SEQUENCE_LSTM, 1, kOperands, MapLstm,
     "constant weights, neither diagonal nor normalizing the gates; biases of float32 and int32, a "
     "projection's of float32; the fused activations RELU, RELU6 and TANH"},
};

}  // namespace

absl::Span<const OpMapping> RecurrentMappings() { return kMappings; }

}  // namespace synap_internal::tflite_import
