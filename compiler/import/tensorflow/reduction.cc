// Reductions along axes.
#include "compiler/import/emit/reduction.h"

#include "base/status_macros.h"
#include "compiler/import/emit/op_name.h"
#include "compiler/import/emit/tensorflow_family.h"
#include "compiler/import/tensorflow/op_table.h"

namespace synap_internal::tensorflow_import {
namespace {

namespace family = tensorflow_family;

template <auto kEmit, OpName kOp>
absl::Status MapAlong(NodeContext& node) {
  return node.SetOutput(kEmit(node, kOp, node.inputs(), node.Bool("keep_dims", false)));
}

absl::Status MapCumSum(NodeContext& node) {
  return node.SetOutput(family::CumSum(node, node.inputs(), node.Bool("exclusive", false),
                                       node.Bool("reverse", false)));
}

template <auto kEmit>
absl::Status MapArg(NodeContext& node) {
  ASSIGN_OR_RETURN(const int64_t axis, node.ConstantInt(1, "axis"));
  return node.SetOutput(kEmit(node, node.input(0), axis, false, ""));
}

constexpr char kConstantAxes[] = "constant axes";

constexpr OpMapping kReductionMappings[] = {
    {"Mean", 2, 2, MapAlong<family::Reduce, "reduce_mean">, kConstantAxes},
    {"Sum", 2, 2, MapAlong<family::Reduce, "reduce_sum">, kConstantAxes},
    {"Max", 2, 2, MapAlong<family::Reduce, "reduce_max">, kConstantAxes},
    {"Min", 2, 2, MapAlong<family::Reduce, "reduce_min">, kConstantAxes},
    {"Prod", 2, 2, MapAlong<family::Reduce, "reduce_prod">, kConstantAxes},
    {"Any", 2, 2, MapAlong<family::ReduceTruth, "reduce_max">, kConstantAxes},
    {"All", 2, 2, MapAlong<family::ReduceTruth, "reduce_min">, kConstantAxes},
    {"Cumsum", 2, 2, MapCumSum, kConstantAxis},
    {"ArgMax", 2, 2, MapArg<EmitArgMax>, kConstantAxis},
    {"ArgMin", 2, 2, MapArg<EmitArgMin>, kConstantAxis},
};

}  // namespace

absl::Span<const OpMapping> ReductionMappings() { return kReductionMappings; }

}  // namespace synap_internal::tensorflow_import
