#include "runtime/cli/terminal_streams.h"

#include <gtest/gtest.h>

#include <sstream>

#include "nlohmann/json.hpp"

namespace synap_internal {
namespace {

TEST(TerminalStreamsTest, CommandsForTheTerminalAreShownAndNotRun) {
  std::ostringstream shown;
  TerminalBuffer buffer(shown);
  std::ostream out(&buffer);
  out << "input '\x1b]0;title\x07' " << 'g' << "r\xc3"
      << "\xbcn\n\ttable\n";
  EXPECT_EQ(shown.str(), "input '\\u001b]0;title\\u0007' gr\xc3\xbcn\n\ttable\n");
}

TEST(TerminalStreamsTest, AFlushShowsALineThatIsntComplete) {
  std::ostringstream shown;
  TerminalBuffer buffer(shown);
  std::ostream out(&buffer);
  out << "a\nquestion? ";
  EXPECT_EQ(shown.str(), "a\n");
  out.flush();
  EXPECT_EQ(shown.str(), "a\nquestion? ");
  EXPECT_TRUE(out.good());
}

TEST(TerminalStreamsTest, JsonStaysValid) {
  std::ostringstream shown;
  TerminalBuffer buffer(shown);
  std::ostream out(&buffer);
  const nlohmann::json json = {{"label", "\x1b[31m \xc2\x9b \x7f caf\xc3\xa9"}};
  out << json.dump(2) << "\n";
  EXPECT_EQ(shown.str().find('\x7f'), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(shown.str()), json);
}

TEST(TerminalStreamsTest, AFailureToWriteIsSeen) {
  std::ostringstream shown;
  shown.setstate(std::ios::badbit);
  TerminalBuffer buffer(shown);
  std::ostream out(&buffer);
  out << "lost\n";
  out.flush();
  EXPECT_FALSE(out.good());
}

}  // namespace
}  // namespace synap_internal
