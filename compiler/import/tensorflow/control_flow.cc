// Switch and Merge, by which graphs choose between training and inference. The
// choice has to be known: only one branch is imported.
#include "base/status_macros.h"
#include "compiler/import/tensorflow/op_table.h"

namespace synap_internal::tensorflow_import {
namespace {

// Output 0 is for false, output 1 for true; the other one is dead.
absl::Status MapSwitch(NodeContext& node) {
  ASSIGN_OR_RETURN(const bool predicate, node.ConstantBool(1, "pred"));
  const int taken = predicate ? 1 : 0;
  const size_t index = node.state().graph.by_name.at(node.def().name());
  node.state().dead.insert({index, 1 - taken});
  return node.SetOutput(static_cast<size_t>(taken), node.input(0));
}

// The result of the live branch, and the number of that branch.
absl::Status MapMerge(NodeContext& node) {
  for (size_t i = 0; i < node.input_count(); ++i) {
    if (node.input(i) == nullptr) continue;
    RETURN_IF_ERROR(node.SetOutput(0, node.input(i)));
    return node.SetOutput(1,
                          node.builder().AddScalar(node.Name(".branch"), static_cast<int64_t>(i)));
  }
  return absl::InternalError("no branch is live");
}

constexpr char kConstantPredicate[] = "a predicate that is one constant bool";

constexpr OpMapping kControlFlowMappings[] = {
    {"Switch", 2, 2, MapSwitch, kConstantPredicate},
    {"Merge", 1, kAnyCount, MapMerge, kConstantPredicate},
};

}  // namespace

absl::Span<const OpMapping> ControlFlowMappings() { return kControlFlowMappings; }

}  // namespace synap_internal::tensorflow_import
