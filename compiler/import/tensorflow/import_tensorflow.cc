#include "compiler/import/tensorflow/import_tensorflow.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/import/input_shape.h"
#include "compiler/import/op_limits.h"
#include "compiler/import/operator_table.h"
#include "compiler/import/tensorflow/graph_file.h"
#include "compiler/import/tensorflow/model_part.h"
#include "compiler/import/tensorflow/node_context.h"
#include "compiler/import/tensorflow/op_table.h"
#include "compiler/import/tensorflow/tensor_data.h"
#include "compiler/import/unreadable_file.h"
#include "compiler/import/unsupported_ops.h"

namespace synap_internal {
namespace tensorflow_import {
namespace {

// Operators whose presence says that a graph isn't frozen.
constexpr absl::string_view kVariables[] = {"Variable", "VariableV2", "VarHandleOp",
                                            "ReadVariableOp", "AutoReloadVariable"};

bool IsVariable(absl::string_view op) {
  return std::find(std::begin(kVariables), std::end(kVariables), op) != std::end(kVariables);
}

// The value for inference of a placeholder that isn't an input; nothing for those that are inputs
// in fact.
std::optional<float> InferenceValue(const tensorflow::NodeDef& def, DataType type) {
  if (type == DataType::kBool) return 0.0f;  // training
  const std::string name = absl::AsciiStrToLower(def.name());
  if (type != DataType::kFloat32) return std::nullopt;
  if (absl::StrContains(name, "keep")) return 1.0f;
  if (absl::StrContains(name, "drop")) return 0.0f;
  return std::nullopt;
}

class Importer {
 public:
  Importer(const GraphFile& file, const ImportOptions& options)
      : file_(file),
        options_(options),
        state_{GraphBuilder(graph_, options.max_folded_bytes), file, {}, {}, {}, {}} {
    state_.builder.FixInputs(options.fixed);
  }

  absl::StatusOr<ImportedModel> Run() {
    ASSIGN_OR_RETURN(part_, FindModelPart(file_, options_));
    const bool branches = std::any_of(part_.nodes.begin(), part_.nodes.end(),
                                      [&](size_t i) { return file_.def(i).op() == "Switch"; });
    // With branches it turns out below which nodes are needed.
    if (!branches) RETURN_IF_ERROR(CheckSupported(part_.nodes));
    for (const PartInput& input : part_.inputs) {
      RETURN_IF_ERROR(
          Annotate(AddInput(input), absl::StrCat("input '", file_.NameOf(input.value), "'")));
    }
    for (size_t i = 0; i < part_.nodes.size(); ++i) {
      const size_t node = part_.nodes[i];
      if (!IsMapped(node) && !IsSkipped(node)) {
        return CheckSupported(absl::MakeConstSpan(part_.nodes).subspan(i));
      }
      RETURN_IF_ERROR(Annotate(MapNode(node), NodeLabel(file_.def(node))));
    }
    RETURN_IF_ERROR(AddOutputs());
    RETURN_IF_ERROR(state_.builder.Finish(kTensorflowFramework.layout));
    return ImportedModel{std::move(graph_), std::move(warnings_)};
  }

 private:
  bool IsMapped(size_t node) const {
    return file_.def(node).op() == "Placeholder" ||
           Operators().Find(file_.def(node).op()) != nullptr;
  }

  absl::Status CheckSupported(absl::Span<const size_t> nodes) const {
    UnsupportedOps unsupported("operator", "node");
    bool variables = false;
    for (const size_t node : nodes) {
      if (IsMapped(node)) continue;
      unsupported.Add(file_.def(node).op(), file_.def(node).name());
      variables |= IsVariable(file_.def(node).op());
    }
    const absl::Status status = unsupported.ToStatus();
    if (!variables) return status;
    return absl::UnimplementedError(
        absl::StrCat(status.message(),
                     "; the graph still has variables: freeze it (freeze_graph or "
                     "convert_variables_to_constants) so that their values are in it"));
  }

  absl::StatusOr<DataType> PlaceholderType(size_t node) const {
    const auto& attributes = file_.def(node).attr();
    const auto type = attributes.find("dtype");
    if (type == attributes.end()) return absl::InvalidArgumentError("it has no dtype");
    return FlowDataType(type->second.type());
  }

  // An input that isn't a placeholder is taken for float32; only shapes are anything else.
  absl::Status AddInput(const PartInput& input) {
    const tensorflow::NodeDef& def = file_.def(input.value.node);
    const bool placeholder = def.op() == "Placeholder" || def.op() == "PlaceholderWithDefault";
    DataType flowing = DataType::kFloat32;
    std::optional<OpenShape> model;
    if (placeholder) {
      ASSIGN_OR_RETURN(flowing, PlaceholderType(input.value.node));
      model = PlaceholderShape(def);
      // Images of bytes, which the graph casts first of all.
      if (def.attr().at("dtype").type() == tensorflow::DT_UINT8) flowing = DataType::kFloat32;
    }
    if (flowing == DataType::kBool) {
      return absl::UnimplementedError("is of type DT_BOOL, supported are numbers");
    }
    if (flowing == DataType::kInt64) flowing = DataType::kInt32;
    ASSIGN_OR_RETURN(Shape shape, ResolveInputShape(model, input.given));
    ASSIGN_OR_RETURN(
        state_.values[input.value],
        state_.builder.AddInput(file_.NameOf(input.value), {flowing, std::move(shape), {}}));
    return absl::OkStatus();
  }

  absl::Status MapPlaceholder(size_t node) {
    const tensorflow::NodeDef& def = file_.def(node);
    ASSIGN_OR_RETURN(const DataType type, PlaceholderType(node));
    const std::optional<float> value = InferenceValue(def, type);
    if (!value.has_value()) {
      return absl::InvalidArgumentError(
          "the outputs depend on it, but it is not among the inputs of the metafile");
    }
    const bool flag = type == DataType::kBool;
    warnings_.push_back(absl::StrCat("'", def.name(), "' is not among the inputs of the metafile; ",
                                     "it is taken as ", flag ? "false" : absl::StrCat(*value)));
    Tensor* constant = flag ? state_.builder.AddBool(def.name(), false)
                            : state_.builder.AddScalar(def.name(), *value);
    state_.Bind({node, 0}, constant);
    return absl::OkStatus();
  }

  // A node is dead as a whole if what it reads is.
  bool IsDead(const Value& value) const {
    return state_.dead.contains(value) || state_.dead.contains({value.node, kAllPorts});
  }
  bool IsSkipped(size_t node) const {
    const Node& links = file_.nodes[node];
    const auto dead = [&](const Value& value) {
      return IsDead(value) && !part_.cuts.contains(value);
    };
    if (file_.def(node).op() == "Merge") {
      return std::all_of(links.inputs.begin(), links.inputs.end(), dead);
    }
    return std::any_of(links.inputs.begin(), links.inputs.end(), dead) ||
           std::any_of(links.after.begin(), links.after.end(), [&](size_t before) {
             return state_.dead.contains({before, kAllPorts});
           });
  }

  Emitted Operand(const Value& value) const {
    if (const auto it = state_.values.find(value); it != state_.values.end()) return it->second;
    if (IsDead(value)) return nullptr;
    return absl::UnimplementedError(
        absl::StrCat("its operand '", file_.NameOf(value), "' is an output of ",
                     NodeLabel(file_.def(value.node)), " that is not supported"));
  }

  absl::Status MapNode(size_t node) {
    if (IsSkipped(node)) {
      state_.dead.insert({node, kAllPorts});
      return absl::OkStatus();
    }
    const tensorflow::NodeDef& def = file_.def(node);
    if (def.op() == "Placeholder") return MapPlaceholder(node);
    std::vector<Tensor*> inputs;
    bool random = false;
    for (const Value& input : file_.nodes[node].inputs) {
      ASSIGN_OR_RETURN(Tensor * operand, Operand(input));
      random |= state_.random.contains(operand) && def.op() != "Merge";
      inputs.push_back(operand);
    }
    const OpMapping& mapping = *Operators().Find(def.op());
    RETURN_IF_ERROR(CheckOperandCount(inputs.size(), mapping.required, mapping.max));
    NodeContext context(node, std::move(inputs), state_);
    return random ? WithLimits(MapRandomOperand(context), mapping.limits) : mapping.Map(context);
  }

  Emitted OutputTensor(const Value& output) const {
    ASSIGN_OR_RETURN(Tensor * tensor, Operand(output));
    if (tensor == nullptr) return absl::InvalidArgumentError("is in a branch that isn't taken");
    if (state_.random.contains(tensor)) return absl::InvalidArgumentError("is random");
    return tensor;
  }

  absl::Status AddOutputs() {
    std::vector<GraphBuilder::Output> outputs;
    for (const Value& output : part_.outputs) {
      const std::string name = file_.NameOf(output);
      const Emitted tensor = OutputTensor(output);
      if (!tensor.ok()) return Annotate(tensor.status(), absl::StrCat("output '", name, "'"));
      outputs.push_back({*tensor, name, (*tensor)->type.dtype == DataType::kInt64});
    }
    return state_.builder.AddOutputs(outputs);
  }

  static constexpr int kAllPorts = -1;

  const GraphFile& file_;
  const ImportOptions& options_;
  Graph graph_;
  ModelPart part_;
  std::vector<std::string> warnings_;
  ImportState state_;
};

}  // namespace
}  // namespace tensorflow_import

absl::StatusOr<ImportedModel> ImportTensorflowBytes(absl::string_view bytes, absl::string_view name,
                                                    const ImportOptions& options) {
  ASSIGN_OR_RETURN(const tensorflow_import::GraphFile file, tensorflow_import::ParseGraph(bytes));
  ASSIGN_OR_RETURN(ImportedModel import, tensorflow_import::Importer(file, options).Run());
  import.graph.name = std::string(name);
  return import;
}

absl::StatusOr<ImportedModel> ImportTensorflow(const ModelFiles& files,
                                               const ImportOptions& options) {
  ASSIGN_OR_RETURN(const MappedFile file, MappedFile::Open(files.model));
  return Annotate(ImportTensorflowBytes(BytesOf(file), Stem(files.model), options), files.model);
}

}  // namespace synap_internal
