// Operators that change how values are stored.
#include <string>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/tflite/op_table.h"

namespace synap_internal::tflite_import {
namespace {

// What sets an output converts it to what the file says.
absl::Status MapIdentity(OperatorContext& op) { return op.SetOutput(op.input(0)); }

absl::Status MapDequantize(OperatorContext& op) {
  const Tensor* x = op.input(0);
  if (x->type.dtype != DataType::kFloat32 && !x->type.quant.quantized()) {
    return absl::InvalidArgumentError(
        absl::StrCat("its input is ", Name(x->type.dtype), " without a scale"));
  }
  return op.SetOutput(op.Float(op.input(0)));
}

absl::Status MapQuantize(OperatorContext& op) {
  if (!op.declared().quant.quantized()) {
    return absl::InvalidArgumentError("its output has no scale");
  }
  return op.SetOutput(op.input(0));
}

absl::Status MapCast(OperatorContext& op) {
  Tensor* x = op.input(0);
  if (x->type.quant.quantized() || op.declared().quant.quantized()) {
    return absl::UnimplementedError("it casts quantized values");
  }
  if (x->type.dtype == op.declared().dtype) return op.SetOutput(x);
  return op.SetOutput(op.Emit("cast", {x}, {{"to", std::string(Name(op.declared().dtype))}}));
}

constexpr OpMapping kMappings[] = {
    {tflite::BuiltinOperator::CAST, 1, 1, MapCast, "values without a quantizer"},
    // Sparse weights are read as dense ones.
    {tflite::BuiltinOperator::DENSIFY, 1, 1, MapIdentity},
    {tflite::BuiltinOperator::DEQUANTIZE, 1, 1, MapDequantize},
    {tflite::BuiltinOperator::QUANTIZE, 1, 1, MapQuantize},
};

}  // namespace

absl::Span<const OpMapping> ConversionMappings() { return kMappings; }

}  // namespace synap_internal::tflite_import
