// Operators that compute element by element, along a dimension, or products.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "compiler/import/tflite/test_model.h"

namespace synap_internal::tflite_import {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::Pointwise;
using tflite::Activation;
using tflite::BuiltinOperator;
using Builder = TestModel::Builder;
using Floats = std::vector<float>;

Floats Unary(BuiltinOperator code, const Floats& x) {
  TestModel model;
  model.Input("x", {static_cast<int32_t>(x.size())}).Op(code, {"x"}, {"y"}).Output("y");
  return model.Run({x});
}

TEST(UnaryTest, EachIsItsFunction) {
  const Floats x = {-4, -0.5, 0, 0.25, 4};
  const auto expect = [&](BuiltinOperator code, float (*f)(float)) {
    Floats expected;
    for (const float value : x) expected.push_back(f(value));
    EXPECT_THAT(Unary(code, x), Pointwise(FloatNear(1e-6f), expected))
        << tflite::EnumNameBuiltinOperator(code);
  };
  expect(BuiltinOperator::RELU, [](float v) { return std::fmax(v, 0.0f); });
  expect(BuiltinOperator::RELU6, [](float v) { return std::fmin(std::fmax(v, 0.0f), 6.0f); });
  expect(BuiltinOperator::RELU_N1_TO_1,
         [](float v) { return std::fmin(std::fmax(v, -1.0f), 1.0f); });
  expect(BuiltinOperator::RELU_0_TO_1, [](float v) { return std::fmin(std::fmax(v, 0.0f), 1.0f); });
  expect(BuiltinOperator::LOGISTIC, [](float v) { return 1 / (1 + std::exp(-v)); });
  expect(BuiltinOperator::TANH, [](float v) { return std::tanh(v); });
  expect(BuiltinOperator::HARD_SWISH,
         [](float v) { return v * std::fmin(std::fmax(v + 3, 0.0f), 6.0f) / 6; });
  expect(BuiltinOperator::ELU, [](float v) { return v < 0 ? std::expm1(v) : v; });
  expect(BuiltinOperator::ABS, [](float v) { return std::fabs(v); });
  expect(BuiltinOperator::NEG, [](float v) { return -v; });
  expect(BuiltinOperator::SQUARE, [](float v) { return v * v; });
  expect(BuiltinOperator::FLOOR, [](float v) { return std::floor(v); });
  expect(BuiltinOperator::CEIL, [](float v) { return std::ceil(v); });
  expect(BuiltinOperator::ROUND, [](float v) { return std::nearbyint(v); });
  expect(BuiltinOperator::SIN, [](float v) { return std::sin(v); });
  expect(BuiltinOperator::COS, [](float v) { return std::cos(v); });
  expect(BuiltinOperator::ZEROS_LIKE, [](float) { return 0.0f; });
  EXPECT_THAT(Unary(BuiltinOperator::SQRT, {4, 9}), ElementsAre(2, 3));
  EXPECT_THAT(Unary(BuiltinOperator::RSQRT, {4, 16}), ElementsAre(0.5, 0.25));
  EXPECT_THAT(Unary(BuiltinOperator::EXP, {0}), ElementsAre(1));
  EXPECT_THAT(Unary(BuiltinOperator::LOG, {1}), ElementsAre(0));
}

TEST(UnaryTest, OptionsOfLeakyReluAndGelu) {
  TestModel leaky;
  leaky.Input("x", {2});
  leaky.Op(BuiltinOperator::LEAKY_RELU, {"x"}, {"y"},
           [](Builder& b) { return tflite::CreateLeakyReluOptions(b, 0.5f); });
  EXPECT_THAT(leaky.Output("y").Run({{-4, 4}}), ElementsAre(-2, 4));
  TestModel gelu;
  gelu.Input("x", {1});
  gelu.Op(BuiltinOperator::GELU, {"x"}, {"y"},
          [](Builder& b) { return tflite::CreateGeluOptions(b, true); });
  EXPECT_THAT(gelu.Output("y").Text(), HasSubstr("gelu(%x) {approximate=1}"));
}

TEST(PreluTest, ASlopeForEachChannel) {
  TestModel model;
  model.Input("x", {1, 1, 2, 2}).Floats("slope", {1, 1, 2}, {0.5, 0.25});
  model.Op(BuiltinOperator::PRELU, {"x", "slope"}, {"y"}).Output("y");
  EXPECT_THAT(model.Run({{-4, -4, 4, 4}}), ElementsAre(-2, -1, 4, 4));
}

Floats Binary(BuiltinOperator code, const Floats& a, const Floats& b) {
  TestModel model;
  const auto size = static_cast<int32_t>(a.size());
  model.Input("a", {size}).Input("b", {size});
  if (code >= BuiltinOperator::LESS && code != BuiltinOperator::POW &&
      code != BuiltinOperator::FLOOR_DIV && code != BuiltinOperator::SQUARED_DIFFERENCE) {
    model.Add({"y", {}, tflite::TensorType::BOOL});
  }
  return model.Op(code, {"a", "b"}, {"y"}).Output("y").Run({a, b});
}

TEST(BinaryTest, EachIsItsFunction) {
  const Floats a = {1, 7, -3}, b = {2, 2, -3};
  EXPECT_THAT(Binary(BuiltinOperator::MAXIMUM, a, b), ElementsAre(2, 7, -3));
  EXPECT_THAT(Binary(BuiltinOperator::MINIMUM, a, b), ElementsAre(1, 2, -3));
  EXPECT_THAT(Binary(BuiltinOperator::POW, {2, 3}, {3, 2}), ElementsAre(8, 9));
  EXPECT_THAT(Binary(BuiltinOperator::FLOOR_DIV, a, b), ElementsAre(0, 3, 1));
  EXPECT_THAT(Binary(BuiltinOperator::SQUARED_DIFFERENCE, a, b), ElementsAre(1, 25, 0));
  EXPECT_THAT(Binary(BuiltinOperator::LESS, a, b), ElementsAre(1, 0, 0));
  EXPECT_THAT(Binary(BuiltinOperator::GREATER, a, b), ElementsAre(0, 1, 0));
  EXPECT_THAT(Binary(BuiltinOperator::EQUAL, a, b), ElementsAre(0, 0, 1));
  EXPECT_THAT(Binary(BuiltinOperator::NOT_EQUAL, a, b), ElementsAre(1, 1, 0));
  EXPECT_THAT(Binary(BuiltinOperator::LESS_EQUAL, a, b), ElementsAre(1, 0, 1));
  EXPECT_THAT(Binary(BuiltinOperator::GREATER_EQUAL, a, b), ElementsAre(0, 1, 1));
}

TEST(BinaryTest, FusedActivationsFollow) {
  const auto run = [](Activation activation) {
    TestModel model;
    model.Input("a", {3}).Floats("b", {1}, {1});
    model.Op(BuiltinOperator::ADD, {"a", "b"}, {"y"},
             [=](Builder& b) { return tflite::CreateAddOptions(b, activation); });
    return model.Output("y").Run({{-5, 0.5, 9}});
  };
  EXPECT_THAT(run(Activation::NONE), ElementsAre(-4, 1.5, 10));
  EXPECT_THAT(run(Activation::RELU), ElementsAre(0, 1.5, 10));
  EXPECT_THAT(run(Activation::RELU6), ElementsAre(0, 1.5, 6));
  EXPECT_THAT(run(Activation::RELU_N1_TO_1), ElementsAre(-1, 1, 1));
}

TEST(BinaryTest, RefusesASignBit) {
  TestModel model;
  model.Input("a", {1});
  model.Op(BuiltinOperator::SUB, {"a", "a"}, {"y"},
           [](Builder& b) { return tflite::CreateSubOptions(b, Activation::SIGN_BIT); });
  EXPECT_EQ(model.Output("y").Text(),
            "operator #0 SUB ('y'): its fused activation is SIGN_BIT "
            "(supported: the fused activations RELU, RELU6, RELU_N1_TO_1 and TANH)");
}

TEST(BinaryTest, OptionsOfAnotherOperatorAreAnError) {
  TestModel model;
  model.Input("a", {1});
  model.Op(BuiltinOperator::MUL, {"a", "a"}, {"y"},
           [](Builder& b) { return tflite::CreateSubOptions(b); });
  EXPECT_THAT(model.Output("y").Text(),
              HasSubstr("its options are of type SubOptions, expected MulOptions"));
}

TEST(AddNTest, SumsAll) {
  TestModel model;
  model.Input("a", {1}).Input("b", {1}).Input("c", {1});
  model.Op(BuiltinOperator::ADD_N, {"a", "b", "c"}, {"y"}).Output("y");
  EXPECT_THAT(model.Run({{1}, {10}, {100}}), ElementsAre(111));
}

TEST(SelectTest, ChoosesByRowOrElement) {
  TestModel model;
  model.Input("a", {2, 2}).Input("b", {2, 2});
  model.Add({"c", {2}, tflite::TensorType::BOOL, {1, 0}});
  TestModel elements = model;
  model.Op(BuiltinOperator::SELECT, {"c", "a", "b"}, {"y"}).Output("y");
  EXPECT_THAT(model.Run({{1, 2, 3, 4}, {5, 6, 7, 8}}), ElementsAre(1, 2, 7, 8));
  elements.Op(BuiltinOperator::SELECT_V2, {"c", "a", "b"}, {"y"}).Output("y");
  EXPECT_THAT(elements.Run({{1, 2, 3, 4}, {5, 6, 7, 8}}), ElementsAre(1, 6, 3, 8));
}

TEST(SoftmaxTest, BetaScales) {
  const auto run = [](float beta) {
    TestModel model;
    model.Input("x", {1, 2});
    model.Op(BuiltinOperator::SOFTMAX, {"x"}, {"y"},
             [=](Builder& b) { return tflite::CreateSoftmaxOptions(b, beta); });
    return model.Output("y").Run({{0, std::log(3.0f)}});
  };
  EXPECT_THAT(run(1), Pointwise(FloatNear(1e-6f), Floats{0.25, 0.75}));
  EXPECT_THAT(run(2), Pointwise(FloatNear(1e-6f), Floats{0.1, 0.9}));
}

TEST(L2NormalizationTest, HasLengthOne) {
  TestModel model;
  model.Input("x", {2, 2});
  model.Op(BuiltinOperator::L2_NORMALIZATION, {"x"}, {"y"},
           [](Builder& b) { return tflite::CreateL2NormOptions(b); });
  EXPECT_THAT(model.Output("y").Run({{3, 4, 0, 0}}),
              Pointwise(FloatNear(1e-6f), Floats{0.6f, 0.8f, 0, 0}));
}

Floats Reduced(BuiltinOperator code, const std::vector<int32_t>& axes, bool keep) {
  TestModel model;
  model.Input("x", {2, 2}).Ints("axes", axes);
  model.Op(code, {"x", "axes"}, {"y"},
           [=](Builder& b) { return tflite::CreateReducerOptions(b, keep); });
  return model.Output("y").Run({{1, 2, 3, 4}});
}

TEST(ReductionTest, EachIsItsFunction) {
  EXPECT_THAT(Reduced(BuiltinOperator::MEAN, {0}, false), ElementsAre(2, 3));
  EXPECT_THAT(Reduced(BuiltinOperator::SUM, {-1}, true), ElementsAre(3, 7));
  EXPECT_THAT(Reduced(BuiltinOperator::REDUCE_MAX, {0, 1}, false), ElementsAre(4));
  EXPECT_THAT(Reduced(BuiltinOperator::REDUCE_MIN, {1}, false), ElementsAre(1, 3));
  EXPECT_THAT(Reduced(BuiltinOperator::REDUCE_PROD, {0}, false), ElementsAre(3, 8));
}

// Expectations of operators below are what TensorFlow Lite's reference kernels compute.
TEST(FloorTest, RemaindersHaveTheDivisorsSign) {
  const auto run = [](BuiltinOperator code, tflite::TensorType type, const Floats& a,
                      const Floats& b) {
    TestModel model;
    model.Input("a", {4}, type).Input("b", {4}, type).Add({"y", {}, type});
    return model.Op(code, {"a", "b"}, {"y"}).Output("y").Run({a, b});
  };
  constexpr auto kReal = tflite::TensorType::FLOAT32, kInt = tflite::TensorType::INT32;
  EXPECT_THAT(run(BuiltinOperator::FLOOR_MOD, kReal, {1, 7, -3, -7.5}, {2, 2, -3, 2}),
              ElementsAre(1, 1, 0, 0.5));
  EXPECT_THAT(run(BuiltinOperator::FLOOR_MOD, kInt, {7, -7, 7, -7}, {3, 3, -3, -3}),
              ElementsAre(1, 2, -2, -1));
  EXPECT_THAT(run(BuiltinOperator::FLOOR_DIV, kInt, {7, -7, 7, -7}, {3, 3, -3, -3}),
              ElementsAre(2, -3, -3, 2));
}

TEST(LogicalTest, EachIsItsFunction) {
  const auto run = [](BuiltinOperator code) {
    constexpr auto kBool = tflite::TensorType::BOOL;
    TestModel model;
    model.Input("a", {4}, kBool).Input("b", {4}, kBool).Add({"y", {}, kBool});
    return model.Op(code, {"a", "b"}, {"y"}).Output("y").Run({{0, 0, 1, 1}, {0, 1, 0, 1}});
  };
  EXPECT_THAT(run(BuiltinOperator::LOGICAL_AND), ElementsAre(0, 0, 0, 1));
  EXPECT_THAT(run(BuiltinOperator::LOGICAL_OR), ElementsAre(0, 1, 1, 1));
}

TEST(ReduceTruthTest, AnyAndAll) {
  const auto run = [](BuiltinOperator code, bool keep, const Floats& x) {
    TestModel model;
    model.Input("x", {2, 2}, tflite::TensorType::BOOL).Ints("axes", {-1});
    model.Add({"y", {}, tflite::TensorType::BOOL});
    model.Op(code, {"x", "axes"}, {"y"},
             [=](Builder& b) { return tflite::CreateReducerOptions(b, keep); });
    return model.Output("y").Run({x});
  };
  EXPECT_THAT(run(BuiltinOperator::REDUCE_ANY, false, {0, 0, 0, 1}), ElementsAre(0, 1));
  EXPECT_THAT(run(BuiltinOperator::REDUCE_ALL, true, {0, 1, 1, 1}), ElementsAre(0, 1));
}

TEST(CumsumTest, ReadsItsOptions) {
  const auto run = [](int32_t axis, bool exclusive, bool reverse) {
    TestModel model;
    model.Input("x", {2, 3}).Ints("axis", {axis});
    model.Op(BuiltinOperator::CUMSUM, {"x", "axis"}, {"y"},
             [=](Builder& b) { return tflite::CreateCumsumOptions(b, exclusive, reverse); });
    return model.Output("y").Run({{1, 2, 3, 4, 5, 6}});
  };
  EXPECT_THAT(run(1, true, true), ElementsAre(5, 3, 0, 11, 6, 0));
  EXPECT_THAT(run(0, false, false), ElementsAre(1, 2, 3, 5, 7, 9));
}

// By its optimized kernel; the reference kernel leaves out the last neighbour.
TEST(LocalResponseNormalizationTest, SumsSquaresOfNeighbouringChannels) {
  const auto run = [](int32_t radius, float bias, float beta) {
    TestModel model;
    model.Input("x", {1, 1, 1, 4});
    model.Op(BuiltinOperator::LOCAL_RESPONSE_NORMALIZATION, {"x"}, {"y"}, [=](Builder& b) {
      return tflite::CreateLocalResponseNormalizationOptions(b, radius, bias, 0.5f, beta);
    });
    return model.Output("y").Run({{1, 2, 3, 4}});
  };
  EXPECT_THAT(run(1, 1, 0.75f),
              Pointwise(FloatNear(1e-6f), {0.390795, 0.420448, 0.384036, 0.567949}));
  EXPECT_THAT(run(9, 2, 0.5f),
              Pointwise(FloatNear(1e-6f), {0.242536, 0.485071, 0.727607, 0.970142}));
}

TEST(ArgMaxTest, GivesThePosition) {
  TestModel model;
  model.Input("x", {2, 3}).Ints("axis", {-1});
  model.Add({"y", {}, tflite::TensorType::INT32}).Add({"z", {}, tflite::TensorType::INT64});
  TestModel least = model;
  model.Op(BuiltinOperator::ARG_MAX, {"x", "axis"}, {"y"}).Output("y");
  EXPECT_THAT(model.Run({{1, 5, 2, 9, 3, 4}}), ElementsAre(1, 0));
  EXPECT_THAT(model.Text(), HasSubstr("%y: int32[2]"));
  least.Op(BuiltinOperator::ARG_MIN, {"x", "axis"}, {"z"}).Output("z");
  EXPECT_THAT(least.Run({{1, 5, 2, 9, 3, 4}}), ElementsAre(0, 1));
  EXPECT_THAT(least.Text(), HasSubstr("%z: int32[2]"));
}

auto FullyConnected(bool keep) {
  return [=](Builder& b) {
    return tflite::CreateFullyConnectedOptions(b, Activation::NONE, tflite::WeightsFormat::DEFAULT,
                                               keep);
  };
}

TEST(FullyConnectedTest, FlattensUnlessToldOtherwise) {
  const auto text = [](bool keep) {
    TestModel model;
    model.Input("x", {1, 2, 2}).Floats("w", {1, 2}, {1, 10}).Floats("b", {1}, {100});
    model.Op(BuiltinOperator::FULLY_CONNECTED, {"x", "w", "b"}, {"y"}, FullyConnected(keep));
    model.Output("y");
    EXPECT_THAT(model.Run({{1, 2, 3, 4}}), ElementsAre(121, 143));
    return model.Text();
  };
  EXPECT_THAT(text(false), HasSubstr("%y: float32[2x1]"));
  EXPECT_THAT(text(true), HasSubstr("%y: float32[1x2x1]"));
}

TEST(FullyConnectedTest, ComputedWeightsAreAProduct) {
  TestModel model;
  model.Input("x", {1, 2}).Input("w", {2, 2});
  model.Op(BuiltinOperator::FULLY_CONNECTED, {"x", "w", ""}, {"y"}, FullyConnected(false));
  EXPECT_THAT(model.Output("y").Run({{1, 10}, {1, 2, 3, 4}}), ElementsAre(21, 43));
}

TEST(BatchMatMulTest, AdjointsAreTransposed) {
  const auto run = [](bool x, bool y) {
    TestModel model;
    model.Input("a", {1, 2, 2}).Input("b", {1, 2, 2});
    model.Op(BuiltinOperator::BATCH_MATMUL, {"a", "b"}, {"y"},
             [=](Builder& b) { return tflite::CreateBatchMatMulOptions(b, x, y); });
    return model.Output("y").Run({{1, 2, 3, 4}, {1, 0, 1, 1}});
  };
  EXPECT_THAT(run(false, false), ElementsAre(3, 2, 7, 4));
  EXPECT_THAT(run(true, false), ElementsAre(4, 3, 6, 4));
  EXPECT_THAT(run(false, true), ElementsAre(1, 3, 3, 7));
}

TEST(CastTest, GoesByTheOutputsType) {
  TestModel model;
  model.Input("x", {2}, tflite::TensorType::UINT8);
  model.Op(BuiltinOperator::CAST, {"x"}, {"y"}).Output("y");
  EXPECT_THAT(model.Run({{3, 255}}), ElementsAre(3, 255));
}

}  // namespace
}  // namespace synap_internal::tflite_import
