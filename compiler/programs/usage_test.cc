#include "compiler/programs/usage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"

namespace synap_internal {
namespace {

using ::testing::HasSubstr;

// The error for these arguments, of a program with the command `convert`.
std::string Error(std::vector<std::string> arguments) {
  CLI::App app("test");
  app.name("synap");
  app.require_subcommand(1);
  std::string model, meta;
  bool silent = false;
  CLI::App* convert = app.add_subcommand("convert", "");
  convert->add_option("--model", model)->required();
  convert->add_option("--meta", meta);
  convert->add_flag("--silent", silent);
  RefuseForgottenValues(app);
  std::reverse(arguments.begin(), arguments.end());  // the order that CLI11 takes a vector in
  try {
    app.parse(arguments);
  } catch (const CLI::ParseError& error) {
    return UsageError(app, error);
  }
  return "";
}

TEST(UsageTest, GoodArgumentsAreTaken) {
  EXPECT_EQ(Error({"convert", "--model", "m.onnx", "--meta=m.yaml", "--silent"}), "");
}

TEST(UsageTest, AnUnknownCommandIsNamedWithItsNeighbour) {
  EXPECT_EQ(Error({"covert"}), "synap has no command 'covert' (did you mean 'convert'?)");
  EXPECT_EQ(Error({"paint"}), "synap has no command 'paint'");
}

TEST(UsageTest, AMisspeltOptionIsNamedAndNotTheOneThatIsMissing) {
  EXPECT_EQ(Error({"convert", "--modle", "m.onnx"}),
            "convert has no option '--modle' (did you mean '--model'?)");
  EXPECT_EQ(Error({"convert", "--modle=m.onnx"}),
            "convert has no option '--modle' (did you mean '--model'?)");
  EXPECT_EQ(Error({"--silent", "convert", "--model", "m.onnx"}),
            "synap has no option '--silent'; write the options of a command after it");
  EXPECT_EQ(Error({"convert", "--model", "m.onnx", "more"}), "convert doesn't expect 'more'");
}

TEST(UsageTest, AMissingOptionIsNamed) { EXPECT_THAT(Error({"convert"}), HasSubstr("--model")); }

TEST(UsageTest, AForgottenValueIsNotTheNextOption) {
  EXPECT_EQ(Error({"convert", "--meta", "--model", "m.onnx"}),
            "--meta: expected a value, found --model");
}

TEST(UsageTest, HelpIsThatOfTheProgramWhileACommandIsParsed) {
  CLI::App app("test");
  app.name("synap");
  std::string model;
  app.add_subcommand("convert", "Convert a model")->add_option("--model", model, "The network");
  absl::StatusOr<std::string> text;
  app.add_subcommand("help", "Show help")->callback([&] { text = HelpText(app, ""); });
  app.parse("help");
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_THAT(*text, HasSubstr("Usage: synap "));
  EXPECT_THAT(*text, HasSubstr("Convert a model"));
  text = HelpText(app, "convert");
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_THAT(*text, HasSubstr("Usage: synap convert"));
  EXPECT_THAT(*text, HasSubstr("The network"));
  EXPECT_EQ(HelpText(app, "covert").status().message(),
            "synap has no command 'covert' (did you mean 'convert'?)");
}

TEST(UsageTest, AnEmptyValueIsNoValue) {
  EXPECT_EQ(Error({"convert", "--model", "m.onnx", "--meta", ""}),
            "--meta: expected a value, found an empty one");
  EXPECT_THAT(Error({"convert", "--model", "m.onnx", "--meta="}), HasSubstr("--meta: "));
}

}  // namespace
}  // namespace synap_internal
