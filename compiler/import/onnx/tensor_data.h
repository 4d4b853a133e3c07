// Reader of ONNX tensors, inside of the model or in files beside it.
#ifndef COMPILER_IMPORT_ONNX_TENSOR_DATA_H_
#define COMPILER_IMPORT_ONNX_TENSOR_DATA_H_

#include <map>
#include <memory>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/file.h"
#include "compiler/graph/graph.h"
#include "compiler/import/onnx/model_file.h"
#include "compiler/import/stored_elements.h"

namespace synap_internal::onnx_import {

// The data type of the graph for ONNX's `onnx_type`: float32 for all
// floats, int64 for int32 and uint64, else the same. Unimplemented for strings,
// complex numbers and the types of narrow_types.h.
absl::StatusOr<DataType> ImportedDataType(int onnx_type);

// "FLOAT16"; the number for an unknown type.
std::string OnnxTypeName(int onnx_type);

// Not thread-safe.
class TensorReader {
 public:
  // Takes the large weights out of the graph's initializers.
  explicit TensorReader(Model model);

  // `tensor` belongs to the model, which the result keeps alive where it refers
  // to its bytes. An initializer of the graph with large raw_data is read once and belongs to the
  // result alone, so that it goes when that does. InvalidArgument if data and dimensions don't
  // agree, or if external data isn't where it is said to be, within the model's folder.
  absl::StatusOr<TensorData> Read(const onnx::TensorProto& tensor);
  // The same also of the types of narrow_types.h.
  absl::StatusOr<TensorData> ReadWeights(const onnx::TensorProto& tensor);

 private:
  // `type`: null for those of narrow_types.h.
  absl::StatusOr<Constant> RawBytes(const onnx::TensorProto& tensor, const StoredType* type);
  absl::StatusOr<Constant> ExternalBytes(const onnx::TensorProto& tensor);
  absl::StatusOr<std::shared_ptr<const MappedFile>> Map(const std::string& location);

  Model model_;
  absl::flat_hash_map<const onnx::TensorProto*, std::shared_ptr<const std::string>> large_;
  std::map<std::string, std::shared_ptr<const MappedFile>> files_;
};

}  // namespace synap_internal::onnx_import

#endif  // COMPILER_IMPORT_ONNX_TENSOR_DATA_H_
