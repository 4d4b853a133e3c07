#include <algorithm>
#include <cmath>

#include "base/rounding.h"
#include "kernels/matmul/matmul_tile.h"
#include "kernels/shared/simd/unroll.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/matmul/matmul_simd.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/shared/simd/dot_products-inl.h"
#include "kernels/shared/simd/register_blocks-inl.h"
#include "kernels/shared/simd/rounding-inl.h"
#include "kernels/shared/simd/virtual_lanes-inl.h"
#include "kernels/shared/simd/wide_sums-inl.h"

HWY_BEFORE_NAMESPACE();
namespace synap_internal {
namespace HWY_NAMESPACE {
namespace {

// Rows of a register block, each with two vectors of columns: with those and an element of a, the
// sums fill the registers.
constexpr int kRows = HWY_MAX_BYTES >= 64 ? 14 : 6;

// One column after the other, for targets without fused multiply-add and for
// matrices narrower than a vector.
void FloatColumns(const MatmulFloatTile& tile) {
  for (int64_t m = 0; m < tile.rows; ++m) {
    for (int64_t n = 0; n < tile.columns; ++n) {
      float acc = 0;
      for (int64_t k = 0; k < tile.depth; ++k) {
        acc = std::fma(tile.a[m * tile.a_stride + k], tile.b[k * tile.b_stride + n], acc);
      }
      tile.out[m * tile.b_stride + n] = acc;
    }
  }
}

template <int kM, int kV, class D>
HWY_NOINLINE void FloatBlock(D d, const MatmulFloatTile& tile, int64_t m, int64_t n) {
  using V = hn::Vec<D>;
  V acc[kM][kV];
  UNROLL
  for (int i = 0; i < kM; ++i) {
    UNROLL
    for (int v = 0; v < kV; ++v) acc[i][v] = hn::Zero(d);
  }
  RowPointers<kM, float> a(tile.a + m * tile.a_stride, tile.a_stride);
  const float* b = tile.b + n;
  for (int64_t k = 0; k < tile.depth; ++k, a.Advance(1), b += tile.b_stride) {
    V values[kV];
    UNROLL
    for (int v = 0; v < kV; ++v) values[v] = hn::LoadU(d, b + v * hn::MaxLanes(d));
    UNROLL
    for (int i = 0; i < kM; ++i) {
      const V scalar = hn::Set(d, *a[i]);
      UNROLL
      for (int v = 0; v < kV; ++v) acc[i][v] = FusedMulAdd(d, scalar, values[v], acc[i][v]);
    }
  }
  UNROLL
  for (int i = 0; i < kM; ++i) {
    UNROLL
    for (int v = 0; v < kV; ++v) {
      hn::StoreU(acc[i][v], d, tile.out + (m + i) * tile.b_stride + n + v * hn::MaxLanes(d));
    }
  }
}

template <int kV, class D>
HWY_INLINE void FloatRows(D d, const MatmulFloatTile& tile, int64_t n) {
  const int64_t stride = tile.a_stride * static_cast<int64_t>(sizeof(float));
  ForEachPart<kRows>(tile.rows, RowsAtATime(kRows, stride),
                     [&](auto rows, int64_t m) HWY_ATTR { FloatBlock<rows(), kV>(d, tile, m, n); });
}

// All columns. The last vector may overlap the one before and repeat its chains.
template <class D>
void FloatVectors(D d, const MatmulFloatTile& tile) {
  constexpr int64_t kStep = hn::MaxLanes(d);
  int64_t n = 0;
  for (; n + 2 * kStep <= tile.columns; n += 2 * kStep) FloatRows<2>(d, tile, n);
  for (; n < tile.columns; n += kStep) FloatRows<1>(d, tile, HWY_MIN(n, tile.columns - kStep));
}

void DivideBySums(const MatmulFloatTile& tile) {
  const DF d;
  constexpr int64_t kStep = kLanes;
  const int64_t whole = tile.columns - tile.columns % kStep;
  for (int64_t m = 0; m < tile.rows; ++m) {
    const float weights = ReduceVirtualLanes<SumOp>(tile.a + m * tile.a_stride, tile.depth);
    float* const out = tile.out + m * tile.b_stride;
    for (int64_t n = 0; n < whole; n += kStep) {
      hn::StoreU(hn::Div(hn::LoadU(d, out + n), hn::Set(d, weights)), d, out + n);
    }
    for (int64_t n = whole; n < tile.columns; ++n) out[n] /= weights;
  }
}

void RunFloatTile(const MatmulFloatTile& tile) {
  const hn::CappedTag<float, 4> d4;
  if (!kHasFma || tile.columns < static_cast<int64_t>(hn::MaxLanes(d4))) {
    FloatColumns(tile);
  } else if (tile.columns < static_cast<int64_t>(kLanes)) {
    FloatVectors(d4, tile);
  } else {
    FloatVectors(DF(), tile);
  }
  if (tile.normalize) DivideBySums(tile);
}

// Sum: type of the accumulators.
template <typename Sum>
void Uint8Columns(const MatmulUint8Tile& tile) {
  for (int64_t m = 0; m < tile.rows; ++m) {
    for (int64_t n = 0; n < tile.columns; ++n) {
      Sum acc = 0;
      for (int64_t k = 0; k < tile.depth; ++k) {
        acc += tile.a[m * tile.a_stride + k] * (tile.b[k * tile.b_stride + n] - tile.b_zero_point);
      }
      tile.out[m * tile.b_stride + n] =
          static_cast<uint8_t>(Requantize(acc, tile.multipliers[m], tile.zero_point, 0, 255));
    }
  }
}

#if HWY_TARGET == HWY_SCALAR

template <typename Sum, bool kDotProducts>
void RunUint8Tile(const MatmulUint8Tile& tile) {
  Uint8Columns<Sum>(tile);
}

#else

// Rows k and k + 1 of b as pairs, minus the zero point. An odd last row is paired
// with itself; the padding of a multiplies the copy by 0.
HWY_INLINE V16 LoadPairs(const MatmulUint8Tile& tile, int64_t k, int64_t n) {
  const hn::Rebind<uint8_t, DI> du8;
  const uint8_t* first = tile.b + k * tile.b_stride + n;
  const uint8_t* second = k + 1 < tile.depth ? first + tile.b_stride : first;
  const VI low = hn::PromoteTo(DI(), hn::LoadU(du8, first));
  const VI high = hn::PromoteTo(DI(), hn::LoadU(du8, second));
  const VI both = hn::Or(low, hn::ShiftLeft<16>(high));
  return hn::Sub(hn::BitCast(D16(), both), hn::Set(D16(), static_cast<int16_t>(tile.b_zero_point)));
}

template <bool kDotProducts, int kM>
HWY_INLINE void Uint8Block(const MatmulUint8Tile& tile, int64_t m, int64_t n) {
  Accumulator acc[kM];
  UNROLL
  for (int i = 0; i < kM; ++i) acc[i] = StartAt(hn::Zero(DI()));
  const int16_t* a = tile.a + m * tile.a_stride;
  for (int64_t k = 0; k < tile.depth; k += 2) {
    const V16 pairs = LoadPairs(tile, k, n);
    UNROLL
    for (int i = 0; i < kM; ++i) {
      AddPairs<kDotProducts>(BroadcastPair(a + i * tile.a_stride + k), pairs, acc[i]);
    }
  }
  const DF d;
  const VF lo = hn::Set(d, static_cast<float>(-tile.zero_point));
  const VF hi = hn::Set(d, static_cast<float>(255 - tile.zero_point));
  UNROLL
  for (int i = 0; i < kM; ++i) {
    const VI q = RequantizeLanes(d, acc[i].Sum(), hn::Set(d, tile.multipliers[m + i]), lo, hi,
                                 hn::Set(DI(), tile.zero_point));
    StoreAsBytes(DI(), q, tile.out + (m + i) * tile.b_stride + n);
  }
}

// Products whose sum an int32 holds: 255 * 255 * 2^14 < 2^30. Even.
constexpr int64_t kShortSum = 1 << 14;

// Uint8Block with 64-bit sums, of kShortSum products after the other.
template <bool kDotProducts, int kM>
HWY_NOINLINE void LongUint8Block(const MatmulUint8Tile& tile, int64_t m, int64_t n) {
  HWY_ALIGN double sums[kM * kLanes] = {};
  const int16_t* a = tile.a + m * tile.a_stride;
  for (int64_t begin = 0; begin < tile.depth; begin += kShortSum) {
    Accumulator acc[kM];
    UNROLL
    for (int i = 0; i < kM; ++i) acc[i] = StartAt(hn::Zero(DI()));
    for (int64_t k = begin; k < HWY_MIN(begin + kShortSum, tile.depth); k += 2) {
      const V16 pairs = LoadPairs(tile, k, n);
      UNROLL
      for (int i = 0; i < kM; ++i) {
        AddPairs<kDotProducts>(BroadcastPair(a + i * tile.a_stride + k), pairs, acc[i]);
      }
    }
    for (int i = 0; i < kM; ++i) {
      AddParts(acc[i].Sum(), hn::Zero(DI()), sums + static_cast<size_t>(i) * kLanes);
    }
  }
  HWY_ALIGN float multipliers[kLanes];
  HWY_ALIGN int16_t values[kLanes];
  for (int i = 0; i < kM; ++i) {
    std::fill_n(multipliers, kLanes, tile.multipliers[m + i]);
    RequantizeSums(sums + static_cast<size_t>(i) * kLanes, multipliers, tile.zero_point, 0, 255,
                   values);
    uint8_t* const out = tile.out + (m + i) * tile.b_stride + n;
    for (size_t lane = 0; lane < kLanes; ++lane) out[lane] = static_cast<uint8_t>(values[lane]);
  }
}

// The block for sums of type Sum.
template <typename Sum, bool kDotProducts, int kM>
HWY_INLINE void BlockOfSums(const MatmulUint8Tile& tile, int64_t m, int64_t n) {
  if constexpr (sizeof(Sum) == sizeof(int32_t)) {
    Uint8Block<kDotProducts, kM>(tile, m, n);
  } else {
    LongUint8Block<kDotProducts, kM>(tile, m, n);
  }
}

// All columns, as FloatVectors.
template <typename Sum, bool kDotProducts>
void RunUint8Tile(const MatmulUint8Tile& tile) {
  constexpr int64_t kStep = kLanes;
  constexpr int kBlock = sizeof(Sum) == sizeof(int32_t) ? 8 : 4;
  if (tile.columns < kStep) return Uint8Columns<Sum>(tile);
  for (int64_t begin = 0; begin < tile.columns; begin += kStep) {
    const int64_t n = HWY_MIN(begin, tile.columns - kStep);
    int64_t m = 0;
    for (; m + kBlock <= tile.rows; m += kBlock) BlockOfSums<Sum, kDotProducts, kBlock>(tile, m, n);
    for (; m < tile.rows; ++m) BlockOfSums<Sum, kDotProducts, 1>(tile, m, n);
  }
}

#endif  // HWY_TARGET != HWY_SCALAR

MatmulLoops MatmulTargetLoops() {
  return {&RunFloatTile,
          CpuHasPairProducts() ? &RunUint8Tile<int32_t, kHasPairProducts>
                               : &RunUint8Tile<int32_t, false>,
          CpuHasPairProducts() ? &RunUint8Tile<int64_t, kHasPairProducts>
                               : &RunUint8Tile<int64_t, false>};
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace synap_internal
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace synap_internal {

HWY_EXPORT(MatmulTargetLoops);

MatmulLoops ChooseMatmulLoops() { return HWY_DYNAMIC_DISPATCH(MatmulTargetLoops)(); }

}  // namespace synap_internal
#endif  // HWY_ONCE
