// top_k: the indices of the k largest (or smallest) elements along the last
// dimension, in order.
//
//   operands   x [..., n]
//   output     int64 [..., k]
//   attributes k, largest (1; 0: the smallest elements)
//
// Of equal elements the one with the lower index comes first; a NaN counts as
// larger than any number. uint8 is compared as it is: scales are positive.
//
// Constraints
//   top_k_c1  x is float32, uint8, int32 or int64, of rank 1 or more
//   top_k_c2  k is in 0..n
#ifndef KERNELS_TOP_K_TOP_K_H_
#define KERNELS_TOP_K_TOP_K_H_

#include <cstdint>

#include "absl/types/span.h"
#include "kernels/op_def.h"

namespace synap_internal {

absl::Span<const OpDef> TopKOps();

namespace top_k {

// Whether the element at index a comes before the one at index b.
template <typename T>
bool IsBefore(const T* x, bool largest, int64_t a, int64_t b) {
  const bool a_nan = x[a] != x[a], b_nan = x[b] != x[b];
  if (a_nan != b_nan) return a_nan == largest;
  if (!a_nan && x[a] != x[b]) return (x[a] > x[b]) == largest;
  return a < b;
}

}  // namespace top_k
}  // namespace synap_internal

#endif  // KERNELS_TOP_K_TOP_K_H_
