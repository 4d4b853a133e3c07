#include <cmath>
#include <string>
#include <vector>

#include "compiler/import/onnx/test_model.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace synap_internal::onnx_import {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatEq;
using ::testing::HasSubstr;
using ::testing::Not;

// An initializer of any integer type.
void Integers(TestModel& model, const std::string& name, int type, const TestModel::Dims& dims,
              const std::vector<int32_t>& values) {
  onnx::TensorProto* tensor = model.graph().add_initializer();
  tensor->set_name(name);
  tensor->set_data_type(type);
  tensor->mutable_dims()->Add(dims.begin(), dims.end());
  tensor->mutable_int32_data()->Add(values.begin(), values.end());
}

constexpr int kUint8 = onnx::TensorProto::UINT8;
constexpr int kInt8 = onnx::TensorProto::INT8;
constexpr int kInt32 = onnx::TensorProto::INT32;

TEST(QuantizeLinearTest, KeepsItsParameters) {
  TestModel model;
  model.Input("x", {4}).Floats("s", {}, {0.5f});
  Integers(model, "z", kInt8, {}, {-3});
  model.Node("QuantizeLinear", {"x", "s", "z"}, {"q"});
  model.Node("DequantizeLinear", {"q", "s", "z"}, {"y"}).Output("y");
  EXPECT_THAT(model.Text(), HasSubstr("%q: int8[4]<affine 0.5 -3> = quantize(%x)"));
  EXPECT_THAT(model.Run({{0.25f, 0.8f, -100, 100}}), ElementsAre(0, 1, -62.5f, 65));
}

TEST(QuantizeLinearTest, IsUint8WithoutZeroPoint) {
  TestModel model;
  model.Input("x", {1}).Floats("s", {}, {0.5f}).Node("QuantizeLinear", {"x", "s"}, {"q"});
  EXPECT_THAT(model.Output("q").Text(), HasSubstr("%q: uint8[1]<affine 0.5 0> = quantize(%x)"));
}

TEST(QuantizeLinearTest, RefusesChannelsOfWhatFlows) {
  TestModel model;
  model.Input("x", {1, 2}).Floats("s", {2}, {0.5f, 1}).Node("QuantizeLinear", {"x", "s"}, {"q"});
  EXPECT_THAT(
      model.Output("q").Text(),
      HasSubstr("node 'q_node' (QuantizeLinear): 'x' has 2 scales (supported: scales of channels"));
}

TEST(DequantizeLinearTest, GivesAnInputItsQuantizer) {
  TestModel model;
  model.Input("x", {2}, kUint8).Floats("s", {}, {0.5f}).Node("DequantizeLinear", {"x", "s"}, {"y"});
  EXPECT_THAT(model.Output("y").Text(), HasSubstr("input %x: uint8[2]<affine 0.5 0>"));
}

TEST(DequantizeLinearTest, ReadsIntegersWithASecondQuantizer) {
  TestModel model;
  model.Input("x", {2}).Floats("s", {}, {0.5f}).Floats("t", {}, {0.1f});
  Integers(model, "zs", kInt8, {}, {-3});
  Integers(model, "zt", kInt8, {}, {7});
  model.Node("QuantizeLinear", {"x", "s", "zs"}, {"q"});
  model.Node("DequantizeLinear", {"q", "t", "zt"}, {"y"}).Output("y");
  // 1 is -1 there, -200 saturates to -128.
  EXPECT_THAT(model.Run({{1, -200}}), ElementsAre(FloatEq(-0.8f), FloatEq(-13.5f)));
}

TEST(QLinearTest, IntegersMayBeAddedAfterwards) {
  TestModel model;
  model.Input("x", {1, 1, 1, 2}).Floats("s", {}, {1 / 64.0f}).Floats("ws", {}, {1 / 32.0f});
  Integers(model, "z", kInt8, {}, {5});
  Integers(model, "w", kInt8, {1, 1, 1, 1}, {64});
  Integers(model, "wz", kInt8, {}, {0});
  Integers(model, "b", kInt8, {1, 1, 1}, {3});
  model.Node("QuantizeLinear", {"x", "s", "z"}, {"q"});
  model.Node("QLinearConv", {"q", "s", "z", "w", "ws", "wz", "s", "z"}, {"c"});
  model.Node("Add", {"c", "b"}, {"sum"}).Node("DequantizeLinear", {"sum", "s", "z"}, {"y"});
  // The sum of 8 bits wraps around: 127 + 3 is -126.
  EXPECT_THAT(model.Output("y").Run({{0.5f, 100}}), ElementsAre(67 / 64.0f, -131 / 64.0f));
}

TEST(QuantizeLinearTest, ConstantsThatWereDequantizedMayHaveChannels) {
  TestModel model;
  model.Input("x", {1, 2}).Floats("s", {}, {0.5f}).Floats("t", {2}, {0.25f, 2});
  Integers(model, "w", kInt8, {2, 2}, {1, 2, 3, -4});
  Integers(model, "z", kInt8, {}, {0});
  Integers(model, "zt", kInt8, {2}, {0, 0});
  model.Node("DequantizeLinear", {"w", "s", "z"}, {"a"});
  model.Node("Transpose", {"a"}, {"b"}, {{"perm", std::vector<int64_t>{1, 0}}});
  model.Node("QuantizeLinear", {"b", "t", "zt"}, {"c"}, {{"axis", int64_t{1}}});
  model.Node("DequantizeLinear", {"c", "t", "zt"}, {"d"}, {{"axis", int64_t{1}}});
  // [[0.5, 1.5], [1, -2]], of which 1.5 becomes 2.
  EXPECT_THAT(model.Node("MatMul", {"x", "d"}, {"y"}).Output("y").Run({{1, 10}}),
              ElementsAre(10.5f, -18));
}

TestModel ByChannel(int type, const std::vector<int32_t>& values,
                    const std::vector<int32_t>& zero_points) {
  TestModel model;
  model.Floats("s", {2}, {0.5f, 2});
  Integers(model, "w", type, {2, 2}, values);
  Integers(model, "z", type, {2}, zero_points);
  model.Node("DequantizeLinear", {"w", "s", "z"}, {"y"}, {{"axis", int64_t{0}}});
  return model.Output("y");
}

TEST(DequantizeLinearTest, WeightsByChannelStayIntegers) {
  const TestModel model = ByChannel(kInt8, {1, -2, 3, -128}, {0, 0});
  EXPECT_THAT(model.Text(), HasSubstr("int8[2x2]<channel 0 [0.5, 2.0]> = [1, -2, 3, -128]"));
  EXPECT_THAT(model.Run({}), ElementsAre(0.5f, -1, 6, -256));
}

TEST(DequantizeLinearTest, UnsignedWeightsAreCenteredIfInt8HoldsThem) {
  const TestModel exact = ByChannel(kUint8, {129, 126, 3, 100}, {128, 0});
  EXPECT_THAT(exact.Text(), HasSubstr("int8[2x2]<channel 0 [0.5, 2.0]> = [1, -2, 3, 100]"));
  const TestModel wide = ByChannel(kUint8, {129, 126, 3, 200}, {128, 0});
  EXPECT_THAT(wide.Text(), Not(HasSubstr("int8")));
  EXPECT_THAT(wide.Run({}), ElementsAre(0.5f, -1, 6, 400));
}

TEST(DequantizeLinearTest, BiasesBecomeFloat) {
  TestModel model;
  model.Floats("s", {}, {0.25f});
  Integers(model, "b", kInt32, {2}, {100000, -6});
  model.Node("DequantizeLinear", {"b", "s"}, {"y"}).Output("y");
  EXPECT_THAT(model.Text(), HasSubstr("const %y: float32[2] = [25000.0, -1.5]"));
}

TEST(QuantizeLinearTest, ScalesMayBeOfBlocks) {
  TestModel model(21);
  model.Input("x", {1, 3}).Floats("s", {1, 2}, {0.5f, 2});
  model.Node("QuantizeLinear", {"x", "s"}, {"y"}, {{"block_size", int64_t{2}}}).Output("y");
  EXPECT_THAT(model.Run({{1, 1000, 7}}), ElementsAre(2, 255, 4));
  model.graph().mutable_node(0)->mutable_attribute(0)->set_i(1);
  EXPECT_THAT(model.Text(), HasSubstr("its scales or zero points are 1x2, expected 1x3"));
}

TEST(QuantizeLinearTest, ScalesMayBeComputed) {
  TestModel model;
  model.Input("x", {2}).Input("s", {}).Node("QuantizeLinear", {"x", "s"}, {"q"});
  model.Node("DequantizeLinear", {"q", "s"}, {"y"}).Output("y");
  EXPECT_THAT(model.Run({{0.7f, -3}, {0.5f}}), ElementsAre(0.5f, 0));
}

// x quantized to uint16 q, with steps of 0.5 and a zero point of 100.
TestModel Uint16() {
  TestModel model(21);
  model.Input("x", {3}).Floats("s", {}, {0.5f});
  Integers(model, "z", onnx::TensorProto::UINT16, {}, {100});
  return model.Node("QuantizeLinear", {"x", "s", "z"}, {"q"});
}

TEST(QuantizeLinearTest, Uint16ThatIsDequantizedIsInt16) {
  TestModel model = Uint16();
  model.Node("DequantizeLinear", {"q", "s", "z"}, {"y"}).Output("y");
  EXPECT_THAT(model.Run({{0.7f, -1000, 1e6f}}), ElementsAre(0.5f, -50, 32717.5f));
  EXPECT_THAT(model.Text(), HasSubstr("int16[3]<affine 0.5 -32668> = quantize(%x)"));
  EXPECT_THAT(model.Text(), Not(HasSubstr("uint16[")));
}

TEST(QuantizeLinearTest, Uint16ThatOthersReadStaysInFloats) {
  TestModel another = Uint16();
  another.Floats("t", {}, {1}).Node("DequantizeLinear", {"q", "t", "z"}, {"y"}).Output("y");
  EXPECT_THAT(another.Run({{0.7f, -1000, 1e6f}}), ElementsAre(1, -100, 65435));
  EXPECT_THAT(another.Text(), Not(HasSubstr("int16[3]<")));
  TestModel cast = Uint16();
  cast.Node("Cast", {"q"}, {"y"}, {{"to", int64_t{onnx::TensorProto::FLOAT}}}).Output("y");
  EXPECT_THAT(cast.Run({{0.7f, -1000, 1e6f}}), ElementsAre(101, 0, 65535));
}

TEST(DynamicQuantizeLinearTest, QuantizesWhatLeavesTheNetwork) {
  TestModel model;
  model.Input("x", {3}).Node("DynamicQuantizeLinear", {"x"}, {"q", "s", "z"});
  for (const char* output : {"q", "s", "z"}) model.Output(output);
  EXPECT_THAT(model.Run({{-1, 0.52f, 4}}), ElementsAre(0, 78, 255));
  EXPECT_THAT(model.Text(), HasSubstr("output %q\n  output %s\n  output %z\n"));
}

// Operands x, its scale and zero point, by name.
TestModel QuantizedInput(const TestModel::Dims& dims) {
  TestModel model;
  model.Input("x", dims).Floats("xs", {}, {0.5f}).Floats("ys", {}, {1});
  Integers(model, "xz", kUint8, {}, {128});
  Integers(model, "yz", kUint8, {}, {10});
  model.Node("QuantizeLinear", {"x", "xs", "xz"}, {"q"});
  return model;
}

void Contributed(TestModel& model) {
  auto& nodes = *model.graph().mutable_node();
  nodes[nodes.size() - 1].set_domain("com.microsoft");
}

// y, quantized by ys and yz, as the only output in real numbers.
TestModel& RealOutput(TestModel& model) {
  return model.Node("DequantizeLinear", {"y", "ys", "yz"}, {"f"}).Output("f");
}

TEST(QLinearTest, ConvIsTheFloatOneBetweenConversions) {
  TestModel model = QuantizedInput({1, 1, 1, 2});
  model.Floats("ws", {1}, {0.25f});
  Integers(model, "w", kInt8, {1, 1, 1, 1}, {8});
  Integers(model, "wz", kInt8, {1}, {0});
  Integers(model, "b", kInt32, {1}, {8});
  model.Node("QLinearConv", {"q", "xs", "xz", "w", "ws", "wz", "ys", "yz", "b"}, {"y"});
  RealOutput(model);
  EXPECT_THAT(model.Text(), HasSubstr("%y: uint8[1x1x1x2]<affine 1.0 10> = quantize("));
  EXPECT_THAT(model.Run({{1.5f, 3}}), ElementsAre(4, 7));
}

TEST(QLinearTest, MatMulAndGemm) {
  TestModel model = QuantizedInput({1, 2});
  model.Floats("ws", {}, {0.5f});
  Integers(model, "w", kInt8, {2, 1}, {2, 4});
  Integers(model, "wz", kInt8, {}, {0});
  TestModel gemm = model;
  model.Node("QLinearMatMul", {"q", "xs", "xz", "w", "ws", "wz", "ys", "yz"}, {"y"});
  EXPECT_THAT(RealOutput(model).Run({{1, 3}}), ElementsAre(7));
  Integers(gemm, "b", kInt32, {1}, {-8});
  gemm.Node("QGemm", {"q", "xs", "xz", "w", "ws", "wz", "b", "ys", "yz"}, {"y"});
  Contributed(gemm);
  EXPECT_THAT(RealOutput(gemm).Run({{1, 3}}), ElementsAre(5));
}

std::vector<float> RunBinary(const std::string& op) {
  TestModel model = QuantizedInput({2});
  model.Node(op, {"q", "xs", "xz", "q", "xs", "xz", "ys", "yz"}, {"y"});
  Contributed(model);
  return RealOutput(model).Run({{3, -2}});
}

TEST(QLinearTest, Elementwise) {
  EXPECT_THAT(RunBinary("QLinearAdd"), ElementsAre(6, -4));
  EXPECT_THAT(RunBinary("QLinearMul"), ElementsAre(9, 4));
}

std::vector<float> RunUnary(const std::string& op, const Attributes& attributes = {}) {
  TestModel model = QuantizedInput({1, 1, 1, 2});
  model.Node(op, {"q", "xs", "xz", "ys", "yz"}, {"y"}, attributes);
  Contributed(model);
  return RealOutput(model).Run({{30, -20}});
}

TEST(QLinearTest, Unary) {
  EXPECT_THAT(RunUnary("QLinearSigmoid"), ElementsAre(1, 0));
  EXPECT_THAT(RunUnary("QLinearLeakyRelu", {{"alpha", 0.25f}}), ElementsAre(30, -5));
  EXPECT_THAT(RunUnary("QLinearGlobalAveragePool", {{"channels_last", int64_t{0}}}),
              ElementsAre(5));
  EXPECT_THAT(RunUnary("QLinearAveragePool", {{"kernel_shape", std::vector<int64_t>{1, 2}}}),
              ElementsAre(5));
}

TEST(QLinearTest, Concat) {
  TestModel model = QuantizedInput({1, 1});
  model.Node("QLinearConcat", {"ys", "yz", "q", "xs", "xz", "q", "xs", "xz"}, {"y"},
             {{"axis", int64_t{1}}});
  Contributed(model);
  EXPECT_THAT(RealOutput(model).Run({{7}}), ElementsAre(7, 7));
}

TEST(QLinearTest, SoftmaxOfTheModelsOpset) {
  const auto softmax = [](int64_t opset) {
    TestModel model = QuantizedInput({1, 2});
    model.Node("QLinearSoftmax", {"q", "xs", "xz", "ys", "yz"}, {"y"}, {{"opset", opset}});
    Contributed(model);
    return RealOutput(model);
  };
  EXPECT_THAT(softmax(13).Run({{30, -30}}), ElementsAre(1, 0));
  EXPECT_THAT(softmax(11).Text(), HasSubstr("attribute 'opset' is 11, but the model's"));
}

TEST(DynamicQuantizationTest, ComputesWithFloats) {
  TestModel model;
  model.Input("x", {1, 2}).Floats("ws", {}, {0.5f});
  Integers(model, "w", kUint8, {2, 1}, {5, 1});
  Integers(model, "wz", kUint8, {}, {3});
  model.Node("DynamicQuantizeLinear", {"x"}, {"q", "qs", "qz"});
  model.Node("MatMulInteger", {"q", "w", "qz", "wz"}, {"steps"});
  model.Node("Cast", {"steps"}, {"real"}, {{"to", int64_t{onnx::TensorProto::FLOAT}}});
  model.Node("Mul", {"qs", "ws"}, {"s"}).Node("Mul", {"real", "s"}, {"y"}).Output("y");
  EXPECT_THAT(model.Run({{10, 0.25f}}), ElementsAre(9.75f));
}

TEST(DynamicQuantizationTest, ConvolutionToo) {
  TestModel model;
  model.Input("x", {1, 1, 1, 2});
  Integers(model, "w", kInt8, {1, 1, 1, 1}, {-3});
  model.Node("DynamicQuantizeLinear", {"x"}, {"q", "qs", "qz"});
  model.Node("ConvInteger", {"q", "w", "qz"}, {"y"}).Output("y");
  EXPECT_THAT(model.Run({{10, 0.25f}}), ElementsAre(-30, -0.75f));
}

TEST(DynamicQuantizationTest, ItsStepsAreNoIntegers) {
  TestModel model;
  model.Input("x", {1}).Node("DynamicQuantizeLinear", {"x"}, {"q", "qs", "qz"});
  model.Node("DequantizeLinear", {"q", "qs", "qz"}, {"y"}).Output("y");
  EXPECT_THAT(model.Text(), HasSubstr("it reads 'q' as integers, which is float32"));
}

TEST(QLinearTest, ConcatRefusesGaps) {
  TestModel model = QuantizedInput({1, 1});
  model.Node("QLinearConcat", {"ys", "yz", "q", "xs", "xz", "", "xs", "xz"}, {"y"});
  Contributed(model);
  EXPECT_THAT(model.Output("y").Text(), HasSubstr("expected 2 and 3 for each input"));
}

TEST(DequantizeLinearTest, ScalesMayBeOfBlocks) {
  TestModel model(21);
  model.Input("x", {1}).Floats("s", {2, 2}, {1, 10, 100, 1000});
  Integers(model, "q", kUint8, {2, 3}, {1, 2, 3, 4, 5, 6});
  Integers(model, "z", kUint8, {2, 2}, {1, 0, 0, 5});
  model.Node("DequantizeLinear", {"q", "s", "z"}, {"w"},
             {{"axis", int64_t{-1}}, {"block_size", int64_t{2}}});
  model.Node("Add", {"x", "w"}, {"y"}).Output("y");
  EXPECT_THAT(model.Run({{0}}), ElementsAre(0, 1, 30, 400, 500, 1000));
  model.graph().mutable_node(0)->mutable_attribute(0)->set_i(0);
  EXPECT_THAT(model.Text(), HasSubstr("its scales or zero points are 2x2, expected 1x3"));
}

// Values of TensorProto::DataType, which older definitions of ONNX don't have.
constexpr int kFloat8E4M3FN = 17, kInt4 = 22;

TEST(DequantizeLinearTest, WeightsMayBeNarrow) {
  for (const int64_t axis : {0, 1}) {
    TestModel model(21);
    model.Input("x", {1, 1}).Floats("s", {3}, {1, 10, 100}).Floats("s1", {}, {2});
    Integers(model, "q", kInt4, {3, 1}, {0x2f, 0x08});
    Integers(model, "f", kFloat8E4M3FN, {1, 3}, {0x38, 0xb8, 0x01});
    model.Node("DequantizeLinear", {axis == 0 ? "q" : "f", "s"}, {"w"}, {{"axis", axis}});
    model.Node("Mul", {"x", "w"}, {"y"}).Output("y");
    if (axis == 0) {
      EXPECT_THAT(model.Run({{1}}), ElementsAre(-1, 20, -800));
      continue;
    }
    EXPECT_THAT(model.Run({{1}}), ElementsAre(1, -10, 100 * 0x1p-9f));
    model.graph().mutable_node(0)->set_input(1, "s1");
    EXPECT_THAT(model.Run({{1}}), ElementsAre(2, -2, 2 * 0x1p-9f));
  }
}

TEST(DequantizeLinearTest, NarrowWeightsAreReadByNothingElse) {
  TestModel model(21);
  model.Input("x", {1});
  Integers(model, "z", kInt4, {}, {1});
  model.Node("Add", {"z", "z"}, {"y"}).Output("y");
  EXPECT_THAT(model.Text(), HasSubstr("its operand 'z' is of an integer of less or a float of at"));
}

TEST(DequantizeLinearTest, NarrowOutputsHaveTheirTypeHere) {
  TestModel model(21);
  model.Input("x", {1});
  Integers(model, "z", kInt4, {1}, {15});
  model.Node("Identity", {"z"}, {"y"}).Output("y");
  EXPECT_THAT(model.Text(), HasSubstr("%y: int8[1] = [-1]"));
}

TEST(QuantizeLinearTest, ConstantsMayBecomeNarrow) {
  TestModel model(21);
  model.Input("x", {2, 2}).Floats("w", {2, 2}, {1, 100, -3, 2.5f}).Floats("s", {2}, {1, 0.5f});
  Integers(model, "z", kInt4, {2}, {0x10});
  model.Node("QuantizeLinear", {"w", "s", "z"}, {"q"}, {{"axis", int64_t{1}}});
  model.Node("DequantizeLinear", {"q", "s", "z"}, {"v"}, {{"axis", int64_t{1}}});
  model.Node("Mul", {"x", "v"}, {"y"}).Output("y");
  EXPECT_THAT(model.Run({{1, 1, 1, 1}}), ElementsAre(1, 3, -3, 2.5f));
  model.graph().mutable_node(0)->set_input(0, "x");
  EXPECT_THAT(model.Text(), HasSubstr("operand 'input' must be constant"));
}

TEST(CastTest, ConstantsMayBecomeNarrow) {
  const auto run = [](int type, const Attributes& more, int opset = 24) {
    TestModel model(opset);
    Attributes attributes = more;
    attributes["to"] = int64_t{type};
    model.Input("x", {3}).Floats("w", {3}, {0.3f, 9, -1e6f}).Node("Cast", {"w"}, {"n"}, attributes);
    model.Node("CastLike", {"n", "x"}, {"v"}).Node("Add", {"x", "v"}, {"y"});
    return model.Output("y").Run({{0, 0, 0}});
  };
  EXPECT_THAT(run(kFloat8E4M3FN, {}), ElementsAre(0.3125f, 9, -448));
  EXPECT_TRUE(std::isnan(run(kFloat8E4M3FN, {{"saturate", int64_t{0}}})[2]));
  EXPECT_THAT(run(kInt4, {}), ElementsAre(0, -7, 0));
  EXPECT_THAT(run(kInt4, {}, 23), ElementsAre(0, 7, -8));
  TestModel model(24);
  model.Floats("w", {1}, {3})
      .Node("Cast", {"w"}, {"y"}, {{"to", int64_t{24}}, {"round_mode", std::string("odd")}});
  EXPECT_THAT(model.Output("y").Text(), HasSubstr("attribute 'round_mode' is 'odd', expected up"));
}

TEST(DequantizeLinearTest, NarrowWeightsMayBeCast) {
  TestModel model(21);
  model.Input("x", {1});
  Integers(model, "z", kInt4, {1}, {15});
  model.Node("CastLike", {"z", "x"}, {"w"}).Node("Add", {"x", "w"}, {"y"}).Output("y");
  EXPECT_THAT(model.Run({{3}}), ElementsAre(2));
}

TEST(DequantizeLinearTest, NarrowWeightsMayBeCastToTheTypeThatTheyHaveHere) {
  TestModel model(21);
  model.Input("x", {1});
  Integers(model, "f", kFloat8E4M3FN, {1}, {0x38});
  model.Node("Cast", {"f"}, {"w"}, {{"to", int64_t{onnx::TensorProto::FLOAT}}});
  model.Node("Add", {"x", "w"}, {"y"}).Output("y");
  EXPECT_THAT(model.Run({{3}}), ElementsAre(4));
}

TEST(DequantizeLinearTest, RefusesNoScale) {
  TestModel model;
  model.Input("x", {2}, kUint8).Floats("s", {0}, {}).Node("DequantizeLinear", {"x", "s"}, {"y"});
  EXPECT_THAT(model.Output("y").Text(), HasSubstr("its scale is empty"));
}

TEST(QLinearTest, OtherDomainsDontHaveThem) {
  TestModel model = QuantizedInput({2});
  model.Node("QLinearAdd", {"q", "xs", "xz", "q", "xs", "xz", "ys", "yz"}, {"y"}).Output("y");
  EXPECT_THAT(model.Text(), HasSubstr("QLinearAdd (1 node: 'y_node')"));
}

}  // namespace
}  // namespace synap_internal::onnx_import
