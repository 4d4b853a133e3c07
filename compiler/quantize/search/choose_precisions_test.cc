#include "compiler/quantize/search/choose_precisions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <utility>

#include "base/status_macros.h"
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
    network.layers[layer.layer] = wide ? layer.wide_seconds : 1;
    network.seconds += network.layers[layer.layer];
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

std::unique_ptr<NetworkQuality> QualityOn(std::vector<float> sample) {
  auto quality = NetworkQuality::Create(GraphOfBody(kNetwork), 1);
  EXPECT_TRUE(quality.ok()) << quality.status();
  EXPECT_TRUE((*quality)->AddSample("s", {Constant::Own(std::move(sample))}).ok());
  return *std::move(quality);
}

absl::StatusOr<PrecisionChoice> Choose(const PrecisionBudget& budget,
                                       const QuantizeByRules& quantize = Coarse,
                                       const NetworkQuality* validated_by = nullptr,
                                       int threads = 1) {
  const auto quality = QualityOn({1, 2});
  return ChooseByBudget(GraphOfBody(kNetwork), DataType::kUint8, budget, quantize,
                        {*quality, validated_by}, threads, nullptr);
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
  EXPECT_NEAR(choice->curve[choice->chosen].sqnr_db, 40, 0.1);
}

TEST(ChoosePrecisionsTest, ThreeLayersInDemandAreAllOfThem) {
  const auto choice = Choose({.sqnr_db = 150});
  ASSERT_TRUE(choice.ok()) << choice.status();
  EXPECT_EQ(choice->curve.back().layers, 3u);
  EXPECT_DOUBLE_EQ(choice->curve.back().sqnr_db, 200);  // nothing is lost
}

// Layers lose nothing but c's tenth in 8 bits; `coarse` adds b's fifth.
absl::StatusOr<PrecisionChoice> ChooseWith(bool (*coarse)(const LayerRules&)) {
  const auto quantize = [&](const LayerRules& rules) {
    LayerRules used;
    used.rules = {{"*", DataType::kInt16, {}}};
    if (Is(rules, "c", "uint8")) used.rules.push_back({"c", DataType::kUint8, {}});
    if (coarse(rules)) used.rules.push_back({"b", DataType::kUint8, {}});
    return Coarse(used);
  };
  return Choose({.sqnr_db = 60}, quantize);
}

TEST(ChoosePrecisionsTest, InputsGet16BitsIfNoLayersMeetTheDemand) {
  const auto choice =
      ChooseWith([](const LayerRules& rules) { return Is(rules, "INPUTS", "uint8"); });
  ASSERT_TRUE(choice.ok()) << choice.status();
  EXPECT_TRUE(Is(choice->rules, "INPUTS", "int16"));
  EXPECT_TRUE(Is(choice->rules, "c", "int16"));
  EXPECT_TRUE(Is(choice->rules, "a", "uint8"));
  EXPECT_THAT(CurveText(*choice), HasSubstr("  INPUTS, "));
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
  EXPECT_THAT(CurveText(*choice), HasSubstr("  everything\n"));
}

TEST(ChoosePrecisionsTest, ADemandThatCantBeMetTellsWhatCan) {
  const auto always_coarse = [](const LayerRules&) { return Coarse({}); };
  EXPECT_THAT(Choose({.sqnr_db = 60}, always_coarse).status().message(),
              AllOf(HasSubstr("'quantization.budget.sqnr_db' is 60, but at most "),
                    HasSubstr("dB. The worst output is 'c'.")));
}

TEST(ChoosePrecisionsTest, ALatencyNeedsAnEstimateAboveZero) {
  for (const double seconds : {0.0, std::numeric_limits<double>::infinity()}) {
    const auto priced = [seconds](const LayerRules& rules) -> absl::StatusOr<PricedNetwork> {
      PricedNetwork network = *Coarse(rules);
      network.seconds = seconds;
      return network;
    };
    const auto choose = [&](const PrecisionBudget& budget) { return Choose(budget, priced); };
    EXPECT_THAT(choose({.latency = 2}).status().message(),
                AllOf(HasSubstr("'quantization.budget.latency' is a multiple of the time in uint8"),
                      HasSubstr(" s, expected a time above 0; give the target's file its prices")));
    const auto choice = choose({.sqnr_db = 35});
    ASSERT_TRUE(choice.ok()) << choice.status();
    EXPECT_EQ(choice->curve.back().latency, 1);
  }
}

// 8 bits lose a tenth of c. 16 bits lose nothing of c for the sample {1, 2}, but much for others.
absl::StatusOr<PricedNetwork> Fitted(const LayerRules& rules) {
  LayerRules all;
  all.rules = {{"*", DataType::kInt16, {}}};
  ASSIGN_OR_RETURN(PricedNetwork network, Coarse(all));
  const bool wide = Is(rules, "c", "int16");
  network.layers = {{"a", 1}, {"b", 1}, {"c", wide ? 10 : 1}};
  network.seconds = wide ? 12 : 3;
  network.graph.SetInput(
      &network.graph.ops().back(), 1,
      network.graph.AddConstant("fitted", network.graph.FindTensor("w")->type,
                                wide ? Constant::Own<float>({0.5f, 3.25f, -1.0f, 3.75f})
                                     : Constant::Own<float>({1.1f, 0.55f, -0.55f, 1.1f})));
  return network;
}

TEST(ChoosePrecisionsTest, WhatOtherSamplesDontConfirmIsNotTaken) {
  const auto others = QualityOn({1, -2});
  const auto doubted = Choose({.latency = 5}, Fitted, &*others);
  ASSERT_TRUE(doubted.ok()) << doubted.status();
  EXPECT_EQ(doubted->chosen, 0u);
  EXPECT_TRUE(Is(doubted->rules, "c", "uint8"));
  EXPECT_THAT(doubted->note, HasSubstr("'data_type: auto' keeps 8 bits"));
  const auto same = QualityOn({2, 4});
  const auto confirmed = Choose({.latency = 5}, Fitted, &*same);
  ASSERT_TRUE(confirmed.ok()) << confirmed.status();
  EXPECT_TRUE(Is(confirmed->rules, "c", "int16"));
  EXPECT_EQ(confirmed->note, "");
  EXPECT_THAT(CurveText(*confirmed), HasSubstr("On 1 other samples, the worst output has "));
}

TEST(ChoosePrecisionsTest, ThreadsMakeNoDifference) {
  const auto one = Choose({.latency = 8}), three = Choose({.latency = 8}, Coarse, nullptr, 3);
  ASSERT_TRUE(one.ok() && three.ok());
  EXPECT_EQ(CurveText(*one), CurveText(*three));
}

TEST(ChoosePrecisionsTest, TheCurveMarksWhatWasChosen) {
  const auto choice = Choose({.latency = 5});
  ASSERT_TRUE(choice.ok()) << choice.status();
  EXPECT_THAT(CurveText(*choice), HasSubstr("->    1    4.000"));
  EXPECT_THAT(CurveText(*choice), HasSubstr("  c\n"));
  EXPECT_THAT(CurveText(*choice), EndsWith("\n\nThe worst output is 'c'.\n"));
}

TEST(ChoosePrecisionsTest, The8BitsCanBeTakenAfterwards) {
  auto choice = Choose({.latency = 5});
  ASSERT_TRUE(choice.ok()) << choice.status();
  ASSERT_GT(choice->rules.rules.size(), 1u);
  choice->Take8Bits("they are better");
  EXPECT_EQ(choice->rules.rules.size(), 1u);
  EXPECT_THAT(CurveText(*choice), HasSubstr("->    0    1.000"));
  EXPECT_EQ(choice->note, "they are better");
}

}  // namespace
}  // namespace synap_internal
