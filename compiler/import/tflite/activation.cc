// Functions of one operand, PRELU and softmax.
#include "base/status_macros.h"
#include "compiler/import/emit/op_name.h"
#include "compiler/import/tflite/op_table.h"

namespace synap_internal::tflite_import {
namespace {

using tflite::BuiltinOperator;

absl::Status MapClip(OperatorContext& op) {
  const float min = op.code() == BuiltinOperator::RELU_N1_TO_1 ? -1.0f : 0.0f;
  return op.SetOutput(op.Emit("clip", {op.input(0)}, {{"min", min}, {"max", 1.0f}}));
}

absl::Status MapLeakyRelu(OperatorContext& op) {
  ASSIGN_OR_RETURN(const auto* options, op.Options<tflite::LeakyReluOptions>());
  return op.SetOutput(op.Emit("leaky_relu", {op.input(0)}, {{"alpha", options->alpha()}}));
}

absl::Status MapGelu(OperatorContext& op) {
  ASSIGN_OR_RETURN(const auto* options, op.Options<tflite::GeluOptions>());
  return op.SetOutput(
      op.Emit("gelu", {op.input(0)}, {{"approximate", int64_t{options->approximate()}}}));
}

// softmax(beta * x)
absl::Status MapSoftmax(OperatorContext& op) {
  ASSIGN_OR_RETURN(const auto* options, op.Options<tflite::SoftmaxOptions>());
  const float beta = options->beta();
  Emitted x = op.input(0);
  if (beta != 1) {
    x = op.Emit("mul", {op.Float(op.input(0)), op.Scalar(beta, ".beta")}, {}, ".scaled");
  }
  return op.SetOutput(op.Emit("softmax", {x}, {{"axis", int64_t{-1}}}));
}

absl::Status MapLogSoftmax(OperatorContext& op) {
  return op.SetOutput(op.Emit("log_softmax", {op.input(0)}, {{"axis", int64_t{-1}}}));
}

constexpr OpMapping kActivationMappings[] = {
    {BuiltinOperator::RELU, 1, 1, MapOp<"relu">},
    {BuiltinOperator::RELU6, 1, 1, MapOp<"relu6">},
    {BuiltinOperator::RELU_N1_TO_1, 1, 1, MapClip},
    {BuiltinOperator::RELU_0_TO_1, 1, 1, MapClip},
    {BuiltinOperator::LEAKY_RELU, 1, 1, MapLeakyRelu},
    {BuiltinOperator::PRELU, 2, 2, MapOp<"prelu">},
    {BuiltinOperator::LOGISTIC, 1, 1, MapOp<"sigmoid">},
    {BuiltinOperator::TANH, 1, 1, MapOp<"tanh">},
    {BuiltinOperator::HARD_SWISH, 1, 1, MapOp<"hard_swish">},
    {BuiltinOperator::ELU, 1, 1, MapOp<"elu">},
    {BuiltinOperator::GELU, 1, 1, MapGelu},
    {BuiltinOperator::EXP, 1, 1, MapOp<"exp">},
    {BuiltinOperator::SIN, 1, 1, MapOp<"sin">},
    {BuiltinOperator::COS, 1, 1, MapOp<"cos">},
    {BuiltinOperator::LOG, 1, 1, MapOp<"log">},
    {BuiltinOperator::SQRT, 1, 1, MapOp<"sqrt">},
    {BuiltinOperator::RSQRT, 1, 1, MapOp<"rsqrt">},
    {BuiltinOperator::SQUARE, 1, 1, MapOp<"square">},
    {BuiltinOperator::ABS, 1, 1, MapOp<"abs">},
    {BuiltinOperator::NEG, 1, 1, MapOp<"neg">},
    {BuiltinOperator::SIGN, 1, 1, MapOp<"sign">},
    {BuiltinOperator::FLOOR, 1, 1, MapOp<"floor">},
    {BuiltinOperator::CEIL, 1, 1, MapOp<"ceil">},
    {BuiltinOperator::ROUND, 1, 1, MapOp<"round">},
    {BuiltinOperator::LOGICAL_NOT, 1, 1, MapOp<"logical_not">},
    {BuiltinOperator::SOFTMAX, 1, 1, MapSoftmax},
    {BuiltinOperator::LOG_SOFTMAX, 1, 1, MapLogSoftmax},
};

}  // namespace

absl::Span<const OpMapping> ActivationMappings() { return kActivationMappings; }

}  // namespace synap_internal::tflite_import
