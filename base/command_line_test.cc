#include "base/command_line.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace synap_internal {
namespace {

// The exit code after these arguments; nullopt if the program goes on.
std::optional<int> ExitCode(CommandLine app, std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "program");
  return app.Parse(static_cast<int>(arguments.size()), arguments.data());
}

TEST(CommandLineTest, SetsTheVariablesOfTheCommandThatIsNamed) {
  CommandLine app("test");
  CommandLine run = app.AddCommand("run"), other = app.AddCommand("other");
  std::string file, run_by;
  std::optional<double> limit;
  std::vector<int64_t> size;
  std::vector<std::string> inputs;
  bool quiet = false;
  run.AddOption("file", file).Required();
  run.AddOption("--limit", limit);
  run.AddOption("--size", size).Expects(2);
  run.AddOption("--input", inputs).ExpectsOneEachTime().SeparatedBy(',');
  run.AddFlag("-q,--quiet", quiet);
  run.OnChosen([&] { run_by = "run"; });
  other.OnChosen([&] { run_by = "other"; });
  EXPECT_EQ(
      ExitCode(app, {"run", "--size", "3", "4", "-q", "--input", "a,b", "f", "--limit", "2.5"}),
      std::nullopt);
  EXPECT_EQ(file, "f");
  EXPECT_EQ(limit, 2.5);
  EXPECT_EQ(size, (std::vector<int64_t>{3, 4}));
  EXPECT_EQ(inputs, (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(quiet);
  EXPECT_EQ(run_by, "run");
}

TEST(CommandLineTest, RefusesWhatAnOptionDoesNotAccept) {
  CommandLine app("test");
  int count = 0;
  double share = 0;
  std::string color, shade;
  app.AddOption("--count", count).InRange(1, 9);
  app.AddOption("--share", share).NotNegative();
  const Option named = app.AddOption("--color", color).OneOf({"red", "blue"});
  app.AddOption("--shade", shade).Needs(named);
  using Arguments = std::vector<const char*>;
  for (const Arguments& good :
       {Arguments{"--count", "1"}, Arguments{"--count", "9"}, Arguments{"--share", "0"},
        Arguments{"--color", "blue"}, Arguments{"--shade", "s", "--color", "red"}}) {
    EXPECT_EQ(ExitCode(app, good), std::nullopt) << good[0];
  }
  for (const Arguments& bad :
       {Arguments{"--count", "0"}, Arguments{"--count", "10"}, Arguments{"--share", "-1"},
        Arguments{"--color", "green"}, Arguments{"--shade", "s"}, Arguments{"--no-such"}}) {
    EXPECT_GT(ExitCode(app, bad).value_or(0), 0) << bad[0];
  }
}

TEST(CommandLineTest, HelpAndTheVersionEndTheProgramWithoutAnError) {
  CommandLine app("test");
  app.RequireCommand();
  app.AddCommand("run");
  app.AddVersionOptions("-v,--version", "1.0", "Show version");
  EXPECT_EQ(ExitCode(app, {"--help"}), 0);
  EXPECT_EQ(ExitCode(app, {"-v"}), 0);
  EXPECT_NE(ExitCode(app, {}), 0);
}

}  // namespace
}  // namespace synap_internal
