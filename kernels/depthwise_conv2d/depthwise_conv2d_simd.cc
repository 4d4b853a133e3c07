#include <cmath>
#include <cstring>

#include "kernels/cpu_extensions.h"
#include "kernels/depthwise_conv2d/depthwise_tile.h"
#include "kernels/linear/linear.h"
#include "kernels/simd/unroll.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/depthwise_conv2d/depthwise_conv2d_simd.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/simd/int16_pairs-inl.h"
#include "kernels/simd/rounding-inl.h"

HWY_BEFORE_NAMESPACE();
namespace synap {
namespace HWY_NAMESPACE {
namespace {

// Channels [begin, channels), one after the other.
void FloatChannels(const DepthwiseFloatTile& tile, int64_t begin) {
  for (int64_t p = 0; p < tile.pixels; ++p) {
    for (int64_t c = begin; c < tile.channels; ++c) {
      float acc = tile.bias[c];
      for (int64_t row = 0; row < tile.tap_rows; ++row) {
        for (int64_t tap = 0; tap < tile.taps; ++tap) {
          acc = std::fma(
              tile.x[p * tile.pixel_stride + row * tile.tap_row_stride + tap * tile.tap_stride + c],
              tile.w[row * tile.w_row_stride + tap * tile.w_tap_stride + c], acc);
        }
      }
      tile.out[p * tile.channels + c] = ApplyClamp(acc, {tile.min, tile.max});
    }
  }
}

// kP pixels x one vector of channels from c on.
template <int kP, class D>
HWY_INLINE void FloatVector(D d, const DepthwiseFloatTile& tile, int64_t p, int64_t c) {
  using V = hn::Vec<D>;
  V acc[kP];
  const V start = hn::LoadU(d, tile.bias + c);
  UNROLL
  for (int i = 0; i < kP; ++i) acc[i] = start;
  for (int64_t row = 0; row < tile.tap_rows; ++row) {
    const float* x = tile.x + p * tile.pixel_stride + row * tile.tap_row_stride + c;
    const float* w = tile.w + row * tile.w_row_stride + c;
    for (int64_t tap = 0; tap < tile.taps; ++tap, x += tile.tap_stride, w += tile.w_tap_stride) {
      const V weight = hn::LoadU(d, w);
      UNROLL
      for (int i = 0; i < kP; ++i) {
        acc[i] = FusedMulAdd(d, hn::LoadU(d, x + i * tile.pixel_stride), weight, acc[i]);
      }
    }
  }
  UNROLL
  for (int i = 0; i < kP; ++i) {
    hn::StoreU(ClampFloat(acc[i], hn::Set(d, tile.min), hn::Set(d, tile.max)), d,
               tile.out + (p + i) * tile.channels + c);
  }
}

// All channels, in vectors that may overlap at the end: the lanes that are
// computed twice get the same bits twice.
template <class D>
void FloatVectors(D d, const DepthwiseFloatTile& tile) {
  constexpr int64_t kStep = hn::MaxLanes(d);
  for (int64_t begin = 0; begin < tile.channels; begin += kStep) {
    const int64_t c = HWY_MIN(begin, tile.channels - kStep);
    int64_t p = 0;
    for (; p + 4 <= tile.pixels; p += 4) FloatVector<4>(d, tile, p, c);
    for (; p < tile.pixels; ++p) FloatVector<1>(d, tile, p, c);
  }
}

void RunFloatTile(const DepthwiseFloatTile& tile) {
  const hn::ScalableTag<float> d;
  const hn::CappedTag<float, 8> d8;
  const hn::CappedTag<float, 4> d4;
  if (!kHasFma || tile.channels < static_cast<int64_t>(hn::MaxLanes(d4))) {
    FloatChannels(tile, 0);
  } else if (tile.channels >= static_cast<int64_t>(hn::MaxLanes(d))) {
    FloatVectors(d, tile);
  } else if (tile.channels >= static_cast<int64_t>(hn::MaxLanes(d8))) {
    FloatVectors(d8, tile);
  } else {
    FloatVectors(d4, tile);
  }
}

void InterleaveChannels(const uint8_t* a, const uint8_t* b, int64_t channels, int32_t zero_point,
                        int16_t* to) {
  for (int64_t c = 0; c < kDepthwiseBlock; ++c) {
    const bool stored = c < channels;
    to[2 * c] = static_cast<int16_t>(stored && a != nullptr ? a[c] - zero_point : 0);
    to[2 * c + 1] = static_cast<int16_t>(stored && b != nullptr ? b[c] - zero_point : 0);
  }
}

#if HWY_TARGET == HWY_SCALAR

void Interleave(const uint8_t* a, const uint8_t* b, int64_t pixels, int64_t pixel_stride,
                int64_t channels, int32_t zero_point, int16_t* to) {
  for (int64_t p = 0; p < pixels; ++p, to += 2 * kDepthwiseBlock) {
    InterleaveChannels(a, b, channels, zero_point, to);
    if (a != nullptr) a += pixel_stride;
    if (b != nullptr) b += pixel_stride;
  }
}

void RunPairTile(const DepthwisePairTile& tile) {
  for (int64_t p = 0; p < tile.pixels; ++p) {
    for (int64_t c = 0; c < tile.channels; ++c) {
      int32_t acc = tile.bias[c];
      for (int64_t pair = 0; pair < tile.pair_rows; ++pair) {
        for (int64_t tap = 0; tap < tile.taps; ++tap) {
          const int16_t* x = tile.pairs + pair * tile.pair_row_stride + p * tile.pixel_stride +
                             tap * tile.tap_stride + 2 * c;
          const int16_t* w = tile.w + ((pair * tile.taps + tap) * kDepthwiseBlock + c) * 2;
          acc += x[0] * w[0] + x[1] * w[1];
        }
      }
      tile.out[p * tile.out_pixel_stride + c] = static_cast<uint8_t>(
          Requantize(acc, tile.multipliers[c], tile.zero_point, tile.min, tile.max));
    }
  }
}
constexpr auto RunPairTileVnni = &RunPairTile;

#else

constexpr int kV = static_cast<int>(kDepthwiseBlock / kLanes);  // vectors of a block
static_assert(kDepthwiseBlock % kLanes == 0, "a block is whole vectors");

// Lanes of one row, of 32 bits each; a row outside of the image is zero_point.
HWY_INLINE VI LoadRow(const uint8_t* row, VI zero_point) {
  const DI d;
  const hn::Rebind<uint8_t, DI> du8;
  return row == nullptr ? zero_point : hn::PromoteTo(d, hn::LoadU(du8, row));
}

void Interleave(const uint8_t* a, const uint8_t* b, int64_t pixels, int64_t pixel_stride,
                int64_t channels, int32_t zero_point, int16_t* to) {
  const VI zero = hn::Set(DI(), zero_point);
  const V16 zero16 = hn::Set(D16(), static_cast<int16_t>(zero_point));
  for (int64_t p = 0; p < pixels; ++p, to += 2 * kDepthwiseBlock) {
    const uint8_t* pa = a == nullptr ? nullptr : a + p * pixel_stride;
    const uint8_t* pb = b == nullptr ? nullptr : b + p * pixel_stride;
    if (channels < kDepthwiseBlock) {
      InterleaveChannels(pa, pb, channels, zero_point, to);
      continue;
    }
    UNROLL
    for (int v = 0; v < kV; ++v) {
      const int64_t at = v * static_cast<int64_t>(kLanes);
      const VI low = LoadRow(pa == nullptr ? nullptr : pa + at, zero);
      const VI high = LoadRow(pb == nullptr ? nullptr : pb + at, zero);
      const VI both = hn::Or(low, hn::ShiftLeft<16>(high));
      hn::StoreU(hn::Sub(hn::BitCast(D16(), both), zero16), D16(), to + 2 * at);
    }
  }
}

HWY_INLINE void StorePixel(const Accumulator* acc, const DepthwisePairTile& tile, int64_t p) {
  const DF d;
  const DI di;
  HWY_ALIGN uint8_t block[kDepthwiseBlock];
  uint8_t* out = tile.out + p * tile.out_pixel_stride;
  uint8_t* to = tile.channels == kDepthwiseBlock ? out : block;
  const VF lo = hn::Set(d, static_cast<float>(tile.min - tile.zero_point));
  const VF hi = hn::Set(d, static_cast<float>(tile.max - tile.zero_point));
  UNROLL
  for (int v = 0; v < kV; ++v) {
    const VF multiplier = hn::LoadU(d, tile.multipliers + v * static_cast<int>(kLanes));
    const VI q = RequantizeLanes(d, acc[v].Sum(), multiplier, lo, hi, hn::Set(di, tile.zero_point));
    StoreAsBytes(di, q, to + v * static_cast<int>(kLanes));
  }
  if (to == block) std::memcpy(out, block, static_cast<size_t>(tile.channels));
}

template <bool kVnni, int kP>
HWY_INLINE void PairPixels(const DepthwisePairTile& tile, int64_t p) {
  Accumulator acc[kP][kV];
  UNROLL
  for (int v = 0; v < kV; ++v) {
    const VI start = hn::LoadU(DI(), tile.bias + v * static_cast<int>(kLanes));
    UNROLL
    for (int i = 0; i < kP; ++i) acc[i][v] = StartAt(start);
  }
  const int16_t* w = tile.w;
  for (int64_t pair = 0; pair < tile.pair_rows; ++pair) {
    const int16_t* x = tile.pairs + pair * tile.pair_row_stride + p * tile.pixel_stride;
    for (int64_t tap = 0; tap < tile.taps; ++tap, x += tile.tap_stride) {
      UNROLL
      for (int v = 0; v < kV; ++v, w += 2 * kLanes) {
        const V16 weights = hn::LoadU(D16(), w);
        UNROLL
        for (int i = 0; i < kP; ++i) {
          const int16_t* xv = x + i * tile.pixel_stride + v * static_cast<int>(2 * kLanes);
          AddPairs<kVnni>(hn::LoadU(D16(), xv), weights, acc[i][v]);
        }
      }
    }
  }
  UNROLL
  for (int i = 0; i < kP; ++i) StorePixel(acc[i], tile, p + i);
}

template <bool kVnni>
void RunPairTileOf(const DepthwisePairTile& tile) {
  constexpr int kPixels = kV == 1 ? 4 : 2;
  int64_t p = 0;
  for (; p + kPixels <= tile.pixels; p += kPixels) PairPixels<kVnni, kPixels>(tile, p);
  for (; p < tile.pixels; ++p) PairPixels<kVnni, 1>(tile, p);
}

void RunPairTile(const DepthwisePairTile& tile) { RunPairTileOf<false>(tile); }
#if HWY_TARGET == HWY_AVX3
void RunPairTileVnni(const DepthwisePairTile& tile) { RunPairTileOf<true>(tile); }
#else
constexpr auto RunPairTileVnni = &RunPairTile;
#endif

#endif  // HWY_TARGET != HWY_SCALAR

DepthwiseLoops DepthwiseTargetLoops() {
  return {&RunFloatTile, CpuHasAvx512Vnni() ? RunPairTileVnni : &RunPairTile, &Interleave};
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace synap
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace synap {

HWY_EXPORT(DepthwiseTargetLoops);

DepthwiseLoops ChooseDepthwiseLoops() { return HWY_DYNAMIC_DISPATCH(DepthwiseTargetLoops)(); }

}  // namespace synap
#endif  // HWY_ONCE
