// reduce_mean, reduce_sum, reduce_max, reduce_min, reduce_prod, reduce_l2:
// reductions over any dimensions.
//
//   operands   x
//   output     the shape of x with the reduced dimensions 1, or without them
//   attributes axes: the dimensions, counted from the end if negative
//              keep_dims (1): whether the reduced dimensions stay, as 1
//
// float32: the n reduced elements of an output are taken in row-major order. If
// the last dimension above 1 is reduced, in the 16 lanes of
// kernels/shared/virtual_lanes.h, else in one chain from the start value on; both
// in blocks of its kChain. prod starts at 1, max at -infinity, min at infinity, the
// others at 0. l2 adds squares by fused multiply-add and ends in a square root;
// mean ends in a division by float(n). max and min are NaN if an element is. Where the sum of l2 or
// mean isn't finite, it is that of the elements times 2^-96 or 2^-64, and the result is divided by
// the same: it overflows only where the norm or the mean itself does.
// uint8 (asymmetric_affine, per tensor):
//   sum, mean  Requantize(sum of (q - zx), multiplier, zo), the sum exact in int32,
//              multiplier = float(sx / so), for mean float(sx / (so n)), in double
//   max, min   the extreme q, requantized by QuantizeValue(DequantizeValue(q))
//   prod, l2   as float32 of the dequantized values, then QuantizeValue
// int32, int64: exact, wrapping; mean divides, rounding to zero; no l2.
//
// Constraints
//   reduce_c1  x is float32, uint8, int32 or int64, for l2 float32 or uint8
//   reduce_c2  axes are dimensions of x, none of them twice
//   reduce_c3  at least one element is reduced to each output
//   reduce_c4  at most 2^23 elements of uint8 are reduced to one
#ifndef KERNELS_REDUCE_REDUCE_H_
#define KERNELS_REDUCE_REDUCE_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "kernels/op_def.h"

namespace synap_internal {

enum class ReduceFunction : uint8_t { kMean, kSum, kMax, kMin, kProd, kL2 };

absl::Span<const OpDef> ReduceOps();

namespace reduce {

struct Params {
  ReduceFunction function;
  DataType type;
  Shape shape;                // of x
  std::vector<bool> reduced;  // for each dimension of x
  int64_t outputs = 1;        // elements of the output
  int64_t count = 1;          // elements that are reduced to one
  // uint8 only.
  float in_scale = 1, out_scale = 1;
  int32_t in_zero_point = 0, out_zero_point = 0;
  float multiplier = 1;  // of sums
};

// Reference, on one thread.
void Reference(const Params& params, const KernelArgs& args);

// The uint8 output for a sum of quantized values (zero points not yet subtracted),
// and for an extreme value.
uint8_t FromSum(const Params& params, int32_t sum);
uint8_t FromExtreme(const Params& params, uint8_t extreme);
// The last step of a float reduction, to `reduced`, its sum or the like: the division of mean, the
// root of l2. Of the n elements x[0], x[stride], x[2 stride], ...
float Finish(const Params& params, float reduced, const float* x, int64_t stride);

// Vectorized reductions. row: n adjacent elements to out[0]. columns: `width` (at
// most kColumns) adjacent columns, each over n steps of `stride` elements, to
// out[0..width). For uint8, sums are stored as int32 and extremes as uint8.
inline constexpr int64_t kColumns = 64;
struct VectorLoops {
  void (*row)(const void* x, int64_t n, void* out) = nullptr;
  void (*columns)(const void* x, int64_t n, int64_t stride, int64_t width, void* out) = nullptr;
};

// The loops on the best target of this machine; nulls for types and functions without any.
VectorLoops FindVectorLoops(ReduceFunction function, DataType type);

}  // namespace reduce
}  // namespace synap_internal

#endif  // KERNELS_REDUCE_REDUCE_H_
