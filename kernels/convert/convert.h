// cast, quantize, dequantize and requantize: conversions between element types.
//
//   op          operands  output
//   cast        x         x as the type of attribute `to` ("int64", a name of base/data_type.h)
//   quantize    x float32                 uint8, int8 or int16, as the graph says
//   dequantize  x uint8, int8 or int16    float32
//   requantize  x uint8, int8 or int16    uint8, int8 or int16, as the graph says
//
// quantize, dequantize and requantize use the (per-tensor) quantizers of x and the output:
//   quantize    QuantizeValue(x)
//   dequantize  DequantizeValue(x)
//   requantize  QuantizeValue(DequantizeValue(x))
// of base/rounding.h, saturating; NaN becomes the zero point.
//
// cast converts plain numbers, without a quantizer:
//   to bool                x != 0 (NaN: true)
//   float to an integer    rounds to zero and saturates; NaN gives 0
//   integer to an integer  keeps the low bits
//   to float               rounds half to even; to float16 by way of float32
//
// Constraints
//   convert_c1  cast: `to` is the name of a data type
//   convert_c2  x has a type of the table above
#ifndef KERNELS_CONVERT_CONVERT_H_
#define KERNELS_CONVERT_CONVERT_H_

#include <array>
#include <cstdint>

#include "absl/types/span.h"
#include "base/quant_params.h"
#include "kernels/op_def.h"

namespace synap_internal {

// Table of requantize from one per-tensor quantizer of uint8 to another.
std::array<uint8_t, 256> RequantizeTable(const QuantParams& in, const QuantParams& out);

absl::Span<const OpDef> ConvertOps();

namespace convert {

struct Quantizer {
  float scale = 1;
  int32_t zero_point = 0;
};

// Converts n elements. Only quantized sides use their quantizer.
using Run = void (*)(const Quantizer& in, const Quantizer& out, const void* x, void* y, int64_t n);

// Casts n elements of type `from` to type `to`.
using Cast = void (*)(DataType from, DataType to, const void* x, void* y, int64_t n);

// References.
void ReferenceCast(DataType from, DataType to, const void* x, void* y, int64_t n);
// Null if the op has no kernel for these types. REQUIRES: both types are
// float32 or one of uint8, int8, int16, and not both float32.
Run ReferenceQuantize(DataType from, DataType to);
// The vectorized functions on the best target of this machine; null without one, and between types
// of 8 bits.
Run FindQuantize(DataType from, DataType to);
Cast FindCast(DataType from, DataType to);

}  // namespace convert
}  // namespace synap_internal

#endif  // KERNELS_CONVERT_CONVERT_H_
