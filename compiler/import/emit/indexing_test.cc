#include "compiler/import/emit/indexing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/import/emit/emitted_graph.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;

TEST(EmitGatherTest, CountsTheAxisFromTheEnd) {
  EmittedGraph graph;
  Tensor* x = graph.Input({2, 3});
  const absl::StatusOr<Tensor*> y = EmitGather(graph.op(), x, graph.Ints({2, 0}), -1, ".picked");
  EXPECT_EQ(graph.Text(y), "y.picked = gather(x0, ints)\ny.picked 2x2");
  EXPECT_THAT(graph.Run(y, {{0, 1, 2, 3, 4, 5}}), ElementsAre(2, 0, 5, 3));
}

TEST(EmitGatherTest, RefusesAnAxisOutside) {
  EmittedGraph graph;
  EXPECT_EQ(graph.Text(EmitGather(graph.op(), graph.Input({2}), graph.Ints({0}), 1)),
            "axis 1 is outside of a tensor of rank 1, expected one in [-1, 1)");
}

}  // namespace
}  // namespace synap_internal
