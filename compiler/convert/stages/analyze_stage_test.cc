#include "compiler/convert/stages/analyze_stage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "base/warnings.h"
#include "compiler/convert/stages/calibrate_stage.h"
#include "compiler/convert/stages/quantize_stage.h"
#include "compiler/graph/graph.h"
#include "compiler/metafile/metafile.h"
#include "compiler/testing/run_pass.h"

namespace synap_internal {
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

// A layer that lifts values far away from 0, where 8 bits are coarse, and one that brings them
// back, so that the coarse steps are all that is left, beside layers that lose little.
Graph GraphOfUnequalLayers() {
  return GraphOfBody(R"(
    input %x: float32[1x16x16x2]
    const %w: float32[4x1x1x2] = [1.0, 0.83, -0.72, 1.0, 0.61, -0.52, 0.23, 0.94]
    const %v: float32[2x1x1x4] = [0.31, 1.0, -0.83, 0.44, 0.72, -0.55, 0.66, 1.0]
    const %far: float32[1] = [40.0]
    %a: float32[1x16x16x4] = conv2d(%x, %w) {min=0.0} from "Conv_1"
    %b: float32[1x16x16x4] = add(%a, %far) from "Lift_2"
    %c: float32[1x16x16x4] = sub(%b, %far) from "Lower_3"
    %d: float32[1x16x16x2] = conv2d(%c, %v) from "Conv_4"
    %e: float32[1x16x16x2] = sigmoid(%d) from "Sigmoid_5"
    %f: float32[1x16x16x2] = mul(%e, %x) from "Mul_6"
    output %f)");
}

// From the figure of a layer in quantization_entropy.txt.
double PredictedSqnrDb(const std::string& entropy_text, const std::string& layer) {
  const std::string begin = "@" + layer + ":out0, ";
  const size_t found = entropy_text.find(begin);
  EXPECT_NE(found, std::string::npos) << entropy_text;
  if (found == std::string::npos) return 0;
  return -20 * std::log10(std::stod(entropy_text.substr(found + begin.size())));
}

TEST(AnalyzeStageTest, QuantizationEntropyPredictsWhatEachLayerLoses) {
  const Metafile metafile =
      MetafileOf("quantization:\n  dataset: random\n  algorithm: kl_divergence\n");
  const Graph graph = GraphOfUnequalLayers();
  Warnings warnings;
  const auto statistics = CalibrateStage(graph, metafile, {}, warnings);
  ASSERT_TRUE(statistics.ok()) << statistics.status();
  const auto model = QuantizeStage(graph, {&*statistics, 1}, metafile, {}, warnings);
  ASSERT_TRUE(model.ok()) << model.status();
  const auto analysis = AnalyzeStage(graph, model->graph, metafile, {});
  ASSERT_TRUE(analysis.ok()) << analysis.status();
  // What is one table with a convolution is one layer.
  ASSERT_EQ(analysis->layers.size(), 4u);
  double best = 0, worst = 200;
  for (const LayerFigures& layer : analysis->layers) {
    const double own = layer.own.SqnrDb();
    EXPECT_NEAR(PredictedSqnrDb(model->entropy_text, layer.names.back()), own, 4) << layer.tensor;
    best = std::max(best, own);
    worst = std::min(worst, own);
  }
  EXPECT_GT(best, worst + 20);
}

// 123,008 to 1, with the sums of 64 bits that it takes, and a matmul of 20,000 products.
TEST(AnalyzeStageTest, LongSumsLoseNoMoreThanShortOnes) {
  constexpr int kInputs = 123008;
  std::vector<std::string> weights;
  for (int i = 0; i < kInputs; ++i) weights.push_back(absl::StrCat(i * 7919 % 2001 * 0.0005 - 0.3));
  const std::string networks[] = {
      absl::StrCat("input %x: float32[1x", kInputs, "]\nconst %w: float32[1x", kInputs, "] = [",
                   absl::StrJoin(weights, ", "),
                   "]\n%y: float32[1x1] = fully_connected(%x, %w) from \"y\"\noutput %y"),
      R"(
    input %x: float32[1x20000]
    %t: float32[20000x1] = reshape(%x) {shape=[20000, 1]} from "t"
    %y: float32[1x1] = matmul(%x, %t) from "y"
    output %y)"};
  for (const std::string& network : networks) {
    const Graph graph = GraphOfBody(network);
    for (const char* type : {"uint8", "int8", "int16"}) {
      const Metafile metafile =
          MetafileOf(absl::StrCat("quantization: {dataset: random, data_type: ", type, "}"));
      const auto analysis = AnalyzeStage(graph, Quantized(graph, metafile), metafile, {});
      ASSERT_TRUE(analysis.ok()) << analysis.status();
      ASSERT_EQ(analysis->outputs.size(), 1u);
      EXPECT_GT(analysis->outputs[0].fidelity.SqnrDb(), 35) << type;
    }
  }
}

TEST(AnalyzeStageTest, NothingToAnalyze) {
  const Graph graph = SomeGraph();
  EXPECT_EQ(
      AnalyzeStage(graph, graph, MetafileOf("optimize: true"), {}).status().message(),
      "model.yaml: nothing is quantized, expected 'quantization' with a 'dataset'; add them to "
      "analyze the model");
}

TEST(AnalyzeStageTest, AGraphThatIsNotQuantized) {
  const Graph graph = SomeGraph();
  const Metafile metafile = MetafileOf("quantization:\n  dataset: random\n");
  EXPECT_THAT(std::string(AnalyzeStage(graph, graph, metafile, {}).status().message()),
              testing::HasSubstr("have no quantized layer in common"));
}

}  // namespace
}  // namespace synap_internal
