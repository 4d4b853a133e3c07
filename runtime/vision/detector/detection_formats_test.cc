#include "runtime/vision/detector/detection_formats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "base/shape.h"

namespace synap_internal {
namespace {

using ::testing::Contains;

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
