#include "synap/types.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace synaptics::synap {
namespace {

template <typename Value>
std::string Text(const Value& value) {
  std::ostringstream stream;
  stream << value;
  return stream.str();
}

// The value of a text, or `fallback` if it isn't one.
template <typename Value>
Value Parsed(const std::string& text, Value fallback) {
  return from_string(text, fallback) ? fallback : Value{};
}

TEST(TypesTest, EnumeratorsAreTheirNames) {
  for (int i = 0; i <= static_cast<int>(DataType::int64); ++i) {
    const auto type = static_cast<DataType>(i);
    EXPECT_EQ(Parsed(Text(type), DataType::byte), type) << Text(type);
  }
  EXPECT_EQ(Text(DataType::float16), "float16");
  EXPECT_EQ(Text(static_cast<DataType>(99)), "invalid");
  EXPECT_EQ(Text(Layout::nchw), "nchw");
  EXPECT_EQ(Parsed("nhwc", Layout::none), Layout::nhwc);
  EXPECT_EQ(Text(Security::secure_if_input_secure), "secure-if-input-secure");
  EXPECT_EQ(Parsed("non-secure", Security::any), Security::non_secure);
}

TEST(TypesTest, ShapesAndRectanglesSurviveTheirText) {
  EXPECT_EQ(Text(Shape{1, 224, 224, 3}), "[1,224,224,3]");
  EXPECT_THAT(Parsed("[1, 224,224,3]", Shape()), testing::ElementsAre(1, 224, 224, 3));
  EXPECT_EQ(Text(Dimensions{1, 2, 3, 4}), "[1,2,3,4]");
  EXPECT_EQ(Parsed("1,2,3,4", Dimensions()).w, 3);
  EXPECT_EQ(Text(Dim2d{-1, 2}), "-1,2");
  EXPECT_EQ(Parsed("-1,2", Dim2d()), (Dim2d{-1, 2}));
  EXPECT_EQ(Text(Rect{{1, 2}, {3, 4}}), "1,2,3,4");
  EXPECT_EQ(Parsed("[1,2,3,4]", Rect()), (Rect{{1, 2}, {3, 4}}));
  EXPECT_EQ(Text(Landmark{1, 2, 3, 0.5f}), "1,2,3,0.5");
  EXPECT_EQ(Parsed("1,2,3,0.5", Landmark()).visibility, 0.5f);
}

TEST(TypesTest, ShapesCountTheirItems) {
  EXPECT_EQ((Shape{1, 2, 3}.item_count()), 6);
  EXPECT_EQ(Shape().item_count(), 0);
  EXPECT_TRUE((Shape{1, 2}.valid()));
  EXPECT_FALSE((Shape{1, 0}.valid()));
  EXPECT_FALSE(Shape().valid());
  EXPECT_TRUE((Dimensions{1, 2, 0, 3}.empty()));
  EXPECT_TRUE((Rect{{1, 1}, {0, 5}}.empty()));
}

TEST(TypesTest, OtherTextsChangeNothing) {
  Rect rect = {{1, 2}, {3, 4}};
  for (const char* text : {"", "1,2,3", "1,2,3,4,5", "[1,2,3,4", "1,2,3,4]", "1,2,3,x",
                           "1,2,3,9999999999", "1.5,2,3,4"}) {
    EXPECT_FALSE(from_string(text, rect)) << text;
  }
  EXPECT_EQ(rect, (Rect{{1, 2}, {3, 4}}));
  Shape shape = {7};
  EXPECT_FALSE(from_string("[]", shape));
  EXPECT_FALSE(from_string("[1,]", shape));
  EXPECT_THAT(shape, testing::ElementsAre(7));
  DataType type = DataType::int8;
  EXPECT_FALSE(from_string("float64", type));
  EXPECT_EQ(type, DataType::int8);
  Landmark landmark;
  EXPECT_FALSE(from_string("1,2,3", landmark));
}

}  // namespace
}  // namespace synaptics::synap
