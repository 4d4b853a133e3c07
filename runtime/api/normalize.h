// Conversion of an application's numbers to a tensor's elements and back, with the
// roundings of the boards, so that both compute the same.
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

namespace synap_internal {

// Parameters of the normalization of values v: (v - mean) / scale, then quantized.
struct Normalization {
  DataType dtype = DataType::kInvalid;
  QuantParams quant;
  float scale = 1;
  std::vector<float> mean = {0};  // one for all, or one for each channel
  // The elements are [outer][channel][inner]; a single mean has 1 channel.
  int64_t channels = 1;
  int64_t inner = 1;
  bool planar_means = false;  // several means and nchw

  // Mapping of uint8_t values, instead of mean and scale, with its channels and inner; see
  // PixelMapping.
  std::optional<PixelMapping> pixels;
  int64_t pixel_channels = 1;
  int64_t pixel_inner = 1;
};

// Element `channel` of a list with one value for all channels, or one for each.
inline float ChannelValue(const std::vector<float>& list, int64_t channel) {
  return list[list.size() == 1 ? 0 : static_cast<size_t>(channel)];
}

// From the tensor's metadata; for outputs scale 1 and mean 0. InvalidArgument if
// the number of means is neither 1 nor the channels of a tensor with 4
// dimensions and a layout.
absl::StatusOr<Normalization> MakeNormalization(const TensorMetadata& metadata, bool is_input);

// Normalizes and quantizes values[i] into element i of `data`. uint8, int8 with
// affine quantization, plain uint8: trunc((v - m) / (scale * qscale) + zp + 0.5),
// or v - (m - zp) if scale * qscale is within 1/256 of 1, m = trunc(mean);
// saturating. int8, int16 with dynamic fixed point: (v - m) shifted by the
// fractional length, / scale, + 0.5 (not for planar means), truncated, or only
// shifted if scale is 1; saturating. float16: truncated to its precision,
// denormals to 0, saturating at 65504. float32: (v - mean) / scale. int16 with
// affine quantization, which boards don't convert: (v - mean) / (scale * qscale)
// + zp, rounded half to even, saturating; so do all other integers, where qscale
// is 2^-fl for dynamic fixed point and 1 without quantization. bool: whether v
// isn't the mean. uint8_t values with `pixels`: this last formula with the mean
// and scale of `pixels`, for integers of every type. Unimplemented for types that
// aren't a tensor's, naming the type.
absl::Status Normalize(const Normalization& how, absl::Span<const uint8_t> values, void* data);
absl::Status Normalize(const Normalization& how, absl::Span<const int16_t> values, void* data);
absl::Status Normalize(const Normalization& how, absl::Span<const uint16_t> values, void* data);
absl::Status Normalize(const Normalization& how, absl::Span<const int32_t> values, void* data);
absl::Status Normalize(const Normalization& how, absl::Span<const uint32_t> values, void* data);
absl::Status Normalize(const Normalization& how, absl::Span<const float> values, void* data);

// Whether Normalize copies values of the tensor's own type unchanged.
bool IsCopy(const Normalization& how);

// Converts elements to real numbers: (q - zp) * scale, q / 2^fl, or the value itself.
// REQUIRES: dtype isn't kInvalid or kInt64.
void Dequantize(DataType dtype, const QuantParams& quant, const void* data,
                absl::Span<float> values);

// Converts float32 to float16 by truncation, as Normalize does.
uint16_t TruncateToHalf(float value);

}  // namespace synap_internal

#endif  // RUNTIME_API_NORMALIZE_H_
