// Requantization and stores of sums in 32 bits, to 8 bits or to 16.

// Per-target include guard.
#if defined(KERNELS_SHARED_SIMD_BYTE_STAGE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef KERNELS_SHARED_SIMD_BYTE_STAGE_INL_H_
#undef KERNELS_SHARED_SIMD_BYTE_STAGE_INL_H_
#else
#define KERNELS_SHARED_SIMD_BYTE_STAGE_INL_H_
#endif

#include <cstdint>

#include "kernels/shared/simd/unroll.h"

#include "hwy/highway.h"
#include "kernels/shared/simd/dot_products-inl.h"
#include "kernels/shared/simd/rounding-inl.h"

HWY_BEFORE_NAMESPACE();
namespace synap_internal {
namespace HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR

// Of hn::ReorderDemote2To of two vectors: both one after the other, saturated to bytes.
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
HWY_INLINE hn::Vec256<uint8_t> InOrder(V16 both) {
  const __m512i quads = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 0, 0, 0, 0, 0, 0, 0, 0);
  const __m512i bytes = _mm512_packus_epi16(both.raw, both.raw);
  return {_mm512_castsi512_si256(_mm512_permutexvar_epi32(quads, bytes))};
}
#elif HWY_TARGET == HWY_AVX2
HWY_INLINE hn::Vec128<uint8_t> InOrder(V16 both) {
  const __m256i quads = _mm256_setr_epi32(0, 4, 1, 5, 0, 0, 0, 0);
  const __m256i bytes = _mm256_packus_epi16(both.raw, both.raw);
  return {_mm256_castsi256_si128(_mm256_permutevar8x32_epi32(bytes, quads))};
}
#else
static_assert(kLanes == 4, "wider vectors take turns in the halves of 16 bytes");
HWY_INLINE auto InOrder(V16 both) { return hn::DemoteTo(hn::Rebind<uint8_t, D16>(), both); }
#endif

// Stores two vectors of integers plus zero_point, saturated to [min, 255], one after the other.
HWY_INLINE void StorePairAsBytes(VI a, VI b, int32_t zero_point, uint8_t min, uint8_t* to) {
  const hn::CappedTag<uint8_t, 2 * kLanes> d8;
  const V16 both = hn::SaturatedAdd(hn::ReorderDemote2To(D16(), a, b),
                                    hn::Set(D16(), static_cast<int16_t>(zero_point)));
  hn::StoreU(hn::Max(InOrder(both), hn::Set(d8, min)), d8, to);
}

#endif  // HWY_TARGET != HWY_SCALAR

// Requantizes the sums of kV vectors of outputs; constructed once for many pixels.
//
// Two vectors share the steps after the rounding: saturation to int16, the zero point, saturation
// to bytes. That is RequantizeLanes with fewer instructions: scaled sums are at most hi, those
// below int32 become its least value, and what saturates on the way lies beyond `min`.
template <int kV>
struct ByteStage {
  // `tile` has zero_point, min, max and multipliers, which are used from `first` on.
  template <typename Tile>
  explicit ByteStage(const Tile& tile, int64_t first = 0)
      : lo(hn::Set(DF(), static_cast<float>(tile.min - tile.zero_point))),
        hi(hn::Set(DF(), static_cast<float>(tile.max - tile.zero_point))),
        zero_point(tile.zero_point),
        min(static_cast<uint8_t>(tile.min)) {
    SetMultipliers(tile.multipliers + first);
  }

  HWY_INLINE void SetMultipliers(const float* of_outputs) {
    UNROLL
    for (int v = 0; v < kV; ++v) {
      multipliers[v] = hn::LoadU(DF(), of_outputs + v * static_cast<int>(kLanes));
    }
  }

  // Stores one pixel: kV * kLanes bytes.
  HWY_INLINE void Store(const VI* sums, uint8_t* to) const {
    int v = 0;
#if HWY_TARGET != HWY_SCALAR
    UNROLL
    for (; v + 2 <= kV; v += 2)
      StorePair(sums + v, multipliers + v, to + v * static_cast<int>(kLanes));
#endif
    UNROLL
    for (; v < kV; ++v) {
      const VI q =
          RequantizeLanes(DF(), sums[v], multipliers[v], lo, hi, hn::Set(DI(), zero_point));
      StoreAsBytes(DI(), q, to + v * static_cast<int>(kLanes));
    }
  }

  // The same as int16.
  HWY_INLINE void Store(const VI* sums, int16_t* to) const {
    const hn::Rebind<int16_t, DI> d16;
    UNROLL
    for (int v = 0; v < kV; ++v) {
      const VI q =
          RequantizeLanes(DF(), sums[v], multipliers[v], lo, hi, hn::Set(DI(), zero_point));
      hn::StoreU(hn::DemoteTo(d16, q), d16, to + v * static_cast<int>(kLanes));
    }
  }

#if HWY_TARGET == HWY_AVX3
  // Store of two pixels: what follows the rounding is shared by all four vectors.
  HWY_INLINE void StoreTwo(const VI* a, const VI* b, uint8_t* to_a, uint8_t* to_b) const {
    static_assert(kV == 2);
    const auto words = [&](const VI* sums) HWY_ATTR {
      return hn::SaturatedAdd(hn::ReorderDemote2To(D16(), Rounded(sums[0], multipliers[0]),
                                                   Rounded(sums[1], multipliers[1])),
                              hn::Set(D16(), static_cast<int16_t>(zero_point)));
    };
    // Of each, fours of the one and of the other vector by turns; of both, a's eight before b's.
    const __m512i quads = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    const __m512i bytes = _mm512_max_epu8(_mm512_packus_epi16(words(a).raw, words(b).raw),
                                          _mm512_set1_epi8(static_cast<char>(min)));
    const __m512i in_order = _mm512_permutexvar_epi32(quads, bytes);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to_a), _mm512_castsi512_si256(in_order));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to_b), _mm512_extracti64x4_epi64(in_order, 1));
  }
#endif

  VF lo, hi, multipliers[kV];
  int32_t zero_point;
  uint8_t min;

 private:
#if HWY_TARGET != HWY_SCALAR
  HWY_INLINE VI Rounded(VI sum, VF by) const {
    const DF d;
    return RoundToInt(d, hn::Min(hn::Mul(hn::ConvertTo(d, sum), by), hi));
  }
  HWY_INLINE void StorePair(const VI* sums, const VF* by, uint8_t* to) const {
    StorePairAsBytes(Rounded(sums[0], by[0]), Rounded(sums[1], by[1]), zero_point, min, to);
  }
#endif
};

}  // namespace HWY_NAMESPACE
}  // namespace synap_internal
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
