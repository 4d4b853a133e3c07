// Operators that run other subgraphs of the file, which become part of the network. What decides
// which one is run, and how often, has to be constant.
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/constant_operand.h"
#include "compiler/import/tflite/op_table.h"
#include "compiler/import/tflite/operator_mapper.h"

namespace synap_internal::tflite_import {
namespace {

using tflite::BuiltinOperator;

absl::Status SetResults(OperatorContext& op, const std::vector<Tensor*>& results) {
  if (results.size() == op.output_count()) return op.SetOutputs(results);
  return absl::InvalidArgumentError(
      absl::StrCat("its subgraph has ", results.size(), " outputs, expected ", op.output_count()));
}

// An operator of StableHLO with what it is composed of.
absl::Status MapComposite(OperatorContext& op) {
  ASSIGN_OR_RETURN(const auto* options, op.Options2<tflite::StableHLOCompositeOptions>());
  const SubgraphCall call{options->decomposition_subgraph_index(), op.Name("/")};
  ASSIGN_OR_RETURN(const std::vector<Tensor*> results, RunSubgraph(op.state(), call, op.inputs()));
  return SetResults(op, results);
}

// Operands: condition, then those of the branch.
absl::Status MapIf(OperatorContext& op) {
  ASSIGN_OR_RETURN(const auto* options, op.Options<tflite::IfOptions>());
  ASSIGN_OR_RETURN(const bool condition, op.ConstantBool(0, "condition"));
  const SubgraphCall call{
      condition ? options->then_subgraph_index() : options->else_subgraph_index(), op.Name("/")};
  ASSIGN_OR_RETURN(const std::vector<Tensor*> results,
                   RunSubgraph(op.state(), call, {op.inputs().begin() + 1, op.inputs().end()}));
  return SetResults(op, results);
}

// Operands are what the loop carries.
absl::Status MapWhile(OperatorContext& op) {
  ASSIGN_OR_RETURN(const auto* options, op.Options<tflite::WhileOptions>());
  std::vector<Tensor*> carried = op.inputs();
  for (int64_t i = 0;; ++i) {
    const std::string prefix = op.Name(absl::StrCat("/", i, "/"));
    ASSIGN_OR_RETURN(const std::vector<Tensor*> condition,
                     RunSubgraph(op.state(), {options->cond_subgraph_index(), prefix}, carried));
    if (condition.size() != 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("its condition has ", condition.size(), " outputs, expected 1"));
    }
    ASSIGN_OR_RETURN(const bool goes_on, ConstantBool(*condition[0], "condition"));
    if (!goes_on) return SetResults(op, carried);
    ASSIGN_OR_RETURN(carried,
                     RunSubgraph(op.state(), {options->body_subgraph_index(), prefix}, carried));
  }
}

constexpr OpMapping kMappings[] = {
    {BuiltinOperator::STABLEHLO_COMPOSITE, 0, kAnyCount, MapComposite,
     "those whose decomposition is supported"},
    {BuiltinOperator::IF, 1, kAnyCount, MapIf, "a constant condition"},
    {BuiltinOperator::WHILE, 1, kAnyCount, MapWhile, "conditions that follow from constants"},
};

}  // namespace

absl::Span<const OpMapping> ControlFlowMappings() { return kMappings; }

}  // namespace synap_internal::tflite_import
