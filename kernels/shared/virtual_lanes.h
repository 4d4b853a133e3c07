// Float reductions with the same bits for every vector width: element i of the
// input goes to lane i % 16, each lane accumulates its elements in rising order
// from the start value on, and the lanes are combined in a fixed tree.
// kernels/shared/simd/virtual_lanes-inl.h has the same over vectors.
#ifndef KERNELS_SHARED_VIRTUAL_LANES_H_
#define KERNELS_SHARED_VIRTUAL_LANES_H_

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace synap_internal {

inline constexpr size_t kVirtualLanes = 16;
using VirtualLanes = std::array<float, kVirtualLanes>;

// Combines lane i with lane i + 8, then i + 4, i + 2, i + 1; returns lane 0.
template <typename F>
float FoldLanes(VirtualLanes lanes, F combine) {
  for (size_t distance = kVirtualLanes / 2; distance > 0; distance /= 2) {
    for (size_t i = 0; i < distance; ++i) lanes[i] = combine(lanes[i], lanes[i + distance]);
  }
  return lanes[0];
}

// Accumulates element(k) for k in [0, n), from `start` on in each lane.
template <typename F, typename G>
float ReduceLanes(int64_t n, float start, F accumulate, G element) {
  VirtualLanes lanes;
  lanes.fill(start);
  for (int64_t k = 0; k < n; ++k) {
    float& lane = lanes[static_cast<size_t>(k) % kVirtualLanes];
    lane = accumulate(lane, element(k));
  }
  return FoldLanes(lanes, accumulate);
}

// Most elements of one chain. Longer reductions are done in blocks of as many, whose results are
// combined in order: in one chain of float32 the mean of 600,000 times 0.1 would be 0.1006.
inline constexpr int64_t kChain = 4096;

// Accumulates element(k) for k in [0, n) in blocks: `along` the vector in the lanes, else in a
// chain.
template <typename F, typename G>
float ReduceBlocks(int64_t n, bool along, float start, F accumulate, float (*combine)(float, float),
                   G element) {
  const int64_t block = along ? kChain * static_cast<int64_t>(kVirtualLanes) : kChain;
  float result = start;
  for (int64_t begin = 0; begin < n; begin += block) {
    VirtualLanes lanes;
    lanes.fill(start);
    const int64_t end = std::min(n, begin + block);
    for (int64_t k = begin; k < end; ++k) {
      float& lane = lanes[along ? static_cast<size_t>(k) % kVirtualLanes : 0];
      lane = accumulate(lane, element(k));
    }
    const float found = along ? FoldLanes(lanes, combine) : lanes[0];
    result = begin == 0 ? found : combine(result, found);
  }
  return result;
}

// The operations of reductions. Maximum and minimum return NaN if either is NaN.
inline float LaneSum(float accumulated, float x) { return accumulated + x; }
inline float LaneProduct(float accumulated, float x) { return accumulated * x; }
inline float LaneSumOfSquares(float accumulated, float x) { return std::fma(x, x, accumulated); }
inline float LaneMaximum(float accumulated, float x) {
  return accumulated > x || std::isnan(accumulated) ? accumulated : x;
}
inline float LaneMinimum(float accumulated, float x) {
  return accumulated < x || std::isnan(accumulated) ? accumulated : x;
}

}  // namespace synap_internal

#endif  // KERNELS_SHARED_VIRTUAL_LANES_H_
