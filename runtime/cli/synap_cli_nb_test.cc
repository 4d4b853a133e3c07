#include "runtime/cli/synap_cli_nb.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <sstream>

#include "base/file.h"
#include "base/tensor_type.h"
#include "runtime/bundle/model_metadata.h"
#include "runtime/testing/test_models.h"

namespace synap_internal {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

// Runs in the test's own folder, which has model.nb and model.json: a model of 4 floats.
class SynapCliNbTest : public testing::Test {
 protected:
  SynapCliNbTest() {
    ModelMetadata metadata;
    metadata.inputs = {MakeMetadata("x", {DataType::kFloat32, {4}, {}})};
    metadata.outputs = {MakeMetadata("y", {DataType::kFloat32, {1, 4}, {}})};
    const std::string path = WriteTestFile(
        "model.nb", MakeProgram("reshape", {{"shape", metadata.outputs[0].shape.dims()}},
                                {{DataType::kFloat32, {4}, {}}}, {DataType::kFloat32, {1, 4}, {}}));
    WriteTestFile("model.json", *PrintModelMetadata(metadata));
    EXPECT_EQ(chdir(Dirname(path).c_str()), 0);
  }

  int Run(const std::vector<std::string>& args) {
    out_.str("");
    err_.str("");
    return SynapCliNb(args, out_, err_);
  }

  std::ostringstream out_;
  std::ostringstream err_;
};

TEST_F(SynapCliNbTest, RunsTheModel) {
  ASSERT_EQ(Run({"random"}), 0) << err_.str();
  EXPECT_THAT(out_.str(), MatchesRegex("Loading network: model.nb\n"
                                       "Input buffer: x size: 16 : random\n"
                                       "Predict #0: [0-9]+\\.[0-9][0-9] ms\n"));
}

TEST_F(SynapCliNbTest, ShowsClassesAndLayers) {
  const float values[4] = {0, 3, 1, 2};
  WriteTestFile("in.dat", {reinterpret_cast<const char*>(values), sizeof(values)});
  WriteTestFile("names.json", R"({"labels": ["cat", "dog"]})");
  ASSERT_EQ(Run({"--nb", "model.nb", "--meta", "model.json", "--labels", "names.json", "--profile",
                 "in.dat"}),
            0)
      << err_.str();
  EXPECT_THAT(out_.str(), HasSubstr("Class  Confidence  Description\n"
                                    "    1      3.0000  dog\n"
                                    "    3      2.0000\n"
                                    "    2      1.0000\n"
                                    "    0      0.0000  cat\n"
                                    "pid: "));
  EXPECT_THAT(out_.str(), HasSubstr("| reshape"));
}

TEST_F(SynapCliNbTest, DescribesTheProgram) {
  ASSERT_EQ(Run({"--info"}), 0) << err_.str();
  EXPECT_EQ(out_.str(),
            "name: test\ntarget: \ninputs:\n  - x0: float32 4\noutputs:\n  - y: float32 1x4\n"
            "layers: 1\nconstants: 0 bytes\narena: 0 bytes\n");
  const std::string summary = out_.str();
  ASSERT_EQ(Run({"--ext-info"}), 0) << err_.str();
  EXPECT_EQ(out_.str(), summary +
                            "| lyr | op                   | output                       | name\n"
                            "|   0 | reshape              | float32 1x4                  | \n");
}

TEST_F(SynapCliNbTest, FailsWithOneClearMessage) {
  EXPECT_EQ(Run({"--nb", "none.nb", "zero"}), 1);
  EXPECT_EQ(err_.str(), "Failed to load model\n");
  EXPECT_EQ(Run({"--nb", "none.nb", "--info"}), 1);
  EXPECT_EQ(err_.str(), "none.nb: can't be read: No such file or directory\n");
  EXPECT_EQ(Run({}), 1);
  EXPECT_THAT(err_.str(), HasSubstr("Fewer data arguments than network inputs"));
  EXPECT_EQ(Run({"--labels", "model.nb", "zero"}), 1);
  EXPECT_THAT(err_.str(), HasSubstr("model.nb: there are no labels"));
  EXPECT_EQ(Run({"--to-ebg", "x.ebg"}), 1);
  EXPECT_THAT(err_.str(), HasSubstr("EBG isn't public"));
  WriteTestFile("damaged.nb", "damaged");
  EXPECT_EQ(Run({"--nb", "damaged.nb", "--info"}), 1);
  EXPECT_THAT(err_.str(), HasSubstr("damaged.nb: "));
  EXPECT_EQ(Run({"--nb"}), 1);
  EXPECT_EQ(err_.str(), "Option --nb needs a value <file>\n");
  EXPECT_EQ(Run({"--help"}), 0);
}

}  // namespace
}  // namespace synap_internal
