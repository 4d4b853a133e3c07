#include "compiler/convert/tune/parse_labels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace synap_internal {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

template <typename T>
std::string ErrorOf(const absl::StatusOr<T>& result) {
  return std::string(result.status().message());
}

TEST(ParseLabelsTest, AClassIsANumberOrAName) {
  EXPECT_EQ(*ParseClass("17", {}), 17);
  EXPECT_EQ(*ParseClass("tabby cat", {"dog", "tabby cat"}), 1);
  // A name that is a number is a name.
  EXPECT_EQ(*ParseClass("7", {"3", "7"}), 1);
  EXPECT_THAT(ErrorOf(ParseClass("cat", {})), HasSubstr("found the class 'cat', expected its "));
}

TEST(ParseLabelsTest, AListHasASampleAndItsClassInEachLine) {
  const auto labels = ParseClassList("a.jpg 3\r\n\nb c.jpg\ttabby cat\n", {"dog", "tabby cat"});
  ASSERT_TRUE(labels.ok()) << labels.status();
  ASSERT_THAT(*labels, SizeIs(2));
  EXPECT_EQ((*labels)[0].sample, "a.jpg");
  EXPECT_EQ((*labels)[0].label.class_index, 3);
  EXPECT_EQ((*labels)[1].sample, "b c.jpg");
  EXPECT_EQ((*labels)[1].label.class_index, 1);
  EXPECT_EQ((*labels)[1].label.place, ":3");
  EXPECT_EQ(ErrorOf(ParseClassList("a.jpg 3\nb.jpg\n", {})),
            "line 2: found 'b.jpg', expected a sample's name and its class");
}

TEST(ParseLabelsTest, YoloBoxesHaveACentreAndASize) {
  const auto objects = ParseYoloLabels("2 0.5 0.25 0.5 0.5\n\n0 1 1 0 0\n");
  ASSERT_TRUE(objects.ok()) << objects.status();
  ASSERT_THAT(*objects, SizeIs(2));
  EXPECT_EQ((*objects)[0].class_index, 2);
  EXPECT_EQ((*objects)[0].box.x0, 0.25f);
  EXPECT_EQ((*objects)[0].box.y0, 0);
  EXPECT_EQ((*objects)[0].box.x1, 0.75f);
  EXPECT_EQ((*objects)[0].box.y1, 0.5f);
  EXPECT_THAT(*ParseYoloLabels(""), SizeIs(0));
  EXPECT_THAT(ErrorOf(ParseYoloLabels("0 0.5 0.5 0.5 0.5 0.5\n")),
              HasSubstr("line 1: found 6 values, expected 5"));
  EXPECT_THAT(ErrorOf(ParseYoloLabels("0 0.5 0.5 320 0.5\n")),
              HasSubstr("line 1: found 320, expected a part of the picture's size, 0 to 1"));
  EXPECT_THAT(ErrorOf(ParseYoloLabels("cat 0.5 0.5 0.5 0.5\n")),
              HasSubstr("found the class 'cat', expected a whole number"));
}

constexpr char kCoco[] = R"({
  "info": {"year": 2017, "images": [1, {"id": 3}]},
  "categories": [{"id": 90, "name": "cat"}, {"id": 7, "name": "dog", "supercategory": "animal"}],
  "images": [{"id": 5, "file_name": "a.jpg", "width": 200, "height": 100},
             {"id": 6, "file_name": "b.jpg", "width": 10, "height": 10}],
  "annotations": [
    {"image_id": 5, "category_id": 90, "bbox": [20, 10, 100, 50], "iscrowd": 0,
     "segmentation": [[1, 2, 3, 4]]},
    {"image_id": 5, "category_id": 7, "bbox": [0, 0, 200, 100], "iscrowd": 1,
     "segmentation": {"counts": [1, 2], "size": [100, 200]}}]})";

TEST(ParseLabelsTest, CocoPicturesHaveTheirObjects) {
  const auto labels = ParseCocoInstances(kCoco, {});
  ASSERT_TRUE(labels.ok()) << labels.status();
  EXPECT_EQ(labels->classes, 2);
  ASSERT_THAT(labels->labels, SizeIs(2));
  EXPECT_EQ(labels->labels[0].sample, "a.jpg");
  const std::vector<LabelledObject>& objects = labels->labels[0].label.objects;
  ASSERT_THAT(objects, SizeIs(2));
  EXPECT_EQ(objects[0].class_index, 1);  // 90 is the second id
  EXPECT_FALSE(objects[0].is_crowd);
  EXPECT_FLOAT_EQ(objects[0].box.x0, 0.1f);
  EXPECT_FLOAT_EQ(objects[0].box.y0, 0.1f);
  EXPECT_FLOAT_EQ(objects[0].box.x1, 0.6f);
  EXPECT_FLOAT_EQ(objects[0].box.y1, 0.6f);
  EXPECT_EQ(objects[1].class_index, 0);
  EXPECT_TRUE(objects[1].is_crowd);
  EXPECT_THAT(labels->labels[1].label.objects, SizeIs(0));
}

TEST(ParseLabelsTest, NamesOfCategoriesGoBeforeTheirOrder) {
  const auto labels = ParseCocoInstances(kCoco, {"bird", "cat", "cow", "dog"});
  ASSERT_TRUE(labels.ok()) << labels.status();
  EXPECT_EQ(labels->classes, 0);
  EXPECT_EQ(labels->labels[0].label.objects[0].class_index, 1);
  EXPECT_EQ(labels->labels[0].label.objects[1].class_index, 3);
}

std::string CocoError(const std::string& annotation) {
  return ErrorOf(ParseCocoInstances(
      absl::StrCat(R"({"images": [{"id": 1, "file_name": "a", "width": 2, "height": 2}],
                       "categories": [{"id": 4, "name": "cat"}], "annotations": [)",
                   annotation, "]}"),
      {}));
}

TEST(ParseLabelsTest, CocoErrorsSayWhatIsWrong) {
  EXPECT_EQ(ErrorOf(ParseCocoInstances("a.jpg 3", {})),
            "found other text than JSON, expected COCO's instances: images, annotations and "
            "categories");
  EXPECT_THAT(ErrorOf(ParseCocoInstances("{\"images\": []}", {})), HasSubstr("a list is missing"));
  EXPECT_EQ(CocoError(R"({"image_id": 2, "category_id": 4, "bbox": [0, 0, 1, 1]})"),
            "annotation 0: found image_id 2, expected an id of 'images'");
  EXPECT_EQ(CocoError(R"({"image_id": 1, "category_id": 5, "bbox": [0, 0, 1, 1]})"),
            "annotation 0: found category_id 5, expected an id of 'categories'");
  EXPECT_EQ(CocoError(R"({"image_id": 1, "category_id": 4, "bbox": [0, 0, 1]})"),
            "annotation 0: found the 'bbox' [0, 0, 1], expected 4 numbers of pixels: x, y, width, "
            "height");
  EXPECT_EQ(CocoError(R"({"category_id": 4, "bbox": [0, 0, 1, 1]})"),
            "annotation 0: has no 'image_id', expected a number");
  EXPECT_EQ(CocoError(R"({"image_id": 1.5, "category_id": 4, "bbox": [0, 0, 1, 1]})"),
            "annotation 0: found image_id 1.5, expected a whole number below 2^53");
  // It is no object.
  EXPECT_EQ(CocoError(R"([["image_id", 1]])"), "");
}

TEST(ParseLabelsTest, CocoIdsAreWholeNumbersOfTheirOwn) {
  const auto error = [](const char* images, const char* categories) {
    return ErrorOf(ParseCocoInstances(absl::StrCat(R"({"annotations": [], "images": [)", images,
                                                   R"(], "categories": [)", categories, "]}"),
                                      {}));
  };
  constexpr char kImage[] = R"({"id": 1, "file_name": "a", "width": 2, "height": 2})";
  constexpr char kCategory[] = R"({"id": 4, "name": "cat"})";
  EXPECT_EQ(error(kImage, kCategory), "");
  EXPECT_EQ(error(R"({"id": 1, "file_name": "a", "width": 2, "height": 2},
                     {"id": 1, "file_name": "b", "width": 2, "height": 2})",
                  kCategory),
            "b: found the id 1 again, expected another one for each image");
  EXPECT_EQ(error(kImage, R"({"id": 4, "name": "cat"}, {"id": 4, "name": "dog"})"),
            "category 'dog': found the id 4 again, expected another one for each category");
  EXPECT_THAT(
      error(R"({"id": 9007199254740993, "file_name": "a", "width": 2, "height": 2})", kCategory),
      HasSubstr("a: found id 9.0072e+15, expected a whole number below 2^53"));
}

}  // namespace
}  // namespace synap_internal
