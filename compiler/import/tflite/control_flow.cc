// Operators that run other subgraphs of the file, which become part of the network, and those of
// variables, which a subgraph that is run once initializes. What decides which one is run, and how
// often, has to be constant.
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

// Runs the subgraph that initializes a variable. Those that assign are known (variables.h).
Emitted InitialValue(OperatorContext& op, const Model::VariableRead& read) {
  const ImportState& caller = op.state();
  const Model& model = caller.subgraphs[read.subgraph];
  RETURN_IF_ERROR(op.builder().ChargeOps(static_cast<int64_t>(model.op_count()) + 1));
  ImportState state{op.builder(), model, caller.subgraphs,
                    std::vector<Tensor*>(model.tensor_names.size() + model.states.size())};
  state.wanted_states.resize(model.states.size());
  state.prefix = op.Name("/");
  state.depth = caller.depth + 1;
  const bool is_stored = model.HasData(model.tensor(read.initial));
  for (size_t i = 0; !is_stored && i < model.op_count(); ++i) {
    const BuiltinOperator code = BuiltinCode(model.code(model.op(i)));
    if (code == BuiltinOperator::VAR_HANDLE || code == BuiltinOperator::ASSIGN_VARIABLE) continue;
    RETURN_IF_ERROR(
        Annotate(MapOperator(state, model.op(i)),
                 absl::StrCat("subgraph #", read.subgraph, ", ", OperatorLabel(model, i))));
  }
  return ValueOf(state, read.initial);
}

// A variable's bytes as the operator declares them. Files may leave out the quantizer of the
// initial value.
Emitted AsDeclared(OperatorContext& op, const std::string& variable, Tensor* value) {
  const TensorType& declared = op.declared();
  const bool has_bytes = value->type.dtype == declared.dtype;
  if (has_bytes && value->type.quant == declared.quant) return value;
  if (!has_bytes || value->type.quant.quantized() || !value->is_constant()) {
    return absl::UnimplementedError(absl::StrCat("variable '", variable,
                                                 "' has another type or quantizer where it is read "
                                                 "than where it is assigned, expected the same"));
  }
  return op.builder().graph().AddConstant(
      op.Name(".initial"), {declared.dtype, value->type.shape, declared.quant}, *value->constant);
}

// What was assigned before it in the same inference; else the initial value.
absl::Status MapReadVariable(OperatorContext& op) {
  ImportState& state = op.state();
  const auto known = state.model.variable_reads.find(&op.op());
  if (known == state.model.variable_reads.end()) {
    return absl::UnimplementedError("it reads a variable, expected such in the main subgraph only");
  }
  const Model::VariableRead& read = known->second;
  if (read.assigned < 0 && read.initial < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("nothing initializes variable '", read.variable,
                     "', expected an ASSIGN_VARIABLE before it or in a subgraph of CALL_ONCE"));
  }
  if (read.assigned < 0 && read.next >= 0) state.forgotten_variables.push_back(&op.op());
  ASSIGN_OR_RETURN(Tensor * value,
                   read.assigned >= 0 ? ValueOf(state, read.assigned) : InitialValue(op, read));
  return op.SetOutput(AsDeclared(op, read.variable, value));
}

// Handles, assignments and the call that initializes are followed beforehand (variables.h).
absl::Status RefuseAsTensor(OperatorContext&) {
  return absl::UnimplementedError("it makes no tensor; don't name it as an output");
}

constexpr char kVariables[] = "in the main subgraph; initialized in a subgraph of CALL_ONCE";

constexpr OpMapping kControlFlowMappings[] = {
    {BuiltinOperator::STABLEHLO_COMPOSITE, 0, kAnyCount, MapComposite,
     "those whose decomposition is supported"},
    {BuiltinOperator::IF, 1, kAnyCount, MapIf, "a constant condition"},
    {BuiltinOperator::WHILE, 1, kAnyCount, MapWhile, "conditions that follow from constants"},
    {BuiltinOperator::CALL_ONCE, 0, 0, RefuseAsTensor, "a subgraph that initializes variables"},
    {BuiltinOperator::VAR_HANDLE, 0, 0, RefuseAsTensor},
    {BuiltinOperator::READ_VARIABLE, 0, 0, MapReadVariable, kVariables},
    {BuiltinOperator::ASSIGN_VARIABLE, 2, 2, RefuseAsTensor, "in the main subgraph"},
};

}  // namespace

absl::Span<const OpMapping> ControlFlowMappings() { return kControlFlowMappings; }

}  // namespace synap_internal::tflite_import
