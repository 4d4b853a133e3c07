// Operators of two operands, and comparisons.
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/tflite/op_table.h"

namespace synap_internal::tflite_import {
namespace {

using tflite::BuiltinOperator;

template <typename T>
absl::Status MapActivated(OperatorContext& op, absl::string_view name) {
  ASSIGN_OR_RETURN(const auto* options, op.Options<T>());
  return op.SetOutput(
      op.EmitActivated(name, {op.input(0), op.input(1)}, {}, options->fused_activation_function()));
}

absl::Status MapAdd(OperatorContext& op) { return MapActivated<tflite::AddOptions>(op, "add"); }
absl::Status MapSub(OperatorContext& op) { return MapActivated<tflite::SubOptions>(op, "sub"); }
absl::Status MapMul(OperatorContext& op) { return MapActivated<tflite::MulOptions>(op, "mul"); }
absl::Status MapDiv(OperatorContext& op) { return MapActivated<tflite::DivOptions>(op, "div"); }

absl::Status MapBinary(OperatorContext& op) {
  const auto name = [&]() -> absl::string_view {
    switch (op.code()) {
      case BuiltinOperator::MAXIMUM:
        return "maximum";
      case BuiltinOperator::MINIMUM:
        return "minimum";
      case BuiltinOperator::POW:
        return "pow";
      case BuiltinOperator::EQUAL:
        return "equal";
      case BuiltinOperator::LESS:
        return "less";
      default:
        return "greater";
    }
  }();
  return op.SetOutput(op.Emit(name, {op.input(0), op.input(1)}));
}

// a != b, a <= b, a >= b
absl::Status MapNegatedComparison(OperatorContext& op) {
  const BuiltinOperator code = op.code();
  const absl::string_view opposite = code == BuiltinOperator::NOT_EQUAL    ? "equal"
                                     : code == BuiltinOperator::LESS_EQUAL ? "greater"
                                                                           : "less";
  ASSIGN_OR_RETURN(Tensor * negated, op.Emit(opposite, {op.input(0), op.input(1)}, {}, ".negated"));
  return op.SetOutput(op.Emit("logical_not", {negated}));
}

absl::Status MapSquaredDifference(OperatorContext& op) {
  ASSIGN_OR_RETURN(Tensor * a, op.Float(op.input(0)));
  ASSIGN_OR_RETURN(Tensor * b, op.Float(op.input(1)));
  ASSIGN_OR_RETURN(Tensor * difference, op.Emit("sub", {a, b}, {}, ".difference"));
  return op.SetOutput(op.Emit("square", {difference}));
}

absl::Status MapFloorDiv(OperatorContext& op) {
  ASSIGN_OR_RETURN(Tensor * quotient, op.Emit("div", {op.input(0), op.input(1)}, {}, ".quotient"));
  if (quotient->type.dtype != DataType::kFloat32) {
    return absl::UnimplementedError("it divides integers");
  }
  return op.SetOutput(op.Emit("floor", {quotient}));
}

absl::Status MapAddN(OperatorContext& op) {
  ASSIGN_OR_RETURN(Tensor * sum, op.Float(op.input(0)));
  for (size_t i = 1; i < op.input_count(); ++i) {
    if (!op.HasInput(i)) return absl::InvalidArgumentError("an operand is missing");
    ASSIGN_OR_RETURN(Tensor * term, op.Float(op.input(i)));
    const bool last = i + 1 == op.input_count();
    ASSIGN_OR_RETURN(sum, op.Emit("add", {sum, term}, {}, last ? "" : absl::StrCat(".sum", i)));
  }
  return op.SetOutput(sum);
}

// SELECT's condition may be one value for each row of the others.
absl::Status MapSelect(OperatorContext& op) {
  Tensor* condition = op.input(0);
  const size_t rank = op.shape(1).rank();
  const bool rows = op.code() == BuiltinOperator::SELECT && condition->type.shape.rank() == 1 &&
                    rank > 1 && condition->type.shape[0] == op.shape(1)[0];
  if (rows) {
    std::vector<int64_t> dims(rank, 1);
    dims[0] = condition->type.shape[0];
    ASSIGN_OR_RETURN(condition, op.Reshape(condition, std::move(dims), ".condition"));
  }
  return op.SetOutput(op.Emit("where", {condition, op.input(1), op.input(2)}));
}

constexpr OpMapping kMappings[] = {
    {BuiltinOperator::ADD, 2, 2, MapAdd, kFusedActivations},
    {BuiltinOperator::SUB, 2, 2, MapSub, kFusedActivations},
    {BuiltinOperator::MUL, 2, 2, MapMul, kFusedActivations},
    {BuiltinOperator::DIV, 2, 2, MapDiv, kFusedActivations},
    {BuiltinOperator::MAXIMUM, 2, 2, MapBinary},
    {BuiltinOperator::MINIMUM, 2, 2, MapBinary},
    {BuiltinOperator::POW, 2, 2, MapBinary},
    {BuiltinOperator::EQUAL, 2, 2, MapBinary},
    {BuiltinOperator::LESS, 2, 2, MapBinary},
    {BuiltinOperator::GREATER, 2, 2, MapBinary},
    {BuiltinOperator::NOT_EQUAL, 2, 2, MapNegatedComparison},
    {BuiltinOperator::LESS_EQUAL, 2, 2, MapNegatedComparison},
    {BuiltinOperator::GREATER_EQUAL, 2, 2, MapNegatedComparison},
    {BuiltinOperator::SQUARED_DIFFERENCE, 2, 2, MapSquaredDifference},
    {BuiltinOperator::FLOOR_DIV, 2, 2, MapFloorDiv, "real numbers"},
    {BuiltinOperator::ADD_N, 1, kAnyCount, MapAddN},
    {BuiltinOperator::SELECT, 3, 3, MapSelect},
    {BuiltinOperator::SELECT_V2, 3, 3, MapSelect},
};

}  // namespace

absl::Span<const OpMapping> ArithmeticMappings() { return kMappings; }

}  // namespace synap_internal::tflite_import
