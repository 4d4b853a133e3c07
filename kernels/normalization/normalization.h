// normalization: rows of mean square 1 and, unless it is left out, mean 0, scaled and shifted.
// LayerNorm, InstanceNorm and GroupNorm are such, and without the mean RMSNorm.
//
//   operands   x, [scale], [bias]   scale and bias float32 whatever x's type, broadcast to x
//   output     the shape of x
//   attributes axes: the dimensions that a row runs over, counted from the end if negative
//              center (1): 0 leaves the mean where it is (RMSNorm)
//              epsilon (0): added to the mean square
//              min, max: clamp of the result, in real numbers
//
// float32, for the n elements x[k] of a row, in row-major order:
//   m    = (sum x[k]) / float(n)            0 if center is 0
//   d[k] = x[k] - m
//   i    = 1 / sqrt((sum d[k]²) / float(n) + epsilon)
//   y[k] = clamp(fma(d[k] * i, scale[k], bias[k]))    scale 1 and bias 0 where they are absent
// The squares are added by fused multiply-adds. Sums are those of reduce_mean: in the 16 lanes of
// kernels/shared/virtual_lanes.h where elements of a row are neighbours, else in one chain, in
// blocks of kChain.
// uint8, int16 (asymmetric_affine, per tensor): the same of DequantizeValue(x), then QuantizeValue.
// Each of x and the output has its own of the three types: a stream of 16 bits gives bytes, and
// nothing in between is rounded to steps.
//
// Constraints
//   normalization_c1  x is float32, uint8 or int16
//   normalization_c2  axes are dimensions of x, none of them twice
//   normalization_c3  no other dimension above 1 is between the axes
//   normalization_c4  scale and bias are float32 and have no more dimensions than x, each x's or 1.
//                     Before the axes 1s come first, within them last; after them all are 1 or none
//   normalization_c5  epsilon is at least 0; min <= max, neither NaN
#ifndef KERNELS_NORMALIZATION_NORMALIZATION_H_
#define KERNELS_NORMALIZATION_NORMALIZATION_H_

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "kernels/attributes.h"
#include "kernels/op_def.h"

namespace synap_internal {

absl::Span<const OpDef> NormalizationOps();

namespace normalization {

// Where the elements of scale or bias are. That of element [o, k, i] of x as [outer, length, inner]
// is at ((o % outer) * length + k / repeat) * inner + i % inner, with the members of this.
struct Factors {
  bool present = false;
  int64_t outer = 1, length = 1, inner = 1;
  int64_t repeat = 1;

  // Whether neighbours in a row have neighbouring factors.
  bool is_vector() const { return present && repeat == 1; }
  int64_t Offset(int64_t o, int64_t k, int64_t i) const {
    return ((o % outer) * length + k / repeat) * inner + i % inner;
  }
};

// x and the output are [outer, length, inner]; rows run along `length`.
struct Params {
  int64_t outer = 1, length = 1, inner = 1;
  bool center = true;
  float epsilon = 0;
  Clamp clamp;
  Factors scale, bias;
};

inline constexpr size_t kScale = 1, kBias = 2;  // operands

// Checks all constraints but that of x's type.
absl::StatusOr<Params> ReadParams(absl::Span<const TensorType> inputs,
                                  const Attributes& attributes);

// i, from the sum of d[k]².
inline float InverseDeviation(const Params& params, float sum_of_squares) {
  return 1 / std::sqrt(sum_of_squares / static_cast<float>(params.length) + params.epsilon);
}

// y[k] from d[k] * i.
inline float Finish(float normalized, float scale, float bias, const Clamp& clamp) {
  const float y = std::fma(normalized, scale, bias);
  return y < clamp.min ? clamp.min : y > clamp.max ? clamp.max : y;
}

// Reference of the row at [o, :, i]: element k is row[k * inner] on entry and on return. `scale`
// and `bias` are the operands, null if they are absent.
void ReferenceRow(const Params& params, const float* scale, const float* bias, int64_t o, int64_t i,
                  float* row);

// Vectorized loops over floats on the best target of this machine.
struct VectorLoops {
  // The mean and the reciprocal deviation of each of `rows` rows of neighbours.
  void (*moments)(const float* x, int64_t rows, const Params& params, float* mean,
                  float* inverse) = nullptr;
  // y[k] of n elements of a row; x and y may be the same. scale, bias: those of x[0], and of the
  // others as Factors::is_vector of each says.
  void (*finish)(const float* x, int64_t n, float mean, float inverse, const float* scale,
                 const float* bias, const Params& params, float* y) = nullptr;
  // The same for `width` rows next to each other, of each `steps` elements x[step * width + row].
  // mean, inverse, scale and bias are vectors of `width`; sums are added to what `sums` holds.
  void (*add)(const float* x, int64_t steps, int64_t width, const float* mean,
              float* sums) = nullptr;
  void (*add_squares)(const float* x, int64_t steps, int64_t width, const float* mean,
                      float* sums) = nullptr;
  void (*finish_steps)(const float* x, int64_t steps, int64_t width, const float* mean,
                       const float* inverse, const float* scale, const float* bias,
                       const Params& params, float* y) = nullptr;
};
VectorLoops FindVectorLoops();

}  // namespace normalization
}  // namespace synap_internal

#endif  // KERNELS_NORMALIZATION_NORMALIZATION_H_
