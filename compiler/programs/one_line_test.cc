#include "compiler/programs/one_line.h"

#include <gtest/gtest.h>

namespace synap_internal {
namespace {

TEST(OneLineTest, ControlCharactersBecomeEscapes) {
  EXPECT_EQ(OneLine("input 'a\nError: b'"), "input 'a\\nError: b'");
  EXPECT_EQ(OneLine("\r\t\x1b[31m\x7f"), "\\x0d\\x09\\x1b[31m\\x7f");
  EXPECT_EQ(OneLine("\xc2\x9b 31m"), "\\x9b 31m");
}

TEST(OneLineTest, OtherTextStays) {
  const std::string text =
      "gr\xc3\xb6\xc3\x9f"
      "e \xc2\xb5m \xe4\xb8\xad '\\n' \xc2";
  EXPECT_EQ(OneLine(text), text);
  EXPECT_EQ(OneLine(""), "");
}

}  // namespace
}  // namespace synap_internal
