#include "runtime/cli/synap_cli_info.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <sstream>

#include "base/tensor_type.h"
#include "runtime/bundle/stored_zip.h"
#include "runtime/testing/test_models.h"

namespace synap_internal {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

std::string WriteModel() {
  const TensorMetadata x = MakeMetadata("x", {DataType::kFloat32, {4}, {}});
  TensorMetadata y = MakeMetadata("y", {DataType::kFloat32, {2, 2}, {}});
  return WriteTestFile("model.synap", MakeReshapeModel(x, y));
}

class SynapCliInfoTest : public testing::Test {
 protected:
  int Run(const std::vector<std::string>& args) {
    out_.str("");
    err_.str("");
    return SynapCliInfo(args, out_, err_);
  }

  std::ostringstream out_;
  std::ostringstream err_;
};

TEST_F(SynapCliInfoTest, ListsTheEntries) {
  ASSERT_EQ(Run({"-m", WriteModel()}), 0) << err_.str();
  EXPECT_THAT(out_.str(), MatchesRegex("id 0 bundle.json size [0-9]+\n"
                                       "id 1 0/model.nb size [0-9]+\n"
                                       "id 2 0/model.json size [0-9]+\n"));
}

TEST_F(SynapCliInfoTest, DescribesAnEntry) {
  const std::string model = WriteModel();
  ASSERT_EQ(Run({"-m", model, "--id", "0"}), 0) << err_.str();
  EXPECT_THAT(out_.str(), HasSubstr("\"model\": \"0/model.nb\""));
  ASSERT_EQ(Run({"-m", model, "--id", "1"}), 0) << err_.str();
  EXPECT_EQ(out_.str(),
            "name: test\ntarget: \ninputs:\n  - x0: float32 4\noutputs:\n  - y: float32 2x2\n"
            "layers: 1\nconstants: 0 bytes\narena: 0 bytes\n");
}

TEST_F(SynapCliInfoTest, FailsWithOneClearMessage) {
  const std::string model = WriteModel();
  EXPECT_EQ(Run({"-m", model, "--id", "3"}), 1);
  EXPECT_EQ(err_.str(), model + ": there is no id 3, expected 0 to 2\n");
  EXPECT_EQ(Run({"-m", "none.synap"}), 1);
  EXPECT_EQ(err_.str(), "none.synap: can't be read: No such file or directory\n");
  EXPECT_EQ(Run({model}), 1);
  EXPECT_EQ(err_.str(), "synap_cli_info takes no '" + model + "'; name the model with -m\n");
  const std::string text = WriteTestFile("text.synap", "no ZIP");
  EXPECT_EQ(Run({"-m", text}), 1);
  EXPECT_THAT(err_.str(), HasSubstr(text + ": not a valid ZIP file"));
  EXPECT_EQ(Run({"--id", "x"}), 1);
  EXPECT_EQ(err_.str(), "Option --id has the value 'x', expected an integer that is at least -1\n");
  EXPECT_EQ(Run({"--help"}), 0);
}

TEST_F(SynapCliInfoTest, NamesTheEntryThatItCannotDescribe) {
  const auto bytes = [](const char* text) {
    return absl::Span<const uint8_t>(reinterpret_cast<const uint8_t*>(text), std::strlen(text));
  };
  const std::vector<ZipEntry> entries = {{"0/model.nb", bytes("EBGX....")},
                                         {"1/model.nb", bytes("damaged")},
                                         {"bundle.json", bytes("{")},
                                         {"2/model.tflite", bytes("x")}};
  const std::string model = WriteTestFile("other.synap", *WriteStoredZip(entries));
  for (const char* id : {"0", "1", "2", "3"}) {
    EXPECT_EQ(Run({"-m", model, "--id", id}), 1);
    EXPECT_THAT(err_.str(), HasSubstr(model + ": " + entries[static_cast<size_t>(*id - '0')].name));
  }
  EXPECT_EQ(Run({"-m", model, "--id", "0"}), 1);
  EXPECT_THAT(err_.str(), HasSubstr("a binary for the NPU itself (EBGX)"));
}

}  // namespace
}  // namespace synap_internal
