#include "base/utf8.h"

#include <gtest/gtest.h>

#include <string>

namespace synap_internal {
namespace {

bool IsValid(const std::string& text) { return ValidUtf8Prefix(text) == text.size(); }

TEST(Utf8Test, TakesCharactersOfOneToFourBytes) {
  EXPECT_TRUE(IsValid(""));
  EXPECT_TRUE(IsValid("plain"));
  EXPECT_TRUE(IsValid("\x7F \xC2\x80 \xDF\xBF \xE0\xA0\x80 \xED\x9F\xBF \xEF\xBF\xBF"));
  EXPECT_TRUE(IsValid("\xF0\x90\x80\x80 \xF4\x8F\xBF\xBF"));
}

TEST(Utf8Test, FindsTheFirstByteThatIsNone) {
  EXPECT_EQ(ValidUtf8Prefix("caf\xE9 x"), 3);
  EXPECT_EQ(ValidUtf8Prefix("a\xC3"), 1);
  for (const char* bad : {"\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xED\xA0\x80",
                          "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF"}) {
    EXPECT_EQ(ValidUtf8Prefix(bad), 0) << bad;
  }
}

}  // namespace
}  // namespace synap_internal
