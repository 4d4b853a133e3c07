#include "compiler/import/tflite/operator_mapper.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/operator_table.h"
#include "compiler/import/tflite/op_table.h"
#include "compiler/import/tflite/tensor_data.h"

namespace synap_internal::tflite_import {
namespace {

bool IsEmpty(const tflite::Tensor& tensor) {
  const auto dims = Elements(tensor.shape());
  return std::find(dims.begin(), dims.end(), 0) != dims.end();
}

// Whether it is what an operator keeps from one inference to the next, and no input: absent here.
bool IsForgottenState(ImportState& state, int32_t index) {
  const tflite::Tensor& tensor = state.model.tensor(index);
  const bool known = state.values[static_cast<size_t>(index)] != nullptr;
  if (known || !tensor.is_variable() || state.model.HasData(tensor)) return false;
  state.forgotten_states.insert(index);
  return true;
}

// A state in a subgraph can't be an input of the network, so that it would begin with zeros in each
// run of the subgraph: of a loop's body in each iteration.
absl::Status CheckNoStates(const ImportState& state, int64_t index) {
  for (const Model::State& variable : state.model.states) {
    if (!state.forgotten_states.contains(variable.tensor)) continue;
    const std::string& name = state.model.tensor_names[static_cast<size_t>(variable.tensor)];
    return absl::UnimplementedError(absl::StrCat(
        "subgraph #", index, ", ", OperatorLabel(state.model, variable.op),
        ": it keeps a state in variable '", name, "', expected states in the main subgraph only"));
  }
  return absl::OkStatus();
}

}  // namespace

Emitted ValueOf(ImportState& state, int32_t index) {
  const auto at = static_cast<size_t>(index);
  if (Tensor* known = state.values[at]) return known;
  const Model& model = state.model;
  const tflite::Tensor& tensor = model.tensor(index);
  const std::string& name = model.tensor_names[at];
  if (!model.HasData(tensor) && !IsEmpty(tensor)) {
    return absl::InvalidArgumentError(
        absl::StrCat("tensor '", name, "' has no data, and nothing has computed it before"));
  }
  absl::StatusOr<TensorData> data = ReadFlowing(model, tensor, state.builder);
  if (!data.ok()) return Annotate(data.status(), absl::StrCat("tensor '", name, "'"));
  Tensor* added = state.builder.graph().AddConstant(absl::StrCat(state.prefix, name), data->type,
                                                    std::move(data->constant));
  state.Bind(index, added);
  return added;
}

absl::Status MapOperator(ImportState& state, const tflite::Operator& op) {
  const tflite::OperatorCode& code = state.model.code(op);
  const Mapping mapping(code);
  if (!mapping.supported()) return absl::UnimplementedError("it is not supported");
  if (Elements(op.outputs()).empty()) {
    return absl::UnimplementedError(
        "it has no output, expected operators that compute tensors only");
  }
  std::vector<Tensor*> inputs;
  // A variable's handle is no tensor.
  const bool reads_variable = BuiltinCode(code) == tflite::BuiltinOperator::READ_VARIABLE;
  for (const int32_t index : reads_variable ? absl::Span<const int32_t>() : Elements(op.inputs())) {
    inputs.push_back(nullptr);
    if (index < 0 || IsForgottenState(state, index)) continue;
    ASSIGN_OR_RETURN(inputs.back(), ValueOf(state, index));
  }
  RETURN_IF_ERROR(CheckOperands(mapping.required(), mapping.max(), inputs));
  OperatorContext context(op, std::move(inputs), state);
  RETURN_IF_ERROR(context.ReadDeclared());
  return mapping.Map(context);
}

absl::StatusOr<std::vector<Tensor*>> RunSubgraph(ImportState& caller, const SubgraphCall& call,
                                                 const std::vector<Tensor*>& inputs) {
  constexpr int kMaxDepth = 32;
  const auto count = static_cast<int64_t>(caller.subgraphs.size());
  if (call.index < 0 || call.index >= count) {
    return absl::InvalidArgumentError(
        absl::StrCat("subgraph ", call.index, " does not exist: there are ", count));
  }
  if (caller.depth == kMaxDepth) {
    return absl::InvalidArgumentError(
        absl::StrCat("subgraphs run one another to a depth of more than ", kMaxDepth));
  }
  const Model& model = caller.subgraphs[static_cast<size_t>(call.index)];
  const auto wanted = Elements(model.graph->inputs());
  if (wanted.size() != inputs.size() ||
      std::find(inputs.begin(), inputs.end(), nullptr) != inputs.end()) {
    return absl::InvalidArgumentError(absl::StrCat("it gives ", inputs.size(),
                                                   " operands to subgraph ", call.index,
                                                   ", expected ", wanted.size(), ", all present"));
  }
  RETURN_IF_ERROR(caller.builder.ChargeOps(static_cast<int64_t>(model.op_count()) + 1));
  ImportState state{caller.builder, model, caller.subgraphs,
                    std::vector<Tensor*>(model.tensor_names.size() + model.states.size())};
  state.wanted_states.resize(model.states.size());
  state.prefix = call.prefix;
  state.depth = caller.depth + 1;
  for (size_t i = 0; i < inputs.size(); ++i) state.Bind(wanted[i], inputs[i]);
  for (size_t i = 0; i < model.op_count(); ++i) {
    const absl::Status status = MapOperator(state, model.op(i));
    if (!status.ok()) {
      return Annotate(status,
                      absl::StrCat("subgraph #", call.index, ", ", OperatorLabel(model, i)));
    }
  }
  RETURN_IF_ERROR(CheckNoStates(state, call.index));
  std::vector<Tensor*> outputs;
  for (const int32_t output : Elements(model.graph->outputs())) {
    ASSIGN_OR_RETURN(outputs.emplace_back(), ValueOf(state, output));
  }
  return outputs;
}

}  // namespace synap_internal::tflite_import
