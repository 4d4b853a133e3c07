// Conversions between element types.
#include "base/status_macros.h"
#include "compiler/export/tflite/file_type.h"
#include "compiler/export/tflite/op_table.h"

namespace synap_internal::tflite_export {
namespace {

using tflite::BuiltinOperator;

// A cast reads the stored integers, whatever their quantizer.
absl::Status WriteCast(OpContext& context) {
  ASSIGN_OR_RETURN(const DataType to, ParseDataType(context.attributes().RequiredString("to")));
  const Tensor* x = context.op().inputs[0];
  const TensorType from = BorderType(x->type), made = context.OutputType();
  const Value value = context.values().As(x, from);
  if (to == DataType::kFloat16) {
    // Rounded to halves, and computed with as float32.
    const Value half = context.Emit(BuiltinOperator::CAST, {value}, {to, from.shape, {}},
                                    CastBetween(FileType(from.dtype), FileType(to)));
    context.OutputOf(BuiltinOperator::DEQUANTIZE, {half}, made);
    return absl::OkStatus();
  }
  context.OutputOf(BuiltinOperator::CAST, {value}, made,
                   CastBetween(FileType(from.dtype), FileType(made.dtype)));
  return absl::OkStatus();
}

absl::Status WriteQuantize(OpContext& context) {
  context.values().BindConverted(context.op().output(),
                                 context.values().Stored(context.op().inputs[0]));
  return absl::OkStatus();
}

absl::Status WriteDequantize(OpContext& context) {
  const Value value = context.values().Stored(context.op().inputs[0]);
  context.OutputOf(BuiltinOperator::DEQUANTIZE, {value}, BorderType(context.op().output()->type));
  return absl::OkStatus();
}

constexpr OpMapping kConversionMappings[] = {
    {.op = "cast", .write = WriteCast, .converts = true},
    {.op = "quantize", .write = WriteQuantize, .converts = true},
    {.op = "requantize", .write = WriteQuantize, .converts = true},
    {.op = "dequantize", .write = WriteDequantize, .converts = true},
};

}  // namespace

absl::Span<const OpMapping> ConversionMappings() { return kConversionMappings; }

}  // namespace synap_internal::tflite_export
