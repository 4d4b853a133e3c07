#include "runtime/vision/detector/detection_formats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "base/shape.h"

namespace synap_internal {
namespace {

using ::testing::Contains;
using ::testing::Not;

absl::Status MakeOf(absl::string_view type) {
  const DetectionTensor tensor = {std::string(type), Shape{1, 1}};
  return MakeDetectionDecoder({&tensor, 1}, 0.5f).status();
}

TEST(DetectionFormatsTest, EveryTypeBelongsToItsFamily) {
  for (const DetectionFormat& format : DetectionFormats()) {
    EXPECT_TRUE(absl::StartsWith(format.type, format.family)) << format.type;
    EXPECT_EQ(FindDetectionFormat(format.type), &format);
  }
  EXPECT_EQ(FindDetectionFormat("YOLOV5"), nullptr);
}

TEST(DetectionFormatsTest, DecodersAreMadeForDecodedTypesOnly) {
  for (const DetectionFormat& format : DetectionFormats()) {
    const std::string type(format.type);
    if (format.decoded()) {
      EXPECT_THAT(DecodedDetectionTypes(), Contains(type));
      EXPECT_TRUE(absl::IsInvalidArgument(MakeOf(type))) << type;  // of this shape
    } else {
      EXPECT_THAT(DecodedDetectionTypes(), Not(Contains(type)));
      EXPECT_TRUE(absl::IsUnimplemented(MakeOf(type))) << type;
    }
  }
}

}  // namespace
}  // namespace synap_internal
