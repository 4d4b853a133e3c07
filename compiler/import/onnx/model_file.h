// ONNX model files: their bytes as a ModelProto, and the files beside them that hold data.
#ifndef COMPILER_IMPORT_ONNX_MODEL_FILE_H_
#define COMPILER_IMPORT_ONNX_MODEL_FILE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "onnx/onnx_pb.h"

namespace synap_internal::onnx_import {

// The changes of all operators up to this version are known: mapping functions tell them apart by
// NodeContext::opset(). Later ones are read as this one's, with a warning (NewerThanKnown): a file
// doesn't say which operators its version changed. Attributes, operands and data types that a
// mapping doesn't know are refused in any version.
inline constexpr int kNewestOpset = 28;
inline constexpr int kNewestIrVersion = 14;

struct Model {
  std::shared_ptr<onnx::ModelProto> proto;
  int opset = 0;       // of the default domain
  std::string folder;  // where external data is; empty if there can be none
  // The folder of the file itself where the model's path is a link, else as `folder`.
  std::string linked_folder;

  const onnx::GraphProto& graph() const { return proto->graph(); }
};

// InvalidArgument "is not an ONNX model: <why>" for other bytes; Unimplemented
// for an IR version before 3.
absl::StatusOr<Model> ParseModel(absl::string_view bytes, std::string folder);

// "opset 40 is newer ..." for a model that is newer than what is known here, else empty.
std::string NewerThanKnown(const Model& model);

// The same for a file, beside which its external data is. The file is read piece by piece, so
// that its bytes are in memory once. Errors begin with `path`.
absl::StatusOr<Model> ReadModelFile(const std::string& path);

// Path of the file with external data that a tensor of the model names. InvalidArgument for names
// that lead out of the model's folder, and for links to files that are below neither this folder
// nor, where the model is a link itself, that of its file. REQUIRES: the model has a folder.
absl::StatusOr<std::string> ExternalDataPath(const Model& model, const std::string& location);

// Paths of the external data of all tensors in the model, those of subgraphs, functions and sparse
// tensors among them; sorted, each once, whether or not there is such a file. Errors as ImportOnnx.
absl::StatusOr<std::vector<std::string>> ExternalDataFiles(const std::string& path);

}  // namespace synap_internal::onnx_import

#endif  // COMPILER_IMPORT_ONNX_MODEL_FILE_H_
