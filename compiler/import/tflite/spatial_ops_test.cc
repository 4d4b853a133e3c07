// Operators over images: windows, weights, blocks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "compiler/import/tflite/test_model.h"

namespace synap_internal::tflite_import {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::Not;
using tflite::Activation;
using tflite::BuiltinOperator;
using tflite::Padding;
using Builder = TestModel::Builder;

auto Conv(Padding padding, int stride = 1, Activation activation = Activation::NONE) {
  return [=](Builder& b) {
    return tflite::CreateConv2DOptions(b, padding, stride, stride, activation);
  };
}

auto Depthwise(Padding padding, int multiplier) {
  return [=](Builder& b) {
    return tflite::CreateDepthwiseConv2DOptions(b, padding, 1, 1, multiplier);
  };
}

auto Pool(Padding padding, int stride, int size) {
  return [=](Builder& b) {
    return tflite::CreatePool2DOptions(b, padding, stride, stride, size, size);
  };
}

TestModel ConvModel(const TestModel::Dims& x, const TestModel::Dims& w, Padding padding,
                    int stride) {
  const auto count = static_cast<size_t>(w[0] * w[1] * w[2] * w[3]);
  TestModel model;
  model.Input("x", x).Floats("w", w, std::vector<float>(count, 1));
  return model.Op(BuiltinOperator::CONV_2D, {"x", "w"}, {"y"}, Conv(padding, stride)).Output("y");
}

TEST(ConvTest, StandsAsItIs) {
  TestModel model;
  model.Input("x", {1, 1, 2, 2}).Floats("w", {1, 1, 1, 2}, {1, 10}).Floats("b", {1}, {-30});
  model.Op(BuiltinOperator::CONV_2D, {"x", "w", "b"}, {"y"},
           Conv(Padding::VALID, 1, Activation::RELU));
  model.Output("y");
  EXPECT_EQ(model.Text(), R"(graph "test" layout="nhwc" {
  input %x: float32[1x1x2x2]
  const %w: float32[1x1x1x2] = [1.0, 10.0]
  const %b: float32[1] = [-30.0]
  %y.linear: float32[1x1x2x1] = conv2d(%x, %w, %b) {dilations=[1, 1], groups=1, pads=[0, 0, 0, 0], strides=[1, 1]} from "y"
  %y: float32[1x1x2x1] = relu(%y.linear) from "y"
  output %y
}
)");
  EXPECT_THAT(model.Run({{0, 1, 2, 3}}), ElementsAre(0, 2));
}

TEST(ConvTest, SamePadsAnOddOneAtTheEnd) {
  const auto text = [](int size, int kernel, int stride) {
    return ConvModel({1, size, size, 1}, {1, kernel, kernel, 1}, Padding::SAME, stride).Text();
  };
  EXPECT_THAT(text(4, 2, 1), HasSubstr("pads=[0, 0, 1, 1]"));
  EXPECT_THAT(text(4, 3, 2), HasSubstr("pads=[0, 0, 1, 1]"));
  EXPECT_THAT(text(5, 3, 2), HasSubstr("pads=[1, 1, 1, 1]"));
  EXPECT_THAT(text(5, 1, 3), HasSubstr("pads=[0, 0, 0, 0]"));
}

TEST(ConvTest, FewerInputChannelsOfTheWeightsAreGroups) {
  TestModel model;
  model.Input("x", {1, 1, 1, 4}).Floats("w", {2, 1, 1, 2}, {1, 1, 10, 10});
  model.Op(BuiltinOperator::CONV_2D, {"x", "w"}, {"y"}, Conv(Padding::VALID)).Output("y");
  EXPECT_THAT(model.Run({{1, 2, 3, 4}}), ElementsAre(3, 70));
}

TEST(ConvTest, RefusesStepsThatAreNone) {
  EXPECT_THAT(ConvModel({1, 4, 4, 1}, {1, 1, 1, 1}, Padding::SAME, 0).Text(),
              HasSubstr("operator #0 CONV_2D ('y'): its stride is [0, 0], expected 1 to 1048576"));
  EXPECT_THAT(ConvModel({1, 4, 4, 3}, {1, 1, 1, 2}, Padding::SAME, 1).Text(),
              HasSubstr("its weights 1x1x1x2 don't fit to its input 1x4x4x3"));
}

TEST(DepthwiseConvTest, OneOutputForAChannelIsDepthwise) {
  TestModel model;
  model.Input("x", {1, 1, 2, 2}).Floats("w", {1, 1, 1, 2}, {1, 10});
  model.Op(BuiltinOperator::DEPTHWISE_CONV_2D, {"x", "w"}, {"y"}, Depthwise(Padding::VALID, 1));
  model.Output("y");
  EXPECT_THAT(model.Text(), HasSubstr("depthwise_conv2d"));
  EXPECT_THAT(model.Run({{1, 2, 3, 4}}), ElementsAre(1, 20, 3, 40));
}

TEST(DepthwiseConvTest, AMultiplierMakesGroups) {
  TestModel model;
  model.Input("x", {1, 1, 1, 2}).Floats("w", {1, 1, 1, 4}, {1, 10, 100, 1000});
  model.Op(BuiltinOperator::DEPTHWISE_CONV_2D, {"x", "w"}, {"y"}, Depthwise(Padding::SAME, 2));
  model.Output("y");
  EXPECT_THAT(model.Run({{1, 2}}), ElementsAre(1, 10, 200, 2000));
}

TEST(TransposeConvTest, HasTheShapeThatItIsGiven) {
  TestModel model;
  model.Ints("shape", {1, 1, 4, 1}).Floats("w", {1, 1, 3, 1}, {1, 2, 3});
  model.Input("x", {1, 1, 2, 1});
  model.Op(BuiltinOperator::TRANSPOSE_CONV, {"shape", "w", "x"}, {"y"},
           [](Builder& b) { return tflite::CreateTransposeConvOptions(b, Padding::SAME, 2, 1); });
  model.Output("y");
  // SAME over 4 elements in steps of 2 pads one element, at the end.
  EXPECT_THAT(model.Run({{1, 10}}), ElementsAre(1, 2, 13, 20));
}

TEST(TransposeConvTest, ElementsBehindTheFullOutputAreZero) {
  TestModel model;
  model.Ints("shape", {1, 1, 4, 1}).Floats("w", {1, 1, 1, 1}, {1});
  model.Input("x", {1, 1, 2, 1});
  model.Op(BuiltinOperator::TRANSPOSE_CONV, {"shape", "w", "x"}, {"y"},
           [](Builder& b) { return tflite::CreateTransposeConvOptions(b, Padding::VALID, 2, 1); });
  model.Output("y");
  EXPECT_THAT(model.Run({{1, 10}}), ElementsAre(1, 0, 10, 0));
}

TEST(TransposeConvTest, BatchAndChannelsAreNotFree) {
  const auto error = [](const std::vector<int32_t>& shape) {
    TestModel model;
    model.Ints("shape", shape).Floats("w", {1, 1, 1, 1}, {1}).Input("x", {1, 1, 2, 1});
    model.Op(BuiltinOperator::TRANSPOSE_CONV, {"shape", "w", "x"}, {"y"}, [](Builder& b) {
      return tflite::CreateTransposeConvOptions(b, Padding::VALID, 2, 1);
    });
    return model.Output("y").Text();
  };
  constexpr char kComputed[] =
      ", but of its input 1x1x2x1 and its weights 1x1x1x1 it computes 1x1x4x1";
  EXPECT_THAT(error({3, 1, 4, 1}), HasSubstr(absl::StrCat("output shape is 3x1x4x1", kComputed)));
  EXPECT_THAT(error({1, 1, 4, 2}), HasSubstr(absl::StrCat("output shape is 1x1x4x2", kComputed)));
}

TEST(PoolTest, PaddingTakesNoPart) {
  const auto run = [](BuiltinOperator code) {
    TestModel model;
    model.Input("x", {1, 2, 2, 1});
    model.Op(code, {"x"}, {"y"}, Pool(Padding::SAME, 1, 2)).Output("y");
    return model.Run({{3, -1, -1, -1}});
  };
  EXPECT_THAT(run(BuiltinOperator::AVERAGE_POOL_2D), ElementsAre(0, -1, -1, -1));
  EXPECT_THAT(run(BuiltinOperator::MAX_POOL_2D), ElementsAre(3, -1, -1, -1));
}

TEST(PoolTest, L2IsTheRootOfTheMeanOfSquares) {
  TestModel model;
  model.Input("x", {1, 2, 2, 1});
  model.Op(BuiltinOperator::L2_POOL_2D, {"x"}, {"y"}, Pool(Padding::VALID, 2, 2)).Output("y");
  EXPECT_THAT(model.Run({{2, 4, 4, 8}}), ElementsAre(5));
}

std::vector<float> Resized(BuiltinOperator code, bool align, bool half, int width,
                           const std::vector<float>& x) {
  TestModel model;
  model.Input("x", {1, 1, static_cast<int32_t>(x.size()), 1}).Ints("size", {1, width});
  if (code == BuiltinOperator::RESIZE_BILINEAR) {
    model.Op(code, {"x", "size"}, {"y"},
             [=](Builder& b) { return tflite::CreateResizeBilinearOptions(b, align, half); });
  } else {
    model.Op(code, {"x", "size"}, {"y"}, [=](Builder& b) {
      return tflite::CreateResizeNearestNeighborOptions(b, align, half);
    });
  }
  return model.Output("y").Run({x});
}

TEST(ResizeTest, BilinearKnowsThreeCoordinates) {
  constexpr BuiltinOperator kCode = BuiltinOperator::RESIZE_BILINEAR;
  EXPECT_THAT(Resized(kCode, false, false, 4, {0, 4}), ElementsAre(0, 2, 4, 4));
  EXPECT_THAT(Resized(kCode, false, true, 4, {0, 4}), ElementsAre(0, 1, 3, 4));
  EXPECT_THAT(Resized(kCode, true, false, 3, {0, 4}), ElementsAre(0, 2, 4));
}

TEST(ResizeTest, NearestRoundsAsTheCoordinatesAsk) {
  constexpr BuiltinOperator kCode = BuiltinOperator::RESIZE_NEAREST_NEIGHBOR;
  EXPECT_THAT(Resized(kCode, false, false, 3, {0, 1, 2, 3, 4}), ElementsAre(0, 1, 3));
  EXPECT_THAT(Resized(kCode, false, true, 3, {0, 1, 2, 3, 4}), ElementsAre(0, 2, 4));
  EXPECT_THAT(Resized(kCode, true, false, 3, {0, 1}), ElementsAre(0, 1, 1));
}

TEST(SpaceToDepthTest, AndBack) {
  TestModel model;
  model.Input("x", {1, 2, 4, 1});
  model.Op(BuiltinOperator::SPACE_TO_DEPTH, {"x"}, {"d"},
           [](Builder& b) { return tflite::CreateSpaceToDepthOptions(b, 2); });
  TestModel there = model;
  EXPECT_THAT(there.Output("d").Run({Count(8)}), ElementsAre(0, 1, 4, 5, 2, 3, 6, 7));
  model.Op(BuiltinOperator::DEPTH_TO_SPACE, {"d"}, {"y"},
           [](Builder& b) { return tflite::CreateDepthToSpaceOptions(b, 2); });
  EXPECT_THAT(model.Output("y").Run({Count(8)}), ElementsAreArray(Count(8)));
}

// A convolution of three columns between the two.
TestModel Dilated(const std::vector<int32_t>& pads, const std::vector<int32_t>& crops, int stride) {
  TestModel model;
  model.Input("x", {1, 1, 6, 1}).Ints("block", {1, 2}).Floats("w", {1, 1, 3, 1}, {1, 10, 100});
  model.Ints("pads", pads).Ints("crops", crops);
  model.Op(BuiltinOperator::SPACE_TO_BATCH_ND, {"x", "block", "pads"}, {"s"});
  model.Op(BuiltinOperator::CONV_2D, {"s", "w"}, {"c"},
           Conv(Padding::VALID, stride, Activation::RELU));
  model.Op(BuiltinOperator::BATCH_TO_SPACE_ND, {"c", "block", "crops"}, {"y"}).Output("y");
  return model;
}

TEST(SpaceToBatchTest, AroundAConvolutionIsADilation) {
  const TestModel model = Dilated({0, 0, 2, 2}, {0, 0, 0, 0}, 1);
  const std::string text = model.Text();
  EXPECT_THAT(text, HasSubstr("dilations=[1, 2], groups=1, pads=[0, 2, 0, 2]"));
  EXPECT_THAT(text, Not(HasSubstr("transpose")));
  EXPECT_THAT(model.Run({{1, 2, 3, 4, 5, 6}}), ElementsAre(310, 420, 531, 642, 53, 64));
}

TEST(SpaceToBatchTest, CropsTakePaddingAway) {
  const TestModel model = Dilated({0, 0, 2, 2}, {0, 0, 0, 1}, 1);
  EXPECT_THAT(model.Text(), HasSubstr("pads=[0, 2, 0, 1]"));
  EXPECT_THAT(model.Run({{1, 2, 3, 4, 5, 6}}), ElementsAre(310, 420, 531, 642, 53));
}

TEST(SpaceToBatchTest, AloneMovesData) {
  TestModel model;
  model.Input("x", {1, 2, 2, 1}).Ints("block", {2, 2}).Ints("none", {0, 0, 0, 0});
  model.Op(BuiltinOperator::SPACE_TO_BATCH_ND, {"x", "block", "none"}, {"s"});
  model.Op(BuiltinOperator::NEG, {"s"}, {"n"});
  model.Op(BuiltinOperator::BATCH_TO_SPACE_ND, {"n", "block", "none"}, {"y"}).Output("y");
  EXPECT_THAT(model.Text(), HasSubstr("float32[4x1x1x1]"));
  EXPECT_THAT(model.Run({{1, 2, 3, 4}}), ElementsAre(-1, -2, -3, -4));
}

TEST(SpaceToBatchTest, BlocksMustFit) {
  TestModel model;
  model.Input("x", {1, 3, 2, 1}).Ints("block", {2, 2}).Ints("none", {0, 0, 0, 0});
  model.Op(BuiltinOperator::SPACE_TO_BATCH_ND, {"x", "block", "none"}, {"y"}).Output("y");
  EXPECT_THAT(model.Text(),
              HasSubstr("its block shape [2, 2] doesn't divide its padded input 1x3x2x1"));
}

TEST(SpaceToBatchTest, RefusesOtherBlocks) {
  TestModel line;
  line.Input("x", {1, 3, 2, 1}).Ints("block", {2}).Ints("none", {0, 0});
  line.Op(BuiltinOperator::SPACE_TO_BATCH_ND, {"x", "block", "none"}, {"y"}).Output("y");
  EXPECT_THAT(line.Text(), HasSubstr("its block shape is [2] and its paddings [0, 0] (supported: a "
                                     "constant block shape and edges, of height and width)"));
  TestModel flat;
  flat.Input("x", {4, 2, 1}).Ints("block", {2, 2}).Ints("none", {0, 0, 0, 0});
  flat.Op(BuiltinOperator::BATCH_TO_SPACE_ND, {"x", "block", "none"}, {"y"}).Output("y");
  EXPECT_THAT(flat.Text(), HasSubstr("its input is 4x2x1, expected an image [N,H,W,C]"));
}

}  // namespace
}  // namespace synap_internal::tflite_import
