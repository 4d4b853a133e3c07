#include "compiler/import/onnx/model_file.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/import/onnx/graph_index.h"
#include "compiler/import/onnx/model_functions.h"
#include "compiler/import/unreadable_file.h"

namespace synap_internal::onnx_import {
namespace {

constexpr int64_t kMinIrVersion = 3;

absl::Status NotOnnx(absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat("is not an ONNX model: ", why));
}

// Whether the model imports other domains, and has nodes of them alone.
bool IsOfOtherDomains(const onnx::ModelProto& proto) {
  for (const onnx::NodeProto& node : proto.graph().node()) {
    if (IsStandard(node)) return false;
  }
  return proto.opset_import_size() > 0 && proto.graph().node_size() > 0;
}

absl::StatusOr<int> DefaultOpset(const onnx::ModelProto& proto) {
  int64_t opset = 0;
  for (const onnx::OperatorSetIdProto& set : proto.opset_import()) {
    if (!set.domain().empty() && set.domain() != "ai.onnx") continue;
    if (opset != 0 && set.version() != opset) {
      return absl::InvalidArgumentError(
          absl::StrCat("imports the default opset twice, as ", opset, " and ", set.version()));
    }
    opset = set.version();
  }
  if (opset == 0 && IsOfOtherDomains(proto)) return kNewestOpset;
  if (opset == 0) return NotOnnx("it imports no version of the default opset");
  if (opset < 1 || opset > std::numeric_limits<int>::max()) {
    return NotOnnx(absl::StrCat("its opset is ", opset, ", expected 1 or more"));
  }
  return static_cast<int>(opset);
}

absl::Status CheckReadable(absl::string_view bytes) {
  if (const absl::string_view why = WhyUnreadable(bytes); !why.empty()) return NotOnnx(why);
  if (bytes.size() > static_cast<size_t>(std::numeric_limits<int>::max())) {
    return NotOnnx("it has more than 2 GiB; larger models keep their weights in external data");
  }
  return absl::OkStatus();
}

absl::StatusOr<Model> CheckedModel(std::shared_ptr<onnx::ModelProto> proto, std::string folder,
                                   std::string linked_folder) {
  if (!proto->has_ir_version()) return NotOnnx("it has no IR version");
  if (!proto->has_graph()) return NotOnnx("it has no graph");
  if (proto->ir_version() < kMinIrVersion) {
    return absl::UnimplementedError(absl::StrCat("has IR version ", proto->ir_version(),
                                                 ", expected ", kMinIrVersion, " or more"));
  }
  Model model;
  ASSIGN_OR_RETURN(model.opset, DefaultOpset(*proto));
  RETURN_IF_ERROR(InlineFunctions(*proto));
  model.proto = std::move(proto);
  model.folder = std::move(folder);
  model.linked_folder = std::move(linked_folder);
  return model;
}

// Refuses what would leave the model's folder, and what the system would read as a shorter name.
absl::Status CheckLocation(absl::string_view location) {
  const bool absolute = absl::StartsWith(location, "/");
  const bool has_zero = absl::StrContains(location, '\0');
  for (absl::string_view part : absl::StrSplit(location, absl::ByAnyChar("/\\"))) {
    if (part == ".." || absolute || has_zero || location.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("external data location '", location, "' is not below the model's folder"));
    }
  }
  return absl::OkStatus();
}

// The path without links; empty if there is no such file.
std::filesystem::path WithoutLinks(const std::string& path) {
  std::error_code error;
  const std::filesystem::path canonical = std::filesystem::canonical(path, error);
  return error ? std::filesystem::path() : canonical;
}

bool IsBelow(const std::filesystem::path& file, const std::string& folder) {
  const std::filesystem::path real = WithoutLinks(folder);
  return !real.empty() &&
         std::mismatch(real.begin(), real.end(), file.begin(), file.end()).first == real.end();
}

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

constexpr char kDamaged[] = "it is truncated or something else";

}  // namespace

absl::StatusOr<Model> ParseModel(absl::string_view bytes, std::string folder) {
  RETURN_IF_ERROR(CheckReadable(bytes));
  auto proto = std::make_shared<onnx::ModelProto>();
  if (!proto->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return NotOnnx(kDamaged);
  }
  std::string linked_folder = folder;
  return CheckedModel(std::move(proto), std::move(folder), std::move(linked_folder));
}

std::string NewerThanKnown(const Model& model) {
  const int64_t ir_version = model.proto->ir_version();
  if (model.opset > kNewestOpset) {
    return absl::StrCat("opset ", model.opset, " is newer than the newest known, ", kNewestOpset,
                        ": operators that later ones changed are read as those of ", kNewestOpset,
                        "; export it with opset ", kNewestOpset,
                        " or compare its results with those of its framework");
  }
  if (ir_version > kNewestIrVersion) {
    return absl::StrCat("IR version ", ir_version, " is newer than the newest known, ",
                        kNewestIrVersion,
                        ": what later ones added to the file is left out; compare its results "
                        "with those of its framework");
  }
  return "";
}

absl::StatusOr<Model> ReadModelFile(const std::string& path) {
  {
    ASSIGN_OR_RETURN(const MappedFile file, MappedFile::Open(path));
    RETURN_IF_ERROR(Annotate(CheckReadable(BytesOf(file)), path));
  }
  // Parsed from the mapping, all of its pages would count beside what they are parsed to.
  std::ifstream file(path, std::ios::binary);
  auto proto = std::make_shared<onnx::ModelProto>();
  if (!proto->ParseFromIstream(&file)) return Annotate(NotOnnx(kDamaged), path);
  const std::string linked_folder = WithoutLinks(path).parent_path().string();
  return Annotate(CheckedModel(std::move(proto), Dirname(path), linked_folder), path);
}

absl::StatusOr<std::string> ExternalDataPath(const Model& model, const std::string& location) {
  RETURN_IF_ERROR(CheckLocation(location));
  const std::string path = JoinPath(model.folder, location);
  const std::filesystem::path file = WithoutLinks(path);
  // The files of a build's sandbox, and of stores of models, are links to files side by side.
  if (file.empty() || IsBelow(file, model.folder) || IsBelow(file, model.linked_folder))
    return path;
  return absl::InvalidArgumentError(
      absl::StrCat("external data location '", location, "' is a link to '", file.string(),
                   "', which is not below the model's folder; copy the file there"));
}

absl::StatusOr<std::vector<std::string>> ExternalDataFiles(const std::string& path) {
  ASSIGN_OR_RETURN(const bool may_have_locations, MayHaveLocations(path));
  if (!may_have_locations) return std::vector<std::string>();
  ASSIGN_OR_RETURN(const Model model, ReadModelFile(path));
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

}  // namespace synap_internal::onnx_import
