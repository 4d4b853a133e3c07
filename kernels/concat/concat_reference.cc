#include "kernels/concat/concat.h"

#include "base/rounding.h"

namespace synap {

uint8_t RequantizeByte(uint8_t q, DataType dtype, const QuantParams& from, const QuantParams& to) {
  const int32_t value = dtype == DataType::kInt8 ? static_cast<int8_t>(q) : q;
  const IntegerRange range = RangeOf(dtype);
  return static_cast<uint8_t>(QuantizeValue(
      DequantizeValue(value, from.scale(), from.zero_point()), to.scale(), to.zero_point(),
      static_cast<int32_t>(range.min), static_cast<int32_t>(range.max)));
}

void RunConcatReference(const ConcatPlan& plan, const KernelArgs& args) {
  for (size_t i = 0; i < plan.pieces.size(); ++i) {
    const ConcatPiece& piece = plan.pieces[i];
    for (int64_t row = 0; row < plan.rows; ++row) {
      for (int64_t byte = 0; byte < piece.bytes; ++byte) {
        const uint8_t q = args.input<uint8_t>(i)[row * piece.bytes + byte];
        args.output<uint8_t>(0)[row * plan.row_bytes + piece.offset + byte] =
            piece.requantize ? RequantizeByte(q, plan.dtype, piece.quant, plan.quant) : q;
      }
    }
  }
}

}  // namespace synap
