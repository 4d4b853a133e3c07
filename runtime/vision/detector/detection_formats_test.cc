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
    return *ReadNmsScope({&tensor, 1});
  };
  EXPECT_EQ(scope("yolov8"), NmsScope::kAny);
  EXPECT_EQ(scope("yolov10"), NmsScope::kNone);
  EXPECT_EQ(scope("yolov10 nms=any"), NmsScope::kAny);
  EXPECT_EQ(scope("yolov8 nms=class"), NmsScope::kClass);
  EXPECT_EQ(scope("something else"), NmsScope::kAny);
}

}  // namespace
}  // namespace synap_internal
