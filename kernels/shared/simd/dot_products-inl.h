// Exact dot products of int16 pairs and of byte quads into int32 lanes.

// Per-target include guard.
#if defined(KERNELS_SHARED_SIMD_DOT_PRODUCTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef KERNELS_SHARED_SIMD_DOT_PRODUCTS_INL_H_
#undef KERNELS_SHARED_SIMD_DOT_PRODUCTS_INL_H_
#else
#define KERNELS_SHARED_SIMD_DOT_PRODUCTS_INL_H_
#endif

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kernels/shared/cpu_extensions.h"

#include "hwy/highway.h"
#include "kernels/shared/simd/rounding-inl.h"

HWY_BEFORE_NAMESPACE();
namespace synap_internal {
namespace HWY_NAMESPACE {

// A whole vector of 32-bit lanes.
inline constexpr size_t kLanes = HWY_LANES(float);
using DF = hn::CappedTag<float, kLanes>;
using DI = hn::CappedTag<int32_t, kLanes>;
using VF = hn::Vec<DF>;
using VI = hn::Vec<DI>;

// Whether some processors have dot products of pairs for vectors of this width (AVX-512
// VNNI, AVX-VNNI); CpuHasPairProducts() tells it of this processor.
inline constexpr bool kHasPairProducts = HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2;

HWY_INLINE bool CpuHasPairProducts() {
  if constexpr (HWY_TARGET == HWY_AVX3) return CpuHasAvx512Vnni();
  if constexpr (HWY_TARGET == HWY_AVX2) return CpuHasAvxVnni();
  return false;
}

// Whether some processors have dot products of quads for them, of unsigned by signed bytes
// (AddQuads).
#undef SYNAP_HAS_QUADS
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_NEON
#define SYNAP_HAS_QUADS 1
#else
#define SYNAP_HAS_QUADS 0
#endif

// The processor's dot products of quads.
enum class Quads {
  kNone,
  kMixed,   // of unsigned by signed bytes: AVX-512 VNNI, AVX-VNNI, ARM's i8mm
  kSigned,  // of signed bytes: ARM's dotprod, with x - 128 in place of x
};

HWY_INLINE Quads CpuQuads() {
  if (CpuHasPairProducts()) return Quads::kMixed;
  if constexpr (HWY_TARGET != HWY_NEON) return Quads::kNone;
  if (CpuHasArmI8mm()) return Quads::kMixed;
  return CpuHasArmDotProd() ? Quads::kSigned : Quads::kNone;
}

// Offset that is subtracted from each unsigned byte before it is multiplied. A sum of
// products is too small by this times the sum of the weights.
constexpr int32_t OffsetOf(Quads quads) { return quads == Quads::kSigned ? 128 : 0; }

// HWY_SCALAR has no pairs: its lanes hold one value.
#if HWY_TARGET != HWY_SCALAR

using D16 = hn::Repartition<int16_t, DI>;
using V16 = hn::Vec<D16>;

struct Accumulator {
  VI even;  // all of the sum where the machine adds pairs
  VI odd;   // the rest elsewhere

  VI Sum() const { return hn::RearrangeToOddPlusEven(even, odd); }
};

HWY_INLINE Accumulator StartAt(VI sum) {
#if HWY_TARGET == HWY_NEON
  // Here the sum is that of neighbours, first those of `even`, then those of `odd`.
  return {hn::InterleaveLower(DI(), sum, hn::Zero(DI())),
          hn::InterleaveUpper(DI(), sum, hn::Zero(DI()))};
#else
  return {sum, hn::Zero(DI())};
#endif
}

// Highway 1.0.3 has no op for either.
#if HWY_TARGET == HWY_AVX3
#define SYNAP_DOT_PRODUCT(instruction, acc, x, w) \
  asm(instruction " %2, %1, %0" : "+v"((acc).raw) : "v"((x).raw), "v"((w).raw))
#elif HWY_TARGET == HWY_AVX2
#define SYNAP_DOT_PRODUCT(instruction, acc, x, w) \
  asm("%{vex%} " instruction " %2, %1, %0" : "+x"((acc).raw) : "x"((x).raw), "x"((w).raw))
#elif HWY_TARGET == HWY_NEON
// The assembler has to be told; what the compiler itself emits it takes as before.
#define SYNAP_DOT_PRODUCT(instruction, acc, x, w)                       \
  asm(".arch armv8.6-a+crypto\n\t" instruction " %0.4s, %1.16b, %2.16b" \
      : "+w"((acc).raw)                                                 \
      : "w"((x).raw), "w"((w).raw))
#endif

// acc[lane] += x[2 lane] * w[2 lane] + x[2 lane + 1] * w[2 lane + 1].
// kDotProducts: REQUIRES CpuHasPairProducts(); without effect on targets that have none.
template <bool kDotProducts>
HWY_INLINE void AddPairs(V16 x, V16 w, Accumulator& acc) {
#if HWY_TARGET != HWY_NEON && defined(SYNAP_DOT_PRODUCT)
  if constexpr (kDotProducts) {
    // BM_Conv2d/u8_3x3_40x40x64_64 on Zen 4, one thread: 108 GMAC/s, 91 with vpmaddwd
    // and vpaddd (BM_Conv2dWithoutVnni).
    SYNAP_DOT_PRODUCT("vpdpwssd", acc.even, x, w);
    return;
  }
#endif
  acc.even = hn::ReorderWidenMulAccumulate(DI(), x, w, acc.even, acc.odd);
}

#if SYNAP_HAS_QUADS

// The quads of unsigned bytes as AddQuads takes them.
template <Quads kQuads>
HWY_INLINE VI QuadsOf(VI x) {
  if constexpr (kQuads == Quads::kSigned) {
    return hn::Xor(x, hn::Set(DI(), static_cast<int32_t>(0x80808080u)));
  }
  return x;
}

// acc[lane] += sum of (x[4 lane + i] - OffsetOf(kQuads)) * w[4 lane + i], x unsigned and
// from QuadsOf<kQuads>, w signed bytes. Not the saturating form: exact.
// REQUIRES: kQuads is CpuQuads().
template <Quads kQuads>
HWY_INLINE void AddQuads(VI x, VI w, VI& acc) {
  static_assert(kQuads != Quads::kNone, "nothing multiplies quads");
#if HWY_TARGET != HWY_NEON
  SYNAP_DOT_PRODUCT("vpdpbusd", acc, x, w);
#else
  if constexpr (kQuads == Quads::kMixed) {
    SYNAP_DOT_PRODUCT("usdot", acc, x, w);
  } else {
    SYNAP_DOT_PRODUCT("sdot", acc, x, w);
  }
#endif
}

#if HWY_TARGET == HWY_NEON
// 2 x 8 by 8 x 2 bytes, twice the products of AddQuads: acc[2 i + j] += sum of x[8 i + k] * w[8 j +
// k] for k < 8, x unsigned, w signed bytes. Exact. REQUIRES: CpuQuads() == Quads::kMixed.
HWY_INLINE void AddMatrices(VI x, VI w, VI& acc) { SYNAP_DOT_PRODUCT("usmmla", acc, x, w); }
#endif

// Calls use(constant) with CpuQuads() as a constant, unless there are none.
template <typename Use>
void WithCpuQuads(Use use) {
  const Quads quads = CpuQuads();
  if (quads == Quads::kMixed) use(std::integral_constant<Quads, Quads::kMixed>());
#if HWY_TARGET == HWY_NEON
  if (quads == Quads::kSigned) use(std::integral_constant<Quads, Quads::kSigned>());
#endif
}

#endif  // SYNAP_HAS_QUADS
#undef SYNAP_DOT_PRODUCT

// The quads of a vector, from anywhere.
HWY_INLINE VI LoadQuads(const void* bytes) {
  return hn::LoadU(DI(), static_cast<const int32_t*>(bytes));
}

// The pair x[0], x[1] in every lane.
HWY_INLINE V16 BroadcastPair(const int16_t* x) {
  int32_t pair;
  std::memcpy(&pair, x, sizeof(pair));
  return hn::BitCast(D16(), hn::Set(DI(), pair));
}

#endif  // HWY_TARGET != HWY_SCALAR

}  // namespace HWY_NAMESPACE
}  // namespace synap_internal
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
