#include "compiler/quantize/analysis/predicted_noise.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "absl/strings/substitute.h"
#include "base/tensor_type.h"
#include "compiler/quantize/statistics/histogram.h"
#include "compiler/quantize/value_range.h"
#include "compiler/testing/run_pass.h"

namespace synap_internal {
namespace {

// Steps are much wider than bins.
constexpr double kStep = 0.0625;
constexpr double kRounding = kStep * kStep / 12;
constexpr double kNear = 0.03 * kRounding;

Observation Even(ValueRange range) {
  constexpr int kValues = 1 << 14;
  std::vector<float> values;
  for (int i = 0; i <= kValues; ++i) {
    const float part = static_cast<float>(i) / kValues;
    values.push_back(range.min * (1 - part) + range.max * part);
  }
  return {range, Histogram::Of(values, range)};
}

Statistics EvenStatistics(const std::map<std::string, ValueRange>& ranges) {
  std::vector<std::string> names;
  std::vector<Observation> observations;
  for (const auto& [name, range] : ranges) {
    names.push_back(name);
    observations.push_back(Even(range));
  }
  Statistics statistics(names);
  EXPECT_TRUE(statistics.Add("sample", std::move(observations)).ok());
  return statistics;
}

// Of the layer that makes %y, where tensors' values are spread evenly over these ranges.
PredictedNoise Predicted(absl::string_view real_body, absl::string_view quantized_body,
                         const std::map<std::string, ValueRange>& ranges) {
  const Graph real = GraphOfBody(real_body), quantized = GraphOfBody(quantized_body);
  const TensorPairs pairs(real, quantized);
  for (const PredictedNoise& predicted :
       PredictNoise(LossyLayers(quantized, pairs), pairs, EvenStatistics(ranges))) {
    if (predicted.layer.real->name == "y") return predicted;
  }
  ADD_FAILURE() << "no layer makes y";
  return {};
}

TEST(PredictedNoiseTest, ALinearLayerPassesItsInputsNoiseAndRoundsItsResult) {
  const PredictedNoise predicted = Predicted(R"(
    input %x: float32[1x2]
    const %w: float32[2x2] = [1.0, 2.0, -1.0, 0.0]
    %y: float32[1x2] = fully_connected(%x, %w) from "Gemm"
    output %y)",
                                             R"(
    input %x: uint8[1x2]<affine 0.0625 128>
    const %w.uint8: uint8[2x2]<affine 1.0 1> = [2, 3, 0, 1]
    %y: uint8[1x2]<affine 0.0625 128> = fully_connected(%x, %w.uint8) from "Gemm"
    output %y)",
                                             {{"x", {-1, 1}}, {"y", {-3, 3}}});
  EXPECT_NEAR(predicted.signal, 3, 0.01);
  EXPECT_NEAR(predicted.noise, kRounding * (6.0 / 2 + 1), 4 * kNear);
  EXPECT_EQ(predicted.weights, 0);
}

TEST(PredictedNoiseTest, ErrorsOfWeightsCountByMeanAndVariance) {
  const auto weights = [](float first, float second) {
    return absl::StrCat(R"(
    input %x: float32[1x2]
    const %w: float32[1x2] = [)",
                        absl::StrFormat("%f, %f", first, second), R"(]
    %y: float32[1x1] = fully_connected(%x, %w) from "Gemm"
    output %y)");
  };
  constexpr char kStored[] = R"(
    input %x: uint8[1x2]<affine 0.0625 0>
    const %w.uint8: uint8[1x2]<affine 1.0 0> = [1, 2]
    %y: uint8[1x1]<affine 0.0625 0> = fully_connected(%x, %w.uint8) from "Gemm"
    output %y)";
  const std::map<std::string, ValueRange> ranges = {{"x", {0, 1}}, {"y", {0, 3}}};
  // Errors of 0.25 and 0.25, and of 0.25 and -0.25, which cancel in the mean.
  const double variance = 2 * 0.0625 / 12;
  const PredictedNoise alike = Predicted(weights(0.75f, 1.75f), kStored, ranges);
  EXPECT_NEAR(alike.weights, variance + 0.25 * 0.25, 1e-3);
  EXPECT_GT(alike.noise, alike.weights);
  const PredictedNoise cancelling = Predicted(weights(0.75f, 2.25f), kStored, ranges);
  EXPECT_NEAR(cancelling.weights, variance, 1e-3);
}

TEST(PredictedNoiseTest, ATableInTheLayerRoundsWhatItReads) {
  const PredictedNoise predicted = Predicted(R"(
    input %x: float32[1x1]
    const %w: float32[1x1] = [1.0]
    %c: float32[1x1] = fully_connected(%x, %w) from "Gemm"
    %y: float32[1x1] = relu(%c) from "Relu"
    output %y)",
                                             R"(
    input %x: uint8[1x1]<affine 0.0625 128>
    const %w.uint8: uint8[1x1]<affine 1.0 0> = [1]
    const %t: uint8[256]<affine 0.0625 0> = splat 0
    %y: uint8[1x1]<affine 0.0625 0> = fully_connected(%x, %w.uint8, _, %t) {table_scale=0.125, table_zero_point=128} from "Gemm", "Relu"
    output %y)",
                                             {{"x", {-1, 1}}, {"c", {-1, 1}}, {"y", {0, 1}}});
  // Steps twice as wide have four times the noise; half of the values are flattened.
  EXPECT_NEAR(predicted.noise, kRounding * ((1 + 4) / 2.0 + 1), 4 * kNear);
}

TEST(PredictedNoiseTest, ClampedValuesHaveNoNoise) {
  // Three of four values are 0.
  const Graph real = GraphOfBody(R"(
    input %x: float32[4]
    const %c: float32[4] = [0.5, 0.5, 0.5, 0.5]
    %y: float32[4] = sub(%x, %c) {min=0.0} from "Sub"
    output %y)");
  const Graph quantized = GraphOfBody(R"(
    input %x: uint8[4]<affine 0.0625 0>
    const %c.uint8: uint8[4]<affine 0.5 0> = [1, 1, 1, 1]
    %y: uint8[4]<affine 0.0001 0> = sub(%x, %c.uint8) {min=0.0} from "Sub"
    output %y)");
  Statistics statistics({"x", "y"});
  const float clamped[] = {0, 0, 0, 0.01f};
  ASSERT_TRUE(
      statistics.Add("sample", {Even({0, 1}), {{0, 0.01f}, Histogram::Of(clamped, {0, 0.01f})}})
          .ok());
  const TensorPairs pairs(real, quantized);
  const auto predicted = PredictNoise(LossyLayers(quantized, pairs), pairs, statistics);
  ASSERT_EQ(predicted.size(), 1u);
  EXPECT_NEAR(predicted[0].noise, kRounding / 4, kNear);
}

TEST(PredictedNoiseTest, AClampOfAFunctionCountsOnce) {
  // Half of the values are cut off; the result is rounded, too.
  const PredictedNoise predicted = Predicted(R"(
    input %x: float32[4]
    %y: float32[4] = clip(%x) {min=0.0, max=6.0} from "Clip"
    output %y)",
                                             R"(
    input %x: uint8[4]<affine 0.0625 128>
    %y: uint8[4]<affine 0.0625 0> = clip(%x) {min=0.0, max=6.0} from "Clip"
    output %y)",
                                             {{"x", {-6, 6}}, {"y", {0, 6}}});
  EXPECT_NEAR(predicted.noise, kRounding * 1.5, 2 * kNear);
}

TEST(PredictedNoiseTest, MasksThatAreCutOffMakeNoNoise) {
  for (const char* mask : {"-inf", "-1e9", "-10000.0"}) {
    const PredictedNoise predicted =
        Predicted(absl::StrCat("input %x: float32[2]\nconst %m: float32[2] = [0.0, ", mask,
                               "]\n%y: float32[2] = add(%x, %m) from \"Add\"\noutput %y"),
                  R"(
    input %x: uint8[2]<affine 0.0625 0>
    const %m.uint8: uint8[2]<affine 0.0625 255> = [255, 0]
    %y: uint8[2]<affine 0.0625 128> = add(%x, %m.uint8) from "Add"
    output %y)",
                  {{"x", {0, 15}}, {"y", {-8, 7}}});
    EXPECT_NEAR(predicted.noise, 2 * kRounding, 4 * kNear) << mask;
  }
}

PredictedNoise OfBinary(absl::string_view function, absl::string_view second) {
  const auto body = [&](absl::string_view type) {
    return absl::StrCat("input %a: ", type, "\ninput %b: ", type, "\n%y: ", type, " = ", function,
                        "(%a, %", second, ") from \"y\"\noutput %y");
  };
  return Predicted(body("float32[4]"), body("uint8[4]<affine 0.0625 128>"),
                   {{"a", {-1, 1}}, {"b", {-2, 2}}, {"y", {-3, 3}}});
}

TEST(PredictedNoiseTest, SumsAndProducts) {
  EXPECT_NEAR(OfBinary("add", "b").noise, 3 * kRounding, 3 * kNear);
  EXPECT_NEAR(OfBinary("add", "a").noise, 5 * kRounding, 5 * kNear);  // one error, doubled
  EXPECT_NEAR(OfBinary("sub", "a").noise, kRounding, kNear);
  // Mean squares of 1 / 3 and 4 / 3.
  EXPECT_NEAR(OfBinary("mul", "b").noise, kRounding * (5.0 / 3 + 1), 3 * kNear);
  EXPECT_NEAR(OfBinary("mul", "a").noise, kRounding * (4.0 / 3 + 1), 3 * kNear);
}

TEST(PredictedNoiseTest, OtherOpsAddRelativeNoise) {
  // 3 of y for each of a (1 / 3) and 3 / 4 ... of b (4 / 3).
  EXPECT_NEAR(OfBinary("maximum", "b").noise, kRounding * (3 / (1.0 / 3) + 3 / (4.0 / 3) + 1),
              12 * kNear);
}

TEST(PredictedNoiseTest, ANormalizationDividesNoiseByTheSpreadOfItsValues) {
  constexpr char kReal[] = R"(
    input %x: float32[2x2]
    %y: float32[2x2] = normalization(%x) {axes=[1]$0} from "Norm"
    output %y)";
  constexpr char kQuantized[] = R"(
    input %x: uint8[2x2]<affine 0.0625 128>
    %y: float32[2x2] = normalization(%x) {axes=[1]$0} from "Norm"
    output %y)";
  const auto noise_of = [&](absl::string_view attributes) {
    const Graph real = GraphOfBody(absl::Substitute(kReal, attributes));
    const Graph quantized = GraphOfBody(absl::Substitute(kQuantized, attributes));
    const TensorPairs pairs(real, quantized);
    Statistics statistics({"x", "y"});
    const float y[] = {-1, 1};
    EXPECT_TRUE(statistics.Add("a", {Even({1, 2}), {{-1, 1}, Histogram::Of(y, {-1, 1})}}).ok());
    return PredictNoise(LossyLayers(quantized, pairs), pairs, statistics)[0].noise;
  };
  // The values' variance is 1 / 12, their mean square 7 / 3.
  EXPECT_NEAR(noise_of(""), kRounding * 12, 12 * kNear);
  EXPECT_NEAR(noise_of(", center=0"), kRounding * 3 / 7, kNear);
}

TEST(PredictedNoiseTest, ASoftmaxPassesLittleWhereItIsSure) {
  constexpr char kReal[] = R"(
    input %x: float32[1x2]
    %y: float32[1x2] = softmax(%x) {axis=1} from "Softmax"
    output %y)";
  constexpr char kQuantized[] = R"(
    input %x: uint8[1x2]<affine 0.0625 128>
    %y: uint8[1x2]<affine 0.0001 128> = softmax(%x) {axis=1} from "Softmax"
    output %y)";
  const Graph real = GraphOfBody(kReal), quantized = GraphOfBody(kQuantized);
  const TensorPairs pairs(real, quantized);
  const auto noise_of = [&](float p) {
    Statistics statistics({"x", "y"});
    const float both[] = {p, p};
    EXPECT_TRUE(statistics.Add("a", {Even({-1, 1}), {{p, p}, Histogram::Of(both, {p, p})}}).ok());
    return PredictNoise(LossyLayers(quantized, pairs), pairs, statistics)[0].noise;
  };
  // Beside it, p is rounded to a range that ends at 0.0127.
  const auto rounding = [](float p) { return (p - 0.0127) * (p - 0.0127); };
  EXPECT_NEAR(noise_of(0.5f) - rounding(0.5f), 2 * kRounding / 16, kNear);
  EXPECT_NEAR(noise_of(1) - rounding(1), 0, kNear);
}

TEST(PredictedNoiseTest, AMeanDividesNoise) {
  const PredictedNoise predicted = Predicted(R"(
    input %x: float32[1x2x2x1]
    %y: float32[1x1x1x1] = avg_pool2d(%x) {kernel=[2, 2]} from "Pool"
    output %y)",
                                             R"(
    input %x: uint8[1x2x2x1]<affine 0.0625 128>
    %y: uint8[1x1x1x1]<affine 0.0625 128> = avg_pool2d(%x) {kernel=[2, 2]} from "Pool"
    output %y)",
                                             {{"x", {-1, 1}}, {"y", {-1, 1}}});
  EXPECT_NEAR(predicted.noise, kRounding * 1.25, 2 * kNear);
}

TEST(PredictedNoiseTest, AConcatRoundsWhatHasAnotherQuantizer) {
  const PredictedNoise predicted =
      Predicted(R"(
    input %a: float32[4]
    input %b: float32[4]
    %y: float32[8] = concat(%a, %b) {axis=0} from "Concat"
    output %y)",
                R"(
    input %a: uint8[4]<affine 0.0625 128>
    input %b: uint8[4]<affine 0.001 128>
    %y: uint8[8]<affine 0.0625 128> = concat(%a, %b) {axis=0} from "Concat"
    output %y)",
                {{"a", {-1, 1}}, {"b", {-0.1f, 0.1f}}, {"y", {-1, 1}}});
  EXPECT_NEAR(predicted.noise, kRounding, 0.1 * kRounding);
}

TEST(PredictedNoiseTest, ConversionsOfOperandsCount) {
  const PredictedNoise predicted = Predicted(R"(
    input %x: float32[4]
    %y: float32[4] = add(%x, %x) from "Add"
    output %y)",
                                             R"(
    input %x: uint8[4]<affine 0.0625 128>
    %x.wide: int16[4]<fixed 10> = requantize(%x) from "Add"
    %y: int16[4]<fixed 10> = add(%x.wide, %x.wide) from "Add"
    output %y)",
                                             {{"x", {-1, 1}}, {"y", {-2, 2}}});
  EXPECT_NEAR(predicted.noise, 4 * kRounding, 4 * kNear);
}

TEST(PredictedNoiseTest, WhatAFunctionFlattensIsNotLost) {
  constexpr char kReal[] = R"(
    input %x: float32[4]
    const %c: float32[1] = [4.0]
    %y: float32[4] = add(%x, %x) from "Add"
    %s: float32[4] = sigmoid(%y) from "Sigmoid"
    output %s)";
  constexpr char kQuantized[] = R"(
    input %x: uint8[4]<affine 0.0625 128>
    const %t: uint8[256]<affine 0.00390625 0> = splat 0
    %y: uint8[4]<affine 0.0625 128> = add(%x, %x) from "Add"
    %s: uint8[4]<affine 0.00390625 0> = lookup(%y, %t) from "Sigmoid"
    output %s)";
  // Half of the values of %y lie outside of -8..8.
  const PredictedNoise predicted =
      Predicted(kReal, kQuantized, {{"x", {-8, 8}}, {"y", {-16, 16}}, {"s", {0, 1}}});
  EXPECT_NEAR(predicted.signal, (64.0 + 64.0 / 3) / 2, 0.5);
  EXPECT_NEAR(predicted.noise, (4 * kRounding + kRounding) / 2, 0.1 * kRounding);
}

TEST(PredictedNoiseTest, AnInputIsRounded) {
  const Graph real = GraphOfBody("input %x: float32[4]\noutput %x");
  const Statistics statistics = EvenStatistics({{"x", {-1, 1}}});
  const TensorType type{DataType::kUint8, {4}, QuantParams::Affine(0.0625f, 128)};
  const PredictedNoise predicted = PredictInputNoise(type, *real.inputs[0], statistics);
  EXPECT_NEAR(predicted.noise, kRounding, kNear);
  EXPECT_NEAR(predicted.signal, 1.0 / 3, 1e-3);
  EXPECT_EQ(PredictInputNoise(real.inputs[0]->type, *real.inputs[0], statistics).noise, 0);
}

TEST(PredictedNoiseTest, SharesAreAmplitudes) {
  PredictedNoise predicted;
  predicted.signal = 99;
  predicted.noise = 1;
  EXPECT_EQ(NoiseShare(1, predicted), 0.1);
  EXPECT_EQ(NoiseShare(0, predicted), 0);
  EXPECT_EQ(NoiseShare(0, PredictedNoise{}), 0);
  predicted.signal = 0;
  EXPECT_EQ(NoiseShare(1, predicted), 1);
  predicted.noise = std::numeric_limits<double>::infinity();
  EXPECT_EQ(NoiseShare(predicted.noise, predicted), 1);
}

}  // namespace
}  // namespace synap_internal
