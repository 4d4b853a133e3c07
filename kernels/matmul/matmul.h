// matmul: products of matrices, over broadcast leading dimensions.
//
//   a       [..., M, K]    float32, or uint8 asymmetric_affine
//   b       [..., K, N]    as a
//   output  [..., M, N]    as a
//
//   output[..., m, n] = sum over k of a[..., m, k] * b[..., k, n]
//
// With normalize = 1 (attribute, 0 by default) each row of a is one of weights, and outputs are
// means: the sum over the sum of a[..., m, k], the way in which attention is computed without a
// division of every weight.
//
// Float32: one chain of fused multiply-adds over k from 0; the weights of a row are added in the 16
// lanes of kernels/shared/virtual_lanes.h.
// uint8: exact sum of (a - zero point) * (b - zero point), requantized to the output's quantizer.
// With normalize = 1 the multiplier of row m is float(b's scale / the output's) divided by
// float(sum over k of (a[..., m, k] - zero point)), or 0 where that sum isn't positive.
// Accumulators have 32 bits, or 64 where sums could pass 2^30.
// Neither operand needs to be constant; fully_connected is faster for those that are.
//
// matmul_c1: two operands of rank 2 or more, with the same K >= 1.
// matmul_c2: the leading dimensions broadcast: equal, or 1 in one of them.
// matmul_c3: data types are float32 both, or uint8 asymmetric_affine both.
// matmul_c4: the output has a's data type, uint8 with a quantizer.
#ifndef KERNELS_MATMUL_MATMUL_H_
#define KERNELS_MATMUL_MATMUL_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "kernels/op_def.h"
#include "kernels/shared/requantize.h"

namespace synap_internal {

// "matmul"; static storage.
absl::Span<const OpDef> MatmulOps();

struct Matmul {
  int64_t rows = 0;     // M
  int64_t depth = 0;    // K
  int64_t columns = 0;  // N
  // Leading dimensions of the output, and the steps of a and b along each, in
  // matrices: 0 if broadcast.
  std::vector<int64_t> batch_dims;
  std::vector<int64_t> a_steps;
  std::vector<int64_t> b_steps;

  bool normalize = false;
  bool quantized = false;  // uint8, with:
  int32_t a_zero_point = 0;
  int32_t b_zero_point = 0;
  OutputStage output;      // one multiplier, to be divided by a row's sum if `normalize`
  bool long_sums = false;  // they could pass kMaxBias

  int64_t batch() const;
  // Index of a's (b's) matrix that belongs to output matrix `index`.
  int64_t MatrixOf(const std::vector<int64_t>& steps, int64_t index) const;
  // Of requantization, for a row of uint8 with this sum of weights, which counts if `normalize`.
  float MultiplierOf(int64_t weights) const {
    const float multiplier = output.multipliers[0];
    if (!normalize) return multiplier;
    return weights > 0 ? multiplier / static_cast<float>(weights) : 0;
  }
};

// The largest |sum| of an output, over all values of two uint8 operands.
// REQUIRES: quantizers, and shapes that multiply.
int64_t LargestMatmulSum(const TensorType& a, const TensorType& b);

// Reference: one element after the other, on one thread.
void RunMatmulReference(const Matmul& matmul, const void* a, const void* b, void* output);

Kernel MatmulKernel(const Matmul& matmul);

}  // namespace synap_internal

#endif  // KERNELS_MATMUL_MATMUL_H_
