#include "compiler/import/onnx/narrow_constant.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "compiler/import/constant_operand.h"

namespace synap_internal::onnx_import {
namespace {

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

absl::StatusOr<Tensor*> NarrowConstant(NodeContext& node, Tensor* x, int onnx_type,
                                       const NarrowConversion& conversion,
                                       absl::string_view suffix) {
  const DataType type = WideTypeOf(onnx_type);
  const bool floats = IsFloat(type);
  ASSIGN_OR_RETURN(const Tensor* wide,
                   node.Cast(x, floats ? DataType::kFloat32 : DataType::kInt64, ".wide"));
  if (!wide->is_constant()) return NotConstant("input", *x);
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
