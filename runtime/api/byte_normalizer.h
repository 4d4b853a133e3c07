// Normalize for bytes that come piece by piece, as rows of a picture do.
#ifndef RUNTIME_API_BYTE_NORMALIZER_H_
#define RUNTIME_API_BYTE_NORMALIZER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/api/normalize.h"

namespace synap_internal {

// Immutable: any number of threads may use it.
class ByteNormalizer {
 public:
  // Unimplemented as Normalize.
  static absl::StatusOr<ByteNormalizer> Create(const Normalization& how);

  // Converts values of the elements first, first + 1, ..., to the bits that Normalize makes of
  // them. `data`: the tensor's element 0, aligned for its type.
  void Run(absl::Span<const uint8_t> values, size_t first, void* data) const;

 private:
  ByteNormalizer() = default;

  // Elements of `channels` channels in turns, from the given one on: of a single one or of all.
  void RunChannels(const uint8_t* values, size_t count, size_t channel, size_t channels,
                   uint8_t* data) const;

  size_t element_size_ = 1;
  size_t channels_ = 1;
  size_t inner_ = 1;             // as in Normalization
  std::vector<uint8_t> tables_;  // [channels][256] elements; empty for float32
  std::vector<float> mean_;      // of float32, for each channel
  std::vector<float> divisor_;
};

}  // namespace synap_internal

#endif  // RUNTIME_API_BYTE_NORMALIZER_H_
