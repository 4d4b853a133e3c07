// Reductions along axes.
#include "compiler/import/emit/reduction.h"

#include "base/status_macros.h"
#include "compiler/import/emit/op_name.h"
#include "compiler/import/emit/tensorflow_family.h"
#include "compiler/import/tensorflow/op_table.h"

namespace synap_internal::tensorflow_import {
namespace {

template <OpName kOp>
absl::Status MapReduce(NodeContext& node) {
  return node.SetOutput(
      tensorflow_family::Reduce(node, kOp, node.inputs(), node.Bool("keep_dims", false)));
}

template <OpName kOp>
absl::Status MapTruth(NodeContext& node) {
  return node.SetOutput(
      tensorflow_family::ReduceTruth(node, kOp, node.inputs(), node.Bool("keep_dims", false)));
}

absl::Status MapCumSum(NodeContext& node) {
  return node.SetOutput(tensorflow_family::CumSum(
      node, node.inputs(), node.Bool("exclusive", false), node.Bool("reverse", false)));
}

absl::Status MapArgMax(NodeContext& node) {
  ASSIGN_OR_RETURN(const int64_t axis, node.ConstantInt(1, "axis"));
  return node.SetOutput(EmitArgMax(node, node.input(0), axis, false));
}

absl::Status MapArgMin(NodeContext& node) {
  ASSIGN_OR_RETURN(const int64_t axis, node.ConstantInt(1, "axis"));
  return node.SetOutput(EmitArgMin(node, node.input(0), axis, false));
}

constexpr char kConstantAxes[] = "constant axes";

constexpr OpMapping kReductionMappings[] = {
    {"Mean", 2, 2, MapReduce<"reduce_mean">, kConstantAxes},
    {"Sum", 2, 2, MapReduce<"reduce_sum">, kConstantAxes},
    {"Max", 2, 2, MapReduce<"reduce_max">, kConstantAxes},
    {"Min", 2, 2, MapReduce<"reduce_min">, kConstantAxes},
    {"Prod", 2, 2, MapReduce<"reduce_prod">, kConstantAxes},
    {"Any", 2, 2, MapTruth<"reduce_max">, kConstantAxes},
    {"All", 2, 2, MapTruth<"reduce_min">, kConstantAxes},
    {"Cumsum", 2, 2, MapCumSum, kConstantAxis},
    {"ArgMax", 2, 2, MapArgMax, kConstantAxis},
    {"ArgMin", 2, 2, MapArgMin, kConstantAxis},
};

}  // namespace

absl::Span<const OpMapping> ReductionMappings() { return kReductionMappings; }

}  // namespace synap_internal::tensorflow_import
