#include "compiler/import/onnx/summarize_onnx.h"

#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "compiler/import/onnx/model_file.h"
#include "compiler/import/onnx/node_mapper.h"
#include "compiler/import/onnx/tensor_data.h"

namespace synap_internal {
namespace onnx_import {
namespace {

std::string DimText(const onnx::TensorShapeProto::Dimension& dim) {
  return dim.dim_value() > 0 ? absl::StrCat(dim.dim_value()) : "?";
}

std::string BorderText(const onnx::ValueInfoProto& info) {
  const auto& type = info.type().tensor_type();
  if (type.elem_type() == onnx::TensorProto::UNDEFINED) return info.name();
  std::vector<std::string> dims;
  for (const auto& dim : type.shape().dim()) dims.push_back(DimText(dim));
  const std::string shape = type.has_shape() ? absl::StrJoin(dims, "x") : "...";
  return absl::StrCat(info.name(), " ", absl::AsciiStrToLower(OnnxTypeName(type.elem_type())), "[",
                      shape, "]");
}

bool IsStandard(const onnx::NodeProto& node) {
  return node.domain().empty() || node.domain() == "ai.onnx";
}

ModelSummary Summarize(const Model& model) {
  const onnx::GraphProto& graph = model.graph();
  ModelSummary summary;
  summary.framework = absl::StrCat("ONNX, opset ", model.opset, ", IR ", model.proto->ir_version());
  if (!model.proto->producer_name().empty()) {
    absl::StrAppend(&summary.framework, ", made by ", model.proto->producer_name(), " ",
                    model.proto->producer_version());
  }
  absl::flat_hash_set<absl::string_view> constants;
  for (const onnx::TensorProto& tensor : graph.initializer()) {
    constants.insert(tensor.name());
    summary.AddParameters({tensor.dims().begin(), tensor.dims().end()},
                          static_cast<int64_t>(tensor.ByteSizeLong()));
  }
  for (const onnx::ValueInfoProto& input : graph.input()) {
    if (!constants.contains(input.name())) summary.inputs.push_back(BorderText(input));
  }
  for (const onnx::ValueInfoProto& output : graph.output()) {
    summary.outputs.push_back(BorderText(output));
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

absl::StatusOr<ModelSummary> SummarizeOnnx(const std::string& path) {
  ASSIGN_OR_RETURN(const onnx_import::Model model, onnx_import::ReadModelFile(path));
  return onnx_import::Summarize(model);
}

}  // namespace synap_internal
