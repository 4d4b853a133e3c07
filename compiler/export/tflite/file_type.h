// Types that tensors of a graph have in a TensorFlow Lite file.
#ifndef COMPILER_EXPORT_TFLITE_FILE_TYPE_H_
#define COMPILER_EXPORT_TFLITE_FILE_TYPE_H_

#include "base/tensor_type.h"
#include "compiler/graph/graph.h"

namespace synap_internal::tflite_export {

// Of 8 bits, quantized or not.
constexpr bool IsByte(DataType type) { return type == DataType::kInt8 || type == DataType::kUint8; }

// Whether quantized integers are of 8 bits.
inline bool IsQuantizedByte(const TensorType& type) {
  return type.quant.quantized() && IsByte(type.dtype);
}

// The same real numbers as bytes of the other signedness: zero points are 128 apart. Other types,
// those with a scale for each channel, and bytes that are `bytes` already, stay as they are.
TensorType AsBytes(TensorType type, DataType bytes);

// The same type with an affine quantizer in place of fixed point, and float32 in place of float16:
// a file knows no other, and runtimes compute in no other.
TensorType BorderType(TensorType type);

// Integers of 16 bits that hold each value of `type`, of 8 bits, exactly: the same scale.
TensorType Widened(const TensorType& type);

// The signedness in which a file of the graph holds bytes that are quantized: uint8 where weights
// have another zero point than 128, which int8 weights can't say, or where the graph has no int8;
// else int8.
DataType BytesOf(const Graph& graph);

}  // namespace synap_internal::tflite_export

#endif  // COMPILER_EXPORT_TFLITE_FILE_TYPE_H_
