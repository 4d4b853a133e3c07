// What each type of layer computes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "compiler/import/caffe/test_network.h"

namespace synap_internal::caffe_import {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::Pointwise;

std::vector<float> RunOne(const std::string& type, const TestNetwork::Dims& dims,
                          const std::vector<float>& x, const std::string& parameters = "") {
  return TestNetwork().Input(dims).Layer(type, "x", "y", parameters).Run({x});
}

std::string ErrorOf(const std::string& type, const TestNetwork::Dims& dims,
                    const std::string& parameters) {
  return TestNetwork().Input(dims).Layer(type, "x", "y", parameters).Graph();
}

TEST(ConvolutionTest, HasWindowStridePadAndBias) {
  TestNetwork network;
  network.Input({1, 1, 3, 3});
  network.Layer("Convolution", "x", "y",
                "convolution_param { num_output: 1 kernel_size: 2 stride: 2 pad_h: 1 pad_w: 0 }");
  network.Blob("y_layer", {1, 1, 2, 2}, {1, 10, 100, 1000}).Blob("y_layer", {1}, {0.5f});
  EXPECT_THAT(network.Run({Count(9)}), ElementsAre(1000.5f, 7643.5f));
}

TEST(ConvolutionTest, GroupsDivideTheChannels) {
  TestNetwork network;
  network.Input({1, 4, 1, 1});
  network.Layer("Convolution", "x", "y",
                "convolution_param { num_output: 2 kernel_size: 1 group: 2 bias_term: false }");
  network.Blob("y_layer", {2, 2, 1, 1}, {1, 10, 100, 1000});
  EXPECT_THAT(network.Run({{1, 2, 3, 4}}), ElementsAre(21, 4300));
}

TEST(ConvolutionTest, DepthwiseIsAnOpOfItsOwn) {
  TestNetwork network;
  network.Input({1, 2, 1, 2});
  network.Layer("Convolution", "x", "y",
                "convolution_param { num_output: 2 kernel_w: 2 kernel_h: 1 group: 2 "
                "bias_term: false }");
  network.Blob("y_layer", {2, 1, 1, 2}, {1, 10, 100, 1000});
  EXPECT_THAT(network.Run({{1, 2, 3, 4}}), ElementsAre(21, 4300));
  EXPECT_THAT(network.Graph(), HasSubstr("depthwise_conv2d"));
}

TEST(ConvolutionTest, DilationSpreadsTheWindow) {
  TestNetwork network;
  network.Input({1, 1, 1, 5});
  network.Layer("Convolution", "x", "y",
                "convolution_param { num_output: 1 kernel_w: 2 kernel_h: 1 dilation: 3 "
                "bias_term: false }");
  network.Blob("y_layer", {1, 1, 1, 2}, {1, 10});
  EXPECT_THAT(network.Run({Count(5)}), ElementsAre(30, 41));
}

TEST(DeconvolutionTest, EveryPixelAddsAWindow) {
  TestNetwork network;
  network.Input({1, 1, 1, 2});
  network.Layer("Deconvolution", "x", "y",
                "convolution_param { num_output: 1 kernel_w: 3 kernel_h: 1 stride: 2 "
                "bias_term: false }");
  network.Blob("y_layer", {1, 1, 1, 3}, {1, 10, 100});
  EXPECT_THAT(network.Run({{1, 2}}), ElementsAre(1, 10, 102, 20, 200));
}

TEST(DeconvolutionTest, GroupsKeepChannelsApart) {
  TestNetwork network;
  network.Input({1, 4, 1, 1});
  network.Layer("Deconvolution", "x", "y",
                "convolution_param { num_output: 2 kernel_size: 1 group: 2 bias_term: false }");
  network.Blob("y_layer", {4, 1, 1, 1}, {1, 10, 100, 1000});
  EXPECT_THAT(network.Run({{1, 2, 3, 4}}), ElementsAre(21, 4300));
}

TEST(InnerProductTest, FlattensInTheOrderOfTheBlob) {
  TestNetwork network;
  network.Input({1, 2, 1, 2});
  network.Layer("InnerProduct", "x", "y", "inner_product_param { num_output: 1 }");
  network.Blob("y_layer", {1, 4}, {1, 10, 100, 1000}).Blob("y_layer", {1}, {0.5f});
  EXPECT_THAT(network.Run({{1, 2, 3, 4}}), ElementsAre(4321.5f));
}

TEST(InnerProductTest, AxisAndTransposedWeights) {
  TestNetwork network;
  network.Input({1, 2, 2});
  network.Layer("InnerProduct", "x", "y",
                "inner_product_param { num_output: 1 axis: 2 transpose: true bias_term: false }");
  network.Blob("y_layer", {2, 1}, {1, 10});
  EXPECT_THAT(network.Run({{1, 2, 3, 4}}), ElementsAre(21, 43));
}

// Caffe rounds sizes up and lets the last window reach over the edge.
TEST(PoolingTest, MaxRoundsUp) {
  EXPECT_THAT(RunOne("Pooling", {1, 1, 1, 4}, {1, 2, 3, 4},
                     "pooling_param { kernel_h: 1 kernel_w: 3 stride: 2 }"),
              ElementsAre(3, 4));
}

// The divisor counts padding, but not what is behind it.
TEST(PoolingTest, AverageCountsPaddingWithinItsBorder) {
  EXPECT_THAT(RunOne("Pooling", {1, 1, 1, 4}, {3, 6, 9, 12},
                     "pooling_param { pool: AVE kernel_h: 1 kernel_w: 3 stride: 2 pad_w: 1 }"),
              ElementsAre(3, 9, 6));
}

TEST(PoolingTest, AWindowThatStartsInThePaddingBehindIsDropped) {
  EXPECT_THAT(RunOne("Pooling", {1, 1, 2, 2}, {1, 2, 3, 4},
                     "pooling_param { kernel_size: 2 stride: 2 pad: 1 }"),
              ElementsAre(1, 2, 3, 4));
}

TEST(PoolingTest, AWindowSlightlyLargerThanTheImageIsClipped) {
  EXPECT_THAT(RunOne("Pooling", {1, 1, 1, 2}, {1, 5},
                     "pooling_param { pool: AVE kernel_h: 1 kernel_w: 3 stride: 2 }"),
              ElementsAre(3));
  EXPECT_THAT(ErrorOf("Pooling", {1, 1, 2, 2}, "pooling_param { kernel_size: 9 stride: 2 }"),
              HasSubstr("a window of 9 with stride 2 and padding 0 doesn't fit"));
}

TEST(PoolingTest, RefusesIndices) {
  EXPECT_THAT(ErrorOf("Pooling", {1, 1, 2, 2}, "top: 'i' pooling_param { kernel_size: 2 }"),
              HasSubstr("it has a second top, the indices (supported: "));
}

TEST(PoolingTest, GlobalTakesTheWholeImage) {
  EXPECT_THAT(RunOne("Pooling", {1, 2, 1, 2}, {1, 2, 3, 5},
                     "pooling_param { pool: AVE global_pooling: true }"),
              ElementsAre(1.5f, 4));
}

TEST(ActivationTest, Functions) {
  const auto run = [](const std::string& type, const std::string& parameters = "") {
    return RunOne(type, {1, 2}, {-1, 2}, parameters);
  };
  const auto near = [](std::vector<float> values) {
    return Pointwise(FloatNear(1e-5f), std::move(values));
  };
  EXPECT_THAT(run("ReLU"), ElementsAre(0, 2));
  EXPECT_THAT(run("ReLU", "relu_param { negative_slope: 0.5 }"), ElementsAre(-0.5f, 2));
  EXPECT_THAT(run("Sigmoid"), near({0.2689414f, 0.8807971f}));
  EXPECT_THAT(run("TanH"), near({-0.7615942f, 0.9640276f}));
  EXPECT_THAT(run("AbsVal"), ElementsAre(1, 2));
  EXPECT_THAT(run("BNLL"), near({0.3132617f, 2.126928f}));
  EXPECT_THAT(run("ELU", "elu_param { alpha: 2 }"), near({-1.2642411f, 2}));
  EXPECT_THAT(run("Power", "power_param { power: 2 scale: 3 shift: 1 }"), ElementsAre(4, 49));
  EXPECT_THAT(run("Power", "power_param { power: 3 }"), near({-1, 8}));
  EXPECT_THAT(run("Exp", "exp_param { base: 2 shift: 1 }"), near({1, 8}));
  EXPECT_THAT(run("Log", "log_param { base: 2 scale: 2 shift: 4 }"), near({1, 3}));
  EXPECT_THAT(run("Threshold", "threshold_param { threshold: 1.5 }"), ElementsAre(0, 1));
  EXPECT_THAT(run("Dropout"), ElementsAre(-1, 2));
}

TEST(PReLUTest, ASlopeForEachChannelOrOne) {
  TestNetwork channels;
  channels.Input({1, 2, 1, 2}).Layer("PReLU", "x", "y").Blob("y_layer", {2}, {0.5f, 0.25f});
  EXPECT_THAT(channels.Run({{-4, 4, -4, 4}}), ElementsAre(-2, 4, -1, 4));
  TestNetwork shared;
  shared.Input({1, 2}).Layer("PReLU", "x", "y", "prelu_param { channel_shared: true }");
  shared.Blob("y_layer", {}, {0.5f});
  EXPECT_THAT(shared.Run({{-4, 4}}), ElementsAre(-2, 4));
}

TEST(BatchNormTest, DividesTheSumsByTheirFactor) {
  TestNetwork network;
  network.Input({1, 2, 1, 1}).Layer("BatchNorm", "x", "y", "batch_norm_param { eps: 0 }");
  network.Blob("y_layer", {2}, {2, 4}).Blob("y_layer", {2}, {8, 32}).Blob("y_layer", {1}, {2});
  EXPECT_THAT(network.Run({{5, 10}}), ElementsAre(2, 2));
}

TEST(BatchNormTest, StatisticsOfTheBatchAreRefused) {
  EXPECT_THAT(ErrorOf("BatchNorm", {1, 2, 1, 1}, "batch_norm_param { use_global_stats: false }"),
              HasSubstr("its use_global_stats is false"));
}

TEST(ScaleTest, RunsAlongItsAxes) {
  TestNetwork channels;
  channels.Input({1, 2, 1, 2}).Layer("Scale", "x", "y", "scale_param { bias_term: true }");
  channels.Blob("y_layer", {2}, {10, 100}).Blob("y_layer", {2}, {1, 2});
  EXPECT_THAT(channels.Run({{1, 2, 3, 4}}), ElementsAre(11, 21, 302, 402));
  TestNetwork rest;
  rest.Input({1, 2, 2}).Layer("Scale", "x", "y", "scale_param { axis: 1 num_axes: -1 }");
  rest.Blob("y_layer", {2, 2}, {1, 10, 100, 1000});
  EXPECT_THAT(rest.Run({{1, 2, 3, 4}}), ElementsAre(1, 20, 300, 4000));
}

TEST(BiasTest, MayBeABlobOfTheNetwork) {
  TestNetwork network;
  network.Input({1, 2, 2}).Layer("Power", "x", "z");
  network.Layer("Reduction", "z", "r", "reduction_param { axis: 2 }");
  network.Text(
      "layer { name: 'b' type: 'Bias' bottom: 'x' bottom: 'r' top: 'y' "
      "bias_param { axis: 0 } }");
  EXPECT_THAT(network.Run({{1, 2, 3, 4}}), ElementsAre(4, 5, 10, 11));
}

TEST(LrnTest, AcrossChannels) {
  const std::vector<float> y =
      RunOne("LRN", {1, 3, 1, 1}, {1, 2, 3}, "lrn_param { local_size: 3 alpha: 3 beta: 0.5 k: 2 }");
  EXPECT_THAT(y, Pointwise(FloatNear(1e-5f),
                           {1 / std::sqrt(7.0f), 2 / std::sqrt(16.0f), 3 / std::sqrt(15.0f)}));
}

TEST(LrnTest, WithinAChannel) {
  const std::vector<float> y =
      RunOne("LRN", {1, 1, 1, 3}, {1, 2, 3},
             "lrn_param { local_size: 3 alpha: 9 beta: 1 norm_region: WITHIN_CHANNEL }");
  EXPECT_THAT(y, Pointwise(FloatNear(1e-5f), {1.0f / 6, 2.0f / 15, 3.0f / 14}));
}

TEST(MvnTest, NormalizesEachChannel) {
  EXPECT_THAT(RunOne("MVN", {1, 2, 1, 2}, {1, 3, 10, 50}),
              Pointwise(FloatNear(1e-5f), {-1, 1, -1, 1}));
  EXPECT_THAT(
      RunOne("MVN", {1, 2, 1, 2}, {1, 3, 10, 50}, "mvn_param { normalize_variance: false }"),
      ElementsAre(-1, 1, -20, 20));
}

TEST(EltwiseTest, SumsWithCoefficientsProductsAndMaxima) {
  const auto run = [](const std::string& parameters) {
    TestNetwork network;
    network.Input({1, 2}).Layer("AbsVal", "x", "a");
    network.Text("layer { name: 'e' type: 'Eltwise' bottom: 'x' bottom: 'a' top: 'y' " +
                 parameters + " }");
    return network.Run({{-2, 3}});
  };
  EXPECT_THAT(run(""), ElementsAre(0, 6));
  EXPECT_THAT(run("eltwise_param { coeff: 1 coeff: -1 }"), ElementsAre(-4, 0));
  EXPECT_THAT(run("eltwise_param { operation: PROD }"), ElementsAre(-4, 9));
  EXPECT_THAT(run("eltwise_param { operation: MAX }"), ElementsAre(2, 3));
}

TEST(ConcatTest, AlongChannelsOrAnAxis) {
  const auto run = [](const std::string& parameters) {
    TestNetwork network;
    network.Input({1, 2, 2}).Layer("AbsVal", "x", "a");
    network.Text("layer { name: 'c' type: 'Concat' bottom: 'x' bottom: 'a' top: 'y' " + parameters +
                 " }");
    return network.Run({{-1, 2, -3, 4}});
  };
  EXPECT_THAT(run(""), ElementsAre(-1, 2, -3, 4, 1, 2, 3, 4));
  EXPECT_THAT(run("concat_param { axis: -1 }"), ElementsAre(-1, 2, 1, 2, -3, 4, 3, 4));
}

TEST(SliceTest, AtPointsOrInEqualParts) {
  const auto graph = [](const std::string& parameters) {
    TestNetwork network;
    network.Input({1, 4});
    network.Text("layer { name: 's' type: 'Slice' bottom: 'x' top: 'a' top: 'b' " + parameters +
                 " }");
    network.Layer("AbsVal", "b", "y");
    return network;
  };
  ImportOptions options;
  options.outputs = {"y"};
  EXPECT_THAT(graph("").Graph(options), HasSubstr("starts=[0, 2]"));
  EXPECT_THAT(graph("slice_param { slice_point: 3 }").Graph(options), HasSubstr("starts=[0, 3]"));
  EXPECT_THAT(graph("slice_param { slice_point: 5 }").Graph(), HasSubstr("can't slice"));
}

TEST(CropTest, TakesTheShapeOfTheSecondBottom) {
  TestNetwork network;
  network.Input({1, 1, 3, 3});
  network.Layer("Pooling", "x", "like", "pooling_param { kernel_size: 2 stride: 1 }");
  network.Text(
      "layer { name: 'c' type: 'Crop' bottom: 'x' bottom: 'like' top: 'y' "
      "crop_param { axis: 2 offset: 1 offset: 0 } }");
  EXPECT_THAT(network.Run({Count(9)}), ElementsAre(3, 4, 6, 7));
}

TEST(ShapeTest, FlattenReshapePermuteTile) {
  EXPECT_THAT(ErrorOf("Flatten", {1, 2, 3, 4}, ""), HasSubstr("float32[1x24]"));
  EXPECT_THAT(ErrorOf("Flatten", {1, 2, 3, 4}, "flatten_param { axis: 1 end_axis: 2 }"),
              HasSubstr("float32[1x6x4]"));
  EXPECT_THAT(ErrorOf("Reshape", {1, 2, 8}, "reshape_param { shape { dim: [0, -1, 4] } }"),
              HasSubstr("float32[1x4x4]"));
  EXPECT_THAT(
      ErrorOf("Reshape", {1, 2, 8}, "reshape_param { axis: -1 num_axes: 0 shape { dim: 1 } }"),
      HasSubstr("float32[1x2x8x1]"));
  EXPECT_THAT(ErrorOf("Reshape", {1, 2, 8}, "reshape_param { shape { dim: 3 } }"),
              HasSubstr("can't reshape 1x2x8 to [3]"));
  EXPECT_THAT(RunOne("Permute", {1, 2, 2}, {1, 2, 3, 4}, "permute_param { order: 0 order: 2 }"),
              ElementsAre(1, 3, 2, 4));
  EXPECT_THAT(RunOne("Tile", {1, 2, 1}, {1, 2}, "tile_param { tiles: 2 }"),
              ElementsAre(1, 2, 1, 2));
}

TEST(SoftmaxTest, RunsAlongTheChannels) {
  EXPECT_THAT(RunOne("Softmax", {1, 2, 1, 2}, {0, 5, 0, 5}), ElementsAre(0.5f, 0.5f, 0.5f, 0.5f));
}

TEST(ReductionTest, OfTheDimensionsBehind) {
  const auto run = [](const std::string& operation) {
    return RunOne("Reduction", {1, 2, 2}, {-1, 2, 3, 4},
                  "reduction_param { axis: 2 coeff: 2 operation: " + operation + " }");
  };
  EXPECT_THAT(run("SUM"), ElementsAre(2, 14));
  EXPECT_THAT(run("ASUM"), ElementsAre(6, 14));
  EXPECT_THAT(run("SUMSQ"), ElementsAre(10, 50));
  EXPECT_THAT(run("MEAN"), ElementsAre(1, 7));
}

TEST(ArgMaxTest, IndicesAreFloats) {
  EXPECT_THAT(RunOne("ArgMax", {1, 2, 2}, {1, 2, 7, 3}), ElementsAre(2));
  EXPECT_THAT(RunOne("ArgMax", {1, 2, 2}, {1, 2, 7, 1}, "argmax_param { axis: 1 }"),
              ElementsAre(1, 0));
  EXPECT_THAT(
      RunOne("ArgMax", {1, 2, 2}, {1, 2, 7, 1}, "argmax_param { axis: 1 out_max_val: true }"),
      ElementsAre(7, 2));
  EXPECT_THAT(
      ErrorOf("ArgMax", {1, 2}, "argmax_param { out_max_val: true }"),
      EndsWith("it has out_max_val, but no axis (supported: top_k of 1; out_max_val along an "
               "axis)"));
}

}  // namespace
}  // namespace synap_internal::caffe_import
