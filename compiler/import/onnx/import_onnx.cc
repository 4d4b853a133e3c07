#include "compiler/import/onnx/import_onnx.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/import/onnx/graph_border.h"
#include "compiler/import/onnx/graph_index.h"
#include "compiler/import/onnx/model_file.h"
#include "compiler/import/onnx/node_context.h"
#include "compiler/import/onnx/node_mapper.h"
#include "compiler/import/unsupported_ops.h"

namespace synap_internal {
namespace onnx_import {
namespace {

// Operators of new opsets are named with the opset: it says when they came or changed.
constexpr int kFirstNamedOpset = 22;

absl::Status CheckSupported(const onnx::GraphProto& graph, const std::vector<int>& nodes,
                            int opset) {
  UnsupportedOps unsupported("operator", "node");
  for (const int i : nodes) {
    const onnx::NodeProto& node = graph.node(i);
    if (MappingOf(node) != nullptr) continue;
    const bool standard = node.domain().empty() || node.domain() == "ai.onnx";
    const std::string op = !standard ? absl::StrCat(node.domain(), ".", node.op_type())
                           : opset >= kFirstNamedOpset
                               ? absl::StrCat(node.op_type(), " of opset ", opset)
                               : node.op_type();
    unsupported.Add(op, NodeLabel(node));
  }
  return unsupported.ToStatus();
}

// Turns one parsed model into a graph.
class Importer {
 public:
  Importer(Model model, const ImportOptions& options)
      : model_(model),
        options_(options),
        state_{GraphBuilder(graph_, options.max_folded_bytes), TensorReader(model), model.opset},
        nodes_(model_.graph(), index_, state_) {}

  absl::StatusOr<Graph> Run() {
    const onnx::GraphProto& graph = model_.graph();
    ASSIGN_OR_RETURN(index_, IndexGraph(graph));
    ASSIGN_OR_RETURN(output_names_, OutputNames(graph, index_, options_.outputs));
    wanted_.insert(output_names_.begin(), output_names_.end());
    ASSIGN_OR_RETURN(std::vector<ImportInput> inputs, NamedInputs(graph, index_, options_.inputs));
    absl::flat_hash_set<absl::string_view> cuts;
    for (const ImportInput& input : inputs) cuts.insert(input.name);
    ASSIGN_OR_RETURN(const Selection selection, SelectNodes(graph, index_, cuts, output_names_));
    RETURN_IF_ERROR(CheckSupported(graph, selection.nodes, model_.opset));
    if (inputs.empty()) {
      inputs = NeededInputs(selection);
    } else {
      RETURN_IF_ERROR(CheckCutsSuffice(selection, cuts));
    }
    for (const ImportInput& input : inputs) RETURN_IF_ERROR(AddInput(input));
    CountReads(selection);
    for (const int i : selection.nodes) {
      RETURN_IF_ERROR(nodes_.Map(graph.node(i)));
      ReleaseWeights(graph.node(i));
    }
    for (const std::string& name : output_names_) RETURN_IF_ERROR(AddOutput(name));
    graph_.RemoveDead();
    RETURN_IF_ERROR(VerifyGraph(graph_));
    return std::move(graph_);
  }

 private:
  bool IsModelInput(absl::string_view name) const {
    return index_.inputs.contains(name) && !index_.initializers.contains(name);
  }

  // How often nodes read the initializers that are no outputs.
  void CountReads(const Selection& selection) {
    for (const int i : selection.nodes) {
      for (const absl::string_view name : ReadsOf(model_.graph().node(i))) {
        if (index_.initializers.contains(name) && !wanted_.contains(name)) ++reads_[name];
      }
    }
  }

  // Weights go with their last reader if it has put others in their place: an image's are there in
  // another order then, and would be twice in memory.
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
    const auto holds = [&](const auto& sequence) {
      return std::find(sequence.second.begin(), sequence.second.end(), tensor) !=
             sequence.second.end();
    };
    return std::count_if(state_.values.begin(), state_.values.end(), is) == 1 &&
           std::none_of(state_.sequences.begin(), state_.sequences.end(), holds);
  }

  std::vector<ImportInput> NeededInputs(const Selection& selection) const {
    std::vector<ImportInput> inputs;
    for (const onnx::ValueInfoProto& input : model_.graph().input()) {
      if (IsModelInput(input.name()) && selection.sources.contains(input.name())) {
        inputs.push_back({input.name(), std::nullopt});
      }
    }
    return inputs;
  }

  absl::Status CheckCutsSuffice(const Selection& selection,
                                const absl::flat_hash_set<absl::string_view>& cuts) const {
    for (const onnx::ValueInfoProto& input : model_.graph().input()) {
      const std::string& name = input.name();
      if (!IsModelInput(name) || !selection.sources.contains(name) || cuts.contains(name)) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("the outputs also depend on input '", name,
                       "', which is not among the inputs of the metafile"));
    }
    return absl::OkStatus();
  }

  absl::Status AddInput(const ImportInput& input) {
    const auto info = index_.infos.find(input.name);
    ASSIGN_OR_RETURN(TensorType type,
                     InputType(input, info == index_.infos.end() ? nullptr : info->second));
    Tensor* tensor = graph_.AddTensor(input.name, std::move(type));
    graph_.inputs.push_back(tensor);
    inputs_.insert(tensor);
    state_.Bind(input.name, tensor);
    if (tensor->type.dtype != DataType::kInt32) return absl::OkStatus();
    ASSIGN_OR_RETURN(state_.values[input.name],
                     state_.builder.Emit("cast", {tensor}, {{"to", std::string("int64")}},
                                         input.name, absl::StrCat(input.name, ".int64")));
    return absl::OkStatus();
  }

  bool IsInput(const Tensor* tensor) const { return inputs_.contains(tensor); }

  // Outputs bear their own names; what stands under another one is renamed or,
  // if that is needed too, copied.
  absl::Status AddOutput(const std::string& name) {
    ASSIGN_OR_RETURN(Tensor * tensor, nodes_.Value(name));
    if (Tensor* input = graph_.FindTensor(name); IsInput(input)) tensor = input;
    const auto info = index_.infos.find(name);
    // Sums of products of integers are computed as floats.
    const bool wants_int32 =
        info != index_.infos.end() &&
        (tensor->type.dtype == DataType::kInt64 || tensor->type.dtype == DataType::kFloat32) &&
        info->second->type().tensor_type().elem_type() == onnx::TensorProto::INT32;
    if (wants_int32) {
      return state_.builder.AddConvertedOutput(tensor, name, "cast",
                                               {{"to", std::string("int32")}});
    }
    const bool name_needed = IsInput(tensor) || wanted_.contains(tensor->name);
    return state_.builder.AddOutput(tensor, name, name_needed);
  }

  const Model model_;
  const ImportOptions& options_;
  Graph graph_;
  GraphIndex index_;
  std::vector<std::string> output_names_;
  absl::flat_hash_set<absl::string_view> wanted_;  // the same
  absl::flat_hash_set<const Tensor*> inputs_;
  absl::flat_hash_map<absl::string_view, int> reads_;  // of initializers that are left
  ImportState state_;
  NodeMapper nodes_;
};

// Some exporters put a path there.
std::string GraphName(const onnx::GraphProto& graph, absl::string_view fallback) {
  const std::vector<std::string> parts = absl::StrSplit(graph.name(), absl::ByAnyChar("/\\"));
  return parts.back().empty() ? std::string(fallback) : parts.back();
}

absl::StatusOr<Graph> Import(Model model, absl::string_view name, const ImportOptions& options) {
  const std::string graph_name = GraphName(model.graph(), name);
  ASSIGN_OR_RETURN(Graph graph, Importer(std::move(model), options).Run());
  graph.name = graph_name;
  graph.layout = "nchw";
  return graph;
}

}  // namespace
}  // namespace onnx_import

absl::StatusOr<Graph> ImportOnnxBytes(absl::string_view bytes, absl::string_view name,
                                      const ImportOptions& options) {
  ASSIGN_OR_RETURN(onnx_import::Model model, onnx_import::ParseModel(bytes, ""));
  return onnx_import::Import(std::move(model), name, options);
}

absl::StatusOr<Graph> ImportOnnx(const std::string& path, const ImportOptions& options,
                                 Warnings* warnings) {
  ASSIGN_OR_RETURN(onnx_import::Model model, onnx_import::ReadModelFile(path));
  const std::string newer = onnx_import::NewerThanKnown(model);
  if (warnings != nullptr && !newer.empty()) warnings->Add({path}, newer);
  return Annotate(onnx_import::Import(std::move(model), Stem(path), options), path);
}

}  // namespace synap_internal
