// Numerics that the ops with weights share (conv2d, depthwise_conv2d,
// conv_transpose2d, fully_connected): operands x, w, [bias], [table], [residual],
// the combinations of data types, and all that a kernel needs except the geometry.
#ifndef KERNELS_SHARED_LINEAR_LINEAR_H_
#define KERNELS_SHARED_LINEAR_LINEAR_H_

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "kernels/binary/binary.h"
#include "kernels/op_def.h"
#include "kernels/shared/linear/fused_sum.h"
#include "kernels/shared/requantize.h"
#include "kernels/unary/unary.h"

namespace synap_internal {

// Index of the optional operand `residual`.
inline constexpr size_t kResidual = 4;

// Operand `i`; absent if there are fewer operands.
const TensorType& Operand(absl::Span<const TensorType> inputs, size_t i);

// OK for
//   float32 x, w and bias;
//   uint8 x quantized per tensor, w likewise or int8 quantized per channel, and
//     an int32 bias;
//   int16 x quantized per tensor, w int16 with zero point 0 or as above, and an
//     int32 or int64 bias.
// InvalidArgument naming the types.
absl::Status CheckLinearTypes(const TensorType& x, const TensorType& w, const TensorType& bias);

// The data type of the output that an op infers: x's, but int16 where 8-bit x and a residual of 16
// bits meet.
DataType LinearOutputType(const TensorType& x, const TensorType& residual);

// OK if the bias is absent or [channels].
absl::Status CheckBiasShape(const TensorType& bias, int64_t channels);

// The quantizer of a bias, and of the sums of products, for x and w: scale x scale *
// w scale (for each channel where w has one for each), zero point 0. Fixed point if
// both are. REQUIRES: both are quantized, x per tensor.
QuantParams BiasQuantizer(const QuantParams& x, const QuantParams& w);

// OK unless the bias has a quantizer that is not {x scale * w scale, 0}, for
// each channel where w has one for each. A scale may differ by a relative 1e-5:
// it is a rounded product.
absl::Status CheckBiasQuantizer(const TensorType& x, const TensorType& w, const TensorType& bias);

// Order of the weights: weight `index` belongs to output channel index / outer % channels.
struct WeightLayout {
  int64_t channels = 1;
  int64_t outer = 1;  // 1 if the channel is the last dimension
};

// Weights and numeric parameters of one prepared op. Immutable; shared by all threads.
struct LinearData {
  DataType type = DataType::kFloat32;      // of x: or uint8, int16
  DataType out_type = DataType::kFloat32;  // of the output: as x, or int16 of uint8
  // By type:
  //   float32  float
  //   uint8    uint8_t; int8 weights are held as w + 128 with zero points of 128
  //   int16    int16_t, w minus its zero point
  const void* weights = nullptr;
  std::shared_ptr<const void> converted_weights;  // owns `weights`; null: the operand's data

  bool quantized() const { return type != DataType::kFloat32; }
  bool widens() const { return out_type != type; }  // int16 of uint8

  // float32
  std::vector<float> float_bias;  // one for each output channel, 0 without a bias
  Clamp clamp;
  unary::Run activation = nullptr;  // of the clamped outputs; null: none
  UnaryParams activation_params{};

  // Parameters of the residual add, if there is one.
  absl::optional<BinaryParams> sum;

  // uint8 and int16
  int32_t x_zero_point = 0;
  OutputStage output;

  // uint8
  std::vector<int32_t> w_zero_points;  // one for each output channel
  std::vector<int32_t> bias;           // likewise, within +-2^30
  // uint8: sums of products may pass kMaxBias and are accumulated in 64 bits. int16: an output has
  // more than kMaxWideProducts products, which only the reference loops accumulate.
  bool long_sums = false;

  // int16
  std::vector<int64_t> wide_bias;  // one for each output channel, within +-2^50
  // No sum over stored values of x, with the bias that corrects for its zero point, nor a part of
  // one, passes 32 bits: true of most weights of 8 bits.
  bool short_sums = false;
};

// Biases are saturated to +-kMaxBias. Sums of products that are proven to stay
// within the same bound have int32 accumulators, which then never overflow;
// others have 64 bits (LinearData::long_sums).
inline constexpr int32_t kMaxBias = 1 << 30;
// The same bound for int16 in the fast loops: a double holds such sums exactly.
inline constexpr int64_t kMaxWideBias = int64_t{1} << 50;
inline constexpr int64_t kMaxWideProducts = int64_t{1} << 20;  // of an output

// A weight of 16 bits in two parts: WeightPart(w, 0) + 256 * WeightPart(w, 1), both
// in [-128, 128]. kPartProducts products of int16 and a part add up in an int32.
inline int16_t WeightPart(int16_t weight, int part) {
  const int32_t low = ((weight + 128) & 255) - 128;
  return static_cast<int16_t>(part == 0 ? low : (weight - low) / 256);
}
inline constexpr int64_t kPartProducts = 510;  // even

// Makes the LinearData of an op; all ops with weights use it.
//   Unimplemented: weights, bias or table are not constant, or there is no kernel from the inputs'
//     data types to the output's: x's own, or int16 of uint8 without a table.
//   InvalidArgument: scales overflow a float, or weights are quantized along another dimension than
//     that of the output channels.
absl::StatusOr<LinearData> PrepareLinear(const PrepareContext& context,
                                         const FusedActivation& activation, const FusedSum& sum,
                                         const WeightLayout& layout);

// Finds the output channel of uint8 x and 8-bit `weights` (constant data of type w) whose possible
// sum of products is largest; nullopt if that is at most kMaxBias.
struct LongSum {
  int64_t channel = 0;
  int64_t sum = 0;  // the largest |sum of (x - zero point) * (w - zero point)|
};
absl::optional<LongSum> FindLongSum(const TensorType& x, const TensorType& w, const void* weights,
                                    const WeightLayout& layout);

// Computes output element `index` of channel `channel`: the definition of the ops
// without their geometry. for_each_tap(step) calls step(index into x, index into
// weights) for every product in order.
template <typename ForEachTap>
void ComputeLinear(const LinearData& data, const KernelArgs& args, size_t channel,
                   ForEachTap for_each_tap, int64_t index);

// Number of additions of the residual; 0 without one.
int64_t SumsOf(absl::Span<const TensorType> inputs, absl::Span<const TensorType> outputs);

// a * b for a, b >= 0, saturated at the largest int64. For counts of
// multiply-accumulates, which may overflow for shapes that are too large to run.
int64_t SaturatingProduct(int64_t a, int64_t b);

// min(max(x, clamp.min), clamp.max); NaN stays NaN.
inline float ApplyClamp(float x, const Clamp& clamp) {
  const float above = x < clamp.min ? clamp.min : x;
  return above > clamp.max ? clamp.max : above;
}

// The sum of an output element, quantized to T, and the residual's element.
template <typename T>
T AddResidual(const LinearData& data, const KernelArgs& args, T value, int64_t index) {
  if (!data.sum.has_value()) return value;
  using Range = std::numeric_limits<T>;
  return static_cast<T>(EvaluateQuantized(*data.sum, value, args.input<T>(kResidual)[index],
                                          Range::min(), Range::max()));
}

template <typename ForEachTap>
void ComputeLinear(const LinearData& data, const KernelArgs& args, size_t channel,
                   ForEachTap for_each_tap, int64_t index) {
  switch (data.type) {
    case DataType::kUint8: {
      const auto* x = args.input<uint8_t>(0);
      const auto* w = static_cast<const uint8_t*>(data.weights);
      int64_t acc = data.bias[channel];
      for_each_tap([&](int64_t at_x, int64_t at_w) {
        acc += (x[at_x] - data.x_zero_point) * (w[at_w] - data.w_zero_points[channel]);
      });
      if (data.widens()) {
        args.output<int16_t>(0)[index] =
            AddResidual(data, args, data.output.ApplyWide(acc, channel), index);
      } else {
        args.output<uint8_t>(0)[index] =
            AddResidual(data, args, data.output.Apply(acc, channel), index);
      }
      break;
    }
    case DataType::kInt16: {
      const auto* x = args.input<int16_t>(0);
      const auto* w = static_cast<const int16_t*>(data.weights);
      int64_t acc = data.wide_bias[channel];
      for_each_tap([&](int64_t at_x, int64_t at_w) {
        acc += int64_t{x[at_x] - data.x_zero_point} * w[at_w];
      });
      args.output<int16_t>(0)[index] =
          AddResidual(data, args, data.output.ApplyWide(acc, channel), index);
      break;
    }
    default: {
      const auto* x = args.input<float>(0);
      const auto* w = static_cast<const float*>(data.weights);
      float acc = data.float_bias[channel];
      for_each_tap([&](int64_t at_x, int64_t at_w) { acc = std::fma(x[at_x], w[at_w], acc); });
      float value = ApplyClamp(acc, data.clamp);
      if (data.activation != nullptr) value = EvaluateUnary(data.activation_params, value);
      if (data.sum.has_value()) {
        value = EvaluateClamped(*data.sum, value, args.input<float>(kResidual)[index]);
      }
      args.output<float>(0)[index] = value;
    }
  }
}

}  // namespace synap_internal

#endif  // KERNELS_SHARED_LINEAR_LINEAR_H_
