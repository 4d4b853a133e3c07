#include "runtime/vision/format_string.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(FormatStringTest, SplitsTypeAndAttributes) {
  const FormatString format = FormatString::Parse("yolov5 landmarks=5\tw_scale=640 transposed=1");
  EXPECT_EQ(format.type(), "yolov5");
  EXPECT_EQ(*format.Int("landmarks", 0), 5);
  EXPECT_EQ(*format.Float("w_scale", 0), 640);
  EXPECT_TRUE(*format.Bool("transposed", false));
  EXPECT_EQ(*format.Int("class_index_base", -1), -1);
}

TEST(FormatStringTest, HasNoTypeIfTheFirstTokenIsAnAttribute) {
  EXPECT_EQ(FormatString::Parse("keep_proportions=0 rgb").type(), "");
  EXPECT_EQ(FormatString::Parse("").type(), "");
}

TEST(FormatStringTest, ReadsListsOfListsWithEmptyPlaces) {
  const FormatString format = FormatString::Parse("yolov5 anchors=[[],[], [4,5.5],[-1]]");
  EXPECT_THAT(*format.FloatLists("anchors"),
              ElementsAre(IsEmpty(), IsEmpty(), ElementsAre(4, 5.5f), ElementsAre(-1)));
  EXPECT_THAT(*format.FloatLists("absent"), IsEmpty());
  EXPECT_THAT(*FormatString::Parse("x a=[1,2]").Floats("a"), ElementsAre(1, 2));
  EXPECT_THAT(*FormatString::Parse("x a=[1,2]").FloatLists("a"), ElementsAre(ElementsAre(1, 2)));
}

TEST(FormatStringTest, NamesKeyValueAndExpectationOfBadValues) {
  const FormatString format =
      FormatString::Parse("t a=x c=[[1],] d=2 e=inf f=[1,,2] g=[[1][2]] b=[[1,2]");
  EXPECT_THAT(format.Int("a", 0).status().message(),
              HasSubstr("format attribute 'a' is 'x', expected an integer"));
  for (const char* key : {"b", "c", "g"}) EXPECT_FALSE(format.FloatLists(key).ok()) << key;
  EXPECT_FALSE(format.Bool("d", false).ok());
  EXPECT_FALSE(format.Float("e", 0).ok());
  EXPECT_FALSE(format.Floats("f").ok());
}

}  // namespace
}  // namespace synap_internal
