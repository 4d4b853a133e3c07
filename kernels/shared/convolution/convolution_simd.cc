#include <cstring>
#include <limits>
#include <type_traits>

#include "absl/types/optional.h"
#include "kernels/shared/convolution/convolution_tile.h"
#include "kernels/shared/cpu_extensions.h"
#include "kernels/shared/linear/linear.h"
#include "kernels/shared/matrix_tiles.h"
#include "kernels/shared/simd/unroll.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/shared/convolution/convolution_simd.cc"
#include "hwy/cache_control.h"

#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/shared/simd/byte_stage-inl.h"
#include "kernels/shared/simd/dot_products-inl.h"
#include "kernels/shared/simd/register_blocks-inl.h"
#include "kernels/shared/simd/rounding-inl.h"
#include "kernels/shared/simd/wide_sums-inl.h"

HWY_BEFORE_NAMESPACE();
namespace synap_internal {
namespace HWY_NAMESPACE {
namespace {

// Pixels of a register block: with two vectors of outputs each, 28 (AVX-512)
// or 12 accumulators hide the multiply-add's latency and, with the weights,
// stay in registers.
constexpr int kPixels = HWY_MAX_BYTES >= 64 ? 14 : 6;

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

bool Saturate(const uint8_t* HWY_RESTRICT from, int64_t count, int32_t zero_point,
              int8_t* HWY_RESTRICT to) {
  const auto least = static_cast<uint8_t>(HWY_MAX(zero_point - 128, 0));
  const auto largest = static_cast<uint8_t>(HWY_MIN(zero_point + 127, 255));
  const auto zero = static_cast<uint8_t>(zero_point);
  auto* const bytes = reinterpret_cast<uint8_t*>(to);
  bool saturates = false;
  int64_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::ScalableTag<uint8_t> d;
  constexpr int64_t kStep = hn::MaxLanes(d);
  const auto least_lanes = hn::Set(d, least), largest_lanes = hn::Set(d, largest);
  auto changes = hn::Zero(d);
  for (; i + kStep <= count; i += kStep) {
    const auto value = hn::LoadU(d, from + i);
    const auto clamped = hn::Min(hn::Max(value, least_lanes), largest_lanes);
    changes = hn::Or(changes, hn::Xor(value, clamped));
    hn::StoreU(hn::Sub(clamped, hn::Set(d, zero)), d, bytes + i);
  }
  saturates = !hn::AllTrue(d, hn::Eq(changes, hn::Zero(d)));
#endif
  for (; i < count; ++i) {
    const uint8_t clamped = HWY_MIN(HWY_MAX(from[i], least), largest);
    saturates = saturates || clamped != from[i];
    bytes[i] = static_cast<uint8_t>(clamped - zero);
  }
  return saturates;
}

int64_t SumOfBytes(const uint8_t* from, int64_t count) {
  int64_t sum = 0, i = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::ScalableTag<uint8_t> d;
  const hn::ScalableTag<uint64_t> du64;
  constexpr int64_t kStep = hn::MaxLanes(d);
  auto sums = hn::Zero(du64);
  for (; i + kStep <= count; i += kStep) {
    sums = hn::Add(sums, hn::SumsOf8(hn::LoadU(d, from + i)));
  }
  sum = static_cast<int64_t>(hn::GetLane(hn::SumOfLanes(du64, sums)));
#endif
  for (; i < count; ++i) sum += from[i];
  return sum;
}

template <typename X, typename W>
HWY_INLINE int64_t PixelBytes(const TileTaps<X, W>& taps) {
  return taps.pixel_stride * static_cast<int64_t>(sizeof(X));
}

// Calls run(pixels, first pixel) with the number of pixels as a constant until the tile is covered.
template <typename X, typename W, typename Run>
HWY_INLINE void ForEachPixels(const TileTaps<X, W>& taps, Run run) {
  ForEachPart<kPixels>(taps.pixels, RowsAtATime(kPixels, PixelBytes(taps)), run);
}

// Weights are read once for each tile, from memory in a large network. They are fetched so far
// ahead as takes about as long as a read from memory.
constexpr uintptr_t kStepBytes = kLanes * sizeof(float);  // of a vector
constexpr uintptr_t kFetchAhead = 64 * kStepBytes;

// Fetches weights of kV blocks whose steps along k take kBytes each. `weights`: the first block's,
// at step `step` of its run. Where a line holds several steps, the blocks take turns: loads are as
// scarce as multiply-adds there. (Addresses, which may lie beyond the weights.)
template <int kV, uintptr_t kBytes, typename W>
HWY_INLINE void PrefetchWeights(const W* weights, int64_t block_stride, int64_t step) {
  static_assert(kV <= 2, "a line of half vectors has two turns");
  constexpr int64_t kLineSteps = 64 / kBytes;
  const auto prefetch = [&](int64_t block) {
    const auto address = reinterpret_cast<uintptr_t>(weights + block * block_stride);
    hwy::Prefetch(reinterpret_cast<const char*>(address + kFetchAhead));
  };
  if constexpr (kLineSteps == 1) {
    UNROLL
    for (int v = 0; v < kV; ++v) prefetch(v);
  } else if (kLineSteps <= kV || step % kLineSteps < kV) {
    prefetch(step % kLineSteps);
  }
}

// Whether a block fetches the x of the next pixels: what the tile reads doesn't stay in the
// first-level cache of 32 KiB, the next pixels' lines don't displace this block's, and the
// multiply-adds leave loads free, as those of AVX-512 do (5 to 10 % of U-Net's layers; AVX2 would
// lose 3 %).
template <typename X, typename W>
HWY_INLINE bool ReadsAhead(const TileTaps<X, W>& taps) {
  constexpr int64_t kStays = 24 * 1024 / sizeof(X);
  return HWY_MAX_BYTES >= 64 && taps.tap_rows * taps.pixels * taps.pixel_stride > kStays &&
         !IsAliased(PixelBytes(taps));
}

HWY_INLINE int64_t BlocksOf(int64_t outputs) {
  return (outputs + static_cast<int64_t>(kLanes) - 1) / static_cast<int64_t>(kLanes);
}

// Calls block(pixels, blocks, first pixel, first block) with the numbers of
// pixels and blocks as constants until the tile is covered.
template <typename Taps, typename Block>
HWY_INLINE void ForEachBlock(const Taps& taps, Block block) {
  const int64_t blocks = BlocksOf(taps.outputs);
  const auto over_pixels = [&](auto count, int64_t b) HWY_ATTR {
    ForEachPixels(taps, [&](auto pixels, int64_t p) HWY_ATTR { block(pixels, count, p, b); });
  };
  int64_t b = 0;
  for (; b + 2 <= blocks; b += 2) over_pixels(std::integral_constant<int, 2>(), b);
  if (b < blocks) over_pixels(std::integral_constant<int, 1>(), b);
}

// Position of a block in a tile.
template <typename X, typename W>
struct Place {
  Place(const TileTaps<X, W>& taps, int blocks, int64_t pixel, int64_t block)
      : first(block * static_cast<int64_t>(kLanes)),
        outputs(HWY_MIN(taps.outputs - first, blocks * static_cast<int64_t>(kLanes))),
        x(taps.x + pixel * taps.pixel_stride),
        w(taps.w + block * taps.w_block_stride),
        out(pixel * taps.out_pixel_stride + first) {}

  int64_t first;    // output channel
  int64_t outputs;  // how many
  const X* x;
  const W* w;
  int64_t out;  // index
};

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_SSSE3 || HWY_TARGET == HWY_SSE4

void RunFloatTile(const FloatTile& tile) { FloatTileScalar(tile, kLanes); }

#else

// Whether a block of at most half a vector of outputs multiplies half a vector: Zen 4 takes half as
// long for 32 bytes as for 64, others as long.
constexpr bool kHasHalves = HWY_MAX_BYTES >= 64;
using DHalf = hn::Half<DF>;
using VHalf = hn::Vec<DHalf>;

// The sums of kP pixels and kV blocks; kHalf: the last block's are half vectors.
template <int kP, int kV, bool kHalf>
struct FloatSums {
  static constexpr int kWhole = kV - (kHalf ? 1 : 0);
  VF whole[kP][HWY_MAX(kWhole, 1)];
  VHalf half[kP];
};

// Stores the first `count` lanes.
template <class D>
HWY_INLINE void StoreFirst(D d, hn::Vec<D> values, float* out, int64_t count) {
  if (count >= static_cast<int64_t>(hn::MaxLanes(d))) return hn::StoreU(values, d, out);
#if HWY_MAX_BYTES >= 64
  hn::BlendedStore(values, hn::FirstN(d, static_cast<size_t>(count)), d, out);
#else  // where stores of some lanes are slow, or write all
  HWY_ALIGN float lanes[hn::MaxLanes(d)];
  hn::Store(values, d, lanes);
  std::memcpy(out, lanes, static_cast<size_t>(count) * sizeof(float));
#endif
}

// Adds a run's products to the chains of kP pixels and kV blocks. kAhead: fetches the same run of
// the pixels after these, a line a step. (An address, which may lie beyond x.)
template <bool kAhead, int kP, int kV, bool kHalf>
HWY_INLINE void AddFloatRun(const TileTaps<float>& taps, const float* HWY_RESTRICT x,
                            const float* HWY_RESTRICT w, FloatSums<kP, kV, kHalf>& sums) {
  const DF d;
  constexpr int kWhole = FloatSums<kP, kV, kHalf>::kWhole;
  constexpr int64_t kLineFloats = 16;
  const int64_t pixel_bytes = PixelBytes(taps);
  RowPointers<kP, float> pixels(x, taps.pixel_stride);
  uintptr_t ahead = reinterpret_cast<uintptr_t>(x) + static_cast<uintptr_t>(kP * pixel_bytes);
  for (int64_t k = 0; k < taps.run_length; ++k, pixels.Advance(1), w += kLanes) {
    if constexpr (kAhead) {
      hwy::Prefetch(reinterpret_cast<const char*>(ahead));
      ahead += static_cast<uintptr_t>(pixel_bytes);
      if (k % kLineFloats == kLineFloats - 1) {
        ahead += static_cast<uintptr_t>(kLineFloats * (int64_t{sizeof(float)} - pixel_bytes));
      }
    }
    PrefetchWeights<kV, kStepBytes>(w, taps.w_block_stride, k);
    VF weights[kV];
    UNROLL
    for (int v = 0; v < kWhole; ++v) weights[v] = hn::LoadU(d, w + v * taps.w_block_stride);
    VHalf half;
    if constexpr (kHalf) half = hn::LoadU(DHalf(), w + kWhole * taps.w_block_stride);
    UNROLL
    for (int p = 0; p < kP; ++p) {
      const VF value = hn::Set(d, *pixels[p]);
      UNROLL
      for (int v = 0; v < kWhole; ++v) {
        sums.whole[p][v] = hn::MulAdd(value, weights[v], sums.whole[p][v]);
      }
      if constexpr (kHalf) {
        sums.half[p] = hn::MulAdd(hn::LowerHalf(DHalf(), value), half, sums.half[p]);
      }
    }
  }
}

// kP pixels x kV blocks: one chain for each lane, in the order of the taps. kHalf: as FloatSums'.
template <int kP, int kV, bool kHalf>
HWY_NOINLINE void FloatBlock(const FloatTile& tile, const float* HWY_RESTRICT x,
                             const float* HWY_RESTRICT w, const float* bias, float* out,
                             int64_t outputs) {
  const DF d;
  const TileTaps<float> taps = tile.taps;
  const bool ahead = ReadsAhead(taps);
  FloatSums<kP, kV, kHalf> sums;
  constexpr int kWhole = sums.kWhole;
  UNROLL
  for (int p = 0; p < kP; ++p) {
    UNROLL
    for (int v = 0; v < kWhole; ++v) {
      sums.whole[p][v] = hn::LoadU(d, bias + v * static_cast<int>(kLanes));
    }
    if constexpr (kHalf) {
      sums.half[p] = hn::LoadU(DHalf(), bias + kWhole * static_cast<int>(kLanes));
    }
  }
  for (int64_t row = 0; row < taps.tap_rows; ++row) {
    for (int64_t run = 0; run < taps.runs; ++run) {
      const float* xk = x + row * taps.tap_row_stride + run * taps.run_stride;
      const float* wk = w + row * taps.w_row_stride + run * taps.w_run_stride;
      if (ahead) {
        AddFloatRun<true>(taps, xk, wk, sums);
      } else {
        AddFloatRun<false>(taps, xk, wk, sums);
      }
    }
  }
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  if (tile.min > -kInfinity || tile.max < kInfinity) {
    const VF min = hn::Set(d, tile.min), max = hn::Set(d, tile.max);
    UNROLL
    for (int p = 0; p < kP; ++p) {
      UNROLL
      for (int v = 0; v < kWhole; ++v) sums.whole[p][v] = ClampFloat(sums.whole[p][v], min, max);
      if constexpr (kHalf) {
        sums.half[p] =
            ClampFloat(sums.half[p], hn::LowerHalf(DHalf(), min), hn::LowerHalf(DHalf(), max));
      }
    }
  }
  UNROLL
  for (int p = 0; p < kP; ++p) {
    UNROLL
    for (int v = 0; v < kWhole; ++v) {
      const int first = v * static_cast<int>(kLanes);
      StoreFirst(d, sums.whole[p][v], out + first, outputs - first);
    }
    constexpr int kFirst = kWhole * static_cast<int>(kLanes);
    if constexpr (kHalf) StoreFirst(DHalf(), sums.half[p], out + kFirst, outputs - kFirst);
    out += taps.out_pixel_stride;
  }
}

void RunFloatTile(const FloatTile& tile) {
  ForEachBlock(tile.taps, [&](auto pixels, auto blocks, int64_t p, int64_t block) HWY_ATTR {
    const Place at(tile.taps, blocks(), p, block);
    const auto run = [&](auto half) HWY_ATTR {
      FloatBlock<pixels(), blocks(), half()>(tile, at.x, at.w, tile.bias + at.first,
                                             tile.out + at.out, at.outputs);
    };
    constexpr auto kLast = static_cast<int64_t>(kLanes * (blocks() - 1));  // block's first output
    if (kHasHalves && at.outputs - kLast <= static_cast<int64_t>(kLanes / 2)) {
      run(std::bool_constant<kHasHalves>());
    } else {
      run(std::false_type());
    }
  });
}

#endif  // float

#if HWY_TARGET == HWY_SCALAR

template <bool kDotProducts>
void RunInt16Tile(const Int16Tile& tile) {
  Int16TileScalar(tile, kLanes);
}
template <bool kDotProducts>
void RunWideTile(const WideTile& tile) {
  WideTileScalar(tile, kLanes);
}

#else

// Stores one pixel's `outputs` of kV blocks. Out: uint8_t or int16_t.
template <int kV, typename Out>
HWY_INLINE void StorePixel(const ByteStage<kV>& stage, const VI* sums, int64_t outputs, Out* to) {
  if (outputs == static_cast<int64_t>(kV * kLanes)) return stage.Store(sums, to);
  HWY_ALIGN Out lanes[kV * kLanes];
  stage.Store(sums, lanes);
  if constexpr (HWY_MAX_BYTES >= 64 && sizeof(Out) == 1) {
    const hn::CappedTag<Out, kV * kLanes> d;
    hn::BlendedStore(hn::Load(d, lanes), hn::FirstN(d, static_cast<size_t>(outputs)), d, to);
  } else {
    std::memcpy(to, lanes, static_cast<size_t>(outputs) * sizeof(Out));
  }
}

// Stores the sums of `pixels` pixels and kV blocks as int16. Out of line: it would double the code
// of each block.
template <int kV, typename Tile>
HWY_NOINLINE void StoreWords(const Tile& tile, const VI* sums, int64_t pixels, int64_t first,
                             int64_t outputs, int64_t at) {
  const ByteStage<kV> stage(tile, first);
  for (int64_t p = 0; p < pixels; ++p, at += tile.taps.out_pixel_stride) {
    StorePixel(stage, sums + p * kV, outputs, tile.words + at);
  }
}

// Stores `outputs` outputs of kP pixels and kV blocks from channel `first` on, at index `at`.
// sums[p][v] must stay in registers: no other function may take its address.
template <int kP, int kV, typename Tile>
HWY_INLINE void StoreSums(const Tile& tile, const VI (&sums)[kP][kV], int64_t first,
                          int64_t outputs, int64_t at) {
  if (tile.words != nullptr) {
    VI copies[kP * kV];
    UNROLL
    for (int p = 0; p < kP; ++p) {
      UNROLL
      for (int v = 0; v < kV; ++v) copies[p * kV + v] = sums[p][v];
    }
    return StoreWords<kV>(tile, copies, kP, first, outputs, at);
  }
  const ByteStage<kV> stage(tile, first);
  UNROLL
  for (int p = 0; p < kP; ++p) {
    StorePixel(stage, sums[p], outputs, tile.out + at + p * tile.taps.out_pixel_stride);
  }
}

// Adds `count` elements of a run (whole pairs) to the sums of kP pixels and kV blocks.
template <bool kDotProducts, int kP, int kV>
HWY_INLINE void AddRun(const TileTaps<int16_t>& taps, const int16_t* HWY_RESTRICT x,
                       const int16_t* HWY_RESTRICT w, int64_t count, Accumulator (&acc)[kP][kV]) {
  const D16 d16;
  RowPointers<kP, int16_t> pixels(x, taps.pixel_stride);
  for (int64_t k = 0; k < count; k += 2, pixels.Advance(2), w += 2 * kLanes) {
    V16 weights[kV];
    UNROLL
    for (int v = 0; v < kV; ++v) weights[v] = hn::LoadU(d16, w + v * taps.w_block_stride);
    UNROLL
    for (int p = 0; p < kP; ++p) {
      const V16 pair = BroadcastPair(pixels[p]);
      UNROLL
      for (int v = 0; v < kV; ++v) AddPairs<kDotProducts>(pair, weights[v], acc[p][v]);
    }
  }
}

template <bool kDotProducts, int kP, int kV>
HWY_NOINLINE void Int16Block(const Int16Tile& tile, const int16_t* HWY_RESTRICT x,
                             const int16_t* HWY_RESTRICT w, int64_t first, int64_t outputs,
                             int64_t at) {
  const DI di;
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
      AddRun<kDotProducts>(taps, xk, wk, taps.run_length, acc);
    }
  }
  VI sums[kP][kV];
  UNROLL
  for (int p = 0; p < kP; ++p) {
    UNROLL
    for (int v = 0; v < kV; ++v) sums[p][v] = acc[p][v].Sum();
  }
  StoreSums(tile, sums, first, outputs, at);
}

template <bool kDotProducts>
void RunInt16Tile(const Int16Tile& tile) {
  ForEachBlock(tile.taps, [&](auto pixels, auto blocks, int64_t p, int64_t block) HWY_ATTR {
    const Place at(tile.taps, blocks(), p, block);
    Int16Block<kDotProducts, pixels(), blocks()>(tile, at.x, at.w, at.first, at.outputs, at.out);
  });
}

// Adds the sums of each pixel's parts to its totals of kBlocks blocks, and resets them.
template <int kP, int kBlocks, int kV>
HWY_INLINE void Spill(Accumulator (&acc)[kP][kV], double* HWY_RESTRICT sums) {
  UNROLL
  for (int p = 0; p < kP; ++p) {
    UNROLL
    for (int b = 0; b < kBlocks; ++b) {
      double* to = sums + static_cast<size_t>(p * kBlocks + b) * kLanes;
      if constexpr (kV == kBlocks) {
        AddPart(acc[p][b].Sum(), to);
      } else {
        AddParts(acc[p][0].Sum(), acc[p][1].Sum(), to);
      }
    }
    UNROLL
    for (int v = 0; v < kV; ++v) acc[p][v] = StartAt(hn::Zero(DI()));
  }
}

// Requantizes the sums of one pixel.
HWY_INLINE void StoreWide(const double* sums, const WideTile& tile, const float* multipliers,
                          int16_t* out, int64_t outputs) {
  HWY_ALIGN int16_t lanes[kLanes];
  int16_t* to = outputs == static_cast<int64_t>(kLanes) ? out : lanes;
  RequantizeSums(sums, multipliers, tile.zero_point, tile.min, tile.max, to);
  if (to == lanes) std::memcpy(out, lanes, static_cast<size_t>(outputs) * sizeof(int16_t));
}

// kP pixels x kBlocks blocks of outputs, whose kPlanes planes are the blocks of AddRun. Either
// number is 1.
template <bool kDotProducts, int kPlanes, int kP, int kBlocks>
HWY_NOINLINE void WideBlock(const WideTile& tile, const int16_t* HWY_RESTRICT x,
                            const int16_t* HWY_RESTRICT w, int64_t first, int16_t* out,
                            int64_t outputs) {
  const TileTaps<int16_t> taps = tile.taps;
  const int64_t run_length = (taps.run_length + 1) / 2 * 2;
  constexpr size_t kOutputs = kBlocks * kLanes;
  HWY_ALIGN double sums[kP * kOutputs];
  Accumulator acc[kP][kPlanes * kBlocks];
  UNROLL
  for (int p = 0; p < kP; ++p) {
    std::memcpy(sums + static_cast<size_t>(p) * kOutputs, tile.bias + first,
                kOutputs * sizeof(double));
    UNROLL
    for (int v = 0; v < kPlanes * kBlocks; ++v) acc[p][v] = StartAt(hn::Zero(DI()));
  }
  int64_t left = kPartProducts;
  for (int64_t row = 0; row < taps.tap_rows; ++row) {
    for (int64_t run = 0; run < taps.runs; ++run) {
      const int16_t* xk = x + row * taps.tap_row_stride + run * taps.run_stride;
      const int16_t* wk = w + row * taps.w_row_stride + run * taps.w_run_stride;
      for (int64_t k = 0; k < run_length;) {
        const int64_t count = HWY_MIN(run_length - k, left);
        AddRun<kDotProducts>(taps, xk + k, wk + k * static_cast<int64_t>(kLanes), count, acc);
        k += count;
        left -= count;
        if (left > 0) continue;
        Spill<kP, kBlocks>(acc, sums);
        left = kPartProducts;
      }
    }
  }
  Spill<kP, kBlocks>(acc, sums);
  for (int p = 0; p < kP; ++p) {
    for (int64_t b = 0; b < kBlocks; ++b) {
      const int64_t at = b * static_cast<int64_t>(kLanes);
      StoreWide(sums + static_cast<size_t>(p) * kOutputs + at, tile, tile.multipliers + first + at,
                out + p * taps.out_pixel_stride + at,
                HWY_MIN(outputs - at, static_cast<int64_t>(kLanes)));
    }
  }
}

template <bool kDotProducts>
void RunWideTile(const WideTile& tile) {
  const TileTaps<int16_t>& taps = tile.taps;
  if (tile.planes == 1) {
    ForEachBlock(taps, [&](auto pixels, auto blocks, int64_t p, int64_t block) HWY_ATTR {
      const Place at(taps, blocks(), p, block);
      WideBlock<kDotProducts, 1, pixels(), blocks()>(tile, at.x, at.w, at.first, tile.out + at.out,
                                                     at.outputs);
    });
    return;
  }
  for (int64_t block = 0; block < BlocksOf(taps.outputs); ++block) {
    const int16_t* w = taps.w + 2 * block * taps.w_block_stride;
    ForEachPixels(taps, [&](auto pixels, int64_t p) HWY_ATTR {
      const Place at(taps, 1, p, block);
      WideBlock<kDotProducts, 2, pixels(), 1>(tile, at.x, w, at.first, tile.out + at.out,
                                              at.outputs);
    });
  }
}

#endif  // int16

#if SYNAP_HAS_QUADS

// The four bytes at x in every lane.
HWY_INLINE VI BroadcastQuad(const uint8_t* x) {
  int32_t quad;
  std::memcpy(&quad, x, sizeof(quad));
  return hn::Set(DI(), quad);
}

// Adds the products of all taps to the sums of kP pixels and kV blocks.
template <Quads kQuads, int kP, int kV>
HWY_INLINE void AddTaps(const TileTaps<uint8_t, int8_t>& taps, const uint8_t* HWY_RESTRICT x,
                        const int8_t* HWY_RESTRICT w, VI (&acc)[kP][kV]) {
  for (int64_t row = 0; row < taps.tap_rows; ++row) {
    for (int64_t run = 0; run < taps.runs; ++run) {
      const uint8_t* xk = x + row * taps.tap_row_stride + run * taps.run_stride;
      const int8_t* wk = w + row * taps.w_row_stride + run * taps.w_run_stride;
      RowPointers<kP, uint8_t> pixels(xk, taps.pixel_stride);
      for (int64_t k = 0; k < taps.run_length; k += 4, pixels.Advance(4), wk += 4 * kLanes) {
        PrefetchWeights<kV, kStepBytes>(wk, taps.w_block_stride, k / 4);
        VI weights[kV];
        UNROLL
        for (int v = 0; v < kV; ++v) weights[v] = LoadQuads(wk + v * taps.w_block_stride);
        UNROLL
        for (int p = 0; p < kP; ++p) {
          const VI quads = QuadsOf<kQuads>(BroadcastQuad(pixels[p]));
          UNROLL
          for (int v = 0; v < kV; ++v) AddQuads<kQuads>(quads, weights[v], acc[p][v]);
        }
      }
    }
  }
}

#if HWY_TARGET == HWY_NEON

static_assert(kLanes == 4, "a block is two columns of two outputs");

// Two pixels' next 8 bytes, or 4 and zeros.
template <bool kWhole>
HWY_INLINE VI LoadTwo(const uint8_t* x0, const uint8_t* x1) {
  if constexpr (!kWhole) {
    return hn::InterleaveLower(
        DI(), hn::InterleaveLower(DI(), BroadcastQuad(x0), BroadcastQuad(x1)), hn::Zero(DI()));
  }
  const hn::Half<DI> half;
  return hn::Combine(DI(), hn::LoadU(half, reinterpret_cast<const int32_t*>(x1)),
                     hn::LoadU(half, reinterpret_cast<const int32_t*>(x0)));
}

// One or (kWhole) two steps of AddTaps, in matrices of two pixels by two outputs: acc[i][v][c] has
// those of the i-th pair of pixels and the c-th two outputs of block v. Of an odd number of pixels
// the last pair is of the last pixel twice.
template <bool kWhole, int kP, int kV>
HWY_INLINE void AddStep(const TileTaps<uint8_t, int8_t>& taps, const uint8_t* HWY_RESTRICT x,
                        const int8_t* HWY_RESTRICT w, int64_t step,
                        VI (&acc)[(kP + 1) / 2][kV][2]) {
  PrefetchWeights<kV, 2 * kStepBytes>(w, taps.w_block_stride, step);
  VI weights[kV][2];
  UNROLL
  for (int v = 0; v < kV; ++v) {
    const int8_t* const at = w + v * taps.w_block_stride;
    const VI first = LoadQuads(at);
    const VI second = kWhole ? LoadQuads(at + 4 * kLanes) : hn::Zero(DI());
    weights[v][0] = hn::InterleaveLower(DI(), first, second);
    weights[v][1] = hn::InterleaveUpper(DI(), first, second);
  }
  UNROLL
  for (int i = 0; i < (kP + 1) / 2; ++i) {
    const VI pixels = LoadTwo<kWhole>(x + 2 * i * taps.pixel_stride,
                                      x + HWY_MIN(2 * i + 1, kP - 1) * taps.pixel_stride);
    UNROLL
    for (int v = 0; v < kV; ++v) {
      AddMatrices(pixels, weights[v][0], acc[i][v][0]);
      AddMatrices(pixels, weights[v][1], acc[i][v][1]);
    }
  }
}

// The same as AddTaps<Quads::kMixed>, with half of the multiply-adds.
template <int kP, int kV>
HWY_INLINE void AddTapsInMatrices(const TileTaps<uint8_t, int8_t>& taps,
                                  const uint8_t* HWY_RESTRICT x, const int8_t* HWY_RESTRICT w,
                                  VI (&sums)[kP][kV]) {
  VI acc[(kP + 1) / 2][kV][2];
  UNROLL
  for (auto& pair : acc) {
    UNROLL
    for (int v = 0; v < kV; ++v) pair[v][0] = pair[v][1] = hn::Zero(DI());
  }
  for (int64_t row = 0; row < taps.tap_rows; ++row) {
    for (int64_t run = 0; run < taps.runs; ++run) {
      const uint8_t* xk = x + row * taps.tap_row_stride + run * taps.run_stride;
      const int8_t* wk = w + row * taps.w_row_stride + run * taps.w_run_stride;
      int64_t k = 0;
      for (; k + 4 < taps.run_length; k += 8, xk += 8, wk += 8 * kLanes) {
        AddStep<true, kP>(taps, xk, wk, k / 8, acc);
      }
      if (k < taps.run_length) AddStep<false, kP>(taps, xk, wk, k / 8, acc);
    }
  }
  UNROLL
  for (int p = 0; p < kP; ++p) {
    UNROLL
    for (int v = 0; v < kV; ++v) {
      const VI(&columns)[2] = acc[p / 2][v];
      const VI sum = p % 2 == 0 ? hn::ConcatLowerLower(DI(), columns[1], columns[0])
                                : hn::ConcatUpperUpper(DI(), columns[1], columns[0]);
      sums[p][v] = hn::Add(sums[p][v], sum);
    }
  }
}

#endif  // HWY_NEON

template <Quads kQuads, int kP, int kV>
HWY_NOINLINE void ByteBlock(const ByteTile& tile, const uint8_t* HWY_RESTRICT x,
                            const int8_t* HWY_RESTRICT w, int64_t first, int64_t outputs,
                            int64_t at) {
  const TileTaps<uint8_t, int8_t> taps = tile.taps;
  VI acc[kP][kV];
  UNROLL
  for (int v = 0; v < kV; ++v) {
    const VI start = hn::LoadU(DI(), tile.bias + first + v * static_cast<int>(kLanes));
    UNROLL
    for (int p = 0; p < kP; ++p) acc[p][v] = start;
  }
#if HWY_TARGET == HWY_NEON
  // Matrices would multiply a lone pixel twice.
  if constexpr (kQuads == Quads::kMixed && kP > 1) {
    AddTapsInMatrices(taps, x, w, acc);
  } else {
    AddTaps<kQuads>(taps, x, w, acc);
  }
#else
  AddTaps<kQuads>(taps, x, w, acc);
#endif
  const int64_t* begins = tile.extra_begins + first / static_cast<int64_t>(kLanes);
  UNROLL
  for (int v = 0; v < kV; ++v) {
    for (int64_t e = begins[v]; e < begins[v + 1]; ++e) {
      const ExtraQuad& extra = tile.extras[e];
      const uint8_t* xe = x + extra.row * taps.tap_row_stride + extra.offset;
      const VI weights = LoadQuads(extra.w);
      UNROLL
      for (int p = 0; p < kP; ++p) {
        const VI quads = QuadsOf<kQuads>(BroadcastQuad(xe + p * taps.pixel_stride));
        AddQuads<kQuads>(quads, weights, acc[p][v]);
      }
    }
  }
  StoreSums(tile, acc, first, outputs, at);
}

template <Quads kQuads>
void RunByteTile(const ByteTile& tile) {
  ForEachRow(tile, [](const ByteTile& row) HWY_ATTR {
    ForEachBlock(row.taps, [&](auto pixels, auto blocks, int64_t p, int64_t block) HWY_ATTR {
      const Place at(row.taps, blocks(), p, block);
      ByteBlock<kQuads, pixels(), blocks()>(row, at.x, at.w, at.first, at.outputs, at.out);
    });
  });
}

#if HWY_TARGET == HWY_AVX3

// A block's outputs are a register's.
static_assert(kLanes == 16, "a row of a matrix register");

// How a run is cut for the matrix registers: `chunks` of `quads`, and the `rest`, which vectors
// add. One size for all: other shapes would cost the sums in the registers.
struct RunChunks {
  explicit RunChunks(int64_t run_length)
      : all((run_length + 3) / 4),
        chunks((all + kTileQuads - 1) / kTileQuads),
        quads(all / HWY_MAX(chunks, 1)),
        rest(all - chunks * quads) {}

  const int64_t all, chunks, quads, rest;
};

constexpr int64_t kQuadBytes = 4 * static_cast<int64_t>(kLanes);  // of a block's weights for a quad

// Fewer quads or pixels would leave most of the registers empty.
constexpr int64_t kLeastQuads = 6;
constexpr int64_t kLeastTilePixels = 4;

// Pixels of a tile as rows of registers: in `groups` of `rows`, the last of which begins early and
// gives pixels of the one before it the same values again. Several output rows are one list of
// pixels in x, where pixel p is column p % line of output row p / line: those between two rows are
// computed, too, and dropped.
struct PixelGroups {
  PixelGroups(int64_t pixels, int64_t line) : PixelGroups(pixels, line, Least(pixels)) {
    // A group without a partner takes as long as two.
    if (groups == 1 || groups % 2 == 0) return;
    const PixelGroups even(pixels, line, groups + 1);
    if (even.Cost() < Cost()) *this = even;
  }

  int64_t Begin(int64_t group) const { return HWY_MIN(group * rows, pixels - rows); }

  // Cycles of each step along k for two blocks of outputs: a product takes one for each row, but as
  // a sum's next product waits for the one before, a step takes a product's latency at least.
  // (Intel 64 and IA-32 Architectures Optimization Reference Manual, "Intel AMX throughput and
  // latency".)
  int64_t Cost() const {
    constexpr int64_t kLatency = 52;
    return groups / 2 * HWY_MAX(4 * rows, kLatency) + groups % 2 * kLatency;
  }

  int64_t line, pixels, groups, rows;

 private:
  PixelGroups(int64_t pixels, int64_t line, int64_t groups)
      : line(line), pixels(pixels), groups(groups), rows((pixels + groups - 1) / groups) {}

  static int64_t Least(int64_t pixels) { return (pixels + kTileRows - 1) / kTileRows; }
};

// Sums of a group of pixels by kV blocks of outputs, as registers store them.
template <int kV>
using GroupSums = int32_t[kV][static_cast<size_t>(kTileRows) * kLanes];

// What vectors add to the sums of kN pixels by kV blocks: the rest of each run, and the extras.
// Pointers as ByteBlock's.
template <int kN, int kV>
HWY_INLINE void AddRemainders(const ByteTile& tile, const RunChunks& run_chunks,
                              const uint8_t* HWY_RESTRICT x, const int8_t* HWY_RESTRICT w,
                              int64_t first, int32_t* HWY_RESTRICT sums) {
  const TileTaps<uint8_t, int8_t> taps = tile.taps;
  constexpr int64_t kBlockSums = kTileRows * static_cast<int64_t>(kLanes);
  VI acc[kN][kV];
  UNROLL
  for (int n = 0; n < kN; ++n) {
    UNROLL
    for (int v = 0; v < kV; ++v) {
      acc[n][v] = hn::Load(DI(), sums + v * kBlockSums + n * static_cast<int>(kLanes));
    }
  }
  for (int64_t row = 0; run_chunks.rest > 0 && row < taps.tap_rows; ++row) {
    for (int64_t run = 0; run < taps.runs; ++run) {
      const int64_t begin = run_chunks.all - run_chunks.rest;
      const uint8_t* xk = x + row * taps.tap_row_stride + run * taps.run_stride + 4 * begin;
      const int8_t* wk = w + row * taps.w_row_stride + run * taps.w_run_stride + kQuadBytes * begin;
      for (int64_t k = 0; k < run_chunks.rest; ++k, xk += 4, wk += kQuadBytes) {
        UNROLL
        for (int n = 0; n < kN; ++n) {
          const VI quads = BroadcastQuad(xk + n * taps.pixel_stride);
          UNROLL
          for (int v = 0; v < kV; ++v) {
            AddQuads<Quads::kMixed>(quads, LoadQuads(wk + v * taps.w_block_stride), acc[n][v]);
          }
        }
      }
    }
  }
  const int64_t* begins = tile.extra_begins + first / static_cast<int64_t>(kLanes);
  UNROLL
  for (int v = 0; v < kV; ++v) {
    for (int64_t e = begins[v]; e < begins[v + 1]; ++e) {
      const ExtraQuad& extra = tile.extras[e];
      const uint8_t* const xe = x + extra.row * taps.tap_row_stride + extra.offset;
      const VI weights = LoadQuads(extra.w);
      UNROLL
      for (int n = 0; n < kN; ++n) {
        AddQuads<Quads::kMixed>(BroadcastQuad(xe + n * taps.pixel_stride), weights, acc[n][v]);
      }
    }
  }
  UNROLL
  for (int n = 0; n < kN; ++n) {
    UNROLL
    for (int v = 0; v < kV; ++v) {
      hn::Store(acc[n][v], DI(), sums + v * kBlockSums + n * static_cast<int>(kLanes));
    }
  }
}

// Sums that matrix registers have stored, on their way to bytes (Out: uint8_t) or int16_t. To
// requantize a block's takes vectors as long as a dozen products take the matrix unit, and neither
// waits for the other where their instructions take turns: a block's sums are requantized while
// those of the next are made.
template <int kV, typename Out>
class PendingSums {
 public:
  static constexpr int kGroups = 2;

  // Both outlive the object.
  PendingSums(const ByteTile& tile, const RunChunks& run_chunks)
      : tile_(tile), run_chunks_(run_chunks) {}

  // Where the next block's sums go while those of the last one are pending.
  GroupSums<kV>* Next() { return sums_[turn_]; }

  // Makes those of `groups` groups, from `group` on, pending. `rows` is the tile from one of its
  // rows on. REQUIRES: none are pending.
  void Set(const ByteTile& rows, const PixelGroups& pixels, int64_t group, int groups,
           int64_t block) {
    const Place at(rows.taps, kV, 0, block);
    first_ = at.first;
    outputs_ = at.outputs;
    stage_.emplace(tile_, first_);
    next_ = end_ = 0;
    const int64_t* const extras = tile_.extra_begins + first_ / static_cast<int64_t>(kLanes);
    const bool has_remainders = run_chunks_.rest > 0 || extras[0] < extras[kV];
    for (int i = 0; i < groups; ++i) {
      const int64_t begin = pixels.Begin(group + i);
      int32_t* const sums = sums_[turn_][i][0];
      if (has_remainders) {
        const int64_t stride = rows.taps.pixel_stride;
        FinishSums(pixels.rows, at.x + begin * stride, stride, at.w, sums);
      }
      AddGroup(rows, pixels, begin, sums);
    }
    turn_ = 1 - turn_;
  }

  // Requantizes those of `count` more pixels, as far as any are pending.
  HWY_INLINE void Store(int64_t count) {
    for (; count > 0 && next_ < end_; ++next_) {
      Line& line = lines_[next_];
      const int64_t now = HWY_MIN(count, line.pixels);
      StoreLine(line, now);
      count -= now;
      line.pixels -= now;
      if (line.pixels > 0) return;
    }
  }

  void StoreAll() {
    for (; next_ < end_; ++next_) StoreLine(lines_[next_], lines_[next_].pixels);
  }

 private:
  // Neighbours in an output row.
  struct Line {
    int64_t pixels;  // still pending
    const int32_t* sums;
    Out* to;
  };

  // Adds what vectors do to the sums of a group.
  HWY_NOINLINE void FinishSums(int64_t pixels, const uint8_t* x, int64_t stride, const int8_t* w,
                               int32_t* sums) {
    int64_t p = 0;
    for (; p + 4 <= pixels; p += 4) {
      AddRemainders<4, kV>(tile_, run_chunks_, x + p * stride, w, first_,
                           sums + p * static_cast<int64_t>(kLanes));
    }
    for (; p < pixels; ++p) {
      AddRemainders<1, kV>(tile_, run_chunks_, x + p * stride, w, first_,
                           sums + p * static_cast<int64_t>(kLanes));
    }
  }

  // A group's pixels, from `begin` on, that are of output rows.
  void AddGroup(const ByteTile& rows, const PixelGroups& pixels, int64_t begin,
                const int32_t* sums) {
    const TileTaps<uint8_t, int8_t>& taps = rows.taps;
    const int64_t line = begin < pixels.line ? 0 : begin / pixels.line;  // divisions are slow
    int64_t column = begin - line * pixels.line;
    Out* to = OutputOf(rows) + line * rows.out_line_stride + first_;
    for (int64_t row = 0; row < pixels.rows; row += pixels.line - column, column = 0) {
      const int64_t count = HWY_MIN(pixels.rows - row, taps.pixels - column);
      if (count > 0) {
        lines_[end_++] = {count, sums + row * static_cast<int64_t>(kLanes),
                          to + column * taps.out_pixel_stride};
      }
      to += rows.out_line_stride;
    }
  }

  static Out* OutputOf(const ByteTile& tile) {
    if constexpr (std::is_same_v<Out, int16_t>) return tile.words;
    if constexpr (std::is_same_v<Out, uint8_t>) return tile.out;
  }

  // The sums of one pixel.
  HWY_INLINE static void Load(const int32_t* sums, VI* acc) {
    UNROLL
    for (int v = 0; v < kV; ++v) acc[v] = hn::Load(DI(), sums + v * kTileRows * kLanes);
  }

  // The line's first `count` pixels.
  HWY_INLINE void StoreLine(Line& line, int64_t count) {
    const int64_t to_stride = tile_.taps.out_pixel_stride;
    const int32_t* sums = line.sums;
    Out* to = line.to;
    const ByteStage<kV> stage = *stage_;
    int64_t i = 0;
    VI acc[kV];
    if constexpr (kV == 2 && sizeof(Out) == 1) {
      const bool is_whole = outputs_ == static_cast<int64_t>(kV * kLanes);
      for (; is_whole && i + 2 <= count; i += 2, sums += 2 * kLanes, to += 2 * to_stride) {
        VI second[kV];
        Load(sums, acc);
        Load(sums + kLanes, second);
        stage.StoreTwo(acc, second, to, to + to_stride);
      }
    }
    for (; i < count; ++i, sums += kLanes, to += to_stride) {
      Load(sums, acc);
      StorePixel(stage, acc, outputs_, to);
    }
    line.sums = sums;
    line.to = to;
  }

  const ByteTile& tile_;
  const RunChunks& run_chunks_;
  // Of the pending ones, as the next two: a tile of one block has no multipliers for a pair.
  absl::optional<ByteStage<kV>> stage_;
  int64_t first_ = 0, outputs_ = 0;
  int turn_ = 0;
  int next_ = 0, end_ = 0;  // of the lines that are pending
  Line lines_[kGroups * kTileRows];
  alignas(64) GroupSums<kV> sums_[2][kGroups];
};

// A tile's convolution in matrix registers, to Out: uint8_t or int16_t. What the arguments of its
// constructor refer to outlives it.
template <class Tiles, typename Out>
class MatrixConvolution {
 public:
  MatrixConvolution(const ByteTile& tile, const RunChunks& run_chunks, const PixelGroups& pixels)
      : run_chunks_(run_chunks),
        pixels_(pixels),
        tiles_(pixels.rows, run_chunks.quads),
        pairs_(tile, run_chunks),
        singles_(tile, run_chunks) {
    const int64_t steps =
        HWY_MAX(tile.taps.tap_rows * tile.taps.runs * run_chunks.chunks, int64_t{1});
    at_a_time_ = (2 * kTileRows + steps - 1) / steps;
    at_a_time_ += at_a_time_ % 2;  // StoreTwo
  }

  // `tile` is the constructor's from one of its rows on.
  void Run(const ByteTile& tile) {
    int64_t group = 0;
    for (; group + 2 <= pixels_.groups; group += 2) OverOutputs<2>(tile, group);
    if (group < pixels_.groups) OverOutputs<1>(tile, group);
  }

  void Finish() {
    pairs_.StoreAll();
    singles_.StoreAll();
  }

 private:
  // Pixels stay in the first-level cache, weights come from the second.
  template <int kP>
  void OverOutputs(const ByteTile& tile, int64_t group) {
    const int64_t blocks = BlocksOf(tile.taps.outputs);
    int64_t block = 0;
    for (; block + 2 <= blocks; block += 2) Block<kP>(tile, group, block, pairs_);
    if (block < blocks) Block<kP>(tile, group, block, singles_);
  }

  // kP groups of pixels, from `group` on, by kV blocks of outputs.
  template <int kP, int kV>
  HWY_NOINLINE void Block(const ByteTile& tile, int64_t group, int64_t block,
                          PendingSums<kV, Out>& pending) {
    const TileTaps<uint8_t, int8_t> taps = tile.taps;
    const Place at(taps, kV, 0, block);
    const uint8_t* const x0 = at.x + pixels_.Begin(group) * taps.pixel_stride;
    const uint8_t* const x1 = at.x + pixels_.Begin(group + kP - 1) * taps.pixel_stride;
    const int64_t at_a_time = at_a_time_;
    const int32_t* const bias0 = tile.bias + at.first;
    const int32_t* const bias1 = bias0 + kLanes;
    tiles_.template Load<kSum00>(bias0, 0);
    if constexpr (kV > 1) tiles_.template Load<kSum01>(bias1, 0);
    if constexpr (kP > 1) tiles_.template Load<kSum10>(bias0, 0);
    if constexpr (kP > 1 && kV > 1) tiles_.template Load<kSum11>(bias1, 0);
    for (int64_t row = 0; row < taps.tap_rows; ++row) {
      for (int64_t run = 0; run < taps.runs; ++run) {
        int64_t xk = row * taps.tap_row_stride + run * taps.run_stride;
        const int8_t* wk = at.w + row * taps.w_row_stride + run * taps.w_run_stride;
        for (int64_t chunk = 0; chunk < run_chunks_.chunks; ++chunk) {
          tiles_.template Load<kX0>(x0 + xk, taps.pixel_stride);
          if constexpr (kP > 1) tiles_.template Load<kX1>(x1 + xk, taps.pixel_stride);
          tiles_.template LoadOnce<kW0>(wk, kQuadBytes);
          if constexpr (kV > 1) tiles_.template LoadOnce<kW1>(wk + taps.w_block_stride, kQuadBytes);
          tiles_.template Multiply<kSum00, kX0, kW0>();
          if constexpr (kP > 1) tiles_.template Multiply<kSum10, kX1, kW0>();
          if constexpr (kV > 1) tiles_.template Multiply<kSum01, kX0, kW1>();
          if constexpr (kP > 1 && kV > 1) tiles_.template Multiply<kSum11, kX1, kW1>();
          pending.Store(at_a_time);
          xk += 4 * run_chunks_.quads;
          wk += kQuadBytes * run_chunks_.quads;
        }
      }
    }
    pending.StoreAll();
    GroupSums<kV>* const sums = pending.Next();
    tiles_.template Store<kSum00>(sums[0][0]);
    if constexpr (kV > 1) tiles_.template Store<kSum01>(sums[0][1]);
    if constexpr (kP > 1) tiles_.template Store<kSum10>(sums[1][0]);
    if constexpr (kP > 1 && kV > 1) tiles_.template Store<kSum11>(sums[1][1]);
    pending.Set(tile, pixels_, group, kP, block);
  }

  const RunChunks& run_chunks_;
  const PixelGroups& pixels_;
  Tiles tiles_;
  PendingSums<2, Out> pairs_;
  PendingSums<1, Out> singles_;
  int64_t at_a_time_;  // pixels to requantize for each step along k
};

template <class Tiles>
void RunByteTileInMatrices(const ByteTile& tile) {
  const TileTaps<uint8_t, int8_t>& taps = tile.taps;
  const RunChunks run_chunks(taps.run_length);
  const PixelGroups of_row(taps.pixels, taps.pixels);
  const bool is_list = tile.rows > 1 && tile.line_stride % taps.pixel_stride == 0 &&
                       tile.line_stride / taps.pixel_stride >= taps.pixels;
  const int64_t line = is_list ? tile.line_stride / taps.pixel_stride : taps.pixels;
  const PixelGroups of_all(is_list ? (tile.rows - 1) * line + taps.pixels : taps.pixels, line);
  const bool together = is_list && of_all.Cost() < tile.rows * of_row.Cost();
  const PixelGroups& pixels = together ? of_all : of_row;
  if (run_chunks.quads < kLeastQuads || pixels.rows < kLeastTilePixels) {
    return RunByteTile<Quads::kMixed>(tile);
  }
  const auto run = [&](auto products) HWY_ATTR {
    if (together) {
      products.Run(tile);
    } else {
      ForEachRow(tile, [&](const ByteTile& row) HWY_ATTR { products.Run(row); });
    }
    products.Finish();
  };
  if (tile.words != nullptr) {
    run(MatrixConvolution<Tiles, int16_t>(tile, run_chunks, pixels));
  } else {
    run(MatrixConvolution<Tiles, uint8_t>(tile, run_chunks, pixels));
  }
}

#endif  // HWY_AVX3

#endif  // bytes

ConvolutionLoops ConvolutionTargetLoops() {
  const bool dot_products = CpuHasPairProducts();
  ConvolutionLoops loops{};
  loops.lanes = kLanes;
  loops.float_tile = &RunFloatTile;
  loops.int16_tile = dot_products ? &RunInt16Tile<kHasPairProducts> : &RunInt16Tile<false>;
  loops.wide_tile = dot_products ? &RunWideTile<kHasPairProducts> : &RunWideTile<false>;
  loops.widen = &Widen;
  loops.saturate = &Saturate;
  loops.sum = &SumOfBytes;
#if HWY_TARGET == HWY_SCALAR
  // Slow, but runs the same code as on machines with dot products.
  loops.byte_tile = [](const ByteTile& tile) { ByteTileScalar(tile, kLanes); };
#elif SYNAP_HAS_QUADS
  WithCpuQuads([&](auto quads) {
    loops.byte_tile = &RunByteTile<quads()>;
    loops.byte_offset = OffsetOf(quads());
  });
#endif
#if HWY_TARGET == HWY_AVX3
  const MatrixUnit unit = CpuMatrixUnit();
  if (unit == MatrixUnit::kAmx) loops.byte_tile = &RunByteTileInMatrices<AmxTiles>;
  if (unit == MatrixUnit::kEmulated) loops.byte_tile = &RunByteTileInMatrices<EmulatedTiles>;
#endif
  return loops;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace synap_internal
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace synap_internal {

HWY_EXPORT(ConvolutionTargetLoops);

ConvolutionLoops ChooseConvolutionLoops() { return HWY_DYNAMIC_DISPATCH(ConvolutionTargetLoops)(); }

}  // namespace synap_internal
#endif  // HWY_ONCE
