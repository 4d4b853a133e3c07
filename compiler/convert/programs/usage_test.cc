#include "compiler/convert/programs/usage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_join.h"

namespace synap_internal {
namespace {

using ::testing::HasSubstr;

// The error for these arguments, of a program with the command `convert`.
std::string Error(std::vector<std::string> arguments, bool needs_out_dir = false) {
  CommandLine app("test");
  app.SetName("synap");
  app.RequireCommand();
  std::string model, meta;
  std::string out_dir, out_format;
  bool silent = false;
  CommandLine convert = app.AddCommand("convert", "");
  convert.AddOption("--model", model).Required();
  convert.AddOption("--out-format", out_format);
  if (needs_out_dir) convert.AddOption("--out-dir", out_dir).Required();
  convert.AddOption("--meta", meta);
  convert.AddFlag("--silent", silent);
  return std::string(ParseArguments(app, std::move(arguments)).status().message());
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

TEST(UsageTest, TheRequiredOptionOfTheSameWordIsMeant) {
  for (const char* option : {"--output", "--outdir", "--output-dir"}) {
    EXPECT_EQ(Error({"convert", "--model", "m.onnx", option, "out"}, /*needs_out_dir=*/true),
              std::string("convert has no option '") + option + "' (did you mean '--out-dir'?)");
  }
}

// The arguments, completed, of a program with the command `convert`; its error if there is one.
std::string Complete(const std::vector<std::string>& arguments) {
  CommandLine app("test");
  app.SetName("synap");
  bool flag = false;
  app.AddFlag("-v,--version", flag);
  std::string value;
  CommandLine convert = app.AddCommand("convert", "");
  convert.AddOption("--out", value);
  convert.AddOption("--out-dir", value);
  convert.AddFlag("--preserve", flag);
  convert.AddFlag("--profiling", flag);
  const absl::StatusOr<std::vector<std::string>> completed = CompleteOptions(app, arguments);
  return completed.ok() ? absl::StrJoin(*completed, " ")
                        : std::string(completed.status().message());
}

TEST(UsageTest, OptionsCanBeAbbreviated) {
  EXPECT_EQ(Complete({"convert", "--prof", "--pre", "--out-d", "o"}),
            "convert --profiling --preserve --out-dir o");
  EXPECT_EQ(Complete({"convert", "--out-=o", "--he"}), "convert --out-dir=o --help");
  EXPECT_EQ(Complete({"--vers"}), "--version");
}

TEST(UsageTest, AnOptionInFullIsNoAbbreviation) {
  EXPECT_EQ(Complete({"convert", "--out", "o"}), "convert --out o");
}

TEST(UsageTest, TheBeginningOfSeveralOptionsIsAnError) {
  EXPECT_EQ(Complete({"convert", "--pr"}),
            "convert: option '--pr' is the beginning of several, expected one of --preserve, "
            "--profiling; write more of it");
}

TEST(UsageTest, WhatIsNoOptionOfTheCommandStays) {
  EXPECT_EQ(Complete({"convert", "--prox", "-v", "--vers", "--", "--prof"}),
            "convert --prox -v --vers -- --prof");
  EXPECT_EQ(Complete({"--prof", "covert", "--prof"}), "--prof covert --prof");
}

TEST(UsageTest, AMissingOptionIsNamed) { EXPECT_THAT(Error({"convert"}), HasSubstr("--model")); }

TEST(UsageTest, AForgottenValueIsNotTheNextOption) {
  EXPECT_EQ(Error({"convert", "--meta", "--model", "m.onnx"}),
            "--meta: expected a value, found --model");
}

TEST(UsageTest, HelpIsThatOfTheProgramWhileACommandIsParsed) {
  CommandLine app("test");
  app.SetName("synap");
  std::string model;
  app.AddCommand("convert", "Convert a model").AddOption("--model", model, "The network");
  absl::StatusOr<std::string> text;
  app.AddCommand("help", "Show help").OnChosen([&] { text = HelpText(app, ""); });
  EXPECT_EQ(ParseArguments(app, {"help"}).value(), "");
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
