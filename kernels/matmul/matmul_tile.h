// Inner loops of matmul, one instance for each Highway target. Internal to
// kernels/matmul.
#ifndef KERNELS_MATMUL_MATMUL_TILE_H_
#define KERNELS_MATMUL_MATMUL_TILE_H_

#include <cstdint>

namespace synap_internal {

// Dense rows; strides in elements.
struct MatmulFloatTile {
  const float* a;  // [rows, depth]
  const float* b;  // [depth, columns] of a matrix with b_stride columns
  float* out;      // [rows, columns] of a matrix with b_stride columns
  int64_t rows, depth, columns;
  int64_t a_stride, b_stride;
  bool normalize;
};

struct MatmulUint8Tile {
  const int16_t* a;  // minus the zero point; depth rounded up to even with zeros
  const uint8_t* b;
  uint8_t* out;
  int64_t rows, depth, columns;
  int64_t a_stride, b_stride;
  int32_t b_zero_point;
  const float* multipliers;  // of each row
  int32_t zero_point;        // of the output
};

struct MatmulLoops {
  void (*float_tile)(const MatmulFloatTile& tile);
  void (*uint8_tile)(const MatmulUint8Tile& tile);  // sums within 2^30
  void (*long_uint8_tile)(const MatmulUint8Tile& tile);
};

// The loops of the target that Highway chooses for this machine.
MatmulLoops ChooseMatmulLoops();

}  // namespace synap_internal

#endif  // KERNELS_MATMUL_MATMUL_TILE_H_
