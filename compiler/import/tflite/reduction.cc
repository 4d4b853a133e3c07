// Reductions along axes.
#include "compiler/import/emit/reduction.h"

#include "base/status_macros.h"
#include "compiler/import/emit/op_name.h"
#include "compiler/import/emit/tensorflow_family.h"
#include "compiler/import/tflite/op_table.h"

namespace synap_internal::tflite_import {
namespace {

using tflite::BuiltinOperator;

template <auto kEmit, OpName kOp>
absl::Status MapAlong(OperatorContext& op) {
  ASSIGN_OR_RETURN(const auto* options, op.Options<tflite::ReducerOptions>());
  return op.SetOutput(kEmit(op, kOp, op.inputs(), options->keep_dims()));
}

absl::Status MapCumSum(OperatorContext& op) {
  ASSIGN_OR_RETURN(const auto* options, op.Options<tflite::CumsumOptions>());
  return op.SetOutput(
      tensorflow_family::CumSum(op, op.inputs(), options->exclusive(), options->reverse()));
}

absl::Status MapArgMax(OperatorContext& op) {
  ASSIGN_OR_RETURN(const int64_t axis, op.ConstantInt(1, "axis"));
  // Of quantized values op argmax takes uint8.
  Tensor* x = op.input(0);
  const Emitted operand = x->type.dtype == DataType::kUint8 ? x : op.Float(x);
  return op.SetOutput(EmitArgMax(op, operand, axis, false));
}

absl::Status MapArgMin(OperatorContext& op) {
  ASSIGN_OR_RETURN(const int64_t axis, op.ConstantInt(1, "axis"));
  return op.SetOutput(EmitArgMin(op, op.Float(op.input(0)), axis, false));
}

constexpr char kConstantAxes[] = "constant axes";
constexpr char kConstantAxis[] = "a constant axis";

constexpr OpMapping kReductionMappings[] = {
    {BuiltinOperator::MEAN, 2, 2, MapAlong<tensorflow_family::Reduce, "reduce_mean">,
     kConstantAxes},
    {BuiltinOperator::SUM, 2, 2, MapAlong<tensorflow_family::Reduce, "reduce_sum">, kConstantAxes},
    {BuiltinOperator::REDUCE_MAX, 2, 2, MapAlong<tensorflow_family::Reduce, "reduce_max">,
     kConstantAxes},
    {BuiltinOperator::REDUCE_MIN, 2, 2, MapAlong<tensorflow_family::Reduce, "reduce_min">,
     kConstantAxes},
    {BuiltinOperator::REDUCE_PROD, 2, 2, MapAlong<tensorflow_family::Reduce, "reduce_prod">,
     kConstantAxes},
    {BuiltinOperator::REDUCE_ANY, 2, 2, MapAlong<tensorflow_family::ReduceTruth, "reduce_max">,
     kConstantAxes},
    {BuiltinOperator::REDUCE_ALL, 2, 2, MapAlong<tensorflow_family::ReduceTruth, "reduce_min">,
     kConstantAxes},
    {BuiltinOperator::CUMSUM, 2, 2, MapCumSum, kConstantAxis},
    {BuiltinOperator::ARG_MAX, 2, 2, MapArgMax, kConstantAxis},
    {BuiltinOperator::ARG_MIN, 2, 2, MapArgMin, kConstantAxis},
};

}  // namespace

absl::Span<const OpMapping> ReductionMappings() { return kReductionMappings; }

}  // namespace synap_internal::tflite_import
