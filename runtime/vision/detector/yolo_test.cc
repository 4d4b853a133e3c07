#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/vision/detector/decode_testing.h"

namespace synap_internal {
namespace {

using ::testing::HasSubstr;

void ExpectBox(const DetectedBox& box, float x0, float y0, float x1, float y1) {
  EXPECT_NEAR(box.x0, x0, 1e-3);
  EXPECT_NEAR(box.y0, y0, 1e-3);
  EXPECT_NEAR(box.x1, x1, 1e-3);
  EXPECT_NEAR(box.y1, y1, 1e-3);
}

float Logit(float p) { return std::log(p / (1 - p)); }

// ---- yolov5, boxes decoded in the model

TEST(Yolov5ListTest, DecodesBoxesLandmarksAndClasses) {
  TestTensor tensor({1, 2, 9});                        // 1 landmark, 2 classes
  tensor.data = {0,  0,  0, 0, 0.4f, 0,  0,  0,    1,  // too unsure
                 32, 16, 8, 4, 0.9f, 30, 15, 0.1f, 0.8f};
  const auto boxes = DecodeTensors("yolov5 landmarks=1 w_scale=64 h_scale=32 class_index_base=10",
                                   {tensor}, 640, 480);
  ASSERT_TRUE(boxes.ok()) << boxes.status();
  ASSERT_EQ(boxes->size(), 1);
  ExpectBox((*boxes)[0], 280, 210, 360, 270);
  EXPECT_FLOAT_EQ((*boxes)[0].score, 0.72f);
  EXPECT_EQ((*boxes)[0].class_index, 11);
  EXPECT_FLOAT_EQ((*boxes)[0].landmarks[0].x, 300);
  EXPECT_FLOAT_EQ((*boxes)[0].landmarks[0].y, 225);  // not computed from x
}

TEST(Yolov5ListTest, WithoutScalesCoordinatesAreNormalised) {
  TestTensor tensor({1, 1, 6});
  tensor.data = {0.5f, 0.5f, 0.5f, 0.25f, 1, 1};
  const auto boxes = DecodeTensors("yolov5", {tensor}, 200, 100);
  ASSERT_EQ(boxes->size(), 1);
  ExpectBox((*boxes)[0], 50, 37.5f, 150, 62.5f);
}

TEST(Yolov5ListTest, ReadsTransposedListsAndSeveralTensors) {
  TestTensor tensor({1, 6, 2});
  for (int v = 0; v < 6; ++v) tensor.at({0, v, 1}) = 0.8f;
  const auto boxes = DecodeTensors("yolov5 transposed=1", {tensor, tensor}, 10, 10);
  ASSERT_EQ(boxes->size(), 2);
  ExpectBox((*boxes)[1], 4, 4, 12, 12);
}

TEST(Yolov5ListTest, SkipsDetectionsWithoutAnyPositiveClass) {
  TestTensor tensor({1, 1, 7});
  tensor.data = {0, 0, 1, 1, 1, 0, -1};
  EXPECT_TRUE(DecodeTensors("yolov5", {tensor}, 10, 10, /*threshold=*/-1)->empty());
}

// ---- yolov5, raw logits of a pyramid

constexpr int kAnchors = 2;
constexpr int kValues = 9;  // 1 landmark, 2 classes
constexpr char kPyramid[] = "yolov5 landmarks=1 anchors=[[],[],[],[4,6,10,20]]";

// Puts a detection at anchor 1, x = 2, y = 1 through `at(a, y, x, v)`.
template <typename At>
void PutDetection(At at) {
  const float values[kValues] = {0, 0, 0, 0, Logit(0.9f), 0.5f, -0.25f, -3, Logit(0.8f)};
  for (int v = 0; v < kValues; ++v) at(1, 1, 2, v) = values[v];
}

// The grid is 4x3 cells of 8 pixels: the network's input is 32x24.
void ExpectDetection(const absl::StatusOr<std::vector<FoundBox>>& boxes) {
  ASSERT_TRUE(boxes.ok()) << boxes.status();
  ASSERT_EQ(boxes->size(), 1);
  const FoundBox& box = (*boxes)[0];
  // Centre (2.5, 1.5) cells = (20, 12), size (10, 20); then x 10 and x 20.
  ExpectBox(box, 150, 40, 250, 440);
  EXPECT_NEAR(box.score, 0.72f, 1e-5);
  EXPECT_EQ(box.class_index, 1);
  EXPECT_NEAR(box.landmarks[0].x, (0.5 * 10 + 16) * 10, 1e-3);
  EXPECT_NEAR(box.landmarks[0].y, (-0.25 * 20 + 8) * 20, 1e-3);
}

TEST(Yolov5PyramidTest, ReadsCellsOfJoinedAnchors) {
  TestTensor tensor({1, 3, 4, kAnchors * kValues}, -9);
  PutDetection([&](int a, int y, int x, int v) -> float& {
    return tensor.at({0, y, x, a * kValues + v});
  });
  ExpectDetection(DecodeTensors(kPyramid, {tensor}, 320, 480));
}

TEST(Yolov5PyramidTest, ReadsCellsOfSeparateAnchors) {
  TestTensor tensor({1, 3, 4, kAnchors, kValues}, -9);
  PutDetection([&](int a, int y, int x, int v) -> float& { return tensor.at({0, y, x, a, v}); });
  ExpectDetection(DecodeTensors(kPyramid, {tensor}, 320, 480));
}

TEST(Yolov5PyramidTest, ReadsAnchorsFirst) {
  TestTensor tensor({1, kAnchors, 3, 4, kValues}, -9);
  PutDetection([&](int a, int y, int x, int v) -> float& { return tensor.at({0, a, y, x, v}); });
  ExpectDetection(DecodeTensors(kPyramid, {tensor}, 320, 480));
}

TEST(Yolov5PyramidTest, ReadsTransposedPlanes) {
  const std::string format = std::string(kPyramid) + " transposed=1";
  TestTensor joined({1, kAnchors * kValues, 3, 4}, -9);
  PutDetection([&](int a, int y, int x, int v) -> float& {
    return joined.at({0, a * kValues + v, y, x});
  });
  ExpectDetection(DecodeTensors(format, {joined}, 320, 480));
  TestTensor split({1, kAnchors, kValues, 3, 4}, -9);
  PutDetection([&](int a, int y, int x, int v) -> float& { return split.at({0, a, v, y, x}); });
  ExpectDetection(DecodeTensors(format, {split}, 320, 480));
}

TEST(Yolov5PyramidTest, ScalesAllLevelsFromTheFirstTensor) {
  TestTensor coarse({1, 2, 2, 6}, -20);
  for (int v = 0; v < 4; ++v) coarse.at({0, 1, 0, v}) = 0;
  coarse.at({0, 1, 0, 4}) = coarse.at({0, 1, 0, 5}) = 20;
  const TestTensor fine({1, 4, 4, 6}, -20);
  const auto boxes =
      DecodeTensors("yolov5 anchors=[[],[],[],[2,2],[8,4]]", {fine, coarse}, /*width=*/64, 64);
  ASSERT_TRUE(boxes.ok()) << boxes.status();
  ASSERT_EQ(boxes->size(), 1);
  ExpectBox((*boxes)[0], 2 * (8 - 4), 2 * (24 - 2), 2 * (8 + 4), 2 * (24 + 2));
}

TEST(Yolov5PyramidTest, TakesTheBestClassEvenIfItsLogitIsNegative) {
  TestTensor tensor({1, 1, 1, 7}, 9);
  tensor.data[5] = -2;
  tensor.data[6] = -1;
  const auto boxes = DecodeTensors("yolov5 anchors=[[1,1]]", {tensor}, 8, 8, /*threshold=*/0.1f);
  ASSERT_EQ(boxes->size(), 1);
  EXPECT_EQ((*boxes)[0].class_index, 1);
}

TEST(Yolov5PyramidTest, RefusesAnchorsThatDoNotFit) {
  const TestTensor tensor({1, 3, 4, 18});
  EXPECT_THAT(DecodeError("yolov5", {tensor}), HasSubstr("0 lists that aren't empty"));
  EXPECT_THAT(DecodeError("yolov5 anchors=[[1,1],[2,2]]", {tensor}), HasSubstr("has 2 lists"));
  EXPECT_THAT(DecodeError("yolov5 anchors=[[1,1,2]]", {tensor}),
              HasSubstr("has 3 numbers in place 0"));
  EXPECT_THAT(DecodeError("yolov5 anchors=[[1,1,2,2,3,3,4,4]]", {tensor}),
              HasSubstr("shape of a yolov5 pyramid tensor is 1x3x4x18, expected 1xHxWx(A*D)"));
  EXPECT_THAT(DecodeError("yolov5 anchors=[[1,1]] transposed=1", {tensor}),
              HasSubstr("expected 1x(A*D)xHxW"));
}

// ---- yolov8

TEST(Yolov8Test, ReadsLandmarksAfterAllClasses) {
  TestTensor tensor({1, 4 + 3 + 2 * 3, 2});
  const float d[] = {32, 16, 8, 4, 0.1f, 0.7f, 0.2f, 30, 15, 0.9f, 34, 17, 0.8f};
  for (int v = 0; v < 13; ++v) tensor.at({0, v, 1}) = d[v];
  const auto boxes =
      DecodeTensors("yolov8 landmarks=2 visibility=1 w_scale=64 h_scale=32", {tensor}, 640, 480);
  ASSERT_TRUE(boxes.ok()) << boxes.status();
  ASSERT_EQ(boxes->size(), 1);
  const FoundBox& box = (*boxes)[0];
  ExpectBox(box, 280, 210, 360, 270);
  EXPECT_EQ(box.class_index, 1);
  ASSERT_EQ(box.landmarks.size(), 2);
  EXPECT_FLOAT_EQ(box.landmarks[1].x, 340);
  EXPECT_FLOAT_EQ(box.landmarks[1].y, 255);
  EXPECT_FLOAT_EQ(box.landmarks[1].visibility, 0.8f);
}

TEST(Yolov8Test, NormalisedBoxesLeaveLandmarksScaled) {
  TestTensor tensor({1, 7, 1});
  tensor.data = {0.5f, 0.5f, 0.5f, 0.5f, 0.9f, 32, 16};
  const auto boxes =
      DecodeTensors("yolov8 landmarks=1 bb_normalized=1 w_scale=64 h_scale=32", {tensor}, 640, 320);
  ASSERT_EQ(boxes->size(), 1);
  ExpectBox((*boxes)[0], 160, 80, 480, 240);
  EXPECT_FLOAT_EQ((*boxes)[0].landmarks[0].x, 320);
  EXPECT_FLOAT_EQ((*boxes)[0].landmarks[0].y, 160);
}

TEST(Yolov8Test, FindsOutWhichDimensionCountsTheDetections) {
  TestTensor tensor({1, 300, 6});
  for (int v = 0; v < 6; ++v) tensor.at({0, 299, v}) = 0.5f + 0.1f * static_cast<float>(v);
  const auto boxes = DecodeTensors("yolov8", {tensor}, 1, 1);
  ASSERT_EQ(boxes->size(), 1);
  EXPECT_EQ((*boxes)[0].class_index, 1);
  EXPECT_EQ(DecodeTensors("yolov8 transposed=0", {tensor}, 1, 1)->size(), 1);
  EXPECT_NE(DecodeTensors("yolov8 transposed=1", {tensor}, 1, 1)->size(), 1);
}

// ---- dispatch

TEST(DetectionDecoderTest, NamesWhatItDoesNotKnow) {
  const TestTensor tensor({1, 6, 1});
  EXPECT_THAT(
      DecodeError("yolo5", {tensor}),
      HasSubstr("Unknown object detection format: 'yolo5', expected one of yolov5, yolov8"));
  EXPECT_THAT(DecodeError("yolov8 landmarks=3", {tensor}), HasSubstr("expected at least 11"));
  EXPECT_THAT(DecodeError("yolov8 landmarks=-1", {tensor}), HasSubstr("'landmarks' is -1"));
  EXPECT_THAT(DecodeError("yolov8", {TestTensor({2, 6, 1})}), HasSubstr("2x6x1, expected 1xDxT"));
  for (const char* format : {"yolov5", "yolov8"}) {
    EXPECT_THAT(DecodeError(format, {TestTensor({1, 6, 6}), TestTensor({2, 6, 6})}),
                HasSubstr("output 1: its shape is 2x6x6, expected 1x"));
  }
}

}  // namespace
}  // namespace synap_internal
