#include "compiler/import/emit/tensorflow_family.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "compiler/import/emit/emitted_graph.h"
#include "compiler/import/evaluate_graph.h"

namespace synap_internal::tensorflow_family {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(TensorflowFamilyTest, ParametersHaveToBeConstant) {
  EmittedGraph graph;
  Tensor *x = graph.Input({2, 3}), *axis = graph.Input({1}, DataType::kInt64);
  EXPECT_THAT(graph.Text(ExpandDims(graph.op(), {x, axis})),
              HasSubstr("'axis' must be constant, but 'x1'"));
  EXPECT_THAT(graph.Text(Transpose(graph.op(), {x, axis})), HasSubstr("'permutation' must be"));
}

TEST(TensorflowFamilyTest, ShapesChange) {
  EmittedGraph graph;
  OpEmitter& op = graph.op();
  Tensor* x = graph.Input({1, 2, 3});
  const auto shape = [](const Emitted& y) { return y.value()->type.shape; };
  EXPECT_EQ(shape(Reshape(op, {x, graph.Ints({3, -1})})), Shape({3, 2}));
  EXPECT_EQ(shape(ExpandDims(op, {x, graph.Ints({-1})})), Shape({1, 2, 3, 1}));
  EXPECT_EQ(shape(Transpose(op, {x, graph.Ints({2, 0, 1})})), Shape({3, 1, 2}));
  EXPECT_EQ(shape(Tile(op, {x, graph.Ints({2, 1, 1})})), Shape({2, 2, 3}));
  EXPECT_EQ(shape(BroadcastTo(op, {x, graph.Ints({5, 2, 3})})), Shape({5, 2, 3}));
  EXPECT_EQ(shape(Squeeze(op, x, {})), Shape({2, 3}));
  EXPECT_EQ(shape(Squeeze(op, x, {0})), Shape({2, 3}));
  EXPECT_THAT(ShapeOf(op, {x}).value()->values<int64_t>(), ElementsAre(1, 2, 3));
  EXPECT_THAT(RankOf(op, {x}).value()->values<int64_t>(), ElementsAre(3));
  EXPECT_THAT(Fill(op, {graph.Ints({2}), graph.Float(7)}).value()->values<float>(),
              ElementsAre(7, 7));
}

TEST(TensorflowFamilyTest, PartsAreTaken) {
  EmittedGraph graph;
  OpEmitter& op = graph.op();
  Tensor* x = graph.Input({2, 3});
  const auto run = [&](const Emitted& y) { return graph.Run(y, {Count(6)}); };
  EXPECT_THAT(run(Slice(op, {x, graph.Ints({1, 0}), graph.Ints({1, 2})})), ElementsAre(3, 4));
  EXPECT_THAT(run(Reverse(op, {x, graph.Ints({0, 1})})), ElementsAre(5, 4, 3, 2, 1, 0));
  EXPECT_THAT(run(Gather(op, {x, graph.Ints({2})}, 1, 0)), ElementsAre(2, 5));
  EXPECT_THAT(run(Gather(op, {x, graph.Ints({2, 0})}, 1, 1)), ElementsAre(2, 3));
  EXPECT_THAT(run(Gather(op, {x, graph.Ints({2, 0})}, -1, -1)), ElementsAre(2, 0, 5, 3));
  EXPECT_THAT(run(SplitV(op, {x, graph.Ints({1, -1}), graph.Ints({1})}).value()[0]),
              ElementsAre(0, 3));
  EXPECT_THAT(
      run(StridedSlice(op, {x, graph.Ints({0, 0}), graph.Ints({1, 3}), graph.Ints({1, 2})}, {})),
      ElementsAre(0, 2));
}

TEST(TensorflowFamilyTest, ScatteredUpdatesAreAdded) {
  EmittedGraph graph;
  OpEmitter& op = graph.op();
  Tensor* indices = op.Values(Shape({3, 1}), std::vector<int64_t>{2, 0, 2});
  Tensor* updates = graph.Input({3});
  EXPECT_THAT(graph.Run(ScatterNd(op, {indices, updates, graph.Ints({4})}), {{1, 2, 3}}),
              ElementsAre(2, 0, 4, 0));
  EXPECT_EQ(graph.Text(ScatterNd(op, {indices, updates, graph.Ints({2})})),
            "index 2 is outside of a dimension of 2");
}

TEST(TensorflowFamilyTest, ScatteredBytesKeepTheLowBits) {
  EmittedGraph graph;
  OpEmitter& op = graph.op();
  Tensor* indices = op.Values(Shape({2, 1}), std::vector<int64_t>{1, 1});
  Tensor* updates = graph.Input({2}, DataType::kUint8);
  EXPECT_THAT(graph.Run(ScatterNd(op, {indices, updates, graph.Ints({2})}), {{200, 100}}),
              ElementsAre(0, 44));
}

TEST(TensorflowFamilyTest, CoordinatesOfTrueElements) {
  EmittedGraph graph;
  OpEmitter& op = graph.op();
  const Emitted y = Where(op, {graph.Constant({2, 2}, {0, 1, 2, 0})});
  EXPECT_EQ(y.value()->type.shape, Shape({2, 2}));
  EXPECT_THAT(y.value()->values<int64_t>(), ElementsAre(0, 1, 1, 0));
  EXPECT_EQ(graph.Text(Where(op, {graph.Input({2}, DataType::kBool)})),
            "its condition 'x0' is computed, and how many elements are true depends on its values");
}

TEST(TensorflowFamilyTest, PadsWithAnOptionalValue) {
  EmittedGraph graph;
  OpEmitter& op = graph.op();
  Tensor *x = graph.Input({2}), *pads = graph.Ints({1, 0});
  const auto run = [&](const Emitted& y) { return graph.Run(y, {{5, 6}}); };
  EXPECT_THAT(run(Pad(op, {x, pads})), ElementsAre(0, 5, 6));
  EXPECT_THAT(run(Pad(op, {x, pads, nullptr})), ElementsAre(0, 5, 6));
  EXPECT_THAT(run(Pad(op, {x, pads, graph.Float(9)})), ElementsAre(9, 5, 6));
  Operands shortened = {x, pads, graph.Float(9)};
  shortened.pop_back();
  EXPECT_THAT(run(Pad(op, shortened)), ElementsAre(0, 5, 6));
  EXPECT_THAT(run(MirrorPad(op, {x, pads})), ElementsAre(6, 5, 6));
}

TEST(TensorflowFamilyTest, NoAxesReduceNothing) {
  EmittedGraph graph;
  Tensor* x = graph.Input({2, 2});
  EXPECT_EQ(Reduce(graph.op(), "reduce_max", {x, graph.Ints({})}, false).value(), x);
  EXPECT_THAT(graph.Run(Reduce(graph.op(), "reduce_max", {x, graph.Ints({0})}, false), {Count(4)}),
              ElementsAre(2, 3));
}

TEST(TensorflowFamilyTest, BatchToSpaceIsTheWayBack) {
  EmittedGraph graph;
  BatchSpace space;
  Tensor *x = graph.Input({1, 2, 2, 1}), *block = graph.Ints({2, 2}),
         *edges = graph.Ints({0, 0, 0, 0});
  const Emitted batch = SpaceToBatch(graph.op(), {x, block, edges}, space);
  ASSERT_TRUE(batch.ok()) << batch.status();
  EXPECT_EQ((*batch)->type.shape, Shape({4, 1, 1, 1}));
  EXPECT_EQ(graph.Run(BatchToSpace(graph.op(), {*batch, block, edges}, space), {Count(4)}),
            Count(4));
}

}  // namespace
}  // namespace synap_internal::tensorflow_family
