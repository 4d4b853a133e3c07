#include "compiler/import/onnx/external_data_files.h"

#include <set>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/import/onnx/model_file.h"
#include "compiler/import/unreadable_file.h"

namespace synap_internal {
namespace {

// The key of an external tensor's file in its TensorProto (onnx.proto, external_data).
constexpr absl::string_view kLocation = "location";

// Visits all tensors of a model. Protobuf limits how deep messages are nested.
class LocationCollector {
 public:
  void Visit(const onnx::GraphProto& graph) {
    for (const onnx::TensorProto& tensor : graph.initializer()) Visit(tensor);
    for (const onnx::SparseTensorProto& tensor : graph.sparse_initializer()) Visit(tensor);
    for (const onnx::NodeProto& node : graph.node()) Visit(node);
  }
  void Visit(const onnx::NodeProto& node) {
    for (const onnx::AttributeProto& attribute : node.attribute()) Visit(attribute);
  }

  const std::set<std::string>& locations() const { return locations_; }

 private:
  void Visit(const onnx::TensorProto& tensor) {
    if (tensor.data_location() != onnx::TensorProto::EXTERNAL) return;
    for (const onnx::StringStringEntryProto& entry : tensor.external_data()) {
      if (entry.key() == kLocation) locations_.insert(entry.value());
    }
  }
  void Visit(const onnx::SparseTensorProto& tensor) {
    Visit(tensor.values());
    Visit(tensor.indices());
  }
  void Visit(const onnx::AttributeProto& attribute) {
    if (attribute.has_t()) Visit(attribute.t());
    if (attribute.has_g()) Visit(attribute.g());
    if (attribute.has_sparse_tensor()) Visit(attribute.sparse_tensor());
    for (const onnx::TensorProto& tensor : attribute.tensors()) Visit(tensor);
    for (const onnx::GraphProto& graph : attribute.graphs()) Visit(graph);
    for (const onnx::SparseTensorProto& tensor : attribute.sparse_tensors()) Visit(tensor);
  }

  std::set<std::string> locations_;
};

// Whether the key stands anywhere in the file: only then it is parsed.
absl::StatusOr<bool> MayHaveLocations(const std::string& path) {
  ASSIGN_OR_RETURN(const MappedFile file, MappedFile::Open(path));
  return absl::StrContains(BytesOf(file), kLocation);
}

}  // namespace

absl::StatusOr<std::vector<std::string>> ExternalDataFiles(const std::string& path) {
  ASSIGN_OR_RETURN(const bool may_have_locations, MayHaveLocations(path));
  if (!may_have_locations) return std::vector<std::string>();
  ASSIGN_OR_RETURN(const onnx_import::Model model, onnx_import::ReadModelFile(path));
  LocationCollector collector;
  collector.Visit(model.graph());
  for (const onnx::FunctionProto& function : model.proto->functions()) {
    for (const onnx::NodeProto& node : function.node()) collector.Visit(node);
  }
  std::vector<std::string> files;
  for (const std::string& location : collector.locations()) {
    ASSIGN_OR_RETURN(files.emplace_back(), ExternalDataPath(model, location));
  }
  return files;
}

}  // namespace synap_internal
