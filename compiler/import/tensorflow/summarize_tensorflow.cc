#include "compiler/import/tensorflow/summarize_tensorflow.h"

#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/import/tensorflow/graph_file.h"
#include "compiler/import/tensorflow/op_table.h"

namespace synap_internal {
namespace tensorflow_import {
namespace {

const tensorflow::AttrValue* Attribute(const tensorflow::NodeDef& node, const char* name) {
  const auto it = node.attr().find(name);
  return it == node.attr().end() ? nullptr : &it->second;
}

// A shape of no dimensions is what old graphs write for an unknown one.
std::string PlaceholderText(const tensorflow::NodeDef& node) {
  std::string type;
  if (const auto* dtype = Attribute(node, "dtype")) {
    const std::string& name = tensorflow::DataType_Name(dtype->type());
    type = absl::AsciiStrToLower(absl::StripPrefix(name, "DT_"));
  }
  std::vector<std::string> dims;
  if (const auto* shape = Attribute(node, "shape")) {
    for (const auto& dim : shape->shape().dim()) {
      dims.push_back(dim.size() < 0 ? "?" : absl::StrCat(dim.size()));
    }
  }
  return absl::StrCat(node.name(), " ", type, "[", dims.empty() ? "..." : absl::StrJoin(dims, "x"),
                      "]");
}

std::vector<int64_t> DimsOf(const tensorflow::TensorProto& tensor) {
  std::vector<int64_t> dims;
  for (const auto& dim : tensor.tensor_shape().dim()) dims.push_back(dim.size());
  return dims;
}

ModelSummary Summarize(const GraphFile& file) {
  ModelSummary summary;
  summary.framework = "TensorFlow, frozen graph";
  std::vector<bool> read(file.nodes.size(), false);
  for (const Node& node : file.nodes) {
    for (const Value& input : node.inputs) read[input.node] = true;
    for (const size_t before : node.after) read[before] = true;
  }
  for (size_t i = 0; i < file.nodes.size(); ++i) {
    const tensorflow::NodeDef& node = file.def(i);
    const bool placeholder = node.op() == "Placeholder";
    summary.Count(node.op(), placeholder || FindMapping(node.op()) != nullptr);
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

absl::StatusOr<ModelSummary> SummarizeTensorflow(const std::string& path) {
  ASSIGN_OR_RETURN(const MappedFile mapped, MappedFile::Open(path));
  const auto file = tensorflow_import::ParseGraph(
      {reinterpret_cast<const char*>(mapped.bytes().data()), mapped.bytes().size()});
  if (!file.ok()) return Annotate(file.status(), path);
  return tensorflow_import::Summarize(*file);
}

}  // namespace synap_internal
