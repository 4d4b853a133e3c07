#include "compiler/graph/graph.h"

#include <string>
#include <vector>

#include "compiler/graph/text.h"
#include "gtest/gtest.h"

namespace synap_internal {
namespace {

Graph Diamond() {
  return *ParseGraph(R"(graph "g" layout="nchw" {
    input %x: float32[2x3]
    %a: float32[6] = reshape(%x) {shape=[6]} from "a"
    %b: float32[6] = reshape(%x) {shape=[6]} from "b"
    %c: float32[12] = concat(%a, %b) {axis=0} from "c"
    %unused: float32[3x2] = transpose(%x) {perm=[1, 0]} from "u"
    output %c
  })");
}

Op* Producer(Graph& graph, const char* tensor) { return graph.FindTensor(tensor)->producer; }

TEST(GraphTest, UsersFollowReplacement) {
  Graph graph = Diamond();
  Tensor* a = graph.FindTensor("a");
  Tensor* b = graph.FindTensor("b");
  graph.ReplaceUses(b, a);
  EXPECT_EQ(a->users.size(), 2u);
  EXPECT_TRUE(b->users.empty());
  EXPECT_EQ(Producer(graph, "c")->inputs, (std::vector<Tensor*>{a, a}));
  EXPECT_TRUE(VerifyGraph(graph).ok());
}

TEST(GraphTest, RemovesOpsThatNoOutputNeeds) {
  Graph graph = Diamond();
  EXPECT_EQ(graph.RemoveDead(), 1);
  EXPECT_EQ(graph.FindTensor("unused"), nullptr);
  EXPECT_NE(graph.FindTensor("x"), nullptr);
  EXPECT_EQ(graph.ops().size(), 3u);
}

TEST(GraphTest, SortPutsProducersFirst) {
  Graph graph = Diamond();
  // An op that is added last, but read by the first.
  Tensor* x = graph.FindTensor("x");
  Op* late =
      *graph.AddInferredOp("transpose", {x}, {{"perm", std::vector<int64_t>{1, 0}}}, {"t"}, "late");
  graph.SetInput(Producer(graph, "a"), 0, late->output());
  EXPECT_FALSE(VerifyGraph(graph).ok());
  ASSERT_TRUE(graph.Sort().ok());
  EXPECT_TRUE(VerifyGraph(graph).ok()) << VerifyGraph(graph);
}

TEST(GraphTest, SortNamesACycle) {
  Graph graph = Diamond();
  graph.SetInput(Producer(graph, "a"), 0, graph.FindTensor("c"));
  const absl::Status status = graph.Sort();
  EXPECT_NE(status.message().find("has a cycle"), std::string::npos) << status;
}

TEST(GraphTest, VerifyFindsAWrongShape) {
  Graph graph = Diamond();
  graph.FindTensor("c")->type.shape = Shape({13});
  EXPECT_EQ(VerifyGraph(graph).message(), "concat 'c': output 'c' has shape 13, expected 12");
}

TEST(GraphTest, VerifyFindsAConstantOfTheWrongSize) {
  Graph graph = Diamond();
  Tensor* c = graph.AddConstant("k", {DataType::kFloat32, Shape({1}), {}},
                                Constant::Own(std::vector<uint8_t>(4)));
  c->type.shape = Shape({2});
  EXPECT_EQ(VerifyGraph(graph).message(), "tensor 'k': has 4 bytes, expected 8");
}

TEST(GraphTest, NamesStayUnique) {
  Graph graph = Diamond();
  EXPECT_EQ(graph.UniqueName("new"), "new");
  EXPECT_EQ(graph.UniqueName("a"), "a.1");
}

TEST(GraphTest, NamesThatAreFreeAgainAreGivenAgain) {
  Graph graph = Diamond();
  for (int i = 1; i <= 3; ++i) graph.AddTensor(graph.UniqueName("a"), {});
  EXPECT_EQ(graph.UniqueName("a"), "a.4");
  graph.Rename(graph.FindTensor("a.2"), "other");
  EXPECT_EQ(graph.UniqueName("a"), "a.2");
  graph.RemoveDead();
  EXPECT_EQ(graph.UniqueName("a"), "a.1");
}

TEST(GraphTest, ManyTensorsOfOneNameTakeLinearTime) {
  Graph graph;
  constexpr int kCount = 100000;  // minutes if each name is looked for from the first on
  for (int i = 0; i < kCount; ++i) graph.AddTensor(graph.UniqueName("x"), {});
  EXPECT_EQ(graph.UniqueName("x"), "x.100000");
}

TEST(GraphTest, OpsAreReplacedInLinearTime) {
  Graph graph;
  constexpr int kCount = 100000;  // minutes if each op is looked for from the first on
  Tensor* x = graph.AddTensor("x", {DataType::kFloat32, {1}, {}});
  graph.inputs = {x};
  std::vector<Op*> chain;
  for (int i = 0; i < kCount; ++i) {
    chain.push_back(*graph.AddInferredOp("neg", {x}, {}, {"n"}, "y"));
    x = chain.back()->output();
  }
  graph.outputs = {x};
  for (Op*& op : chain) {
    Op* added = *graph.AddInferredOp("neg", {op->inputs[0]}, {}, {"n"}, "z", op);
    graph.ReplaceUses(op->output(), added->output());
    graph.RemoveOp(op);
    op = added;
  }
  EXPECT_EQ(graph.ops().size(), static_cast<size_t>(kCount));
  EXPECT_EQ(&graph.ops().front(), chain.front());
  graph.outputs = {chain.front()->output()};
  EXPECT_EQ(graph.RemoveDead(), kCount - 1);
  graph.RemoveOp(*graph.AddInferredOp("neg", graph.inputs, {}, {"n"}, "y"));
  EXPECT_TRUE(VerifyGraph(graph).ok());
}

}  // namespace
}  // namespace synap_internal
