#include "kernels/byte_table.h"

#include "kernels/cpu_extensions.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace synap {
namespace {

void LookupScalar(const uint8_t* table, const uint8_t* from, uint8_t* to, int64_t count) {
  for (int64_t i = 0; i < count; ++i) to[i] = table[from[i]];
}

#if defined(__x86_64__)
// The table in four registers: two permutations over 128 entries each, and the
// index's highest bit chooses between them.
__attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi"))) void LookupVbmi(
    const uint8_t* table, const uint8_t* from, uint8_t* to, int64_t count) {
  const __m512i t0 = _mm512_loadu_si512(table);
  const __m512i t1 = _mm512_loadu_si512(table + 64);
  const __m512i t2 = _mm512_loadu_si512(table + 128);
  const __m512i t3 = _mm512_loadu_si512(table + 192);
  for (int64_t i = 0; i < count; i += 64) {
    const int64_t left = count - i;
    const __mmask64 mask = left >= 64 ? ~__mmask64{0} : (__mmask64{1} << left) - 1;
    const __m512i index = _mm512_maskz_loadu_epi8(mask, from + i);
    const __m512i low = _mm512_permutex2var_epi8(t0, index, t1);
    const __m512i high = _mm512_permutex2var_epi8(t2, index, t3);
    const __m512i value = _mm512_mask_blend_epi8(_mm512_movepi8_mask(index), low, high);
    _mm512_mask_storeu_epi8(to + i, mask, value);
  }
}
#endif

}  // namespace

ByteTableFunction ChooseByteTable() {
#if defined(__x86_64__)
  if (CpuHasAvx512Vbmi()) return &LookupVbmi;
#endif
  return &LookupScalar;
}

}  // namespace synap
