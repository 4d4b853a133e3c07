// concat: joins the operands along an axis, in order.
//
//   x...     one operand or more, of one rank and data type, whose shapes differ
//            along the axis only
//   output   their shape with the extents along the axis added
//
// Attributes: axis (required, negative counts from the back).
//
// Quantization: an operand (uint8, int8 or int16) whose quantizer differs from the
// output's is requantized:
//   QuantizeValue(DequantizeValue(q, operand), output) of base/rounding.h,
// for 8 bits by a table of 256 entries. Other operands are copied.
//
// concat_c1: axis is in [-rank, rank).
// concat_c2: all operands have the rank, data type and other extents of the first.
// concat_c3: no operand is quantized per channel.
// concat_c4: an operand whose quantizer differs from the output's is uint8, int8 or int16.
#ifndef KERNELS_CONCAT_CONCAT_H_
#define KERNELS_CONCAT_CONCAT_H_

#include <array>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "base/quant_params.h"
#include "kernels/op_def.h"

namespace synap_internal {

// "concat"; static storage.
absl::Span<const OpDef> ConcatOps();

// One operand: `rows` rows of `bytes` bytes, which are copied to `offset` of each
// output row of `row_bytes` bytes.
struct ConcatPiece {
  int64_t bytes = 0;
  int64_t offset = 0;
  bool requantize = false;
  QuantParams quant;                    // of the operand, if requantize
  std::array<uint8_t, 256> table = {};  // of the stored bytes, if requantize and 8 bits
};

struct ConcatPlan {
  int64_t rows = 0;
  int64_t row_bytes = 0;
  DataType dtype = DataType::kInvalid;
  QuantParams quant;  // of the output
  std::vector<ConcatPiece> pieces;
};

// Reference: one byte after the other, on one thread.
void RunConcatReference(const ConcatPlan& plan, const KernelArgs& args);

// Requantizes the stored byte `q` from the quantizer `from` to `to`.
uint8_t RequantizeByte(uint8_t q, DataType dtype, const QuantParams& from, const QuantParams& to);

}  // namespace synap_internal

#endif  // KERNELS_CONCAT_CONCAT_H_
