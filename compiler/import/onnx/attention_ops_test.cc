// Attention and RotaryEmbedding.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "compiler/import/onnx/test_model.h"

namespace synap_internal::onnx_import {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::Pointwise;
using Strings = TestModel::Strings;
using Values = std::vector<float>;

// One head of width 1 over two positions: keys 0 and 1, values 0 and 10.
TestModel Attends(const Attributes& attributes, const Strings& inputs = {"q", "k", "v"}) {
  TestModel model(24);
  model.Input("q", {1, 1, 2, 1})
      .Floats("k", {1, 1, 2, 1}, {0, 1})
      .Floats("v", {1, 1, 2, 1}, {0, 10});
  model.Floats("m", {2, 2}, {0, 1, 0, -std::numeric_limits<float>::infinity()});
  return model.Node("Attention", inputs, {"y"}, attributes).Output("y");
}

float Sigmoid(float x) { return 1 / (1 + std::exp(-x)); }

TEST(AttentionTest, WeighsValuesByTheSoftmaxOfScores) {
  EXPECT_THAT(Attends({}).Run({{0, 2}}), Pointwise(FloatNear(1e-5f), Values{5, 10 * Sigmoid(2)}));
  EXPECT_THAT(Attends({{"scale", 0.5f}}).Run({{0, 2}}),
              Pointwise(FloatNear(1e-5f), Values{5, 10 * Sigmoid(1)}));
  EXPECT_THAT(Attends({{"softcap", 1.5f}}).Run({{0, 2}}),
              Pointwise(FloatNear(1e-5f), Values{5, 10 * Sigmoid(1.5f * std::tanh(2 / 1.5f))}));
}

TEST(AttentionTest, MasksScores) {
  EXPECT_THAT(Attends({{"is_causal", int64_t{1}}}).Run({{0, 2}}),
              Pointwise(FloatNear(1e-5f), Values{0, 10 * Sigmoid(2)}));
  EXPECT_THAT(Attends({}, {"q", "k", "v", "m"}).Run({{0, 2}}),
              Pointwise(FloatNear(1e-5f), Values{10 * Sigmoid(1), 0}));
}

TEST(AttentionTest, AQueryWithoutKeysGivesZero) {
  TestModel model(24);
  model.Input("q", {1, 1, 2, 1})
      .Floats("k", {1, 1, 2, 1}, {0, 1})
      .Floats("v", {1, 1, 2, 1}, {3, 10});
  model.Input("m", {2, 2}, onnx::TensorProto::BOOL);
  model.Node("Attention", {"q", "k", "v", "m"}, {"y"}).Output("y");
  EXPECT_THAT(model.Run({{0, 2}, {0, 0, 1, 0}}), ElementsAre(0, 3));
}

TEST(AttentionTest, MaskedScoresThatAreAnOutputAreInfinite) {
  TestModel model(24);
  model.Input("q", {1, 1, 2, 1})
      .Floats("k", {1, 1, 2, 1}, {3, 1})
      .Floats("v", {1, 1, 2, 1}, {0, 10});
  model.Node("Attention", {"q", "k", "v"}, {"y", "", "", "scores"},
             {{"is_causal", int64_t{1}}, {"qk_matmul_output_mode", int64_t{2}}});
  EXPECT_THAT(model.Output("scores").Run({{1, 2}}),
              ElementsAre(3, -std::numeric_limits<float>::infinity(), 6, 2));
}

TEST(AttentionTest, HeadsMayShareKeys) {
  TestModel model(24);  // two query heads, one key head; [B,S,heads*D]
  model.Input("q", {1, 1, 2}).Floats("k", {1, 2, 1}, {0, 1}).Floats("v", {1, 2, 1}, {0, 10});
  model.Node("Attention", {"q", "k", "v"}, {"y"},
             {{"q_num_heads", int64_t{2}}, {"kv_num_heads", int64_t{1}}});
  EXPECT_THAT(model.Output("y").Run({{0, 2}}),
              Pointwise(FloatNear(1e-5f), Values{5, 10 * Sigmoid(2)}));
}

TEST(AttentionTest, PastComesBeforeKeys) {
  TestModel model(24);
  model.Input("q", {1, 1, 1, 1}).Floats("k", {1, 1, 1, 1}, {1}).Floats("v", {1, 1, 1, 1}, {10});
  model.Floats("pk", {1, 1, 1, 1}, {0}).Floats("pv", {1, 1, 1, 1}, {0});
  model.Node("Attention", {"q", "k", "v", "", "pk", "pv"}, {"y"}, {{"is_causal", int64_t{1}}});
  EXPECT_THAT(model.Output("y").Run({{2}}), Pointwise(FloatNear(1e-5f), Values{10 * Sigmoid(2)}));
}

TEST(AttentionTest, KeysBeyondAMaskDoNotCount) {
  for (const int type : {onnx::TensorProto::FLOAT, onnx::TensorProto::BOOL}) {
    TestModel model(24);
    model.Floats("q", {1, 1, 1, 1}, {1}).Floats("k", {1, 1, 3, 1}, {0, 2, 9});
    model.Floats("v", {1, 1, 3, 1}, {0, 10, 100}).Input("m", {1, 2}, type);
    model.Node("Attention", {"q", "k", "v", "m"}, {"y"}).Output("y");
    const bool bias = type == onnx::TensorProto::FLOAT;
    EXPECT_THAT(model.Run({bias ? Values{0, 0} : Values{1, 1}}),
                Pointwise(FloatNear(1e-5f), Values{10 * Sigmoid(2)}));
  }
}

TEST(AttentionTest, RefusesWhatDoesNotFit) {
  TestModel model(24);
  model.Input("q", {1, 1, 2, 1}).Floats("k", {1, 1, 2, 3}, {0, 1, 2, 3, 4, 5});
  model.Node("Attention", {"q", "k", "k"}, {"y"}).Output("y");
  EXPECT_THAT(model.Text(), HasSubstr("which don't fit each other"));
}

TEST(MultiHeadAttentionTest, IsAttentionWithABias) {
  TestModel model;
  model.Input("q", {1, 1, 2}).Floats("k", {1, 2, 2}, {0, 0, 1, 1});
  model.Floats("v", {1, 2, 2}, {0, 0, 10, 10}).Floats("b", {6}, {1, 0, 0, 0, 0, 1});
  model.Node("MultiHeadAttention", {"q", "k", "v", "b"}, {"y"}, {{"num_heads", int64_t{2}}});
  model.graph().mutable_node(0)->set_domain("com.microsoft");
  EXPECT_THAT(model.Output("y").Run({{1, 2}}),
              Pointwise(FloatNear(1e-5f), Values{10 * Sigmoid(2), 1 + 10 * Sigmoid(2)}));
}

// Two heads of one query that share two keys.
TestModel Flexible() {
  TestModel model(26);
  model.Input("q", {1, 2, 1, 1}).Floats("k", {1, 1, 2, 1}, {0, 1});
  model.Floats("v", {1, 1, 2, 1}, {0, 10}).Node("FlexAttention", {"q", "k", "v"}, {"y"});
  model.graph().mutable_node(0)->set_domain("ai.onnx.preview");
  return model.Output("y");
}

void SetGraph(TestModel& model, const std::string& name, TestModel body) {
  onnx::AttributeProto& attribute = *model.graph().mutable_node(0)->add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::GRAPH);
  *attribute.mutable_g() = body.graph();
}

TEST(FlexAttentionTest, IsAttention) {
  EXPECT_THAT(Flexible().Run({{0, 2}}), Pointwise(FloatNear(1e-5f), Values{5, 10 * Sigmoid(2)}));
}

TEST(FlexAttentionTest, GraphsChangeScoresAndProbabilities) {
  TestModel model = Flexible();
  SetGraph(model, "score_mod", TestModel().Input("s", {}).Node("Neg", {"s"}, {"t"}).Output("t"));
  SetGraph(model, "prob_mod",
           TestModel().Input("p", {}).Node("Add", {"p", "p"}, {"r"}).Output("r"));
  EXPECT_THAT(model.Run({{0, 2}}), Pointwise(FloatNear(1e-5f), Values{10, 20 * Sigmoid(-2)}));
}

TEST(FlexAttentionTest, RefusesGraphsThatChangeTheShape) {
  TestModel model = Flexible();
  SetGraph(model, "score_mod", TestModel().Input("s", {}).Node("Shape", {"s"}, {"t"}).Output("t"));
  EXPECT_THAT(model.Text(), HasSubstr("its 'score_mod' has 1 outputs or changes the type"));
}

// Angles of 0 and of a quarter turn.
TestModel Rotates(const TestModel::Dims& x, const Attributes& attributes) {
  TestModel model(23);
  model.Input("x", x).Floats("cos", {2, 1}, {1, 0}).Floats("sin", {2, 1}, {0, 1});
  model.Ints("ids", {1, 2}, {0, 1});
  return model.Node("RotaryEmbedding", {"x", "cos", "sin", "ids"}, {"y"}, attributes).Output("y");
}

TEST(RotaryEmbeddingTest, TurnsPairsByTheirPosition) {
  EXPECT_THAT(Rotates({1, 1, 2, 2}, {}).Run({{1, 2, 3, 4}}), ElementsAre(1, 2, -4, 3));
  EXPECT_THAT(Rotates({1, 1, 2, 2}, {{"interleaved", int64_t{1}}}).Run({{1, 2, 3, 4}}),
              ElementsAre(1, 2, -4, 3));
  EXPECT_THAT(Rotates({1, 2, 2}, {{"num_heads", int64_t{1}}}).Run({{1, 2, 3, 4}}),
              ElementsAre(1, 2, -4, 3));
}

TEST(RotaryEmbeddingTest, MayTurnAPart) {
  EXPECT_THAT(
      Rotates({1, 1, 2, 3}, {{"rotary_embedding_dim", int64_t{2}}}).Run({{1, 2, 9, 3, 4, 8}}),
      ElementsAre(1, 2, 9, -4, 3, 8));
  EXPECT_THAT(Rotates({1, 1, 2, 2}, {{"rotary_embedding_dim", int64_t{3}}}).Text(),
              HasSubstr("attribute 'rotary_embedding_dim' is 3, expected an even number"));
}

TEST(RotaryEmbeddingTest, OfRuntimeTakesAFirstPosition) {
  TestModel model;
  model.Input("x", {1, 2, 2}).Floats("cos", {3, 1}, {1, 1, 0}).Floats("sin", {3, 1}, {0, 0, 1});
  model.Ints("first", {1}, {1});
  model.Node("RotaryEmbedding", {"x", "first", "cos", "sin"}, {"y"}, {{"num_heads", int64_t{1}}});
  model.graph().mutable_node(0)->set_domain("com.microsoft");
  EXPECT_THAT(model.Output("y").Run({{1, 2, 3, 4}}), ElementsAre(1, 2, -4, 3));
}

}  // namespace
}  // namespace synap_internal::onnx_import
