#include "compiler/export/tflite/file_type.h"

#include <algorithm>

namespace synap_internal::tflite_export {
namespace {

constexpr int32_t kSignOffset = 128;

// Weights of uint8 that aren't symmetric around 128.
bool HasAsymmetricWeights(const Op& op) {
  if (!op.def->is_weighted_sum()) return false;
  const Tensor* w = op.input(1);
  return w != nullptr && w->type.dtype == DataType::kUint8 && w->type.quant.quantized() &&
         w->type.quant.zero_point() != kSignOffset;
}

}  // namespace

TensorType AsBytes(TensorType type, DataType bytes) {
  if (!IsQuantizedByte(type) || type.dtype == bytes) return type;
  if (type.quant.scheme == QuantScheme::kPerChannelSymmetric) return type;
  const int32_t offset = bytes == DataType::kInt8 ? -kSignOffset : kSignOffset;
  type.quant = QuantParams::Affine(type.quant.scale(), type.quant.zero_point() + offset);
  type.dtype = bytes;
  return type;
}

TensorType BorderType(TensorType type) {
  if (type.dtype == DataType::kFloat16) type.dtype = DataType::kFloat32;
  if (type.quant.scheme == QuantScheme::kDynamicFixedPoint) {
    type.quant = QuantParams::Affine(type.quant.scale(), 0);
  }
  return type;
}

TensorType Widened(const TensorType& type) {
  return {DataType::kInt16, type.shape, QuantParams::Affine(type.quant.scale(), 0)};
}

DataType BytesOf(const Graph& graph) {
  const auto& ops = graph.ops();
  if (std::any_of(ops.begin(), ops.end(), HasAsymmetricWeights)) return DataType::kUint8;
  const auto& tensors = graph.tensors();
  const bool any_int8 = std::any_of(tensors.begin(), tensors.end(), [](const Tensor& tensor) {
    return tensor.type.dtype == DataType::kInt8;
  });
  return any_int8 ? DataType::kInt8 : DataType::kUint8;
}

}  // namespace synap_internal::tflite_export
