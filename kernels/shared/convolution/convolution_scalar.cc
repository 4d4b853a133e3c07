#include <cmath>

#include "base/rounding.h"
#include "kernels/shared/convolution/convolution_tile.h"
#include "kernels/shared/linear/linear.h"

namespace synap_internal {
namespace {

// Calls step(x, w) for every product of output (p, o), in order; its weights are in
// block `block`.
template <typename X, typename W, typename Step>
void ForEachTapOfBlock(const TileTaps<X, W>& taps, size_t lanes, int64_t p, int64_t o,
                       int64_t block, Step step) {
  const int64_t lane = o % static_cast<int64_t>(lanes);
  for (int64_t row = 0; row < taps.tap_rows; ++row) {
    for (int64_t run = 0; run < taps.runs; ++run) {
      const X* x =
          taps.x + p * taps.pixel_stride + row * taps.tap_row_stride + run * taps.run_stride;
      const W* w = taps.w + block * taps.w_block_stride + row * taps.w_row_stride +
                   run * taps.w_run_stride + lane * kGroup<W>;
      for (int64_t k = 0; k < taps.run_length; ++k) {
        step(x[k], w[k / kGroup<W> * kGroup<W> * static_cast<int64_t>(lanes) + k % kGroup<W>]);
      }
    }
  }
}

template <typename X, typename W, typename Step>
void ForEachTap(const TileTaps<X, W>& taps, size_t lanes, int64_t p, int64_t o, Step step) {
  ForEachTapOfBlock(taps, lanes, p, o, o / static_cast<int64_t>(lanes), step);
}

// Requantizes the sum of output (p, o) of an Int16Tile or a ByteTile.
template <typename Tile>
void Store(const Tile& tile, int64_t p, int64_t o, int32_t sum) {
  const int32_t q = Requantize(sum, tile.multipliers[o], tile.zero_point, tile.min, tile.max);
  const int64_t at = p * tile.taps.out_pixel_stride + o;
  if (tile.words != nullptr) {
    tile.words[at] = static_cast<int16_t>(q);
  } else {
    tile.out[at] = static_cast<uint8_t>(q);
  }
}

}  // namespace

void FloatTileScalar(const FloatTile& tile, size_t lanes) {
  for (int64_t p = 0; p < tile.taps.pixels; ++p) {
    for (int64_t o = 0; o < tile.taps.outputs; ++o) {
      float acc = tile.bias[o];
      ForEachTap(tile.taps, lanes, p, o, [&acc](float x, float w) { acc = std::fma(x, w, acc); });
      tile.out[p * tile.taps.out_pixel_stride + o] = ApplyClamp(acc, {tile.min, tile.max});
    }
  }
}

void Int16TileScalar(const Int16Tile& tile, size_t lanes) {
  for (int64_t p = 0; p < tile.taps.pixels; ++p) {
    for (int64_t o = 0; o < tile.taps.outputs; ++o) {
      int32_t acc = tile.bias[o];
      ForEachTap(tile.taps, lanes, p, o, [&acc](int16_t x, int16_t w) { acc += x * w; });
      Store(tile, p, o, acc);
    }
  }
}

void WideTileScalar(const WideTile& tile, size_t lanes) {
  for (int64_t p = 0; p < tile.taps.pixels; ++p) {
    for (int64_t o = 0; o < tile.taps.outputs; ++o) {
      auto acc = static_cast<int64_t>(tile.bias[o]);
      const int64_t low = o / static_cast<int64_t>(lanes) * tile.planes;
      for (int plane = 0; plane < tile.planes; ++plane) {
        const int factor = plane == 0 ? 1 : 256;
        ForEachTapOfBlock(tile.taps, lanes, p, o, low + plane,
                          [&acc, factor](int16_t x, int16_t w) { acc += x * w * factor; });
      }
      tile.out[p * tile.taps.out_pixel_stride + o] = static_cast<int16_t>(
          Requantize(acc, tile.multipliers[o], tile.zero_point, tile.min, tile.max));
    }
  }
}

namespace {

void ByteRowScalar(const ByteTile& tile, size_t lanes) {
  const TileTaps<uint8_t, int8_t>& taps = tile.taps;
  for (int64_t p = 0; p < taps.pixels; ++p) {
    for (int64_t o = 0; o < taps.outputs; ++o) {
      const size_t block = static_cast<size_t>(o) / lanes, lane = static_cast<size_t>(o) % lanes;
      int64_t acc = tile.bias[o];
      ForEachTap(taps, lanes, p, o, [&acc](uint8_t x, int8_t w) { acc += x * w; });
      for (int64_t e = tile.extra_begins[block]; e < tile.extra_begins[block + 1]; ++e) {
        const ExtraQuad& extra = tile.extras[e];
        const uint8_t* x =
            taps.x + p * taps.pixel_stride + extra.row * taps.tap_row_stride + extra.offset;
        for (size_t k = 0; k < 4; ++k) acc += x[k] * extra.w[4 * lane + k];
      }
      Store(tile, p, o, static_cast<int32_t>(acc));
    }
  }
}

}  // namespace

void ByteTileScalar(const ByteTile& tile, size_t lanes) {
  ForEachRow(tile, [lanes](const ByteTile& row) { ByteRowScalar(row, lanes); });
}

}  // namespace synap_internal
