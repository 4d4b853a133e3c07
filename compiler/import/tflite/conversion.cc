// Operators that change how values are stored: their type, or between real numbers and quantized
// ones. SetOutput converts to the quantizer that the file gives an output.
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/tflite/op_table.h"

namespace synap_internal::tflite_import {
namespace {

// Sparse weights have been read as dense ones.
absl::Status MapDensify(OperatorContext& op) { return op.SetOutput(op.input(0)); }

absl::Status MapCast(OperatorContext& op) {
  Tensor* x = op.input(0);
  if (x->type.quant.quantized() || op.declared().quant.quantized()) {
    return absl::UnimplementedError("it casts quantized values");
  }
  return op.SetOutput(op.Cast(x, op.declared().dtype));
}

absl::Status MapDequantize(OperatorContext& op) {
  const TensorType& type = op.input(0)->type;
  if (type.dtype != DataType::kFloat32 && !type.quant.quantized()) {
    return absl::InvalidArgumentError(
        absl::StrCat("its input is ", Name(type.dtype), " without a scale, expected one"));
  }
  return op.SetOutput(op.Float(op.input(0)));
}

absl::Status MapQuantize(OperatorContext& op) {
  if (!op.declared().quant.quantized()) {
    return absl::InvalidArgumentError("its output has no scale, expected one");
  }
  return op.SetOutput(op.input(0));
}

constexpr OpMapping kConversionMappings[] = {
    {tflite::BuiltinOperator::CAST, 1, 1, MapCast, "values without a quantizer"},
    {tflite::BuiltinOperator::DENSIFY, 1, 1, MapDensify},
    {tflite::BuiltinOperator::DEQUANTIZE, 1, 1, MapDequantize},
    {tflite::BuiltinOperator::QUANTIZE, 1, 1, MapQuantize},
};

}  // namespace

absl::Span<const OpMapping> ConversionMappings() { return kConversionMappings; }

}  // namespace synap_internal::tflite_import
