#include "compiler/import/emit/volume.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

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

TEST(VolumeTest, TransposedTapsAreAddedAlongTheDepth) {
  EmittedGraph graph;
  Convolution convolution{Column(graph), graph.Constant({1, 1, 2, 1, 1}, {1, 10}),
                          graph.Constant({1}, {0.5f})};
  const auto run = [&](const Window& window, int64_t extra) {
    convolution.window = window;
    convolution.output_padding = {extra, 0, 0};
    return Values(EmitVolumeTransposedConvolution(graph.op(), convolution));
  };
  EXPECT_THAT(run(DepthOnly(2, 1, 1, 0, 0), 0), ElementsAre(1.5f, 12.5f, 23.5f, 34.5f, 40.5f));
  EXPECT_THAT(run(DepthOnly(2, 1, 2, 1, 2), 0), ElementsAre(2.5f, 13.5f, 24.5f));
  EXPECT_THAT(run(DepthOnly(2, 2, 1, 0, 0), 1),
              ElementsAre(1.5f, 10.5f, 2.5f, 20.5f, 3.5f, 30.5f, 4.5f, 40.5f, 0.5f));
}

TEST(VolumeTest, DepthIsResizedAfterTheImages) {
  EmittedGraph graph;
  const Emitted y = EmitVolumeResize(
      graph.op(), graph.Counted({1, 1, 2, 1, 2}), {3, 1, 3}, {1.5f, 1, 1.5f},
      {{"mode", std::string("linear")}, {"coordinates", std::string("align_corners")}});
  EXPECT_THAT(Values(y), ElementsAre(0, 0.5f, 1, 1, 1.5f, 2, 2, 2.5f, 3));
}

// A value for each tap of a window over depth, height and width that is inside of x [D,H,W], as
// `take(place in x, place in the kernel)`, for each output in turn; `done` after the taps of one.
template <typename Take, typename Done>
void ForEachWindow(const std::vector<int64_t>& x, const Window& window, Take take, Done done) {
  std::vector<int64_t> out(3);
  for (size_t i = 0; i < 3; ++i) {
    const int64_t reach = (window.kernel[i] - 1) * window.dilations[i] + 1;
    out[i] = (x[i] + window.pads[i] + window.pads[i + 3] - reach) / window.strides[i] + 1;
  }
  const auto each = [](const std::vector<int64_t>& size, auto visit) {
    for (int64_t d = 0; d < size[0]; ++d) {
      for (int64_t h = 0; h < size[1]; ++h) {
        for (int64_t w = 0; w < size[2]; ++w) visit(std::vector<int64_t>{d, h, w});
      }
    }
  };
  each(out, [&](const std::vector<int64_t>& o) {
    each(window.kernel, [&](const std::vector<int64_t>& k) {
      int64_t at = 0, tap = 0;
      for (size_t i = 0; i < 3; ++i) {
        const int64_t place =
            o[i] * window.strides[i] + k[i] * window.dilations[i] - window.pads[i];
        if (place < 0 || place >= x[i]) return;
        at = at * x[i] + place;
        tap = tap * window.kernel[i] + k[i];
      }
      take(at, tap);
    });
    done();
  });
}

// All numbers of the window differ between the dimensions, as far as they can.
const Window kUneven{{3, 2, 4}, {2, 1, 3}, {1, 3, 2}, {2, 1, 3, 0, 2, 1}};
const std::vector<int64_t> kVolume = {4, 5, 9};  // depth, height, width
constexpr int64_t kPlaces = 4 * 5 * 9;
constexpr int64_t kTaps = 3 * 2 * 4;

TEST(VolumeTest, ConvolutionsAreThoseOfTheirFormula) {
  // Two images of 4 channels, two groups of 2 channels and 3 outputs each.
  EmittedGraph graph;
  std::vector<float> weights;
  for (int64_t i = 0; i < 6 * 2 * kTaps; ++i) weights.push_back(static_cast<float>(i * 7 % 11 - 5));
  Tensor* x = graph.Counted({2, 4, 4, 5, 9});
  const std::vector<float> values = Values(x), bias = {1, 2, 3, 4, 5, 6};
  const Emitted y = EmitVolumeConvolution(graph.op(), {x, graph.Constant({6, 2, 3, 2, 4}, weights),
                                                       graph.Constant({6}, bias), kUneven, 2});
  std::vector<float> expected;
  for (int64_t n = 0; n < 2; ++n) {
    for (int64_t o = 0; o < 6; ++o) {
      double sum = bias[static_cast<size_t>(o)];
      const auto take = [&](int64_t at, int64_t tap) {
        for (int64_t c = 0; c < 2; ++c) {
          const int64_t channel = n * 4 + o / 3 * 2 + c;
          sum += static_cast<double>(values[static_cast<size_t>(channel * kPlaces + at)]) *
                 static_cast<double>(weights[static_cast<size_t>((o * 2 + c) * kTaps + tap)]);
        }
      };
      ForEachWindow(kVolume, kUneven, take, [&] {
        expected.push_back(static_cast<float>(sum));
        sum = bias[static_cast<size_t>(o)];
      });
    }
  }
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(Values(y), expected);
}

TEST(VolumeTest, PoolsAreTheLargestOfTheirWindows) {
  // Values that don't rise with the place, of two images of three channels.
  EmittedGraph graph;
  std::vector<float> values;
  for (int64_t i = 0; i < 6 * kPlaces; ++i)
    values.push_back(static_cast<float>(i * 37 % 101 - 150));
  const Emitted y = EmitVolumePool(graph.op(), "max_pool2d",
                                   graph.Constant({2, 3, 4, 5, 9}, values), kUneven, {});
  std::vector<float> expected;
  for (int64_t image = 0; image < 6; ++image) {
    float largest = -1000;
    const auto take = [&](int64_t at, int64_t) {
      largest = std::max(largest, values[static_cast<size_t>(image * kPlaces + at)]);
    };
    ForEachWindow(kVolume, kUneven, take, [&] {
      expected.push_back(largest);
      largest = -1000;
    });
  }
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(Values(y), expected);
}

TEST(VolumeTest, TheBiasIsAddedOnce) {
  // To the first tap, which is the only one of a kernel of depth 1.
  for (const int64_t taps : {1, 3}) {
    EmittedGraph graph;
    Convolution convolution{graph.Input({1, 1, 4, 1, 1}), graph.Counted({1, 1, taps, 1, 1}),
                            graph.Constant({1}, {0.5f})};
    convolution.window = DepthOnly(taps, 1, 1, 0, 0);
    EXPECT_THAT(graph.Text(EmitVolumeConvolution(graph.op(), convolution)),
                HasSubstr("y.0.product = conv2d(y.0.tap.1, y.0.w.1, constant.1)"));
  }
}

TEST(VolumeTest, WithoutABiasAProductHasTwoOperands) {
  EmittedGraph graph;
  Convolution convolution{graph.Input({1, 1, 4, 1, 1}), graph.Counted({1, 1, 1, 1, 1})};
  convolution.window = DepthOnly(1, 1, 1, 0, 0);
  EXPECT_EQ(graph.Text(EmitVolumeConvolution(graph.op(), convolution)),
            "y.ndhwc = transpose(x0)\ny.0.tap = slice(y.ndhwc)\ny.0.tap.1 = reshape(y.0.tap)\n"
            "y.0.product = conv2d(y.0.tap.1, y.0.w.1)\ny.sum = reshape(y.0.product)\n"
            "y = transpose(y.sum)\ny 1x1x4x1x1")
      << "the depth isn't padded";
}

TEST(VolumeTest, AKernelAsDeepAsTheVolumeHasOneOutput) {
  EmittedGraph graph;
  Convolution convolution{Column(graph), graph.Constant({1, 1, 4, 1, 1}, {1, 10, 100, 1000})};
  convolution.window = DepthOnly(4, 1, 1, 0, 0);
  EXPECT_THAT(Values(EmitVolumeConvolution(graph.op(), convolution)), ElementsAre(4321));
}

TEST(VolumeTest, EitherEndOfTheDepthIsPadded) {
  EmittedGraph graph;
  Convolution convolution{Column(graph), graph.Constant({1, 1, 2, 1, 1}, {1, 10})};
  convolution.window = DepthOnly(2, 1, 1, 0, 1);
  EXPECT_THAT(Values(EmitVolumeConvolution(graph.op(), convolution)), ElementsAre(21, 32, 43, 4));
  convolution.window = DepthOnly(2, 1, 1, 1, 0);
  EXPECT_THAT(Values(EmitVolumeConvolution(graph.op(), convolution)), ElementsAre(10, 21, 32, 43));
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
  const Emitted largest = EmitVolumePool(graph.op(), "max_pool2d", x, window, {});
  ASSERT_TRUE(largest.ok()) << largest.status();
  EXPECT_EQ((*largest)->type.shape, Shape({1, 1, 1, 1, 2}));
  EXPECT_THAT(Values(largest), ElementsAre(13, 15));
  EXPECT_THAT(Values(EmitVolumePool(graph.op(), "avg_pool2d", x, window, {})),
              ElementsAre(6.5f, 8.5f));
}

}  // namespace
}  // namespace synap_internal
