// Loops over register blocks: the number of rows is a constant, so that the sums stay in registers.

// Per-target include guard.
#if defined(KERNELS_SHARED_SIMD_REGISTER_BLOCKS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef KERNELS_SHARED_SIMD_REGISTER_BLOCKS_INL_H_
#undef KERNELS_SHARED_SIMD_REGISTER_BLOCKS_INL_H_
#else
#define KERNELS_SHARED_SIMD_REGISTER_BLOCKS_INL_H_
#endif

#include <cstdint>
#include <type_traits>
#include <utility>

#include "kernels/shared/simd/unroll.h"

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace synap_internal {
namespace HWY_NAMESPACE {

// Rows whose addresses differ by a multiple of kAliasBytes share a set of the first-level cache (64
// sets of 64 bytes), which has 8 or 12 ways: no more than this many stay cached until their next
// element is read.
constexpr int64_t kAliasBytes = 4096;
constexpr int64_t kAliasedRows = 8;

// stride: bytes from row to row.
HWY_INLINE bool IsAliased(int64_t stride) { return stride % kAliasBytes == 0; }

// Of at most `most` rows, how many to read together.
HWY_INLINE int64_t RowsAtATime(int64_t most, int64_t stride) {
  return IsAliased(stride) ? HWY_MIN(most, kAliasedRows) : most;
}

// Calls run(count) with `count`, in [1, sizeof...(kCounts)], as a constant.
template <typename Run, int... kCounts>
HWY_INLINE void WithConstant(int64_t count, Run run, std::integer_sequence<int, kCounts...>) {
  (void)((count == kCounts + 1 && (run(std::integral_constant<int, kCounts + 1>()), true)) || ...);
}

// Calls run(count, first) with the count as a constant until `total` are covered, at most `most` <=
// kMost at a time: in as few parts as possible, of about equal size, since a part of few has too
// few sums to hide the latency.
template <int kMost, typename Run>
HWY_INLINE void ForEachPart(int64_t total, int64_t most, Run run) {
  const int64_t parts = (total + most - 1) / most;
  for (int64_t part = 0, first = 0; part < parts; ++part) {
    const int64_t count = (total - first) / (parts - part);
    WithConstant(
        count, [&](auto constant) HWY_ATTR { run(constant, first); },
        std::make_integer_sequence<int, kMost>());
    first += count;
  }
}

// The next elements of kCount rows that are `stride` elements apart. Four rows share a base: a
// pointer for each, or all multiples of the stride, would need too many registers.
template <int kCount, typename T>
class RowPointers {
 public:
  HWY_INLINE RowPointers(const T* first, int64_t stride) : stride_(stride) {
    UNROLL
    for (int i = 0; i < kBases; ++i) {
      bases_[i] = first + kShare * i * stride;
      asm("" : "+r"(bases_[i]));  // else the compiler makes them multiples again
    }
  }
  HWY_INLINE const T* operator[](int row) const {
    return bases_[row / kShare] + row % kShare * stride_;
  }
  HWY_INLINE void Advance(int64_t elements) {
    UNROLL
    for (int i = 0; i < kBases; ++i) bases_[i] += elements;
  }

 private:
  static constexpr int kShare = 4;
  static constexpr int kBases = (kCount + kShare - 1) / kShare;
  const T* bases_[kBases];
  const int64_t stride_;
};

}  // namespace HWY_NAMESPACE
}  // namespace synap_internal
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
