// CausalConvWithState, LinearAttention and TensorScatter.
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
using ::testing::Pointwise;
using Strings = TestModel::Strings;
using Values = std::vector<float>;

// Two taps over three elements of one channel: output and state.
TestModel Convolves(const Strings& inputs, const Attributes& attributes = {}) {
  TestModel model(27);
  model.Input("x", {1, 1, 3}).Floats("w", {1, 1, 2}, {10, 1}).Floats("b", {1}, {100});
  model.Floats("past", {1, 1, 1}, {5}).Floats("long", {1, 1, 2}, {5, 5});
  return model.Node("CausalConvWithState", inputs, {"y", "state"}, attributes);
}

TEST(CausalConvTest, ReadsItsStateBeforeItsInput) {
  EXPECT_THAT(Convolves({"x", "w"}).Output("y").Run({{1, 2, 3}}), ElementsAre(1, 12, 23));
  EXPECT_THAT(Convolves({"x", "w", "b", "past"}).Output("y").Run({{1, 2, 3}}),
              ElementsAre(151, 112, 123));
  EXPECT_THAT(Convolves({"x", "w"}).Output("state").Run({{1, 2, 3}}), ElementsAre(3));
}

TEST(CausalConvTest, HasAnActivation) {
  for (const char* name : {"silu", "swish"}) {
    EXPECT_THAT(
        Convolves({"x", "w"}, {{"activation", std::string(name)}}).Output("y").Run({{1, 0, 0}}),
        Pointwise(FloatNear(1e-4f), Values{1 / (1 + std::exp(-1.0f)), 9.99955f, 0}));
  }
  EXPECT_THAT(Convolves({"x", "w"}, {{"activation", std::string("relu")}}).Output("y").Text(),
              HasSubstr("attribute 'activation' is 'relu', expected none, silu or swish"));
}

TEST(CausalConvTest, RefusesAStateOfAnotherLength) {
  EXPECT_THAT(Convolves({"x", "w", "", "long"}).Output("y").Text(),
              HasSubstr("its 'past_state' is 1x1x2, expected 1x1x1"));
  EXPECT_THAT(Convolves({"x", "b"}).Output("y").Text(),
              HasSubstr("its input and weights are 1x1x3 and 1, expected"));
}

// Two steps of one head, whose keys are 1 and 2 wide 1, and values 3 and 4.
TestModel Attends(const std::string& rule, const Strings& gates,
                  const TestModel::Dims& query = {1, 2, 1}) {
  TestModel model(27);
  model.Input("q", query).Floats("k", {1, 2, 1}, {1, 2}).Floats("v", {1, 2, 1}, {3, 4});
  const float half = std::log(0.5f);
  model.Floats("decay", {1, 2, 1}, {half, half}).Floats("beta", {1, 2, 1}, {1, 0.5f});
  model.Floats("past", {1, 1, 1, 1}, {8});
  Strings inputs = {"q", "k", "v"};
  inputs.insert(inputs.end(), gates.begin(), gates.end());
  model.Node("LinearAttention", inputs, {"y", "state"},
             {{"q_num_heads", query[2]},
              {"kv_num_heads", int64_t{1}},
              {"update_rule", rule},
              {"scale", 1.0f}});
  return model;
}

TEST(LinearAttentionTest, AddsProductsOfKeysAndValues) {
  // States: 1 * 3, then + 2 * 4.
  EXPECT_THAT(Attends("linear", {}).Output("y").Run({{1, 10}}), ElementsAre(3, 110));
  EXPECT_THAT(Attends("linear", {}).Output("state").Run({{1, 10}}), ElementsAre(11));
  EXPECT_THAT(Attends("linear", {"past"}).Output("y").Run({{1, 10}}), ElementsAre(11, 190));
}

TEST(LinearAttentionTest, MayForgetAndCorrect) {
  // 8 / 2 + 3, then 7 / 2 + 8.
  EXPECT_THAT(Attends("gated", {"past", "decay"}).Output("y").Run({{1, 1}}),
              Pointwise(FloatNear(1e-5f), Values{7, 11.5f}));
  // 8 + (3 - 8), then 3 + 2 * (4 - 3 * 2) / 2.
  EXPECT_THAT(Attends("delta", {"past", "", "beta"}).Output("y").Run({{1, 1}}), ElementsAre(3, 1));
  // 3, then 1.5 + 2 * (4 - 1.5 * 2) / 2.
  EXPECT_THAT(Attends("gated_delta", {"", "decay", "beta"}).Output("y").Run({{1, 1}}),
              Pointwise(FloatNear(1e-5f), Values{3, 2.5f}));
}

TEST(LinearAttentionTest, QueriesMayShareAState) {
  EXPECT_THAT(Attends("linear", {}, {1, 2, 2}).Output("y").Run({{1, 2, 3, 4}}),
              ElementsAre(3, 6, 33, 44));
}

TEST(LinearAttentionTest, RefusesGatesThatTheRuleHasNot) {
  EXPECT_THAT(Attends("linear", {"", "decay"}).Output("y").Text(),
              HasSubstr("its 'update_rule' is 'linear', which has no operand 'decay'"));
  EXPECT_THAT(Attends("delta", {}).Output("y").Text(),
              HasSubstr("its 'update_rule' is 'delta', which needs operand 'beta'"));
  EXPECT_THAT(Attends("other", {}).Output("y").Text(), HasSubstr("'update_rule' is 'other'"));
  EXPECT_THAT(Attends("linear", {}, {1, 3, 1}).Output("y").Text(),
              HasSubstr("its query, key and value are 1x3x1, 1x2x1 and 1x2x1"));
}

// Writes `update` into two rows of three elements.
TestModel Scatters(const TestModel::Dims& update, const std::string& mode,
                   const Strings& indices = {"at"}) {
  TestModel model(24);
  model.Floats("cache", {2, 3, 1}, {0, 1, 2, 3, 4, 5}).Input("x", update);
  model.Ints("at", {2}, {1, 2});
  Strings inputs = {"cache", "x"};
  inputs.insert(inputs.end(), indices.begin(), indices.end());
  return model.Node("TensorScatter", inputs, {"y"}, {{"mode", mode}}).Output("y");
}

TEST(TensorScatterTest, WritesFromEachRowsIndexOn) {
  EXPECT_THAT(Scatters({2, 1, 1}, "linear").Run({{10, 20}}), ElementsAre(0, 10, 2, 3, 4, 20));
  EXPECT_THAT(Scatters({2, 2, 1}, "circular").Run({{10, 11, 20, 21}}),
              ElementsAre(0, 10, 11, 21, 4, 20));
  EXPECT_THAT(Scatters({2, 1, 1}, "linear", {}).Run({{10, 20}}), ElementsAre(10, 1, 2, 20, 4, 5));
}

TEST(TensorScatterTest, IndicesMayBeComputed) {
  TestModel model(24);
  model.Floats("cache", {2, 3, 1}, {0, 1, 2, 3, 4, 5}).Floats("x", {2, 1, 1}, {10, 20});
  model.Input("real", {2});
  model.Node("Cast", {"real"}, {"at"}, {{"to", int64_t{onnx::TensorProto::INT64}}});
  model.Node("TensorScatter", {"cache", "x", "at"}, {"y"}).Output("y");
  EXPECT_THAT(model.Run({{2, 0}}), ElementsAre(0, 1, 10, 20, 4, 5));
}

TEST(TensorScatterTest, RefusesWhatDoesNotFit) {
  EXPECT_THAT(Scatters({2, 4, 1}, "linear").Text(),
              HasSubstr("it writes 2x4x1 into 2x3x1 along axis 1"));
  EXPECT_THAT(Scatters({2, 1, 1}, "other").Text(), HasSubstr("attribute 'mode' is 'other'"));
}

}  // namespace
}  // namespace synap_internal::onnx_import
