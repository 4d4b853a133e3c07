#include "compiler/graph/picture_layout.h"

#include <gtest/gtest.h>

namespace synap_internal {
namespace {

TEST(LayoutOfInputTest, PicturesInTheOtherOrderHaveTheOtherLayout) {
  EXPECT_EQ(LayoutOfInput(Shape({1, 32, 48, 3}), "nchw"), "nhwc");
  EXPECT_EQ(LayoutOfInput(Shape({1, 3, 416, 416}), "nhwc"), "nchw");
  EXPECT_EQ(LayoutOfInput(Shape({1, 1, 28, 28}), "nhwc"), "nchw");
}

TEST(LayoutOfInputTest, OtherShapesHaveTheModelsOwn) {
  for (const Shape& shape :
       {Shape({1, 3, 32, 48}), Shape({1, 32, 3, 3}), Shape({1, 64, 48, 64}), Shape({1, 1, 32, 4}),
        Shape({1, 64, 1, 1}), Shape({1, 32, 48, 2}), Shape({8, 3}), Shape({1, 3, 3, 3})}) {
    EXPECT_EQ(LayoutOfInput(shape, "nchw"), "nchw") << shape.ToString();
  }
  EXPECT_EQ(LayoutOfInput(Shape({1, 32, 48, 3}), "nhwc"), "nhwc");
}

}  // namespace
}  // namespace synap_internal
