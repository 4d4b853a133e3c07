#include <cstdint>
#include <cstring>
#include <vector>

#include "absl/types/span.h"
#include "base/float_math.h"
#include "gtest/gtest.h"
#include "hwy/aligned_allocator.h"
#include "kernels/shared/simd/on_every_target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/shared/simd/math_test.cc"

#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/shared/simd/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace synap_internal {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

// y[f][i] = function f of x[i]. x.size() is a multiple of any vector's length.
void AllFunctions(absl::Span<const float> x, float* const* y) {
  const hn::ScalableTag<float> d;
  for (size_t i = 0; i < x.size(); i += hn::Lanes(d)) {
    const auto v = hn::LoadU(d, x.data() + i);
    size_t f = 0;
    hn::StoreU(ExpLanes(d, v), d, y[f++] + i);
    hn::StoreU(ExpMinus1Lanes(d, v), d, y[f++] + i);
    hn::StoreU(LogLanes(d, v), d, y[f++] + i);
    hn::StoreU(TanhLanes(d, v), d, y[f++] + i);
    hn::StoreU(SigmoidLanes(d, v), d, y[f++] + i);
    hn::StoreU(ErfLanes(d, v), d, y[f++] + i);
    hn::StoreU(SoftplusLanes(d, v), d, y[f++] + i);
    hn::StoreU(MishLanes(d, v), d, y[f++] + i);
    hn::StoreU(GeluLanes(d, v), d, y[f++] + i);
    hn::StoreU(GeluApproximateLanes(d, v), d, y[f++] + i);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace synap_internal
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace synap_internal {
namespace {

HWY_EXPORT(AllFunctions);

struct Function {
  const char* name;
  float (*scalar)(float);
  bool negative_only = false;
};
constexpr Function kFunctions[] = {
    {"exp", Exp},           {"expm1", ExpMinus1, true},
    {"log", Log},           {"tanh", Tanh},
    {"sigmoid", Sigmoid},   {"erf", Erf},
    {"softplus", Softplus}, {"mish", Mish},
    {"gelu", Gelu},         {"gelu_approximate", GeluApproximate},
};

uint32_t Bits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

// Floats of all magnitudes and both signs, infinities and NaN among them.
std::vector<float> Sweep() {
  std::vector<float> values;
  for (uint64_t bits = 0; bits <= 0xFFFFFFFFu; bits += 10007) {
    const auto pattern = static_cast<uint32_t>(bits);
    float value;
    std::memcpy(&value, &pattern, sizeof(value));
    values.push_back(value);
  }
  for (float x = -110; x < 110; x += 0.01f) values.push_back(x);
  for (const uint32_t pattern : {0x7F800000u, 0xFF800000u, 0x7FC00000u, 0x80000000u, 0x3F800000u}) {
    float value;
    std::memcpy(&value, &pattern, sizeof(value));
    values.push_back(value);
  }
  values.resize((values.size() + 63) / 64 * 64, 0.25f);
  return values;
}

TEST(SimdMathTest, EveryTargetGivesTheBitsOfTheScalarFunctions) {
  const std::vector<float> x = Sweep();
  constexpr size_t kCount = sizeof(kFunctions) / sizeof(kFunctions[0]);
  OnEveryTarget([&] {
    std::vector<std::vector<float>> y(kCount, std::vector<float>(x.size()));
    std::vector<float*> pointers;
    for (auto& values : y) pointers.push_back(values.data());
    HWY_DYNAMIC_DISPATCH(AllFunctions)(x, pointers.data());
    for (size_t f = 0; f < kCount; ++f) {
      for (size_t i = 0; i < x.size(); ++i) {
        if (kFunctions[f].negative_only && x[i] > 0) continue;
        ASSERT_EQ(Bits(y[f][i]), Bits(kFunctions[f].scalar(x[i])))
            << kFunctions[f].name << "(" << x[i] << ")";
      }
    }
  });
}

}  // namespace
}  // namespace synap_internal
#endif  // HWY_ONCE
