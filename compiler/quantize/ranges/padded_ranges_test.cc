#include "compiler/quantize/ranges/padded_ranges.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "compiler/testing/run_pass.h"
#include "gtest/gtest.h"

namespace synap_internal {
namespace {

using Ranges = std::map<std::string, ValueRange>;

// A convolution `c` with a clamp, a transpose and a pad; `more`: other readers.
std::string PaddedConv(absl::string_view pad, absl::string_view more = "") {
  return absl::StrCat(R"(
    input %x: float32[1x4x4x1]
    const %w: float32[1x1x1x1] = [2.0]
    %c: float32[1x4x4x1] = conv2d(%x, %w) {max=6.0, min=0.0} from "c"
    %t: float32[1x4x4x1] = transpose(%c) {perm=[0, 2, 1, 3]} from "t"
    %p: float32[1x5x4x1] = pad(%t) {pads=[0, 1, 0, 0, 0, 0, 0, 0], )",
                      pad, "} from \"p\"\noutput %p\n", more);
}

ValueRange ConvRange(absl::string_view body) {
  return PaddedRanges(GraphOfBody(body), 8, {{"x", {0, 1}}, {"c", {0, 6}}, {"t", {0, 6}}})["c"];
}

TEST(PaddedRangesTest, WhatOnlyAPadReadsHasRoomForItsValue) {
  EXPECT_EQ(ConvRange(PaddedConv("value=-1.0")), (ValueRange{-1, 6}));
  EXPECT_EQ(ConvRange(PaddedConv("value=7.0")), (ValueRange{0, 7}));
}

TEST(PaddedRangesTest, PadsOfOwnValuesChangeNothing) {
  EXPECT_EQ(ConvRange(PaddedConv("value=0.0")), (ValueRange{0, 6}));
  EXPECT_EQ(ConvRange(PaddedConv("value=5.0")), (ValueRange{0, 6}));
  EXPECT_EQ(ConvRange(PaddedConv("mode=\"edge\", value=-1.0")), (ValueRange{0, 6}));
}

TEST(PaddedRangesTest, WhatOthersReadTooKeepsItsSteps) {
  EXPECT_EQ(ConvRange(PaddedConv("value=-1.0", "output %t")), (ValueRange{0, 6}));
  EXPECT_EQ(ConvRange(PaddedConv("value=-1.0", "%z: float32[1x4x4x1] = add(%c, %x)\noutput %z")),
            (ValueRange{0, 6}));
}

TEST(PaddedRangesTest, AValueThatSaturatesTakesNoSteps) {
  EXPECT_EQ(ConvRange(PaddedConv("value=-1e9")), (ValueRange{0, 6}));
}

TEST(PadRangeTest, LeavesTheOperand16Of256Steps) {
  const Graph graph = GraphOfBody(PaddedConv("value=-200.0"));
  const Op& pad = *graph.FindTensor("p")->producer;
  const PaddedRange bits8 = PadRange(pad, {0, 6}, 8);
  EXPECT_TRUE(bits8.is_wider);
  EXPECT_TRUE(bits8.is_cut);
  EXPECT_EQ(bits8.range, (ValueRange{-90, 6}));
  const PaddedRange bits16 = PadRange(pad, {0, 6}, 16);
  EXPECT_FALSE(bits16.is_cut);
  EXPECT_EQ(bits16.range, (ValueRange{-200, 6}));
}

}  // namespace
}  // namespace synap_internal
