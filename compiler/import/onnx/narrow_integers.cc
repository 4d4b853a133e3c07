#include "compiler/import/onnx/narrow_integers.h"

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace synap_internal::onnx_import {

bool IsNarrow(const TensorType& type) {
  switch (type.dtype) {
    case DataType::kInt8:
    case DataType::kUint8:
    case DataType::kInt16:
    case DataType::kUint16:
    case DataType::kUint32:
      return true;
    default:
      return false;
  }
}

namespace {

// The integers of a quantized x as float32: real / scale + zero point. The division is off by much
// less than half a step.
absl::StatusOr<Tensor*> Steps(NodeContext& node, Tensor* x, absl::string_view suffix) {
  const QuantParams quant = x->type.quant;
  const auto named = [&](absl::string_view part) { return absl::StrCat(suffix, part); };
  const auto real = node.Emit("dequantize", {x}, {}, named(".real"));
  ASSIGN_OR_RETURN(Tensor * y, node.Emit("div", {real, node.Scalar(quant.scale(), named(".scale"))},
                                         {}, named(".scaled")));
  ASSIGN_OR_RETURN(y, node.Emit("round", {y}, {}, named(".steps")));
  if (quant.zero_point() == 0) return y;
  Tensor* zero = node.Scalar(static_cast<float>(quant.zero_point()), named(".zero_point"));
  return node.Emit("add", {y, zero}, {}, named(".moved"));
}

}  // namespace

absl::StatusOr<Tensor*> Widened(NodeContext& node, Tensor* x, absl::string_view suffix) {
  if (!IsNarrow(x->type)) return x;
  if (!x->type.quant.quantized()) return node.Cast(x, DataType::kInt64, suffix);
  return node.Cast(Steps(node, x, suffix), DataType::kInt64, suffix);
}

absl::StatusOr<Tensor*> WidenedKeys(NodeContext& node, Tensor* x, absl::string_view suffix) {
  return x->type.quant.quantized() ? x : Widened(node, x, suffix);
}

}  // namespace synap_internal::onnx_import
