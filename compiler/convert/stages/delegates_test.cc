// Networks whose layers run on several delegates, from the metafile to the results.
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
#include "runtime/bundle/bundle.h"
#include "runtime/bundle/text_bytes.h"
#include "synap/network.hpp"
#include "synap/threads.hpp"

namespace synap_internal {
namespace {

using synaptics::synap::Network;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// The manual's example: after conv2 two branches, conv3 and conv4 beside conv5 and conv6.
Graph Branches() {
  return GraphOfBody(R"(
    input %x: float32[1x2x2x2]
    const %w: float32[2x1x1x2] = [1.0, 2.03, -0.53, 0.25]
    const %v: float32[2x1x1x2] = [0.5, -1.25, 1.5, 0.75]
    %1: float32[1x2x2x2] = conv2d(%x, %w) from "conv1"
    %2: float32[1x2x2x2] = conv2d(%1, %v) from "conv2"
    %3: float32[1x2x2x2] = conv2d(%2, %w) from "conv3"
    %4: float32[1x2x2x2] = conv2d(%3, %v) from "conv4"
    %5: float32[1x2x2x2] = conv2d(%2, %v) from "conv5"
    %6: float32[1x2x2x2] = conv2d(%5, %w) from "conv6"
    output %4
    output %6)");
}

Metafile MetafileOf(const std::string& text) {
  const absl::StatusOr<Metafile> metafile = ParseMetafile(text, {.path = "m.yaml"});
  EXPECT_TRUE(metafile.ok()) << metafile.status();
  return metafile.ok() ? *metafile : Metafile();
}

absl::StatusOr<CompiledModel> Compile(const Graph& graph, const Metafile& metafile,
                                      const char* target = "VS680") {
  Warnings warnings;
  auto model = CompileStage(graph, metafile, **FindTarget(target), {}, warnings);
  EXPECT_THAT(warnings.Texts(Severity::kNote), Not(Contains(HasSubstr("runs on the cpu"))));
  return model;
}

absl::StatusOr<CompiledModel> Compile(const std::string& delegate) {
  return Compile(Branches(), MetafileOf(absl::StrCat("delegate: ", delegate)));
}

// "npu 0:float32 x": the delegate of each subgraph, and for each of its inputs the subgraph that it
// comes from (-1: the network's inputs), the type and the name.
std::vector<std::string> SubgraphsOf(const std::string& synap) {
  const absl::StatusOr<Bundle> bundle = ReadBundle(AsBytes(synap));
  EXPECT_TRUE(bundle.ok()) << bundle.status();
  std::vector<std::string> texts;
  if (!bundle.ok()) return texts;
  for (const BundleSubgraph& subgraph : bundle->subgraphs) {
    std::string& text = texts.emplace_back(subgraph.metadata.delegate);
    for (size_t i = 0; i < subgraph.inputs.size(); ++i) {
      absl::StrAppend(&text, " ", subgraph.inputs[i].subgraph, ":",
                      Name(subgraph.metadata.inputs[i].dtype), " ",
                      subgraph.metadata.inputs[i].name);
    }
  }
  return texts;
}

// The outputs' values for a fixed input.
std::vector<float> OutputsOf(const std::string& synap, int threads) {
  synaptics::synap::set_thread_count(threads);
  Network net;
  EXPECT_TRUE(net.load_model(synap.data(), synap.size()));
  const std::vector<float> values = {0.1f, -0.7f, 0.3f, 0.9f, -0.2f, 0.8f, 0.4f, -0.5f};
  EXPECT_TRUE(net.inputs[0].assign(values.data(), values.size()));
  for (int run = 0; run < 2; ++run) EXPECT_TRUE(net.predict());
  std::vector<float> results;
  for (const auto& output : net.outputs) {
    results.insert(results.end(), output.as_float(), output.as_float() + output.item_count());
  }
  return results;
}

TEST(DelegatesTest, BranchesOfSeveralDelegatesAreSubgraphsOfTheirOwn) {
  const auto whole = Compile("npu");
  const auto split = Compile("{'*': npu, conv5: gpu, conv5...: gpu}");
  ASSERT_TRUE(whole.ok()) << whole.status();
  ASSERT_TRUE(split.ok()) << split.status();
  EXPECT_THAT(SubgraphsOf(whole->synap), ElementsAre("npu -1:float32 x"));
  EXPECT_THAT(SubgraphsOf(split->synap),
              ElementsAre("npu -1:float32 x", "npu 0:float32 2", "gpu 0:float32 2"));
  for (const int threads : {1, 2}) {
    EXPECT_EQ(OutputsOf(split->synap, threads), OutputsOf(whole->synap, threads));
  }
  EXPECT_THAT(split->info_text, HasSubstr("\nsubgraphs: 3\n"));
  EXPECT_THAT(split->info_text,
              HasSubstr("information for test/2:\n\nsecure: false\ndelegate: gpu"));
  EXPECT_EQ(split->subgraphs, 3u);
  EXPECT_TRUE(split->program.empty());
}

TEST(DelegatesTest, AllLayersOnOneDelegateAreOneSubgraph) {
  const auto absent = Compile(Branches(), Metafile());
  const auto standard = Compile("default");
  ASSERT_TRUE(absent.ok() && standard.ok());
  EXPECT_EQ(absent->synap, standard->synap);
  const auto cpu = Compile("cpu num_threads=1");
  ASSERT_TRUE(cpu.ok()) << cpu.status();
  EXPECT_THAT(SubgraphsOf(cpu->synap), ElementsAre("cpu num_threads=1 -1:float32 x"));
  EXPECT_EQ(OutputsOf(cpu->synap, 2), OutputsOf(absent->synap, 2));
  EXPECT_THAT(cpu->info_text, HasSubstr("delegate: cpu num_threads=1\n\nsubgraphs: 1\n"));
}

// Quantizes and compiles the network.
absl::StatusOr<CompiledModel> Quantized(const std::string& metafile_text) {
  const Metafile metafile = MetafileOf(metafile_text);
  const Graph graph = Branches();
  Warnings ignored;
  const auto statistics = CalibrateStage(graph, metafile, {}, ignored);
  if (!statistics.ok()) return statistics.status();
  const auto quantized = QuantizeStage(graph, {&*statistics, 1}, metafile, {}, ignored);
  if (!quantized.ok()) return quantized.status();
  return Compile(quantized->graph, metafile);
}

TEST(DelegatesTest, LayersOfTheCpuStayFloatInAQuantizedNetwork) {
  const std::string text =
      "quantization: {dataset: random}\ndelegate: {'*': npu, conv5: cpu, conv5...: cpu}\n";
  const auto model = Quantized(text);
  ASSERT_TRUE(model.ok()) << model.status();
  const std::vector<std::string> subgraphs = SubgraphsOf(model->synap);
  ASSERT_EQ(subgraphs.size(), 3u) << model->info_text;
  EXPECT_THAT(subgraphs[0], HasSubstr("npu -1:uint8 x"));
  EXPECT_THAT(subgraphs[1], HasSubstr("npu 0:uint8"));
  EXPECT_THAT(subgraphs[2], HasSubstr("cpu 0:float32"));
  EXPECT_EQ(Quantized(text)->synap, model->synap);
}

TEST(DelegatesTest, WhatTheNpuCantRunGoesToTheCpuWithANote) {
  const Graph graph = GraphOfBody(R"(
    input %x: float32[1x3]
    %z: float32[1x3] = tanh(%x) from "z"
    %index: int64[1x3] = cast(%z) {to="int64"} from "index"
    output %index)");
  Warnings warnings;
  const auto model = CompileStage(graph, Metafile(), **FindTarget("VS680"), {}, warnings);
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_THAT(SubgraphsOf(model->synap), ElementsAre("npu -1:float32 x", "cpu 0:float32 z"));
  EXPECT_THAT(warnings.Texts(Severity::kNote),
              Contains(HasSubstr("layer 'index': runs on the cpu: ")));
  EXPECT_THAT(model->info_text, HasSubstr("\nlayers moved to the cpu:\n  - \"layer "));
  EXPECT_THAT(Compile(graph, MetafileOf("delegate: npu")).status().message(),
              HasSubstr("m.yaml:1:1: delegate: the npu of VS680 can't run 'index' ("));
  const auto cpu = Compile(graph, MetafileOf("delegate: {'*': npu, index: cpu}"));
  ASSERT_TRUE(cpu.ok()) << cpu.status();
  EXPECT_EQ(cpu->synap, model->synap);
}

// An NPU holds indices and ids in 32 bits.
TEST(DelegatesTest, IndicesAndIdsAreNoReasonToLeaveTheNpu) {
  const Graph graph = GraphOfBody(R"(
    input %ids: int64[1x4]
    const %table: float32[3x2] = [1.0, 2.0, 3.0, 0.5, -1.0, 4.0]
    %word: int64[1x2] = slice(%ids) {sizes=[1, 2], starts=[0, 1]} from "word"
    %z: float32[1x2x2] = gather(%table, %word) {axis=0} from "z"
    %index: int64[1x2] = argmax(%z) {axis=2, keep_dims=0} from "index"
    output %index
    output %word)");
  const auto model = Compile(graph, MetafileOf("delegate: npu"));
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_THAT(SubgraphsOf(model->synap), ElementsAre("npu -1:int64 ids"));
  EXPECT_EQ(Compile(graph, Metafile())->synap, model->synap);
  EXPECT_THAT(model->info_text, Not(HasSubstr("CPU")));
}

// In float32 the CPU computes the bits of the NPU.
TEST(DelegatesTest, TargetsWithoutNpuRunEverythingOnTheCpu) {
  const auto npu = Compile(Branches(), Metafile());
  ASSERT_TRUE(npu.ok()) << npu.status();
  for (const char* target : {"SL1620", "DVF120", "GENERIC"}) {
    const auto model = Compile(Branches(), Metafile(), target);
    ASSERT_TRUE(model.ok()) << model.status();
    EXPECT_THAT(SubgraphsOf(model->synap), ElementsAre("cpu -1:float32 x")) << target;
    EXPECT_EQ(OutputsOf(model->synap, 1), OutputsOf(npu->synap, 1)) << target;
    EXPECT_THAT(model->info_text, HasSubstr("    0  CPU    float32")) << target;
    EXPECT_GT(model->latency.seconds, 0) << target;
    EXPECT_THAT(Compile(Branches(), MetafileOf("delegate: npu"), target).status().message(),
                HasSubstr(absl::StrCat("m.yaml:1:1: delegate: target ", target,
                                       " has no npu, expected one of default, cpu")));
  }
}

TEST(DelegatesTest, ANetworkWithoutLayersIsTheTargetsOwn) {
  const Graph graph = GraphOfBody("input %x: float32[1x3]\n output %x");
  const auto subgraphs = [&](const std::string& metafile, const char* target) {
    const auto model = Compile(graph, MetafileOf(metafile), target);
    EXPECT_TRUE(model.ok()) << model.status();
    return model.ok() ? SubgraphsOf(model->synap) : std::vector<std::string>();
  };
  EXPECT_THAT(subgraphs("", "VS680"), ElementsAre("npu -1:float32 x"));
  EXPECT_THAT(subgraphs("", "GENERIC"), ElementsAre("cpu -1:float32 x"));
  EXPECT_THAT(subgraphs("delegate: cpu num_threads=2", "VS680"),
              ElementsAre("cpu num_threads=2 -1:float32 x"));
}

TEST(DelegatesTest, TheGpuIsADelegateWhereThereIsOne) {
  const Metafile metafile = MetafileOf("delegate: {'*': cpu, conv5: gpu, conv5...: gpu}");
  const auto model = Compile(Branches(), metafile, "SL1620");
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_THAT(SubgraphsOf(model->synap),
              ElementsAre("cpu -1:float32 x", "cpu 0:float32 2", "gpu 0:float32 2"));
  EXPECT_THAT(model->info_text, HasSubstr("\nestimated time: \""));
  EXPECT_THAT(Compile(Branches(), metafile, "GENERIC").status().message(),
              HasSubstr("target GENERIC has no gpu, expected one of default, cpu"));
}

TEST(DelegatesTest, EveryMistakeNamesItsPlace) {
  EXPECT_THAT(Compile("{'*': npu, conv7: cpu}").status().message(),
              HasSubstr("m.yaml:1:22: delegate: the model has no layer 'conv7' (did you mean"));
  EXPECT_THAT(Compile("{'*': npu, '@99': cpu}").status().message(),
              HasSubstr("m.yaml:1:22: delegate: the model has no layer '@99'"));
}

}  // namespace
}  // namespace synap_internal
