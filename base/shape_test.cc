#include "base/shape.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace synap_internal {
namespace {

using testing::HasSubstr;

TEST(ShapeTest, Elements) {
  EXPECT_EQ(Shape({2, 3, 4}).elements(), 24);
  EXPECT_EQ(Shape().elements(), 1);
  EXPECT_EQ(Shape({2, 0}).elements(), 0);
  EXPECT_EQ(Shape({2, 3, 4}).Product(1, 3), 12);
  EXPECT_EQ(Shape({2, 3, 4}).Product(1, 1), 1);
}

TEST(ShapeTest, Text) {
  EXPECT_EQ(Shape({1, 3, 224}).ToString(), "1x3x224");
  EXPECT_EQ(Shape().ToString(), "scalar");
}

TEST(ShapeTest, WhatCouldOverflowIsRefused) {
  EXPECT_TRUE(Shape({1 << 20, 1 << 20}).Validate().ok());
  EXPECT_FALSE(Shape({1 << 20, 1 << 20, 2}).Validate().ok());
  EXPECT_FALSE(Shape({int64_t{1} << 62, int64_t{1} << 62}).Validate().ok());
  EXPECT_FALSE(Shape({1, 1, 1, 1, 1, 1, 1, 1, 1}).Validate().ok());
  const absl::Status negative = Shape({2, -1}).Validate();
  EXPECT_THAT(std::string(negative.message()), HasSubstr("2x-1"));
}

}  // namespace
}  // namespace synap_internal
