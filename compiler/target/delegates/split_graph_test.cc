// Networks in several subgraphs give the bits of the whole.
#include "compiler/target/delegates/split_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "compiler/graph/passes/fold_constants.h"
#include "compiler/graph/text.h"
#include "compiler/target/delegates/lower_subgraphs.h"
#include "compiler/target/target.h"
#include "compiler/testing/random_graph.h"
#include "compiler/testing/run_pass.h"
#include "kernels/testing/conformance.h"
#include "runtime/bundle/bundle.h"
#include "runtime/bundle/text_bytes.h"
#include "runtime/executor/executor.h"
#include "runtime/verify/bundle_run.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using Values = std::vector<std::vector<uint8_t>>;  // of each tensor

constexpr Delegate kDelegates[] = {Delegate::kNpu, Delegate::kGpu, Delegate::kCpu};

std::vector<TestTensor> InputsOf(const Graph& graph) {
  TestRandom random(7);
  std::vector<TestTensor> inputs;
  for (const Tensor* input : graph.inputs) inputs.push_back(RandomTensor(input->type, random));
  return inputs;
}

absl::StatusOr<Values> RunWhole(const Graph& graph) {
  ASSIGN_OR_RETURN(const auto lowered, LowerGraph(graph));
  ASSIGN_OR_RETURN(const auto executor, Executor::Create(lowered->program, {}));
  const std::vector<TestTensor> inputs = InputsOf(graph);
  std::vector<TestTensor> outputs;
  for (const Tensor* output : graph.outputs) outputs.emplace_back(output->type);
  std::vector<const void*> sources;
  std::vector<void*> destinations;
  for (const TestTensor& input : inputs) sources.push_back(input.data());
  for (TestTensor& output : outputs) destinations.push_back(output.data());
  executor->Run(sources, destinations);
  Values values;
  for (const TestTensor& output : outputs) values.push_back(output.bytes());
  return values;
}

ModelMetadata MetadataOf(const Graph& graph) {
  ModelMetadata metadata;
  const auto describe = [](const Tensor& tensor) {
    TensorMetadata described;
    described.name = tensor.name;
    described.scalar = tensor.type.shape.rank() == 0;
    described.shape = described.scalar ? Shape({1}) : tensor.type.shape;
    described.dtype = tensor.type.dtype;
    described.quant = tensor.type.quant;
    return described;
  };
  for (const Tensor* input : graph.inputs) metadata.inputs.push_back(describe(*input));
  for (const Tensor* output : graph.outputs) metadata.outputs.push_back(describe(*output));
  return metadata;
}

absl::StatusOr<Values> RunSplit(const Graph& graph, const SplitNetwork& network) {
  ASSIGN_OR_RETURN(const std::vector<LoweredSubgraph> subgraphs,
                   LowerSubgraphs(network, MetadataOf(graph), DefaultTarget()));
  ASSIGN_OR_RETURN(const std::string synap, WriteSubgraphs(subgraphs, network.outputs));
  ASSIGN_OR_RETURN(const Bundle bundle, ReadBundle(AsBytes(synap)));
  ASSIGN_OR_RETURN(const auto run, BundleRun::Create(bundle, {}));
  Values inputs;
  for (const TestTensor& input : InputsOf(graph)) inputs.push_back(input.bytes());
  RETURN_IF_ERROR(run->Run(std::vector<absl::Span<const uint8_t>>(inputs.begin(), inputs.end())));
  Values values;
  for (size_t i = 0; i < run->outputs().size(); ++i) {
    values.emplace_back(run->output(i).begin(), run->output(i).end());
  }
  return values;
}

// The names of a subgraph's inputs and outputs, and its delegate.
std::string Ends(const Subgraph& subgraph) {
  std::string text;
  for (const Tensor* input : subgraph.graph.inputs) text += input->name + " ";
  text += "-> ";
  for (const Tensor* output : subgraph.graph.outputs) text += output->name + " ";
  return text + subgraph.delegate.Text();
}

TEST(SplitGraphTest, OneDelegateKeepsTheGraph) {
  const Graph graph = GraphOfBody(R"(
    input %x: float32[4]
    %y: float32[4] = relu(%x) from "r"
    output %y
    output %x)");
  const auto network =
      SplitGraph(graph, {.of = {{&graph.ops().front(), {Delegate::kGpu, "log_level=1"}}}});
  ASSERT_TRUE(network.ok()) << network.status();
  ASSERT_EQ(network->subgraphs.size(), 1u);
  EXPECT_EQ(network->subgraphs[0].graph.name, graph.name);
  EXPECT_EQ(Ends(network->subgraphs[0]), "x -> y x gpu log_level=1");
}

TEST(SplitGraphTest, AGraphWithoutLayersHasTheStandardDelegate) {
  const Graph graph = GraphOfBody("input %x: float32[4]\n output %x");
  const auto network = SplitGraph(graph, {.standard = {Delegate::kCpu, "num_threads=2"}});
  ASSERT_TRUE(network.ok()) << network.status();
  ASSERT_EQ(network->subgraphs.size(), 1u);
  EXPECT_EQ(Ends(network->subgraphs[0]), "x -> x cpu num_threads=2");
}

TEST(SplitGraphTest, TensorsBetweenSubgraphsKeepTheirNames) {
  const Graph graph = GraphOfBody(R"(
    input %x: float32[4]
    input %unread: float32[4]
    const %k: float32[1] = [2]
    %a: float32[4] = mul(%x, %k) from "a"
    %b: float32[4] = mul(%a, %k) from "b"
    %c: float32[4] = add(%a, %b) from "c"
    output %c
    output %a
    output %x
    output %a)");
  DelegateAssignment delegates;
  for (const Op& op : graph.ops()) {
    delegates.of[&op] = {op.LayerName() == "b" ? Delegate::kCpu : Delegate::kNpu, ""};
  }
  const auto network = SplitGraph(graph, delegates);
  ASSERT_TRUE(network.ok()) << network.status();
  std::vector<std::string> ends;
  for (const Subgraph& subgraph : network->subgraphs) ends.push_back(Ends(subgraph));
  EXPECT_THAT(ends, ElementsAre("unread x -> a x a npu", "a -> b cpu", "a b -> c npu"));
  EXPECT_THAT(network->outputs,
              ElementsAre(BundleEdge{2, 0}, BundleEdge{0, 0}, BundleEdge{0, 1}, BundleEdge{0, 2}));
  EXPECT_EQ(*RunSplit(graph, *network), *RunWhole(graph));
}

TEST(SplitGraphTest, RandomDelegatesGiveTheSameBits) {
  int subgraphs = 0;
  for (const GraphKind kind : kAllGraphKinds) {
    for (uint64_t seed = 0; seed < 25; ++seed) {
      Graph graph = RandomGraph(kind, seed);
      ASSERT_TRUE(FoldConstants(graph).ok());
      TestRandom random(seed);
      DelegateAssignment delegates;
      for (const Op& op : graph.ops()) delegates.of[&op] = {kDelegates[random.Next() % 3], ""};
      const auto network = SplitGraph(graph, delegates);
      ASSERT_TRUE(network.ok()) << network.status() << "\n" << PrintGraph(graph);
      const auto split = RunSplit(graph, *network);
      ASSERT_TRUE(split.ok()) << split.status() << "\n" << PrintGraph(graph);
      EXPECT_EQ(*split, *RunWhole(graph)) << Name(kind) << " " << seed << "\n" << PrintGraph(graph);
      subgraphs += static_cast<int>(network->subgraphs.size());
    }
  }
  EXPECT_GT(subgraphs, 600);
}

}  // namespace
}  // namespace synap_internal
