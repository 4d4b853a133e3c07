#include "compiler/import/emit/sampling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "compiler/import/emit/emitted_graph.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Two voxels, 1 and 3, one behind the other, read at `depth` from -1 to 1.
float ReadAt(float depth, const GridSample& sample) {
  EmittedGraph graph;
  Tensor* x = graph.Constant({1, 1, 2, 1, 1}, {1, 3});
  Tensor* grid = graph.Input({1, 1, 1, 1, 3});
  return graph.Run(EmitVolumeSample(graph.op(), x, grid, sample), {{0, 0, depth}})[0];
}

TEST(SamplingTest, VolumesAreReadBetweenTheirImages) {
  EXPECT_EQ(ReadAt(0, {"bilinear", "zeros", true}), 2);
  EXPECT_EQ(ReadAt(0.25f, {"bilinear", "zeros", true}), 2.25f);
  EXPECT_EQ(ReadAt(0.25f, {"nearest", "zeros", true}), 3);
  EXPECT_EQ(ReadAt(0.25f, {"bilinear", "zeros", false}), 2.5f);
}

TEST(SamplingTest, PlacesOutsideOfAVolumeAreZeroOrMovedInside) {
  EXPECT_EQ(ReadAt(2, {"bilinear", "zeros", true}), 1.5f);
  EXPECT_EQ(ReadAt(2, {"bilinear", "border", true}), 3);
  EXPECT_EQ(ReadAt(2, {"bilinear", "reflection", true}), 2);
  EXPECT_EQ(ReadAt(-2, {"bilinear", "reflection", false}), 2);
  EmittedGraph graph;
  const Emitted y = EmitVolumeSample(graph.op(), graph.Input({1, 1, 2, 2}),
                                     graph.Input({1, 1, 1, 2}), {"bilinear", "zeros", true});
  EXPECT_THAT(graph.Text(y), HasSubstr("expected [N,C,D,H,W] and [N,D',H',W',3]"));
}

TEST(SamplingTest, AffineGridsAreThePlacesOfTheOutput) {
  EmittedGraph graph;
  Tensor* theta = graph.Constant({1, 2, 3}, {1, 0, 0, 0, 10, 5});
  EXPECT_THAT(Values(EmitAffineGrid(graph.op(), theta, {1, 1, 1, 2}, true)),
              ElementsAre(-1, 5, 1, 5));
  EXPECT_THAT(Values(EmitAffineGrid(graph.op(), theta, {1, 1, 2, 1}, false)),
              ElementsAre(0, 0, 0, 10));
  EXPECT_THAT(graph.Text(EmitAffineGrid(graph.op(), theta, {2, 1, 2, 1}, false)),
              HasSubstr("its theta 1x2x3 doesn't fit 'size' [2, 1, 2, 1]"));
}

}  // namespace
}  // namespace synap_internal
