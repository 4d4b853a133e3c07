#include "compiler/import/onnx/import_onnx.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/types/optional.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/import/emit/axes.h"
#include "compiler/import/input_shape.h"
#include "compiler/import/model_part.h"
#include "compiler/import/onnx/box_units.h"
#include "compiler/import/onnx/detection_head.h"
#include "compiler/import/onnx/graph_index.h"
#include "compiler/import/onnx/inputs_outputs.h"
#include "compiler/import/onnx/model_file.h"
#include "compiler/import/onnx/node_context.h"
#include "compiler/import/onnx/node_mapper.h"
#include "compiler/import/onnx/op_table.h"
#include "compiler/import/refused_nodes.h"
#include "compiler/import/stated_shape.h"
#include "compiler/import/unsupported_ops.h"
#include "runtime/vision/detector/decoder.h"

namespace synap_internal {
namespace onnx_import {
namespace {

// Operators of new opsets are named with the opset: it says when they came or changed.
constexpr int kFirstNamedOpset = 22;

// The size of a picture that enters as [N,C,H,W], [N,H,W,C] or, with colours, [C,H,W].
absl::optional<BoxUnits> PictureSize(const Graph& graph) {
  const auto are_channels = [](int64_t dim) { return dim == 1 || dim == 3; };
  for (const Tensor* input : graph.inputs) {
    const Shape& shape = input->type.shape;
    if (shape.rank() != 4 && (shape.rank() != 3 || shape[0] != 3)) continue;
    const size_t first = shape.rank() - 3;  // after the batch
    const bool is_nchw = are_channels(shape[first]);
    if (!is_nchw && !are_channels(shape.back())) continue;
    const size_t height = is_nchw ? first + 1 : first;
    return BoxUnits{static_cast<double>(shape[height + 1]), static_cast<double>(shape[height])};
  }
  return absl::nullopt;
}

// Why no decoder reads the outputs that a cut has left.
absl::Status CheckCutOutputs(const Graph& graph, const DetectionHead& head, bool loses_classes) {
  std::vector<DetectionTensor> tensors;
  for (const Tensor* output : graph.outputs) tensors.push_back({graph.format, output->type.shape});
  RETURN_IF_ERROR(MakeDetectionDecoder(tensors, /*score_threshold=*/0.5f).status());
  const Shape &boxes = graph.outputs[0]->type.shape, &scores = graph.outputs[1]->type.shape;
  if (loses_classes && 4 * scores.elements() == boxes.elements()) {
    return absl::InvalidArgumentError(
        absl::StrCat("its scores are of one class, but ", head.class_choice->text));
  }
  if (head.classes < 0 || scores.back() == head.classes) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("it reads ", head.classes, " classes of scores ",
                                                 scores.ToString(), ", expected all"));
}

constexpr char kWayOut[] = "; name the tensors before it under 'outputs' in the metafile";

absl::Status NotCutOff(const DetectionHead& head, absl::string_view why) {
  return absl::UnimplementedError(absl::StrCat(head.node, " can't be cut off: ", why, kWayOut));
}

absl::Status CheckSupported(const onnx::GraphProto& graph, const std::vector<size_t>& nodes,
                            int opset) {
  UnsupportedOps unsupported("operator", "node");
  for (const size_t i : nodes) {
    const onnx::NodeProto& node = graph.node(static_cast<int>(i));
    if (MappingOf(node) != nullptr) continue;
    const std::string op = !IsStandard(node) ? absl::StrCat(node.domain(), ".", node.op_type())
                           : opset >= kFirstNamedOpset
                               ? absl::StrCat(node.op_type(), " of opset ", opset)
                               : node.op_type();
    unsupported.Add(op, NodeLabel(node));
  }
  return unsupported.ToStatus();
}

// Whether a model leaves rows or columns of its pictures open.
bool HasOpenSize(const onnx::ValueInfoProto& input) {
  const std::optional<OpenShape> shape = ModelShape(input);
  return shape.has_value() && shape->size() == 4 &&
         (!(*shape)[2].has_value() || !(*shape)[3].has_value());
}

// The exporter's words about the shape of the model's only input, if that leaves the size of
// pictures open and doesn't contradict them.
std::optional<Shape> StatedShapeOf(const Model& model, const ModelGraph& graph, size_t value,
                                   const onnx::ValueInfoProto* info) {
  const bool is_only = graph.inputs.size() == 1 && graph.inputs[0] == value;
  if (!is_only || info == nullptr || !HasOpenSize(*info)) return std::nullopt;
  std::map<std::string, std::string> properties;
  for (const onnx::StringStringEntryProto& property : model.proto->metadata_props()) {
    properties.emplace(property.key(), property.value());
  }
  const std::optional<Shape> stated = StatedShape(properties);
  if (!stated.has_value()) return std::nullopt;
  const absl::StatusOr<Shape> shape = ResolveInputShape(ModelShape(*info), stated);
  return shape.ok() ? std::optional(*shape) : std::nullopt;
}

// Turns one parsed model into a graph.
class Importer {
 public:
  // `head`: what was cut off the model, or wasn't.
  Importer(Model model, const ImportOptions& options, absl::optional<DetectionHead> head)
      : model_(model),
        options_(options),
        head_(std::move(head)),
        state_{GraphBuilder(graph_, options.max_folded_bytes), TensorReader(model), model.opset},
        nodes_(model_.graph(), index_, state_) {
    state_.producer = model_.proto->producer_name();
    state_.builder.FixInputs(options.fixed);
  }

  absl::StatusOr<ImportedModel> Run() {
    const absl::Status status = ImportGraph();
    if (!status.ok() && head_.has_value() && !head_->refusal.empty()) {
      return NotCutOff(*head_, absl::StrCat(head_->refusal, "; ", status.message()));
    }
    if (!status.ok() && IsCut() && head_->rewrites) {
      return absl::Status(status.code(), absl::StrCat(status.message(), "; ", head_->node,
                                                      " was cut off", kWayOut));
    }
    RETURN_IF_ERROR(status);
    ImportedModel imported;
    imported.notes = std::move(notes_);
    if (IsCut()) {
      ASSIGN_OR_RETURN(graph_.format, FormatOf(*head_));
      imported.notes.push_back(CutNote(*head_));
    }
    imported.graph = std::move(graph_);
    imported.warnings = std::move(state_.warnings);
    return imported;
  }

 private:
  bool IsCut() const { return head_.has_value() && head_->refusal.empty(); }

  absl::Status ImportGraph() {
    const onnx::GraphProto& graph = model_.graph();
    ASSIGN_OR_RETURN(index_, IndexGraph(graph));
    ASSIGN_OR_RETURN(const ModelGraph model_graph, ModelGraphOf(graph, index_, options_));
    ASSIGN_OR_RETURN(const ModelPart part, FindModelPart(model_graph, options_));
    RETURN_IF_ERROR(CheckReads(part.nodes));
    RETURN_IF_ERROR(CheckSupported(graph, part.nodes, model_.opset));
    for (PartInput input : part.inputs) {
      const std::string& name = model_graph.values[input.value];
      if (!input.given.has_value()) TakeStatedShape(model_graph, input);
      RETURN_IF_ERROR(Annotate(AddInput(name, input), absl::StrCat("input '", name, "'")));
    }
    std::vector<std::string> outputs;
    for (const size_t output : part.outputs) outputs.push_back(model_graph.values[output]);
    state_.outputs.insert(outputs.begin(), outputs.end());
    CountReads(part.nodes, outputs);
    RETURN_IF_ERROR(MapNodes(part.nodes));
    RETURN_IF_ERROR(AddOutputs(outputs));
    if (IsCut()) {
      // Before constants are erased that no op reads any more, the limits of a Clip among them.
      units_ = FindBoxUnits(graph, index_, state_.values, head_->boxes, head_->y_first,
                            PictureSize(graph_));
      loses_classes_ = head_->class_choice.has_value() && !IsOfOneClass(*head_->class_choice);
    }
    return state_.builder.Finish(kOnnxFramework.layout);
  }

  // Whether a choice has nothing to choose from.
  bool IsOfOneClass(const ClassChoice& choice) const {
    const auto value = state_.values.find(choice.scores);
    if (value == state_.values.end()) return false;
    const Shape& shape = value->second->type.shape;
    const absl::StatusOr<int64_t> axis = ResolveAxis(choice.axis, shape.rank());
    return axis.ok() && shape[static_cast<size_t>(*axis)] == 1;
  }

  // The format of the outputs that a cut has left, with the unit of boxes.
  absl::StatusOr<std::string> FormatOf(const DetectionHead& head) {
    graph_.format = head.format;
    if (units_.width != 1 || units_.height != 1) {
      absl::StrAppend(&graph_.format, " w_scale=", units_.width, " h_scale=", units_.height);
    }
    const absl::Status status = CheckCutOutputs(graph_, head, loses_classes_);
    if (!status.ok()) return NotCutOff(head, status.message());
    return graph_.format;
  }

  std::string CutNote(const DetectionHead& head) const {
    std::string note =
        absl::StrCat(head.node, " and what follows it are cut off: the outputs are its boxes '",
                     head.boxes, "' and scores '", head.scores, "', and their format is '",
                     graph_.format, "' unless the metafile has another");
    if (head.dropped.empty()) return note;
    return absl::StrCat(note, "; left out: '", absl::StrJoin(head.dropped, "', '"), "'");
  }

  absl::Status CheckReads(const std::vector<size_t>& nodes) const {
    for (const size_t i : nodes) {
      const onnx::NodeProto& node = model_.graph().node(static_cast<int>(i));
      for (const absl::string_view name : ReadsOf(node)) {
        if (name.empty() || index_.HasTensor(name)) continue;
        return absl::InvalidArgumentError(
            absl::StrCat(Where(node), " reads '", name, "', which nothing produces"));
      }
    }
    return absl::OkStatus();
  }

  // Goes on after a node that is refused, so that all are known at the end.
  absl::Status MapNodes(const std::vector<size_t>& nodes) {
    RefusedNodes refused;
    for (const size_t i : nodes) {
      const onnx::NodeProto& node = model_.graph().node(static_cast<int>(i));
      const std::vector<absl::string_view> reads = ReadsOf(node);
      const bool lacks_operand = std::any_of(
          reads.begin(), reads.end(), [&](absl::string_view name) { return refused.Lacks(name); });
      absl::Status status;
      if (!lacks_operand) status = nodes_.Map(node);
      if (!lacks_operand && status.ok()) {
        ReleaseWeights(node);
        continue;
      }
      for (const std::string& output : node.output()) refused.Skip(output);
      if (lacks_operand) continue;
      if (!absl::IsUnimplemented(status) && !absl::IsInvalidArgument(status)) return status;
      refused.Add(std::move(status));
    }
    return refused.ToStatus();
  }

  // Counts how often nodes read the initializers that aren't outputs.
  void CountReads(const std::vector<size_t>& nodes, const std::vector<std::string>& outputs) {
    const absl::flat_hash_set<absl::string_view> kept(outputs.begin(), outputs.end());
    for (const size_t i : nodes) {
      for (const absl::string_view name : ReadsOf(model_.graph().node(static_cast<int>(i)))) {
        if (index_.initializers.contains(name) && !kept.contains(name)) ++reads_[name];
      }
    }
  }

  // Frees a weight after its last use if a permuted copy replaced it: otherwise it would be in
  // memory twice.
  void ReleaseWeights(const onnx::NodeProto& node) {
    constexpr int64_t kWorthIt = int64_t{1} << 16;
    for (const absl::string_view name : ReadsOf(node)) {
      const auto reads = reads_.find(name);
      if (reads == reads_.end() || --reads->second > 0) continue;
      const auto value = state_.values.find(name);
      if (value == state_.values.end()) continue;
      Tensor* tensor = value->second;
      const bool dead = tensor->is_constant() && tensor->users.empty();
      if (dead && tensor->type.bytes() >= kWorthIt && IsKnownOnce(tensor)) tensor->constant.reset();
    }
  }

  // Whether a tensor has one name only, and is in no sequence.
  bool IsKnownOnce(const Tensor* tensor) const {
    const auto is = [&](const auto& named) { return named.second == tensor; };
    const auto holds = [&](const auto& value) {
      const absl::optional<Sequence>& tensors = value.second.sequence;
      return tensors.has_value() &&
             std::find(tensors->begin(), tensors->end(), tensor) != tensors->end();
    };
    return std::count_if(state_.values.begin(), state_.values.end(), is) == 1 &&
           std::none_of(state_.other_values.begin(), state_.other_values.end(), holds);
  }

  const onnx::ValueInfoProto* InfoOf(const std::string& name) const {
    const auto info = index_.infos.find(name);
    return info == index_.infos.end() ? nullptr : info->second;
  }

  void TakeStatedShape(const ModelGraph& graph, PartInput& input) {
    const std::string& name = graph.values[input.value];
    input.given = StatedShapeOf(model_, graph, input.value, InfoOf(name));
    if (input.given.has_value()) notes_.push_back(StatedShapeNote(name, *input.given));
  }

  absl::Status AddInput(const std::string& name, const PartInput& input) {
    ASSIGN_OR_RETURN(TensorType type, InputType(input.given, InfoOf(name)));
    ASSIGN_OR_RETURN(state_.values[name], state_.builder.AddInput(name, std::move(type)));
    return absl::OkStatus();
  }

  // The tensors of an output by their names: those of a sequence 'y' are 'y.0', 'y.1' and so on.
  absl::StatusOr<std::vector<std::pair<std::string, Tensor*>>> OutputTensors(
      const std::string& name) {
    ASSIGN_OR_RETURN(const Value value, nodes_.ValueOf(name));
    std::vector<std::pair<std::string, Tensor*>> tensors;
    if (value.is_tensor()) tensors.emplace_back(name, value.tensor);
    if (value.is_sequence()) {
      for (Tensor* tensor : *value.sequence) {
        tensors.emplace_back(absl::StrCat(name, ".", tensors.size()), tensor);
      }
    }
    if (!tensors.empty()) return tensors;
    return absl::UnimplementedError(absl::StrCat(
        "output '", name, "' is ",
        value.is_sequence() ? "an empty sequence" : "an optional value without element",
        ", expected a tensor or a sequence of tensors"));
  }

  absl::Status AddOutputs(const std::vector<std::string>& names) {
    std::vector<GraphBuilder::Output> outputs;
    for (const std::string& name : names) {
      ASSIGN_OR_RETURN(const auto tensors, OutputTensors(name));
      const onnx::ValueInfoProto* info = InfoOf(name);
      const bool is_int32 =
          info != nullptr && ElementTypeOf(info->type()) == onnx::TensorProto::INT32;
      for (const auto& [tensor_name, tensor] : tensors) {
        const DataType type = tensor->type.dtype;
        // Sums of products of integers are computed as floats.
        const bool wide = type == DataType::kInt64 || type == DataType::kFloat32;
        outputs.push_back({tensor, tensor_name, is_int32 && wide});
      }
    }
    return state_.builder.AddOutputs(outputs);
  }

  const Model model_;
  const ImportOptions& options_;
  const absl::optional<DetectionHead> head_;
  BoxUnits units_;              // of a model that is cut
  bool loses_classes_ = false;  // if its scores are of one class
  std::vector<std::string> notes_;
  Graph graph_;
  GraphIndex index_;
  absl::flat_hash_map<absl::string_view, int> reads_;  // of initializers that are left
  ImportState state_;
  NodeMapper nodes_;
};

// Some exporters put a path there.
std::string GraphName(const onnx::GraphProto& graph, absl::string_view fallback) {
  const std::vector<std::string> parts = absl::StrSplit(graph.name(), absl::ByAnyChar("/\\"));
  return parts.back().empty() ? std::string(fallback) : parts.back();
}

absl::StatusOr<ImportedModel> Import(Model model, absl::string_view name,
                                     const ImportOptions& options) {
  const std::string graph_name = GraphName(model.graph(), name);
  absl::optional<DetectionHead> head;
  if (options.outputs.empty()) head = CutDetectionHead(model);
  ASSIGN_OR_RETURN(ImportedModel imported,
                   Importer(std::move(model), options, std::move(head)).Run());
  imported.graph.name = graph_name;
  return imported;
}

}  // namespace
}  // namespace onnx_import

absl::StatusOr<Graph> ImportOnnxBytes(absl::string_view bytes, absl::string_view name,
                                      const ImportOptions& options) {
  ASSIGN_OR_RETURN(onnx_import::Model model, onnx_import::ParseModel(bytes, ""));
  ASSIGN_OR_RETURN(ImportedModel imported, onnx_import::Import(std::move(model), name, options));
  return std::move(imported.graph);
}

absl::StatusOr<ImportedModel> ImportOnnx(const ModelFiles& files, const ImportOptions& options) {
  const std::string& path = files.model;
  ASSIGN_OR_RETURN(onnx_import::Model model, onnx_import::ReadModelFile(path));
  std::string newer = onnx_import::NewerThanKnown(model);
  ASSIGN_OR_RETURN(ImportedModel imported,
                   Annotate(onnx_import::Import(std::move(model), Stem(path), options), path));
  if (!newer.empty()) imported.warnings.insert(imported.warnings.begin(), std::move(newer));
  return imported;
}

}  // namespace synap_internal
