#include "compiler/convert/programs/model_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_split.h"
#include "base/command_line.h"
#include "base/file.h"
#include "compiler/convert/programs/usage.h"

namespace synap_internal {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class ModelOptionsTest : public testing::Test {
 protected:
  // The error, "" if there is none.
  std::string Parse(const std::string& arguments) {
    const auto parsed = ParseArguments(command_, absl::StrSplit(arguments, ' ', absl::SkipEmpty()));
    return std::string(parsed.status().message());
  }

  std::string Help() const { return *HelpText(command_, ""); }

  CommandLine command_{"test"};
  ModelOptions options_;
};

TEST_F(ModelOptionsTest, ReadsTheOptionsThatTheCommandTakes) {
  AddModelOptions(command_, options_,
                  {.model = Takes::kRequired,
                   .meta = Takes::kOptional,
                   .target = Takes::kRequired,
                   .target_names = TargetNames});
  EXPECT_EQ(Parse("--model m.prototxt --weights m.caffemodel --meta m.yaml --target dolphin"), "");
  EXPECT_EQ(options_.files.model, "m.prototxt");
  EXPECT_EQ(options_.files.weights, "m.caffemodel");
  EXPECT_EQ(options_.meta, "m.yaml");
  ASSERT_TRUE(options_.FindTarget().ok());
  EXPECT_EQ((*options_.FindTarget())->name, "VS680");
}

TEST_F(ModelOptionsTest, ReadsAPositionalOptionWithAndWithoutItsName) {
  AddModelOptions(command_, options_, {.model = Takes::kPositional});
  EXPECT_THAT(Parse(""), HasSubstr("is required"));
  EXPECT_EQ(Parse("a.onnx"), "");
  EXPECT_EQ(options_.files.model, "a.onnx");
  EXPECT_EQ(Parse("--model b.onnx"), "");
  EXPECT_EQ(options_.files.model, "b.onnx");
}

TEST_F(ModelOptionsTest, DemandsRequiredOptions) {
  AddModelOptions(command_, options_, {.meta = Takes::kRequired});
  EXPECT_THAT(Parse(""), HasSubstr("is required"));
}

TEST_F(ModelOptionsTest, RefusesOptionsThatTheCommandNeverTakes) {
  AddModelOptions(command_, options_, {.target = Takes::kOptional, .target_names = TargetNames});
  for (const char* other : {"--model m", "--weights m", "--meta m"}) {
    EXPECT_THAT(Parse(other), HasSubstr("has no option")) << other;
  }
}

TEST_F(ModelOptionsTest, NamesTheTargetsInTheHelp) {
  AddModelOptions(command_, options_, {.target = Takes::kRequired, .target_names = TargetNames});
  EXPECT_THAT(Help(), HasSubstr(TargetNames()));
  EXPECT_THAT(Help(), Not(HasSubstr("estimates")));
}

TEST_F(ModelOptionsTest, TakesTheFileOfATarget) {
  AddModelOptions(command_, options_, {.target = Takes::kRequired, .target_names = TargetNames});
  const std::string path = testing::TempDir() + "/zz900.yaml";
  ASSERT_TRUE(WriteFileAtomically(path, "inherits: vs640\n").ok());
  EXPECT_EQ(Parse("--target " + path), "");
  const auto target = options_.FindTarget();
  ASSERT_TRUE(target.ok()) << target.status();
  EXPECT_EQ((*target)->name, "ZZ900");
}

TEST_F(ModelOptionsTest, ShowsADefaultTarget) {
  options_.target = "VS640";
  AddModelOptions(command_, options_, {.target = Takes::kOptional, .target_names = TargetNames});
  EXPECT_THAT(Help(), HasSubstr("=VS640"));
  EXPECT_EQ(Parse(""), "");
  EXPECT_EQ((*options_.FindTarget())->name, "VS640");
}

TEST_F(ModelOptionsTest, NoTargetIsNull) {
  EXPECT_EQ(*options_.FindTarget(), nullptr);
  options_.target = "VS999";
  EXPECT_FALSE(options_.FindTarget().ok());
}

}  // namespace
}  // namespace synap_internal
