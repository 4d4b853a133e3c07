// What the ops with weights have in common (conv2d, depthwise_conv2d,
// conv_transpose2d, fully_connected): operands x, w, [bias], [table], the
// combinations of data types, and everything about numbers that a kernel needs
// beside the geometry.
#ifndef KERNELS_LINEAR_LINEAR_H_
#define KERNELS_LINEAR_LINEAR_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "kernels/op_def.h"
#include "kernels/requantize.h"

namespace synap {

// Operand `i`, or an absent one.
const TensorType& Operand(absl::Span<const TensorType> inputs, size_t i);

// OK for float32 x, w and bias; uint8 x quantized per tensor, w likewise or int8
// quantized per channel, and an int32 bias. InvalidArgument naming what was
// found.
absl::Status CheckLinearTypes(const TensorType& x, const TensorType& w, const TensorType& bias);

// OK if the bias is absent or [channels].
absl::Status CheckBiasShape(const TensorType& bias, int64_t channels);

// OK unless the bias has a quantizer that is not {x scale * w scale, 0}, for
// each channel where w has one for each. A scale may differ by a relative 1e-5:
// it is a rounded product.
absl::Status CheckBiasQuantizer(const TensorType& x, const TensorType& w, const TensorType& bias);

// Which output channel a weight belongs to: index / outer % channels.
struct WeightLayout {
  int64_t channels = 1;
  int64_t outer = 1;  // 1 if the channel is the last dimension
};

// Weights and numbers of one prepared op. Immutable; shared by all threads.
struct LinearData {
  bool quantized = false;  // uint8, else float32
  // float32, or uint8: int8 weights are held as w + 128 with zero points of 128.
  const void* weights = nullptr;
  std::shared_ptr<const std::vector<uint8_t>> shifted_weights;  // what `weights` is then

  // float32
  std::vector<float> float_bias;  // one for each output channel, 0 without a bias
  Clamp clamp;

  // uint8
  int32_t x_zero_point = 0;
  std::vector<int32_t> w_zero_points;  // one for each output channel
  std::vector<int32_t> bias;           // likewise, within +-2^30
  OutputStage output;
};

// Biases are saturated to +-kMaxBias, and sums of products are proven to stay
// within as much, so that int32 accumulators never overflow.
inline constexpr int32_t kMaxBias = 1 << 30;

// The one way from a prepare context to LinearData.
//   Unimplemented: weights, bias or table are not constant; data types of the
//     output that don't go with the inputs.
//   InvalidArgument: sums that could pass 2^30; scales that overflow; weights
//     quantized along another dimension than that of the output channels.
absl::StatusOr<LinearData> PrepareLinear(const PrepareContext& context,
                                         const FusedActivation& activation,
                                         const WeightLayout& layout);

// a * b for a, b >= 0, at most the largest int64: the multiply-accumulates of
// shapes that nobody could ever run.
int64_t SaturatingProduct(int64_t a, int64_t b);

// min(max(x, clamp.min), clamp.max); NaN stays NaN.
inline float ApplyClamp(float x, const Clamp& clamp) {
  const float above = x < clamp.min ? clamp.min : x;
  return above > clamp.max ? clamp.max : above;
}

}  // namespace synap

#endif  // KERNELS_LINEAR_LINEAR_H_
