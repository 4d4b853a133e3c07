#include "compiler/convert/cli/draw_detections.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "absl/strings/str_cat.h"

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
  EXPECT_EQ(DetectionRow(0, {0, "", 0.75f, 2, 3, 10, 8, {}, {}}),
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
  const DrawnDetection without{3, "", 0.5f, 4, 20, 10, 8, {}, {}};
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
  EXPECT_TRUE(
      DrawDetections(MakeImage(8, 8, 1), {{0, "", 1, -5, -5, 100, 100, {{-3, 90}}, {}}}).ok());
}

// An item with a mask whose right half is the object.
std::string MaskJson(const std::string& rectangle = "") {
  return R"({"items": [{"class_index": 2, "label": "cat", "bounding_box":
    {"origin": {"x": 4, "y": 4}, "size": {"x": 4, "y": 4}},
    "mask": {"data": [-1, 1, -1, 1], "height": 2, "width": 2)" +
         rectangle + "}}]}";
}

TEST(DrawDetectionsTest, MasksAreAddedInTheirColours) {
  std::vector<DrawnDetection> detections = *ParseDetections(MaskJson());
  ASSERT_EQ(detections.size(), 1);
  const DrawnMask& mask = detections[0].mask;
  EXPECT_EQ(mask.width, 2);
  EXPECT_EQ(mask.rect_width, 0);
  EXPECT_THAT(mask.values, ::testing::ElementsAre(-1, 1, -1, 1));
  // A large box, whose outline is thin, over a picture of 100x100.
  detections[0].x = detections[0].y = 0;
  detections[0].width = detections[0].height = 100;
  Image picture = MakeImage(100, 100, 3);
  picture.row(60)[70 * 3 + 2] = 250;
  const auto colors = MaskColors::Parse(R"({"cat": [10, 20, 30], "dog": [1, 1, 1]})");
  ASSERT_TRUE(colors.ok()) << colors.status();
  const auto drawn = DrawDetections(picture, detections, *colors);
  ASSERT_TRUE(drawn.ok()) << drawn.status();
  const auto pixel = [&](int x, int y) {
    const uint8_t* p = drawn->row(y) + x * 3;
    return std::vector<int>{p[0], p[1], p[2]};
  };
  EXPECT_THAT(pixel(40, 60), ::testing::ElementsAre(0, 0, 0));
  EXPECT_THAT(pixel(51, 60), ::testing::ElementsAre(30, 20, 10));
  EXPECT_THAT(pixel(70, 60), ::testing::ElementsAre(30, 20, 255));  // saturated
}

TEST(DrawDetectionsTest, AMaskCoversItsRectangle) {
  std::vector<DrawnDetection> detections = *ParseDetections(
      MaskJson(R"(, "rectangle": {"origin": {"x": 0, "y": -50}, "size": {"x": 40, "y": 200}})"));
  detections[0].x = detections[0].y = 0;
  detections[0].width = 60;
  detections[0].height = 100;
  const auto drawn = DrawDetections(MakeImage(100, 100, 3), detections);
  ASSERT_TRUE(drawn.ok());
  const auto is_colored = [&](int x) {
    const uint8_t* p = drawn->row(50) + x * 3;
    return p[0] + p[1] + p[2] > 0;
  };
  EXPECT_FALSE(is_colored(19));
  EXPECT_TRUE(is_colored(21));
  EXPECT_TRUE(is_colored(50));   // beyond the rectangle its edge repeats, up to the box
  EXPECT_FALSE(is_colored(70));  // beyond the box
}

TEST(MaskColorsTest, ClassesHaveDifferentColors) {
  const MaskColors colors;
  std::set<Color> found;
  for (int i = 0; i < 80; ++i) found.insert(colors.Of(i, ""));
  EXPECT_EQ(found.size(), 80);
  EXPECT_EQ(colors.Of(80, ""), colors.Of(0, ""));
  EXPECT_EQ(colors.Of(-1, ""), colors.Of(79, ""));
}

TEST(MaskColorsTest, OtherTextIsRefused) {
  const auto error = [](const char* text) {
    return std::string(MaskColors::Parse(text).status().message());
  };
  EXPECT_THAT(error("[1]"), HasSubstr("no JSON object"));
  EXPECT_THAT(error("{"), HasSubstr("no JSON object"));
  for (const char* color : {"[0, 0]", "[0, 0, 256]", "[0, 0, 1.5]", "7", "[0, 0, -1]"}) {
    EXPECT_THAT(error(absl::StrCat("{\"3\": ", color, "}").c_str()),
                HasSubstr("colour of class '3' is wrong, expected [blue, green, red]"));
  }
}

TEST(DrawDetectionsTest, AMaskOfAnotherSizeIsRefused) {
  const auto error = [](const char* mask) {
    return std::string(ParseDetections(absl::StrCat(R"({"items": [{}, {"mask": )", mask, "}]}"))
                           .status()
                           .message());
  };
  EXPECT_EQ(error(R"({"data": [1, 2], "width": 2, "height": 2})"),
            "item 1: mask has 2 values, expected 2 x 2");
  EXPECT_EQ(error(R"({"data": [1, 2]})"), "item 1: mask has 2 values, expected 0 x 0");
  EXPECT_EQ(error(R"({"data": [], "width": 0, "height": 0})"), "");
}

TEST(DrawDetectionsTest, OtherTextIsRefused) {
  EXPECT_EQ(ParseDetections("no braces").status().message(),
            "the input has no '{', expected JSON; pipe the output of synap_cli_od");
  EXPECT_THAT(std::string(ParseDetections("{\"items\": []}\n{\"items\": []}").status().message()),
              HasSubstr("not one JSON document"));
  EXPECT_THAT(
      std::string(ParseDetections("[{\"items\": []},\n{\"items\": []}]").status().message()),
      HasSubstr("for one image; run it once for each image"));
  EXPECT_EQ(
      ParseDetections("{\"a\": 1}").status().message(),
      "the JSON has no list 'items', expected the detections of synap_cli_od; pipe its output");
}

}  // namespace
}  // namespace synap_internal
