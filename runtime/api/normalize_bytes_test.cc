#include "runtime/api/normalize_bytes.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "hwy/targets.h"

namespace synap_internal {
namespace {

constexpr float kMeans[] = {123.675f, 116.28f, 103.53f, 0.1f};
constexpr float kScales[] = {58.395f, 57.12f, 57.375f, 255.0f};

void CheckChannels(size_t channels) {
  // Lengths around the vectors of all targets, at addresses of any alignment.
  for (size_t count = 0; count < 210; ++count) {
    std::vector<uint8_t> bytes(count + 1);
    for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i * 37 + 11);
    std::vector<float> out(count + 2, -1);
    NormalizeToFloats(bytes.data() + 1, count, kMeans, kScales, channels, out.data() + 1);
    for (size_t i = 0; i < count; ++i) {
      const size_t c = i % channels;
      ASSERT_EQ(out[i + 1], (static_cast<float>(bytes[i + 1]) - kMeans[c]) / kScales[c])
          << "element " << i << " of " << count << ", " << channels << " channels";
    }
    EXPECT_EQ(out.front(), -1);
    EXPECT_EQ(out.back(), -1);
  }
}

TEST(NormalizeBytesTest, EqualsTheFormulaOnEveryTarget) {
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    for (size_t channels = 1; channels <= kMaxFloatChannels; ++channels) CheckChannels(channels);
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace
}  // namespace synap_internal
