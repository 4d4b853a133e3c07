#include "runtime/vision/channel_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "hwy/targets.h"

namespace synap_internal {
namespace {

// Longer than two vectors of every target; each shorter row is tried, too.
constexpr size_t kLongest = 70;
constexpr uint8_t kUntouched = 0xa5;

std::vector<uint8_t> RandomBytes(size_t count) {
  std::mt19937 random(1);
  std::vector<uint8_t> bytes(count);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
  return bytes;
}

// Calls check(count) for each length of a row, on each target that this processor runs.
template <typename Check>
void ForEachRow(const Check& check) {
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    for (size_t count = 0; count <= kLongest; ++count) {
      SCOPED_TRACE(testing::Message() << hwy::TargetName(target) << ", " << count << " pixels");
      check(count);
    }
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

TEST(ChannelRowsTest, SwapsRedAndBlueAlsoInPlace) {
  const std::vector<uint8_t> pixels = RandomBytes(kLongest * 4);
  for (const size_t channels : {3, 4}) {
    ForEachRow([&](size_t count) {
      std::vector<uint8_t> expected(pixels);
      for (size_t i = 0; i < count; ++i) {
        std::swap(expected[i * channels], expected[i * channels + 2]);
      }
      std::vector<uint8_t> out(pixels);
      SwapRedAndBlueOfRow(out.data(), count, channels, out.data());
      EXPECT_EQ(out, expected);
      std::fill(out.begin(), out.end(), kUntouched);
      std::fill(expected.begin() + static_cast<ptrdiff_t>(count * channels), expected.end(),
                kUntouched);
      SwapRedAndBlueOfRow(pixels.data(), count, channels, out.data());
      EXPECT_EQ(out, expected);
    });
  }
}

TEST(ChannelRowsTest, SplitsAndJoinsEveryNumberOfChannels) {
  const std::vector<uint8_t> pixels = RandomBytes(kLongest * 4);
  for (size_t channels = 1; channels <= 4; ++channels) {
    ForEachRow([&](size_t count) {
      std::vector<std::vector<uint8_t>> expected(channels), out(channels);
      uint8_t* planes[4] = {};
      const uint8_t* joined[4] = {};
      for (size_t c = 0; c < channels; ++c) {
        expected[c].assign(count + 1, kUntouched);
        for (size_t i = 0; i < count; ++i) expected[c][i] = pixels[i * channels + c];
        out[c].assign(count + 1, kUntouched);
        planes[c] = out[c].data();
        joined[c] = expected[c].data();
      }
      SplitRow(pixels.data(), count, channels, planes);
      EXPECT_EQ(out, expected);
      std::vector<uint8_t> back(count * channels + 1, kUntouched);
      JoinRow(joined, count, channels, back.data());
      EXPECT_TRUE(std::equal(back.begin(), back.end() - 1, pixels.begin()));
      EXPECT_EQ(back.back(), kUntouched);
    });
  }
}

TEST(ChannelRowsTest, ConvertsBetweenGrayColourAndAlpha) {
  const std::vector<uint8_t> pixels = RandomBytes(kLongest * 4);
  for (const auto& [from, to] :
       {std::pair<size_t, size_t>(1, 3), {1, 4}, {3, 1}, {3, 4}, {4, 1}, {4, 3}}) {
    for (const bool is_bgr : {false, true}) {
      ForEachRow([&, from = from, to = to](size_t count) {
        std::vector<uint8_t> expected(count * to + 1, kUntouched);
        for (size_t i = 0; i < count; ++i) {
          const uint8_t* pixel = &pixels[i * from];
          uint8_t* converted = &expected[i * to];
          if (to == 1) {
            const unsigned red = pixel[is_bgr ? 2 : 0], blue = pixel[is_bgr ? 0 : 2];
            converted[0] =
                static_cast<uint8_t>((19595 * red + 38470 * pixel[1] + 7471 * blue + 32768) >> 16);
            continue;
          }
          for (size_t c = 0; c < 3; ++c) converted[c] = pixel[from == 1 ? 0 : c];
          if (to == 4) converted[3] = 255;
        }
        std::vector<uint8_t> out(count * to + 1, kUntouched);
        ConvertChannelsOfRow(pixels.data(), count, from, to, is_bgr, out.data());
        EXPECT_EQ(out, expected) << from << " to " << to << " channels";
      });
    }
  }
}

// The sum of the weights is 65536: white stays white, and the largest sum fits 32 bits.
TEST(ChannelRowsTest, WhiteStaysWhite) {
  const std::vector<uint8_t> pixels(kLongest * 3, 255);
  ForEachRow([&](size_t count) {
    std::vector<uint8_t> out(count);
    ConvertChannelsOfRow(pixels.data(), count, 3, 1, false, out.data());
    EXPECT_THAT(out, testing::Each(255));
  });
}

}  // namespace
}  // namespace synap_internal
