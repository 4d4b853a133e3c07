// Functions of one operand, PRELU and softmax.
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/tflite/op_table.h"

namespace synap_internal::tflite_import {
namespace {

using tflite::BuiltinOperator;

// The op that means the same, for operators without options.
absl::string_view UnaryOp(BuiltinOperator code) {
  constexpr std::pair<BuiltinOperator, absl::string_view> kOps[] = {
      {BuiltinOperator::RELU, "relu"},
      {BuiltinOperator::RELU6, "relu6"},
      {BuiltinOperator::LOGISTIC, "sigmoid"},
      {BuiltinOperator::TANH, "tanh"},
      {BuiltinOperator::HARD_SWISH, "hard_swish"},
      {BuiltinOperator::ELU, "elu"},
      {BuiltinOperator::EXP, "exp"},
      {BuiltinOperator::LOG, "log"},
      {BuiltinOperator::SQRT, "sqrt"},
      {BuiltinOperator::RSQRT, "rsqrt"},
      {BuiltinOperator::SQUARE, "square"},
      {BuiltinOperator::ABS, "abs"},
      {BuiltinOperator::NEG, "neg"},
      {BuiltinOperator::SIGN, "sign"},
      {BuiltinOperator::FLOOR, "floor"},
      {BuiltinOperator::CEIL, "ceil"},
      {BuiltinOperator::ROUND, "round"},
      {BuiltinOperator::LOGICAL_NOT, "logical_not"},
  };
  for (const auto& [known, name] : kOps) {
    if (known == code) return name;
  }
  return "";
}

absl::Status MapUnary(OperatorContext& op) {
  return op.SetOutput(op.Emit(UnaryOp(op.code()), {op.input(0)}));
}

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

absl::Status MapPrelu(OperatorContext& op) {
  return op.SetOutput(op.Emit("prelu", {op.input(0), op.input(1)}));
}

// softmax(beta * x)
absl::Status MapSoftmax(OperatorContext& op) {
  ASSIGN_OR_RETURN(const auto* options, op.Options<tflite::SoftmaxOptions>());
  const float beta = options->beta();
  Tensor* x = op.input(0);
  if (beta != 1) {
    ASSIGN_OR_RETURN(x, op.Float(x));
    Tensor* factor = op.builder().AddScalar(op.Name(".beta"), beta);
    ASSIGN_OR_RETURN(x, op.Emit("mul", {x, factor}, {}, ".scaled"));
  }
  return op.SetOutput(op.Emit("softmax", {x}, {{"axis", int64_t{-1}}}));
}

absl::Status MapLogSoftmax(OperatorContext& op) {
  return op.SetOutput(op.Emit("log_softmax", {op.input(0)}, {{"axis", int64_t{-1}}}));
}

// x / max(|x|, 1e-6), |x| along the last dimension
absl::Status MapL2Normalization(OperatorContext& op) {
  ASSIGN_OR_RETURN(const auto* options, op.Options<tflite::L2NormOptions>());
  ASSIGN_OR_RETURN(Tensor * x, op.Float(op.input(0)));
  ASSIGN_OR_RETURN(
      Tensor * norm,
      op.Emit("reduce_l2", {x}, {{"axes", std::vector<int64_t>{-1}}, {"keep_dims", int64_t{1}}},
              ".norm"));
  Tensor* smallest = op.builder().AddScalar(op.Name(".smallest"), 1e-6f);
  ASSIGN_OR_RETURN(norm, op.Emit("maximum", {norm, smallest}, {}, ".divisor"));
  return op.SetOutput(op.EmitActivated("div", {x, norm}, {}, options->fused_activation_function()));
}

constexpr OpMapping kMappings[] = {
    {BuiltinOperator::RELU, 1, 1, MapUnary},
    {BuiltinOperator::RELU6, 1, 1, MapUnary},
    {BuiltinOperator::RELU_N1_TO_1, 1, 1, MapClip},
    {BuiltinOperator::RELU_0_TO_1, 1, 1, MapClip},
    {BuiltinOperator::LEAKY_RELU, 1, 1, MapLeakyRelu},
    {BuiltinOperator::PRELU, 2, 2, MapPrelu},
    {BuiltinOperator::LOGISTIC, 1, 1, MapUnary},
    {BuiltinOperator::TANH, 1, 1, MapUnary},
    {BuiltinOperator::HARD_SWISH, 1, 1, MapUnary},
    {BuiltinOperator::ELU, 1, 1, MapUnary},
    {BuiltinOperator::GELU, 1, 1, MapGelu},
    {BuiltinOperator::EXP, 1, 1, MapUnary},
    {BuiltinOperator::LOG, 1, 1, MapUnary},
    {BuiltinOperator::SQRT, 1, 1, MapUnary},
    {BuiltinOperator::RSQRT, 1, 1, MapUnary},
    {BuiltinOperator::SQUARE, 1, 1, MapUnary},
    {BuiltinOperator::ABS, 1, 1, MapUnary},
    {BuiltinOperator::NEG, 1, 1, MapUnary},
    {BuiltinOperator::SIGN, 1, 1, MapUnary},
    {BuiltinOperator::FLOOR, 1, 1, MapUnary},
    {BuiltinOperator::CEIL, 1, 1, MapUnary},
    {BuiltinOperator::ROUND, 1, 1, MapUnary},
    {BuiltinOperator::LOGICAL_NOT, 1, 1, MapUnary},
    {BuiltinOperator::SOFTMAX, 1, 1, MapSoftmax},
    {BuiltinOperator::LOG_SOFTMAX, 1, 1, MapLogSoftmax},
    {BuiltinOperator::L2_NORMALIZATION, 1, 1, MapL2Normalization, kFusedActivations},
};

}  // namespace

absl::Span<const OpMapping> FunctionMappings() { return kMappings; }

}  // namespace synap_internal::tflite_import
