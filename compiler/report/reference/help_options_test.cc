#include "compiler/report/reference/help_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(ParseHelpTest, ReadsTheHelpOfSynap) {
  const auto commands = ParseHelp(
      "=== synap\n"
      "SyNAP Toolkit\n\nOptions:\n  -v,--version                Show version\n\n"
      "Subcommands:\n  convert                     Convert\n\n"
      "=== synap convert\n"
      "Convert and compile model\nUsage: synap convert [OPTIONS] model\n\n"
      "Positionals:\n  model TEXT REQUIRED         Network model\n"
      "  other TEXT REQUIRED         Another\n\n"
      "Options:\n"
      "  -h,--help                   Print this help message and exit\n"
      "  -m,--model TEXT REQUIRED    Network model\n"
      "  --format TEXT:{a,b}=[a] ... A format [in brackets]\n"
      "  --threads INT:INT in [0 - 1024]=2\n"
      "                              0: one for each processor\n"
      "  --top INT:INT in [0 - 2147483647]=20\n"
      "                              Show so many\n"
      "  --tolerance FLOAT:NONNEGATIVE=0 Needs: --against\n"
      "                              Largest difference\n"
      "  --silent                    Print nothing\n\nRun 'synap COMMAND --help'.\n");
  ASSERT_TRUE(commands.ok()) << commands.status();
  EXPECT_THAT(commands->at("synap"), SizeIs(1));
  const std::vector<HelpOption>& options = commands->at("synap convert");
  ASSERT_THAT(options, SizeIs(7));
  EXPECT_THAT(options[0].names, ElementsAre("other"));
  EXPECT_THAT(options[1].names, ElementsAre("-m", "--model"));
  EXPECT_TRUE(options[1].takes_value && options[1].is_required);
  EXPECT_EQ(options[1].fallback, "");
  EXPECT_THAT(options[2].words, ElementsAre("a", "b"));
  EXPECT_EQ(options[2].fallback, "a");
  EXPECT_EQ(options[3].range, "0 to 1024");
  EXPECT_EQ(options[3].fallback, "2");
  EXPECT_EQ(options[3].meaning, "0: one for each processor");
  EXPECT_EQ(options[4].range, "");
  EXPECT_EQ(options[5].fallback, "0");
  EXPECT_FALSE(options[6].takes_value);
  EXPECT_EQ(options[6].meaning, "Print nothing");
}

TEST(ParseHelpTest, ReadsTheHelpOfRuntimePrograms) {
  const auto commands = ParseHelp(
      "=== synap_cli\nRuns a network.\nUsage: synap_cli [options] file...\n"
      "  -m <file>                        Model (.synap, or .nb)\n"
      "  --secure <auto|none>             Buffers [auto]\n"
      "  --lock                           Lock [the NPU]\n"
      "  --help                           Show this help\n");
  ASSERT_TRUE(commands.ok()) << commands.status();
  const std::vector<HelpOption>& options = commands->at("synap_cli");
  ASSERT_THAT(options, SizeIs(3));
  EXPECT_TRUE(options[0].takes_value);
  EXPECT_THAT(options[0].words, IsEmpty());
  EXPECT_THAT(options[1].words, ElementsAre("auto", "none"));
  EXPECT_EQ(options[1].fallback, "auto");
  EXPECT_EQ(options[1].meaning, "Buffers");
  EXPECT_EQ(options[2].meaning, "Lock [the NPU]");
}

TEST(ParseHelpTest, OtherTextIsRefused) {
  EXPECT_THAT(ParseHelp("  --model TEXT").status().message(), HasSubstr("belongs to no command"));
  EXPECT_THAT(ParseHelp("=== a\n                     alone").status().message(),
              HasSubstr("has no option before"));
}

}  // namespace
}  // namespace synap_internal
