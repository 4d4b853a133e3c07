#include "compiler/import/emit/reduction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/import/emit/emitted_graph.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;

TEST(EmitReduceTest, KeepsDimensionsOrDropsThem) {
  EmittedGraph graph;
  Tensor* x = graph.Input({2, 3});
  EXPECT_EQ(EmitReduce(graph.op(), "reduce_sum", x, {1}, true).value()->type.shape, Shape({2, 1}));
  const Emitted dropped = EmitReduce(graph.op(), "reduce_sum", x, {1}, false);
  EXPECT_EQ((*dropped)->type.shape, Shape({2}));
  EXPECT_THAT(graph.Run(dropped, {{1, 2, 3, 4, 5, 6}}), ElementsAre(6, 15));
}

TEST(EmitArgTest, IsTheFirstIndex) {
  EmittedGraph max, min;
  const std::vector<float> values = {1, 3, 3, 0, 5, 0};
  Tensor* x = max.Input({2, 3});
  EXPECT_THAT(max.Run(EmitArgMax(max.op(), x, -1, false), {values}), ElementsAre(1, 1));
  x = min.Input({2, 3});
  EXPECT_THAT(min.Run(EmitArgMin(min.op(), x, 1, true), {values}), ElementsAre(0, 0));
}

TEST(EmitArgTest, RefusesAnAxisOutside) {
  EmittedGraph graph;
  EXPECT_EQ(graph.Text(EmitArgMax(graph.op(), graph.Input({2, 3}), 2, false)),
            "axis 2 is outside of a tensor of rank 2, expected one in [-2, 2)");
}

}  // namespace
}  // namespace synap_internal
