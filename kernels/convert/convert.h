// Conversions between element types, element by element.
//
//   op          operands  output
//   cast        x         x as the type of attribute `to` ("int64", a name of base/data_type.h)
//   quantize    x float32                 uint8, int8 or int16, as the graph says
//   dequantize  x uint8, int8 or int16    float32
//   requantize  x uint8, int8 or int16    uint8, int8 or int16, as the graph says
//
// quantize and its kin convert by the (per-tensor) quantizers of x and the output:
//   quantize    QuantizeValue(x)
//   dequantize  DequantizeValue(x)
//   requantize  QuantizeValue(DequantizeValue(x))
// of base/rounding.h, saturating; NaN becomes the zero point.
//
// cast converts numbers and knows no quantizer:
//   to bool                x != 0 (NaN: true)
//   float to an integer    rounds to zero and saturates; NaN gives 0
//   integer to an integer  keeps the low bits
//   to float               rounds half to even, by way of float32 for float16
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

namespace synap {

// requantize between two per-tensor quantizers of uint8 as a table.
std::array<uint8_t, 256> RequantizeTable(const QuantParams& in, const QuantParams& out);

absl::Span<const OpDef> ConvertOps();

namespace convert {

struct Quantizer {
  float scale = 1;
  int32_t zero_point = 0;
};

// Converts n elements, by the quantizers of what is quantized.
using Run = void (*)(const Quantizer& in, const Quantizer& out, const void* x, void* y, int64_t n);

// cast of n elements of type `from` to type `to`.
using Cast = void (*)(DataType from, DataType to, const void* x, void* y, int64_t n);

// The definitions. For quantize, `in` is not used, for dequantize `out` isn't.
void ReferenceCast(DataType from, DataType to, const void* x, void* y, int64_t n);
// Null if the op has no kernel for these types. REQUIRES: both types are
// float32 or one of uint8, int8, int16, and not both float32.
Run ReferenceQuantize(DataType from, DataType to);
// Their twins on the best target of this machine, where there is a faster one.
Run FindQuantize(DataType from, DataType to);
Cast FindCast(DataType from, DataType to);

}  // namespace convert
}  // namespace synap

#endif  // KERNELS_CONVERT_CONVERT_H_
