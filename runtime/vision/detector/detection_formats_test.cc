#include "runtime/vision/detector/detection_formats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "base/shape.h"

namespace synap_internal {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

TEST(DetectionFormatsTest, EveryTypeBelongsToItsFamily) {
  for (const DetectionFormat& format : DetectionFormats()) {
    EXPECT_TRUE(absl::StartsWith(format.type, format.family)) << format.type;
    EXPECT_EQ(FindDetectionFormat(format.type), &format);
    EXPECT_THAT(DetectionTypes(), Contains(std::string(format.type)));
  }
  EXPECT_EQ(FindDetectionFormat("YOLOV5"), nullptr);
}

TEST(DetectionFormatsTest, EveryTypeRefusesShapesThatAreNotItsOwn) {
  for (const DetectionFormat& format : DetectionFormats()) {
    for (const Shape& shape : {Shape{1, 1}, Shape{1}, Shape{2, 3, 4}, Shape{1, 2, 3, 4, 5, 6}}) {
      for (const size_t count : {1, 2, 3, 4, 13}) {
        const std::vector<DetectionTensor> tensors(count, {std::string(format.type), shape});
        EXPECT_TRUE(absl::IsInvalidArgument(MakeDetectionDecoder(tensors, 0.5f).status()))
            << format.type << " of " << count << " " << shape.ToString();
      }
    }
  }
}

TEST(DetectionFormatsTest, EveryTypeRefusesTensorsWithoutValues) {
  for (const DetectionFormat& format : DetectionFormats()) {
    for (const Shape& shape : {Shape{1, 0, 6}, Shape{1, 7, 3, 0}, Shape{1, 85, 0, 0}}) {
      const std::vector<DetectionTensor> tensors(2, {std::string(format.type), shape});
      EXPECT_EQ(MakeDetectionDecoder(tensors, 0.5f).status().message(),
                "output 0: its shape is " + shape.ToString() +
                    ", which has no values, expected at least one")
          << format.type;
    }
  }
}

TEST(DetectionFormatsTest, RefusesMoreDetectionsThanItKeepsMemoryFor) {
  for (const std::string type : {"yolov5", "yolov8 transposed=0", "yolox", "yolov10"}) {
    const DetectionTensor tensor = {type, Shape{1, 1 << 25, 6}};
    EXPECT_THAT(std::string(MakeDetectionDecoder({&tensor, 1}, 0.5f).status().message()),
                HasSubstr("its shape is 1x33554432x6, expected at most 16777216 detections"));
  }
  const std::vector<DetectionTensor> faces = {{"blazeface", Shape{1, 1 << 30, 16}},
                                              {"", Shape{1, 1 << 30, 1}}};
  EXPECT_TRUE(absl::IsInvalidArgument(MakeDetectionDecoder(faces, 0.5f).status()));
}

TEST(DetectionFormatsTest, TheFormatOrTheTypeSaysWhatSuppresses) {
  const auto scope = [](const std::string& format) {
    const DetectionTensor tensor = {format, Shape{1, 1}};
    return ReadSuppression({&tensor, 1})->scope;
  };
  EXPECT_EQ(scope("yolov8"), NmsScope::kAny);
  EXPECT_EQ(scope("yolov10"), NmsScope::kNone);
  EXPECT_EQ(scope("yolov10 nms=any"), NmsScope::kAny);
  EXPECT_EQ(scope("yolov8 nms=class"), NmsScope::kClass);
  EXPECT_EQ(scope("nms_input"), NmsScope::kClass);
  EXPECT_EQ(scope("something else"), NmsScope::kAny);
}

TEST(DetectionFormatsTest, AFormatMayHoldThresholds) {
  const auto read = [](const std::string& format) {
    const DetectionTensor tensor = {format, Shape{1, 5, 8}};
    return ReadSuppression({&tensor, 1});
  };
  EXPECT_FALSE(read("yolov8")->iou_threshold.has_value());
  EXPECT_EQ(read("yolov8")->max_per_class, 0);
  EXPECT_EQ(*read("yolov8 iou_threshold=0.25 max_per_class=7")->iou_threshold, 0.25f);
  EXPECT_EQ(read("yolov8 iou_threshold=0.25 max_per_class=7")->max_per_class, 7);
  EXPECT_EQ(read("yolov8 iou_threshold=1.5").status().message(),
            "format attribute 'iou_threshold' is 1.5, expected 0 to 1");
  EXPECT_EQ(read("yolov8 max_per_class=-1").status().message(),
            "format attribute 'max_per_class' is -1, expected 0 or a positive number");
}

TEST(DetectionFormatsTest, TheLargerScoreThresholdHolds) {
  // Boxes whose only class has the scores 0.3, 0.5 and 0.7.
  std::vector<float> rows;
  for (const float score : {0.3f, 0.5f, 0.7f}) rows.insert(rows.end(), {0, 0, 1, 1, score});
  const float* data = rows.data();
  const auto count = [&](const std::string& format, float threshold) {
    const DetectionTensor tensor = {format, Shape{1, 3, 5}};
    std::vector<DetectedBox> boxes;
    (*MakeDetectionDecoder({&tensor, 1}, threshold))->Decode({{&data, 1}, 1, 1}, &boxes);
    return boxes.size();
  };
  EXPECT_EQ(count("yolov8 transposed=0", 0.4f), 2);
  EXPECT_EQ(count("yolov8 transposed=0 score_threshold=0.6", 0.4f), 1);
  EXPECT_EQ(count("yolov8 transposed=0 score_threshold=0.2", 0.4f), 2);
}

TEST(DetectionFormatsTest, ShapesSayHowManyClassesThereAre) {
  const auto classes = [](const std::vector<DetectionTensor>& tensors) {
    const auto decoder = MakeDetectionDecoder(tensors, 0.5f);
    EXPECT_TRUE(decoder.ok()) << decoder.status();
    return decoder.ok() ? (*decoder)->classes() : -1;
  };
  EXPECT_EQ(classes({{"yolov5", Shape{1, 8, 85}}}), 80);
  EXPECT_EQ(classes({{"yolov5 landmarks=5", Shape{1, 8, 16}}}), 1);
  EXPECT_EQ(classes({{"yolov8", Shape{1, 84, 8400}}}), 80);
  EXPECT_EQ(classes({{"yolov8pose landmarks=17 visibility=1", Shape{1, 56, 8400}}}), 1);
  // The first one of 21 is the background.
  EXPECT_EQ(classes({{"ssd anchors=[0.5,0.25,0.5,0.125,0.125,0.75,1,0.5]", Shape{1, 2, 4}},
                     {"", Shape{1, 2, 21}}}),
            20);
  // Its rows hold the class as a number.
  EXPECT_EQ(classes({{"yolov10", Shape{1, 300, 6}}}), 0);
}

TEST(DetectionFormatsTest, TheLastTensorThatHasAClassIndexBaseDeterminesIt) {
  const auto base = [](const std::string& first, const std::string& second) {
    return *ReadClassIndexBase(std::vector<DetectionTensor>{{first, Shape{1}}, {second, Shape{1}}});
  };
  EXPECT_EQ(base("yolov5", ""), 0);
  EXPECT_EQ(base("yolov5 class_index_base=-1", ""), -1);
  EXPECT_EQ(base("yolov5 class_index_base=-1", "yolov5 class_index_base=2"), 2);
}

}  // namespace
}  // namespace synap_internal
