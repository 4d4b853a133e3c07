#include "kernels/lookup/lookup.h"

#include <cstdint>
#include <cstring>

#include "kernels/shared/cpu_extensions.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/lookup/lookup_simd.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace synap_internal {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

// Eight loads and one store: with a store for each byte, stores would limit the loop.
void LookupWords(const uint8_t* HWY_RESTRICT table, const uint8_t* x, uint8_t* out, int64_t n) {
  int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    uint8_t bytes[8];
    for (int64_t k = 0; k < 8; ++k) bytes[k] = table[x[i + k]];
    std::memcpy(out + i, bytes, sizeof(bytes));
  }
  for (; i < n; ++i) out[i] = table[x[i]];
}

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
// pshufb looks up 16 entries; index bytes with the top bit set give 0. For part
// p of the table, (index - 16 p) saturated-plus 0x70 keeps the low nibble of
// indices inside the part and sets the top bit of all others.
void LookupVectors(const uint8_t* HWY_RESTRICT table, const uint8_t* x, uint8_t* out, int64_t n) {
  const hn::ScalableTag<uint8_t> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto bias = hn::Set(d, 0x70);
  int64_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    auto index0 = hn::LoadU(d, x + i), index1 = hn::LoadU(d, x + i + lanes);
    auto sum0 = hn::Zero(d), sum1 = hn::Zero(d);
    for (int part = 0; part < 16; ++part) {
      const auto entries = hn::LoadDup128(d, table + 16 * part);
      const auto found0 = hn::TableLookupBytesOr0(entries, hn::SaturatedAdd(index0, bias));
      const auto found1 = hn::TableLookupBytesOr0(entries, hn::SaturatedAdd(index1, bias));
      sum0 = hn::Or(sum0, found0);
      sum1 = hn::Or(sum1, found1);
      index0 = hn::Sub(index0, hn::Set(d, 16));
      index1 = hn::Sub(index1, hn::Set(d, 16));
    }
    hn::StoreU(sum0, d, out + i);
    hn::StoreU(sum1, d, out + i + lanes);
  }
  LookupWords(table, x + i, out + i, n - i);
}
#else
void LookupVectors(const uint8_t* table, const uint8_t* x, uint8_t* out, int64_t n) {
  LookupWords(table, x, out, n);
}
#endif

#if HWY_TARGET == HWY_AVX3
// The table in four registers: two permutations over 128 entries each, and the
// index's highest bit chooses between them.
__attribute__((target("avx512vbmi"))) void LookupPermuted(const uint8_t* HWY_RESTRICT table,
                                                          const uint8_t* x, uint8_t* out,
                                                          int64_t n) {
  const __m512i t0 = _mm512_loadu_si512(table);
  const __m512i t1 = _mm512_loadu_si512(table + 64);
  const __m512i t2 = _mm512_loadu_si512(table + 128);
  const __m512i t3 = _mm512_loadu_si512(table + 192);
  for (int64_t i = 0; i < n; i += 64) {
    const int64_t left = n - i;
    const __mmask64 mask = left >= 64 ? ~__mmask64{0} : (__mmask64{1} << left) - 1;
    const __m512i index = _mm512_maskz_loadu_epi8(mask, x + i);
    const __m512i low = _mm512_permutex2var_epi8(t0, index, t1);
    const __m512i high = _mm512_permutex2var_epi8(t2, index, t3);
    const __m512i value = _mm512_mask_blend_epi8(_mm512_movepi8_mask(index), low, high);
    _mm512_mask_storeu_epi8(out + i, mask, value);
  }
}

lookup::Function Choose() { return CpuHasAvx512Vbmi() ? &LookupPermuted : &LookupVectors; }
#else
lookup::Function Choose() { return &LookupVectors; }
#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace synap_internal
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace synap_internal::lookup {

HWY_EXPORT(Choose);

Function FindFunction() { return HWY_DYNAMIC_DISPATCH(Choose)(); }

}  // namespace synap_internal::lookup
#endif  // HWY_ONCE
