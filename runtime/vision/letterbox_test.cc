#include "runtime/vision/letterbox.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/vision/image_rows.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;

// left, top, width, height, then the assigned rectangle.
std::vector<int> Numbers(const LetterboxPlan& plan) {
  return {plan.left,       plan.top,        plan.width,          plan.height,
          plan.assigned_x, plan.assigned_y, plan.assigned_width, plan.assigned_height};
}

std::vector<int> Bands(int image_width, int image_height, int tensor_width, int tensor_height) {
  return Numbers(PlanLetterbox(image_width, image_height, tensor_width, tensor_height,
                               KeepProportions::kBands));
}

TEST(LetterboxTest, WideImagesHaveBandsAboveAndBelow) {
  // 640 * 480 / 640 = 480 rows; 160 of bands.
  EXPECT_THAT(Bands(640, 480, 640, 640), ElementsAre(0, 80, 640, 480, 0, -80, 640, 640));
  EXPECT_THAT(Bands(1280, 720, 320, 320), ElementsAre(0, 70, 320, 180, 0, -280, 1280, 1280));
}

TEST(LetterboxTest, TallImagesHaveBandsLeftAndRight) {
  EXPECT_THAT(Bands(480, 640, 640, 640), ElementsAre(80, 0, 480, 640, -80, 0, 640, 640));
}

TEST(LetterboxTest, TheSecondBandGetsTheOddPixelAndTheRectangleIsCutToWholePixels) {
  // 10 * 101 / 203 = 4.98 -> 5 rows, bands 2 and 3; 2 * 203 / 10 = 40.6, 5 * 203 / 10 = 101.5.
  EXPECT_THAT(Bands(203, 101, 10, 10), ElementsAre(0, 2, 10, 5, 0, -40, 203, 202));
}

TEST(LetterboxTest, HalvesAreRoundedUp) {
  // 5 * 1 / 2 = 2.5 rows.
  EXPECT_EQ(PlanLetterbox(2, 1, 5, 5, KeepProportions::kBands).height, 3);
}

TEST(LetterboxTest, ImagesOfTheTensorsShapeHaveNoBands) {
  EXPECT_THAT(Bands(320, 240, 640, 480), ElementsAre(0, 0, 640, 480, 0, 0, 320, 240));
}

TEST(LetterboxTest, AVeryThinImageKeepsOnePixel) {
  EXPECT_EQ(PlanLetterbox(10000, 1, 10, 10, KeepProportions::kBands).height, 1);
}

TEST(LetterboxTest, StretchingUsesAllOfBoth) {
  EXPECT_THAT(Numbers(PlanLetterbox(640, 480, 32, 64, KeepProportions::kStretch)),
              ElementsAre(0, 0, 32, 64, 0, 0, 640, 480));
}

TEST(LetterboxTest, CroppingCutsTheBottomOrTheRight) {
  const LetterboxPlan tall = PlanLetterbox(300, 500, 200, 100, KeepProportions::kCrop);
  EXPECT_EQ(tall.source_width, 300);
  EXPECT_EQ(tall.source_height, 150);
  EXPECT_THAT(Numbers(tall), ElementsAre(0, 0, 200, 100, 0, 0, 300, 150));
  const LetterboxPlan wide = PlanLetterbox(500, 300, 100, 100, KeepProportions::kCrop);
  EXPECT_EQ(wide.source_width, 300);
  EXPECT_EQ(wide.source_height, 300);
}

// The rows of a letterboxed image, one after the other.
std::vector<uint8_t> Letterboxed(const Image& image, const LetterboxPlan& plan, int width,
                                 int height, uint8_t fill_color) {
  const auto bytes = static_cast<size_t>(width) * static_cast<size_t>(image.channels);
  std::vector<uint8_t> pixels;
  ViewRows rows(image);
  EXPECT_TRUE(LetterboxRows(rows, plan, width, height, fill_color, [&](int y, const uint8_t* row) {
                EXPECT_EQ(pixels.size(), static_cast<size_t>(y) * bytes);
                pixels.insert(pixels.end(), row, row + bytes);
              }).ok());
  return pixels;
}

TEST(LetterboxTest, FillsBandsAndCopiesAnImageThatFits) {
  const Image image = {2, 1, 3, {1, 2, 3, 4, 5, 6}};
  const LetterboxPlan plan = PlanLetterbox(2, 1, 2, 3, KeepProportions::kBands);
  EXPECT_THAT(Letterboxed(image, plan, 2, 3, 9),
              ElementsAre(9, 9, 9, 9, 9, 9, 1, 2, 3, 4, 5, 6, 9, 9, 9, 9, 9, 9));
}

TEST(LetterboxTest, CropsTheImageBeforeResizing) {
  const Image image = {2, 3, 1, {1, 2, 3, 4, 5, 6}};
  const LetterboxPlan plan = PlanLetterbox(2, 3, 2, 2, KeepProportions::kCrop);
  EXPECT_THAT(Letterboxed(image, plan, 2, 2, 0), ElementsAre(1, 2, 3, 4));
}

TEST(LetterboxOptionsTest, AreReadFromTheFormatString) {
  const auto options = [](const char* text) { return ParsePictureFormat(text).letterbox; };
  EXPECT_EQ(options("rgb")->keep_proportions, KeepProportions::kBands);
  EXPECT_EQ(options("rgb")->fill_color, 128);
  EXPECT_EQ(options("bgr keep_proportions=0 fill_color=0")->keep_proportions,
            KeepProportions::kStretch);
  EXPECT_EQ(options("bgr fill_color=255")->fill_color, 255);
  EXPECT_FALSE(options("rgb keep_proportions=3").ok());
  EXPECT_FALSE(options("rgb fill_color=256").ok());
}

}  // namespace
}  // namespace synap_internal
