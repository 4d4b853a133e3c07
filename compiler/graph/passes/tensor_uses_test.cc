#include "compiler/graph/passes/tensor_uses.h"

#include "compiler/testing/run_pass.h"
#include "gtest/gtest.h"

namespace synap_internal {
namespace {

Graph Uses() {
  return GraphOfBody(R"(
    input %x: float32[2]
    const %c: float32[2] = [1.0, 2.0]
    const %d: float32[2] = [1.0, 2.0]
    const %unread: float32[2] = [1.0, 2.0]
    %once: float32[2] = add(%x, %c) from "once"
    %twice: float32[2] = neg(%once) from "twice"
    %out: float32[2] = mul(%twice, %twice) from "out"
    %y: float32[2] = neg(%out) from "y"
    output %y
    output %out
    output %d)");
}

TEST(HasSingleUseTest, CountsOperandsAndOutputs) {
  const Graph graph = Uses();
  EXPECT_TRUE(HasSingleUse(graph, graph.FindTensor("once")));
  EXPECT_FALSE(HasSingleUse(graph, graph.FindTensor("twice")));
  EXPECT_FALSE(HasSingleUse(graph, graph.FindTensor("out")));
  EXPECT_FALSE(HasSingleUse(graph, graph.FindTensor("y")));
  EXPECT_FALSE(HasSingleUse(graph, graph.FindTensor("unread")));
}

TEST(ReleaseUnreadTest, FreesConstantsThatNothingReads) {
  Graph graph = Uses();
  for (const char* name : {"c", "d", "unread"}) ReleaseUnread(graph, graph.FindTensor(name));
  ReleaseUnread(graph, nullptr);
  EXPECT_TRUE(graph.FindTensor("c")->is_constant());
  EXPECT_TRUE(graph.FindTensor("d")->is_constant());
  EXPECT_FALSE(graph.FindTensor("unread")->is_constant());
}

}  // namespace
}  // namespace synap_internal
