// The arithmetic between an application's numbers and a tensor's. It is exactly
// that of the boards, with its roundings, so that both compute the same.
#ifndef RUNTIME_API_NORMALIZE_H_
#define RUNTIME_API_NORMALIZE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "base/tensor_type.h"
#include "runtime/bundle/model_metadata.h"

namespace synap {

// How values v get into a tensor: (v - mean) / scale, then quantized.
struct Normalization {
  DataType dtype = DataType::kInvalid;
  QuantParams quant;
  float scale = 1;
  std::vector<float> mean = {0};  // one, or one for each channel
  // The elements are [outer][channel][inner]; for a single mean 1 channel.
  int64_t channels = 1;
  int64_t inner = 1;
  bool planar_means = false;  // several means and nchw

  // What uint8_t values are instead, and channels and inner of theirs; see PixelMapping.
  std::optional<PixelMapping> pixels;
  int64_t pixel_channels = 1;
  int64_t pixel_inner = 1;
};

// From the tensor's metadata; for outputs scale 1 and mean 0. InvalidArgument if
// the number of means is neither 1 nor the channels of a tensor with 4
// dimensions and a layout.
absl::StatusOr<Normalization> MakeNormalization(const TensorMetadata& metadata, bool is_input);

// Normalizes and quantizes values[i] into element i of `data`. uint8, int8 with
// affine quantization, plain uint8: trunc((v - m) / (scale * qscale) + zp + 0.5),
// or v - (m - zp) where scale * qscale is within 1/256 of 1, m = trunc(mean);
// saturating. int8, int16 with dynamic fixed point: (v - m) shifted by the
// fractional length, / scale, + 0.5 (not for planar means), truncated, or only
// shifted where scale is 1; saturating. float16: truncated to its precision,
// denormals to 0, saturating at 65504. float32: (v - mean) / scale. int16 with
// affine quantization, which boards don't convert: (v - mean) / (scale * qscale)
// + zp, rounded half to even, saturating. uint8_t values with `pixels` become
// integers of every type in that way, with its mean and scale.
// Unimplemented for other types, naming the type.
absl::Status Normalize(const Normalization& how, absl::Span<const uint8_t> values, void* data);
absl::Status Normalize(const Normalization& how, absl::Span<const int16_t> values, void* data);
absl::Status Normalize(const Normalization& how, absl::Span<const float> values, void* data);

// True if Normalize would copy values of the tensor's own type.
bool IsCopy(const Normalization& how);

// Elements to real numbers: (q - zp) * scale, q / 2^fl, others by their value.
// REQUIRES: dtype isn't kInvalid or kInt64.
void Dequantize(DataType dtype, const QuantParams& quant, const void* data,
                absl::Span<float> values);

// float32 to float16 as Normalize does it.
uint16_t TruncateToHalf(float value);

}  // namespace synap

#endif  // RUNTIME_API_NORMALIZE_H_
