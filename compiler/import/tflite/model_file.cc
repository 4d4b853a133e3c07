#include "compiler/import/tflite/model_file.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "compiler/import/tflite/variables.h"
#include "compiler/import/unreadable_file.h"

namespace synap_internal::tflite_import {
namespace {

constexpr uint32_t kVersion = 3;
constexpr absl::string_view kDefaultSignature = "serving_default";

absl::Status NotTflite(absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat("is not a TensorFlow Lite model: ", why));
}

absl::Status CheckBytes(absl::Span<const uint8_t> bytes) {
  const absl::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (const absl::string_view why = WhyUnreadable(text); !why.empty()) return NotTflite(why);
  if (bytes.size() >= FLATBUFFERS_MAX_BUFFER_SIZE) return NotTflite("it has more than 2 GiB");
  if (bytes.size() < 8 || text.substr(4, 4) != tflite::ModelIdentifier()) {
    return NotTflite("bytes 4 to 7 are not 'TFL3'");
  }
  flatbuffers::Verifier verifier(bytes.data(), bytes.size());
  if (!tflite::VerifyModelBuffer(verifier)) return NotTflite("it is truncated or damaged");
  return absl::OkStatus();
}

absl::Status CheckHeader(const tflite::Model& root) {
  if (root.version() != kVersion) {
    return absl::UnimplementedError(
        absl::StrCat("has version ", root.version(), " of the format, supported is ", kVersion));
  }
  if (root.subgraphs() == nullptr || root.subgraphs()->size() == 0) {
    return NotTflite("it has no subgraph");
  }
  if (root.operator_codes() == nullptr) return NotTflite("it has no operator codes");
  for (const tflite::SubGraph* graph : *root.subgraphs()) {
    if (graph->tensors() == nullptr) return NotTflite("it has no tensors");
    if (graph->operators() == nullptr) return NotTflite("it has no operators");
  }
  return absl::OkStatus();
}

absl::Status BadIndex(absl::string_view what, int64_t index, size_t count) {
  return absl::InvalidArgumentError(
      absl::StrCat(what, " ", index, " does not exist: there are ", count));
}

absl::Status CheckTensors(const Model& model) {
  const size_t buffers = model.root->buffers() == nullptr ? 0 : model.root->buffers()->size();
  for (size_t i = 0; i < model.tensor_names.size(); ++i) {
    const uint32_t buffer = model.tensor(static_cast<int32_t>(i)).buffer();
    // Buffer 0 stands for none, and may be left out.
    if (buffer == 0 || buffer < buffers) continue;
    return Annotate(BadIndex("buffer", buffer, buffers),
                    absl::StrCat("tensor '", model.tensor_names[i], "'"));
  }
  return absl::OkStatus();
}

// The tensors that have a value so far; a tensor gets one once.
class Definitions {
 public:
  explicit Definitions(const Model& model)
      : model_(model), defined_(model.graph->tensors()->size()) {}

  absl::Status CheckTensor(int32_t index) const {
    if (index >= 0 && static_cast<size_t>(index) < defined_.size()) return absl::OkStatus();
    return BadIndex("tensor", index, defined_.size());
  }

  absl::Status Define(int32_t index) {
    RETURN_IF_ERROR(CheckTensor(index));
    if (defined_[static_cast<size_t>(index)]) {
      return absl::InvalidArgumentError(
          absl::StrCat("tensor ", index, " ('", model_.tensor_names[static_cast<size_t>(index)],
                       "') gets its value twice"));
    }
    defined_[static_cast<size_t>(index)] = true;
    return absl::OkStatus();
  }

 private:
  const Model& model_;
  std::vector<bool> defined_;
};

absl::Status CheckOperator(const Model& model, const tflite::Operator& op,
                           Definitions& definitions) {
  const size_t codes = model.root->operator_codes()->size();
  if (op.opcode_index() >= codes) return BadIndex("operator code", op.opcode_index(), codes);
  for (const int32_t input : Elements(op.inputs())) {
    if (input != -1) RETURN_IF_ERROR(definitions.CheckTensor(input));
  }
  for (const int32_t output : Elements(op.outputs())) {
    RETURN_IF_ERROR(definitions.Define(output));
  }
  return absl::OkStatus();
}

absl::Status CheckIndices(const Model& model) {
  Definitions definitions(model);
  for (const int32_t input : Elements(model.graph->inputs())) {
    RETURN_IF_ERROR(Annotate(definitions.Define(input), "an input"));
  }
  for (const int32_t output : Elements(model.graph->outputs())) {
    RETURN_IF_ERROR(Annotate(definitions.CheckTensor(output), "an output"));
  }
  for (size_t i = 0; i < model.op_count(); ++i) {
    RETURN_IF_ERROR(
        Annotate(CheckOperator(model, model.op(i), definitions), absl::StrCat("operator #", i)));
  }
  return absl::OkStatus();
}

// Names are for people; files may leave them out or repeat them.
std::vector<std::string> UniqueNames(const tflite::SubGraph& graph) {
  std::vector<std::string> names;
  absl::flat_hash_set<std::string> taken;
  for (const tflite::Tensor* tensor : *graph.tensors()) {
    std::string name = tensor->name() == nullptr ? "" : tensor->name()->str();
    if (name.empty()) name = absl::StrCat("tensor_", names.size());
    if (taken.contains(name)) name = absl::StrCat(name, "#", names.size());
    while (!taken.insert(name).second) name += "_";
    names.push_back(std::move(name));
  }
  return names;
}

// Operators have them as operands that no operator makes and that have no data.
std::vector<Model::State> FindStates(const Model& model) {
  std::vector<bool> made(model.tensor_names.size());
  for (size_t i = 0; i < model.op_count(); ++i) {
    for (const int32_t output : Elements(model.op(i).outputs())) {
      made[static_cast<size_t>(output)] = true;
    }
  }
  absl::flat_hash_set<std::string> taken(model.tensor_names.begin(), model.tensor_names.end());
  std::vector<Model::State> states;
  for (size_t i = 0; i < model.op_count(); ++i) {
    for (const int32_t input : Elements(model.op(i).inputs())) {
      if (input < 0 || made[static_cast<size_t>(input)]) continue;
      const tflite::Tensor& tensor = model.tensor(input);
      if (!tensor.is_variable() || model.HasData(tensor)) continue;
      made[static_cast<size_t>(input)] = true;  // once
      std::string next = absl::StrCat(model.tensor_names[static_cast<size_t>(input)], ".next");
      while (!taken.insert(next).second) next += "_";
      states.push_back({input, i, std::move(next)});
    }
  }
  return states;
}

absl::StatusOr<Model> ParseSubgraph(const tflite::Model& root, uint32_t index,
                                    const std::shared_ptr<const void>& owner) {
  Model model;
  model.owner = owner;
  model.root = &root;
  model.graph = root.subgraphs()->Get(index);
  model.tensor_names = UniqueNames(*model.graph);
  RETURN_IF_ERROR(CheckTensors(model));
  RETURN_IF_ERROR(CheckIndices(model));
  model.states = FindStates(model);
  return model;
}

// A subgraph that callers may run, under one name of theirs.
struct Entry {
  size_t subgraph = 0;
  std::string signature;
};

// One for each such subgraph; "serving_default" rather than its other names.
std::vector<Entry> EntriesOf(const tflite::Model& root) {
  std::vector<Entry> entries;
  if (root.signature_defs() == nullptr) return entries;
  for (const tflite::SignatureDef* definition : *root.signature_defs()) {
    const size_t subgraph = definition->subgraph_index();
    if (subgraph >= root.subgraphs()->size()) continue;
    const std::string name =
        definition->signature_key() == nullptr ? "" : definition->signature_key()->str();
    const auto known = std::find_if(entries.begin(), entries.end(),
                                    [&](const Entry& entry) { return entry.subgraph == subgraph; });
    if (known == entries.end()) {
      entries.push_back({subgraph, name});
    } else if (name == kDefaultSignature) {
      known->signature = name;
    }
  }
  return entries;
}

bool HasAll(const Model& model, absl::Span<const std::string> tensors) {
  absl::flat_hash_set<absl::string_view> names(model.tensor_names.begin(),
                                               model.tensor_names.end());
  for (const Model::State& state : model.states) names.insert(state.next);
  return std::all_of(tensors.begin(), tensors.end(),
                     [&](const std::string& name) { return names.contains(name); });
}

absl::StatusOr<size_t> MainSubgraph(const tflite::Model& root, const std::vector<Model>& subgraphs,
                                    absl::Span<const std::string> tensors) {
  std::vector<Entry> entries = EntriesOf(root);
  if (entries.empty()) return 0;
  if (!tensors.empty()) {
    std::vector<Entry> fitting;
    for (const Entry& entry : entries) {
      if (HasAll(subgraphs[entry.subgraph], tensors)) fitting.push_back(entry);
    }
    if (!fitting.empty()) entries = std::move(fitting);
  }
  if (entries.size() == 1) return entries[0].subgraph;
  std::vector<std::string> names;
  for (const Entry& entry : entries) {
    if (entry.signature == kDefaultSignature) return entry.subgraph;
    names.push_back(absl::StrCat("'", entry.signature, "'"));
  }
  return absl::UnimplementedError(absl::StrCat(
      "has the signatures ", absl::StrJoin(names, ", "),
      ", expected one of them called 'serving_default'; name inputs and outputs in the "
      "metafile that only one of them has"));
}

// The subgraphs that an operator runs; such that don't exist are refused where it is mapped.
std::vector<int64_t> SubgraphsOf(const tflite::Operator& op) {
  if (const auto* branches = op.builtin_options_as_IfOptions()) {
    return {branches->then_subgraph_index(), branches->else_subgraph_index()};
  }
  if (const auto* loop = op.builtin_options_as_WhileOptions()) {
    return {loop->cond_subgraph_index(), loop->body_subgraph_index()};
  }
  if (const auto* composite = op.builtin_options_2_as_StableHLOCompositeOptions()) {
    return {composite->decomposition_subgraph_index()};
  }
  return {};
}

// Operators without an output that the main subgraph may have (FindVariables).
bool ChangesVariables(tflite::BuiltinOperator code) {
  return code == tflite::BuiltinOperator::ASSIGN_VARIABLE ||
         code == tflite::BuiltinOperator::CALL_ONCE;
}

// Checks what subgraph `main` reaches: other operators without an output, and those of subgraphs
// that run many times or never, change variables or resources, which would be lost.
absl::Status CheckOutputs(const std::vector<Model>& subgraphs, size_t main) {
  std::vector<bool> reached(subgraphs.size());
  reached[main] = true;
  std::vector<size_t> waiting = {main};
  while (!waiting.empty()) {
    const size_t number = waiting.back();
    waiting.pop_back();
    const Model& model = subgraphs[number];
    for (size_t i = 0; i < model.op_count(); ++i) {
      const tflite::Operator& op = model.op(i);
      const bool is_known = number == main && ChangesVariables(BuiltinCode(model.code(op)));
      if (Elements(op.outputs()).empty() && !is_known) {
        const absl::Status status = absl::UnimplementedError(
            absl::StrCat("operator #", i, " ", OperatorName(model.code(op)),
                         ": it has no output, expected operators that compute tensors only"));
        return subgraphs.size() > 1 ? Annotate(status, absl::StrCat("subgraph #", number)) : status;
      }
      for (const int64_t next : SubgraphsOf(op)) {
        const auto at = static_cast<size_t>(next);
        if (next < 0 || at >= subgraphs.size() || reached[at]) continue;
        reached[at] = true;
        waiting.push_back(at);
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace

const tflite::Buffer* Model::buffer(const tflite::Tensor& tensor) const {
  return tensor.buffer() == 0 ? nullptr : root->buffers()->Get(tensor.buffer());
}

const flatbuffers::Vector<uint8_t>* Model::data(const tflite::Tensor& tensor) const {
  const tflite::Buffer* data_buffer = buffer(tensor);
  const auto* data = data_buffer == nullptr ? nullptr : data_buffer->data();
  return data == nullptr || data->size() == 0 ? nullptr : data;
}

bool Model::HasData(const tflite::Tensor& tensor) const {
  return data(tensor) != nullptr || tensor.sparsity() != nullptr || HasDataAfterFlatbuffer(tensor);
}

bool Model::HasDataAfterFlatbuffer(const tflite::Tensor& tensor) const {
  return buffer(tensor) != nullptr && buffer(tensor)->offset() > 1;
}

tflite::BuiltinOperator BuiltinCode(const tflite::OperatorCode& code) {
  const auto old = static_cast<tflite::BuiltinOperator>(code.deprecated_builtin_code());
  return std::max(old, code.builtin_code());
}

std::string OperatorName(const tflite::OperatorCode& code) {
  const tflite::BuiltinOperator builtin = BuiltinCode(code);
  if (builtin == tflite::BuiltinOperator::CUSTOM) {
    return code.custom_code() == nullptr ? "CUSTOM" : code.custom_code()->str();
  }
  const std::string name = tflite::EnumNameBuiltinOperator(builtin);
  return name.empty() ? absl::StrCat("BUILTIN_", static_cast<int>(builtin)) : name;
}

std::string OperatorLabel(const Model& model, size_t index) {
  const tflite::Operator& op = model.op(index);
  const std::string label = absl::StrCat("operator #", index, " ", OperatorName(model.code(op)));
  const auto outputs = Elements(op.outputs());
  if (outputs.empty()) return label;
  return absl::StrCat(label, " ('", model.tensor_names[static_cast<size_t>(outputs[0])], "')");
}

absl::StatusOr<Model> ParseModel(absl::Span<const uint8_t> bytes, std::shared_ptr<const void> owner,
                                 absl::Span<const std::string> tensors) {
  RETURN_IF_ERROR(CheckBytes(bytes));
  const tflite::Model& root = *tflite::GetModel(bytes.data());
  RETURN_IF_ERROR(CheckHeader(root));
  auto subgraphs = std::make_shared<std::vector<Model>>();
  const uint32_t count = root.subgraphs()->size();
  for (uint32_t i = 0; i < count; ++i) {
    absl::StatusOr<Model> subgraph = ParseSubgraph(root, i, owner);
    if (!subgraph.ok() && count > 1) {
      return Annotate(subgraph.status(), absl::StrCat("subgraph #", i));
    }
    RETURN_IF_ERROR(subgraph.status());
    subgraphs->push_back(*std::move(subgraph));
  }
  ASSIGN_OR_RETURN(const size_t main, MainSubgraph(root, *subgraphs, tensors));
  RETURN_IF_ERROR(CheckOutputs(*subgraphs, main));
  Model model = (*subgraphs)[main];
  model.variable_reads = FindVariables(*subgraphs, main);
  model.subgraphs = std::move(subgraphs);
  return model;
}

}  // namespace synap_internal::tflite_import
