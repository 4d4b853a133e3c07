#include "compiler/import/emit/shape.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

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

// A shape without the last of `dims`, which stays in its memory: whoever reads on finds it there.
Shape Shortened(std::vector<int64_t> dims) {
  dims.pop_back();
  return Shape(std::move(dims));
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
  EXPECT_THAT(ResolveReshape(Shape({2, 6}), {-1, 0}, ZeroDim::kCopied).value(), ElementsAre(2, 6));
  EXPECT_FALSE(ResolveReshape(Shape({2, 6}), {0, 3, 2}).ok());
  EXPECT_FALSE(ResolveReshape(Shape({2, 6}), {2, 6, 0}, ZeroDim::kCopied).ok());
  EXPECT_FALSE(ResolveReshape(Shortened({2, 6, 1}), {2, 6, 0}, ZeroDim::kCopied).ok());
  EXPECT_FALSE(ResolveReshape(Shape({1, 6}), {-2, 0}, ZeroDim::kCopied).ok());
  EXPECT_THAT(ResolveReshape(Shape({0, 6}), {3, 0}).value(), ElementsAre(3, 0));
  EXPECT_THAT(ResolveReshape(Shape({0, 6}), {0, 3}).value(), ElementsAre(0, 3));
  EXPECT_FALSE(ResolveReshape(Shape({0, 6}), {0, -1}).ok()) << "any number would do";
}

TEST(ResolveReshapeTest, HugeNumbersDontOverflow) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  EXPECT_FALSE(ResolveReshape(Shape({4}), {kMax, kMax, -1}).ok());
  EXPECT_FALSE(ResolveReshape(Shape({4}), {int64_t{1} << 32, int64_t{1} << 32, 4}).ok());
  EXPECT_FALSE(ResolveReshape(Shape({0}), {Shape::kMaxElements + 1, -1}).ok());
  EXPECT_FALSE(ResolveReshape(Shape({0}), {1 << 21, 1 << 20, -1}).ok());
  EXPECT_THAT(ResolveReshape(Shape({Shape::kMaxElements}), {1 << 20, 1 << 20}).value(),
              ElementsAre(1 << 20, 1 << 20));
}

TEST(ReplacedDimsTest, ReplacesARange) {
  EXPECT_THAT(ReplacedDims(Shape({2, 6, 5}), 1, 2, {3, -1}).value(), ElementsAre(2, 3, 2, 5));
  EXPECT_THAT(ReplacedDims(Shape({2, 6}), 2, 2, {1}).value(), ElementsAre(2, 6, 1));
  EXPECT_THAT(ReplacedDims(Shape({2, 6, 5}), 1, 3, {0, -1}, ZeroDim::kCopied).value(),
              ElementsAre(2, 6, 5));
  EXPECT_THAT(ReplacedDims(Shape({2, 6, 5}), 1, 3, {-1, 0}, ZeroDim::kCopied).value(),
              ElementsAre(2, 6, 5));
  EXPECT_EQ(ErrorOf(ReplacedDims(Shape({2, 6, 5}), 1, 2, {4})), "can't reshape 2x6x5 to [2, 4, 5]");
}

TEST(FlattenedDimsTest, JoinsNeighbours) {
  EXPECT_THAT(FlattenedDims(Shape({2, 3, 4, 5}), 1, -2).value(), ElementsAre(2, 12, 5));
  EXPECT_THAT(FlattenedDims(Shape({2, 0, 4}), 1, 2).value(), ElementsAre(2, 0));
  EXPECT_THAT(FlattenedDims(Shape({2, 3, 4}), 1, 1).value(), ElementsAre(2, 3, 4));
  EXPECT_EQ(ErrorOf(FlattenedDims(Shape({2, 3}), 1, 0)),
            "it flattens axes 1 to 0 of 2x3, expected a last axis that isn't before the first");
}

TEST(MatrixDimsTest, SplitsAtTheAxis) {
  EXPECT_THAT(MatrixDims(Shape({2, 3, 4}), 1), ElementsAre(2, 12));
  EXPECT_THAT(MatrixDims(Shape({2, 3, 4}), 0), ElementsAre(1, 24));
  EXPECT_THAT(MatrixDims(Shape({2, 3, 4}), 3), ElementsAre(24, 1));
}

TEST(SqueezedDimsTest, RemovesDimensionsOfOne) {
  EXPECT_THAT(AxesOfOne(Shape({1, 3, 1})), ElementsAre(0, 2));
  EXPECT_THAT(AxesOfOne(Shortened({1, 3, 1})), ElementsAre(0));
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
  EXPECT_THAT(UnsqueezedDims(Shape(), {7, 6, 5, 4, 3, 2, 1, 0}).value(),
              ElementsAre(1, 1, 1, 1, 1, 1, 1, 1));
  EXPECT_EQ(ErrorOf(UnsqueezedDims(Shape(), {8, 7, 6, 5, 4, 3, 2, 1, 0})),
            "it adds 9 dimensions, expected at most 8");
}

TEST(BroadcastDimsTest, AlignsTheLastDimensions) {
  EXPECT_THAT(*BroadcastDims(Shape({3, 1}), Shape({2, 1, 4})), ElementsAre(2, 3, 4));
  EXPECT_THAT(*BroadcastDims(Shape({2, 3}), Shape({})), ElementsAre(2, 3));
  EXPECT_THAT(BroadcastDims(Shape({2}), Shape({3})).status().message(),
              "its operands 2 and 3 don't broadcast, expected equal dimensions or 1");
}

TEST(EmitTileTest, RepeatsDimensions) {
  EmittedGraph graph;
  const Emitted y = EmitTile(graph.op(), graph.Input({1, 2}), {2, 2});
  EXPECT_EQ(graph.Text(y),
            "y.apart = reshape(x0)\ny.repeated = expand(y.apart)\ny = reshape(y.repeated)\ny 2x4");
  EXPECT_THAT(graph.Run(y, {{1, 2}}), ElementsAre(1, 2, 1, 2, 1, 2, 1, 2));
  EXPECT_THAT(Values(EmitTile(graph.op(), graph.Counted({2, 2}), {2, 2})),
              ElementsAre(0, 1, 0, 1, 2, 3, 2, 3, 0, 1, 0, 1, 2, 3, 2, 3));
}

TEST(EmitTileTest, DimensionsThatStayAreNotSplit) {
  EmittedGraph graph;
  const Emitted y = EmitTile(graph.op(), graph.Input({1, 1, 1, 1, 1, 1, 2}), {1, 1, 1, 1, 1, 1, 2});
  ASSERT_TRUE(y.ok()) << "8 dimensions while it is repeated, no more: " << y.status();
  EXPECT_EQ((*y)->type.shape, Shape({1, 1, 1, 1, 1, 1, 4}));
}

TEST(EmitTileTest, ChecksTheNumbersOfRepeats) {
  const auto text = [](std::vector<int64_t> shape, const std::vector<int64_t>& repeats) {
    EmittedGraph graph;
    const Emitted y = EmitTile(graph.op(), graph.Input(shape), repeats);
    return y.ok() ? (*y)->type.shape.ToString() : graph.Text(y);
  };
  constexpr int64_t kMax = Shape::kMaxElements;
  EXPECT_EQ(text({1, 2}, {1, kMax / 2}), "1x1099511627776");
  EXPECT_EQ(text({1, 2}, {1, kMax / 2 + 1}), "it repeats 1x2 [1, 549755813889] times");
  EXPECT_EQ(text({1, 1}, {1, kMax}), "1x1099511627776");
  EXPECT_EQ(text({1, 1}, {1, kMax + 1}), "it repeats 1x1 [1, 1099511627777] times");
  EXPECT_EQ(text({0, 1}, {2, 1}), "0x1");
  EXPECT_EQ(text({0, 1}, {kMax + 1, 1}), "it repeats 0x1 [1099511627777, 1] times");
  EXPECT_EQ(text({1, 2}, {2, 0}), "it repeats 1x2 [2, 0] times");
  EXPECT_EQ(text({1, 2}, {2}), "it repeats 1x2 [2] times");
  EXPECT_EQ(text({1, 2}, {2, 2, 2}), "it repeats 1x2 [2, 2, 2] times");
}

TEST(SpaceToDepthTest, DepthToSpaceIsTheWayBack) {
  EmittedGraph graph;
  const Emitted blocks = EmitSpaceToDepth(graph.op(), graph.Input({1, 4, 6, 3}), 2);
  ASSERT_TRUE(blocks.ok()) << blocks.status();
  EXPECT_EQ((*blocks)->type.shape, Shape({1, 2, 3, 12}));
  EXPECT_EQ(graph.Run(EmitDepthToSpace(graph.op(), *blocks, 2), {Count(72)}), Count(72));
}

TEST(SpaceToDepthTest, BlocksHaveToDivideTheImage) {
  const auto text = [](bool to_depth, std::vector<int64_t> shape, int64_t block) {
    EmittedGraph graph;
    Tensor* x = graph.Input(shape);
    const Emitted y =
        to_depth ? EmitSpaceToDepth(graph.op(), x, block) : EmitDepthToSpace(graph.op(), x, block);
    return y.ok() ? (*y)->type.shape.ToString() : graph.Text(y);
  };
  EXPECT_EQ(text(true, {2, 6, 9, 5}, 3), "2x2x3x45");
  EXPECT_EQ(text(true, {2, 6, 9, 5}, 1), "2x6x9x5");
  EXPECT_EQ(text(true, {1, 4, 5, 3}, 2), "its block size 2 doesn't divide its input 1x4x5x3");
  EXPECT_EQ(text(true, {1, 5, 4, 3}, 2), "its block size 2 doesn't divide its input 1x5x4x3");
  EXPECT_EQ(text(true, {1, 4, 4, 6}, 0), "its block size 0 doesn't divide its input 1x4x4x6");
  EXPECT_EQ(text(true, {4, 4}, 2), "its input is 4x4, expected an image [N,H,W,C]");
  EXPECT_EQ(text(false, {2, 4, 5, 18}, 3), "2x12x15x2");
  EXPECT_EQ(text(false, {1, 4, 4, 6}, 2), "its block size 2 doesn't divide its input 1x4x4x6");
  // Any block divides nothing; its square has to stay in bounds.
  EXPECT_EQ(text(true, {1, 0, 0, 1}, 1 << 20), "1x0x0x1099511627776");
  EXPECT_EQ(text(true, {1, 0, 0, 1}, (1 << 20) + 1),
            "its block size 1048577 doesn't divide its input 1x0x0x1");
}

}  // namespace
}  // namespace synap_internal
