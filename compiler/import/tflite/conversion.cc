// Operators that change how values are stored.
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

constexpr OpMapping kConversionMappings[] = {
    {tflite::BuiltinOperator::CAST, 1, 1, MapCast, "values without a quantizer"},
    {tflite::BuiltinOperator::DENSIFY, 1, 1, MapDensify},
};

}  // namespace

absl::Span<const OpMapping> ConversionMappings() { return kConversionMappings; }

}  // namespace synap_internal::tflite_import
