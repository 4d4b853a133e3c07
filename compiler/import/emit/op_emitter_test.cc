#include "compiler/import/emit/op_emitter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "compiler/import/emit/emitted_graph.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;

TEST(OpEmitterTest, StepsHaveTheirNumbersInTheirNames) {
  EmittedGraph graph;
  EXPECT_EQ(graph.op().Step(3).Name(".h"), "y.3.h");
  EXPECT_EQ(graph.op().Step(3).Step(4).Name(), "y.3.4");
  EXPECT_EQ(graph.op().Step(3).origin(), "node");
}

TEST(OpEmitterTest, ASinglePartNeedsNoConcat) {
  EmittedGraph graph;
  Tensor* x = graph.Counted({1, 2});
  EXPECT_EQ(*graph.op().Concat({x}, 0), x);
  EXPECT_THAT(Values(graph.op().Concat({x, x}, 1)), ElementsAre(0, 1, 0, 1));
}

TEST(OpEmitterTest, OperandsMayBeOps) {
  EmittedGraph graph;
  OpEmitter& op = graph.op();
  Tensor* x = graph.Input({2});
  EXPECT_EQ(graph.Text(op.Emit("add", {op.Emit("neg", {x}, {}, ".a"), x})),
            "y.a = neg(x0)\ny = add(y.a, x0)\ny 2");
  EXPECT_EQ(graph.Text(op.Emit("add", {x, absl::InvalidArgumentError("b is missing")})),
            "b is missing");
  EXPECT_EQ(
      graph.Text(op.Reshape(
          op.Cast(op.Scale(absl::InvalidArgumentError("x is missing"), 2), DataType::kInt64), {2})),
      "x is missing");
}

TEST(OpEmitterTest, OnlyConstantsHaveValues) {
  EmittedGraph graph;
  EXPECT_THAT(Values(graph.Constant({2}, {3, 4})), ElementsAre(3, 4));
  EXPECT_TRUE(Values(graph.Input({2})).empty());
  EXPECT_TRUE(Values(absl::InvalidArgumentError("x is missing")).empty());
}

TEST(OpEmitterTest, AFactorOfOneNeedsNoOp) {
  EmittedGraph graph;
  Tensor* x = graph.Counted({2});
  EXPECT_EQ(*graph.op().Scale(x, 1), x);
  EXPECT_THAT(Values(graph.op().Scale(x, 3)), ElementsAre(0, 3));
}

}  // namespace
}  // namespace synap_internal
