#include <limits>

#include "base/rounding.h"
#include "kernels/pool/pool_tile.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/pool/pool_simd.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/shared/simd/rounding-inl.h"

HWY_BEFORE_NAMESPACE();
namespace synap_internal {
namespace HWY_NAMESPACE {
namespace {

// Calls step(pointer to a tap's channel 0) for the taps of pixel p.
template <typename T, typename Step>
HWY_INLINE void ForEachTap(const PoolTile<T>& tile, int64_t p, Step step) {
  for (int64_t row = 0; row < tile.tap_rows; ++row) {
    const T* x = tile.x + p * tile.pixel_stride + row * tile.tap_row_stride;
    for (int64_t tap = 0; tap < tile.taps; ++tap, x += tile.tap_stride) step(x);
  }
}

// A reduction has Vector(d, tile, p, c), which computes Lanes(d) channels of
// pixel p from channel c on, and Scalar(tile, p, c), which computes one.
template <class Reduction, typename T, class D>
void ReduceVectors(D d, const PoolTile<T>& tile) {
  constexpr int64_t kStep = hn::MaxLanes(d);
  for (int64_t p = 0; p < tile.pixels; ++p) {
    // The last vector may overlap the one before and repeat its values.
    for (int64_t c = 0; c < tile.channels; c += kStep) {
      Reduction::Vector(d, tile, p, HWY_MIN(c, tile.channels - kStep));
    }
  }
}

// Uses the widest vectors that the channels fill.
template <class Reduction, typename T>
void Reduce(const PoolTile<T>& tile) {
  using Lanes = typename Reduction::Lanes;  // of the arithmetic
  const hn::ScalableTag<Lanes> d;
  const hn::CappedTag<Lanes, 16> d16;
  const hn::CappedTag<Lanes, 8> d8;
  const auto fits = [&tile](size_t lanes) { return tile.channels >= static_cast<int64_t>(lanes); };
  if (fits(hn::MaxLanes(d))) {
    ReduceVectors<Reduction>(d, tile);
  } else if (fits(hn::MaxLanes(d16))) {
    ReduceVectors<Reduction>(d16, tile);
  } else if (fits(hn::MaxLanes(d8))) {
    ReduceVectors<Reduction>(d8, tile);
  } else {
    for (int64_t p = 0; p < tile.pixels; ++p) {
      for (int64_t c = 0; c < tile.channels; ++c) Reduction::Scalar(tile, p, c);
    }
  }
}

template <typename T>
constexpr T Lowest() {
  return std::is_same_v<T, float> ? -std::numeric_limits<T>::infinity()
                                  : std::numeric_limits<T>::lowest();
}

template <typename T>
struct Largest {
  using Lanes = T;

  template <class D>
  static HWY_INLINE void Vector(D d, const PoolTile<T>& tile, int64_t p, int64_t c) {
    auto largest = hn::Set(d, Lowest<T>());
    ForEachTap(tile, p, [&](const T* x) HWY_ATTR {
      const auto value = hn::LoadU(d, x + c);
      if constexpr (std::is_same_v<T, float>) {
        largest = hn::IfThenElse(hn::Gt(value, largest), value, largest);
      } else {
        largest = hn::Max(value, largest);
      }
    });
    hn::StoreU(largest, d, tile.out + p * tile.channels + c);
  }

  static void Scalar(const PoolTile<T>& tile, int64_t p, int64_t c) {
    T largest = Lowest<T>();
    ForEachTap(tile, p, [&](const T* x) HWY_ATTR {
      if (x[c] > largest) largest = x[c];
    });
    tile.out[p * tile.channels + c] = largest;
  }
};

struct AverageFloat {
  using Lanes = float;

  template <class D>
  static HWY_INLINE void Vector(D d, const PoolTile<float>& tile, int64_t p, int64_t c) {
    auto sum = hn::Zero(d);
    ForEachTap(tile, p, [&](const float* x) HWY_ATTR { sum = hn::Add(sum, hn::LoadU(d, x + c)); });
    hn::StoreU(hn::Div(sum, hn::Set(d, tile.divisor)), d, tile.out + p * tile.channels + c);
  }

  static void Scalar(const PoolTile<float>& tile, int64_t p, int64_t c) {
    float sum = 0;
    ForEachTap(tile, p, [&](const float* x) HWY_ATTR { sum += x[c]; });
    tile.out[p * tile.channels + c] = sum / tile.divisor;
  }
};

struct AverageUint8 {
  using Lanes = int32_t;

  template <class D>
  static HWY_INLINE void Vector(D d, const PoolTile<uint8_t>& tile, int64_t p, int64_t c) {
    const hn::Rebind<uint8_t, D> du8;
    const hn::RebindToFloat<D> df;
    auto sum = hn::Set(d, tile.sum_offset);
    ForEachTap(tile, p, [&](const uint8_t* x) HWY_ATTR {
      sum = hn::Add(sum, hn::PromoteTo(d, hn::LoadU(du8, x + c)));
    });
    const auto lo = hn::Set(df, static_cast<float>(-tile.zero_point));
    const auto hi = hn::Set(df, static_cast<float>(255 - tile.zero_point));
    const auto q =
        RequantizeLanes(df, sum, hn::Set(df, tile.multiplier), lo, hi, hn::Set(d, tile.zero_point));
    StoreAsBytes(d, q, tile.out + p * tile.channels + c);
  }

  static void Scalar(const PoolTile<uint8_t>& tile, int64_t p, int64_t c) {
    int32_t sum = tile.sum_offset;
    ForEachTap(tile, p, [&](const uint8_t* x) HWY_ATTR { sum += x[c]; });
    tile.out[p * tile.channels + c] =
        static_cast<uint8_t>(Requantize(sum, tile.multiplier, tile.zero_point, 0, 255));
  }
};

PoolLoops PoolTargetLoops() {
  return {&Reduce<Largest<float>, float>, &Reduce<Largest<uint8_t>, uint8_t>,
          &Reduce<AverageFloat, float>, &Reduce<AverageUint8, uint8_t>};
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace synap_internal
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace synap_internal {

HWY_EXPORT(PoolTargetLoops);

PoolLoops ChoosePoolLoops() { return HWY_DYNAMIC_DISPATCH(PoolTargetLoops)(); }

}  // namespace synap_internal
#endif  // HWY_ONCE
