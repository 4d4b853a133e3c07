#include "compiler/import/emit/indexing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "compiler/import/emit/emitted_graph.h"
#include "compiler/import/evaluate_graph.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;

TEST(EmitGatherTest, CountsTheAxisFromTheEnd) {
  EmittedGraph graph;
  Tensor* x = graph.Input({2, 3});
  const Emitted y = EmitGather(graph.op(), x, graph.Ints({2, 0}), -1, ".picked");
  EXPECT_EQ(graph.Text(y), "y.picked = gather(x0, ints)\ny.picked 2x2");
  EXPECT_THAT(graph.Run(y, {{0, 1, 2, 3, 4, 5}}), ElementsAre(2, 0, 5, 3));
}

TEST(EmitGatherTest, RefusesAnAxisOutside) {
  EmittedGraph graph;
  EXPECT_EQ(graph.Text(EmitGather(graph.op(), graph.Input({2}), graph.Ints({0}), 1)),
            "axis 1 is outside of a tensor of rank 1, expected one in [-1, 1)");
}

TEST(EmitBatchGatherTest, EachPartOfTheBatchHasItsOwnIndices) {
  EmittedGraph graph;
  OpEmitter& op = graph.op();
  Tensor *x = graph.Input({2, 2, 3}), *indices = graph.Input({2, 2}, DataType::kInt64);
  const auto run = [&](int64_t axis, int64_t batch) {
    return graph.Run(EmitBatchGather(op, x, indices, axis, batch), {Count(12), {1, 0, 0, 1}});
  };
  // numpy: x[b, indices[b]]
  EXPECT_THAT(run(1, 1), ElementsAre(3, 4, 5, 0, 1, 2, 6, 7, 8, 9, 10, 11));
  // x[b, j, indices[b]] with the picked dimension in place of the last one
  EXPECT_THAT(run(2, 1), ElementsAre(1, 0, 4, 3, 6, 7, 9, 10));
  EXPECT_THAT(run(2, 2), ElementsAre(1, 3, 6, 10));
  EXPECT_EQ(run(0, 0).size(), 24u);
  EXPECT_EQ(graph.Text(EmitBatchGather(op, x, indices, 0, 1)),
            "its indices 2x2 don't fit its data 2x2x3 with 1 batch dimensions and axis 0");
}

TEST(EmitBatchGatherTest, RefusesConstantsThatReachIntoAnotherPart) {
  EmittedGraph graph;
  OpEmitter& op = graph.op();
  Tensor* x = graph.Input({2, 3});
  const auto text = [&](std::vector<int64_t> indices) {
    return graph.Text(EmitBatchGather(op, x, op.Values(Shape({2, 1}), std::move(indices)), 1, 1));
  };
  EXPECT_EQ(text({3, 0}), "index 3 is outside of a dimension of 3");
  EXPECT_EQ(text({0, -1}), "index -1 is outside of a dimension of 3");
  Tensor* last = op.Values(Shape({2, 1}), std::vector<int64_t>{2, 0});
  EXPECT_THAT(graph.Run(EmitBatchGather(op, x, last, 1, 1), {Count(6)}), ElementsAre(2, 3));
}

TEST(EmitScatterSlicesTest, WritesAlongAnAxis) {
  EmittedGraph graph;
  OpEmitter& op = graph.op();
  Tensor *x = graph.Input({2, 3}), *updates = graph.Input({2, 2});
  const auto run = [&](absl::string_view reduction) {
    return graph.Run(EmitScatterSlices(op, x, graph.Ints({2, 0}), updates, 1, reduction),
                     {Count(6), {10, 20, 30, 40}});
  };
  EXPECT_THAT(run("none"), ElementsAre(20, 1, 10, 40, 4, 30));
  EXPECT_THAT(run("add"), ElementsAre(20, 1, 12, 43, 4, 35));
}

TEST(EmitReplacedSliceTest, JoinsPartsAndScattersSteps) {
  EmittedGraph graph;
  OpEmitter& op = graph.op();
  Tensor *x = graph.Input({5}), *update = graph.Input({2});
  const auto run = [&](const AxisSlice& slice) {
    return graph.Run(EmitReplacedSlice(op, x, update, 0, slice), {Count(5), {8, 9}});
  };
  EXPECT_THAT(run({1, 2, 1}), ElementsAre(0, 8, 9, 3, 4));
  EXPECT_THAT(run({0, 2, 3}), ElementsAre(8, 1, 2, 9, 4));
  EXPECT_THAT(run({4, 2, -1}), ElementsAre(0, 1, 2, 9, 8));
  EXPECT_EQ(*EmitReplacedSlice(op, x, update, 0, {5, 0, 1}), x);
}

TEST(EmitGatherNdTest, TakesSlicesByCoordinates) {
  EmittedGraph graph;
  OpEmitter& op = graph.op();
  Tensor* x = graph.Input({2, 3});
  Tensor* indices = op.Values(Shape({2, 2}), std::vector<int64_t>{1, 2, 0, 1});
  EXPECT_THAT(graph.Run(EmitGatherNd(op, x, indices, 0, NegativeIndex::kOutside), {Count(6)}),
              ElementsAre(5, 1));
  Tensor* rows = op.Values(Shape({1, 1}), std::vector<int64_t>{-1});
  EXPECT_THAT(graph.Run(EmitGatherNd(op, x, rows, 0, NegativeIndex::kFromEnd), {Count(6)}),
              ElementsAre(3, 4, 5));
  EXPECT_EQ(graph.Text(EmitGatherNd(op, x, rows, 0, NegativeIndex::kOutside)),
            "index -1 is outside of a dimension of 2");
  Tensor* far = op.Values(Shape({1, 2}), std::vector<int64_t>{0, 3});
  EXPECT_EQ(graph.Text(EmitGatherNd(op, x, far, 0, NegativeIndex::kFromEnd)),
            "index 3 is outside of a dimension of 3");
  Tensor* batched = op.Values(Shape({2, 1, 1}), std::vector<int64_t>{2, 0});
  EXPECT_THAT(graph.Run(EmitGatherNd(op, x, batched, 1, NegativeIndex::kOutside), {Count(6)}),
              ElementsAre(2, 3));
}

TEST(EmitScatterNdTest, CombinesWithWhatIsThere) {
  EmittedGraph graph;
  OpEmitter& op = graph.op();
  Tensor *x = graph.Input({2, 2}), *updates = graph.Input({2, 2});
  Tensor* indices = op.Values(Shape({2, 1}), std::vector<int64_t>{1, 1});
  const auto run = [&](absl::string_view reduction) {
    return graph.Run(EmitScatterNd(op, x, indices, updates, reduction, NegativeIndex::kOutside),
                     {{1, 2, 3, 4}, {10, 20, 30, 5}});
  };
  EXPECT_THAT(run("add"), ElementsAre(1, 2, 43, 29));
  EXPECT_THAT(run("none"), ElementsAre(1, 2, 30, 5));
}

TEST(EmitUpdateSliceTest, ConstantCoordinatesAlongOneAxisBecomeAConcat) {
  EmittedGraph graph;
  OpEmitter& op = graph.op();
  Tensor *x = graph.Input({1, 4}), *update = graph.Input({1, 2});
  const auto y = EmitUpdateSlice(op, x, update, graph.Ints({0, 1}));
  EXPECT_EQ(graph.Text(y),
            "y.before = slice(x0)\ny.after = slice(x0)\n"
            "y = concat(y.before, x1, y.after)\ny 1x4");
  EXPECT_THAT(graph.Run(y, {Count(4), {8, 9}}), ElementsAre(0, 8, 9, 3));
}

TEST(EmitUpdateSliceTest, WhatDoesNotFitIsMoved) {
  EmittedGraph graph;
  OpEmitter& op = graph.op();
  Tensor *x = graph.Input({3, 3}), *update = graph.Input({2, 2});
  Tensor* start = graph.Input({2}, DataType::kInt64);
  const auto run = [&](Tensor* at, const std::vector<float>& values) {
    return graph.Run(EmitUpdateSlice(op, x, update, at), {Count(9), {10, 11, 12, 13}, values});
  };
  EXPECT_THAT(run(start, {0, 1}), ElementsAre(0, 10, 11, 3, 12, 13, 6, 7, 8));
  EXPECT_THAT(run(start, {-5, 9}), ElementsAre(0, 10, 11, 3, 12, 13, 6, 7, 8));
  EXPECT_THAT(run(graph.Ints({9, -1}), {0, 0}), ElementsAre(0, 1, 2, 10, 11, 5, 12, 13, 8));
}

TEST(EmitUpdateSliceTest, RowsAreWrittenAsAWhole) {
  EmittedGraph graph;
  OpEmitter& op = graph.op();
  Tensor *x = graph.Input({2, 3, 2}), *update = graph.Input({2, 1, 2});
  Tensor* start = graph.Input({3}, DataType::kInt64);
  EXPECT_THAT(
      graph.Run(EmitUpdateSlice(op, x, update, start), {Count(12), {20, 21, 22, 23}, {0, 1, 0}}),
      ElementsAre(0, 1, 20, 21, 4, 5, 6, 7, 22, 23, 10, 11));
  EXPECT_EQ(EmitUpdateSlice(op, x, x, start).value(), x);
  EXPECT_EQ(graph.Text(EmitUpdateSlice(op, update, x, start)),
            "it writes float32 2x3x2 into float32 2x1x2 at 3 coordinates");
}

TEST(EmitOneHotTest, IndicesOutsideAreNowhere) {
  EmittedGraph graph;
  OpEmitter& op = graph.op();
  Tensor* indices = graph.Input({2}, DataType::kInt64);
  const auto run = [&](int64_t axis, NegativeIndex negative) {
    return graph.Run(EmitOneHot(op, indices, 2, axis, graph.Float(7), graph.Float(1), negative),
                     {{-1, 0}});
  };
  EXPECT_THAT(run(-1, NegativeIndex::kOutside), ElementsAre(1, 1, 7, 1));
  EXPECT_THAT(run(0, NegativeIndex::kOutside), ElementsAre(1, 7, 1, 1));
  EXPECT_THAT(run(-1, NegativeIndex::kFromEnd), ElementsAre(1, 7, 7, 1));
}

TEST(EmitReverseSequenceTest, ReversesAlongAnyTwoDimensions) {
  EmittedGraph graph;
  OpEmitter& op = graph.op();
  Tensor *x = graph.Input({2, 3}), *lengths = graph.Input({2}, DataType::kInt64);
  const auto run = [&](Tensor* counts) {
    return graph.Run(EmitReverseSequence(op, x, counts, 1, 0), {Count(6), {2, 3}});
  };
  EXPECT_THAT(run(lengths), ElementsAre(1, 0, 2, 5, 4, 3));
  EXPECT_THAT(run(graph.Ints({3, 1})), ElementsAre(2, 1, 0, 3, 4, 5));
  EXPECT_THAT(
      graph.Run(EmitReverseSequence(op, x, graph.Ints({1, 2, 2}), 0, 1), {Count(6), {0, 0}}),
      ElementsAre(0, 4, 5, 3, 1, 2));
  EXPECT_EQ(graph.Text(EmitReverseSequence(op, x, graph.Ints({4, 1}), 1, 0)),
            "its lengths have 4 for 3 steps");
  EXPECT_EQ(graph.Text(EmitReverseSequence(op, x, lengths, 0, 0)),
            "its lengths 2 don't fit its input 2x3 with time as dimension 0 and the batch as "
            "dimension 0");
}

TEST(EmitReverseSequenceTest, OtherDimensionsMayComeBefore) {
  EmittedGraph graph;
  Tensor* x = graph.Input({2, 2, 2});
  // x[i, t, b] with b of lengths 1 and 2.
  EXPECT_THAT(graph.Run(EmitReverseSequence(graph.op(), x, graph.Ints({1, 2}), 1, 2), {Count(8)}),
              ElementsAre(0, 3, 2, 1, 4, 7, 6, 5));
}

TEST(EmitTopKTest, EqualElementsKeepTheirOrder) {
  EmittedGraph graph;
  Tensor* x = graph.Input({2, 3});
  const auto top = EmitTopK(graph.op(), x, x, {.k = 2});
  EXPECT_THAT(graph.Run(top.value().values, {{1, 5, 5, 3, 2, 4}}), ElementsAre(5, 5, 4, 3));
  EXPECT_THAT(graph.Run(top.value().indices, {{1, 5, 5, 3, 2, 4}}), ElementsAre(1, 2, 2, 0));
}

}  // namespace
}  // namespace synap_internal
