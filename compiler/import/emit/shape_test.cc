#include "compiler/import/emit/shape.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "compiler/import/emit/emitted_graph.h"
#include "compiler/import/evaluate_graph.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

template <typename T>
std::string ErrorOf(const absl::StatusOr<T>& result) {
  return std::string(result.status().message());
}

TEST(ResolveReshapeTest, OneDimensionMayBeOpen) {
  EXPECT_THAT(ResolveReshape(Shape({2, 6}), {3, -1}).value(), ElementsAre(3, 4));
  EXPECT_THAT(ResolveReshape(Shape({2, 6}), {12}).value(), ElementsAre(12));
  EXPECT_THAT(ResolveReshape(Shape({1}), {}).value(), IsEmpty());
  EXPECT_EQ(ErrorOf(ResolveReshape(Shape({2, 6}), {5, -1})), "can't reshape 2x6 to [5, -1]");
  EXPECT_FALSE(ResolveReshape(Shape({2, 6}), {-1, -1}).ok());
  EXPECT_FALSE(ResolveReshape(Shape({2, 6}), {11}).ok());
  EXPECT_FALSE(ResolveReshape(Shape({2, 6}), {-2, -6}).ok());
}

TEST(ResolveReshapeTest, ZeroIsItselfOrACopy) {
  EXPECT_THAT(ResolveReshape(Shape({2, 6}), {0, 3, 2}, ZeroDim::kCopied).value(),
              ElementsAre(2, 3, 2));
  EXPECT_FALSE(ResolveReshape(Shape({2, 6}), {0, 3, 2}).ok());
  EXPECT_FALSE(ResolveReshape(Shape({2, 6}), {2, 6, 0}, ZeroDim::kCopied).ok());
  EXPECT_FALSE(ResolveReshape(Shape({1, 6}), {-2, 0}, ZeroDim::kCopied).ok());
  EXPECT_THAT(ResolveReshape(Shape({0, 6}), {3, 0}).value(), ElementsAre(3, 0));
  EXPECT_FALSE(ResolveReshape(Shape({0, 6}), {0, -1}).ok()) << "any number would do";
}

TEST(ResolveReshapeTest, HugeNumbersDontOverflow) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  EXPECT_FALSE(ResolveReshape(Shape({4}), {kMax, kMax, -1}).ok());
  EXPECT_FALSE(ResolveReshape(Shape({4}), {int64_t{1} << 32, int64_t{1} << 32, 4}).ok());
}

TEST(ReplacedDimsTest, ReplacesARange) {
  EXPECT_THAT(ReplacedDims(Shape({2, 6, 5}), 1, 2, {3, -1}).value(), ElementsAre(2, 3, 2, 5));
  EXPECT_THAT(ReplacedDims(Shape({2, 6}), 2, 2, {1}).value(), ElementsAre(2, 6, 1));
  EXPECT_THAT(ReplacedDims(Shape({2, 6, 5}), 1, 3, {0, -1}, ZeroDim::kCopied).value(),
              ElementsAre(2, 6, 5));
  EXPECT_EQ(ErrorOf(ReplacedDims(Shape({2, 6, 5}), 1, 2, {4})), "can't reshape 2x6x5 to [2, 4, 5]");
}

TEST(FlattenedDimsTest, JoinsNeighbours) {
  EXPECT_THAT(FlattenedDims(Shape({2, 3, 4, 5}), 1, -2).value(), ElementsAre(2, 12, 5));
  EXPECT_THAT(FlattenedDims(Shape({2, 0, 4}), 1, 2).value(), ElementsAre(2, 0));
  EXPECT_THAT(ErrorOf(FlattenedDims(Shape({2, 3}), 1, 0)), HasSubstr("it flattens axes 1 to 0"));
}

TEST(MatrixDimsTest, SplitsAtTheAxis) {
  EXPECT_THAT(MatrixDims(Shape({2, 3, 4}), 1), ElementsAre(2, 12));
  EXPECT_THAT(MatrixDims(Shape({2, 3, 4}), 0), ElementsAre(1, 24));
  EXPECT_THAT(MatrixDims(Shape({2, 3, 4}), 3), ElementsAre(24, 1));
}

TEST(SqueezedDimsTest, RemovesDimensionsOfOne) {
  EXPECT_THAT(AxesOfOne(Shape({1, 3, 1})), ElementsAre(0, 2));
  EXPECT_THAT(SqueezedDims(Shape({1, 3, 1}), {-1}).value(), ElementsAre(1, 3));
  EXPECT_THAT(SqueezedDims(Shape({1, 3, 1}), {}).value(), ElementsAre(1, 3, 1));
  EXPECT_EQ(ErrorOf(SqueezedDims(Shape({1, 3, 1}), {1})),
            "can't squeeze axis 1 of 1x3x1, expected a dimension of 1");
}

TEST(UnsqueezedDimsTest, AxesCountInTheResult) {
  EXPECT_THAT(UnsqueezedDims(Shape({2, 3}), {-1, 0}).value(), ElementsAre(1, 2, 3, 1));
  EXPECT_THAT(UnsqueezedDims(Shape({2, 3}), {1}).value(), ElementsAre(2, 1, 3));
  EXPECT_FALSE(UnsqueezedDims(Shape({2, 3}), {3}).ok());
  EXPECT_FALSE(UnsqueezedDims(Shape({2, 3}), {0, 0}).ok());
  EXPECT_FALSE(UnsqueezedDims(Shape({2}), std::vector<int64_t>(1000, 0)).ok());
}

TEST(EmitTileTest, RepeatsDimensions) {
  EmittedGraph graph;
  const absl::StatusOr<Tensor*> y = EmitTile(graph.op(), graph.Input({1, 2}), {2, 2});
  EXPECT_EQ(graph.Text(y),
            "y.apart = reshape(x0)\ny.repeated = expand(y.apart)\ny = reshape(y.repeated)\ny 2x4");
  EXPECT_THAT(graph.Run(y, {{1, 2}}), ElementsAre(1, 2, 1, 2, 1, 2, 1, 2));
  EXPECT_FALSE(EmitTile(graph.op(), graph.Input({1, 2}), {2, 0}).ok());
  EXPECT_TRUE(EmitTile(graph.op(), graph.Input({1, 2}), {1, Shape::kMaxElements / 2}).ok());
  EXPECT_FALSE(EmitTile(graph.op(), graph.Input({1, 2}), {1, Shape::kMaxElements / 2 + 1}).ok());
  EXPECT_FALSE(EmitTile(graph.op(), graph.Input({1, 2}), {2}).ok());
}

TEST(SpaceToDepthTest, DepthToSpaceIsTheWayBack) {
  EmittedGraph graph;
  const absl::StatusOr<Tensor*> blocks = EmitSpaceToDepth(graph.op(), graph.Input({1, 4, 6, 3}), 2);
  ASSERT_TRUE(blocks.ok()) << blocks.status();
  EXPECT_EQ((*blocks)->type.shape, Shape({1, 2, 3, 12}));
  EXPECT_EQ(graph.Run(EmitDepthToSpace(graph.op(), *blocks, 2), {Count(72)}), Count(72));
}

TEST(SpaceToDepthTest, RefusesBlocksThatDontFit) {
  EmittedGraph graph;
  EXPECT_THAT(graph.Text(EmitSpaceToDepth(graph.op(), graph.Input({1, 4, 5, 3}), 2)),
              HasSubstr("block size 2 doesn't divide its input 1x4x5x3"));
  EXPECT_FALSE(EmitDepthToSpace(graph.op(), graph.Input({1, 4, 4, 6}), 2).ok());
  EXPECT_FALSE(EmitSpaceToDepth(graph.op(), graph.Input({1, 4, 4, 6}), 0).ok());
  EXPECT_FALSE(EmitSpaceToDepth(graph.op(), graph.Input({4, 4}), 2).ok());
}

}  // namespace
}  // namespace synap_internal
