// Normalization of pixels to float32 in vectors.
#ifndef RUNTIME_API_NORMALIZE_BYTES_H_
#define RUNTIME_API_NORMALIZE_BYTES_H_

#include <cstddef>
#include <cstdint>

namespace synap_internal {

// The most channels that NormalizeToFloats takes.
inline constexpr size_t kMaxFloatChannels = 4;

// out[i] = (bytes[i] - means[c]) / scales[c] in float32, with c = i modulo `channels`; means and
// scales have as many values. The same bits on every machine. REQUIRES: channels is 1 to
// kMaxFloatChannels.
void NormalizeToFloats(const uint8_t* bytes, size_t count, const float* means, const float* scales,
                       size_t channels, float* out);

}  // namespace synap_internal

#endif  // RUNTIME_API_NORMALIZE_BYTES_H_
