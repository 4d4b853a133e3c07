#include "compiler/graph/passes/replace_op.h"

#include <string>
#include <vector>

#include "compiler/testing/run_pass.h"
#include "gtest/gtest.h"

namespace synap_internal {
namespace {

Graph Chain() {
  return GraphOfBody(R"(
    input %x: float32[2]
    const %c: float32[2] = [1.0, 2.0]
    %a: float32[2] = neg(%x) from "a"
    %b: float32[2] = abs(%a) from "b", "a"
    %y: float32[2] = mul(%b, %b) from "y"
    output %y
    output %b)");
}

TEST(ReplaceOpTest, ReadersAndOutputsReadTheReplacementUnderTheOldName) {
  Graph graph = Chain();
  Tensor* a = graph.FindTensor("a");
  ReplaceOp(graph, graph.FindTensor("b")->producer, a);
  EXPECT_EQ(a->name, "b");
  EXPECT_EQ(graph.FindTensor("y")->producer->inputs, (std::vector<Tensor*>{a, a}));
  EXPECT_EQ(graph.outputs[1], a);
  EXPECT_EQ(graph.ops().size(), 2u);
  EXPECT_TRUE(VerifyGraph(graph).ok()) << VerifyGraph(graph);
}

TEST(ReplaceOpTest, InputsAndConstantsKeepTheirNames) {
  for (const char* kept : {"x", "c"}) {
    Graph graph = Chain();
    graph.outputs.pop_back();
    Tensor* replacement = graph.FindTensor(kept);
    ReplaceOp(graph, graph.FindTensor("b")->producer, replacement);
    EXPECT_EQ(replacement->name, kept);
    EXPECT_EQ(graph.FindTensor("y")->producer->inputs, (std::vector<Tensor*>(2, replacement)));
    EXPECT_TRUE(VerifyGraph(graph).ok()) << VerifyGraph(graph);
  }
}

TEST(ReplaceOpTest, AnOutputOfTheNetworkKeepsItsName) {
  Graph graph = Chain();
  Tensor* a = graph.FindTensor("a");
  graph.outputs = {graph.FindTensor("y"), a};
  ReplaceOp(graph, graph.FindTensor("b")->producer, a);
  EXPECT_EQ(a->name, "a");
  EXPECT_EQ(graph.FindTensor("b"), nullptr);
  EXPECT_EQ(graph.FindTensor("y")->producer->inputs, (std::vector<Tensor*>{a, a}));
  EXPECT_TRUE(VerifyGraph(graph).ok()) << VerifyGraph(graph);
}

TEST(ReplaceOpTest, AnOutputThatCantGiveItsNameStaysAsACopy) {
  for (const char* kept : {"x", "c", "a"}) {
    Graph graph = Chain();
    Tensor* replacement = graph.FindTensor(kept);
    if (replacement->producer != nullptr) graph.outputs.push_back(replacement);
    ReplaceOp(graph, graph.FindTensor("b")->producer, replacement);
    ASSERT_EQ(graph.outputs[1]->name, "b") << kept;
    EXPECT_EQ(graph.outputs[1]->producer->inputs, std::vector<Tensor*>{replacement});
    EXPECT_EQ(graph.FindTensor("y")->producer->inputs, (std::vector<Tensor*>(2, replacement)));
    EXPECT_EQ(replacement->name, kept);
    EXPECT_TRUE(VerifyGraph(graph).ok()) << VerifyGraph(graph);
  }
}

TEST(JoinOriginsTest, NamesEachOriginOnce) {
  Graph graph = Chain();
  const Op &a = *graph.FindTensor("a")->producer, &b = *graph.FindTensor("b")->producer;
  EXPECT_EQ(JoinOrigins(a, b), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(JoinOrigins(b, a), (std::vector<std::string>{"b", "a"}));
}

}  // namespace
}  // namespace synap_internal
