#include <string>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/onnx/graph_index.h"
#include "compiler/import/onnx/import_onnx.h"
#include "compiler/import/onnx/inputs_outputs.h"
#include "compiler/import/onnx/model_file.h"
#include "compiler/import/onnx/op_table.h"
#include "compiler/import/onnx/tensor_data.h"

namespace synap_internal {
namespace onnx_import {
namespace {

std::string TextOf(const onnx::ValueInfoProto& info) {
  const auto& type = info.type().tensor_type();
  if (type.elem_type() == onnx::TensorProto::UNDEFINED) return info.name();
  return InputOutputText(info.name(), OnnxTypeName(type.elem_type()), ModelShape(info));
}

ModelSummary Summarize(const Model& model) {
  const onnx::GraphProto& graph = model.graph();
  ModelSummary summary;
  summary.framework = absl::StrCat("ONNX, opset ", model.opset, ", IR ", model.proto->ir_version());
  if (!model.proto->producer_name().empty()) {
    absl::StrAppend(&summary.framework, ", made by ", model.proto->producer_name(), " ",
                    model.proto->producer_version());
  }
  summary.metadata.producer =
      absl::StrCat(model.proto->producer_name(), " ", model.proto->producer_version());
  for (const onnx::StringStringEntryProto& property : model.proto->metadata_props()) {
    summary.metadata.properties.emplace(property.key(), property.value());
  }
  absl::flat_hash_set<absl::string_view> constants;
  for (const onnx::TensorProto& tensor : graph.initializer()) {
    constants.insert(tensor.name());
    summary.AddParameters({tensor.dims().begin(), tensor.dims().end()},
                          static_cast<int64_t>(tensor.ByteSizeLong()));
  }
  for (const onnx::ValueInfoProto& input : graph.input()) {
    if (!constants.contains(input.name())) summary.inputs.push_back(TextOf(input));
  }
  for (const onnx::ValueInfoProto& output : graph.output()) {
    summary.outputs.push_back(TextOf(output));
  }
  for (const onnx::NodeProto& node : graph.node()) {
    summary.Count(
        IsStandard(node) ? node.op_type() : absl::StrCat(node.domain(), ".", node.op_type()),
        MappingOf(node) != nullptr);
  }
  return summary;
}

}  // namespace
}  // namespace onnx_import

absl::StatusOr<ModelSummary> SummarizeOnnxBytes(absl::string_view bytes) {
  ASSIGN_OR_RETURN(const onnx_import::Model model, onnx_import::ParseModel(bytes, ""));
  return onnx_import::Summarize(model);
}

absl::StatusOr<ModelSummary> SummarizeOnnx(const ModelFiles& files) {
  ASSIGN_OR_RETURN(const onnx_import::Model model, onnx_import::ReadModelFile(files.model));
  return onnx_import::Summarize(model);
}

}  // namespace synap_internal
