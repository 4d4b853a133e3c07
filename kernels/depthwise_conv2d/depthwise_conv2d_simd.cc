#include <cmath>
#include <cstring>
#include <type_traits>

#include "kernels/depthwise_conv2d/depthwise_tile.h"
#include "kernels/shared/linear/linear.h"
#include "kernels/shared/simd/unroll.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/depthwise_conv2d/depthwise_conv2d_simd.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/shared/simd/byte_stage-inl.h"
#include "kernels/shared/simd/dot_products-inl.h"
#include "kernels/shared/simd/rounding-inl.h"
#include "kernels/shared/simd/wide_sums-inl.h"

HWY_BEFORE_NAMESPACE();
namespace synap_internal {
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

// Adds the products of a row of taps to the sums of kP pixels and one vector of channels.
template <int kP, class D, class V = hn::Vec<D>>
HWY_INLINE void AddTapRow(D d, const DepthwiseFloatTile& tile, const float* HWY_RESTRICT x,
                          const float* HWY_RESTRICT w, V (&acc)[kP]) {
  for (int64_t tap = 0; tap < tile.taps; ++tap, x += tile.tap_stride, w += tile.w_tap_stride) {
    const V weight = hn::LoadU(d, w);
    UNROLL
    for (int i = 0; i < kP; ++i) {
      acc[i] = FusedMulAdd(d, hn::LoadU(d, x + i * tile.pixel_stride), weight, acc[i]);
    }
  }
}

// AddTapRow for kTaps taps of adjacent columns and pixels kStep columns apart: a column that
// several pixels read is loaded once.
template <int kTaps, int kStep, int kP, class D, class V = hn::Vec<D>>
HWY_INLINE void AddColumns(D d, const DepthwiseFloatTile& tile, const float* HWY_RESTRICT x,
                           const float* HWY_RESTRICT w, V (&acc)[kP]) {
  V weights[kTaps];
  UNROLL
  for (int tap = 0; tap < kTaps; ++tap) weights[tap] = hn::LoadU(d, w + tap * tile.w_tap_stride);
  UNROLL
  for (int column = 0; column < (kP - 1) * kStep + kTaps; ++column, x += tile.tap_stride) {
    const V value = hn::LoadU(d, x);
    UNROLL
    for (int i = 0; i < kP; ++i) {
      const int tap = column - i * kStep;
      if (tap >= 0 && tap < kTaps) acc[i] = FusedMulAdd(d, value, weights[tap], acc[i]);
    }
  }
}

// kP pixels x one vector of channels from c on. kTaps, kStep: as AddColumns; both 0: any taps.
template <int kTaps, int kStep, int kP, class D>
HWY_INLINE void FloatVector(D d, const DepthwiseFloatTile& tile, int64_t p, int64_t c) {
  using V = hn::Vec<D>;
  V acc[kP];
  const V start = hn::LoadU(d, tile.bias + c);
  UNROLL
  for (int i = 0; i < kP; ++i) acc[i] = start;
  for (int64_t row = 0; row < tile.tap_rows; ++row) {
    const float* x = tile.x + p * tile.pixel_stride + row * tile.tap_row_stride + c;
    const float* w = tile.w + row * tile.w_row_stride + c;
    if constexpr (kTaps > 0) {
      AddColumns<kTaps, kStep>(d, tile, x, w, acc);
    } else {
      AddTapRow(d, tile, x, w, acc);
    }
  }
  UNROLL
  for (int i = 0; i < kP; ++i) {
    hn::StoreU(ClampFloat(acc[i], hn::Set(d, tile.min), hn::Set(d, tile.max)), d,
               tile.out + (p + i) * tile.channels + c);
  }
}

// All channels, in vectors that may overlap at the end, as may the last pixels: what is
// computed twice gets the same bits twice.
template <int kTaps, int kStep, class D>
void FloatVectors(D d, const DepthwiseFloatTile& tile) {
  constexpr int kMany = 8, kFew = 4;
  constexpr int64_t kStepChannels = hn::MaxLanes(d);
  for (int64_t begin = 0; begin < tile.channels; begin += kStepChannels) {
    const int64_t c = HWY_MIN(begin, tile.channels - kStepChannels);
    int64_t p = 0;
    for (; p + kMany <= tile.pixels; p += kMany) FloatVector<kTaps, kStep, kMany>(d, tile, p, c);
    for (; p < tile.pixels && tile.pixels >= kFew; p += kFew) {
      FloatVector<kTaps, kStep, kFew>(d, tile, HWY_MIN(p, tile.pixels - kFew), c);
    }
    for (; p < tile.pixels; ++p) FloatVector<kTaps, kStep, 1>(d, tile, p, c);
  }
}

template <class D>
void FloatVectors(D d, const DepthwiseFloatTile& tile) {
  const auto has = [&tile](int64_t taps, int64_t step) {
    return tile.taps == taps && tile.pixel_stride == step * tile.tap_stride;
  };
  if (has(3, 1)) return FloatVectors<3, 1>(d, tile);
  if (has(3, 2)) return FloatVectors<3, 2>(d, tile);
  if (has(5, 1)) return FloatVectors<5, 1>(d, tile);
  if (has(5, 2)) return FloatVectors<5, 2>(d, tile);
  FloatVectors<0, 0>(d, tile);
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

// The value of a pair for `value` of an image of T.
template <typename T>
HWY_INLINE int16_t PairValue(int32_t value, int32_t zero_point) {
  return static_cast<int16_t>(std::is_same_v<T, uint8_t> ? value - zero_point : value);
}

template <typename T>
void InterleaveChannels(const T* a, const T* b, int64_t channels, int32_t zero_point, int16_t* to) {
  const auto value = [&](const T* row, int64_t c) {
    return PairValue<T>(row != nullptr && c < channels ? row[c] : zero_point, zero_point);
  };
  for (int64_t c = 0; c < kDepthwiseBlock; ++c) {
    to[2 * c] = value(a, c);
    to[2 * c + 1] = value(b, c);
  }
}

#if HWY_TARGET == HWY_SCALAR

template <typename T>
void Interleave(const T* a, const T* b, int64_t pixels, int64_t pixel_stride, int64_t channels,
                int32_t zero_point, int16_t* to) {
  for (int64_t p = 0; p < pixels; ++p, to += 2 * kDepthwiseBlock) {
    InterleaveChannels(a, b, channels, zero_point, to);
    if (a != nullptr) a += pixel_stride;
    if (b != nullptr) b += pixel_stride;
  }
}

template <bool kDotProducts, typename T, typename Sum>
void RunPairTile(const DepthwisePairTile<T, Sum>& tile) {
  const int64_t plane = tile.pair_rows * tile.taps * kDepthwiseBlock * 2;
  for (int64_t p = 0; p < tile.pixels; ++p) {
    for (int64_t c = 0; c < tile.channels; ++c) {
      auto acc = static_cast<int64_t>(tile.bias[c]);
      for (int64_t pair = 0; pair < tile.pair_rows; ++pair) {
        for (int64_t tap = 0; tap < tile.taps; ++tap) {
          const int16_t* x = tile.pairs + pair * tile.pair_row_stride + p * tile.pixel_stride +
                             tap * tile.tap_stride + 2 * c;
          const int16_t* w = tile.w + ((pair * tile.taps + tap) * kDepthwiseBlock + c) * 2;
          acc += x[0] * w[0] + x[1] * w[1];
          if constexpr (std::is_same_v<Sum, double>) {
            acc += int64_t{256} * (x[0] * w[plane] + x[1] * w[plane + 1]);
          }
        }
      }
      tile.out[p * tile.out_pixel_stride + c] =
          static_cast<T>(Requantize(acc, tile.multipliers[c], tile.zero_point, tile.min, tile.max));
    }
  }
}

// Runs the same code as targets whose vectors have dot products.
void RunQuadTile(const DepthwiseQuadTile& tile) {
  const int64_t plane = tile.quads * tile.taps * tile.group * kDepthwiseBlock * 4;
  const auto sum = [&](int64_t g, int64_t p, int64_t c) {
    int32_t acc = 0;
    for (int64_t i = 0; i < tile.planes * tile.quads * tile.taps * 4; ++i) {
      const int64_t slot = i % 4, tap = i / 4 % tile.taps, quad = i / 4 / tile.taps % tile.quads;
      const uint8_t* x =
          tile.x + quad * tile.quad_stride + p * tile.pixel_stride + tap * tile.tap_stride + 4 * c;
      const int8_t* w = tile.w + i / 4 / tile.taps / tile.quads * plane +
                        (((quad * tile.taps + tap) * tile.group + g) * kDepthwiseBlock + c) * 4;
      acc += x[slot] * w[slot];
    }
    return acc;
  };
  for (int64_t g = 0; g < tile.rows; ++g) {
    for (int64_t p = 0; p < tile.pixels; ++p) {
      for (int64_t c = 0; c < tile.channels; ++c) {
        tile.out[g * tile.out_row_stride + p * tile.out_pixel_stride + c] = static_cast<uint8_t>(
            Requantize(int64_t{tile.bias[c]} + sum(g, p, c), tile.multipliers[c], tile.zero_point,
                       tile.min, tile.max));
      }
    }
  }
}

void InterleaveQuads(const uint8_t* const rows[4], int64_t bytes, uint8_t outside, uint8_t* to) {
  for (int64_t i = 0; i < 4 * bytes; ++i) {
    to[i] = rows[i % 4] == nullptr ? outside : rows[i % 4][i / 4];
  }
}

#else

constexpr int kV = static_cast<int>(kDepthwiseBlock / kLanes);  // vectors of a block
static_assert(kDepthwiseBlock % kLanes == 0, "a block is whole vectors");

// Lanes of one row, of 32 bits each, the upper half zeros; a row outside of the
// image is zero_point.
template <typename T>
HWY_INLINE VI LoadRow(const T* row, int32_t zero_point) {
  const DI d;
  const auto low_half = hn::Set(d, 0xFFFF);
  if (row == nullptr) return hn::And(hn::Set(d, zero_point), low_half);
  return hn::And(hn::PromoteTo(d, hn::LoadU(hn::Rebind<T, DI>(), row)), low_half);
}

template <typename T>
void Interleave(const T* a, const T* b, int64_t pixels, int64_t pixel_stride, int64_t channels,
                int32_t zero_point, int16_t* to) {
  const int32_t shift = std::is_same_v<T, uint8_t> ? zero_point : 0;
  const V16 subtracted = hn::Set(D16(), static_cast<int16_t>(shift));
  for (int64_t p = 0; p < pixels; ++p, to += 2 * kDepthwiseBlock) {
    const T* pa = a == nullptr ? nullptr : a + p * pixel_stride;
    const T* pb = b == nullptr ? nullptr : b + p * pixel_stride;
    if (channels < kDepthwiseBlock) {
      InterleaveChannels(pa, pb, channels, zero_point, to);
      continue;
    }
    UNROLL
    for (int v = 0; v < kV; ++v) {
      const int64_t at = v * static_cast<int64_t>(kLanes);
      const VI low = LoadRow(pa == nullptr ? nullptr : pa + at, zero_point);
      const VI high = LoadRow(pb == nullptr ? nullptr : pb + at, zero_point);
      const VI both = hn::Or(low, hn::ShiftLeft<16>(high));
      hn::StoreU(hn::Sub(hn::BitCast(D16(), both), subtracted), D16(), to + 2 * at);
    }
  }
}

// Calls store(where to) so that only `channels` of a pixel are written.
template <typename T, typename Store>
HWY_INLINE void StoreChannels(int64_t channels, T* out, Store store) {
  HWY_ALIGN T block[kDepthwiseBlock];
  const bool whole = channels == kDepthwiseBlock;
  store(whole ? out : block);
  if (!whole) std::memcpy(out, block, static_cast<size_t>(channels) * sizeof(T));
}

template <typename T>
HWY_INLINE void StorePixel(const Accumulator (&acc)[1][kV],
                           const DepthwisePairTile<T, int32_t>& tile, int64_t p) {
  VI sums[kV];
  UNROLL
  for (int v = 0; v < kV; ++v) sums[v] = acc[0][v].Sum();
  StoreChannels(tile.channels, tile.out + p * tile.out_pixel_stride,
                [&](T* to) HWY_ATTR { ByteStage<kV>(tile).Store(sums, to); });
}

HWY_INLINE void StorePixel(const Accumulator (&acc)[2][kV],
                           const DepthwisePairTile<int16_t, double>& tile, int64_t p) {
  StoreChannels(tile.channels, tile.out + p * tile.out_pixel_stride, [&](int16_t* to) HWY_ATTR {
    HWY_ALIGN double sums[kDepthwiseBlock];
    std::memcpy(sums, tile.bias, sizeof(sums));
    UNROLL
    for (int v = 0; v < kV; ++v) {
      const int at = v * static_cast<int>(kLanes);
      AddParts(acc[0][v].Sum(), acc[1][v].Sum(), sums + at);
      RequantizeSums(sums + at, tile.multipliers + at, tile.zero_point, tile.min, tile.max,
                     to + at);
    }
  });
}

// The start value of the sums of a plane. Doubles add their bias at the end.
template <typename T, typename Sum>
HWY_INLINE VI StartOf(const DepthwisePairTile<T, Sum>& tile, int v) {
  if constexpr (std::is_same_v<Sum, int32_t>) {
    return hn::LoadU(DI(), tile.bias + v * static_cast<int>(kLanes));
  } else {
    return hn::Zero(DI());
  }
}

template <bool kDotProducts, int kP, typename T, typename Sum>
HWY_NOINLINE void PairPixels(const DepthwisePairTile<T, Sum>& tile, int64_t p) {
  constexpr int kPlanes = std::is_same_v<Sum, double> ? 2 : 1;
  Accumulator acc[kP][kPlanes][kV];
  UNROLL
  for (int v = 0; v < kV; ++v) {
    const VI start = StartOf(tile, v);
    UNROLL
    for (int i = 0; i < kP; ++i) {
      UNROLL
      for (int plane = 0; plane < kPlanes; ++plane) acc[i][plane][v] = StartAt(start);
    }
  }
  const int64_t plane_size = tile.pair_rows * tile.taps * kDepthwiseBlock * 2;
  const int16_t* w = tile.w;
  for (int64_t pair = 0; pair < tile.pair_rows; ++pair) {
    const int16_t* x = tile.pairs + pair * tile.pair_row_stride + p * tile.pixel_stride;
    for (int64_t tap = 0; tap < tile.taps; ++tap, x += tile.tap_stride) {
      UNROLL
      for (int v = 0; v < kV; ++v, w += 2 * kLanes) {
        UNROLL
        for (int plane = 0; plane < kPlanes; ++plane) {
          const V16 weights = hn::LoadU(D16(), w + plane * plane_size);
          UNROLL
          for (int i = 0; i < kP; ++i) {
            const int16_t* xv = x + i * tile.pixel_stride + v * static_cast<int>(2 * kLanes);
            AddPairs<kDotProducts>(hn::LoadU(D16(), xv), weights, acc[i][plane][v]);
          }
        }
      }
    }
  }
  UNROLL
  for (int i = 0; i < kP; ++i) StorePixel(acc[i], tile, p + i);
}

template <bool kDotProducts, typename T, typename Sum>
void RunPairTile(const DepthwisePairTile<T, Sum>& tile) {
  constexpr int kPixels = kV == 1 ? 4 : 2;
  int64_t p = 0;
  for (; p + kPixels <= tile.pixels; p += kPixels) PairPixels<kDotProducts, kPixels>(tile, p);
  for (; p < tile.pixels; ++p) PairPixels<kDotProducts, 1>(tile, p);
}

#if SYNAP_HAS_QUADS

constexpr int kQuadVector = 4 * static_cast<int>(kLanes);  // bytes

// kP pixels of kG rows. kWhole: all channels of the block are stored.
template <Quads kQuads, bool kWhole, int kG, int kP>
HWY_NOINLINE void QuadPixels(const DepthwiseQuadTile& tile, const ByteStage<kV>& stage, int64_t p) {
  VI acc[kG][kP][kV];
  UNROLL
  for (int v = 0; v < kV; ++v) {
    const VI start = LoadQuads(tile.bias + v * static_cast<int>(kLanes));
    UNROLL
    for (int g = 0; g < kG; ++g) {
      UNROLL
      for (int i = 0; i < kP; ++i) acc[g][i][v] = start;
    }
  }
  const int8_t* w = tile.w;
  for (int plane = 0; plane < tile.planes; ++plane) {
    for (int64_t quad = 0; quad < tile.quads; ++quad) {
      const uint8_t* x = tile.x + quad * tile.quad_stride + p * tile.pixel_stride;
      for (int64_t tap = 0; tap < tile.taps; ++tap, x += tile.tap_stride) {
        UNROLL
        for (int v = 0; v < kV; ++v) {
          VI weights[kG];
          UNROLL
          for (int g = 0; g < kG; ++g) weights[g] = LoadQuads(w + (g * kV + v) * kQuadVector);
          UNROLL
          for (int i = 0; i < kP; ++i) {
            const VI bytes =
                QuadsOf<kQuads>(LoadQuads(x + i * tile.pixel_stride + v * kQuadVector));
            UNROLL
            for (int g = 0; g < kG; ++g) AddQuads<kQuads>(bytes, weights[g], acc[g][i][v]);
          }
        }
        w += kG * kV * kQuadVector;
      }
    }
  }
  uint8_t* out = tile.out + p * tile.out_pixel_stride;
  UNROLL
  for (int g = 0; g < kG; ++g, out += tile.out_row_stride) {
    if (g >= tile.rows) break;
    UNROLL
    for (int i = 0; i < kP; ++i) {
      const VI(&sums)[kV] = acc[g][i];
      uint8_t* to = out + i * tile.out_pixel_stride;
      if constexpr (kWhole) {
        stage.Store(sums, to);
      } else {
        StoreChannels(tile.channels, to, [&](uint8_t* b) HWY_ATTR { stage.Store(sums, b); });
      }
    }
  }
}

template <Quads kQuads, bool kWhole, int kG>
void QuadRows(const DepthwiseQuadTile& of) {
  const DepthwiseQuadTile tile = of;  // a local copy, which no store can alias
  const ByteStage<kV> stage(tile);
  // Sums that hide the latency of a dot product, and fit into the registers.
  constexpr int kPixels = HWY_MAX(1, (HWY_MAX_BYTES >= 64 ? 12 : 4) / kG);
  int64_t p = 0;
  for (; p + kPixels <= tile.pixels; p += kPixels) {
    QuadPixels<kQuads, kWhole, kG, kPixels>(tile, stage, p);
  }
  for (; p < tile.pixels; ++p) QuadPixels<kQuads, kWhole, kG, 1>(tile, stage, p);
}

template <Quads kQuads, bool kWhole>
void QuadGroup(const DepthwiseQuadTile& tile) {
  if (tile.group == 1) return QuadRows<kQuads, kWhole, 1>(tile);
  if (tile.group == 2) return QuadRows<kQuads, kWhole, 2>(tile);
  QuadRows<kQuads, kWhole, 4>(tile);
}

template <Quads kQuads>
void RunQuadTile(const DepthwiseQuadTile& tile) {
  if (tile.channels == kDepthwiseBlock) return QuadGroup<kQuads, true>(tile);
  QuadGroup<kQuads, false>(tile);
}

void InterleaveQuads(const uint8_t* const rows[4], int64_t bytes, uint8_t outside, uint8_t* to) {
  const hn::ScalableTag<uint8_t> d8;
  constexpr int64_t kStep = hn::MaxLanes(d8);
  const auto load = [&](const uint8_t* row, int64_t i) HWY_ATTR {
    return row == nullptr ? hn::Set(d8, outside) : hn::LoadU(d8, row + i);
  };
  const auto step = [&](int64_t i) HWY_ATTR {
    hn::StoreInterleaved4(load(rows[0], i), load(rows[1], i), load(rows[2], i), load(rows[3], i),
                          d8, to + 4 * i);
  };
  if (bytes < kStep) {
    for (int64_t i = 0; i < 4 * bytes; ++i) {
      to[i] = rows[i % 4] == nullptr ? outside : rows[i % 4][i / 4];
    }
    return;
  }
  int64_t i = 0;
  for (; i + kStep <= bytes; i += kStep) step(i);
  if (i < bytes) step(bytes - kStep);
}

#endif  // quads

#endif  // HWY_TARGET != HWY_SCALAR

DepthwiseLoops DepthwiseTargetLoops() {
  const bool dot_products = CpuHasPairProducts();
  DepthwiseLoops loops{};
  loops.float_tile = &RunFloatTile;
  if (dot_products) {
    loops.pair_tile = &RunPairTile<kHasPairProducts>;
    loops.int16_tile = &RunPairTile<kHasPairProducts>;
    loops.wide_tile = &RunPairTile<kHasPairProducts>;
  } else {
    loops.pair_tile = &RunPairTile<false>;
    loops.int16_tile = &RunPairTile<false>;
    loops.wide_tile = &RunPairTile<false>;
  }
  loops.interleave8 = &Interleave<uint8_t>;
  loops.interleave16 = &Interleave<int16_t>;
#if HWY_TARGET == HWY_SCALAR
  loops.quad_tile = &RunQuadTile;
  loops.interleave_quads = &InterleaveQuads;
#elif SYNAP_HAS_QUADS
  WithCpuQuads([&](auto quads) {
    loops.quad_tile = &RunQuadTile<quads()>;
    loops.quad_offset = OffsetOf(quads());
    loops.interleave_quads = &InterleaveQuads;
  });
#endif
  return loops;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace synap_internal
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace synap_internal {

HWY_EXPORT(DepthwiseTargetLoops);

DepthwiseLoops ChooseDepthwiseLoops() { return HWY_DYNAMIC_DISPATCH(DepthwiseTargetLoops)(); }

}  // namespace synap_internal
#endif  // HWY_ONCE
