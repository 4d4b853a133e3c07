// Collects the tensors and operators of a TensorFlow Lite model, and writes the file.
#ifndef COMPILER_EXPORT_TFLITE_MODEL_WRITER_H_
#define COMPILER_EXPORT_TFLITE_MODEL_WRITER_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/tensor_type.h"
#include "compiler/export/tflite/operator_options.h"
#include "compiler/graph/graph.h"
#include "compiler/import/tflite/model_generated.h"

namespace synap_internal::tflite_export {

// Index of a tensor in the file.
using Value = int32_t;
inline constexpr Value kAbsent = -1;  // as an operand

// The file's type of the same elements. REQUIRES: not kInvalid.
tflite::TensorType FileType(DataType type);

// Not thread-safe.
class ModelWriter {
 public:
  // Keeps a tensor's name for one that the caller will add.
  void Reserve(const std::string& name) { names_.try_emplace(name, 0); }
  // A name that no tensor has: `base`, or `base` with a number after it.
  std::string UniqueName(const std::string& base);

  // `name`: a reserved one. `data`: dense, of type.bytes() bytes.
  Value AddTensor(const std::string& name, TensorType type);
  Value AddConstant(const std::string& name, TensorType type, Constant data);
  // `name`: a reserved one.
  void Rename(Value value, std::string name) { tensors_[Index(value)].name = std::move(name); }
  // Valid until a tensor is added.
  const TensorType& type(Value value) const { return tensors_[Index(value)].type; }

  void AddOperator(tflite::BuiltinOperator code, std::vector<Value> inputs,
                   std::vector<Value> outputs, Options options);
  // Of the network, with the names by which a caller of its signature knows them.
  void AddInput(Value value) { inputs_.push_back(value); }
  void AddOutput(Value value) { outputs_.push_back(value); }

  // The bytes of the file. ResourceExhausted for one of 2 GiB or more, and for a dimension that
  // has no number in it.
  absl::StatusOr<std::string> Finish(const std::string& graph_name) const;

 private:
  struct FileTensor {
    std::string name;
    TensorType type;
    Constant data;  // empty: none
    bool is_constant = false;
  };
  struct FileOperator {
    size_t code = 0;  // index in codes_
    std::vector<Value> inputs, outputs;
    Options options;
  };
  using Code = std::pair<tflite::BuiltinOperator, int32_t>;  // and version

  absl::Status CheckSizes() const;
  static size_t Index(Value value) { return static_cast<size_t>(value); }
  size_t CodeOf(tflite::BuiltinOperator code, const std::vector<Value>& inputs,
                const std::vector<Value>& outputs);
  flatbuffers::Offset<tflite::SubGraph> WriteGraph(const std::string& name,
                                                   FileBuilder& builder) const;
  flatbuffers::Offset<tflite::SignatureDef> WriteSignature(FileBuilder& builder) const;

  std::vector<FileTensor> tensors_;
  std::vector<FileOperator> operators_;
  std::vector<Code> codes_;
  std::vector<Value> inputs_, outputs_;
  absl::flat_hash_map<std::string, int> names_;  // -> the last number appended to it
};

}  // namespace synap_internal::tflite_export

#endif  // COMPILER_EXPORT_TFLITE_MODEL_WRITER_H_
