#include <cstring>

#include "kernels/convolution/convolution_tile.h"
#include "kernels/cpu_extensions.h"
#include "kernels/simd/unroll.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/convolution/convolution_simd.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/simd/int16_pairs-inl.h"
#include "kernels/simd/rounding-inl.h"

HWY_BEFORE_NAMESPACE();
namespace synap {
namespace HWY_NAMESPACE {
namespace {

// Pixels of a register block: with two vectors of outputs each, 16 (AVX-512)
// or 12 accumulators hide the multiply-add's latency and stay in registers.
constexpr int kPixels = HWY_MAX_BYTES >= 64 ? 8 : 6;

void Widen(const uint8_t* HWY_RESTRICT from, int64_t count, int32_t zero_point,
           int16_t* HWY_RESTRICT to) {
  int64_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::ScalableTag<int16_t> d;
  const hn::Rebind<uint8_t, decltype(d)> du8;
  constexpr int64_t kStep = hn::MaxLanes(d);
  const auto zero = hn::Set(d, static_cast<int16_t>(zero_point));
  for (; i + kStep <= count; i += kStep) {
    hn::StoreU(hn::Sub(hn::PromoteTo(d, hn::LoadU(du8, from + i)), zero), d, to + i);
  }
#endif
  for (; i < count; ++i) to[i] = static_cast<int16_t>(from[i] - zero_point);
}

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_SSSE3 || HWY_TARGET == HWY_SSE4

void RunFloatTile(const FloatTile& tile) { FloatTileScalar(tile, kLanes); }

#else

template <int kV>
HWY_INLINE void StoreFloats(const VF* acc, const FloatTile& tile, float* out, int64_t outputs) {
  const DF d;
  HWY_ALIGN float lanes[kV * kLanes];
  float* to = outputs == static_cast<int64_t>(kV * kLanes) ? out : lanes;
  UNROLL
  for (int v = 0; v < kV; ++v) {
    const VF clamped = ClampFloat(acc[v], hn::Set(d, tile.min), hn::Set(d, tile.max));
    hn::StoreU(clamped, d, to + v * static_cast<int>(kLanes));
  }
  if (to == lanes) std::memcpy(out, lanes, static_cast<size_t>(outputs) * sizeof(float));
}

// kP pixels x kV blocks: one chain for each lane, in the order of the taps.
template <int kP, int kV>
HWY_INLINE void FloatBlock(const FloatTile& tile, const float* HWY_RESTRICT x,
                           const float* HWY_RESTRICT w, const float* bias, float* out,
                           int64_t outputs) {
  const DF d;
  const TileTaps<float> taps = tile.taps;
  VF acc[kP][kV];
  UNROLL
  for (int v = 0; v < kV; ++v) {
    const VF start = hn::LoadU(d, bias + v * static_cast<int>(kLanes));
    UNROLL
    for (int p = 0; p < kP; ++p) acc[p][v] = start;
  }
  for (int64_t row = 0; row < taps.tap_rows; ++row) {
    for (int64_t run = 0; run < taps.runs; ++run) {
      const float* xk = x + row * taps.tap_row_stride + run * taps.run_stride;
      const float* wk = w + row * taps.w_row_stride + run * taps.w_run_stride;
      for (int64_t k = 0; k < taps.run_length; ++k, ++xk, wk += kLanes) {
        VF weights[kV];
        UNROLL
        for (int v = 0; v < kV; ++v) weights[v] = hn::LoadU(d, wk + v * taps.w_block_stride);
        UNROLL
        for (int p = 0; p < kP; ++p) {
          const VF value = hn::Set(d, xk[p * taps.pixel_stride]);
          UNROLL
          for (int v = 0; v < kV; ++v) acc[p][v] = hn::MulAdd(value, weights[v], acc[p][v]);
        }
      }
    }
  }
  UNROLL
  for (int p = 0; p < kP; ++p) {
    StoreFloats<kV>(acc[p], tile, out + p * taps.out_pixel_stride, outputs);
  }
}

template <int kV>
void FloatBlocks(const FloatTile& tile, int64_t block) {
  const TileTaps<float>& taps = tile.taps;
  const int64_t first = block * static_cast<int64_t>(kLanes);
  const int64_t outputs = HWY_MIN(taps.outputs - first, kV * static_cast<int64_t>(kLanes));
  const float* w = taps.w + block * taps.w_block_stride;
  int64_t p = 0;
  const auto run = [&](auto pixels) HWY_ATTR {
    constexpr int kP = decltype(pixels)::value;
    for (; p + kP <= taps.pixels; p += kP) {
      FloatBlock<kP, kV>(tile, taps.x + p * taps.pixel_stride, w, tile.bias + first,
                         tile.out + p * taps.out_pixel_stride + first, outputs);
    }
  };
  run(std::integral_constant<int, kPixels>());
  run(std::integral_constant<int, 4>());
  run(std::integral_constant<int, 2>());
  run(std::integral_constant<int, 1>());
}

void RunFloatTile(const FloatTile& tile) {
  const int64_t lanes = static_cast<int64_t>(kLanes);
  const int64_t blocks = (tile.taps.outputs + lanes - 1) / lanes;
  int64_t block = 0;
  for (; block + 2 <= blocks; block += 2) FloatBlocks<2>(tile, block);
  if (block < blocks) FloatBlocks<1>(tile, block);
}

#endif  // float

#if HWY_TARGET == HWY_SCALAR

void RunInt16Tile(const Int16Tile& tile) { Int16TileScalar(tile, kLanes); }
constexpr auto RunInt16TileVnni = &RunInt16Tile;

#else

template <int kV>
HWY_INLINE void StoreBytes(const Accumulator* acc, const Int16Tile& tile, const float* multipliers,
                           uint8_t* out, int64_t outputs) {
  const DF d;
  const DI di;
  HWY_ALIGN uint8_t lanes[kV * kLanes];
  uint8_t* to = outputs == static_cast<int64_t>(kV * kLanes) ? out : lanes;
  const VF lo = hn::Set(d, static_cast<float>(tile.min - tile.zero_point));
  const VF hi = hn::Set(d, static_cast<float>(tile.max - tile.zero_point));
  UNROLL
  for (int v = 0; v < kV; ++v) {
    const VI sum = acc[v].Sum();
    const VF multiplier = hn::LoadU(d, multipliers + v * static_cast<int>(kLanes));
    const VI q = RequantizeLanes(d, sum, multiplier, lo, hi, hn::Set(di, tile.zero_point));
    StoreAsBytes(di, q, to + v * static_cast<int>(kLanes));
  }
  if (to == lanes) std::memcpy(out, lanes, static_cast<size_t>(outputs));
}

template <bool kVnni, int kP, int kV>
HWY_INLINE void Int16Block(const Int16Tile& tile, const int16_t* HWY_RESTRICT x,
                           const int16_t* HWY_RESTRICT w, int64_t first, uint8_t* out,
                           int64_t outputs) {
  const DI di;
  const D16 d16;
  const TileTaps<int16_t> taps = tile.taps;
  Accumulator acc[kP][kV];
  UNROLL
  for (int v = 0; v < kV; ++v) {
    const VI start = hn::LoadU(di, tile.bias + first + v * static_cast<int>(kLanes));
    UNROLL
    for (int p = 0; p < kP; ++p) acc[p][v] = StartAt(start);
  }
  for (int64_t row = 0; row < taps.tap_rows; ++row) {
    for (int64_t run = 0; run < taps.runs; ++run) {
      const int16_t* xk = x + row * taps.tap_row_stride + run * taps.run_stride;
      const int16_t* wk = w + row * taps.w_row_stride + run * taps.w_run_stride;
      for (int64_t k = 0; k < taps.run_length; k += 2, xk += 2, wk += 2 * kLanes) {
        V16 weights[kV];
        UNROLL
        for (int v = 0; v < kV; ++v) weights[v] = hn::LoadU(d16, wk + v * taps.w_block_stride);
        UNROLL
        for (int p = 0; p < kP; ++p) {
          const V16 pair = BroadcastPair(xk + p * taps.pixel_stride);
          UNROLL
          for (int v = 0; v < kV; ++v) AddPairs<kVnni>(pair, weights[v], acc[p][v]);
        }
      }
    }
  }
  UNROLL
  for (int p = 0; p < kP; ++p) {
    StoreBytes<kV>(acc[p], tile, tile.multipliers + first, out + p * taps.out_pixel_stride,
                   outputs);
  }
}

template <bool kVnni, int kV>
void Int16Blocks(const Int16Tile& tile, int64_t block) {
  const TileTaps<int16_t>& taps = tile.taps;
  const int64_t first = block * static_cast<int64_t>(kLanes);
  const int64_t outputs = HWY_MIN(taps.outputs - first, kV * static_cast<int64_t>(kLanes));
  const int16_t* w = taps.w + block * taps.w_block_stride;
  int64_t p = 0;
  const auto run = [&](auto pixels) HWY_ATTR {
    constexpr int kP = decltype(pixels)::value;
    for (; p + kP <= taps.pixels; p += kP) {
      Int16Block<kVnni, kP, kV>(tile, taps.x + p * taps.pixel_stride, w, first,
                                tile.out + p * taps.out_pixel_stride + first, outputs);
    }
  };
  run(std::integral_constant<int, kPixels>());
  run(std::integral_constant<int, 4>());
  run(std::integral_constant<int, 2>());
  run(std::integral_constant<int, 1>());
}

template <bool kVnni>
void RunInt16TileOf(const Int16Tile& tile) {
  const int64_t lanes = static_cast<int64_t>(kLanes);
  const int64_t blocks = (tile.taps.outputs + lanes - 1) / lanes;
  int64_t block = 0;
  for (; block + 2 <= blocks; block += 2) Int16Blocks<kVnni, 2>(tile, block);
  if (block < blocks) Int16Blocks<kVnni, 1>(tile, block);
}

void RunInt16Tile(const Int16Tile& tile) { RunInt16TileOf<false>(tile); }
#if HWY_TARGET == HWY_AVX3
void RunInt16TileVnni(const Int16Tile& tile) { RunInt16TileOf<true>(tile); }
#else
constexpr auto RunInt16TileVnni = &RunInt16Tile;
#endif

#endif  // int16

ConvolutionLoops ConvolutionTargetLoops() {
  return {kLanes, &RunFloatTile, CpuHasAvx512Vnni() ? RunInt16TileVnni : &RunInt16Tile, &Widen};
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace synap
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace synap {

HWY_EXPORT(ConvolutionTargetLoops);

ConvolutionLoops ChooseConvolutionLoops() { return HWY_DYNAMIC_DISPATCH(ConvolutionTargetLoops)(); }

}  // namespace synap
#endif  // HWY_ONCE
