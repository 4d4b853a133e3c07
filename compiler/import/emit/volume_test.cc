#include "compiler/import/emit/volume.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "compiler/import/emit/emitted_graph.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Window DepthOnly(int64_t kernel, int64_t stride, int64_t dilation, int64_t begin, int64_t end) {
  return {{kernel, 1, 1}, {stride, 1, 1}, {dilation, 1, 1}, {begin, 0, 0, end, 0, 0}};
}

// One pixel, whose values along the depth are 1, 2, 3, 4.
Tensor* Column(EmittedGraph& graph) { return graph.Constant({1, 1, 4, 1, 1}, {1, 2, 3, 4}); }

TEST(VolumeTest, TapsAlongTheDepthAreAdded) {
  EmittedGraph graph;
  Convolution convolution{Column(graph), graph.Constant({1, 1, 2, 1, 1}, {1, 10}),
                          graph.Constant({1}, {0.5f})};
  const auto run = [&](const Window& window) {
    convolution.window = window;
    return Values(EmitVolumeConvolution(graph.op(), convolution));
  };
  EXPECT_THAT(run(DepthOnly(2, 1, 1, 0, 0)), ElementsAre(21.5f, 32.5f, 43.5f));
  EXPECT_THAT(run(DepthOnly(2, 2, 1, 0, 0)), ElementsAre(21.5f, 43.5f));
  EXPECT_THAT(run(DepthOnly(2, 1, 2, 0, 0)), ElementsAre(31.5f, 42.5f));
  EXPECT_THAT(run(DepthOnly(2, 2, 1, 1, 1)), ElementsAre(10.5f, 32.5f, 4.5f));
}

TEST(VolumeTest, AKernelDeeperThanTheVolumeIsRefused) {
  EmittedGraph graph;
  Convolution convolution{Column(graph), graph.Counted({1, 1, 2, 1, 1})};
  convolution.window = DepthOnly(2, 1, 4, 0, 0);
  EXPECT_THAT(std::string(EmitVolumeConvolution(graph.op(), convolution).status().message()),
              HasSubstr("its kernel reaches over 5 elements of a padded depth of 4"));
}

TEST(VolumeTest, OtherDimensionsStayWholeUnderEachTap) {
  // [N,C,D,H,W]; sums over both channels and over neighbours in depth.
  EmittedGraph graph;
  Convolution convolution{graph.Counted({2, 2, 3, 2, 2}),
                          graph.Constant({1, 2, 2, 1, 1}, {1, 1, 1, 1})};
  convolution.window = DepthOnly(2, 1, 1, 0, 0);
  std::vector<float> sums;
  for (int n = 0; n < 2; ++n) {
    for (int at = 0; at < 8; ++at) {  // depth, height, width
      const int first = n * 24 + at;
      sums.push_back(static_cast<float>(4 * first + 4 + 12 + 16));
    }
  }
  EXPECT_EQ(Values(EmitVolumeConvolution(graph.op(), convolution)), sums);
}

TEST(VolumeTest, PoolsArePaddedAtBothEndsOfTheDepth) {
  EmittedGraph graph;
  const auto run = [&](int64_t begin, int64_t end) {
    return Values(EmitVolumePool(graph.op(), "max_pool2d", Column(graph),
                                 DepthOnly(2, 2, 1, begin, end), {}));
  };
  EXPECT_THAT(run(0, 0), ElementsAre(2, 4));
  EXPECT_THAT(run(1, 1), ElementsAre(1, 3, 4));
}

TEST(VolumeTest, PoolingCoversAllThreeDimensions) {
  EmittedGraph graph;
  Tensor* x = graph.Counted({1, 1, 2, 2, 4});
  const Window window{{2, 2, 2}, {1, 1, 2}, {1, 1, 1}, {0, 0, 0, 0, 0, 0}};
  const absl::StatusOr<Tensor*> largest = EmitVolumePool(graph.op(), "max_pool2d", x, window, {});
  ASSERT_TRUE(largest.ok()) << largest.status();
  EXPECT_EQ((*largest)->type.shape, Shape({1, 1, 1, 1, 2}));
  EXPECT_THAT(Values(largest), ElementsAre(13, 15));
  EXPECT_THAT(Values(EmitVolumePool(graph.op(), "avg_pool2d", x, window, {})),
              ElementsAre(6.5f, 8.5f));
}

}  // namespace
}  // namespace synap_internal
