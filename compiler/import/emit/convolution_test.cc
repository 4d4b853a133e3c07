#include "compiler/import/emit/convolution.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "compiler/import/emit/emitted_graph.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Images 1x1 of the values 1, 2, ... in as many channels.
Tensor* Pixel(EmittedGraph& graph, int64_t channels) {
  std::vector<float> values;
  for (int64_t c = 1; c <= channels; ++c) values.push_back(static_cast<float>(c));
  return graph.Constant({1, channels, 1, 1}, values);
}

TEST(ConvolutionTest, GroupsSeeTheirOwnChannels) {
  EmittedGraph graph;
  Convolution convolution{Pixel(graph, 4), nullptr, graph.Constant({2}, {0.5f, 0})};
  convolution.window = {{1, 1}, {1, 1}};
  convolution.groups = 2;
  convolution.weights =
      *ConvolutionWeights(graph.op(), graph.Constant({2, 2, 1, 1}, {1, 10, 100, 1000}), 2);
  EXPECT_THAT(Values(EmitConvolution(graph.op(), convolution)), ElementsAre(21.5f, 4300));
}

TEST(ConvolutionTest, AGroupForEachChannelIsDepthwise) {
  EmittedGraph graph;
  Convolution convolution{graph.Input({1, 2, 1, 1})};
  convolution.window = {{1, 1}, {1, 1}};
  convolution.groups = 2;
  convolution.weights = *ConvolutionWeights(graph.op(), graph.Counted({2, 1, 1, 1}), 2, "layer");
  EXPECT_EQ((*convolution.weights)->name, "layer.ihwo");
  EXPECT_THAT(graph.Text(EmitConvolution(graph.op(), convolution)),
              HasSubstr("depthwise_conv2d(x0.nhwc, layer.ihwo)"));
}

TEST(ConvolutionTest, OneGroupOfOneChannelIsNotDepthwise) {
  EmittedGraph graph;
  Convolution convolution{graph.Input({1, 1, 1, 1})};
  convolution.window = {{1, 1}, {1, 1}};
  convolution.weights = *ConvolutionWeights(graph.op(), graph.Counted({1, 1, 1, 1}), 1, "layer");
  EXPECT_EQ((*convolution.weights)->name, "layer.ohwi");
  EXPECT_THAT(graph.Text(EmitConvolution(graph.op(), convolution)), HasSubstr("= conv2d("));
}

TEST(ConvolutionTest, LinesAreImagesOfHeightOne) {
  EmittedGraph graph;
  Convolution convolution{graph.Constant({1, 1, 3}, {1, 2, 3})};
  convolution.window = LiftedToImage({{2}, {1}, {1}, {0, 0}});
  convolution.weights = *ConvolutionWeights(graph.op(), graph.Constant({1, 1, 2}, {1, 10}), 1);
  const Emitted y = EmitConvolution(graph.op(), convolution);
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ((*y)->type.shape, Shape({1, 1, 2}));
  EXPECT_THAT(Values(y), ElementsAre(21, 32));
}

// Weights of group g: from its channels to its outputs.
TEST(ConvolutionTest, TransposedGroupsSeeTheirOwnChannels) {
  EmittedGraph graph;
  Convolution convolution{Pixel(graph, 4)};
  convolution.window = {{1, 1}, {1, 1}};
  convolution.groups = 2;
  convolution.weights = *TransposedConvolutionWeights(
      graph.op(), graph.Constant({4, 1, 1, 1}, {1, 10, 100, 1000}), 2);
  EXPECT_THAT(Values(EmitTransposedConvolution(graph.op(), convolution)), ElementsAre(21, 4300));
}

// [groups * C, O, KH, KW] -> [groups * O, KH, KW, C]
TEST(ConvolutionTest, TransposedWeightsOfGroupsKeepTheirWindows) {
  EmittedGraph graph;
  const Emitted w = TransposedConvolutionWeights(graph.op(), graph.Counted({4, 1, 2, 3}), 2);
  ASSERT_TRUE(w.ok()) << w.status();
  EXPECT_EQ((*w)->type.shape, Shape({2, 2, 3, 2}));
  EXPECT_THAT(Values(w), ElementsAre(0, 6, 1, 7, 2, 8, 3, 9, 4, 10, 5, 11,  //
                                     12, 18, 13, 19, 14, 20, 15, 21, 16, 22, 17, 23));
}

TEST(ConvolutionTest, TransposedWeightsWithoutGroupsAreTransposedOnce) {
  EmittedGraph graph;
  EXPECT_EQ(graph.Text(TransposedConvolutionWeights(graph.op(), graph.Input({4, 3, 2, 1}), 1)),
            "x0.ohwi = transpose(x0)\nx0.ohwi 3x2x1x4");
}

TEST(ConvolutionTest, WeightsAreForOneOrTwoSpatialDimensions) {
  EmittedGraph graph;
  Tensor *vectors = graph.Input({4, 3}), *volumes = graph.Input({4, 3, 2, 2, 2});
  EXPECT_EQ(graph.Text(ConvolutionWeights(graph.op(), vectors, 1)),
            "its weights 4x3 have rank 2, expected 3 or 4");
  EXPECT_EQ(graph.Text(TransposedConvolutionWeights(graph.op(), volumes, 1)),
            "its weights 4x3x2x2x2 have rank 5, expected 3 or 4");
}

TEST(ConvolutionTest, OutputPaddingExtendsATransposedOutput) {
  EmittedGraph graph;
  Convolution convolution{graph.Constant({1, 1, 1, 2}, {1, 2})};
  convolution.window = {{1, 1}, {1, 2}};
  convolution.weights =
      *TransposedConvolutionWeights(graph.op(), graph.Constant({1, 1, 1}, {3}), 1);
  EXPECT_THAT(Values(EmitTransposedConvolution(graph.op(), convolution)), ElementsAre(3, 0, 6));
  convolution.output_padding = {0, 1};
  EXPECT_THAT(Values(EmitTransposedConvolution(graph.op(), convolution)), ElementsAre(3, 0, 6, 0));
}

TEST(ConvolutionTest, OperandsThatDontFitAreRefused) {
  const auto text = [](std::vector<int64_t> x, std::vector<int64_t> w, int64_t groups,
                       bool transposed = false) {
    return std::string(
        CheckConvolution(Shape(std::move(x)), Shape(std::move(w)), groups, transposed).message());
  };
  EXPECT_EQ(text({1, 4, 5}, {6, 2, 3}, 2), "");
  EXPECT_EQ(text({1, 4, 5}, {4, 3, 3}, 2, true), "");
  EXPECT_THAT(text({1, 4, 5}, {6, 2, 3, 3}, 2), HasSubstr("should have the same rank, 3 or more"));
  EXPECT_EQ(text({1, 4}, {6, 2}, 2),
            "its weights 6x2 and its input 1x4 should have the same rank, 3 or more");
  EXPECT_THAT(text({1, 4, 5}, {6, 2, 3}, 3), HasSubstr("groups is 3, expected a divisor of the 4"));
  EXPECT_THAT(text({1, 4, 5}, {6, 2, 3}, 0), HasSubstr("groups is 0"));
  EXPECT_THAT(text({1, 4, 5}, {6, 3, 3}, 2), HasSubstr("6x3x3 in 2 groups don't fit to its input"));
  EXPECT_THAT(text({1, 4, 5}, {5, 2, 3}, 2), HasSubstr("don't fit"));
  EXPECT_THAT(text({1, 4, 5}, {6, 2, 0}, 2), HasSubstr("don't fit"));
  EXPECT_THAT(text({1, 4, 5}, {6, 2, 3}, 2, true), HasSubstr("don't fit"));
}

TEST(ConvolutionTest, FiltersHaveFourDimensions) {
  EXPECT_TRUE(CheckFilter(Shape({1, 2, 3, 4})).ok());
  EXPECT_FALSE(CheckFilter(Shape({1, 2, 3})).ok());
  EXPECT_FALSE(CheckFilter(Shape({1, 2, 3, 0})).ok());
  EXPECT_THAT(std::string(FilterMismatch(Shape({1, 1, 1, 2}), Shape({1, 4, 4, 3})).message()),
              HasSubstr("its weights 1x1x1x2 don't fit to its input 1x4x4x3"));
}

}  // namespace
}  // namespace synap_internal
