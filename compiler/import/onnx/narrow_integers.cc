#include "compiler/import/onnx/narrow_integers.h"

namespace synap_internal::onnx_import {

bool IsNarrow(const TensorType& type) {
  switch (type.dtype) {
    case DataType::kInt8:
    case DataType::kUint8:
    case DataType::kInt16:
    case DataType::kUint16:
    case DataType::kUint32:
      return !type.quant.quantized();
    default:
      return false;
  }
}

absl::StatusOr<Tensor*> Widened(NodeContext& node, Tensor* x, absl::string_view suffix) {
  return IsNarrow(x->type) ? node.Cast(x, DataType::kInt64, suffix) : x;
}

}  // namespace synap_internal::onnx_import
