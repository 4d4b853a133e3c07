#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "compiler/ir/graph.h"
#include "compiler/ir/text.h"
#include "compiler/metafile/metafile.h"
#include "compiler/stages/stages.h"
#include "compiler/target/target.h"
#include "compiler/testing/pass_test.h"

namespace synap {
namespace {

using testing::HasSubstr;

Metafile MetafileOf(absl::string_view quantization) {
  absl::StatusOr<Metafile> metafile = ParseMetafile(
      absl::StrCat("quantization: {dataset: random, ", quantization, "}"), {.path = "model.yaml"});
  EXPECT_TRUE(metafile.ok()) << metafile.status();
  return metafile.ok() ? *metafile : Metafile{};
}

Graph SomeGraph() {
  return GraphOfBody(R"(
    input %x: float32[1x2]
    const %w: float32[2x2] = [1.0, 2.03, -0.53, 0.25]
    %y: float32[1x2] = fully_connected(%x, %w) from "Gemm_1"
    %z: float32[1x2] = silu(%y) from "Silu_2"
    %o: float32[1x2] = fully_connected(%z, %w) from "Gemm_3"
    output %o)");
}

absl::StatusOr<QuantizedModel> Quantize(const Metafile& metafile, const Target* target) {
  const Graph graph = SomeGraph();
  const auto statistics = CalibrateStage(graph, metafile, {});
  EXPECT_TRUE(statistics.ok()) << statistics.status();
  QuantizeOptions options;
  options.target = target;
  return QuantizeStage(graph, {&*statistics, 1}, metafile, options);
}

TEST(QuantizeStageTest, TheExplicitMetafileGivesWhatTheSearchGave) {
  const Target* target = *FindTarget("VS680");
  const Metafile metafile = MetafileOf("data_type: auto, budget: {latency: 16}");
  const auto searched = Quantize(metafile, target);
  ASSERT_TRUE(searched.ok()) << searched.status();
  ASSERT_TRUE(searched->choice.has_value());
  EXPECT_GT(searched->choice->chosen, 0u);
  const auto explicit_metafile =
      ParseMetafile(ExplicitMetafile(metafile, *searched->choice, "elsewhere"));
  ASSERT_TRUE(explicit_metafile.ok()) << explicit_metafile.status();
  EXPECT_FALSE(explicit_metafile->quantization->choose_types);
  const auto given = Quantize(*explicit_metafile, nullptr);
  ASSERT_TRUE(given.ok()) << given.status();
  EXPECT_EQ(PrintGraph(given->graph), PrintGraph(searched->graph));
}

TEST(QuantizeStageTest, TheExplicitMetafileFindsTheSamples) {
  Metafile metafile = MetafileOf("data_type: auto, budget: {latency: 16}");
  metafile.quantization->dataset[0].pattern = "samples/*.jpg";
  EXPECT_THAT(ExplicitMetafile(metafile, PrecisionChoice{}, "../faces"),
              HasSubstr("dataset: [\"../faces/samples/*.jpg\"]"));
}

TEST(QuantizeStageTest, ASearchWithoutTargetIsRefused) {
  EXPECT_EQ(
      Quantize(MetafileOf("data_type: auto, budget: {latency: 2}"), nullptr).status().message(),
      "model.yaml:1:1: 'data_type: auto' needs a target for its estimates: add --target");
}

TEST(QuantizeStageTest, ACorrectionWithoutSamplesIsRefused) {
  const Metafile metafile = MetafileOf("options: {bias_correction: fast}");
  const Graph graph = SomeGraph();
  const auto statistics = CalibrateStage(graph, metafile, {});
  ASSERT_TRUE(statistics.ok()) << statistics.status();
  Metafile part = metafile;
  part.quantization->dataset.clear();
  EXPECT_THAT(std::string(QuantizeStage(graph, {&*statistics, 1}, part, {}).status().message()),
              HasSubstr("sample"));
}

TEST(QuantizeStageTest, ACorrectionIsPartOfTheGraph) {
  const auto plain = Quantize(MetafileOf("algorithm: standard"), nullptr);
  const auto corrected = Quantize(MetafileOf("options: {bias_correction: fast}"), nullptr);
  ASSERT_TRUE(plain.ok() && corrected.ok()) << corrected.status();
  EXPECT_NE(PrintGraph(corrected->graph), PrintGraph(plain->graph));
}

}  // namespace
}  // namespace synap
