#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/shape.h"
#include "runtime/vision/detector/decode_testing.h"

namespace synap_internal {
namespace {

using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

constexpr int kBoxes = 3;
constexpr int kClasses = 2;

// y0, x0, y1, x1.
TestTensor Boxes() {
  TestTensor boxes(Shape{1, kBoxes, 4});
  boxes.data = {1, 2, 5,  8,  //
                9, 7, 3,  4,  // the other ends of the diagonal
                0, 0, 10, 10};
  return boxes;
}

// By class; class 1 of box 2 and both of box 1 reach 0.5.
TestTensor Scores() {
  TestTensor scores(Shape{1, kClasses, kBoxes});
  scores.data = {0.1f, 0.6f, 0.2f,  //
                 0.3f, 0.7f, 0.9f};
  return scores;
}

// (class, position) of each box.
std::vector<std::pair<int, int>> Found(const std::string& format,
                                       const std::vector<TestTensor>& tensors) {
  const auto boxes = DecodeTensors(format, tensors, 10, 10);
  EXPECT_TRUE(boxes.ok()) << boxes.status();
  std::vector<std::pair<int, int>> found;
  for (const FoundBox& box : *boxes) found.emplace_back(box.class_index, box.position);
  return found;
}

TEST(NmsInputTest, EachClassAboveTheThresholdIsABox) {
  TestTensor rows(Shape{1, kBoxes, kClasses});
  for (int t = 0; t < kBoxes; ++t) {
    for (int c = 0; c < kClasses; ++c) rows.at({0, t, c}) = Scores().at({0, c, t});
  }
  for (const TestTensor& scores : {Scores(), rows}) {
    EXPECT_THAT(Found("nms_input", {Boxes(), scores}),
                UnorderedElementsAre(Pair(0, 1), Pair(1, 1), Pair(1, 2)));
    EXPECT_THAT(Found("nms_input best=1", {Boxes(), scores}),
                UnorderedElementsAre(Pair(1, 1), Pair(1, 2)));
    EXPECT_THAT(Found("nms_input background=1", {Boxes(), scores}),
                UnorderedElementsAre(Pair(0, 1)));
    EXPECT_THAT(Found("nms_input best=1 background=1", {Boxes(), scores}),
                UnorderedElementsAre(Pair(0, 1)));
    EXPECT_THAT(Found("nms_input background=0 class_index_base=-1", {Boxes(), scores}),
                UnorderedElementsAre(Pair(0, 1), Pair(0, 2)));
  }
}

TEST(NmsInputTest, ABoxIsADiagonalOrACentreAndASize) {
  const auto box = [](const std::string& attributes, const TestTensor& boxes) {
    // Position 1, class 1 of 100x200 pixels for 10x10 units.
    return DecodeTensors("nms_input w_scale=10 h_scale=10 " + attributes, {boxes, Scores()}, 100,
                         200, /*threshold=*/0.65f)
        ->at(0);
  };
  for (const std::string attributes : {"", "box=yxyx"}) {
    const FoundBox found = box(attributes, Boxes());
    EXPECT_FLOAT_EQ(found.x0, 40);
    EXPECT_FLOAT_EQ(found.y0, 60);
    EXPECT_FLOAT_EQ(found.x1, 70);
    EXPECT_FLOAT_EQ(found.y1, 180);
    EXPECT_EQ(found.score, 0.7f);
  }
  const FoundBox turned = box("box=xyxy", Boxes());
  EXPECT_FLOAT_EQ(turned.x0, 30);
  EXPECT_FLOAT_EQ(turned.y0, 80);
  EXPECT_FLOAT_EQ(turned.x1, 90);
  EXPECT_FLOAT_EQ(turned.y1, 140);
  TestTensor centers = Boxes();
  centers.at({0, 1, 2}) = 6;
  const FoundBox centered = box("box=xywh", centers);  // 9, 7, 6, 4
  EXPECT_FLOAT_EQ(centered.x0, 60);
  EXPECT_FLOAT_EQ(centered.y0, 100);
  EXPECT_FLOAT_EQ(centered.x1, 120);
  EXPECT_FLOAT_EQ(centered.y1, 180);
}

TEST(NmsInputTest, RefusesOtherShapesAndAttributes) {
  EXPECT_EQ(DecodeError("nms_input", {Boxes()}),
            "1 output tensors, nms_input needs 2: boxes and scores");
  EXPECT_EQ(DecodeError("nms_input", {Boxes(), TestTensor(Shape{1, 4, 5})}),
            "shapes of the boxes and their scores are 1x3x4 and 1x4x5, expected 1xNx4 and 1xCxN "
            "or 1xNxC");
  EXPECT_THAT(DecodeError("nms_input", {TestTensor(Shape{1, 3, 5}), Scores()}),
              HasSubstr("are 1x3x5 and 1x2x3"));
  EXPECT_EQ(DecodeError("nms_input box=xxyy", {Boxes(), Scores()}),
            "format attribute 'box' is 'xxyy', expected yxyx, xyxy or xywh");
  EXPECT_EQ(DecodeError("nms_input background=2", {Boxes(), Scores()}),
            "format attribute 'background' is 2, expected a class from 0 to 1, or -1");
}

}  // namespace
}  // namespace synap_internal
