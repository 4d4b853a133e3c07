#include "compiler/export/tflite/operator_options.h"

#include <cstdint>
#include <vector>

namespace synap_internal::tflite_export {
namespace {

using tflite::BuiltinOperator;

template <typename T>
OptionsUnion WriteEmpty(FileBuilder& builder) {
  typename T::Builder table(builder);
  return AsUnion(table.Finish());
}

struct OptionsRow {
  BuiltinOperator code;
  OptionsUnion (*write)(FileBuilder& builder);
};

constexpr OptionsRow kOptionsRows[] = {
    {BuiltinOperator::ABS, WriteEmpty<tflite::AbsOptions>},
    {BuiltinOperator::ADD, WriteEmpty<tflite::AddOptions>},
    {BuiltinOperator::BATCH_MATMUL, WriteEmpty<tflite::BatchMatMulOptions>},
    {BuiltinOperator::BROADCAST_TO, WriteEmpty<tflite::BroadcastToOptions>},
    {BuiltinOperator::COS, WriteEmpty<tflite::CosOptions>},
    {BuiltinOperator::DEQUANTIZE, WriteEmpty<tflite::DequantizeOptions>},
    {BuiltinOperator::DIV, WriteEmpty<tflite::DivOptions>},
    {BuiltinOperator::EQUAL, WriteEmpty<tflite::EqualOptions>},
    {BuiltinOperator::EXP, WriteEmpty<tflite::ExpOptions>},
    {BuiltinOperator::FLOOR_MOD, WriteEmpty<tflite::FloorModOptions>},
    {BuiltinOperator::GREATER, WriteEmpty<tflite::GreaterOptions>},
    {BuiltinOperator::HARD_SWISH, WriteEmpty<tflite::HardSwishOptions>},
    {BuiltinOperator::LESS, WriteEmpty<tflite::LessOptions>},
    {BuiltinOperator::LOGICAL_NOT, WriteEmpty<tflite::LogicalNotOptions>},
    {BuiltinOperator::LOG_SOFTMAX, WriteEmpty<tflite::LogSoftmaxOptions>},
    {BuiltinOperator::MAXIMUM, WriteEmpty<tflite::MaximumMinimumOptions>},
    {BuiltinOperator::MINIMUM, WriteEmpty<tflite::MaximumMinimumOptions>},
    {BuiltinOperator::MUL, WriteEmpty<tflite::MulOptions>},
    {BuiltinOperator::NEG, WriteEmpty<tflite::NegOptions>},
    {BuiltinOperator::PAD, WriteEmpty<tflite::PadOptions>},
    {BuiltinOperator::PADV2, WriteEmpty<tflite::PadV2Options>},
    {BuiltinOperator::POW, WriteEmpty<tflite::PowOptions>},
    {BuiltinOperator::QUANTIZE, WriteEmpty<tflite::QuantizeOptions>},
    {BuiltinOperator::SCATTER_ND, WriteEmpty<tflite::ScatterNdOptions>},
    {BuiltinOperator::SELECT_V2, WriteEmpty<tflite::SelectV2Options>},
    {BuiltinOperator::SIGN, WriteEmpty<tflite::SignOptions>},
    {BuiltinOperator::SLICE, WriteEmpty<tflite::SliceOptions>},
    {BuiltinOperator::SQUARE, WriteEmpty<tflite::SquareOptions>},
    {BuiltinOperator::SUB, WriteEmpty<tflite::SubOptions>},
    {BuiltinOperator::TOPK_V2, WriteEmpty<tflite::TopKV2Options>},
    {BuiltinOperator::TRANSPOSE, WriteEmpty<tflite::TransposeOptions>},
};

}  // namespace

Options ReshapeTo(const Shape& shape) {
  const std::vector<int32_t> dims(shape.dims().begin(), shape.dims().end());
  return MakeOptions(
      [dims](FileBuilder& builder) { return tflite::CreateReshapeOptionsDirect(builder, &dims); });
}

Options GatherAlong(size_t axis) {
  return MakeOptions([axis](FileBuilder& builder) {
    return tflite::CreateGatherOptions(builder, static_cast<int32_t>(axis));
  });
}

Options ConcatenateAlong(size_t axis) {
  return MakeOptions([axis](FileBuilder& builder) {
    return tflite::CreateConcatenationOptions(builder, static_cast<int32_t>(axis),
                                              tflite::Activation::NONE);
  });
}

Options KeepDims(bool keep_dims) {
  return MakeOptions([keep_dims](FileBuilder& builder) {
    return tflite::CreateReducerOptions(builder, keep_dims);
  });
}

Options CastBetween(tflite::TensorType from, tflite::TensorType to) {
  return MakeOptions(
      [from, to](FileBuilder& builder) { return tflite::CreateCastOptions(builder, from, to); });
}

OptionsUnion WriteDefaultOptions(BuiltinOperator code, FileBuilder& builder) {
  for (const OptionsRow& row : kOptionsRows) {
    if (row.code == code) return row.write(builder);
  }
  return {};
}

}  // namespace synap_internal::tflite_export
