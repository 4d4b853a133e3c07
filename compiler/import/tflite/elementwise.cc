// Operators of two or more operands that broadcast.
#include "compiler/import/emit/elementwise.h"

#include "base/status_macros.h"
#include "compiler/import/emit/op_name.h"
#include "compiler/import/tflite/op_table.h"

namespace synap_internal::tflite_import {
namespace {

using tflite::BuiltinOperator;

template <OpName kOp, typename Options>
absl::Status MapActivated(OperatorContext& op) {
  ASSIGN_OR_RETURN(const auto* options, op.Options<Options>());
  return op.SetOutput(
      op.EmitActivated(kOp, {op.input(0), op.input(1)}, {}, options->fused_activation_function()));
}

// An emitter for real numbers and integers, which quantized values are neither of.
template <auto kEmit>
absl::Status MapNumbers(OperatorContext& op) {
  const Emitted a = op.Float(op.input(0));
  const Emitted b = op.Float(op.input(1));
  return op.SetOutput(kEmit(op, a, b));
}

absl::Status MapAddN(OperatorContext& op) {
  const auto operand = [&](size_t i) -> Emitted {
    if (!op.HasInput(i)) return absl::InvalidArgumentError("an operand is missing");
    return op.Float(op.input(i));
  };
  return op.SetOutput(EmitChain(op, "add", op.input_count(), operand));
}

absl::Status MapSelect(OperatorContext& op) {
  return op.SetOutput(EmitRowSelect(op, op.input(0), op.input(1), op.input(2)));
}

constexpr OpMapping kElementwiseMappings[] = {
    {BuiltinOperator::ADD, 2, 2, MapActivated<"add", tflite::AddOptions>, kFusedActivations},
    {BuiltinOperator::SUB, 2, 2, MapActivated<"sub", tflite::SubOptions>, kFusedActivations},
    {BuiltinOperator::MUL, 2, 2, MapActivated<"mul", tflite::MulOptions>, kFusedActivations},
    {BuiltinOperator::DIV, 2, 2, MapActivated<"div", tflite::DivOptions>, kFusedActivations},
    {BuiltinOperator::MAXIMUM, 2, 2, MapOp<"maximum">},
    {BuiltinOperator::MINIMUM, 2, 2, MapOp<"minimum">},
    {BuiltinOperator::POW, 2, 2, MapOp<"pow">},
    {BuiltinOperator::EQUAL, 2, 2, MapOp<"equal">},
    {BuiltinOperator::LESS, 2, 2, MapOp<"less">},
    {BuiltinOperator::GREATER, 2, 2, MapOp<"greater">},
    {BuiltinOperator::NOT_EQUAL, 2, 2, MapPair<EmitNegated<"equal">>},
    {BuiltinOperator::LESS_EQUAL, 2, 2, MapPair<EmitNegated<"greater">>},
    {BuiltinOperator::GREATER_EQUAL, 2, 2, MapPair<EmitNegated<"less">>},
    {BuiltinOperator::SQUARED_DIFFERENCE, 2, 2, MapNumbers<EmitSquaredDifference>},
    {BuiltinOperator::FLOOR_DIV, 2, 2, MapNumbers<EmitFloorDiv>},
    {BuiltinOperator::FLOOR_MOD, 2, 2, MapNumbers<EmitFloorMod>},
    {BuiltinOperator::LOGICAL_AND, 2, 2, MapPair<EmitAnd>},
    {BuiltinOperator::LOGICAL_OR, 2, 2, MapPair<EmitOr>},
    {BuiltinOperator::ADD_N, 1, kAnyCount, MapAddN},
    {BuiltinOperator::SELECT, 3, 3, MapSelect},
    {BuiltinOperator::SELECT_V2, 3, 3, MapOp<"where">},
};

}  // namespace

absl::Span<const OpMapping> ElementwiseMappings() { return kElementwiseMappings; }

}  // namespace synap_internal::tflite_import
