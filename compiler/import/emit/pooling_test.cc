#include "compiler/import/emit/pooling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/import/emit/emitted_graph.h"
#include "compiler/import/emit/window.h"
#include "compiler/import/evaluate_graph.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;

TEST(PoolingTest, GlobalPoolingKeepsTheRank) {
  EmittedGraph graph;
  const Emitted image = EmitGlobalPool(graph.op(), "reduce_mean", graph.Counted({1, 2, 2, 2}));
  ASSERT_TRUE(image.ok());
  EXPECT_EQ((*image)->type.shape, Shape({1, 2, 1, 1}));
  EXPECT_THAT(Values(image), ElementsAre(1.5f, 5.5f));
  const Emitted line = EmitGlobalPool(graph.op(), "reduce_max", graph.Counted({1, 2, 3}));
  ASSERT_TRUE(line.ok());
  EXPECT_EQ((*line)->type.shape, Shape({1, 2, 1}));
  EXPECT_THAT(Values(line), ElementsAre(2, 5));
}

TEST(PoolingTest, GlobalPoolingReducesHeightAndWidth) {
  EmittedGraph graph;
  const Emitted y = EmitGlobalPool(graph.op(), "reduce_mean", graph.Input({1, 2, 3, 4}));
  ASSERT_TRUE(y.ok()) << y.status();
  const Attributes& attributes = (*y)->producer->inputs[0]->producer->attributes;
  EXPECT_THAT(std::get<std::vector<int64_t>>(attributes.at("axes")), ElementsAre(1, 2));
  EXPECT_EQ(std::get<int64_t>(attributes.at("keep_dims")), 1);
}

// Windows of 3 elements in 2 outputs overlap: 0 to 2 and 1 to 3.
TEST(PoolingTest, AdaptiveMeansOverlapWhereTheSizeIsNoMultiple) {
  EmittedGraph graph;
  Tensor* image = graph.Constant({1, 1, 2, 3}, {0, 2, 8, 10, 12, 18});
  EXPECT_THAT(Values(EmitAdaptiveMean(graph.op(), image, {2, 2})), ElementsAre(1, 5, 11, 15));
  EXPECT_THAT(Values(EmitAdaptiveMean(graph.op(), image, {1, 2})), ElementsAre(6, 10));
}

TEST(PoolingTest, MatricesBeyondTheBudgetAreRefused) {
  EmittedGraph graph;
  EXPECT_EQ(graph.Text(EmitAdaptiveMean(graph.op(), graph.Input({1, 1, 1, 1000}), {1, 300})),
            "a constant of 1200000 bytes is too large (1048576 bytes are left)");
}

TEST(EmitTapTest, MovesTapsThatAreOutside) {
  EmittedGraph graph;
  Tensor* x = graph.Input({1, 3, 3});
  const Window window{{2, 2}, {2, 2}, {1, 1}, {1, 0, 0, 1}};
  const auto run = [&](RowAndColumn tap) {
    return graph.Run(EmitTap(graph.op(), x, 1, window, tap, {2, 2}), {Count(9)});
  };
  EXPECT_THAT(run({0, 0}), ElementsAre(0, 2, 3, 5));
  EXPECT_THAT(run({0, 1}), ElementsAre(1, 2, 4, 5));
  EXPECT_THAT(run({1, 0}), ElementsAre(0, 2, 6, 8));
  EXPECT_EQ(TapsInside(window, 0, 0, 3).first, 1);
  EXPECT_EQ(TapsInside(window, 1, 1, 3).last, 0);
}

TEST(PoolingTest, AdaptiveWindowsMayBeOfUnequalSize) {
  EmittedGraph graph;
  Tensor* x = graph.Constant({1, 1, 1, 1, 5}, {4, 1, 2, 5, 3});
  EXPECT_THAT(Values(EmitAdaptiveMax(graph.op(), x, {1, 1, 3})), ElementsAre(4, 5, 5));
  EXPECT_THAT(Values(EmitAdaptiveVolumeMean(graph.op(), x, {1, 1, 2})),
              ElementsAre(FloatNear(7.0f / 3, 1e-6f), FloatNear(10.0f / 3, 1e-6f)));
}

}  // namespace
}  // namespace synap_internal
