#include "compiler/import/onnx/narrow_integers.h"

namespace synap_internal::onnx_import {
namespace {

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

}  // namespace

absl::StatusOr<Tensor*> Widened(NodeContext& node, Tensor* x, absl::string_view suffix) {
  return IsNarrow(x->type) ? CastTo(node, x, DataType::kInt64, suffix) : x;
}

absl::StatusOr<Tensor*> CastTo(NodeContext& node, Tensor* x, DataType type,
                               absl::string_view suffix) {
  if (x->type.dtype == type) return x;
  return node.Emit("cast", {x}, {{"to", std::string(Name(type))}}, suffix);
}

}  // namespace synap_internal::onnx_import
