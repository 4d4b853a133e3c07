#include "base/terminal_text.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/string_view.h"

namespace synap_internal {
namespace {

TEST(TerminalTextTest, ControlCharactersBecomeEscapes) {
  EXPECT_EQ(OneLine("input 'a\nError: b'"), "input 'a\\nError: b'");
  EXPECT_EQ(OneLine("\r\t\x1b[31m\x7f"), "\\u000d\\u0009\\u001b[31m\\u007f");
  EXPECT_EQ(OneLine(absl::string_view("a\0b", 3)), "a\\u0000b");
  EXPECT_EQ(OneLine("\xc2\x9b 31m"), "\\u009b 31m");
  EXPECT_EQ(OneLine("\xe2\x80\xae gpj\xe2\x80\xa8 \xe2\x81\xa6"), "\\u202e gpj\\u2028 \\u2066");
}

// A terminal without UTF-8 reads a byte of 128 to 159 as a command.
TEST(TerminalTextTest, BytesThatArentUtf8BecomeEscapes) {
  EXPECT_EQ(OneLine("\x9b"
                    "31m \xc2"),
            "\\x9b31m \\xc2");
}

TEST(TerminalTextTest, OtherTextStays) {
  const std::string text =
      "gr\xc3\xb6\xc3\x9f"
      "e \xc2\xb5m \xe4\xb8\xad '\\n' \xf0\x9f\x99\x82";
  EXPECT_EQ(OneLine(text), text);
  EXPECT_EQ(TerminalText(text), text);
  EXPECT_EQ(OneLine(""), "");
}

TEST(TerminalTextTest, LinesOfALongerTextStay) {
  EXPECT_EQ(TerminalText("a\tb\n\x1b[2Jc\r\n"), "a\tb\n\\u001b[2Jc\\u000d\n");
}

}  // namespace
}  // namespace synap_internal
