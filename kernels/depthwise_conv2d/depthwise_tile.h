// Inner loops of depthwise_conv2d, one instance for each Highway target. Internal
// to kernels/depthwise_conv2d.
#ifndef KERNELS_DEPTHWISE_CONV2D_DEPTHWISE_TILE_H_
#define KERNELS_DEPTHWISE_CONV2D_DEPTHWISE_TILE_H_

#include <cstdint>

namespace synap_internal {

// Of the pairs or quads of rows that tasks share.
inline constexpr int64_t kMaxScratchBytes = int64_t{16} << 20;

inline int64_t DivideUp(int64_t a, int64_t b) { return (a + b - 1) / b; }

// Channels of one block of the 8-bit loops: a multiple of any target's lanes.
inline constexpr int64_t kDepthwiseBlock = 16;

// Output pixels of one row that all read the same taps.
struct DepthwiseFloatTile {
  const float* x;                                    // pixel 0, first tap, channel 0
  int64_t pixel_stride, tap_row_stride, tap_stride;  // elements of x
  const float* w;                                    // first tap
  int64_t w_row_stride, w_tap_stride;                // elements of w
  int64_t tap_rows, taps;                            // taps of a row
  const float* bias;
  float min, max;
  float* out;  // [pixels, channels]
  int64_t pixels, channels;
};

// The pairs of input rows that one output row reads, of one block of channels:
// pairs[pair][column][channel][2]. T: of the image; Sum: of the outputs' sums.
//   uint8_t, int32_t: values minus their zero point, and w likewise
//   int16_t, int32_t: stored values, for whose zero point the bias corrects
//   int16_t, double:  likewise, and two consecutive planes of w, the parts of the
//                     weights (WeightPart)
template <typename T, typename Sum>
struct DepthwisePairTile {
  const int16_t* pairs;
  int64_t pair_rows, pair_row_stride;  // elements
  int64_t pixel_stride, tap_stride;    // elements
  int64_t taps;                        // of a row
  const int16_t* w;                    // [plane][pair_rows][taps][kDepthwiseBlock][2]
  const Sum* bias;                     // [kDepthwiseBlock]
  const float* multipliers;            // [kDepthwiseBlock]
  int32_t zero_point, min, max;
  T* out;
  int64_t out_pixel_stride;
  int64_t pixels;
  int64_t channels;  // stored ones, at most kDepthwiseBlock
};

// Output pixels of `group` rows, of one block of channels, from quads of input rows:
// x[quad][column][channel][4], stored values. The weights minus their zero point are
// the sum of `planes` planes; they are 0 for rows of a quad that an output row
// doesn't read.
struct DepthwiseQuadTile {
  const uint8_t* x;  // pixel 0, first tap, first channel
  int64_t quads, quad_stride;
  int64_t pixel_stride, tap_stride;
  int64_t taps;  // of a row
  int planes;
  int group;                 // 1, 2 or 4
  const int8_t* w;           // [plane][quads][taps][group][kDepthwiseBlock][4]
  const int32_t* bias;       // [kDepthwiseBlock], corrected for x's zero point
  const float* multipliers;  // [kDepthwiseBlock]
  int32_t zero_point, min, max;
  uint8_t* out;
  int64_t out_row_stride, out_pixel_stride;
  int64_t rows;  // stored ones, at most `group`
  int64_t pixels;
  int64_t channels;  // stored ones, at most kDepthwiseBlock
};

struct DepthwiseLoops {
  void (*float_tile)(const DepthwiseFloatTile& tile);
  void (*pair_tile)(const DepthwisePairTile<uint8_t, int32_t>& tile);
  void (*int16_tile)(const DepthwisePairTile<int16_t, int32_t>& tile);
  void (*wide_tile)(const DepthwisePairTile<int16_t, double>& tile);
  // Interleaves `pixels` pixels of two input rows: to[pixel][channel] = {a, b},
  // for uint8 minus zero_point. A null row counts as zero_point. Reads
  // min(channels, kDepthwiseBlock) channels of each pixel; writes whole blocks.
  void (*interleave8)(const uint8_t* a, const uint8_t* b, int64_t pixels, int64_t pixel_stride,
                      int64_t channels, int32_t zero_point, int16_t* to);
  void (*interleave16)(const int16_t* a, const int16_t* b, int64_t pixels, int64_t pixel_stride,
                       int64_t channels, int32_t zero_point, int16_t* to);
  // quad_tile and interleave_quads are null if the vectors have no exact dot
  // product of bytes.
  void (*quad_tile)(const DepthwiseQuadTile& tile);
  int32_t quad_offset;  // quad_tile multiplies x minus this; the bias corrects for it
  // to[i] = {rows[0][i], ... rows[3][i]} for i < bytes; a null row counts as `outside`.
  void (*interleave_quads)(const uint8_t* const rows[4], int64_t bytes, uint8_t outside,
                           uint8_t* to);
};

// The loops of the target that Highway chooses for this machine.
DepthwiseLoops ChooseDepthwiseLoops();

// Number of output rows of a task over images of height x width pixels: enough to outweigh its
// scheduling, few enough that small images make tasks for several threads; a multiple of `group` or
// all.
int64_t RowsOfTask(int64_t images, int64_t height, int64_t width, int64_t channels, int64_t group);

}  // namespace synap_internal

#endif  // KERNELS_DEPTHWISE_CONV2D_DEPTHWISE_TILE_H_
