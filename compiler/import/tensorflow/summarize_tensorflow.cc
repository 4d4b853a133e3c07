#include <string>
#include <vector>

#include "absl/strings/strip.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/import/tensorflow/graph_file.h"
#include "compiler/import/tensorflow/import_tensorflow.h"
#include "compiler/import/tensorflow/model_part.h"
#include "compiler/import/tensorflow/op_table.h"
#include "compiler/import/unreadable_file.h"

namespace synap_internal {
namespace tensorflow_import {
namespace {

const tensorflow::AttrValue* Attribute(const tensorflow::NodeDef& node, const char* name) {
  const auto it = node.attr().find(name);
  return it == node.attr().end() ? nullptr : &it->second;
}

std::string PlaceholderText(const tensorflow::NodeDef& node) {
  std::string type;
  if (const auto* dtype = Attribute(node, "dtype")) {
    type = std::string(absl::StripPrefix(tensorflow::DataType_Name(dtype->type()), "DT_"));
  }
  return InputOutputText(node.name(), type, PlaceholderShape(node));
}

std::vector<int64_t> DimsOf(const tensorflow::TensorProto& tensor) {
  std::vector<int64_t> dims;
  for (const auto& dim : tensor.tensor_shape().dim()) dims.push_back(dim.size());
  return dims;
}

ModelSummary Summarize(const GraphFile& file) {
  ModelSummary summary;
  summary.framework = "TensorFlow, frozen graph";
  summary.metadata.producer = "TensorFlow";
  const std::vector<bool> read = ReadNodes(file);
  for (size_t i = 0; i < file.nodes.size(); ++i) {
    const tensorflow::NodeDef& node = file.def(i);
    const bool placeholder = node.op() == "Placeholder";
    summary.Count(node.op(), placeholder || Operators().Find(node.op()) != nullptr);
    if (placeholder) summary.inputs.push_back(PlaceholderText(node));
    if (!read[i] && !placeholder) summary.outputs.push_back(node.name());
    const auto* value = node.op() == "Const" ? Attribute(node, "value") : nullptr;
    if (value == nullptr) continue;
    summary.AddParameters(DimsOf(value->tensor()),
                          static_cast<int64_t>(value->tensor().ByteSizeLong()));
  }
  return summary;
}

}  // namespace
}  // namespace tensorflow_import

absl::StatusOr<ModelSummary> SummarizeTensorflow(const ModelFiles& files) {
  ASSIGN_OR_RETURN(const MappedFile mapped, MappedFile::Open(files.model));
  const auto file = tensorflow_import::ParseGraph(BytesOf(mapped));
  if (!file.ok()) return Annotate(file.status(), files.model);
  return tensorflow_import::Summarize(*file);
}

}  // namespace synap_internal
