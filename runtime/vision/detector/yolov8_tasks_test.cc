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

constexpr int kDetections = 40;

// [1,D,T] of random numbers from 0 to 1.
TestTensor RandomList(int values) {
  return TestTensor(Shape{1, values, kDetections}).Randomize(1, 0, 1);
}

TEST(Yolov8PoseTest, Reads17PointsWithVisibility) {
  TestTensor list = RandomList(4 + 1 + 17 * 3);
  for (const std::string type : {"yolov8pose", "yolo11pose"}) {
    const auto boxes =
        DecodeTensors(type + " w_scale=2 h_scale=4", {list}, 640, 640, /*threshold=*/0);
    ASSERT_TRUE(boxes.ok()) << boxes.status();
    ASSERT_EQ(boxes->size(), kDetections);
    for (int t = 0; t < kDetections; ++t) {
      const FoundBox& box = (*boxes)[static_cast<size_t>(t)];
      EXPECT_EQ(box.score, list.at({0, 4, t}));
      ASSERT_EQ(box.landmarks.size(), 17);
      for (int l = 0; l < 17; ++l) {
        const LandmarkPoint& point = box.landmarks[static_cast<size_t>(l)];
        EXPECT_FLOAT_EQ(point.x, 320 * list.at({0, 5 + 3 * l, t}));
        EXPECT_FLOAT_EQ(point.y, 160 * list.at({0, 6 + 3 * l, t}));
        EXPECT_EQ(point.visibility, list.at({0, 7 + 3 * l, t}));
      }
    }
  }
  EXPECT_EQ(DecodeTensors("yolo11pose landmarks=2 visibility=0", {RandomList(4 + 1 + 4)}, 1, 1, 0)
                ->front()
                .landmarks.size(),
            2);
}

TEST(Yolov8SegTest, SumsPrototypes) {
  constexpr int kMasks = 6, kClasses = 3, kHeight = 8, kWidth = 10;
  TestTensor list = RandomList(4 + kClasses + kMasks);
  TestTensor planes(Shape{1, kMasks, kHeight, kWidth}), pixels(Shape{1, kHeight, kWidth, kMasks});
  planes.Randomize(2, -1, 1);
  for (int m = 0; m < kMasks; ++m) {
    for (int y = 0; y < kHeight; ++y) {
      for (int x = 0; x < kWidth; ++x) pixels.at({0, y, x, m}) = planes.at({0, m, y, x});
    }
  }
  for (const TestTensor& prototypes : {planes, pixels}) {
    const auto boxes = DecodeTensors("yolov8seg", {list, prototypes}, 64, 64, /*threshold=*/0);
    ASSERT_TRUE(boxes.ok()) << boxes.status();
    ASSERT_EQ(boxes->size(), kDetections);
    for (int t = 0; t < kDetections; ++t) {
      const FoundBox& box = (*boxes)[static_cast<size_t>(t)];
      EXPECT_EQ(list.at({0, 4 + box.class_index, t}), box.score);
      EXPECT_LT(box.class_index, kClasses);
      ASSERT_EQ(box.mask_width, kWidth);
      ASSERT_EQ(box.mask_height, kHeight);
      for (int y = 0; y < kHeight; ++y) {
        for (int x = 0; x < kWidth; ++x) {
          double sum = 0;
          for (int m = 0; m < kMasks; ++m) {
            sum += double{list.at({0, 4 + kClasses + m, t})} * planes.at({0, m, y, x});
          }
          EXPECT_NEAR(box.mask[static_cast<size_t>(y * kWidth + x)], sum, 1e-5);
        }
      }
    }
  }
}

TEST(Yolov8SegTest, KnowsWhichDimensionCountsPrototypes) {
  const TestTensor list(Shape{1, 4 + 2 + 8, 5}), square(Shape{1, 8, 9, 8});
  EXPECT_THAT(DecodeError("yolov8seg", {list, square}),
              HasSubstr("is 1x8x9x8, 1xMxHxW or 1xHxWxM; add prototypes=nchw or prototypes=nhwc"));
  EXPECT_EQ(DecodeError("yolov8seg prototypes=nchw", {list, square}), "");
  EXPECT_EQ(DecodeError("yolov8seg prototypes=nhwc", {list, square}), "");
  EXPECT_THAT(DecodeError("yolov8seg prototypes=chw", {list, square}), HasSubstr("is 'chw'"));
  EXPECT_THAT(DecodeError("yolo11seg", {list}), HasSubstr("1 output tensors, yolo11seg needs 2"));
  EXPECT_THAT(DecodeError("yolov8seg", {list, list}), HasSubstr("expected 1xMxHxW or 1xHxWxM"));
  EXPECT_THAT(
      DecodeError("yolov8seg", {TestTensor(Shape{1, 12, 5}), TestTensor(Shape{1, 8, 9, 9})}),
      HasSubstr("expected at least 13"));
}

// Corner `i` of a turned box, its sides along (cos, sin) and (-sin, cos).
LandmarkPoint Corner(double x, double y, double w, double h, double angle, int i) {
  const double u = (i == 0 || i == 3 ? 1 : -1) * w / 2, v = (i < 2 ? 1 : -1) * h / 2;
  return {static_cast<float>(x + u * std::cos(angle) - v * std::sin(angle)),
          static_cast<float>(y + u * std::sin(angle) + v * std::cos(angle)), 0};
}

TEST(Yolov8ObbTest, TurnsBoxesBeforeScalingThem) {
  constexpr int kClasses = 2;
  TestTensor list = RandomList(4 + kClasses + 1);
  for (int t = 0; t < kDetections; ++t) list.at({0, 6, t}) = 0.4f * static_cast<float>(t) - 8;
  for (const bool normalized : {false, true}) {
    const std::string format =
        std::string("yolo11obb w_scale=4 h_scale=2") + (normalized ? " bb_normalized=1" : "");
    const auto boxes = DecodeTensors(format, {list}, 400, 600, /*threshold=*/0);
    ASSERT_TRUE(boxes.ok()) << boxes.status();
    ASSERT_EQ(boxes->size(), kDetections);
    const double unit_x = normalized ? 4 : 1, unit_y = normalized ? 2 : 1;
    for (int t = 0; t < kDetections; ++t) {
      const FoundBox& box = (*boxes)[static_cast<size_t>(t)];
      ASSERT_EQ(box.landmarks.size(), 4);
      float left = 1e9f, top = 1e9f, right = -1e9f, bottom = -1e9f;
      for (int i = 0; i < 4; ++i) {
        const LandmarkPoint corner =
            Corner(list.at({0, 0, t}) * unit_x, list.at({0, 1, t}) * unit_y,
                   list.at({0, 2, t}) * unit_x, list.at({0, 3, t}) * unit_y, list.at({0, 6, t}), i);
        const LandmarkPoint& found = box.landmarks[static_cast<size_t>(i)];
        EXPECT_NEAR(found.x, corner.x * 100, 1e-3) << t << " " << i;
        EXPECT_NEAR(found.y, corner.y * 300, 1e-3) << t << " " << i;
        left = std::min(left, found.x);
        top = std::min(top, found.y);
        right = std::max(right, found.x);
        bottom = std::max(bottom, found.y);
      }
      EXPECT_NEAR(box.x0, left, 1e-3);
      EXPECT_NEAR(box.y0, top, 1e-3);
      EXPECT_NEAR(box.x1, right, 1e-3);
      EXPECT_NEAR(box.y1, bottom, 1e-3);
      EXPECT_EQ(list.at({0, 4 + box.class_index, t}), box.score);
    }
  }
}

}  // namespace
}  // namespace synap_internal
