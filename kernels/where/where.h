// where: element-wise choice, out = condition ? a : b, shapes broadcast as in NumPy.
//
//   operands   condition bool, a, b (the same type)     output   that type
//   attributes none
//
// Moves values of any type. uint8 with quantizers: a chosen value is requantized
// (RequantizeTable of kernels/convert) if its quantizer differs from the output's;
// other quantized types need equal quantizers.
//
// Constraints
//   where_c1  condition is bool
//   where_c2  a and b have the same data type
//   where_c3  the three shapes can be broadcast
#ifndef KERNELS_WHERE_WHERE_H_
#define KERNELS_WHERE_WHERE_H_

#include <array>
#include <cstdint>

#include "absl/types/span.h"
#include "kernels/op_def.h"

namespace synap_internal {

absl::Span<const OpDef> WhereOps();

namespace where {

// Requantization of uint8 values of a and b to the output's quantizer.
struct Tables {
  std::array<uint8_t, 256> a;
  std::array<uint8_t, 256> b;
};

// Reference. `inputs`, `output`: the op's types; tables: null if no value is
// requantized.
void Reference(absl::Span<const TensorType> inputs, const TensorType& output, const Tables* tables,
               const KernelArgs& args);

}  // namespace where
}  // namespace synap_internal

#endif  // KERNELS_WHERE_WHERE_H_
