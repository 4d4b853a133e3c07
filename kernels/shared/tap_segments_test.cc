#include "kernels/shared/tap_segments.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace synap_internal {
namespace {

// "[begin,end) taps [tap_begin,tap_end)", one for each segment.
std::string Text(const std::vector<TapSegment>& segments) {
  std::string text;
  for (const TapSegment& s : segments) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", s.begin, "..", s.end, ":", s.tap_begin, "..",
                    s.tap_end);
  }
  return text;
}

TEST(TapSegmentsTest, BordersLoseTaps) {
  EXPECT_EQ(Text(TapSegments({.begin = -1, .taps = 3}, 5, 5)), "0..1:1..3, 1..4:0..3, 4..5:0..2");
}

TEST(TapSegmentsTest, WithoutPaddingThereIsOneSegment) {
  EXPECT_EQ(Text(TapSegments({.step = 2, .taps = 3}, 4, 9)), "0..4:0..3");
  EXPECT_EQ(Text(TapSegments({}, 1000000, 1000000)), "0..1000000:0..1");
}

TEST(TapSegmentsTest, FarInThePaddingThereIsNoTap) {
  EXPECT_EQ(Text(TapSegments({.begin = -3, .taps = 2}, 6, 1)),
            "0..2:0..0, 2..3:1..2, 3..4:0..1, 4..6:0..0");
}

TEST(TapSegmentsTest, TapsMayWalkBackwards) {
  EXPECT_EQ(Text(TapSegments({.taps = 2, .tap_step = -1}, 3, 2)),
            "0..1:0..1, 1..2:0..2, 2..3:1..2");
}

TEST(TapSegmentsTest, AWindowWithoutTapsReadsNothing) {
  EXPECT_EQ(Text(TapSegments({.taps = 0}, 3, 2)), "0..3:0..0");
}

}  // namespace
}  // namespace synap_internal
