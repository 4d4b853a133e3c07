#include "runtime/bundle/crc32.h"

#include <array>
#include <cstddef>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace synap_internal {
namespace {

constexpr uint32_t kPolynomial = 0xEDB88320;

// kTables[k][b]: the effect of byte b followed by k zero bytes, so that eight
// bytes are taken at once (a whole model is summed when it is loaded).
using Tables = std::array<std::array<uint32_t, 256>, 8>;

constexpr Tables MakeTables() {
  Tables tables{};
  for (uint32_t b = 0; b < 256; ++b) {
    uint32_t crc = b;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kPolynomial : 0);
    tables[0][b] = crc;
  }
  for (size_t k = 1; k < 8; ++k) {
    for (size_t b = 0; b < 256; ++b) {
      const uint32_t before = tables[k - 1][b];
      tables[k][b] = (before >> 8) ^ tables[0][before & 0xFF];
    }
  }
  return tables;
}

constexpr Tables kTables = MakeTables();

// The state after more bytes.
uint32_t Update(uint32_t crc, const uint8_t* bytes, size_t size) {
  size_t i = 0;
  for (; i + 8 <= size; i += 8) {
    const uint8_t* p = bytes + i;
    crc = kTables[7][(crc ^ p[0]) & 0xFF] ^ kTables[6][((crc >> 8) ^ p[1]) & 0xFF] ^
          kTables[5][((crc >> 16) ^ p[2]) & 0xFF] ^ kTables[4][(crc >> 24) ^ p[3]] ^
          kTables[3][p[4]] ^ kTables[2][p[5]] ^ kTables[1][p[6]] ^ kTables[0][p[7]];
  }
  for (; i < size; ++i) crc = (crc >> 8) ^ kTables[0][(crc ^ bytes[i]) & 0xFF];
  return crc;
}

#if defined(__x86_64__)
constexpr size_t kBlock = 64;

// x^n modulo the polynomial, reflected as the checksum is: the factor that moves 64 bits n + 32 or
// n - 32 bits ahead. A product of reflected numbers lacks a factor of x.
constexpr int64_t Power(int n) {
  uint32_t power = 0x80000000;
  for (int i = 0; i < n; ++i) power = (power >> 1) ^ ((power & 1) != 0 ? kPolynomial : 0);
  return static_cast<int64_t>(power) << 1;
}

// `x` moved ahead by the number of bits that the factors stand for, plus `next`.
__attribute__((target("pclmul,sse4.1"))) __m128i Fold(__m128i x, __m128i factors, __m128i next) {
  const __m128i low = _mm_clmulepi64_si128(x, factors, 0x00);
  const __m128i high = _mm_clmulepi64_si128(x, factors, 0x11);
  return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

// Update by products of polynomials over GF(2) (V. Gopal et al., "Fast CRC Computation for Generic
// Polynomials Using PCLMULQDQ", 2009): all blocks are folded into one, whose checksum is theirs.
// 10 MiB take 1 ms instead of 5. REQUIRES: size is a positive multiple of kBlock.
__attribute__((target("pclmul,sse4.1"))) uint32_t UpdateBlocks(uint32_t crc, const uint8_t* bytes,
                                                               size_t size) {
  const __m128i by_block = _mm_set_epi64x(Power(512 - 32), Power(512 + 32));
  const __m128i by_vector = _mm_set_epi64x(Power(128 - 32), Power(128 + 32));
  const auto load = [&](size_t at) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + at));
  };
  __m128i x0 = _mm_xor_si128(load(0), _mm_cvtsi32_si128(static_cast<int>(crc)));
  __m128i x1 = load(16), x2 = load(32), x3 = load(48);
  for (size_t i = kBlock; i < size; i += kBlock) {
    x0 = Fold(x0, by_block, load(i));
    x1 = Fold(x1, by_block, load(i + 16));
    x2 = Fold(x2, by_block, load(i + 32));
    x3 = Fold(x3, by_block, load(i + 48));
  }
  const __m128i folded = Fold(Fold(Fold(x0, by_vector, x1), by_vector, x2), by_vector, x3);
  alignas(16) uint8_t rest[16];
  _mm_store_si128(reinterpret_cast<__m128i*>(rest), folded);
  return Update(0, rest, sizeof(rest));
}
#endif

}  // namespace

uint32_t Crc32(absl::Span<const uint8_t> bytes) {
  uint32_t crc = ~uint32_t{0};
#if defined(__x86_64__)
  const size_t size = bytes.size() / kBlock * kBlock;
  if (size > 0 && __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1")) {
    crc = UpdateBlocks(crc, bytes.data(), size);
    bytes.remove_prefix(size);
  }
#endif
  return ~Update(crc, bytes.data(), bytes.size());
}

}  // namespace synap_internal
