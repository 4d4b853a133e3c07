// Inner loops of a Convolution, one instance for each Highway target. Internal to
// kernels/shared/convolution.
#ifndef KERNELS_SHARED_CONVOLUTION_CONVOLUTION_TILE_H_
#define KERNELS_SHARED_CONVOLUTION_CONVOLUTION_TILE_H_

#include <cstddef>
#include <cstdint>

namespace synap_internal {

// `pixels` output pixels of one output row by `outputs` output channels.
//
// A pixel's taps are tap_rows x runs runs in x, of run_length elements each. The
// weights are packed as [block][tap row][run][k / G][lane][k % G], where a block
// is `lanes` output channels and G = kGroup<W> neighbours along k share a lane;
// run_length is rounded up to a multiple of G with zeros.
template <typename W>
inline constexpr int64_t kGroup = sizeof(int32_t) / sizeof(W);

template <typename X, typename W = X>
struct TileTaps {
  const X* x;            // of pixel 0
  int64_t pixel_stride;  // elements
  int64_t tap_rows;
  int64_t tap_row_stride;  // elements of x
  int64_t runs;
  int64_t run_stride;      // elements of x
  int64_t run_length;      // elements of x
  const W* w;              // of block 0
  int64_t w_row_stride;    // elements, from tap row to tap row
  int64_t w_run_stride;    // elements, from run to run
  int64_t w_block_stride;  // elements, from block to block
  int64_t pixels;
  int64_t outputs;
  int64_t out_pixel_stride;  // elements
};

struct FloatTile {
  TileTaps<float> taps;
  const float* bias;  // [outputs], readable up to a whole block
  float min;
  float max;
  float* out;
};

// x: values minus their zero point, or of int16 as stored, for which the bias corrects; w minus its
// zero point. Sums and their parts fit in an int32. The output goes to `out`, or to `words` in
// int16.
struct Int16Tile {
  TileTaps<int16_t> taps;
  const int32_t* bias;       // [outputs], readable up to a whole block
  const float* multipliers;  // likewise
  int32_t zero_point;
  int32_t min;
  int32_t max;
  uint8_t* out;
  int16_t* words;  // null: to `out`
};

// The excess of weights minus their zero point over an int8, for the outputs of one
// block: 4 weights of neighbouring elements of x for each lane, as in the packed weights.
struct ExtraQuad {
  int64_t row, offset;  // tap row, and elements of x from its first one
  int8_t w[64];         // [lane][4]; lanes * 4 are used
};

// x: stored values; w: values minus their zero point, saturated to -128..127. The few
// larger weights have their excess in `extras`. bias: includes the correction for x's
// zero point, -(zx - byte_offset) * sum (w - zw). Partial sums may wrap around; the
// final sum fits in an int32.
// The output is Int16Tile's.
// `rows` output rows, whose first pixels are line_stride elements of x and out_line_stride of out
// apart. Between the rows' pixels lie others of x, and none beyond the last row's.
struct ByteTile {
  TileTaps<uint8_t, int8_t> taps;  // of row 0
  int64_t rows;
  int64_t line_stride;
  int64_t out_line_stride;
  const ExtraQuad* extras;
  const int64_t* extra_begins;  // block b has extras [extra_begins[b], extra_begins[b + 1])
  const int32_t* bias;          // [outputs], readable up to a whole block
  const float* multipliers;     // as bias
  int32_t zero_point;
  int32_t min;
  int32_t max;
  uint8_t* out;
  int16_t* words;
};

// x: stored values; w: planes, with two of them block 2b with the low and 2b + 1 with the
// high part of the weights of the b-th `lanes` outputs: low + 256 * high, both in
// [-128, 128]. So kPartProducts products of a part fit in an int32, and the whole
// sum in a double. With one plane all high parts are 0.
struct WideTile {
  TileTaps<int16_t> taps;    // w_block_stride: from plane to plane
  int planes;                // 1 or 2
  const double* bias;        // [outputs], integers; readable up to a whole block
  const float* multipliers;  // likewise
  int32_t zero_point;
  int32_t min;
  int32_t max;
  int16_t* out;
};

// Calls run(tile) for each row of `tile`, as a tile of that row.
template <typename Run>
void ForEachRow(ByteTile tile, Run run) {
  const int64_t rows = tile.rows;
  tile.rows = 1;
  for (int64_t row = 0; row < rows; ++row) {
    run(tile);
    tile.taps.x += tile.line_stride;
    if (tile.words != nullptr) {
      tile.words += tile.out_line_stride;
    } else {
      tile.out += tile.out_line_stride;
    }
  }
}

struct ConvolutionLoops {
  size_t lanes;  // 32-bit lanes of a vector: output channels of a block
  void (*float_tile)(const FloatTile& tile);
  void (*int16_tile)(const Int16Tile& tile);
  void (*wide_tile)(const WideTile& tile);
  // to[i] = from[i] - zero_point
  void (*widen)(const uint8_t* from, int64_t count, int32_t zero_point, int16_t* to);
  // to[i] = from[i] - zero_point, saturated to -128..127; whether that changed any.
  bool (*saturate)(const uint8_t* from, int64_t count, int32_t zero_point, int8_t* to);
  int64_t (*sum)(const uint8_t* from, int64_t count);
  // Null where the vectors have no exact dot product of bytes.
  void (*byte_tile)(const ByteTile& tile);
  int32_t byte_offset;  // byte_tile multiplies x minus this
};

// The loops of the target that Highway chooses for this machine.
ConvolutionLoops ChooseConvolutionLoops();

// The same loops without vectors, for targets without a fused multiply-add or
// without pairs of int16.
void FloatTileScalar(const FloatTile& tile, size_t lanes);
void Int16TileScalar(const Int16Tile& tile, size_t lanes);
void WideTileScalar(const WideTile& tile, size_t lanes);
void ByteTileScalar(const ByteTile& tile, size_t lanes);

}  // namespace synap_internal

#endif  // KERNELS_SHARED_CONVOLUTION_CONVOLUTION_TILE_H_
