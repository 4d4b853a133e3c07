// Inner loops of the poolings, one instance for each Highway target. Internal to
// kernels/pool.
#ifndef KERNELS_POOL_POOL_TILE_H_
#define KERNELS_POOL_POOL_TILE_H_

#include <cstdint>

namespace synap_internal {

// Output pixels of one row that all have the same taps inside of the image, at
// least one. Strides in elements.
template <typename T>
struct PoolTile {
  const T* x;  // pixel 0, first tap, channel 0
  int64_t pixel_stride, tap_row_stride, tap_stride;
  int64_t tap_rows, taps;  // taps of a row
  T* out;                  // [pixels, channels]
  int64_t pixels, channels;

  float divisor;       // mean of floats
  float multiplier;    // mean of bytes, as the next two
  int32_t sum_offset;  // added to the sum of the bytes: -zero point for each tap
  int32_t zero_point;  // of the output
};

struct PoolLoops {
  void (*max_float)(const PoolTile<float>& tile);
  void (*max_uint8)(const PoolTile<uint8_t>& tile);
  void (*average_float)(const PoolTile<float>& tile);
  void (*average_uint8)(const PoolTile<uint8_t>& tile);
};

// The loops of the target that Highway chooses for this machine.
PoolLoops ChoosePoolLoops();

}  // namespace synap_internal

#endif  // KERNELS_POOL_POOL_TILE_H_
