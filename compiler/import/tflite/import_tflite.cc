#include "compiler/import/tflite/import_tflite.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/import/model_part.h"
#include "compiler/import/tflite/detection_anchors.h"
#include "compiler/import/tflite/model_file.h"
#include "compiler/import/tflite/model_graph.h"
#include "compiler/import/tflite/op_table.h"
#include "compiler/import/tflite/operator_context.h"
#include "compiler/import/tflite/operator_mapper.h"
#include "compiler/import/tflite/tensor_data.h"
#include "compiler/import/unsupported_ops.h"

namespace synap_internal {
namespace tflite_import {
namespace {

// The subgraph that a composite operator is composed of; nothing for other operators.
std::optional<size_t> DecompositionOf(const Model& model, const tflite::Operator& op) {
  const auto* composite = op.builtin_options_2_as_StableHLOCompositeOptions();
  if (composite == nullptr) return std::nullopt;
  const auto index = static_cast<size_t>(composite->decomposition_subgraph_index());
  return index < model.subgraphs->size() ? std::optional(index) : std::nullopt;
}

// Checks `operators` and all that composites among them consist of.
absl::Status CheckSupported(const Model& model, const std::vector<size_t>& operators) {
  UnsupportedOps unsupported("operator", "node");
  std::vector<const Model*> bodies;
  std::vector<bool> known(model.subgraphs->size());
  const auto check = [&](const Model& graph, size_t i) {
    const tflite::Operator& op = graph.op(i);
    const tflite::OperatorCode& code = model.code(op);
    if (!Mapping(code).supported()) {
      const bool custom = BuiltinCode(code) == tflite::BuiltinOperator::CUSTOM;
      const auto output = static_cast<size_t>(op.outputs()->Get(0));
      unsupported.Add(absl::StrCat(custom ? "custom " : "", OperatorName(code)),
                      graph.tensor_names[output]);
    }
    const std::optional<size_t> body = DecompositionOf(model, op);
    if (!body.has_value() || known[*body]) return;
    known[*body] = true;
    bodies.push_back(&(*model.subgraphs)[*body]);
  };
  for (const size_t i : operators) check(model, i);
  while (!bodies.empty()) {
    const Model& body = *bodies.back();
    bodies.pop_back();
    for (size_t i = 0; i < body.op_count(); ++i) check(body, i);
  }
  return unsupported.ToStatus();
}

// The type of an input or output of the network, which can't be int64.
absl::StatusOr<TensorType> NetworkType(const tflite::Tensor& tensor) {
  ASSIGN_OR_RETURN(TensorType type, InputOutputType(tensor));
  if (type.dtype == DataType::kInt64) type.dtype = DataType::kInt32;
  return type;
}

// Turns one parsed model into a graph.
class Importer {
 public:
  Importer(const Model& model, const ImportOptions& options)
      : model_(model),
        options_(options),
        builder_(graph_, options.max_folded_bytes),
        state_{builder_, model, *model.subgraphs,
               std::vector<Tensor*>(model.tensor_names.size() + model.states.size())} {
    state_.wanted_states.resize(model.states.size());
    builder_.FixInputs(options.fixed);
  }

  absl::StatusOr<ImportedModel> Run() {
    std::vector<std::string> warnings;
    ASSIGN_OR_RETURN(const ModelPart part,
                     FindModelPart(ModelGraphOf(model_, options_, warnings), options_));
    RETURN_IF_ERROR(CheckSupported(model_, part.nodes));
    for (const PartInput& input : part.inputs) {
      RETURN_IF_ERROR(Annotate(AddInput(input), absl::StrCat("input '", NameOf(input.value), "'")));
    }
    for (const size_t output : part.outputs) {
      if (IsNext(output)) state_.wanted_states[StateOf(output)] = true;
    }
    for (const size_t i : part.nodes) {
      RETURN_IF_ERROR(Annotate(MapOperator(state_, model_.op(i)), OperatorLabel(model_, i)));
    }
    RETURN_IF_ERROR(AddOutputs(part.outputs));
    WarnOfStates(warnings);
    WarnOfVariables(warnings);
    ReadAnchors(warnings);
    RETURN_IF_ERROR(state_.builder.Finish(kTfliteFramework.layout));
    return ImportedModel{std::move(graph_), std::move(warnings)};
  }

 private:
  // A value of ModelGraphOf is a tensor, or what a state becomes.
  bool IsNext(size_t value) const { return value >= model_.tensor_names.size(); }
  size_t StateOf(size_t value) const { return value - model_.tensor_names.size(); }
  const std::string& NameOf(size_t value) const {
    return IsNext(value) ? model_.states[StateOf(value)].next : model_.tensor_names[value];
  }

  absl::Status AddInput(const PartInput& input) {
    if (IsNext(input.value)) {
      return absl::InvalidArgumentError("is what a state becomes, expected a tensor of the model");
    }
    const tflite::Tensor& tensor = model_.tensor(static_cast<int32_t>(input.value));
    ASSIGN_OR_RETURN(TensorType type, NetworkType(tensor));
    ASSIGN_OR_RETURN(type.shape, ResolveInputShape(ShapeOf(tensor), input.given));
    if (type.quant.scheme == QuantScheme::kPerChannelSymmetric) {
      return absl::UnimplementedError("has a scale for each channel, which is not supported");
    }
    ASSIGN_OR_RETURN(state_.values[input.value],
                     state_.builder.AddInput(NameOf(input.value), std::move(type)));
    return absl::OkStatus();
  }

  // A detection isn't imported: its faults only cost the anchors.
  void ReadAnchors(std::vector<std::string>& warnings) {
    absl::StatusOr<std::vector<float>> anchors = DetectionAnchors(model_, state_.builder);
    if (anchors.ok()) {
      graph_.anchors = *std::move(anchors);
    } else {
      warnings.push_back(absl::StrCat("no ${ANCHORS}: ", anchors.status().message()));
    }
  }

  void WarnOfStates(std::vector<std::string>& warnings) const {
    if (state_.forgotten_states.empty()) return;
    std::vector<std::string> inputs, outputs;
    for (const Model::State& state : model_.states) {
      if (!state_.forgotten_states.contains(state.tensor)) continue;
      inputs.push_back(absl::StrCat("'", NameOf(static_cast<size_t>(state.tensor)), "'"));
      outputs.push_back(absl::StrCat("'", state.next, "'"));
    }
    warnings.push_back(absl::StrCat(
        "the state of recurrent layers begins with zeros in each inference; an application can "
        "carry it from one to the next where the metafile also lists the inputs ",
        absl::StrJoin(inputs, ", "), " and the outputs ", absl::StrJoin(outputs, ", ")));
  }

  void WarnOfVariables(std::vector<std::string>& warnings) const {
    if (state_.forgotten_variables.empty()) return;
    std::vector<std::string> inputs, outputs;
    for (const tflite::Operator* op : state_.forgotten_variables) {
      const int32_t next = model_.variable_reads.at(op).next;
      inputs.push_back(absl::StrCat("'", NameOf(static_cast<size_t>(op->outputs()->Get(0))), "'"));
      outputs.push_back(absl::StrCat("'", NameOf(static_cast<size_t>(next)), "'"));
    }
    warnings.push_back(absl::StrCat(
        "variables have their initial values in each inference; an application can carry them "
        "from one to the next where the metafile also lists the inputs ",
        absl::StrJoin(inputs, ", "), " and the outputs ", absl::StrJoin(outputs, ", ")));
  }

  Emitted NextState(size_t value) const {
    if (Tensor* next = state_.values[value]) return next;
    return absl::UnimplementedError("is the state of an operator that isn't known to change it");
  }

  absl::Status AddOutputs(const std::vector<size_t>& values) {
    std::vector<GraphBuilder::Output> outputs;
    for (const size_t value : values) {
      GraphBuilder::Output& output = outputs.emplace_back();
      output.name = NameOf(value);
      const int32_t index =
          IsNext(value) ? model_.states[StateOf(value)].tensor : static_cast<int32_t>(value);
      const Emitted tensor = IsNext(value) ? NextState(value) : ValueOf(state_, index);
      const absl::StatusOr<TensorType> type = NetworkType(model_.tensor(index));
      const absl::Status status = tensor.ok() ? type.status() : tensor.status();
      RETURN_IF_ERROR(Annotate(status, absl::StrCat("output '", output.name, "'")));
      output.tensor = *tensor;
      output.as_int32 =
          type->dtype == DataType::kInt32 && output.tensor->type.dtype == DataType::kInt64;
    }
    return state_.builder.AddOutputs(outputs);
  }

  const Model& model_;
  const ImportOptions& options_;
  Graph graph_;
  GraphBuilder builder_;
  ImportState state_;
};

// The file's buffers are aligned to 16 within it.
constexpr size_t kAlignment = 16;

absl::StatusOr<ImportedModel> Import(absl::Span<const uint8_t> bytes,
                                     std::shared_ptr<const void> owner, absl::string_view name,
                                     const ImportOptions& options) {
  std::vector<std::string> tensors = options.outputs;
  for (const ImportInput& input : options.inputs) {
    if (!input.name.empty()) tensors.push_back(input.name);
  }
  ASSIGN_OR_RETURN(const Model model, ParseModel(bytes, std::move(owner), tensors));
  ASSIGN_OR_RETURN(ImportedModel import, Importer(model, options).Run());
  import.graph.name = std::string(name);
  return import;
}

}  // namespace
}  // namespace tflite_import

absl::StatusOr<ImportedModel> ImportTfliteBytes(absl::string_view bytes, absl::string_view name,
                                                const ImportOptions& options) {
  constexpr size_t kAlignment = tflite_import::kAlignment;
  const auto copy = std::make_shared<std::vector<uint8_t>>(bytes.size() + kAlignment);
  const size_t misaligned = reinterpret_cast<uintptr_t>(copy->data()) % kAlignment;
  uint8_t* begin = copy->data() + (misaligned == 0 ? 0 : kAlignment - misaligned);
  std::copy(bytes.begin(), bytes.end(), begin);
  return tflite_import::Import({begin, bytes.size()}, copy, name, options);
}

absl::StatusOr<ImportedModel> ImportTflite(const ModelFiles& files, const ImportOptions& options) {
  ASSIGN_OR_RETURN(MappedFile mapped, MappedFile::Open(files.model));
  const auto file = std::make_shared<const MappedFile>(std::move(mapped));
  return Annotate(tflite_import::Import(file->bytes(), file, Stem(files.model), options),
                  files.model);
}

}  // namespace synap_internal
