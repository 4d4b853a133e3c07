// From the bytes of a file to a ModelProto whose header makes sense.
#ifndef COMPILER_IMPORT_ONNX_MODEL_FILE_H_
#define COMPILER_IMPORT_ONNX_MODEL_FILE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "onnx/onnx_pb.h"

namespace synap::onnx_import {

struct Model {
  std::shared_ptr<onnx::ModelProto> proto;
  int opset = 0;       // of the default domain
  std::string folder;  // where external data is; empty if there can be none

  const onnx::GraphProto& graph() const { return proto->graph(); }
};

// InvalidArgument "is not an ONNX model: <why>" for other bytes; Unimplemented
// for an opset or IR version outside of what is supported.
absl::StatusOr<Model> ParseModel(absl::string_view bytes, std::string folder);

// The same for a file, beside which its external data is. The file is read piece by piece, so
// that its bytes are in memory once. Errors begin with `path`.
absl::StatusOr<Model> ReadModelFile(const std::string& path);

}  // namespace synap::onnx_import

#endif  // COMPILER_IMPORT_ONNX_MODEL_FILE_H_
