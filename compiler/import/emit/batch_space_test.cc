#include "compiler/import/emit/batch_space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/import/emit/emitted_graph.h"
#include "compiler/import/evaluate_graph.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(BatchSpaceTest, PixelsOfABlockBecomeImages) {
  EmittedGraph graph;
  BatchSpace batch_space;
  // One row of zeros above, two columns of them on the right: blocks of 2 x 3 pixels.
  const absl::StatusOr<Tensor*> y =
      batch_space.ToBatch(graph.op(), graph.Input({1, 3, 4, 1}), {2, 3}, {1, 0, 0, 2});
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ((*y)->type.shape, Shape({6, 2, 2, 1}));
  EXPECT_THAT(graph.Run(y, {Count(12)}), ElementsAre(0, 0, 4, 7, 0, 0, 5, 0, 0, 0, 6, 0,  //
                                                     0, 3, 8, 11, 1, 0, 9, 0, 2, 0, 10, 0));
}

TEST(BatchSpaceTest, CropsAreTakenOffBothEnds) {
  EmittedGraph graph;
  // Rows of 2 pixels of 6 images become one of 4 x 6, here 0 6 1 7 ... in blocks of 2 x 3.
  const absl::StatusOr<Tensor*> y =
      BatchSpace().ToSpace(graph.op(), graph.Input({6, 2, 2, 1}), {2, 3}, {1, 0, 2, 1});
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ((*y)->type.shape, Shape({1, 3, 3, 1}));
  EXPECT_THAT(graph.Run(y, {Count(24)}), ElementsAre(20, 13, 17, 10, 3, 7, 22, 15, 19));
}

TEST(BatchSpaceTest, ToSpaceIsTheWayBack) {
  EmittedGraph graph;
  BatchSpace batch_space;
  const absl::StatusOr<Tensor*> batch =
      batch_space.ToBatch(graph.op(), graph.Input({2, 3, 4, 2}), {2, 3}, {1, 0, 0, 2});
  ASSERT_TRUE(batch.ok()) << batch.status();
  EXPECT_EQ(graph.Run(batch_space.ToSpace(graph.op(), *batch, {2, 3}, {1, 0, 0, 2}), {Count(48)}),
            Count(48));
}

TEST(BatchSpaceTest, BlocksAroundAConvolutionAreItsDilation) {
  EmittedGraph graph;
  BatchSpace batch_space;
  Tensor* x = graph.Input({1, 6, 6, 1});
  Tensor* batch = batch_space.ToBatch(graph.op(), x, {2, 3}, {2, 2, 3, 3}).value();
  Tensor* sums =
      graph.op().Emit("conv2d", {batch, graph.Counted({1, 2, 2, 1})}, {}, ".sums").value();
  Tensor* activated = graph.op().Emit("relu", {sums}, {}, ".activated").value();
  const absl::StatusOr<Tensor*> y =
      batch_space.ToSpace(graph.op(), activated, {2, 3}, {1, 0, 2, 1});
  EXPECT_THAT(graph.Text(y), HasSubstr("y.linear = conv2d(x0, "));
  EXPECT_THAT(graph.Text(y), HasSubstr(" = relu(y.linear)\ny.1 1x7x6x1"));
  const Attributes& attributes = (*y)->producer->inputs[0]->producer->attributes;
  EXPECT_THAT(std::get<std::vector<int64_t>>(attributes.at("dilations")), ElementsAre(2, 3));
  EXPECT_THAT(std::get<std::vector<int64_t>>(attributes.at("pads")), ElementsAre(1, 1, 2, 2));
}

TEST(BatchSpaceTest, RefusesBlocksAndCropsThatDontFit) {
  EmittedGraph graph;
  BatchSpace batch_space;
  const auto to_space = [&](std::vector<int64_t> block, std::vector<int64_t> crops) {
    return graph.Text(batch_space.ToSpace(graph.op(), graph.Input({6, 2, 2, 1}), block, crops));
  };
  EXPECT_THAT(to_space({2, 2}, {0, 0, 0, 0}), HasSubstr("don't fit its input 6x2x2x1"));
  EXPECT_THAT(to_space({2, 3}, {3, 2, 0, 0}), HasSubstr("don't fit its input 6x2x2x1"));
  EXPECT_THAT(to_space({2, 3}, {0, 0, 3, 4}), HasSubstr("don't fit its input 6x2x2x1"));
  EXPECT_THAT(to_space({2}, {0, 0, 0, 0}), HasSubstr("its block shape is [2]"));
  EXPECT_THAT(to_space({0, 3}, {0, 0, 0, 0}), HasSubstr("its block shape is [0, 3]"));
  EXPECT_THAT(
      graph.Text(batch_space.ToBatch(graph.op(), graph.Input({1, 3, 4, 1}), {2, 3}, {0, 0, 0, 2})),
      HasSubstr("its block shape [2, 3] doesn't divide its padded input 1x3x6x1"));
}

}  // namespace
}  // namespace synap_internal
