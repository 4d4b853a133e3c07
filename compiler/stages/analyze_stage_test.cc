#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/warnings.h"
#include "compiler/ir/graph.h"
#include "compiler/metafile/metafile.h"
#include "compiler/stages/stages.h"
#include "compiler/testing/pass_test.h"

namespace synap {
namespace {

Metafile MetafileOf(absl::string_view text) {
  absl::StatusOr<Metafile> metafile = ParseMetafile(text, {.path = "model.yaml"});
  EXPECT_TRUE(metafile.ok()) << metafile.status();
  return metafile.ok() ? *metafile : Metafile{};
}

Graph SomeGraph() {
  return GraphOfBody(R"(
    input %x: float32[1x2]
    const %w: float32[2x2] = [1.0, 2.0, -0.5, 0.25]
    %y: float32[1x2] = fully_connected(%x, %w) from "Gemm_1"
    %z: float32[1x2] = silu(%y) from "Silu_2"
    %o: float32[1x2] = fully_connected(%z, %w) from "Gemm_3"
    output %o)");
}

Graph Quantized(const Graph& graph, const Metafile& metafile) {
  Warnings warnings;
  const auto statistics = CalibrateStage(graph, metafile, {}, warnings);
  EXPECT_TRUE(statistics.ok()) << statistics.status();
  auto model = QuantizeStage(graph, {&*statistics, 1}, metafile, {}, warnings);
  EXPECT_TRUE(model.ok()) << model.status();
  return std::move(model->graph);
}

TEST(AnalyzeStageTest, LooksAtTheLayersThatADeviceRuns) {
  const Metafile metafile =
      MetafileOf("outputs:\n  - name: o\n    dequantize: true\nquantization:\n  dataset: random\n");
  const Graph graph = SomeGraph();
  const auto analysis = AnalyzeStage(graph, Quantized(graph, metafile), metafile, {});
  ASSERT_TRUE(analysis.ok()) << analysis.status();
  EXPECT_EQ(analysis->samples, 1);
  ASSERT_EQ(analysis->layers.size(), 2u);
  // The function is a part of the layer before it.
  EXPECT_THAT(analysis->layers[0].origins, testing::ElementsAre("Gemm_1", "Silu_2"));
  EXPECT_THAT(analysis->layers[0].names, testing::ElementsAre("Gemm_1", "Silu_2"));
  EXPECT_EQ(analysis->layers[0].tensor, "z");
  EXPECT_GT(analysis->layers[0].own.SqnrDb(), 30);
  // The last one isn't rounded, but its operands are.
  EXPECT_EQ(analysis->layers[1].type, DataType::kFloat32);
  EXPECT_GT(analysis->layers[1].own.SqnrDb(), 30);
  EXPECT_LT(analysis->layers[1].own.SqnrDb(), 200);
  ASSERT_EQ(analysis->outputs.size(), 1u);
  EXPECT_EQ(analysis->outputs[0].name, "o");
}

TEST(AnalyzeStageTest, NothingToAnalyze) {
  const Graph graph = SomeGraph();
  EXPECT_EQ(AnalyzeStage(graph, graph, MetafileOf("optimize: true"), {}).status().message(),
            "model.yaml: has no 'quantization' with a 'dataset': nothing is quantized, and there "
            "is nothing to analyze");
}

TEST(AnalyzeStageTest, AGraphThatIsNotQuantized) {
  const Graph graph = SomeGraph();
  const Metafile metafile = MetafileOf("quantization:\n  dataset: random\n");
  EXPECT_THAT(std::string(AnalyzeStage(graph, graph, metafile, {}).status().message()),
              testing::HasSubstr("it isn't quantized"));
}

}  // namespace
}  // namespace synap
