// cumsum: running sums along one dimension.
//
//   operands   x
//   output     the shape and type of x:
//              output[i] = x[0] + ... + x[i] along the dimension
//   attributes axis: the dimension, counted from the end if negative
//              exclusive (0): without x[i], so that the first sum is 0
//              reverse (0): from the last element down
//
// float32: plain additions in that order. int32, int64: exact, wrapping.
//
// Constraints
//   cumsum_c1  x is float32, uint8, int32 or int64 (uint8 has no kernel)
//   cumsum_c2  axis is a dimension of x
#ifndef KERNELS_CUMSUM_CUMSUM_H_
#define KERNELS_CUMSUM_CUMSUM_H_

#include <cstdint>
#include <type_traits>

#include "absl/types/span.h"
#include "kernels/op_def.h"

namespace synap_internal {

absl::Span<const OpDef> CumsumOps();

namespace cumsum {

// Sums `n` elements that are `stride` elements apart. With a negative stride, x and
// out point to the last element.
template <typename T>
void ReferenceRow(const T* x, T* out, int64_t n, int64_t stride, bool exclusive) {
  // Signed overflow is undefined, unsigned wraps.
  using Sum = typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>,
                                          std::type_identity<T>>::type;
  Sum sum = 0;
  for (int64_t i = 0; i < n; ++i) {
    const Sum next = sum + static_cast<Sum>(x[i * stride]);
    out[i * stride] = static_cast<T>(exclusive ? sum : next);
    sum = next;
  }
}

}  // namespace cumsum
}  // namespace synap_internal

#endif  // KERNELS_CUMSUM_CUMSUM_H_
