#include "compiler/import/text_dictionary.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(ParseDictionaryTest, ReadsWhatPythonPrints) {
  EXPECT_THAT(ParseDictionary(
                  "{'task': 'detect', 'imgsz': [320, 320], 'names': {0: 'a, b'}, 'nms': False}"),
              ElementsAre(Pair("imgsz", "[320, 320]"), Pair("names", "{0: 'a, b'}"),
                          Pair("nms", "False"), Pair("task", "detect")));
}

TEST(ParseDictionaryTest, ReadsJson) {
  EXPECT_THAT(ParseDictionary("{\"a\": \"say \\\"x: y\\\"\",\n \"b\": 32,}\n"),
              ElementsAre(Pair("a", "say \"x: y\""), Pair("b", "32")));
}

TEST(ParseDictionaryTest, OtherTextsHaveNoEntries) {
  for (const char* text : {"", "{", "}", "person\nbicycle\n", "{a, b}", "[1, 2]", "{'a"}) {
    EXPECT_THAT(ParseDictionary(text), IsEmpty()) << text;
  }
}

TEST(ParseNamesTest, AreInTheOrderOfTheirNumbers) {
  EXPECT_THAT(ParseNames("{2: 'two', 0: \"driver's seat\", 1: 'one', 10: 'x', 3: '3', 4: '4', 5: "
                         "'5', 6: '6', 7: '7', 8: '8', 9: '9'}"),
              ElementsAre("driver's seat", "one", "two", "3", "4", "5", "6", "7", "8", "9", "x"));
  EXPECT_THAT(ParseNames("['cat', \"dog\"]"), ElementsAre("cat", "dog"));
  EXPECT_THAT(ParseNames("{1: 'one'}"), IsEmpty());
  EXPECT_THAT(ParseNames("{'cat': 0}"), IsEmpty());
}

TEST(ParseIntegersTest, ReadsLists) {
  EXPECT_THAT(ParseIntegers("[17, 3]"), ElementsAre(17, 3));
  EXPECT_THAT(ParseIntegers("(640, 480)"), ElementsAre(640, 480));
  EXPECT_THAT(ParseIntegers("[17, x]"), IsEmpty());
  EXPECT_THAT(ParseIntegers("640"), IsEmpty());
}

}  // namespace
}  // namespace synap_internal
