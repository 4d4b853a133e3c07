#include "compiler/convert/stages/self_test_stage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/warnings.h"
#include "compiler/convert/stages/compile_stage.h"
#include "compiler/graph/graph.h"
#include "compiler/metafile/metafile.h"
#include "compiler/testing/run_pass.h"
#include "runtime/bundle/bundle.h"
#include "runtime/bundle/text_bytes.h"
#include "runtime/verify/bundle_run.h"
#include "runtime/verify/self_test_data.h"
#include "runtime/verify/verify.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr char kFloatNetwork[] = R"(
  input %x: float32[1x4]
  %y: float32[1x4] = neg(%x) from "n"
  output %y
)";

constexpr char kQuantizedNetwork[] = R"(
  input %x: uint8[1x4]<affine 0.00390625 0>
  %y: uint8[1x4]<affine 0.00390625 0> = relu(%x) from "n"
  output %y
)";

std::string Compile(const char* body) {
  Warnings ignored;
  return CompileStage(GraphOfBody(body), {}, **FindTarget("VS680"), {}, ignored)->synap;
}

TEST(SelfTestStageTest, TheArtifactPassesItsOwnTest) {
  const absl::StatusOr<std::string> synap =
      SelfTestStage(Compile(kFloatNetwork), GraphOfBody(kFloatNetwork), {}, {2, true, 1});
  ASSERT_TRUE(synap.ok()) << synap.status();
  const absl::StatusOr<std::vector<SelfTestCase>> cases = ReadSelfTest(AsBytes(*synap));
  ASSERT_TRUE(cases.ok()) << cases.status();
  ASSERT_THAT(*cases, SizeIs(2));
  EXPECT_EQ((*cases)[0].name, "random 0");
  EXPECT_THAT((*cases)[0].layers, SizeIs(1));
  EXPECT_NE((*cases)[0].outputs, (*cases)[1].outputs);  // other inputs
  const Bundle bundle = *ReadBundle(AsBytes(*synap));
  const std::unique_ptr<BundleRun> run = *BundleRun::Create(bundle, {});
  EXPECT_THAT(Verify(*run, *run, *cases)->failures, IsEmpty());
}

TEST(SelfTestStageTest, LayersAreRecordedOnlyOnRequest) {
  const std::string synap =
      *SelfTestStage(Compile(kFloatNetwork), GraphOfBody(kFloatNetwork), {}, {1, false, 1});
  EXPECT_THAT(ReadSelfTest(AsBytes(synap))->front().layers, IsEmpty());
}

TEST(SelfTestStageTest, RealSamplesBecomeTheQuantizedInput) {
  const std::string real =
      *SelfTestStage(Compile(kFloatNetwork), GraphOfBody(kFloatNetwork), {}, {1, false, 1});
  const std::string quantized =
      *SelfTestStage(Compile(kQuantizedNetwork), GraphOfBody(kFloatNetwork), {}, {1, false, 1});
  const absl::Span<const uint8_t> x = ReadSelfTest(AsBytes(real))->front().inputs[0];
  const absl::Span<const uint8_t> q = ReadSelfTest(AsBytes(quantized))->front().inputs[0];
  ASSERT_THAT(x, SizeIs(16));
  ASSERT_THAT(q, SizeIs(4));
  for (size_t i = 0; i < 4; ++i) {
    float value;
    std::memcpy(&value, x.data() + i * sizeof(value), sizeof(value));
    EXPECT_NEAR(q[i], value * 256, 0.5);
  }
}

TEST(SelfTestStageTest, TheBytesDontDependOnThreads) {
  const std::string synap = Compile(kFloatNetwork);
  const Graph graph = GraphOfBody(kFloatNetwork);
  EXPECT_EQ(*SelfTestStage(synap, graph, {}, {3, true, 1}),
            *SelfTestStage(synap, graph, {}, {3, true, 4}));
}

TEST(SelfTestStageTest, AMissingSampleIsNamed) {
  Metafile metafile;
  metafile.path = testing::TempDir() + "meta.yaml";
  metafile.quantization.emplace();
  metafile.quantization->dataset.emplace_back().pattern = "no_such_*.npy";
  const absl::StatusOr<std::string> synap =
      SelfTestStage(Compile(kFloatNetwork), GraphOfBody(kFloatNetwork), metafile, {1, false, 1});
  EXPECT_THAT(std::string(synap.status().message()),
              testing::HasSubstr("dataset 'no_such_*.npy' of input 0 matches no file"));
}

}  // namespace
}  // namespace synap_internal
