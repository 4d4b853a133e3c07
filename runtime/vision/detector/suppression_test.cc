#include "runtime/vision/detector/suppression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace synap_internal {
namespace {

using ::testing::ElementsAre;

DetectedBox Box(float x0, float y0, float x1, float y1, float score, int class_index = 0) {
  DetectedBox box;
  box.x0 = x0;
  box.y0 = y0;
  box.x1 = x1;
  box.y1 = y1;
  box.score = score;
  box.class_index = class_index;
  return box;
}

std::vector<float> Scores(const std::vector<DetectedBox>& boxes) {
  std::vector<float> scores;
  for (const DetectedBox& box : boxes) scores.push_back(box.score);
  return scores;
}

TEST(SuppressionTest, KeepsTheBestOfOverlappingBoxesOfAnyClass) {
  const std::vector<DetectedBox> boxes = {Box(0, 0, 10, 10, 0.6f), Box(0, 1, 10, 11, 0.9f, 1),
                                          Box(20, 0, 30, 10, 0.7f)};
  EXPECT_THAT(Scores(SelectBoxes(boxes, {})), ElementsAre(0.9f, 0.7f));
  EXPECT_THAT(Scores(SelectBoxes(boxes, {.suppress = false})), ElementsAre(0.9f, 0.7f, 0.6f));
}

TEST(SuppressionTest, DropsOnlyAboveTheThreshold) {
  // Intersection 50, union 150.
  const std::vector<DetectedBox> boxes = {Box(0, 0, 10, 10, 0.9f), Box(5, 0, 15, 10, 0.8f)};
  EXPECT_EQ(SelectBoxes(boxes, {.iou_threshold = 50.0f / 150.0f}).size(), 2);
  EXPECT_EQ(SelectBoxes(boxes, {.iou_threshold = 0.33f}).size(), 1);
}

TEST(SuppressionTest, MayDivideByTheSmallerArea) {
  const std::vector<DetectedBox> boxes = {Box(0, 0, 10, 10, 0.9f), Box(0, 0, 2, 2, 0.8f)};
  EXPECT_EQ(SelectBoxes(boxes, {}).size(), 2);
  EXPECT_EQ(SelectBoxes(boxes, {.iou_with_min = true}).size(), 1);
}

TEST(SuppressionTest, CountsKeptBoxes) {
  const std::vector<DetectedBox> boxes = {Box(0, 0, 10, 10, 0.9f), Box(0, 0, 10, 10, 0.8f),
                                          Box(20, 0, 30, 10, 0.7f), Box(40, 0, 50, 10, 0.6f)};
  EXPECT_THAT(Scores(SelectBoxes(boxes, {.max_boxes = 2})), ElementsAre(0.9f, 0.7f));
}

}  // namespace
}  // namespace synap_internal
