// Operators of com.microsoft that ONNX Runtime's optimizer writes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "compiler/import/onnx/test_model.h"

namespace synap_internal::onnx_import {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using Strings = TestModel::Strings;

TestModel& Contributed(TestModel& model, const std::string& op, const Strings& inputs,
                       const Strings& outputs, const Attributes& attributes = {}) {
  model.Node(op, inputs, outputs, attributes);
  model.graph().mutable_node(model.graph().node_size() - 1)->set_domain("com.microsoft");
  return model;
}

float Gelu(float x) { return x * 0.5f * (1 + std::erf(x / std::sqrt(2.0f))); }

TestModel& Bytes(TestModel& model, const std::string& name, const std::string& bytes) {
  onnx::TensorProto* tensor = model.graph().add_initializer();
  tensor->set_name(name);
  tensor->set_data_type(onnx::TensorProto::UINT8);
  tensor->add_dims(static_cast<int64_t>(bytes.size()));
  tensor->set_raw_data(bytes);
  return model;
}

// Two columns of three weights of 4 bits, in blocks of two: [9, 7 | 10] and [0, 8 | 15].
TestModel NBits(const Strings& operands, const Attributes& more = {}) {
  TestModel model;
  model.Input("x", {1, 3}).Floats("s", {4}, {1, 0.5f, 2, 1}).Floats("b", {2}, {0.5f, -0.5f});
  Bytes(model, "w", std::string("\x79\x0a\x80\x0f", 4));
  Bytes(model, "z", std::string("\xa9\xf0", 2)).Ints("g", {3}, {1, 0, 1});
  Attributes attributes = {{"N", int64_t{2}}, {"K", int64_t{3}}, {"block_size", int64_t{2}}};
  for (const auto& [name, value] : more) attributes[name] = value;
  Strings inputs = {"x"};
  inputs.insert(inputs.end(), operands.begin(), operands.end());
  return Contributed(model, "MatMulNBits", inputs, {"y"}, attributes).Output("y");
}

TEST(MatMulNBitsTest, WeightsAreThoseOfTheirBlocks) {
  const std::vector<float> x = {1, 10, 100};
  EXPECT_THAT(NBits({"w", "s"}).Run({x}), ElementsAre(1 - 10 + 100, -16 + 700));
  EXPECT_THAT(NBits({"w", "s", "z"}).Run({x}), ElementsAre(-20, 160));
  EXPECT_THAT(NBits({"w", "s", "", "g"}).Run({x}), ElementsAre(0.5f - 10 + 100, -8 + 700));
  EXPECT_THAT(NBits({"w", "s", "", "", "b"}).Run({x}), ElementsAre(91.5f, 683.5f));
}

TEST(MatMulNBitsTest, RefusesOperandsOfOtherSizes) {
  EXPECT_THAT(NBits({"z", "s"}).Text(),
              HasSubstr("its 'B' has 2 elements of uint8, expected 4 of uint8"));
  EXPECT_THAT(NBits({"w", "b"}).Text(),
              HasSubstr("its 'scales' has 2 elements of float32, expected 4 of float32"));
  EXPECT_THAT(NBits({"w", "s"}, {{"bits", int64_t{3}}}).Text(), HasSubstr("attribute 'bits' is 3"));
  EXPECT_THAT(NBits({"w", "s"}, {{"K", int64_t{1} << 60}}).Text(), HasSubstr("expected 1 to"));
}

TEST(GeluTest, HasForms) {
  const auto run = [](const std::string& op, const Strings& inputs,
                      const Attributes& attributes = {}) {
    TestModel model;
    model.Input("x", {1}).Floats("b", {1}, {0.5f});
    return Contributed(model, op, inputs, {"y"}, attributes).Output("y").Run({{1}})[0];
  };
  EXPECT_NEAR(run("Gelu", {"x"}), Gelu(1), 1e-6f);
  EXPECT_NEAR(run("BiasGelu", {"x", "b"}), Gelu(1.5f), 1e-6f);
  EXPECT_NEAR(run("FastGelu", {"x", "b"}), Gelu(1.5f), 1e-3f);
  EXPECT_NE(run("FastGelu", {"x"}), run("Gelu", {"x"}));
  EXPECT_NEAR(run("QuickGelu", {"x"}), 1 / (1 + std::exp(-1.702f)), 1e-6f);
  EXPECT_NEAR(run("QuickGelu", {"x"}, {{"alpha", 1.0f}}), 1 / (1 + std::exp(-1.0f)), 1e-6f);
}

TEST(FusedConvTest, AddsThenActivates) {
  const auto model = [](const std::string& activation, std::vector<float> parameters) {
    TestModel fused;
    fused.Input("x", {1, 1, 1, 2}).Input("z", {1, 1, 1, 2});
    fused.Floats("w", {1, 1, 1, 1}, {2}).Floats("b", {1}, {1});
    Attributes attributes = {{"activation", activation}};
    if (!parameters.empty()) attributes["activation_params"] = std::move(parameters);
    return Contributed(fused, "FusedConv", {"x", "w", "b", "z"}, {"y"}, attributes).Output("y");
  };
  const std::vector<std::vector<float>> inputs = {{1, -3}, {10, 1}};
  EXPECT_THAT(model("Relu", {}).Run(inputs), ElementsAre(13, 0));
  EXPECT_THAT(model("LeakyRelu", {0.5f}).Run(inputs), ElementsAre(13, -2));
  EXPECT_THAT(model("Clip", {-1, 6}).Run(inputs), ElementsAre(6, -1));
  EXPECT_THAT(model("Clip", {}).Text(),
              HasSubstr("attribute 'activation' is 'Clip' with 0 parameters (supported: "));
}

TEST(FusedGemmTest, Activates) {
  TestModel model;
  model.Input("x", {1, 2}).Floats("w", {2, 2}, {1, 0, 0, -1}).Floats("b", {2}, {1, 1});
  Contributed(model, "FusedGemm", {"x", "w", "b"}, {"y"},
              {{"activation", std::string("LeakyRelu")}, {"activation_alpha", 0.5f}});
  EXPECT_THAT(model.Output("y").Run({{2, 5}}), ElementsAre(3, -2));
}

TEST(FusedMatMulTest, TransposesAndScales) {
  TestModel model;
  model.Input("a", {2, 1}).Floats("b", {2, 2}, {1, 2, 3, 4});
  Contributed(model, "FusedMatMul", {"a", "b"}, {"y"},
              {{"transA", int64_t{1}}, {"transB", int64_t{1}}, {"alpha", 0.5f}});
  EXPECT_THAT(model.Output("y").Run({{2, 4}}), ElementsAre(5, 11));
}

TEST(FusedMatMulTest, BatchesMayStandInside) {
  TestModel model;  // a [M,B,K]: one row for each of two batches
  model.Input("a", {1, 2, 2}).Floats("b", {2, 2, 1}, {1, 1, 2, 2});
  Contributed(model, "FusedMatMul", {"a", "b"}, {"y"}, {{"transBatchA", int64_t{1}}});
  EXPECT_THAT(model.Output("y").Run({{1, 2, 3, 4}}), ElementsAre(3, 14));
}

TEST(SkipLayerNormalizationTest, NormalizesTheSumAndGivesIt) {
  TestModel model;
  model.Input("x", {1, 2}).Input("skip", {1, 2});
  model.Floats("gamma", {2}, {2, 2}).Floats("beta", {2}, {1, 1}).Floats("bias", {2}, {0, 1});
  Contributed(model, "SkipLayerNormalization", {"x", "skip", "gamma", "beta", "bias"},
              {"y", "", "", "sum"}, {{"epsilon", 0.0f}});
  model.Node("Add", {"y", "sum"}, {"both"}).Output("both");
  EXPECT_THAT(model.Run({{1, 2}, {1, 3}}), ElementsAre(-1 + 2, 3 + 6));
}

TEST(SkipLayerNormalizationTest, SimplifiedTakesNoMean) {
  TestModel model;
  model.Input("x", {1, 2}).Input("skip", {1, 2}).Floats("gamma", {2}, {2, 1});
  Contributed(model, "SkipSimplifiedLayerNormalization", {"x", "skip", "gamma"}, {"y"},
              {{"epsilon", 0.0f}});
  EXPECT_THAT(model.Output("y").Run({{0, 3}, {1, 4}}),
              ElementsAre(FloatNear(0.4f, 1e-6f), FloatNear(1.4f, 1e-6f)));
}

TEST(SkipLayerNormalizationTest, RefusesStatistics) {
  TestModel model;
  model.Input("x", {1, 2}).Input("skip", {1, 2}).Floats("gamma", {2}, {2, 1});
  Contributed(model, "SkipLayerNormalization", {"x", "skip", "gamma"}, {"y", "mean"});
  EXPECT_THAT(model.Output("y").Text(), HasSubstr("its mean or deviation is an output"));
}

}  // namespace
}  // namespace synap_internal::onnx_import
