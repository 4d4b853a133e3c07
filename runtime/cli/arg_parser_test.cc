#include "runtime/cli/arg_parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace synap_internal {
namespace {

using ::testing::ElementsAre;

class ArgParserTest : public testing::Test {
 protected:
  ArgParserTest() {
    parser_.Flag("--fast", "Hurry", &fast_);
    parser_.Int("-r", "Repeat", 1, &repeat_);
    parser_.Float("--limit", "Limit", &limit_);
    parser_.Choice("--mode", {"auto", "none"}, "Mode", &mode_);
    parser_.Custom("--even", "n", "Even", [this](const std::string& text) {
      even_ = text;
      return text == "2" ? "" : "an even number";
    });
  }

  ArgParser::Outcome Parse(const std::vector<std::string>& args) {
    return parser_.Parse(args, err_);
  }

  bool fast_ = false;
  int repeat_ = 1;
  float limit_ = 0.5f;
  std::string mode_ = "auto";
  std::string even_;
  ArgParser parser_{"tool", "Does things.", "file..."};
  std::ostringstream err_;
};

TEST_F(ArgParserTest, SeparatesOptionsFromData) {
  EXPECT_EQ(
      Parse({"a", "--fast", "-r", "3", "b", "--limit", "-1.5", "--mode", "none", "--even", "2"}),
      ArgParser::Outcome::kRun);
  EXPECT_TRUE(fast_);
  EXPECT_EQ(repeat_, 3);
  EXPECT_EQ(limit_, -1.5f);
  EXPECT_EQ(mode_, "none");
  EXPECT_EQ(even_, "2");
  EXPECT_THAT(parser_.data(), ElementsAre("a", "b"));
  EXPECT_EQ(err_.str(), "");
}

TEST_F(ArgParserTest, ListsAllIllegalOptions) {
  EXPECT_EQ(Parse({"--slow", "x", "--out"}), ArgParser::Outcome::kFailed);
  EXPECT_EQ(err_.str(), "Illegal option(s): --slow --out\n");
}

TEST_F(ArgParserTest, SaysWhatAValueShouldBe) {
  EXPECT_EQ(Parse({"-r", "0"}), ArgParser::Outcome::kFailed);
  EXPECT_EQ(Parse({"--limit", "x"}), ArgParser::Outcome::kFailed);
  EXPECT_EQ(Parse({"--mode", "in"}), ArgParser::Outcome::kFailed);
  EXPECT_EQ(Parse({"--even", "3"}), ArgParser::Outcome::kFailed);
  EXPECT_EQ(Parse({"-r"}), ArgParser::Outcome::kFailed);
  EXPECT_EQ(err_.str(),
            "Option -r has the value '0', expected an integer that is at least 1\n"
            "Option --limit has the value 'x', expected a number\n"
            "Option --mode has the value 'in', expected one of auto, none\n"
            "Option --even has the value '3', expected an even number\n"
            "Option -r needs a value <N>\n");
}

TEST_F(ArgParserTest, AForgottenValueIsAnError) {
  EXPECT_EQ(Parse({"--mode", "--fast"}), ArgParser::Outcome::kFailed);
  EXPECT_EQ(Parse({"--even", ""}), ArgParser::Outcome::kFailed);
  EXPECT_EQ(err_.str(),
            "Option --mode needs a value <auto|none>\nOption --even needs a value <n>\n");
  EXPECT_EQ(even_, "");
}

TEST_F(ArgParserTest, HelpShowsDefaults) {
  EXPECT_EQ(Parse({"--bad", "--help"}), ArgParser::Outcome::kHelp);
  EXPECT_EQ(err_.str(),
            "Does things.\n"
            "Usage: tool [options] file...\n"
            "  --fast              Hurry\n"
            "  -r <N>              Repeat [1]\n"
            "  --limit <X>         Limit [0.5]\n"
            "  --mode <auto|none>  Mode [auto]\n"
            "  --even <n>          Even\n"
            "  --help              Show this help\n");
}

}  // namespace
}  // namespace synap_internal
