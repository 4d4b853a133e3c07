#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/shape.h"
#include "runtime/vision/detector/decode_testing.h"

namespace synap_internal {
namespace {

using ::testing::HasSubstr;

constexpr int kDetections = 30;

// [1,N,D] of random numbers from 0 to 1; classes 0 .. 29.
TestTensor RandomList(int values) {
  TestTensor list(Shape{1, kDetections, values});
  list.Randomize(1, 0, 1);
  for (int t = 0; t < kDetections; ++t) list.at({0, t, 5}) = static_cast<float>(t);
  return list;
}

TEST(EndToEndTest, ReadsCornersScoresAndClasses) {
  TestTensor list = RandomList(6);
  for (const std::string type : {"yolov10", "yolo26"}) {
    const auto boxes = DecodeTensors(type + " w_scale=10 h_scale=20 class_index_base=1", {list},
                                     640, 640, /*threshold=*/0.5f);
    ASSERT_TRUE(boxes.ok()) << boxes.status();
    size_t found = 0;
    for (int t = 0; t < kDetections; ++t) {
      if (list.at({0, t, 4}) < 0.5f) continue;
      const FoundBox& box = (*boxes)[found++];
      EXPECT_FLOAT_EQ(box.x0, 64 * list.at({0, t, 0}));
      EXPECT_FLOAT_EQ(box.y0, 32 * list.at({0, t, 1}));
      EXPECT_FLOAT_EQ(box.x1, 64 * list.at({0, t, 2}));
      EXPECT_FLOAT_EQ(box.y1, 32 * list.at({0, t, 3}));
      EXPECT_EQ(box.class_index, t + 1);
    }
    EXPECT_EQ(boxes->size(), found);
  }
}

TEST(EndToEndTest, ReadsTheOtherTasks) {
  TestTensor pose = RandomList(6 + 17 * 3);
  const auto people = DecodeTensors("yolo26pose", {pose}, 10, 10, /*threshold=*/0);
  ASSERT_TRUE(people.ok()) << people.status();
  EXPECT_FLOAT_EQ((*people)[3].landmarks[16].y, 10 * pose.at({0, 3, 6 + 16 * 3 + 1}));
  EXPECT_EQ((*people)[3].landmarks[16].visibility, pose.at({0, 3, 6 + 16 * 3 + 2}));

  TestTensor list = RandomList(6 + 4), prototypes(Shape{1, 4, 5, 6});
  prototypes.Randomize(2, -1, 1);
  const auto masked = DecodeTensors("yolo26seg", {list, prototypes}, 10, 10, /*threshold=*/0);
  ASSERT_TRUE(masked.ok()) << masked.status();
  double sum = 0;
  for (int m = 0; m < 4; ++m) {
    sum += double{list.at({0, 7, 6 + m})} * prototypes.at({0, m, 2, 3});
  }
  EXPECT_NEAR((*masked)[7].mask[2 * 6 + 3], sum, 1e-6);

  TestTensor oriented = RandomList(7);
  const auto turned = DecodeTensors("yolo26obb", {oriented}, 10, 10, /*threshold=*/0);
  ASSERT_TRUE(turned.ok()) << turned.status();
  const float angle = oriented.at({0, 5, 6}), w = oriented.at({0, 5, 2}),
              h = oriented.at({0, 5, 3});
  EXPECT_NEAR((*turned)[5].x1 - (*turned)[5].x0, 10 * (w * std::cos(angle) + h * std::sin(angle)),
              1e-4);
  EXPECT_EQ((*turned)[5].landmarks.size(), 4);
}

TEST(EndToEndTest, RefusesOtherShapes) {
  EXPECT_THAT(DecodeError("yolov10", {RandomList(7)}),
              HasSubstr("output 0: its shape is 1x30x7, expected 1xNx6 of yolov10"));
  EXPECT_THAT(DecodeError("yolo26obb", {RandomList(6)}), HasSubstr("expected 1xNx7"));
  EXPECT_THAT(DecodeError("yolo26seg", {RandomList(38)}), HasSubstr("yolo26seg needs 2"));
}

TEST(DetrTest, ReadsBoxesAndScoresOfOneTensor) {
  constexpr int kClasses = 5;
  TestTensor list = RandomList(4 + kClasses);
  list.Randomize(3, 0, 1);
  const auto boxes = DecodeTensors("rtdetr", {list}, 200, 100, /*threshold=*/0);
  ASSERT_TRUE(boxes.ok()) << boxes.status();
  ASSERT_EQ(boxes->size(), kDetections);
  for (int t = 0; t < kDetections; ++t) {
    const FoundBox& box = (*boxes)[static_cast<size_t>(t)];
    EXPECT_NEAR((box.x0 + box.x1) / 2, 200 * list.at({0, t, 0}), 1e-4);
    EXPECT_NEAR((box.y0 + box.y1) / 2, 100 * list.at({0, t, 1}), 1e-4);
    EXPECT_NEAR(box.x1 - box.x0, 200 * list.at({0, t, 2}), 1e-4);
    EXPECT_NEAR(box.y1 - box.y0, 100 * list.at({0, t, 3}), 1e-4);
    const float* scores = &list.at({0, t, 4});
    EXPECT_EQ(box.score, *std::max_element(scores, scores + kClasses));
    EXPECT_EQ(box.score, scores[box.class_index]);
  }
}

TEST(DetrTest, ActivatesLogits) {
  constexpr int kClasses = 4;
  TestTensor logits(Shape{1, kDetections, kClasses}), boxes(Shape{1, kDetections, 4});
  logits.Randomize(4, -5, 5);
  boxes.Randomize(5, 0, 1);
  const auto sigmoids = DecodeTensors("rtdetr", {logits, boxes}, 1, 1, /*threshold=*/0);
  const auto softmaxes = DecodeTensors("detr", {logits, boxes}, 1, 1, /*threshold=*/0);
  ASSERT_TRUE(sigmoids.ok()) << sigmoids.status();
  ASSERT_TRUE(softmaxes.ok()) << softmaxes.status();
  for (int t = 0; t < kDetections; ++t) {
    const FoundBox& sigmoid = (*sigmoids)[static_cast<size_t>(t)];
    const FoundBox& softmax = (*softmaxes)[static_cast<size_t>(t)];
    double sum = 0;
    for (int c = 0; c < kClasses; ++c) sum += std::exp(double{logits.at({0, t, c})});
    EXPECT_NEAR(sigmoid.score, 1 / (1 + std::exp(-logits.at({0, t, sigmoid.class_index}))), 1e-6);
    EXPECT_NEAR(softmax.score, std::exp(logits.at({0, t, softmax.class_index})) / sum, 1e-6);
    EXPECT_LT(softmax.class_index, kClasses - 1);  // the last one is no object
    for (int c = 0; c < kClasses; ++c) {
      EXPECT_LE(logits.at({0, t, c}), logits.at({0, t, sigmoid.class_index}));
    }
    EXPECT_NEAR(softmax.x0, boxes.at({0, t, 0}) - boxes.at({0, t, 2}) / 2, 1e-6);
  }
  EXPECT_THAT(DecodeError("detr", {logits}), HasSubstr("1 output tensors, detr needs 2"));
  EXPECT_THAT(DecodeError("rtdetr", {boxes, logits, logits}), HasSubstr("needs 1, or 2"));
  EXPECT_THAT(DecodeError("rtdetr", {logits, TestTensor(Shape{1, 29, 4})}),
              HasSubstr("are 1x30x4 and 1x29x4, expected 1xNxC and 1xNx4"));
}

}  // namespace
}  // namespace synap_internal
