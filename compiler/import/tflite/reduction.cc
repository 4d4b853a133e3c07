// Reductions along dimensions.
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/axes.h"
#include "compiler/import/tflite/op_table.h"

namespace synap_internal::tflite_import {
namespace {

using tflite::BuiltinOperator;

absl::string_view ReductionOp(BuiltinOperator code) {
  switch (code) {
    case BuiltinOperator::MEAN:
      return "reduce_mean";
    case BuiltinOperator::SUM:
      return "reduce_sum";
    case BuiltinOperator::REDUCE_MAX:
      return "reduce_max";
    case BuiltinOperator::REDUCE_MIN:
      return "reduce_min";
    default:
      return "reduce_prod";
  }
}

absl::Status MapReduce(OperatorContext& op) {
  ASSIGN_OR_RETURN(const auto* options, op.Options<tflite::ReducerOptions>());
  ASSIGN_OR_RETURN(std::vector<int64_t> axes, op.ConstantInts(1, "axes"));
  if (axes.empty()) return op.SetOutput(op.input(0));
  return op.SetOutput(
      op.Emit(ReductionOp(op.code()), {op.input(0)},
              {{"axes", std::move(axes)}, {"keep_dims", int64_t{options->keep_dims()}}}));
}

absl::Status MapArgMax(OperatorContext& op) {
  ASSIGN_OR_RETURN(int64_t axis, op.ConstantInt(1, "axis"));
  ASSIGN_OR_RETURN(axis, ResolveAxis(axis, op.shape(0).rank()));
  Tensor* x = op.input(0);
  if (op.code() == BuiltinOperator::ARG_MIN) {
    ASSIGN_OR_RETURN(x, op.Float(x));
    ASSIGN_OR_RETURN(x, op.Emit("neg", {x}, {}, ".negative"));
  }
  return op.SetOutput(op.Emit("argmax", {x}, {{"axis", axis}, {"keep_dims", int64_t{0}}}));
}

constexpr char kConstantAxes[] = "constant axes";
constexpr char kConstantAxis[] = "a constant axis";

constexpr OpMapping kMappings[] = {
    {BuiltinOperator::MEAN, 2, 2, MapReduce, kConstantAxes},
    {BuiltinOperator::SUM, 2, 2, MapReduce, kConstantAxes},
    {BuiltinOperator::REDUCE_MAX, 2, 2, MapReduce, kConstantAxes},
    {BuiltinOperator::REDUCE_MIN, 2, 2, MapReduce, kConstantAxes},
    {BuiltinOperator::REDUCE_PROD, 2, 2, MapReduce, kConstantAxes},
    {BuiltinOperator::ARG_MAX, 2, 2, MapArgMax, kConstantAxis},
    {BuiltinOperator::ARG_MIN, 2, 2, MapArgMax, kConstantAxis},
};

}  // namespace

absl::Span<const OpMapping> ReductionMappings() { return kMappings; }

}  // namespace synap_internal::tflite_import
