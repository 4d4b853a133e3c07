#include "compiler/import/emit/window.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Dims = std::vector<int64_t>;

TEST(WindowTest, SamePadsGiveOneOutputForEachStride) {
  const Window window{{3, 2}, {1, 2}};
  EXPECT_THAT(SamePads({4, 5}, window), ElementsAre(1, 0, 1, 1));
  EXPECT_THAT(SamePads({4, 5}, window, OddPad::kBegin), ElementsAre(1, 1, 1, 0));
  EXPECT_THAT(SamePads({4, 1}, Window{{3, 1}, {1, 3}, {2, 1}}), ElementsAre(2, 0, 2, 0));
}

TEST(WindowTest, PlacesCountThePadsOfBothEnds) {
  const Window window = {{3, 2}, {2, 1}, {2, 1}, {1, 0, 0, 1}};
  EXPECT_EQ(window.Places(0, 6), 2);
  EXPECT_EQ(window.Places(1, 4), 4);
  EXPECT_EQ(window.Places(0, 3), 0);
}

TEST(WindowTest, ALineBecomesAnImageOfHeightOne) {
  const Window lifted = LiftedToImage({{3}, {2}, {4}, {1, 5}});
  EXPECT_THAT(lifted.kernel, ElementsAre(1, 3));
  EXPECT_THAT(lifted.strides, ElementsAre(1, 2));
  EXPECT_THAT(lifted.dilations, ElementsAre(1, 4));
  EXPECT_THAT(lifted.pads, ElementsAre(0, 1, 0, 5));
  EXPECT_THAT(LiftedToImage({{3, 4}, {1, 1}}).kernel, ElementsAre(3, 4));
}

TEST(WindowTest, SymmetricPadsRepeatThePads) {
  EXPECT_THAT(SymmetricPads({1, 2}), ElementsAre(1, 2, 1, 2));
  EXPECT_THAT(SymmetricPads({3}), ElementsAre(3, 3));
}

TEST(WindowTest, ChecksNameTheValueThatIsOutOfRange) {
  EXPECT_TRUE((Window{{1, kMaxWindowValue}, {1, 1}}.Check().ok()));
  const auto text = [](const Window& window) { return std::string(window.Check().message()); };
  EXPECT_THAT(text({{0, 1}, {1, 1}}), HasSubstr("its window is [0, 1], expected 1 to 1048576"));
  EXPECT_THAT(text({{1, 1}, {1, kMaxWindowValue + 1}}), HasSubstr("its stride is [1, 1048577]"));
  EXPECT_THAT(text({{1, 1}, {1}}), HasSubstr("its stride has 1 elements, expected 2"));
  EXPECT_THAT(text({{1, 1}, {1, 1}, {-1, 1}}), HasSubstr("its dilation is [-1, 1]"));
  EXPECT_FALSE(CheckWindowValues("pads", {-1}, 1, 0).ok());
  EXPECT_TRUE(CheckWindowValues("pads", {0}, 1, 0).ok());
  EXPECT_FALSE(CheckWindowValues("dims", {10}, 1, 0, 9).ok());
}

TEST(WindowTest, OnlyAPoolingHasAKernelAmongItsAttributes) {
  const Window window{{3, 2}, {1, 2}};
  EXPECT_EQ(window.ToAttributes().count("kernel"), 0u);
  EXPECT_EQ(std::get<Dims>(window.ToPoolAttributes().at("kernel")), (Dims{3, 2}));
  EXPECT_EQ(std::get<Dims>(window.ToPoolAttributes().at("strides")), (Dims{1, 2}));
}

// A transposed convolution of 3 elements by 2 has 6 at least; what is missing is appended.
TEST(WindowTest, TransposedWindowsAreCutOrExtendedToTheOutput) {
  const auto attributes = [](int64_t width) {
    return TransposedAttributes(Shape({1, 1, 3, 1}), Shape({1, 1, width, 1}), {{1, 2}, {1, 2}});
  };
  EXPECT_EQ(std::get<Dims>(attributes(6).at("pads")), (Dims{0, 0, 0, 0}));
  EXPECT_EQ(std::get<Dims>(attributes(5).at("pads")), (Dims{0, 0, 0, 1}));
  EXPECT_EQ(std::get<Dims>(attributes(5).at("output_padding")), (Dims{0, 0}));
  EXPECT_EQ(std::get<Dims>(attributes(7).at("output_padding")), (Dims{0, 1}));
}

TEST(WindowTest, TransposedWindowsDependOnHeightAndWidth) {
  // Height (3 - 1) * 2 + (3 - 1) * 3 + 1 = 11, width (2 - 1) * 3 + (4 - 1) * 2 + 1 = 10.
  const Window window{{3, 4}, {2, 3}, {3, 2}, {1, 2, 0, 0}};
  const auto attributes = [&](int64_t height, int64_t width) {
    return TransposedAttributes(Shape({1, 3, 2, 1}), Shape({1, height, width, 1}), window);
  };
  EXPECT_EQ(std::get<Dims>(attributes(8, 4).at("pads")), (Dims{1, 2, 2, 4}));
  EXPECT_EQ(std::get<Dims>(attributes(8, 4).at("output_padding")), (Dims{0, 0}));
  EXPECT_EQ(std::get<Dims>(attributes(12, 11).at("pads")), (Dims{1, 2, 0, 0}));
  EXPECT_EQ(std::get<Dims>(attributes(12, 11).at("output_padding")), (Dims{2, 3}));
}

TEST(WindowTest, SamePaddingIsForImages) {
  Window window{{3, 3}, {1, 1}};
  EXPECT_TRUE(PadSame(Shape({1, 4, 4, 2}), window).ok());
  EXPECT_THAT(window.pads, ElementsAre(1, 1, 1, 1));
  Window strided{{3, 2}, {2, 2}};
  EXPECT_TRUE(PadSame(Shape({1, 4, 5, 2}), strided).ok());
  EXPECT_THAT(strided.pads, ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(std::string(PadSame(Shape({4, 4}), window).message()),
              HasSubstr("its input is 4x4, expected an image [N,H,W,C]"));
}

}  // namespace
}  // namespace synap_internal
