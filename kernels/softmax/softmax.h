// softmax and log_softmax: normalized exponentials along one dimension.
//
//   operands   x     output   the shape and data type of x
//   attributes axis (-1): the dimension, counted from the end if negative
//              normalize (1), of softmax: 0 leaves out the division
//
// float32, for the elements x[k] along the axis:
//   m = max x[k]              (NaN if any x[k] is)
//   e[k] = Exp(x[k] - m)      (base/float_math.h)
//   s = sum e[k]              in the 16 lanes of kernels/shared/virtual_lanes.h
//   softmax: e[k] / s         log_softmax: (x[k] - m) - Log(s)
// uint8 (asymmetric_affine, per tensor): the same of DequantizeValue(x), then QuantizeValue.
// With normalize = 0 softmax gives e[k], of which the largest in each row is 1: all of a
// quantizer's steps are every row's, where a row of many like values would have few. What reads it
// divides (matmul with normalize = 1).
//
// Constraints
//   softmax_c1  x is float32 or uint8
//   softmax_c2  x has at least one dimension, and axis is one of them
#ifndef KERNELS_SOFTMAX_SOFTMAX_H_
#define KERNELS_SOFTMAX_SOFTMAX_H_

#include <cstdint>

#include "absl/types/span.h"
#include "kernels/op_def.h"

namespace synap_internal {

absl::Span<const OpDef> SoftmaxOps();

namespace softmax {

// x and y are [outer, length, inner]; rows run along `length`.
struct Params {
  bool log = false;
  bool normalize = true;
  DataType type = DataType::kFloat32;
  int64_t outer = 1;
  int64_t length = 1;
  int64_t inner = 1;
  // uint8 only.
  float in_scale = 1, out_scale = 1;
  int32_t in_zero_point = 0, out_zero_point = 0;
};

// Reference, on one thread. row: scratch memory of `length` floats.
void Reference(const Params& params, const void* x, void* y, float* row);

// Vectorized loops for floats on the best target of this machine. row: one row of
// n adjacent elements (x and y may be the same). tile: kTile rows of n elements in
// place, element k of row r at tile[k * kTile + r], so that the lanes of a vector
// hold different rows; for rows that are too short or too scattered to fill one.
inline constexpr int64_t kTile = 16;
struct VectorLoops {
  void (*row)(const float* x, float* y, int64_t n) = nullptr;
  void (*tile)(float* tile, int64_t n) = nullptr;
};
VectorLoops FindVectorLoops(const Params& params);

}  // namespace softmax
}  // namespace synap_internal

#endif  // KERNELS_SOFTMAX_SOFTMAX_H_
