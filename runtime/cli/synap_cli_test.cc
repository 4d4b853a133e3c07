#include "runtime/cli/synap_cli.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/file.h"
#include "runtime/testing/address_space_limit.h"
#include "runtime/testing/test_models.h"
#include "synap/npu.hpp"

namespace synap_internal {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

// Runs in the test's own folder, with a model of 4 floats.
class SynapCliTest : public testing::Test {
 protected:
  SynapCliTest() {
    const TensorType type{DataType::kFloat32, {4}, {}};
    TensorMetadata y = MakeMetadata("y", type);
    y.shape = {1, 4};
    // Without the models of other tests.
    for (const auto& file : std::filesystem::directory_iterator(testing::TempDir())) {
      const std::filesystem::path extension = file.path().extension();
      if (extension == ".synap" || extension == ".nb") std::filesystem::remove(file);
    }
    const std::string path =
        WriteTestFile("model.synap", MakeReshapeModel(MakeMetadata("x", type), y));
    EXPECT_EQ(chdir(Dirname(path).c_str()), 0);
    setenv("XDG_RUNTIME_DIR", Dirname(path).c_str(), 1);  // a lock of its own
  }

  int Run(const std::vector<std::string>& args) {
    out_.str("");
    err_.str("");
    return SynapCli(args, out_, err_);
  }

  std::ostringstream out_;
  std::ostringstream err_;
};

TEST_F(SynapCliTest, ReportsInItsKnownLayout) {
  ASSERT_EQ(Run({"-r", "2", "zero"}), 0) << err_.str();
  EXPECT_THAT(out_.str(), MatchesRegex("Loading network: model.synap\n"
                                       "Flush/invalidate: yes\n"
                                       "Loop period .ms.: 0\n"
                                       "Network inputs: 1\n"
                                       "Network outputs: 1\n"
                                       "Input buffer: x size: 16 : zero\n"
                                       "Output buffer: y size: 16\n"
                                       " \n"
                                       "Predict #0: [0-9]+\\.[0-9][0-9] ms\n"
                                       "Predict #1: [0-9]+\\.[0-9][0-9] ms\n"
                                       " \n"
                                       "Inference timings .ms.:  load: [0-9.]+  init: [0-9.]+  "
                                       "min: [0-9.]+  median: [0-9.]+  max: [0-9.]+  "
                                       "stddev: [0-9.]+  mean: [0-9.]+\n"));
}

TEST_F(SynapCliTest, DumpsOutputs) {
  const float values[4] = {1, 2.5f, -3, 4};
  WriteTestFile("in.dat", {reinterpret_cast<const char*>(values), sizeof(values)});
  ASSERT_EQ(Run({"--dump-raw", "--dump-out", "in.dat"}), 0) << err_.str();
  EXPECT_THAT(out_.str(), HasSubstr("Writing raw out: y to file: output_raw_0.dat\n"
                                    "Writing denormalized out: y to file: output_float_0.dat\n"));
  const auto dumped = ReadFile("output_float_0.dat");
  ASSERT_EQ(dumped->size(), sizeof(values));
  EXPECT_EQ(std::memcmp(dumped->data(), values, sizeof(values)), 0);
}

TEST_F(SynapCliTest, SaysThatThereIsNoMemoryToDumpOutputs) {
  if (kEndsWithoutMemory) GTEST_SKIP() << "sanitizers end the process without memory";
  constexpr int64_t kItems = int64_t{32} << 20;
  WriteTestFile("large.synap",
                MakeReshapeModel(MakeMetadata("x", {DataType::kUint8, {kItems}, {}}),
                                 MakeMetadata("y", {DataType::kUint8, {1, kItems}, {}})));
  // The values of x, y and of the argument fit, but not four times as much beside x and y.
  const AddressSpaceLimit limit(4 * kItems);
  EXPECT_EQ(Run({"-m", "large.synap", "--threads", "1", "--dump-out", "zero"}), 1);
  EXPECT_EQ(err_.str(), "No memory for the float values of output 'y'\n");
}

TEST_F(SynapCliTest, WritesTheTimesOfTheLayers) {
  ASSERT_EQ(Run({"-r", "3", "--profiling", "profile.txt", "zero"}), 0) << err_.str();
  EXPECT_THAT(*ReadFile("profile.txt"),
              MatchesRegex("pid: [0-9]+, nid: [0-9]+, inference_count: 3, inference_time: [0-9]+, "
                           "inference_last: [0-9]+, iobuf_count: 2, iobuf_size: 32, layers: 1\n"
                           "\\| lyr \\|    cycle \\| time_us \\|  byte_rd \\|  byte_wr \\| "
                           "ot \\| name\n"
                           "\\|   0 \\|        0 \\| +[0-9]+ \\|       16 \\|       16 "
                           "\\| -- \\| reshape.*\n"));
}

TEST_F(SynapCliTest, RefusesModelsForAnotherTarget) {
  WriteTestFile("vs680.synap", MakeModelForTarget("VS680"));
  EXPECT_EQ(Run({"-m", "vs680.synap", "--target", "vs640", "zero"}), 1);
  EXPECT_EQ(Run({"-m", "vs680.synap", "--target", "vs680", "zero"}), 0) << err_.str();
  EXPECT_EQ(Run({"-m", "vs680.synap", "zero"}), 0) << err_.str();
}

TEST_F(SynapCliTest, ShowsTheBestClasses) {
  ASSERT_EQ(Run({"--top5", "--threads", "1", "value:7"}), 0) << err_.str();
  EXPECT_THAT(out_.str(), HasSubstr(" ms    Top5:   0: 7.00,   1: 7.00,   2: 7.00,   3: 7.00\n"));
}

TEST_F(SynapCliTest, LoadsAnewForEachRound) {
  ASSERT_EQ(Run({"--rr", "2", "--lock", "--cma", "--noflush", "random"}), 0) << err_.str();
  const std::string text = out_.str();
  EXPECT_EQ(text.rfind("NPU locked\nLoading network: ", 0), 0);
  EXPECT_NE(text.find("Inference timings"), text.rfind("Inference timings"));
}

TEST_F(SynapCliTest, FailsWhereTheNpuIsLocked) {
  synaptics::synap::Npu npu;
  ASSERT_TRUE(npu.lock());
  EXPECT_EQ(Run({"--lock", "zero"}), 1);
  EXPECT_EQ(err_.str(), "Unable to lock the NPU\n");
  EXPECT_EQ(Run({"zero"}), 0) << err_.str();  // in the process with the lock
}

TEST_F(SynapCliTest, FailsWithOneClearMessage) {
  EXPECT_EQ(Run({"-m", "none.synap", "zero"}), 1);
  EXPECT_EQ(err_.str(),
            "Failed to load model: none.synap: can't be read: No such file or directory\n");
  WriteTestFile("bad.synap", "no model");
  EXPECT_EQ(Run({"-m", "bad.synap", "zero"}), 1);
  EXPECT_EQ(err_.str(), "Failed to load model: bad.synap\n");
  EXPECT_EQ(Run({}), 1);
  EXPECT_THAT(err_.str(), HasSubstr("Fewer data arguments than network inputs"));
  EXPECT_EQ(Run({"zero", "zero"}), 1);
  EXPECT_EQ(Run({"value:3x"}), 1);
  EXPECT_EQ(err_.str(), "A value:<n> must have an integer of 32 bits\n");
  EXPECT_EQ(Run({"--bogus"}), 1);
  EXPECT_EQ(err_.str(), "Illegal option(s): --bogus\n");
  EXPECT_EQ(Run({"-m", "model.synap", "--meta", "model.json", "zero"}), 1);
  EXPECT_EQ(err_.str(), "model.synap: a .synap file goes without --meta\n");
  EXPECT_EQ(Run({"missing.dat"}), 1);
  EXPECT_EQ(Run({"--profiling", "no/such/folder/p.txt", "zero"}), 1);
  EXPECT_THAT(err_.str(), HasSubstr("no/such/folder/p.txt"));
  ASSERT_EQ(unlink("model.synap"), 0);
  EXPECT_EQ(Run({"zero"}), 1);
  EXPECT_THAT(err_.str(), HasSubstr("No model"));
}

TEST_F(SynapCliTest, ModelsThatArentSecureRefuseSecureBuffers) {
  EXPECT_EQ(Run({"--secure", "none", "zero"}), 0);
  for (const char* const where : {"in", "out", "all"}) {
    EXPECT_EQ(Run({"--secure", where, "zero"}), 1);
    EXPECT_EQ(err_.str(), "Inference failed\n");
  }
  EXPECT_THAT(out_.str(), HasSubstr("Input buffer: x size: 16 (secure) : zero\n"
                                    "Output buffer: y size: 16 (secure)\n"));
}

TEST_F(SynapCliTest, AReportThatIsNotWrittenIsAnError) {
  std::ofstream full("/dev/full");
  EXPECT_EQ(SynapCli({"zero"}, full, err_), 1);
  EXPECT_EQ(err_.str(), "Error, unable to write the results\n");
}

TEST_F(SynapCliTest, HelpAndVersionSucceed) {
  EXPECT_EQ(Run({"--help"}), 0);
  EXPECT_EQ(out_.str(), "");
  EXPECT_THAT(err_.str(), HasSubstr("--dump-raw"));
  EXPECT_EQ(Run({"--version"}), 0);
  EXPECT_THAT(out_.str(), MatchesRegex("SyNAP version: [0-9.]+\n"));
}

TEST(TimingLineTest, GivesTheUpperMedianAndThePopulationsDeviation) {
  EXPECT_EQ(TimingLine(1, 2, {4, 1, 3, 2}),
            "Inference timings (ms):  load: 1.00  init: 2.00  min: 1.00  median: 3.00  max: 4.00  "
            "stddev: 1.12  mean: 2.50\n");
}

}  // namespace
}  // namespace synap_internal
