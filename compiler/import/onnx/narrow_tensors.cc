#include "compiler/import/onnx/narrow_tensors.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/constant_operand.h"

namespace synap_internal::onnx_import {
namespace {

// The integers of a quantized x as float32: real / scale + zero point. The division is off by much
// less than half a step.
Emitted Steps(NodeContext& node, Tensor* x, absl::string_view suffix) {
  const QuantParams quant = x->type.quant;
  const auto named = [&](absl::string_view part) { return absl::StrCat(suffix, part); };
  const auto real = node.Emit("dequantize", {x}, {}, named(".real"));
  Emitted y =
      node.Emit("div", {real, node.Scalar(quant.scale(), named(".scale"))}, {}, named(".scaled"));
  y = node.Emit("round", {y}, {}, named(".steps"));
  if (quant.zero_point() == 0) return y;
  Tensor* zero = node.Scalar(static_cast<float>(quant.zero_point()), named(".zero_point"));
  return node.Emit("add", {y, zero}, {}, named(".moved"));
}

// x itself in the low bits of the type, whose range has a power of two of values.
int64_t LowBits(int64_t x, const IntegerRange& range) {
  const auto mask = static_cast<uint64_t>(range.max - range.min);
  return static_cast<int64_t>((static_cast<uint64_t>(x) - static_cast<uint64_t>(range.min)) &
                              mask) +
         range.min;
}

template <typename T>
Tensor* ToIntegers(NodeContext& node, const Tensor& x, const IntegerRange& range, bool clamps,
                   absl::string_view suffix) {
  std::vector<T> values;
  for (const int64_t value : x.values<int64_t>()) {
    values.push_back(static_cast<T>(clamps ? std::min(std::max(value, range.min), range.max)
                                           : LowBits(value, range)));
  }
  return node.Values(x.type.shape, std::move(values), suffix);
}

}  // namespace

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

Emitted Widened(NodeContext& node, Tensor* x, absl::string_view suffix) {
  if (!IsNarrow(x->type)) return x;
  if (!x->type.quant.quantized()) return node.Cast(x, DataType::kInt64, suffix);
  return node.Cast(Steps(node, x, suffix), DataType::kInt64, suffix);
}

Emitted WidenedKeys(NodeContext& node, Tensor* x, absl::string_view suffix) {
  return x->type.quant.quantized() ? x : Widened(node, x, suffix);
}

Emitted NarrowConstant(NodeContext& node, const Emitted& x, int onnx_type,
                       const NarrowConversion& conversion, absl::string_view suffix) {
  const DataType type = WideTypeOf(onnx_type);
  const bool floats = IsFloat(type);
  ASSIGN_OR_RETURN(const Tensor* wide,
                   node.Cast(x, floats ? DataType::kFloat32 : DataType::kInt64, ".wide"));
  if (!wide->is_constant()) return NotConstant("input", **x);
  RETURN_IF_ERROR(node.builder().Charge(wide->type.bytes()));
  Tensor* narrow = nullptr;
  if (floats) {
    std::vector<float> values;
    for (const float value : wide->values<float>()) {
      values.push_back(
          RoundToNarrow(onnx_type, value, conversion.saturates_floats, conversion.powers));
    }
    narrow = node.Values(wide->type.shape, std::move(values), suffix);
  } else if (type == DataType::kInt8) {
    narrow =
        ToIntegers<int8_t>(node, *wide, NarrowRange(onnx_type), conversion.clamps_integers, suffix);
  } else {
    narrow = ToIntegers<uint8_t>(node, *wide, NarrowRange(onnx_type), conversion.clamps_integers,
                                 suffix);
  }
  node.state().widened[narrow] = onnx_type;
  return narrow;
}

}  // namespace synap_internal::onnx_import
