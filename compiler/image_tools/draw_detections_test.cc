#include "compiler/image_tools/draw_detections.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace synap_internal {
namespace {

using ::testing::HasSubstr;

constexpr char kJson[] = R"(Input image: x.jpg
{"items": [{"bounding_box": {"origin": {"x": 2, "y": 3}, "size": {"x": 10, "y": 8}},
  "class_index": 0, "confidence": 0.75, "landmarks": {"points": [{"x": 5, "y": 6}]}}],
 "success": true})";

TEST(DrawDetectionsTest, ReadsWhatTheDetectorPrints) {
  const auto detections = ParseDetections(kJson);
  ASSERT_TRUE(detections.ok()) << detections.status();
  ASSERT_EQ(detections->size(), 1u);
  EXPECT_EQ((*detections)[0].x, 2);
  EXPECT_EQ((*detections)[0].height, 8);
  EXPECT_EQ((*detections)[0].landmarks.size(), 1u);
  EXPECT_EQ(DetectionRow(0, {0, "", 0.75f, 2, 3, 10, 8, {}}),
            "0    0.75      0     2,   3     10,   8");
}

TEST(DrawDetectionsTest, DrawsTheBoxAndLeavesTheRest) {
  const auto drawn = DrawDetections(MakeImage(40, 40, 3), *ParseDetections(kJson));
  ASSERT_TRUE(drawn.ok());
  EXPECT_EQ(drawn->row(3)[2 * 3 + 1], 255);    // a corner of the box
  EXPECT_EQ(drawn->row(10)[11 * 3 + 1], 255);  // the opposite one
  EXPECT_EQ(drawn->row(39)[39 * 3 + 1], 0);
}

TEST(DrawDetectionsTest, LabelsStandInThePictureAndInTheTable) {
  const DrawnDetection without{3, "", 0.5f, 4, 20, 10, 8, {}};
  DrawnDetection with = without;
  with.label = "cat";
  EXPECT_NE(DrawDetections(MakeImage(90, 40, 3), {with})->pixels,
            DrawDetections(MakeImage(90, 40, 3), {without})->pixels);
  const auto read = ParseDetections(R"({"items": [{"class_index": 3, "label": "cat"}]})");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ((*read)[0].label, "cat");
  with.landmarks = {{{7, 8}}};
  EXPECT_EQ(DetectionRow(0, with), "0    0.50      3     4,  20     10,   8  cat              7,8");
}

TEST(DrawDetectionsTest, BoxesOutsideTheImageAreCut) {
  EXPECT_TRUE(DrawDetections(MakeImage(8, 8, 1), {{0, "", 1, -5, -5, 100, 100, {{-3, 90}}}}).ok());
}

TEST(DrawDetectionsTest, OtherTextIsRefused) {
  EXPECT_EQ(ParseDetections("no braces").status().message(),
            "the input has no '{', expected JSON; pipe the output of synap_cli_od");
  EXPECT_THAT(std::string(ParseDetections("{\"items\": []}\n{\"items\": []}").status().message()),
              HasSubstr("not one JSON document"));
  EXPECT_EQ(
      ParseDetections("{\"a\": 1}").status().message(),
      "the JSON has no list 'items', expected the detections of synap_cli_od; pipe its output");
}

}  // namespace
}  // namespace synap_internal
