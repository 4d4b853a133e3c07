#include "compiler/import/emit/patches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "compiler/import/emit/emitted_graph.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(PatchesTest, WindowsMayOverlapOrNot) {
  EmittedGraph graph;
  const auto windows = [&](const AxisWindows& along) {
    return Values(EmitAxisWindows(graph.op(), graph.Counted({5}), 0, along));
  };
  EXPECT_THAT(windows({2, 3, 1}), ElementsAre(0, 1, 3, 4));
  EXPECT_THAT(windows({2, 1, 3}), ElementsAre(0, 3, 1, 4));
  EXPECT_THAT(windows({2, 2, 1}), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(graph.Text(EmitAxisWindows(graph.op(), graph.Counted({5}), 0, {3, 1, 3})),
              HasSubstr("its window reaches over 7 elements, expected at most the 5"));
}

TEST(PatchesTest, TapsComeBeforePlaces) {
  EmittedGraph graph;
  const Window window{{1, 2}, {1, 1}, {1, 1}, {0, 0, 0, 1}};
  const Emitted patches = EmitPatches(graph.op(), graph.Counted({1, 1, 2, 2}), window);
  EXPECT_THAT(Values(patches), ElementsAre(0, 1, 2, 3, 1, 0, 3, 0));
}

TEST(PatchesTest, ColumnsAreAddedAtTheirPlaces) {
  EmittedGraph graph;
  Tensor* columns = graph.Counted({1, 2, 2});
  const auto image = [&](int64_t stride, int64_t width) {
    const Window window{{1, 2}, {1, stride}};
    return EmitColumnsToImage(graph.op(), columns, {1, width}, window);
  };
  EXPECT_THAT(Values(image(1, 3)), ElementsAre(0, 1 + 2, 3));
  EXPECT_THAT(Values(image(2, 4)), ElementsAre(0, 2, 1, 3));
  EXPECT_THAT(graph.Text(image(1, 4)), HasSubstr("has not 1x3 blocks of 2 elements"));
}

// Groups of one channel, as trackers correlate features.
TEST(PatchesTest, ComputedWeightsAreConvolved) {
  EmittedGraph graph;
  Tensor *x = graph.Input({1, 2, 1, 3}), *w = graph.Input({2, 1, 1, 2});
  for (int call = 0; call < 2; ++call) {
    EXPECT_TRUE(graph.op().builder().DependsOnInputs(**graph.op().Scale(w, 2, ".scaled")));
    EXPECT_TRUE(graph.op().builder().DependsOnInputs(*w));
    EXPECT_FALSE(graph.op().builder().DependsOnInputs(*graph.Counted({2, 1, 1, 2})));
  }
  const Convolution convolution{x, w, graph.Constant({2}, {0, 100}), {{1, 2}, {1, 1}}, 2};
  const Emitted y = EmitComputedConvolution(graph.op(), convolution);
  EXPECT_THAT(graph.Run(y, {{1, 2, 3, 4, 5, 6}, {1, 10, -1, 0}}), ElementsAre(21, 32, 96, 95));
}

TEST(PatchesTest, ComputedWeightsAreTransposed) {
  EmittedGraph graph;
  const Convolution convolution{
      graph.Input({1, 1, 1, 2}), graph.Input({1, 1, 1, 3}), nullptr, {{1, 3}, {1, 2}}};
  const Emitted y = EmitComputedTransposedConvolution(graph.op(), convolution);
  EXPECT_THAT(graph.Run(y, {{1, 10}, {1, 2, 3}}), ElementsAre(1, 2, 3 + 10, 20, 30));
}

TEST(PatchesTest, ComputedWeightsAreTransposedOverLines) {
  EmittedGraph graph;
  Convolution convolution{graph.Input({1, 1, 2}), graph.Input({1, 1, 3}),
                          graph.Constant({1}, {100})};
  convolution.window = {{3}, {2}, {1}, {0, 0}};
  convolution.output_padding = {1};
  const Emitted y = EmitComputedTransposedConvolution(graph.op(), convolution);
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ((*y)->type.shape, Shape({1, 1, 6}));
  EXPECT_THAT(graph.Run(y, {{1, 10}, {1, 2, 3}}), ElementsAre(101, 102, 113, 120, 130, 100));
}

TEST(PatchesTest, TooManyWindowsOfComputedWeightsAreRefused) {
  EmittedGraph graph;
  const Convolution convolution{graph.Input({1, 1024, 512, 512}),
                                graph.Input({1, 1024, 3, 3}),
                                nullptr,
                                {{3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}}};
  EXPECT_THAT(graph.Text(EmitComputedConvolution(graph.op(), convolution)),
              HasSubstr("262144 windows of 9 elements over its input 1x1024x512x512 are more"));
}

}  // namespace
}  // namespace synap_internal
