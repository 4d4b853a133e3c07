#include "runtime/vision/detector/suppression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "runtime/vision/detector/overlap.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatEq;

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
  EXPECT_THAT(Scores(SelectBoxes(boxes, {.scope = NmsScope::kNone})),
              ElementsAre(0.9f, 0.7f, 0.6f));
  EXPECT_THAT(Scores(SelectBoxes(boxes, {.scope = NmsScope::kClass})),
              ElementsAre(0.9f, 0.7f, 0.6f));
}

TEST(SuppressionTest, SuppressesInEachClass) {
  const std::vector<DetectedBox> boxes = {Box(0, 0, 10, 10, 0.6f, 3), Box(0, 1, 10, 11, 0.9f, -1),
                                          Box(0, 0, 10, 10, 0.7f, 3), Box(0, 0, 10, 10, 0.8f, -1)};
  const std::vector<DetectedBox> kept = SelectBoxes(boxes, {.scope = NmsScope::kClass});
  EXPECT_THAT(Scores(kept), ElementsAre(0.9f, 0.7f));
  EXPECT_EQ(kept[0].class_index, -1);
  EXPECT_EQ(SelectBoxes(boxes, {.max_boxes = 1, .scope = NmsScope::kClass}).size(), 1);
}

TEST(SuppressionTest, CountsTheKeptBoxesOfEachClass) {
  std::vector<DetectedBox> boxes;
  for (int i = 0; i < 6; ++i) {
    const auto x = static_cast<float>(20 * i);
    boxes.push_back(Box(x, 0, x + 10, 10, 0.9f - 0.1f * x / 20, i < 4 ? 1 : 2));
  }
  EXPECT_THAT(Scores(SelectBoxes(boxes, {.max_per_class = 2, .scope = NmsScope::kClass})),
              ElementsAre(FloatEq(0.9f), FloatEq(0.8f), FloatEq(0.5f), FloatEq(0.4f)));
  EXPECT_EQ(
      SelectBoxes(boxes, {.max_boxes = 3, .max_per_class = 2, .scope = NmsScope::kClass}).size(),
      3);
}

TEST(SuppressionTest, KeepsTheOrderOfEqualScores) {
  std::vector<DetectedBox> boxes;
  for (int i = 0; i < 5; ++i) boxes.push_back(Box(0, 0, 1, 1, i % 2 == 0 ? 0.5f : 0.75f, i));
  boxes.push_back(Box(0, 0, 1, 1, -0.5f, 5));
  boxes.push_back(Box(0, 0, 1, 1, -1.5f, 6));
  boxes.push_back(Box(0, 0, 1, 1, 1e-40f, 7));
  boxes.push_back(Box(0, 0, 1, 1, 0.0f, 8));
  std::vector<int> order;
  for (const DetectedBox& box : SelectBoxes(boxes, {.scope = NmsScope::kNone})) {
    order.push_back(box.class_index);
  }
  EXPECT_THAT(order, ElementsAre(1, 3, 0, 2, 4, 7, 8, 5, 6));
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

// What SelectBoxes() means, box by box.
std::vector<DetectedBox> SelectOneByOne(std::vector<DetectedBox> boxes,
                                        const SuppressionOptions& options) {
  std::stable_sort(boxes.begin(), boxes.end(),
                   [](const DetectedBox& a, const DetectedBox& b) { return a.score > b.score; });
  std::vector<DetectedBox> kept;
  for (const DetectedBox& box : boxes) {
    const bool drop = std::any_of(kept.begin(), kept.end(), [&](const DetectedBox& better) {
      if (options.scope == NmsScope::kClass && better.class_index != box.class_index) return false;
      return Overlap(better, box, options.iou_with_min) > options.iou_threshold;
    });
    if (!drop) kept.push_back(box);
  }
  return kept;
}

float Uniform(std::mt19937& random, float low, float high) {
  return low + (high - low) * static_cast<float>(random() >> 8) / 16777216.0f;
}

// Boxes of sizes from 1/8 of a pixel to the whole picture; a few without area or without end.
std::vector<DetectedBox> RandomBoxes(uint32_t seed, size_t count, bool oriented) {
  std::mt19937 random(seed);
  std::vector<DetectedBox> boxes;
  while (boxes.size() < count) {
    const float scale = std::exp2(Uniform(random, -3, 9));
    const float width = scale * Uniform(random, 0.5f, 2), height = scale * Uniform(random, 0.5f, 2);
    const float x = Uniform(random, -100, 600), y = Uniform(random, -100, 600);
    DetectedBox box = Box(x - width / 2, y - height / 2, x + width / 2, y + height / 2,
                          Uniform(random, 0, 1), static_cast<int>(random() % 4));
    if (random() % 50 == 0) box.x1 = box.x0;
    if (random() % 50 == 0) box.y1 = std::numeric_limits<float>::infinity();
    if (random() % 50 == 0) box.x0 = std::numeric_limits<float>::quiet_NaN();
    if (oriented && random() % 4 != 0) {
      const float angle = Uniform(random, -3, 3);
      const float ux = width / 3 * std::cos(angle), uy = width / 3 * std::sin(angle);
      const float vx = -height / 4 * std::sin(angle), vy = height / 4 * std::cos(angle);
      const float ex = std::abs(ux) + std::abs(vx), ey = std::abs(uy) + std::abs(vy);
      box = Box(x - ex, y - ey, x + ex, y + ey, box.score, box.class_index);
      box.ux = ux, box.uy = uy, box.vx = vx, box.vy = vy;
    }
    boxes.push_back(box);
    // A near copy of one before, so that boxes overlap at any threshold.
    if (random() % 2 == 0) continue;
    DetectedBox copy = boxes[random() % boxes.size()];
    const float shift = Uniform(random, -0.3f, 0.3f) * (copy.x1 - copy.x0);
    copy.x0 += shift;
    copy.x1 += shift;
    copy.score = Uniform(random, 0, 1);
    boxes.push_back(copy);
  }
  return boxes;
}

void ExpectSame(const std::vector<DetectedBox>& boxes, const SuppressionOptions& options) {
  const std::vector<DetectedBox> expected = SelectOneByOne(boxes, options);
  const std::vector<DetectedBox> kept = SelectBoxes(boxes, options);
  EXPECT_EQ(Scores(kept), Scores(expected))
      << "threshold " << options.iou_threshold << ", with_min " << options.iou_with_min;
}

TEST(SuppressionTest, KeepsWhatComparingAllBoxesKeeps) {
  uint32_t seed = 1;
  for (const float threshold : {-0.5f, 0.0f, 0.01f, 0.1f, 0.3f, 0.5f, 0.7f, 0.9f, 0.99f, 1.0f}) {
    for (const bool with_min : {false, true}) {
      for (const NmsScope scope : {NmsScope::kAny, NmsScope::kClass}) {
        ExpectSame(RandomBoxes(seed++, 1500, false),
                   {.scope = scope, .iou_threshold = threshold, .iou_with_min = with_min});
      }
      ExpectSame(RandomBoxes(seed++, 600, true),
                 {.iou_threshold = threshold, .iou_with_min = with_min});
    }
  }
}

// So many kept boxes that they are searched by cells, some of them halved. Half of the boxes are
// tiny and the other half of any size, which matters over the smaller area. Scores have ties.
TEST(SuppressionTest, KeepsWhatComparingThousandsOfBoxesKeeps) {
  uint32_t seed = 100;
  for (const float threshold : {0.1f, 0.5f, 0.8f, 0.95f}) {
    for (const bool with_min : {false, true}) {
      std::vector<DetectedBox> boxes = RandomBoxes(seed++, 6000, false);
      for (size_t i = 0; i < boxes.size(); ++i) {
        DetectedBox& box = boxes[i];
        box.score = std::floor(box.score * 64) / 64;
        if (i % 2 == 0) continue;
        box.x1 = box.x0 + static_cast<float>(1 + i % 5);
        box.y1 = box.y0 + static_cast<float>(1 + i % 3);
      }
      ExpectSame(boxes, {.iou_threshold = threshold, .iou_with_min = with_min});
    }
  }
}

}  // namespace
}  // namespace synap_internal
