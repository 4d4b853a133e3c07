// Checks and copies that ops which only move data share: they take any element
// size, and their output is stored exactly as their input.
#ifndef KERNELS_SHARED_DATA_MOVEMENT_DATA_MOVEMENT_H_
#define KERNELS_SHARED_DATA_MOVEMENT_DATA_MOVEMENT_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "kernels/op_def.h"

namespace synap_internal {

// InvalidArgument if `x` is quantized per channel: an op that moves elements
// between channels would give them another channel's scale.
absl::Status RejectPerChannel(const TensorType& x);

// For Prepare. InvalidArgument unless `output` has the data type and the
// quantization of `expected`.
absl::Status CheckStoredAs(const TensorType& output, const TensorType& expected);
// The same for output 0 and operand 0.
absl::Status CheckStoredAlike(const PrepareContext& context);

// Bytes that one task of a copy should move: enough to outweigh its scheduling,
// few enough to balance a layer over the threads.
inline constexpr int64_t kCopyTaskBytes = int64_t{1} << 16;

// Copies `count` elements of `size` bytes; the strides are in bytes. Elements of
// the sizes of pixels and scalars are moved in registers.
void CopyStridedElements(const uint8_t* input, int64_t input_stride, uint8_t* output,
                         int64_t output_stride, int64_t size, int64_t count);

}  // namespace synap_internal

#endif  // KERNELS_SHARED_DATA_MOVEMENT_DATA_MOVEMENT_H_
