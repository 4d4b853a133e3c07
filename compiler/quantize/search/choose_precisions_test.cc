#include "compiler/quantize/search/choose_precisions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "compiler/testing/run_pass.h"

namespace synap_internal {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;

constexpr absl::string_view kNetwork = R"(
    input %x: float32[1x1x1x2]
    const %w: float32[2x1x1x2] = [1.0, 0.5, -0.5, 1.0]
    %a: float32[1x1x1x2] = conv2d(%x, %w) from "a"
    %b: float32[1x1x1x2] = conv2d(%a, %w) from "b"
    %c: float32[1x1x1x2] = conv2d(%b, %w) from "c"
    output %c)";

bool Is(const LayerRules& rules, const std::string& layer, const std::string& type) {
  DataType found = DataType::kInvalid;
  for (const LayerRule& rule : rules.rules) {
    if (rule.pattern == "*" || rule.pattern == layer) found = rule.type;
  }
  return Name(found) == type;
}

// In place of a quantizer: 8 bits make a layer's weights wrong by a factor. Layers in 16 bits take
// 10 (b: 30) times as long.
absl::StatusOr<PricedNetwork> Coarse(const LayerRules& rules) {
  const struct {
    const char* layer;
    float factor;
    double wide_seconds;
  } kLayers[] = {{"a", 1.01f, 10}, {"b", 1.2f, 30}, {"c", 1.1f, 10}};
  PricedNetwork network{GraphOfBody(kNetwork)};
  size_t i = 0;
  for (Op& op : network.graph.ops()) {
    const auto& layer = kLayers[i++];
    const bool wide = Is(rules, layer.layer, "int16");
    network.seconds += wide ? layer.wide_seconds : 1;
    if (wide) continue;
    const Tensor& weights = *op.inputs[1];
    std::vector<float> values(weights.values<float>().begin(), weights.values<float>().end());
    for (float& value : values) value *= layer.factor;
    network.graph.SetInput(&op, 1,
                           network.graph.AddConstant("coarse", weights.type,
                                                     Constant::Of(absl::MakeConstSpan(values))));
  }
  return network;
}

absl::StatusOr<PrecisionChoice> Choose(const PrecisionBudget& budget) {
  const Graph real = GraphOfBody(kNetwork);
  auto quality = NetworkQuality::Create(real, 1);
  EXPECT_TRUE(quality.ok()) << quality.status();
  EXPECT_TRUE((*quality)->AddSample("s", {Constant::Own<float>({1, 2})}).ok());
  return ChooseByBudget(real, DataType::kUint8, budget, Coarse, **quality, nullptr);
}

TEST(ChoosePrecisionsTest, ALatencyIsSpentWhereItBringsMost) {
  const auto choice = Choose({.latency = 5});
  ASSERT_TRUE(choice.ok()) << choice.status();
  // 3 seconds in 8 bits, 12 with c, 21 would be too many.
  EXPECT_TRUE(Is(choice->rules, "c", "int16"));
  EXPECT_TRUE(Is(choice->rules, "a", "uint8"));
  EXPECT_TRUE(Is(choice->rules, "b", "uint8"));
  ASSERT_EQ(choice->curve.size(), 2u);
  EXPECT_DOUBLE_EQ(choice->curve[1].latency, 4);
  EXPECT_GT(choice->curve[1].sqnr_db, choice->curve[0].sqnr_db);
}

TEST(ChoosePrecisionsTest, WhatDoesNotFitIsPassedOver) {
  const auto choice = Choose({.latency = 8});
  ASSERT_TRUE(choice.ok()) << choice.status();
  EXPECT_TRUE(Is(choice->rules, "b", "uint8"));  // 32 of 24 seconds by itself
  EXPECT_TRUE(Is(choice->rules, "c", "int16"));
  EXPECT_TRUE(Is(choice->rules, "a", "int16"));
}

TEST(ChoosePrecisionsTest, ADemandForQualityIsMetWithTheLayersThatBringMost) {
  const auto choice = Choose({.sqnr_db = 35});
  ASSERT_TRUE(choice.ok()) << choice.status();
  // What is left is a's hundredth: 40 dB.
  EXPECT_TRUE(Is(choice->rules, "a", "uint8"));
  EXPECT_TRUE(Is(choice->rules, "b", "int16"));
  EXPECT_TRUE(Is(choice->rules, "c", "int16"));
  EXPECT_NEAR(choice->curve.back().sqnr_db, 40, 0.1);
  EXPECT_EQ(choice->chosen, 2u);
}

TEST(ChoosePrecisionsTest, ThreeLayersInDemandAreAllOfThem) {
  const auto choice = Choose({.sqnr_db = 150});
  ASSERT_TRUE(choice.ok()) << choice.status();
  EXPECT_EQ(choice->curve.back().layers, 3u);
  EXPECT_DOUBLE_EQ(choice->curve.back().sqnr_db, 200);  // nothing is lost
}

// Layers lose nothing but c's tenth in 8 bits; `coarse` adds b's fifth.
absl::StatusOr<PrecisionChoice> ChooseWith(bool (*coarse)(const LayerRules&)) {
  const Graph real = GraphOfBody(kNetwork);
  auto quality = NetworkQuality::Create(real, 1);
  EXPECT_TRUE((*quality)->AddSample("s", {Constant::Own<float>({1, 2})}).ok());
  const auto quantize = [&](const LayerRules& rules) {
    LayerRules used;
    used.rules = {{"*", DataType::kInt16, {}}};
    if (Is(rules, "c", "uint8")) used.rules.push_back({"c", DataType::kUint8, {}});
    if (coarse(rules)) used.rules.push_back({"b", DataType::kUint8, {}});
    return Coarse(used);
  };
  return ChooseByBudget(real, DataType::kUint8, {.sqnr_db = 60}, quantize, **quality, nullptr);
}

TEST(ChoosePrecisionsTest, InputsGet16BitsIfNoLayersMeetTheDemand) {
  const auto choice =
      ChooseWith([](const LayerRules& rules) { return Is(rules, "INPUTS", "uint8"); });
  ASSERT_TRUE(choice.ok()) << choice.status();
  EXPECT_TRUE(Is(choice->rules, "INPUTS", "int16"));
  EXPECT_TRUE(Is(choice->rules, "c", "int16"));
  EXPECT_TRUE(Is(choice->rules, "a", "uint8"));
  EXPECT_THAT(CurveText(*choice), HasSubstr("+ INPUTS\n"));
}

TEST(ChoosePrecisionsTest, InputsKeep8BitsIfLayersMeetTheDemand) {
  const auto choice = ChooseWith([](const LayerRules&) { return false; });
  ASSERT_TRUE(choice.ok()) << choice.status();
  EXPECT_TRUE(Is(choice->rules, "INPUTS", "uint8"));
  EXPECT_TRUE(Is(choice->rules, "c", "int16"));
}

TEST(ChoosePrecisionsTest, EverythingGets16BitsIfNothingElseMeetsTheDemand) {
  const auto choice = ChooseWith([](const LayerRules& rules) { return Is(rules, "*", "uint8"); });
  ASSERT_TRUE(choice.ok()) << choice.status();
  EXPECT_TRUE(Is(choice->rules, "*", "int16"));
  EXPECT_THAT(CurveText(*choice), HasSubstr("+ all others\n"));
}

TEST(ChoosePrecisionsTest, ADemandThatCantBeMetTellsWhatCan) {
  const Graph real = GraphOfBody(kNetwork);
  auto quality = NetworkQuality::Create(real, 1);
  ASSERT_TRUE((*quality)->AddSample("s", {Constant::Own<float>({1, 2})}).ok());
  const auto always_coarse = [](const LayerRules&) { return Coarse({}); };
  EXPECT_THAT(
      ChooseByBudget(real, DataType::kUint8, {.sqnr_db = 60}, always_coarse, **quality, nullptr)
          .status()
          .message(),
      AllOf(HasSubstr("'quantization.budget.sqnr_db' is 60, but"),
            HasSubstr("dB. The worst output is 'c'.")));
}

TEST(ChoosePrecisionsTest, ALatencyNeedsAnEstimateAboveZero) {
  const Graph real = GraphOfBody(kNetwork);
  auto quality = NetworkQuality::Create(real, 1);
  ASSERT_TRUE((*quality)->AddSample("s", {Constant::Own<float>({1, 2})}).ok());
  for (const double seconds : {0.0, std::numeric_limits<double>::infinity()}) {
    const auto priced = [seconds](const LayerRules& rules) -> absl::StatusOr<PricedNetwork> {
      PricedNetwork network = *Coarse(rules);
      network.seconds = seconds;
      return network;
    };
    const auto choose = [&](const PrecisionBudget& budget) {
      return ChooseByBudget(real, DataType::kUint8, budget, priced, **quality, nullptr);
    };
    EXPECT_THAT(choose({.latency = 2}).status().message(),
                AllOf(HasSubstr("'quantization.budget.latency' is a multiple of the time in uint8"),
                      HasSubstr(" s, expected a time above 0; give the target's file its prices")));
    const auto choice = choose({.sqnr_db = 35});
    ASSERT_TRUE(choice.ok()) << choice.status();
    EXPECT_EQ(choice->curve.back().latency, 1);
  }
}

TEST(ChoosePrecisionsTest, TheCurveMarksWhatWasChosen) {
  const auto choice = Choose({.latency = 5});
  ASSERT_TRUE(choice.ok()) << choice.status();
  EXPECT_THAT(CurveText(*choice), HasSubstr("->    1    4.000"));
  EXPECT_THAT(CurveText(*choice), HasSubstr("+ c\n"));
  EXPECT_THAT(CurveText(*choice), EndsWith("\n\nThe worst output is 'c'.\n"));
}

}  // namespace
}  // namespace synap_internal
