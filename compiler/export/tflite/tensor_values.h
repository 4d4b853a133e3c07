// Tensors of a file that hold a graph's tensors, one for each type in which a tensor is read.
//
// An operator of TensorFlow Lite wants its operands in certain types: bytes of one signedness, 16
// bits beside 16 bits, the quantizer of its output, real numbers. A tensor is written in the type
// in which an operator makes it; others are made of it, when they are first asked for, by QUANTIZE
// and DEQUANTIZE. Of a constant they are made here.
#ifndef COMPILER_EXPORT_TFLITE_TENSOR_VALUES_H_
#define COMPILER_EXPORT_TFLITE_TENSOR_VALUES_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "compiler/export/tflite/model_writer.h"
#include "compiler/graph/graph.h"

namespace synap_internal::tflite_export {

// Not thread-safe.
class TensorValues {
 public:
  // Both must outlive the values. Writes the graph's inputs.
  TensorValues(const Graph& graph, ModelWriter& writer);

  // Signedness of quantized bytes between operators.
  DataType bytes() const { return bytes_; }
  // The type in which operators leave a tensor to others.
  TensorType StoredType(const TensorType& type) const;

  // The tensor's values in another data type or quantizer; `type` has the tensor's shape.
  // REQUIRES: the tensor is constant, an input of the graph, or bound.
  Value As(const Tensor* tensor, const TensorType& type);
  // A constant's data in another data type or quantizer. Unimplemented where nothing converts them.
  absl::StatusOr<Constant> ConstantAs(const Tensor& tensor, const TensorType& type) const;
  Value Stored(const Tensor* tensor) { return As(tensor, StoredType(tensor->type)); }

  // A value for an operator that makes the tensor, in type `made`, under the tensor's name where it
  // can have that. Bind follows, after the operator is written.
  Value MakeOutput(const Tensor* tensor, const TensorType& made);
  // Makes `value` the tensor's. Where it holds other real numbers than the tensor can (another
  // scale), it is rounded to the tensor's quantizer.
  void Bind(const Tensor* tensor, Value value);
  // The same for a value that was made under another name.
  void BindMade(const Tensor* tensor, Value value);
  // The same where `value` is another tensor's: a conversion makes the tensor of it in any case.
  void BindConverted(const Tensor* tensor, Value value);

  // Writes the graph's outputs.
  void AddOutputs();

 private:
  struct Form {
    TensorType type;
    Value value;
  };

  const Form* Find(const Tensor* tensor, const TensorType& type) const;
  std::string NameFor(const Tensor* tensor, const TensorType& type);
  Value AddConstant(const Tensor* tensor, const TensorType& type);
  Value AddShape(const Tensor* tensor);
  // Writes the conversion of `from`, whose last operator makes `to`.
  void Convert(Value from, Value to);
  Value Converted(const Tensor* tensor, Value from, const TensorType& type);

  const Graph& graph_;
  ModelWriter& writer_;
  DataType bytes_;
  absl::flat_hash_set<const Tensor*> outputs_;
  // The first form of a tensor is what the others are made of.
  absl::flat_hash_map<const Tensor*, std::vector<Form>> forms_;
  absl::flat_hash_set<const Tensor*> named_;  // has given its name to a value
};

}  // namespace synap_internal::tflite_export

#endif  // COMPILER_EXPORT_TFLITE_TENSOR_VALUES_H_
