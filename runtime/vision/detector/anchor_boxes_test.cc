#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/vision/detector/decode_testing.h"
#include "runtime/vision/detector/decoder.h"

namespace synap_internal {
namespace {

using ::testing::HasSubstr;

absl::StatusOr<std::vector<DetectedBox>> Decode(const std::string& format, const Shape& boxes_shape,
                                                const std::vector<float>& boxes,
                                                const Shape& scores_shape,
                                                const std::vector<float>& scores) {
  const std::vector<DetectionTensor> tensors = {{format, boxes_shape},
                                                {"scores class_index_base=-1", scores_shape}};
  absl::StatusOr<std::unique_ptr<DetectionDecoder>> decoder = MakeDetectionDecoder(tensors, 0.5f);
  if (!decoder.ok()) return decoder.status();
  std::vector<DetectedBox> found;
  (*decoder)->Decode({{boxes.data(), scores.data()}, /*width=*/200, /*height=*/100}, &found);
  return found;
}

std::string ErrorOf(const std::string& format, const Shape& boxes, const Shape& scores) {
  return std::string(Decode(format, boxes, {}, scores, {}).status().message());
}

// Anchor 1 is centred at (0.5, 0.25) and is 0.4 high and 0.2 wide.
constexpr char kAnchors[] = " anchors=[0,0,1,1,0.25,0.5,0.4,0.2]";

void ExpectBox1(const absl::StatusOr<std::vector<DetectedBox>>& boxes) {
  ASSERT_TRUE(boxes.ok()) << boxes.status();
  ASSERT_EQ(boxes->size(), 1);
  const DetectedBox& box = (*boxes)[0];
  // Its centre: y = 0.25 + 5 / 10 * 0.4, x = 0.5 - 10 / 10 * 0.2; twice as high, half as wide.
  EXPECT_NEAR(box.y0, 100 * (0.45 - 0.4), 1e-3);
  EXPECT_NEAR(box.y1, 100 * (0.45 + 0.4), 1e-3);
  EXPECT_NEAR(box.x0, 200 * (0.3 - 0.05), 1e-3);
  EXPECT_NEAR(box.x1, 200 * (0.3 + 0.05), 1e-3);
  EXPECT_EQ(box.score, 0.75f);
  EXPECT_EQ(box.class_index, 1);
}

TEST(TfliteBoxesTest, MovesAndScalesAnchors) {
  const float log2 = 5 * std::log(2.0f);
  const std::vector<float> deltas = {1, 2, 3, 4, 5, -10, log2, -log2};
  const std::vector<float> scores = {0.1f, 0.4f, 0.3f, 0.5f, 0.1f, 0.75f};
  for (const char* type : {"tflite_detection_boxes", "tflite_detection_input"}) {
    ExpectBox1(
        Decode(std::string(type) + kAnchors, Shape({1, 2, 4}), deltas, Shape({1, 2, 3}), scores));
  }
}

TEST(TfliteBoxesTest, ReadsTransposedTensorsAndScales) {
  const float log2 = std::log(2.0f);
  const std::vector<float> deltas = {1, 0.5f, 2, -1, 3, log2, 4, -log2};
  const std::vector<float> scores = {0.1f, 0.5f, 0.4f, 0.1f, 0.3f, 0.75f};
  ExpectBox1(Decode(std::string("tflite_detection_boxes transposed=1 x_scale=1 y_scale=1 h_scale=1 "
                                "w_scale=1") +
                        kAnchors,
                    Shape({1, 4, 2}), deltas, Shape({1, 3, 2}), scores));
}

TEST(TfliteBoxesTest, RefusesWhatDoesNotFit) {
  const std::string type = "tflite_detection_boxes";
  EXPECT_THAT(ErrorOf(type, Shape({1, 2, 4}), Shape({1, 2, 3})),
              HasSubstr("'anchors' has 0 numbers, expected 4 for each of 2 boxes"));
  EXPECT_THAT(ErrorOf(type + kAnchors, Shape({1, 2, 4}), Shape({1, 3, 3})),
              HasSubstr("are 1x2x4 and 1x3x3, expected 1xNx4 and 1xNxC"));
  EXPECT_THAT(ErrorOf(type + kAnchors, Shape({1, 2, 5}), Shape({1, 2, 3})), HasSubstr("1x2x5"));
  EXPECT_THAT(ErrorOf(type + kAnchors, Shape({2, 4, 1}), Shape({1, 2, 3})),
              HasSubstr("output 0, the boxes: its shape is 2x4x1"));
  EXPECT_THAT(ErrorOf(type + kAnchors, Shape({1, 2, 4}), Shape({6})),
              HasSubstr("output 1, the scores: its shape is 6"));
  EXPECT_THAT(ErrorOf(type + " h_scale=0" + kAnchors, Shape({1, 2, 4}), Shape({1, 2, 3})),
              HasSubstr("'h_scale' is 0, expected a positive number"));
  const std::vector<DetectionTensor> one = {{type, Shape({1, 2, 4})}};
  EXPECT_THAT(std::string(MakeDetectionDecoder(one, 0.5f).status().message()),
              HasSubstr("1 output tensors, tflite_detection_boxes needs 2"));
}

TEST(RetinanetBoxesTest, MovesTheCornersOfAnchors) {
  constexpr int kBoxes = 7, kClasses = 3;
  TestTensor deltas(Shape{1, kBoxes, 4}), scores(Shape{1, kBoxes, kClasses});
  deltas.Randomize(1, -3, 3);
  scores.Randomize(2, 0, 1);
  TestTensor anchors(Shape{kBoxes, 4});
  anchors.Randomize(3, 0, 224);
  const std::string format = absl::StrCat("retinanet_boxes w_scale=224 h_scale=112 anchors=[",
                                          absl::StrJoin(anchors.data, ","), "]");
  const auto boxes = DecodeTensors(format, {deltas, scores}, 448, 448, /*threshold=*/0);
  ASSERT_TRUE(boxes.ok()) << boxes.status();
  ASSERT_EQ(boxes->size(), kBoxes);
  for (int i = 0; i < kBoxes; ++i) {
    const FoundBox& box = (*boxes)[static_cast<size_t>(i)];
    const float corners[4] = {box.x0, box.y0, box.x1, box.y1};
    for (int c = 0; c < 4; ++c) {
      const double side = double{anchors.at({i, c % 2 + 2})} - anchors.at({i, c % 2});
      const double corner = anchors.at({i, c}) + 0.2 * deltas.at({0, i, c}) * side;
      EXPECT_NEAR(corners[c], corner * (c % 2 == 0 ? 2 : 4), 2e-2) << i << " " << c;
    }
    const float* row = &scores.at({0, i, 0});
    EXPECT_EQ(box.score, *std::max_element(row, row + kClasses));
    EXPECT_EQ(row[box.class_index], box.score);
  }
}

TEST(RetinanetBoxesTest, ReadsTransposedTensors) {
  TestTensor deltas(Shape{1, 4, 2}), scores(Shape{1, 2, 2});
  deltas.data = {0, 1, 0, 2, 0, 3, 0, 4};
  scores.data = {0, 0.25f, 0, 0.75f};
  const auto boxes = DecodeTensors(
      "retinanet_boxes transposed=1 class_index_base=5 anchors=[0,0,1,1,0.5,0.25,0.75,0.5]",
      {deltas, scores}, 1000, 1000);
  ASSERT_TRUE(boxes.ok()) << boxes.status();
  ASSERT_EQ(boxes->size(), 1);
  EXPECT_FLOAT_EQ((*boxes)[0].x0, 550);
  EXPECT_FLOAT_EQ((*boxes)[0].y0, 350);
  EXPECT_FLOAT_EQ((*boxes)[0].x1, 900);
  EXPECT_FLOAT_EQ((*boxes)[0].y1, 700);
  EXPECT_EQ((*boxes)[0].class_index, 6);
  EXPECT_THAT(DecodeError("retinanet_boxes w_scale=-1 anchors=[0,0,1,1]",
                          {TestTensor(Shape{1, 1, 4}), TestTensor(Shape{1, 1, 1})}),
              HasSubstr("'w_scale' is -1, expected a positive number"));
}

}  // namespace
}  // namespace synap_internal
