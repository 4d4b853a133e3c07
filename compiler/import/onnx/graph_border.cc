#include "compiler/import/onnx/graph_border.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/nearest_name.h"
#include "base/status_macros.h"
#include "compiler/import/input_shape.h"
#include "compiler/import/onnx/tensor_data.h"

namespace synap_internal::onnx_import {
namespace {

// The names that a user may mean: inputs and node outputs.
std::vector<std::string> TensorNames(const onnx::GraphProto& graph) {
  std::vector<std::string> names;
  for (const onnx::ValueInfoProto& input : graph.input()) names.push_back(input.name());
  for (const onnx::NodeProto& node : graph.node()) {
    names.insert(names.end(), node.output().begin(), node.output().end());
  }
  return names;
}

absl::Status CheckDistinct(absl::string_view what, const std::vector<std::string>& names) {
  absl::flat_hash_set<absl::string_view> seen;
  for (const std::string& name : names) {
    if (name.empty()) return absl::InvalidArgumentError(absl::StrCat("an ", what, " has no name"));
    if (seen.insert(name).second) continue;
    return absl::InvalidArgumentError(absl::StrCat(what, " '", name, "' is listed twice"));
  }
  return absl::OkStatus();
}

// The first output of the node of that name, or "".
std::string FirstOutput(const onnx::GraphProto& graph, absl::string_view node_name) {
  for (const onnx::NodeProto& node : graph.node()) {
    if (node.name() == node_name && node.output_size() > 0) return node.output(0);
  }
  return "";
}

std::optional<OpenShape> ModelShape(const onnx::ValueInfoProto* info) {
  if (info == nullptr || !info->type().tensor_type().has_shape()) return std::nullopt;
  OpenShape shape;
  for (const auto& dim : info->type().tensor_type().shape().dim()) {
    // Some exporters write an unknown dimension as 0 or -1.
    shape.push_back(dim.dim_value() > 0 ? std::optional<int64_t>(dim.dim_value()) : std::nullopt);
  }
  return shape;
}

}  // namespace

absl::StatusOr<std::vector<std::string>> OutputNames(const onnx::GraphProto& graph,
                                                     const GraphIndex& index,
                                                     const std::vector<std::string>& wanted) {
  std::vector<std::string> names;
  for (const onnx::ValueInfoProto& output : graph.output()) {
    if (wanted.empty()) names.push_back(output.name());
  }
  for (const std::string& name : wanted) {
    names.push_back(index.HasTensor(name) ? name : FirstOutput(graph, name));
    if (!names.back().empty()) continue;
    std::vector<std::string> candidates = TensorNames(graph);
    for (const onnx::NodeProto& node : graph.node()) candidates.push_back(node.name());
    return absl::NotFoundError(absl::StrCat("output '", name,
                                            "' is neither a tensor nor a node of the model",
                                            DidYouMean(name, candidates)));
  }
  RETURN_IF_ERROR(CheckDistinct("output", names));
  for (const std::string& name : names) {
    if (index.HasTensor(name)) continue;
    return absl::InvalidArgumentError(absl::StrCat("nothing produces the output '", name, "'"));
  }
  if (names.empty()) return absl::InvalidArgumentError("has no outputs");
  return names;
}

absl::StatusOr<std::vector<ImportInput>> NamedInputs(const onnx::GraphProto& graph,
                                                     const GraphIndex& index,
                                                     std::vector<ImportInput> inputs) {
  std::vector<std::string> model_inputs;
  for (const onnx::ValueInfoProto& input : graph.input()) {
    if (!index.initializers.contains(input.name())) model_inputs.push_back(input.name());
  }
  std::vector<std::string> names;
  for (size_t i = 0; i < inputs.size(); ++i) {
    std::string& name = inputs[i].name;
    if (name.empty()) {
      if (i >= model_inputs.size()) {
        return absl::InvalidArgumentError(
            absl::StrCat("has ", model_inputs.size(), " inputs, the metafile ", inputs.size()));
      }
      name = model_inputs[i];
    } else if (!index.HasTensor(name)) {
      return absl::NotFoundError(absl::StrCat("input '", name, "' is not a tensor of the model",
                                              DidYouMean(name, TensorNames(graph))));
    }
    names.push_back(name);
  }
  RETURN_IF_ERROR(CheckDistinct("input", names));
  return inputs;
}

absl::StatusOr<TensorType> InputType(const ImportInput& input, const onnx::ValueInfoProto* info) {
  const std::string where = absl::StrCat("input '", input.name, "'");
  TensorType type;
  type.dtype = DataType::kFloat32;
  if (info != nullptr && info->has_type()) {
    if (!info->type().has_tensor_type()) {
      return absl::UnimplementedError(absl::StrCat(where, " is not a tensor"));
    }
    const int elements = info->type().tensor_type().elem_type();
    absl::StatusOr<DataType> dtype = ImportedDataType(elements);
    if (!dtype.ok()) return Annotate(dtype.status(), where);
    type.dtype = elements == onnx::TensorProto::INT32 ? DataType::kInt32 : *dtype;
  }
  absl::StatusOr<Shape> shape = ResolveInputShape(ModelShape(info), input.shape);
  if (!shape.ok()) {
    return absl::Status(shape.status().code(), absl::StrCat(where, " ", shape.status().message()));
  }
  type.shape = *std::move(shape);
  return type;
}

}  // namespace synap_internal::onnx_import
