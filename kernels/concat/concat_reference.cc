#include "kernels/concat/concat.h"

#include "base/rounding.h"

namespace synap_internal {

uint8_t RequantizeByte(uint8_t q, DataType dtype, const QuantParams& from, const QuantParams& to) {
  const int32_t value = dtype == DataType::kInt8 ? static_cast<int8_t>(q) : q;
  const IntegerRange range = RangeOf(dtype);
  return static_cast<uint8_t>(QuantizeValue(
      DequantizeValue(value, from.scale(), from.zero_point()), to.scale(), to.zero_point(),
      static_cast<int32_t>(range.min), static_cast<int32_t>(range.max)));
}

namespace {

void RequantizeInt16(const ConcatPlan& plan, const ConcatPiece& piece, const void* input,
                     uint8_t* output) {
  const auto* from = static_cast<const int16_t*>(input);
  auto* to = reinterpret_cast<int16_t*>(output);
  for (int64_t i = 0; i < piece.bytes / 2; ++i) {
    const float real = DequantizeValue(from[i], piece.quant.scale(), piece.quant.zero_point());
    to[i] = static_cast<int16_t>(
        QuantizeValue(real, plan.quant.scale(), plan.quant.zero_point(), INT16_MIN, INT16_MAX));
  }
}

}  // namespace

void RunConcatReference(const ConcatPlan& plan, const KernelArgs& args) {
  for (size_t i = 0; i < plan.pieces.size(); ++i) {
    const ConcatPiece& piece = plan.pieces[i];
    for (int64_t row = 0; row < plan.rows; ++row) {
      if (piece.requantize && plan.dtype == DataType::kInt16) {
        RequantizeInt16(plan, piece, args.input<uint8_t>(i) + row * piece.bytes,
                        args.output<uint8_t>(0) + row * plan.row_bytes + piece.offset);
        continue;
      }
      for (int64_t byte = 0; byte < piece.bytes; ++byte) {
        const uint8_t q = args.input<uint8_t>(i)[row * piece.bytes + byte];
        args.output<uint8_t>(0)[row * plan.row_bytes + piece.offset + byte] =
            piece.requantize ? RequantizeByte(q, plan.dtype, piece.quant, plan.quant) : q;
      }
    }
  }
}

}  // namespace synap_internal
