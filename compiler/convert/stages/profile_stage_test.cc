// Times of layers: of artifacts that measure themselves, and of those that a conversion measures.
#include "compiler/convert/stages/profile_stage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_split.h"
#include "base/file.h"
#include "base/warnings.h"
#include "compiler/convert/stages/compile_stage.h"
#include "compiler/metafile/metafile.h"
#include "compiler/target/target.h"
#include "compiler/testing/run_pass.h"
#include "synap/network.hpp"

namespace synap_internal {
namespace {

using synaptics::synap::Network;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr char kNetwork[] = R"(
  input %x: float32[1x4]
  %m: float32[1x4] = neg(%x) from "first"
  %y: float32[1x4] = sigmoid(%m) from "second"
  output %y
)";

constexpr char kHeader[] = "| lyr |    cycle | time_us |  byte_rd |  byte_wr | ot | name";

std::string Compile(const CompileOptions& options) {
  Warnings ignored;
  const absl::StatusOr<CompiledModel> model =
      CompileStage(GraphOfBody(kNetwork), {}, **FindTarget("VS680"), {}, ignored, options);
  EXPECT_TRUE(model.ok()) << model.status();
  return model->synap;
}

TEST(ProfileStageTest, LayersAreInTheTableOfTheDriver) {
  const absl::StatusOr<std::string> table =
      ProfileStage(Compile({}), GraphOfBody(kNetwork), {}, {});
  ASSERT_TRUE(table.ok()) << table.status();
  const std::vector<std::string> lines = absl::StrSplit(*table, '\n', absl::SkipEmpty());
  ASSERT_THAT(lines, SizeIs(3));
  EXPECT_EQ(lines[0], kHeader);
  EXPECT_THAT(lines[1], HasSubstr("'first'"));
  EXPECT_THAT(lines[2], HasSubstr("'second'"));
}

TEST(ProfileStageTest, TensorsAreRecordedWhereTheyAreAskedFor) {
  const std::string folder = testing::TempDir() + "/tensors";
  ASSERT_TRUE(ProfileStage(Compile({}), GraphOfBody(kNetwork), {}, {folder}).ok());
  for (const char* file : {"/input_0.npy", "/m.npy", "/output_0.npy"}) {
    EXPECT_TRUE(ReadFile(folder + file).ok()) << file;
  }
}

TEST(ProfileStageTest, AModelForProfilingMeasuresItsLayersByItself) {
  for (const bool profiling : {false, true}) {
    const std::string synap = Compile({.profiling = profiling});
    Network net;
    ASSERT_TRUE(net.load_model(synap.data(), synap.size()));
    ASSERT_TRUE(net.predict());
    if (profiling) {
      EXPECT_THAT(net.profile(), HasSubstr(kHeader));
    } else {
      EXPECT_EQ(net.profile(), "");
    }
  }
}

}  // namespace
}  // namespace synap_internal
