#include "compiler/export/tflite/operator_version.h"

#include <algorithm>
#include <iterator>

namespace synap_internal::tflite_export {
namespace {

using tflite::BuiltinOperator;

// Versions by the type of the operand that carries the data; 0: that of `base`.
struct VersionRow {
  BuiltinOperator code;
  int32_t base = 1;
  int32_t int8 = 0;
  int32_t int16 = 0;
  int32_t int64 = 0;
  // By rank, if it is larger than 4: the larger of this and the one by type.
  int32_t many_dimensions = 0;
};

constexpr VersionRow kVersionRows[] = {
    {BuiltinOperator::ABS, 1, 2, 3, 0, 0},
    {BuiltinOperator::ADD, 1, 2, 3, 4, 0},
    {BuiltinOperator::ARG_MAX, 1, 2, 0, 0, 0},
    {BuiltinOperator::AVERAGE_POOL_2D, 1, 2, 3, 0, 0},
    {BuiltinOperator::BATCH_MATMUL, 1, 2, 3, 0, 0},
    {BuiltinOperator::BROADCAST_TO, 2, 3, 3, 0, 0},
    {BuiltinOperator::CONCATENATION, 1, 2, 3, 0, 0},
    {BuiltinOperator::CONV_2D, 1, 3, 4, 0, 0},
    {BuiltinOperator::DEPTHWISE_CONV_2D, 2, 3, 5, 0, 0},
    {BuiltinOperator::DEQUANTIZE, 1, 2, 3, 0, 0},
    {BuiltinOperator::DIV, 1, 0, 0, 0, 2},
    {BuiltinOperator::EQUAL, 1, 2, 4, 0, 0},
    {BuiltinOperator::EXP, 1, 2, 2, 0, 0},
    {BuiltinOperator::FLOOR_MOD, 1, 2, 2, 0, 0},
    {BuiltinOperator::FULLY_CONNECTED, 5, 5, 7, 0, 0},
    {BuiltinOperator::GATHER, 1, 2, 4, 0, 0},
    {BuiltinOperator::GELU, 1, 2, 0, 0, 0},
    {BuiltinOperator::GREATER, 1, 2, 0, 0, 0},
    {BuiltinOperator::LEAKY_RELU, 1, 0, 2, 0, 0},
    {BuiltinOperator::LESS, 1, 2, 3, 0, 0},
    {BuiltinOperator::LOG, 1, 2, 2, 0, 0},
    {BuiltinOperator::LOGISTIC, 1, 2, 3, 0, 0},
    {BuiltinOperator::LOG_SOFTMAX, 1, 2, 0, 0, 0},
    {BuiltinOperator::MAXIMUM, 1, 2, 4, 0, 3},
    {BuiltinOperator::MAX_POOL_2D, 1, 2, 3, 0, 0},
    {BuiltinOperator::MEAN, 1, 2, 3, 0, 0},
    {BuiltinOperator::MINIMUM, 1, 2, 4, 0, 3},
    {BuiltinOperator::MIRROR_PAD, 1, 2, 3, 0, 0},
    {BuiltinOperator::MUL, 3, 3, 4, 5, 0},
    {BuiltinOperator::PAD, 1, 2, 3, 0, 4},
    {BuiltinOperator::PADV2, 1, 2, 3, 0, 4},
    {BuiltinOperator::REDUCE_MAX, 1, 2, 3, 0, 0},
    {BuiltinOperator::REDUCE_MIN, 1, 2, 3, 0, 0},
    {BuiltinOperator::REDUCE_PROD, 1, 2, 2, 0, 0},
    {BuiltinOperator::RELU, 1, 2, 3, 0, 0},
    {BuiltinOperator::RELU6, 1, 2, 3, 0, 0},
    {BuiltinOperator::RESIZE_BILINEAR, 3, 3, 4, 0, 0},
    {BuiltinOperator::RESIZE_NEAREST_NEIGHBOR, 3, 3, 4, 0, 0},
    {BuiltinOperator::RSQRT, 1, 2, 3, 0, 0},
    {BuiltinOperator::SLICE, 1, 2, 4, 0, 5},
    {BuiltinOperator::SOFTMAX, 1, 2, 3, 0, 0},
    {BuiltinOperator::STRIDED_SLICE, 1, 2, 0, 0, 4},
    {BuiltinOperator::SUB, 1, 2, 5, 4, 3},
    {BuiltinOperator::SUM, 1, 2, 0, 0, 0},
    {BuiltinOperator::TANH, 1, 2, 3, 0, 0},
    {BuiltinOperator::TOPK_V2, 1, 2, 3, 0, 0},
    {BuiltinOperator::TRANSPOSE, 1, 2, 5, 0, 4},
    {BuiltinOperator::TRANSPOSE_CONV, 4, 4, 4, 0, 0},
};

int32_t VersionByType(const VersionRow& row, DataType type) {
  int32_t version = 0;
  if (type == DataType::kInt8) version = row.int8;
  if (type == DataType::kInt16) version = row.int16;
  if (type == DataType::kInt64) version = row.int64;
  return version == 0 ? row.base : version;
}

bool Has(const std::vector<TensorType>& types, DataType type) {
  return std::any_of(types.begin(), types.end(),
                     [&](const TensorType& t) { return t.dtype == type; });
}

bool IsCastOf(const OperatorTypes& types, DataType type) {
  return Has(types.inputs, type) || Has(types.outputs, type);
}

// CAST counts its output's type, too.
int32_t CastVersion(const OperatorTypes& types) {
  if (IsCastOf(types, DataType::kFloat16)) return 5;
  if (IsCastOf(types, DataType::kUint16)) return 4;
  if (IsCastOf(types, DataType::kInt8)) return 3;
  return IsCastOf(types, DataType::kUint32) ? 2 : 1;
}

bool IsGrouped(const OperatorTypes& types) {
  return types.inputs[0].shape.back() != types.inputs[1].shape.back();
}

}  // namespace

int32_t VersionOf(BuiltinOperator code, const OperatorTypes& types) {
  if (code == BuiltinOperator::CAST) return CastVersion(types);
  if (code == BuiltinOperator::CONV_2D && IsGrouped(types)) return 6;
  if (code == BuiltinOperator::QUANTIZE) return Has(types.outputs, DataType::kInt16) ? 2 : 1;
  if (code == BuiltinOperator::DEQUANTIZE && Has(types.inputs, DataType::kFloat16)) return 3;
  const auto* row = std::find_if(std::begin(kVersionRows), std::end(kVersionRows),
                                 [&](const VersionRow& r) { return r.code == code; });
  if (row == std::end(kVersionRows) || types.inputs.empty()) return 1;
  // That of TRANSPOSE_CONV's image follows its output shape and weights.
  const size_t data = code == BuiltinOperator::TRANSPOSE_CONV ? 2 : 0;
  const TensorType& x = types.inputs[std::min(data, types.inputs.size() - 1)];
  const int32_t version = VersionByType(*row, x.dtype);
  return x.shape.rank() > 4 ? std::max(version, row->many_dimensions) : version;
}

}  // namespace synap_internal::tflite_export
