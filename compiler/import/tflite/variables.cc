#include "compiler/import/tflite/variables.h"

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"

namespace synap_internal::tflite_import {
namespace {

using tflite::BuiltinOperator;

// Tensors by the names of variables.
struct Assigned {
  size_t subgraph = 0;
  int32_t tensor = -1;
};
using Assignments = absl::flat_hash_map<std::string, Assigned>;

std::string StringOf(const flatbuffers::String* text) { return text == nullptr ? "" : text->str(); }

// The variables that the handles of one subgraph stand for.
class Handles {
 public:
  explicit Handles(const Model& model) {
    for (size_t i = 0; i < model.op_count(); ++i) {
      const tflite::Operator& op = model.op(i);
      const auto* options = op.builtin_options_as_VarHandleOptions();
      const auto outputs = Elements(op.outputs());
      if (options == nullptr || outputs.size() != 1) continue;
      const std::string container = StringOf(options->container());
      names_[outputs[0]] =
          absl::StrCat(container, container.empty() ? "" : "/", StringOf(options->shared_name()));
    }
  }

  // Of an operator's first operand; "" if that is no handle.
  std::string VariableOf(const tflite::Operator& op) const {
    const auto operands = Elements(op.inputs());
    const auto name = operands.empty() ? names_.end() : names_.find(operands[0]);
    return name == names_.end() ? "" : name->second;
  }

 private:
  absl::flat_hash_map<int32_t, std::string> names_;  // by tensor
};

// What ASSIGN_VARIABLE assigns; nothing for other operators.
void Assign(const Model& model, size_t subgraph, const Handles& handles, const tflite::Operator& op,
            Assignments& assignments) {
  if (BuiltinCode(model.code(op)) != BuiltinOperator::ASSIGN_VARIABLE) return;
  const auto operands = Elements(op.inputs());
  if (operands.size() != 2 || operands[1] < 0) return;
  assignments[handles.VariableOf(op)] = {subgraph, operands[1]};
}

Assignments AssignmentsOf(const Model& model, size_t subgraph) {
  const Handles handles(model);
  Assignments assignments;
  for (size_t i = 0; i < model.op_count(); ++i) {
    Assign(model, subgraph, handles, model.op(i), assignments);
  }
  return assignments;
}

Assignments InitialValues(const std::vector<Model>& subgraphs, size_t main) {
  const Model& model = subgraphs[main];
  Assignments initial;
  absl::flat_hash_map<int64_t, bool> done;  // a file may call one many times
  for (size_t i = 0; i < model.op_count(); ++i) {
    const auto* options = model.op(i).builtin_options_as_CallOnceOptions();
    if (options == nullptr) continue;
    const int64_t index = options->init_subgraph_index();
    if (index < 0 || index >= static_cast<int64_t>(subgraphs.size()) || done[index]) continue;
    done[index] = true;
    const auto at = static_cast<size_t>(index);
    for (auto& [name, assigned] : AssignmentsOf(subgraphs[at], at)) initial[name] = assigned;
  }
  return initial;
}

int32_t TensorOf(const Assignments& assignments, const std::string& variable) {
  const auto assigned = assignments.find(variable);
  return assigned == assignments.end() ? -1 : assigned->second.tensor;
}

}  // namespace

absl::flat_hash_map<const tflite::Operator*, Model::VariableRead> FindVariables(
    const std::vector<Model>& subgraphs, size_t main) {
  const Model& model = subgraphs[main];
  const Handles handles(model);
  const Assignments initial = InitialValues(subgraphs, main);
  const Assignments last = AssignmentsOf(model, main);
  Assignments current;
  absl::flat_hash_map<const tflite::Operator*, Model::VariableRead> reads;
  for (size_t i = 0; i < model.op_count(); ++i) {
    const tflite::Operator& op = model.op(i);
    Assign(model, main, handles, op, current);
    if (BuiltinCode(model.code(op)) != BuiltinOperator::READ_VARIABLE) continue;
    Model::VariableRead& read = reads[&op];
    read.variable = handles.VariableOf(op);
    if (read.variable.empty()) continue;
    read.assigned = TensorOf(current, read.variable);
    read.initial = TensorOf(initial, read.variable);
    if (read.initial >= 0) read.subgraph = initial.at(read.variable).subgraph;
    read.next = TensorOf(last, read.variable);
  }
  return reads;
}

}  // namespace synap_internal::tflite_import
