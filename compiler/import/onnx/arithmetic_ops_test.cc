// Element-wise operators, matrices and reductions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "compiler/import/evaluate_graph.h"
#include "compiler/import/onnx/test_model.h"

namespace synap_internal::onnx_import {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatEq;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pointwise;
using Ints = std::vector<int64_t>;

// y = op(x, constants...)
struct Operand {
  TestModel::Dims dims;
  std::vector<float> values;
};

TestModel NodeModel(const TestModel::Dims& x, const std::string& op,
                    const Attributes& attributes = {}, const std::vector<Operand>& operands = {},
                    int opset = 13) {
  TestModel model(opset);
  model.Input("x", x);
  TestModel::Strings names = {"x"};
  for (const Operand& operand : operands) {
    names.push_back("c" + std::to_string(names.size()));
    model.Floats(names.back(), operand.dims, operand.values);
  }
  return model.Node(op, names, {"y"}, attributes).Output("y");
}

TEST(ClipTest, BecomesTheActivationThatItIs) {
  const auto text = [](float min, float max) {
    return NodeModel({1}, "Clip", {}, {{{}, {min}}, {{}, {max}}}).Text();
  };
  EXPECT_THAT(text(0, 6), HasSubstr("relu6(%x)"));
  EXPECT_THAT(text(0, 3.4028235e38f), HasSubstr("relu(%x)"));
  EXPECT_THAT(text(-1, 1), HasSubstr("clip(%x) {max=1.0, min=-1.0}"));
  EXPECT_THAT(NodeModel({1}, "Clip").Text(), Not(HasSubstr("clip")));
}

TEST(ClipTest, UpperBoundWins) {
  EXPECT_THAT(NodeModel({2}, "Clip", {}, {{{}, {2}}, {{}, {1}}}).Run({{0, 5}}), ElementsAre(1, 1));
}

TEST(ClipTest, TakesAttributesBeforeOpset11) {
  EXPECT_THAT(NodeModel({1}, "Clip", {{"min", 0.0f}, {"max", 6.0f}}, {}, 10).Text(),
              HasSubstr("relu6(%x)"));
}

TEST(ClipTest, TakesBoundsThatAreComputed) {
  TestModel model;
  model.Input("x", {2}).Input("low", {1}).Node("Clip", {"x", "low"}, {"y"}).Output("y");
  EXPECT_THAT(model.Run({{1, 5}, {3}}), ElementsAre(3, 5));
}

TEST(ElementwiseTest, Activations) {
  const auto run = [](const std::string& op, const Attributes& attributes = {}) {
    return NodeModel({2}, op, attributes, {}, 20).Run({{-1, 2}});
  };
  EXPECT_THAT(run("Relu"), ElementsAre(0, 2));
  EXPECT_THAT(run("LeakyRelu", {{"alpha", 0.5f}}), ElementsAre(-0.5f, 2));
  EXPECT_THAT(run("Neg"), ElementsAre(1, -2));
  EXPECT_THAT(run("Abs"), ElementsAre(1, 2));
  EXPECT_THAT(run("Sign"), ElementsAre(-1, 1));
  EXPECT_THAT(run("HardSigmoid"), Pointwise(FloatNear(1e-6f), {0.3f, 0.9f}));
  EXPECT_THAT(run("HardSwish"), Pointwise(FloatNear(1e-6f), {-1.0f / 3, 5.0f / 3}));
  EXPECT_THAT(run("Softsign"), Pointwise(FloatNear(1e-6f), {-0.5f, 2.0f / 3}));
  EXPECT_THAT(run("Elu"), Pointwise(FloatNear(1e-6f), {-0.632120559f, 2.0f}));
  EXPECT_THAT(run("Selu"), Pointwise(FloatNear(1e-5f), {-1.11133074f, 2.10140204f}));
  EXPECT_THAT(run("Gelu"), Pointwise(FloatNear(1e-5f), {-0.158655254f, 1.95449974f}));
  EXPECT_THAT(run("Mish"), Pointwise(FloatNear(1e-5f), {-0.303401461f, 1.94395896f}));
  EXPECT_THAT(run("Softplus"), Pointwise(FloatNear(1e-5f), {0.313261688f, 2.12692801f}));
}

TEST(ElementwiseTest, BinaryOperatorsBroadcast) {
  const auto run = [](const std::string& op) {
    return NodeModel({2, 1}, op, {}, {{{2}, {2, 4}}}).Run({{2, 3}});
  };
  EXPECT_THAT(run("Add"), ElementsAre(4, 6, 5, 7));
  EXPECT_THAT(run("Sub"), ElementsAre(0, -2, 1, -1));
  EXPECT_THAT(run("Mul"), ElementsAre(4, 8, 6, 12));
  EXPECT_THAT(run("Div"), ElementsAre(1, 0.5f, 1.5f, 0.75f));
  EXPECT_THAT(run("Equal"), ElementsAre(1, 0, 0, 0));
  EXPECT_THAT(run("Less"), ElementsAre(0, 1, 0, 1));
  EXPECT_THAT(run("LessOrEqual"), ElementsAre(1, 1, 0, 1));
  EXPECT_THAT(run("GreaterOrEqual"), ElementsAre(1, 0, 1, 0));
}

TEST(ElementwiseTest, VariadicOperatorsAreChains) {
  const auto run = [](const std::string& op) {
    return NodeModel({2}, op, {}, {{{1}, {4}}, {{1}, {3}}}).Run({{2, 5}});
  };
  EXPECT_THAT(run("Max"), ElementsAre(4, 5));
  EXPECT_THAT(run("Min"), ElementsAre(2, 3));
  EXPECT_THAT(run("Sum"), ElementsAre(9, 12));
  EXPECT_THAT(run("Mean"), Pointwise(FloatNear(1e-6f), {3.0f, 4.0f}));
  EXPECT_THAT(NodeModel({2}, "Max").Run({{1, 2}}), ElementsAre(1, 2));
}

TEST(ElementwiseTest, ChainRefusesGaps) {
  TestModel model;
  model.Input("x", {1}).Node("Max", {"x", "", "x"}, {"y"}).Output("y");
  EXPECT_THAT(model.Text(), HasSubstr("its operand 1 is missing"));
}

TEST(PowTest, CommonPowersAreOps) {
  const auto text = [](float power) { return NodeModel({2}, "Pow", {}, {{{}, {power}}}).Text(); };
  EXPECT_THAT(text(2), HasSubstr("square(%x)"));
  EXPECT_THAT(text(0.5f), HasSubstr("sqrt(%x)"));
  EXPECT_THAT(text(3), HasSubstr("pow(%x, %c1)"));
}

TEST(PowTest, IntegerExponentIsCast) {
  TestModel model;
  model.Input("x", {2}).Ints("p", {}, {2}).Node("Pow", {"x", "p"}, {"y"}).Output("y");
  EXPECT_THAT(model.Run({{3, 4}}), ElementsAre(9, 16));
}

TEST(PowTest, IntegersStayIntegers) {
  TestModel model;
  model.Ints("x", {2}, {3, -4}).Ints("p", {2}, {3, 2}).Node("Pow", {"x", "p"}, {"y"}).Output("y");
  EXPECT_EQ(model.Import()->outputs[0]->type.dtype, DataType::kInt64);
  EXPECT_THAT(model.Run({}), ElementsAre(27, 16));
}

TEST(WhereTest, ChoosesAndLogicBuildsOnIt) {
  TestModel model;
  model.Input("x", {4}).Floats("half", {}, {0.5f}).Floats("c", {4}, {0, 1, 0, 1});
  model.Node("Greater", {"x", "half"}, {"a"}).Node("Greater", {"c", "half"}, {"b"});
  model.Node("And", {"a", "b"}, {"and"}).Node("Or", {"a", "b"}, {"or"});
  model.Node("Xor", {"a", "b"}, {"xor"}).Node("Where", {"xor", "x", "half"}, {"y"});
  model.Output("and").Output("or").Output("y");
  const absl::StatusOr<Graph> graph = model.Import();
  ASSERT_TRUE(graph.ok()) << graph.status();
  const auto outputs = EvaluateGraph(*graph, {{0, 0, 1, 1}});
  ASSERT_TRUE(outputs.ok()) << outputs.status();
  EXPECT_THAT((*outputs)[0], ElementsAre(0, 0, 0, 1));
  EXPECT_THAT((*outputs)[1], ElementsAre(0, 1, 1, 1));
  EXPECT_THAT((*outputs)[2], ElementsAre(0.5f, 0, 1, 0.5f));
}

TEST(IntegerTest, ShapeArithmeticIsExact) {
  TestModel model;
  model.Ints("a", {3}, {7, -7, 5}).Ints("b", {1}, {2});
  model.Node("Div", {"a", "b"}, {"q"}).Node("Neg", {"q"}, {"n"}).Node("Abs", {"a"}, {"m"});
  model.Node("Sub", {"m", "n"}, {"y"}).Output("y");
  EXPECT_THAT(model.Run({}), ElementsAre(10, 4, 7));
}

TEST(IntegerTest, ModHasTheSignOfTheDivisor) {
  const auto run = [](int64_t fmod) {
    TestModel model;
    model.Ints("a", {4}, {-7, 7, -7, 6}).Ints("b", {4}, {3, -3, -3, 3});
    return model.Node("Mod", {"a", "b"}, {"y"}, {{"fmod", fmod}}).Output("y").Run({});
  };
  EXPECT_THAT(run(0), ElementsAre(2, -2, -1, 0));
  EXPECT_THAT(run(1), ElementsAre(-1, 1, -1, 0));
}

TEST(GemmTest, IsFullyConnected) {
  TestModel model;
  model.Input("x", {1, 2}).Floats("w", {2, 3}, {1, 2, 3, 4, 5, 6}).Floats("c", {3}, {10, 20, 30});
  model.Node("Gemm", {"x", "w", "c"}, {"y"}, {{"alpha", 2.0f}, {"beta", 0.5f}}).Output("y");
  EXPECT_THAT(model.Text(), HasSubstr("fully_connected(%x, %y.b"));
  EXPECT_THAT(model.Run({{1, 10}}), ElementsAre(87, 114, 141));
}

TEST(GemmTest, TransposesBothSides) {
  TestModel model;
  model.Input("x", {2, 1}).Floats("w", {3, 2}, {1, 4, 2, 5, 3, 6});
  model.Node("Gemm", {"x", "w"}, {"y"}, {{"transA", int64_t{1}}, {"transB", int64_t{1}}});
  EXPECT_THAT(model.Output("y").Run({{1, 10}}), ElementsAre(41, 52, 63));
}

TEST(GemmTest, BiasMayBeAnyBroadcast) {
  const auto run = [](const TestModel::Dims& dims, const std::vector<float>& values) {
    TestModel model;
    model.Input("x", {2, 1}).Floats("w", {1, 2}, {1, 1}).Floats("c", dims, values);
    return model.Node("Gemm", {"x", "w", "c"}, {"y"}).Output("y").Run({{0, 100}});
  };
  EXPECT_THAT(run({}, {1}), ElementsAre(1, 1, 101, 101));
  EXPECT_THAT(run({1, 2}, {1, 2}), ElementsAre(1, 2, 101, 102));
  EXPECT_THAT(run({2, 1}, {1, 2}), ElementsAre(1, 1, 102, 102));
  EXPECT_THAT(run({2, 2}, {1, 2, 3, 4}), ElementsAre(1, 2, 103, 104));
}

TEST(GemmTest, OfTwoActivationsIsAMatmul) {
  TestModel model;
  model.Input("x", {1, 2}).Input("z", {3, 2});
  model.Node("Gemm", {"x", "z"}, {"y"}, {{"transB", int64_t{1}}}).Output("y");
  EXPECT_THAT(model.Run({{1, 10}, {1, 2, 3, 4, 5, 6}}), ElementsAre(21, 43, 65));
}

TEST(MatMulTest, VectorsLoseTheirDimension) {
  EXPECT_THAT(NodeModel({2}, "MatMul", {}, {{{2, 2}, {1, 2, 3, 4}}}).Run({{1, 10}}),
              ElementsAre(31, 42));
  const TestModel dot = NodeModel({2}, "MatMul", {}, {{{2}, {3, 4}}});
  EXPECT_EQ(dot.Import()->outputs[0]->type.shape, Shape());
  EXPECT_THAT(dot.Run({{1, 10}}), ElementsAre(43));
}

TEST(ReduceTest, AxesAreAttributeOrOperand) {
  const std::vector<float> x = {1, 2, 3, 4};
  EXPECT_THAT(NodeModel({2, 2}, "ReduceSum", {{"axes", Ints{1}}, {"keepdims", int64_t{0}}}, {}, 11)
                  .Run({x}),
              ElementsAre(3, 7));
  TestModel model;
  model.Input("x", {2, 2}).Ints("axes", {1}, {-2}).Node("ReduceSum", {"x", "axes"}, {"y"});
  EXPECT_THAT(model.Output("y").Run({x}), ElementsAre(4, 6));
  EXPECT_THAT(NodeModel({2, 2}, "ReduceMax").Run({x}), ElementsAre(4));
}

TEST(ReduceTest, EmptyAxesMayMeanNothing) {
  const TestModel model =
      NodeModel({2}, "ReduceSumSquare", {{"noop_with_empty_axes", int64_t{1}}}, {}, 18);
  EXPECT_THAT(model.Run({{2, 3}}), ElementsAre(4, 9));
}

TEST(ReduceTest, OthersAreTakenApart) {
  const auto run = [](const std::string& op) { return NodeModel({2}, op).Run({{-3, 4}}); };
  EXPECT_THAT(run("ReduceL1"), ElementsAre(7));
  EXPECT_THAT(run("ReduceL2"), ElementsAre(5));
  EXPECT_THAT(run("ReduceSumSquare"), ElementsAre(25));
  EXPECT_THAT(run("ReduceLogSum"), Pointwise(FloatNear(1e-6f), {0.0f}));
  EXPECT_THAT(run("ReduceLogSumExp"), Pointwise(FloatNear(1e-5f), {4.00091147f}));
}

TEST(ReduceTest, OverflowsOnlyWhereItsDefinitionDoes) {
  const auto run = [](const std::string& op, const std::vector<float>& x) {
    return NodeModel({2}, op, {{"axes", Ints{0}}}).Run({x});
  };
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_THAT(run("ReduceLogSumExp", {102, 102}), ElementsAre(FloatEq(102.69315f)));
  EXPECT_THAT(run("ReduceLogSumExp", {-200, -200}), ElementsAre(FloatEq(-199.30685f)));
  EXPECT_THAT(run("ReduceLogSumExp", {1e30f, 3}), ElementsAre(1e30f));
  EXPECT_THAT(run("ReduceLogSumExp", {-infinity, -infinity}), ElementsAre(-infinity));
  EXPECT_THAT(run("ReduceLogSumExp", {infinity, 1}), ElementsAre(infinity));
  EXPECT_THAT(run("ReduceL2", {3e20f, -4e20f}), ElementsAre(FloatEq(5e20f)));
  EXPECT_THAT(run("ReduceMean", {3e38f, 3e38f}), ElementsAre(FloatEq(3e38f)));
  EXPECT_THAT(run("ReduceMean", {infinity, 1}), ElementsAre(infinity));
}

TEST(ArgMaxTest, KeepsOrDropsItsAxis) {
  EXPECT_THAT(NodeModel({2, 2}, "ArgMax", {{"axis", int64_t{1}}}).Run({{1, 2, 4, 3}}),
              ElementsAre(1, 0));
  EXPECT_THAT(NodeModel({2, 2}, "ArgMin", {{"axis", int64_t{-1}}, {"keepdims", int64_t{0}}})
                  .Run({{1, 2, 4, 3}}),
              ElementsAre(0, 1));
}

TEST(SoftmaxTest, FlattensBeforeOpset13) {
  const auto run = [](int opset, const Attributes& attributes) {
    return NodeModel({1, 2, 2}, "Softmax", attributes, {}, opset).Run({{0, 0, 0, 0}});
  };
  EXPECT_THAT(run(11, {}), ElementsAre(0.25f, 0.25f, 0.25f, 0.25f));
  EXPECT_THAT(run(13, {}), ElementsAre(0.5f, 0.5f, 0.5f, 0.5f));
  EXPECT_THAT(run(13, {{"axis", int64_t{1}}}), ElementsAre(0.5f, 0.5f, 0.5f, 0.5f));
}

TEST(SoftmaxTest, RefusesAxesOutsideOfTheTensor) {
  EXPECT_THAT(NodeModel({2}, "Softmax", {{"axis", int64_t{1}}}).Text(),
              HasSubstr("axis 1 is outside of a tensor of rank 1"));
}

TEST(CastTest, FloatTypesAreOne) {
  EXPECT_THAT(NodeModel({1}, "Cast", {{"to", int64_t{onnx::TensorProto::FLOAT16}}}).Text(),
              Not(HasSubstr("cast")));
  EXPECT_THAT(
      NodeModel({2}, "Cast", {{"to", int64_t{onnx::TensorProto::INT32}}}).Run({{1.5, -1.5}}),
      ElementsAre(1, -1));
  EXPECT_THAT(NodeModel({1}, "Cast", {{"to", int64_t{onnx::TensorProto::STRING}}}).Text(),
              HasSubstr("STRING"));
}

TEST(DropoutTest, DoesNothing) {
  EXPECT_THAT(NodeModel({2}, "Dropout", {{"ratio", 0.5f}}, {}, 7).Run({{1, 2}}), ElementsAre(1, 2));
}

// Experimental operators, which opset 10 took away.
TEST(AffineTest, ScalesAndAdds) {
  EXPECT_THAT(NodeModel({2}, "Affine", {{"alpha", 3.0f}, {"beta", -1.0f}}, {}, 7).Run({{1, 2}}),
              ElementsAre(2, 5));
  EXPECT_THAT(NodeModel({2}, "Affine", {}, {}, 7).Run({{1, 2}}), ElementsAre(1, 2));
}

TEST(ImageScalerTest, AddsABiasToEachChannel) {
  const auto scaler = [](std::vector<float> bias) {
    return NodeModel({1, 2, 1, 2}, "ImageScaler", {{"scale", 2.0f}, {"bias", std::move(bias)}}, {},
                     7);
  };
  EXPECT_THAT(scaler({10, 20}).Run({{1, 2, 3, 4}}), ElementsAre(12, 14, 26, 28));
  EXPECT_THAT(scaler({10}).Text(), HasSubstr("attribute 'bias' has 1 values for 2 channels"));
}

TEST(ParametricSoftplusTest, ScalesBothSides) {
  EXPECT_THAT(
      NodeModel({1}, "ParametricSoftplus", {{"alpha", 3.0f}, {"beta", 2.0f}}, {}, 7).Run({{0.5f}}),
      ElementsAre(FloatEq(3 * std::log1p(std::exp(1.0f)))));
}

TEST(ScaledTanhTest, ScalesBothSides) {
  EXPECT_THAT(NodeModel({1}, "ScaledTanh", {{"alpha", 3.0f}, {"beta", 2.0f}}, {}, 7).Run({{0.5f}}),
              ElementsAre(FloatEq(3 * std::tanh(1.0f))));
}

TEST(LpNormalizationTest, AVectorOfZerosStays) {
  for (const int64_t p : {1, 2}) {
    EXPECT_THAT(NodeModel({2, 2}, "LpNormalization", {{"p", p}}).Run({{0, 0, 0, 4}}),
                ElementsAre(0, 0, 0, 1));
  }
}

// Operators of opset 22 and later.
TEST(NewOpsetTest, OperatorsThatOnlyTookMoreTypesAreReadAsBefore) {
  EXPECT_THAT(NodeModel({2}, "Softsign", {}, {}, 22).Run({{1, -3}}), ElementsAre(0.5f, -0.75f));
}

TEST(NewOpsetTest, UnknownAttributesAreRefusedByName) {
  EXPECT_THAT(NodeModel({1, 1, 2, 2}, "SpaceToDepth",
                        {{"blocksize", int64_t{2}}, {"order", std::string("CRD")}}, {}, 28)
                  .Text(),
              HasSubstr("(SpaceToDepth): attribute 'order' is not supported"));
}

TEST(NewOpsetTest, AttributesOfTypesThatAreNotHereMeanNothing) {
  EXPECT_THAT(
      NodeModel({1}, "Cast",
                {{"to", int64_t{onnx::TensorProto::INT32}}, {"round_mode", std::string("down")}},
                {}, 24)
          .Run({{2.5f}}),
      ElementsAre(2));
}

TEST(NewOpsetTest, OperatorsThatAreNotKnownAreNamedWithTheOpset) {
  EXPECT_EQ(NodeModel({1, 2, 3, 4}, "Bernoulli", {}, {}, 24).Text(),
            "1 operator is not supported: Bernoulli of opset 24 (1 node: 'y_node')");
}

TEST(NewOpsetTest, ModOfFloatsMayRoundDown) {
  EXPECT_THAT(NodeModel({2}, "Mod", {}, {{{2}, {3, -3}}}, 28).Run({{-4, 4}}), ElementsAre(2, -2));
  EXPECT_THAT(NodeModel({2}, "Mod", {}, {{{2}, {3, -3}}}, 27).Text(), HasSubstr("'fmod' is 0"));
}

TEST(NewOpsetTest, BoolsHaveALargestOne) {
  for (const bool largest : {true, false}) {
    TestModel model(20);
    model.Input("x", {2, 2}, onnx::TensorProto::BOOL).Ints("axes", {1}, {1});
    model.Node(largest ? "ReduceMax" : "ReduceMin", {"x", "axes"}, {"b"});
    model.Node("Cast", {"b"}, {"y"}, {{"to", int64_t{onnx::TensorProto::FLOAT}}}).Output("y");
    EXPECT_THAT(model.Run({{1, 0, 1, 1}}), ElementsAre(largest, 1));
  }
}

TEST(NewOpsetTest, BitsMayBeFlipped) {
  for (const int type : {onnx::TensorProto::UINT8, onnx::TensorProto::INT16}) {
    TestModel model(18);
    model.Input("x", {2}).Node("Cast", {"x"}, {"i"}, {{"to", int64_t{type}}});
    model.Node("BitwiseNot", {"i"}, {"n"});
    model.Node("Cast", {"n"}, {"y"}, {{"to", int64_t{onnx::TensorProto::FLOAT}}}).Output("y");
    const bool is_signed = type == onnx::TensorProto::INT16;
    EXPECT_THAT(model.Run({{1, 100}}), ElementsAre(is_signed ? -2 : 254, is_signed ? -101 : 155));
  }
  EXPECT_THAT(NodeModel({1}, "BitwiseNot", {}, {}, 18).Text(),
              HasSubstr("its operand is float32, expected integers"));
}

TEST(SwishTest, GatesAnotherOperand) {
  const float swish = 0.5f / (1 + std::exp(-1.0f));
  EXPECT_THAT(NodeModel({1}, "SwiGLU", {{"alpha", 2.0f}}, {{{1}, {4}}}, 28).Run({{0.5f}}),
              ElementsAre(FloatEq(4 * swish)));
  EXPECT_THAT(NodeModel({1}, "SwiGLU", {}, {{{2}, {4, 5}}}, 28).Text(),
              HasSubstr("its operands are 1 and 2, expected one shape"));
}

TEST(SwishTest, IsXTimesSigmoid) {
  EXPECT_THAT(NodeModel({1}, "Swish", {}, {}, 24).Text(), HasSubstr("silu"));
  EXPECT_THAT(NodeModel({1}, "Swish", {{"alpha", 2.0f}}, {}, 24).Run({{0.5f}}),
              ElementsAre(FloatEq(0.5f / (1 + std::exp(-1.0f)))));
}

TEST(RmsNormalizationTest, DividesByTheRootOfTheMeanOfSquares) {
  const TestModel model =
      NodeModel({1, 2}, "RMSNormalization", {{"epsilon", 0.0f}}, {{{2}, {2, 1}}}, 23);
  EXPECT_THAT(model.Run({{1, 7}}), ElementsAre(FloatEq(0.4f), FloatEq(1.4f)));
}

TEST(LayerNormalizationTest, StandardizesTheLastAxis) {
  const TestModel model = NodeModel({1, 2}, "LayerNormalization", {{"epsilon", 0.0f}},
                                    {{{2}, {2, 2}}, {{2}, {1, 1}}}, 17);
  EXPECT_THAT(model.Run({{2, 6}}), ElementsAre(-1, 3));
}

TEST(GroupNormalizationTest, StandardizesGroupsOfChannels) {
  const auto model = [](int opset, const std::vector<float>& scale) {
    const auto count = static_cast<int64_t>(scale.size());
    return NodeModel({1, 4, 1, 1}, "GroupNormalization",
                     {{"num_groups", int64_t{2}}, {"epsilon", 0.0f}},
                     {{{count}, scale}, {{count}, std::vector<float>(scale.size(), 1)}}, opset);
  };
  const std::vector<std::vector<float>> x = {{2, 6, 5, 1}};
  EXPECT_THAT(model(18, {1, 2}).Run(x), ElementsAre(0, 2, 3, -1));
  EXPECT_THAT(model(21, {1, 2, 3, 4}).Run(x), ElementsAre(0, 3, 4, -3));
  EXPECT_THAT(model(21, {1, 2}).Text(), HasSubstr("its 'scale' is 2, expected 4"));
}

TEST(CumProdTest, MultipliesWhatComesBefore) {
  const auto run = [](const Attributes& attributes) {
    TestModel model(26);
    model.Input("x", {1, 3}).Ints("axis", {}, {-1});
    return model.Node("CumProd", {"x", "axis"}, {"y"}, attributes).Output("y").Run({{2, 3, 5}});
  };
  EXPECT_THAT(run({}), ElementsAre(2, 6, 30));
  EXPECT_THAT(run({{"exclusive", int64_t{1}}}), ElementsAre(1, 2, 6));
  EXPECT_THAT(run({{"reverse", int64_t{1}}}), ElementsAre(30, 15, 5));
  EXPECT_THAT(run({{"reverse", int64_t{1}}, {"exclusive", int64_t{1}}}), ElementsAre(15, 5, 1));
}

TEST(ReduceTest, NoElementsGiveTheNeutralOne) {
  const auto run = [](const std::string& op) {
    TestModel model;
    model.Input("x", {2}).Floats("c", {2, 0}, {});
    model.Node(op, {"c"}, {"r"}, {{"axes", Ints{1}}, {"keepdims", int64_t{0}}});
    return model.Node("Add", {"r", "x"}, {"y"}).Output("y");
  };
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_THAT(run("ReduceL1").Run({{1, 2}}), ElementsAre(1, 2));
  EXPECT_THAT(run("ReduceProd").Run({{1, 2}}), ElementsAre(2, 3));
  EXPECT_THAT(run("ReduceMax").Run({{1, 2}}), ElementsAre(-infinity, -infinity));
  EXPECT_THAT(run("ReduceMin").Run({{1, 2}}), ElementsAre(infinity, infinity));
  EXPECT_THAT(run("ReduceLogSum").Run({{1, 2}}), ElementsAre(-infinity, -infinity));
  EXPECT_THAT(run("ReduceMean").Text(), HasSubstr("has no elements to reduce"));
}

TEST(DetTest, ExpandsMatrices) {
  TestModel model;
  model.Input("x", {2, 3, 3}).Node("Det", {"x"}, {"y"}).Output("y");
  EXPECT_THAT(model.Run({{2, 0, 1, 1, 3, 2, 1, 1, 4, 0, 1, 0, 1, 0, 0, 0, 0, 1}}),
              ElementsAre(18, -1));
  EXPECT_THAT(NodeModel({1, 1}, "Det").Run({{5}}), ElementsAre(5));
  EXPECT_THAT(NodeModel({2, 2}, "Det").Run({{1, 2, 3, 4}}), ElementsAre(-2));
}

TEST(DetTest, RefusesOtherMatrices) {
  EXPECT_THAT(NodeModel({2, 3}, "Det").Text(), HasSubstr("its input is 2x3, expected square"));
  EXPECT_THAT(NodeModel({7, 7}, "Det").Text(),
              HasSubstr("its matrices have 7 rows (supported: matrices of at most 6 rows)"));
}

}  // namespace
}  // namespace synap_internal::onnx_import
