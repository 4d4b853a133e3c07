#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/rounding.h"
#include "gtest/gtest.h"
#include "kernels/shared/simd/on_every_target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/shared/simd/byte_stage_test.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/shared/simd/byte_stage-inl.h"

HWY_BEFORE_NAMESPACE();
namespace synap_internal {
namespace HWY_NAMESPACE {
namespace {

// What ByteStage reads of a tile.
struct Stage {
  int32_t zero_point, min, max;
  const float* multipliers;
};

template <int kV>
size_t Store(const Stage& of, const int32_t* sums, uint8_t* to) {
  VI vectors[kV];
  for (int v = 0; v < kV; ++v) vectors[v] = hn::LoadU(DI(), sums + v * static_cast<int>(kLanes));
  ByteStage<kV>(of).Store(vectors, to);
  return kV * kLanes;
}

// Requantizes the sums of `vectors` vectors; returns how many those are.
size_t StoreVectors(int vectors, int32_t zero_point, int32_t min, int32_t max,
                    const float* multipliers, const int32_t* sums, uint8_t* to) {
  const Stage of{zero_point, min, max, multipliers};
  if (vectors == 1) return Store<1>(of, sums, to);
  if (vectors == 2) return Store<2>(of, sums, to);
  return Store<3>(of, sums, to);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace synap_internal
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace synap_internal {
namespace {

HWY_EXPORT(StoreVectors);

constexpr size_t kMostLanes = 3 * 16;

TEST(ByteStageTest, EqualsTheScalarFunction) {
  std::vector<int32_t> sums = {std::numeric_limits<int32_t>::min(),
                               std::numeric_limits<int32_t>::max(),
                               -70000,
                               70000,
                               16777217,
                               16777219};
  for (int32_t sum = -600; sum <= 600; ++sum) sums.push_back(sum);
  while (sums.size() % kMostLanes != 0) sums.push_back(1);
  std::vector<float> multipliers;
  while (multipliers.size() < kMostLanes) {
    for (const float value : {0.5f, 0.25f, 1.0f, 0.49999997f, 1e-30f, 1e30f, 128.0f}) {
      multipliers.push_back(value);
    }
  }
  OnEveryTarget([&] {
    for (const int vectors : {1, 2, 3}) {
      for (const int32_t zero_point : {0, 1, 128, 255}) {
        for (const int32_t min : {0, zero_point}) {
          for (const int32_t max : {255, std::min(zero_point + 6, 255)}) {
            for (size_t first = 0; first + kMostLanes <= sums.size(); first += kMostLanes) {
              uint8_t bytes[kMostLanes];
              const size_t count = HWY_DYNAMIC_DISPATCH(StoreVectors)(
                  vectors, zero_point, min, max, multipliers.data(), sums.data() + first, bytes);
              for (size_t i = 0; i < count; ++i) {
                ASSERT_EQ(bytes[i],
                          Requantize(sums[first + i], multipliers[i], zero_point, min, max))
                    << vectors << " vectors: " << sums[first + i] << " * " << multipliers[i]
                    << " + " << zero_point << " in " << min << ".." << max << ", lane " << i;
              }
            }
          }
        }
      }
    }
  });
}

}  // namespace
}  // namespace synap_internal
#endif  // HWY_ONCE
