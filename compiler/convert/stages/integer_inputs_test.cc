// Networks from token ids to class indices: int64 reaches the application, whatever the type of the
// layers between.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/warnings.h"
#include "compiler/convert/stages/calibrate_stage.h"
#include "compiler/convert/stages/compile_stage.h"
#include "compiler/convert/stages/quantize_stage.h"
#include "compiler/graph/graph.h"
#include "compiler/metafile/metafile.h"
#include "compiler/target/target.h"
#include "compiler/testing/run_pass.h"
#include "synap/logging.hpp"
#include "synap/network.hpp"
#include "synap/tensor.hpp"
#include "synap/types.hpp"

namespace synap_internal {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
namespace api = ::synaptics::synap;

// The row of `table` for each token, and which of its two elements is the larger.
Graph Tokens() {
  return GraphOfBody(R"(
    input %ids: int64[1x3]
    const %table: float32[4x2] = [1.0, -1.0, -0.5, 0.5, 0.25, 0.0, 0.0, 2.0]
    %rows: float32[1x3x2] = gather(%table, %ids) {axis=0} from "rows"
    %z: float32[1x3x2] = tanh(%rows) from "z"
    %index: int64[1x3] = argmax(%z) {axis=2, keep_dims=0} from "index"
    output %z
    output %index)");
}

absl::StatusOr<std::string> Converted(const Graph& graph, const Metafile& metafile) {
  Warnings warnings;
  const absl::StatusOr<const Target*> target = FindTarget("VS680");
  if (!target.ok()) return target.status();
  const Graph* compiled = &graph;
  absl::StatusOr<QuantizedModel> quantized;
  if (metafile.quantization.has_value()) {
    const auto statistics = CalibrateStage(graph, metafile, {}, warnings);
    if (!statistics.ok()) return statistics.status();
    quantized = QuantizeStage(graph, {&*statistics, 1}, metafile, {}, warnings);
    if (!quantized.ok()) return quantized.status();
    compiled = &quantized->graph;
  }
  const auto model = CompileStage(*compiled, metafile, **target, {}, warnings);
  if (!model.ok()) return model.status();
  return model->synap;
}

void ExpectIndices(const Metafile& metafile) {
  const absl::StatusOr<std::string> synap = Converted(Tokens(), metafile);
  ASSERT_TRUE(synap.ok()) << synap.status();
  api::Network net;
  ASSERT_TRUE(net.load_model(synap->data(), synap->size()));
  api::Tensor& ids = net.inputs[0];
  EXPECT_EQ(ids.data_type(), api::DataType::int64);
  EXPECT_EQ(ids.size(), 24u);
  ASSERT_NE(ids.data<int64_t>(), nullptr);
  EXPECT_EQ(ids.data<int32_t>(), nullptr);
  ids.data<int64_t>()[0] = 3;
  ids.data<int64_t>()[1] = 0;
  ids.data<int64_t>()[2] = 2;
  ASSERT_TRUE(net.predict());
  api::Tensor& index = net.outputs[1];
  EXPECT_EQ(index.data_type(), api::DataType::int64);
  const auto* found = index.data<int64_t>();
  ASSERT_NE(found, nullptr);
  EXPECT_THAT((std::vector<int64_t>{found[0], found[1], found[2]}), ElementsAre(1, 0, 0));
  const float* real = index.as_float();
  EXPECT_THAT((std::vector<float>{real[0], real[1], real[2]}), ElementsAre(1, 0, 0));
}

TEST(IntegerInputsTest, FloatNetworks) { ExpectIndices(Metafile()); }

TEST(IntegerInputsTest, QuantizedNetworks) {
  for (const char* type : {"uint8", "int8", "int16", "float16"}) {
    SCOPED_TRACE(type);
    const auto metafile =
        ParseMetafile(absl::StrCat("quantization: {dataset: random, data_type: ", type, "}"), {});
    ASSERT_TRUE(metafile.ok()) << metafile.status();
    ExpectIndices(*metafile);
  }
}

// Ids of 64 bits: a chip's NPU would cut them off.
TEST(IntegerInputsTest, TheNpuRefusesIdsOfMoreThan32Bits) {
  const auto run = [](const char* delegate, int64_t id) {
    const auto metafile = ParseMetafile(absl::StrCat("delegate: ", delegate), {});
    EXPECT_TRUE(metafile.ok()) << metafile.status();
    const absl::StatusOr<std::string> synap = Converted(Tokens(), *metafile);
    EXPECT_TRUE(synap.ok()) << synap.status();
    api::Network net;
    EXPECT_TRUE(net.load_model(synap->data(), synap->size()));
    int64_t* const ids = net.inputs[0].data<int64_t>();
    ids[0] = ids[1] = 0;
    ids[2] = id;
    return net.predict();
  };
  EXPECT_TRUE(run("npu", 3));
  EXPECT_FALSE(run("npu", int64_t{1} << 31));
  EXPECT_NE(api::last_error().find("input 'ids': element 2 is 2147483648, expected -2147483648 to "
                                   "2147483647"),
            std::string::npos)
      << api::last_error();
  EXPECT_TRUE(run("cpu", int64_t{1} << 31));
}

TEST(IntegerInputsTest, TheRangeThatTheNpuHoldsIsNoted) {
  Warnings warnings;
  ASSERT_TRUE(CompileStage(Tokens(), Metafile(), **FindTarget("VS680"), {}, warnings).ok());
  EXPECT_THAT(warnings.Texts(Severity::kNote),
              Contains(HasSubstr("input 'ids': the NPU holds int64 in 32 bits")));
  Warnings of_generic;
  ASSERT_TRUE(CompileStage(Tokens(), Metafile(), **FindTarget("GENERIC"), {}, of_generic).ok());
  EXPECT_THAT(of_generic.Texts(Severity::kNote), Not(Contains(HasSubstr("32 bits"))));
}

}  // namespace
}  // namespace synap_internal
