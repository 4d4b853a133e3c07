#include "compiler/import/stated_shape.h"

#include <gtest/gtest.h>

namespace synap_internal {
namespace {

TEST(StatedShapeTest, IsWhatUltralyticsWrites) {
  EXPECT_EQ(StatedShape({{"imgsz", "[480, 640]"}, {"stride", "32"}}), Shape({1, 3, 480, 640}));
  EXPECT_EQ(StatedShape({{"imgsz", "320"}}), Shape({1, 3, 320, 320}));
  EXPECT_EQ(StatedShape({{"imgsz", "(64, 96)"}, {"batch", "2"}, {"channels", "1"}}),
            Shape({2, 1, 64, 96}));
}

TEST(StatedShapeTest, IsADictionaryAmongTheTextsOfAFile) {
  EXPECT_EQ(StatedShapeOfTexts({{"a/labels.txt", "cat\ndog"},
                                {"a/extra/config.txt",
                                 R"({"imgsz": [640, 640], "batch": 1, "names": {"0": "cat"}})"}}),
            Shape({1, 3, 640, 640}));
  EXPECT_EQ(StatedShapeOfTexts({{"config.txt", R"({"shape": [1, 3, 320, 640], "stride": 32})"}}),
            Shape({1, 3, 320, 640}));
}

TEST(StatedShapeTest, IsNothingElse) {
  for (const char* size : {"", "[]", "[640, 640, 640]", "[0, 640]", "[-1, -1]", "big",
                           "[9223372036854775807, 1]", "(640"}) {
    EXPECT_FALSE(StatedShape({{"imgsz", size}}).has_value()) << size;
  }
  EXPECT_FALSE(StatedShape({{"shape", "[3, 640]"}}).has_value());
  EXPECT_FALSE(StatedShapeOfTexts({{"labels.txt", "cat"}}).has_value());
}

}  // namespace
}  // namespace synap_internal
