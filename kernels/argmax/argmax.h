// argmax: the index of the largest element along one dimension.
//
//   operands   x
//   output     int64, the shape of x with the dimension 1, or without it
//   attributes axis: the dimension, counted from the end if negative
//              keep_dims (1): whether the dimension stays, as 1
//
// Of equal elements the first; a NaN counts as larger than any number. uint8 is
// compared as it is: scales are positive.
//
// Constraints
//   argmax_c1  x is float32, uint8, int32 or int64
//   argmax_c2  axis is a dimension of x
//   argmax_c3  that dimension is not 0
#ifndef KERNELS_ARGMAX_ARGMAX_H_
#define KERNELS_ARGMAX_ARGMAX_H_

#include <cstdint>

#include "absl/types/span.h"
#include "kernels/op_def.h"

namespace synap_internal {

absl::Span<const OpDef> ArgmaxOps();

namespace argmax {

// The index of the largest of n elements that are `stride` elements apart.
template <typename T>
int64_t ReferenceIndex(const T* x, int64_t n, int64_t stride) {
  int64_t best = 0;
  T largest = x[0];
  for (int64_t k = 1; k < n; ++k) {
    const T candidate = x[k * stride];
    // A number that is not equal to itself is NaN.
    if (candidate > largest || (candidate != candidate && largest == largest)) {
      best = k;
      largest = candidate;
    }
  }
  return best;
}

}  // namespace argmax
}  // namespace synap_internal

#endif  // KERNELS_ARGMAX_ARGMAX_H_
