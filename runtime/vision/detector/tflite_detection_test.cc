#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "base/shape.h"
#include "runtime/vision/detector/decode_testing.h"

namespace synap_internal {
namespace {

using ::testing::HasSubstr;

constexpr int kMost = 9;

// Boxes, classes 0 .. 8, falling scores, and their number.
std::vector<TestTensor> Outputs(float count) {
  std::vector<TestTensor> tensors = {TestTensor(Shape{1, kMost, 4}), TestTensor(Shape{1, kMost}),
                                     TestTensor(Shape{1, kMost}), TestTensor(Shape{1})};
  tensors[0].Randomize(1, 0, 1);
  for (int i = 0; i < kMost; ++i) {
    tensors[1].at({0, i}) = static_cast<float>(i) + 0.01f;
    tensors[2].at({0, i}) = 1 - 0.1f * static_cast<float>(i);
  }
  tensors[3].data[0] = count;
  return tensors;
}

TEST(TfliteDetectionTest, ReadsCornersClassesAndScores) {
  std::vector<TestTensor> tensors = Outputs(kMost);
  const auto boxes =
      DecodeTensors("tflite_detection class_index_base=1", tensors, 300, 200, /*threshold=*/0.45f);
  ASSERT_TRUE(boxes.ok()) << boxes.status();
  ASSERT_EQ(boxes->size(), 6);
  for (int i = 0; i < 6; ++i) {
    const FoundBox& box = (*boxes)[static_cast<size_t>(i)];
    EXPECT_FLOAT_EQ(box.y0, 200 * tensors[0].at({0, i, 0}));
    EXPECT_FLOAT_EQ(box.x0, 300 * tensors[0].at({0, i, 1}));
    EXPECT_FLOAT_EQ(box.y1, 200 * tensors[0].at({0, i, 2}));
    EXPECT_FLOAT_EQ(box.x1, 300 * tensors[0].at({0, i, 3}));
    EXPECT_EQ(box.class_index, i + 1);
    EXPECT_EQ(box.score, tensors[2].at({0, i}));
  }
}

TEST(TfliteDetectionTest, DividesByTheScales) {
  std::vector<TestTensor> tensors = Outputs(1);
  tensors[0].data[0] = 30;
  tensors[0].data[1] = 10;
  const auto boxes = DecodeTensors("tflite_detection w_scale=20 h_scale=40", tensors, 300, 200);
  ASSERT_EQ(boxes->size(), 1);
  EXPECT_FLOAT_EQ((*boxes)[0].x0, 150);
  EXPECT_FLOAT_EQ((*boxes)[0].y0, 150);
}

TEST(TfliteDetectionTest, BelievesCountsWithinTheTensorsOnly) {
  const float infinity = std::numeric_limits<float>::infinity();
  const auto found = [](float count) {
    return DecodeTensors("tflite_detection", Outputs(count), 1, 1, /*threshold=*/0)->size();
  };
  EXPECT_EQ(found(0), 0);
  EXPECT_EQ(found(3), 3);
  EXPECT_EQ(found(100), kMost);
  EXPECT_EQ(found(infinity), kMost);
  EXPECT_EQ(found(-1), 0);
  EXPECT_EQ(found(std::numeric_limits<float>::quiet_NaN()), 0);
}

TEST(TfliteDetectionTest, RefusesOtherTensors) {
  std::vector<TestTensor> tensors = Outputs(1);
  tensors[2] = TestTensor(Shape{1, kMost + 1});
  EXPECT_THAT(DecodeError("tflite_detection", tensors),
              HasSubstr("are 1x9x4, 1x9, 1x10 and 1, expected 1xMx4, 1xM, 1xM and 1"));
  tensors.pop_back();
  EXPECT_THAT(DecodeError("tflite_detection", tensors), HasSubstr("needs 4: boxes, classes"));
}

}  // namespace
}  // namespace synap_internal
