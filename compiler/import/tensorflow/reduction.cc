// Reductions along dimensions.
#include <utility>

#include "base/status_macros.h"
#include "compiler/import/emit/axes.h"
#include "compiler/import/tensorflow/op_table.h"

namespace synap_internal::tensorflow_import {
namespace {

absl::string_view ReductionOp(absl::string_view op) {
  constexpr std::pair<absl::string_view, absl::string_view> kOps[] = {
      {"Mean", "reduce_mean"}, {"Sum", "reduce_sum"},   {"Max", "reduce_max"},
      {"Min", "reduce_min"},   {"Prod", "reduce_prod"},
  };
  for (const auto& [name, ours] : kOps) {
    if (name == op) return ours;
  }
  return "";
}

absl::Status MapReduce(NodeContext& node) {
  ASSIGN_OR_RETURN(std::vector<int64_t> axes, node.ConstantInts(1, "axes"));
  if (axes.empty()) return node.SetOutput(0, node.input(0));
  const int64_t keep = node.Bool("keep_dims", false) ? 1 : 0;
  return node.SetOutput(node.Emit(ReductionOp(node.op()), {node.input(0)},
                                  {{"axes", std::move(axes)}, {"keep_dims", keep}}));
}

absl::Status MapArg(NodeContext& node) {
  ASSIGN_OR_RETURN(int64_t axis, node.ConstantInt(1, "axis"));
  ASSIGN_OR_RETURN(axis, ResolveAxis(axis, node.shape(0).rank()));
  Tensor* x = node.input(0);
  if (node.op() == "ArgMin") {
    ASSIGN_OR_RETURN(x, node.Emit("neg", {x}, {}, ".negative"));
  }
  return node.SetOutput(node.Emit("argmax", {x}, {{"axis", axis}, {"keep_dims", int64_t{0}}}));
}

constexpr char kConstantAxes[] = "constant axes";
constexpr char kConstantAxis[] = "a constant axis";

constexpr OpMapping kMappings[] = {
    {"Mean", 2, 2, MapReduce, kConstantAxes}, {"Sum", 2, 2, MapReduce, kConstantAxes},
    {"Max", 2, 2, MapReduce, kConstantAxes},  {"Min", 2, 2, MapReduce, kConstantAxes},
    {"Prod", 2, 2, MapReduce, kConstantAxes}, {"ArgMax", 2, 2, MapArg, kConstantAxis},
    {"ArgMin", 2, 2, MapArg, kConstantAxis},
};

}  // namespace

absl::Span<const OpMapping> ReductionMappings() { return kMappings; }

}  // namespace synap_internal::tensorflow_import
