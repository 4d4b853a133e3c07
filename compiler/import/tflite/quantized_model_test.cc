// Models that bring their quantizers, and weights that are smaller than float32.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "compiler/import/tflite/test_model.h"

namespace synap_internal::tflite_import {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using tflite::Activation;
using tflite::BuiltinOperator;
using tflite::Padding;
using tflite::TensorType;
using Builder = TestModel::Builder;
using Quantizer = TestModel::Quantizer;

auto Conv(Activation activation) {
  return
      [=](Builder& b) { return tflite::CreateConv2DOptions(b, Padding::VALID, 1, 1, activation); };
}

// 1x1 over one pixel of two channels; the bias is 8 steps of x scale * w scale.
TestModel ConvModel(TensorType type, int x_zero, const Quantizer& w_quantizer,
                    const std::vector<int>& w, Activation activation) {
  TestModel model;
  model.Input("x", {1, 1, 1, 2}, type, {{0.5f}, {x_zero}});
  model.Bytes8("w", {2, 1, 1, 2}, w, type, w_quantizer);
  model.Ints("b", {8, -8});
  model.Add({"y", {1, 1, 1, 2}, type, {}, {{1.0f}, {x_zero}}});
  model.Op(BuiltinOperator::CONV_2D, {"x", "w", "b"}, {"y"}, Conv(activation));
  return model.Output("y");
}

TEST(QuantizedModelTest, Uint8StaysAsItIs) {
  const TestModel model =
      ConvModel(TensorType::UINT8, 10, {{0.25f}, {3}}, {4, 5, 6, 7}, Activation::RELU);
  EXPECT_EQ(model.Text(), R"(graph "test" layout="nhwc" {
  input %x: uint8[1x1x1x2]<affine 0.5 10>
  const %w: uint8[2x1x1x2]<affine 0.25 3> = [4, 5, 6, 7]
  const %b.int32: int32[2]<affine 0.125 0> = [8, -8]
  %y: uint8[1x1x1x2]<affine 1.0 10> = conv2d(%x, %w, %b.int32) {dilations=[1, 1], groups=1, max=inf, min=0.0, pads=[0, 0, 0, 0], strides=[1, 1]} from "y"
  output %y
}
)");
  // (4 * 1 + 8 * 2 + 8) / 8 = 3.5 -> 4; (4 * 3 + 8 * 4 - 8) / 8 = 4.5 -> 4
  EXPECT_THAT(model.Run({{14, 18}}), ElementsAre(14, 14));
  EXPECT_THAT(model.Run({{0, 0}}), ElementsAre(10, 10));
}

TEST(QuantizedModelTest, Int8StaysAsItIs) {
  const TestModel model =
      ConvModel(TensorType::INT8, -118, {{0.25f}, {0}}, {1, 2, 3, 4}, Activation::NONE);
  const std::string text = model.Text();
  EXPECT_THAT(text, HasSubstr("input %x: int8[1x1x1x2]<affine 0.5 -118>"));
  EXPECT_THAT(text, HasSubstr("<affine 0.25 0> = [1, 2, 3, 4]"));
  EXPECT_THAT(text, HasSubstr("%y: int8[1x1x1x2]<affine 1.0 -118> = conv2d("));
  EXPECT_THAT(model.Run({{14 - 128, 18 - 128}}), ElementsAre(14 - 128, 14 - 128));
}

TEST(QuantizedModelTest, WeightsWithAScaleForEachChannelStaySigned) {
  const TestModel model =
      ConvModel(TensorType::INT8, -128, {{0.25f, 0.5f}, {0, 0}, 0}, {1, 2, 3, 4}, Activation::NONE);
  const std::string text = model.Text();
  EXPECT_THAT(text, HasSubstr("%w: int8[2x1x1x2]<channel 0 [0.25, 0.5]>"));
  EXPECT_THAT(text, HasSubstr("%b.int32: int32[2]<channel 0 [0.125, 0.25]>"));
  EXPECT_THAT(model.Run({{-124, -120}}), ElementsAre(-128 + 4, -128 + 9));
}

TEST(QuantizedModelTest, OutputsThatMoveKeepTheirQuantizer) {
  TestModel model;
  const Quantizer quantizer = {{0.5f}, {0}};
  model.Input("x", {2, 2}, TensorType::UINT8, quantizer).Ints("shape", {4});
  model.Add({"y", {4}, TensorType::UINT8, {}, {{0.25f}, {0}}});
  model.Op(BuiltinOperator::RESHAPE, {"x", "shape"}, {"y"}).Output("y");
  EXPECT_THAT(model.Text(), HasSubstr("requantize"));
  EXPECT_THAT(model.Run({{1, 2, 3, 200}}), ElementsAre(2, 4, 6, 255));
}

TEST(QuantizedModelTest, QuantizeAndDequantize) {
  TestModel model;
  model.Input("x", {3});
  model.Add({"q", {3}, TensorType::INT8, {}, {{0.5f}, {-10}}});
  model.Op(BuiltinOperator::QUANTIZE, {"x"}, {"q"});
  TestModel quantized = model;
  EXPECT_THAT(quantized.Output("q").Run({{-1, 0, 1000}}), ElementsAre(-12, -10, 127));
  model.Op(BuiltinOperator::DEQUANTIZE, {"q"}, {"y"}).Output("y");
  EXPECT_THAT(model.Run({{-1, 0.2f, 1000}}), ElementsAre(-1, 0, 68.5));
}

TEST(QuantizedModelTest, FunctionsOfQuantizedValuesTakeTheirOutputsQuantizer) {
  TestModel model;
  model.Input("x", {2}, TensorType::INT8, {{1.0f}, {0}});
  model.Add({"y", {2}, TensorType::INT8, {}, {{1 / 256.0f}, {-128}}});
  model.Op(BuiltinOperator::LOGISTIC, {"x"}, {"y"}).Output("y");
  EXPECT_THAT(model.Run({{0, 20}}), ElementsAre(0, 127));
}

TEST(QuantizedModelTest, ComposedFunctionsAreComputedWithRealNumbers) {
  TestModel model;
  const Quantizer quantizer = {{1.0f}, {0}};
  model.Input("a", {2}, TensorType::UINT8, quantizer).Input("b", {2}, TensorType::UINT8, quantizer);
  model.Add({"y", {2}, TensorType::UINT8, {}, {{2.0f}, {1}}});
  model.Op(BuiltinOperator::SQUARED_DIFFERENCE, {"a", "b"}, {"y"}).Output("y");
  EXPECT_THAT(model.Run({{10, 0}, {2, 4}}), ElementsAre(33, 9));
}

TEST(QuantizedModelTest, TheLargestOfSignedValues) {
  for (const TensorType type : {TensorType::INT8, TensorType::INT16}) {
    TestModel model;
    model.Input("x", {2, 3}, type, {{0.5f}, {0}}).Ints("axis", {1});
    model.Add({"y", {2}, TensorType::INT32});
    model.Op(BuiltinOperator::ARG_MAX, {"x", "axis"}, {"y"}).Output("y");
    EXPECT_THAT(model.Run({{-3, -1, -2, 0, -5, 7}}), ElementsAre(1, 2));
  }
}

TEST(QuantizedModelTest, Int16StaysAsItIs) {
  TestModel model;
  model.Input("x", {1}, TensorType::INT16, {{0.5f}, {0}});
  model.Add({"y", {1}, TensorType::INT16, {}, {{0.25f}, {0}}});
  model.Op(BuiltinOperator::ABS, {"x"}, {"y"}).Output("y");
  EXPECT_THAT(model.Text(), HasSubstr("%y: int16[1]<affine 0.25 0> = abs(%x)"));
  EXPECT_THAT(model.Run({{-300}}), ElementsAre(600));
}

TEST(QuantizedModelTest, RefusesQuantizersThatMakeNoSense) {
  const auto text = [](const Quantizer& quantizer) {
    TestModel model;
    model.Input("x", {2}, TensorType::UINT8, quantizer);
    model.Op(BuiltinOperator::ABS, {"x"}, {"y"});
    return model.Output("y").Text();
  };
  EXPECT_THAT(text({{-1.0f}, {0}}), HasSubstr("is not a positive number"));
  EXPECT_THAT(text({{1.0f}, {300}}), HasSubstr("zero point 300 is outside the range of uint8"));
  EXPECT_THAT(text({{1.0f}, {int64_t{1} << 40}}), HasSubstr("has zero point"));
  EXPECT_THAT(text({{1.0f, 2.0f}, {0, 0}}), HasSubstr("a scale for each channel"));
  EXPECT_THAT(text({{1.0f}, {0, 0}}), HasSubstr("1 scales and 2 zero points"));
  EXPECT_THAT(text({{1.0f}, {0}}),
              HasSubstr("operator #0 ABS ('y'): its operands are quantized, but its output has no "
                        "scale"));
}

TEST(SmallWeightsTest, Int8BesideFloatsBecomesFloat) {
  TestModel model;
  model.Input("x", {1, 2});
  model.Bytes8("w", {2, 2}, {1, 2, 3, 4}, TensorType::INT8, {{0.5f, 0.25f}, {0, 0}, 0});
  model.Op(BuiltinOperator::FULLY_CONNECTED, {"x", "w"}, {"y"},
           [](Builder& b) { return tflite::CreateFullyConnectedOptions(b); });
  EXPECT_THAT(model.Output("y").Run({{1, 10}}), ElementsAre(10.5, 10.75));
}

TEST(SmallWeightsTest, Float16BecomesFloat) {
  TestModel model;
  model.Input("x", {2});
  model.Add({"h", {2}, TensorType::FLOAT16, {0x00, 0x3c, 0x00, 0xc0}});  // 1, -2
  model.Op(BuiltinOperator::DEQUANTIZE, {"h"}, {"w"});
  model.Op(BuiltinOperator::MUL, {"x", "w"}, {"y"},
           [](Builder& b) { return tflite::CreateMulOptions(b); });
  EXPECT_THAT(model.Output("y").Run({{3, 4}}), ElementsAre(3, -8));
  EXPECT_THAT(model.Text(), HasSubstr("const %h: float32[2] = [1.0, -2.0]"));
}

// x [1,2] times weights of two channels.
TestModel ChannelModel(TensorType type, const std::vector<int>& w, const Quantizer& quantizer) {
  TestModel model;
  model.Input("x", {1, 2}).Bytes8("w", {2, 2}, w, type, quantizer);
  model.Op(BuiltinOperator::FULLY_CONNECTED, {"x", "w"}, {"y"},
           [](Builder& b) { return tflite::CreateFullyConnectedOptions(b); });
  return model.Output("y");
}

TEST(SmallWeightsTest, ZeroPointsOfChannelsAreSubtracted) {
  EXPECT_THAT(ChannelModel(TensorType::UINT8, {129, 130, 97, 96}, {{0.5f, 0.25f}, {128, 100}, 0})
                  .Run({{1, 10}}),
              ElementsAre(10.5, -10.75));
  EXPECT_THAT(
      ChannelModel(TensorType::INT8, {3, 4, 0, -1}, {{0.5f, 0.25f}, {2, 3}, 0}).Run({{1, 10}}),
      ElementsAre(10.5, -10.75));
  EXPECT_THAT(ChannelModel(TensorType::UINT8, {0, 200, 0, 0}, {{0.5f, 0.25f}, {0, 0}, 0}).Text(),
              HasSubstr("a value that is 200 steps from its zero point, expected -128 to 127"));
  EXPECT_THAT(ChannelModel(TensorType::UINT8, {0, 0, 0, 0}, {{0.5f, 0.25f}, {1}, 0}).Text(),
              HasSubstr("has 2 scales and 1 zero points"));
}

TEST(SmallWeightsTest, QuantizedValuesMayMeetThem) {
  TestModel model;
  model.Input("x", {1, 2}, TensorType::INT8, {{1.0f}, {0}});
  model.Bytes8("w", {2, 2}, {129, 130, 97, 96}, TensorType::UINT8, {{0.5f, 0.25f}, {128, 100}, 0});
  model.Add({"y", {1, 2}, TensorType::INT8, {}, {{0.25f}, {0}}});
  model.Op(BuiltinOperator::FULLY_CONNECTED, {"x", "w"}, {"y"},
           [](Builder& b) { return tflite::CreateFullyConnectedOptions(b); });
  EXPECT_THAT(model.Output("y").Run({{1, 10}}), ElementsAre(42, -43));
}

TEST(SmallWeightsTest, IntegersOf4BitsAreUnpacked) {
  EXPECT_THAT(
      ChannelModel(TensorType::INT4, {0x21, 0xcd}, {{0.5f, 0.25f}, {0, 0}, 0}).Run({{1, 10}}),
      ElementsAre(10.5, -10.75));
  EXPECT_THAT(ChannelModel(TensorType::INT4, {0x21}, {{0.5f}, {0}}).Text(),
              HasSubstr("has 1 bytes of data, expected 2 for shape 2x2"));
}

// A 2x4 matrix whose columns come in blocks of two: block 1 of row 0 and block 0
// of row 1 are there.
flatbuffers::Offset<tflite::SparsityParameters> Blocks(Builder& b, int32_t second_block) {
  const std::vector<int32_t> order = {0, 1, 2}, block_map = {1};
  const std::vector<int32_t> segments = {0, 1, 2};
  const std::vector<uint8_t> indices = {1, static_cast<uint8_t>(second_block)};
  const auto segment_vector = tflite::CreateInt32VectorDirect(b, &segments).Union();
  const auto index_vector = tflite::CreateUint8VectorDirect(b, &indices).Union();
  const std::vector<flatbuffers::Offset<tflite::DimensionMetadata>> dims = {
      tflite::CreateDimensionMetadata(b, tflite::DimensionType::DENSE, 2),
      tflite::CreateDimensionMetadata(b, tflite::DimensionType::SPARSE_CSR, 0,
                                      tflite::SparseIndexVector::Int32Vector, segment_vector,
                                      tflite::SparseIndexVector::Uint8Vector, index_vector),
      tflite::CreateDimensionMetadata(b, tflite::DimensionType::DENSE, 2)};
  return tflite::CreateSparsityParametersDirect(b, &order, &block_map, &dims);
}

TestModel SparseModel(int32_t second_block, std::vector<uint8_t> values) {
  TestModel model;
  model.Input("x", {2, 4}, TensorType::UINT8);
  TestModel::TensorSpec sparse{"s", {2, 4}, TensorType::UINT8, std::move(values)};
  sparse.sparsity = [=](Builder& b) { return Blocks(b, second_block); };
  model.Add(sparse).Add({"w", {2, 4}, TensorType::UINT8}).Add({"y", {}, TensorType::BOOL});
  model.Op(BuiltinOperator::DENSIFY, {"s"}, {"w"});
  return model.Output("w");
}

TEST(SmallWeightsTest, SparseBecomesDense) {
  EXPECT_THAT(SparseModel(0, {1, 2, 3, 4}).Text(),
              HasSubstr("const %w: uint8[2x4] = [0, 0, 1, 2, 3, 4, 0, 0]"));
}

TEST(SmallWeightsTest, DamagedSparsityIsAnError) {
  EXPECT_THAT(SparseModel(7, {1, 2, 3, 4}).Text(), HasSubstr("its sparsity is damaged: an index"));
  EXPECT_THAT(SparseModel(0, {1, 2, 3}).Text(), HasSubstr("it places 4 values of 3"));
}

}  // namespace
}  // namespace synap_internal::tflite_import
