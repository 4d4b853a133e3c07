#include "compiler/quantize/analysis/analyze.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compiler/graph/graph.h"
#include "compiler/testing/run_pass.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;

constexpr char kReal[] = R"(
  input %x: float32[4]
  %y: float32[4] = add(%x, %x) from "y", "y2"
  %z: float32[4] = add(%y, %y) from "z"
  output %z)";

constexpr char kQuantized[] = R"(
  input %x: uint8[4]<affine 1.0 0>
  %y: uint8[4]<affine 4.0 0> = add(%x, %x) from "y", "y2"
  %z: uint8[4]<affine 8.0 0> = add(%y, %y) from "z"
  output %z)";

// Adds samples that are called a0, a1, ... and have one input.
template <typename T>
absl::Status AddSamples(Analyzer& analyzer, const std::vector<std::vector<T>>& samples) {
  int last = 0;
  return analyzer.AddSamples(
      samples.size(),
      [&](size_t i) {
        return NamedSample{absl::StrCat("a", i), {Constant::Of<T>(samples[i])}};
      },
      [&](int so_far) { EXPECT_EQ(so_far, ++last); });
}

Analysis Analyzed(absl::string_view real, absl::string_view quantized,
                  const std::vector<std::vector<float>>& samples, int threads = 1) {
  auto analyzer = Analyzer::Create(GraphOfBody(real), GraphOfBody(quantized), threads);
  EXPECT_TRUE(analyzer.ok()) << analyzer.status();
  if (!analyzer.ok()) return {};
  const absl::Status added = AddSamples(**analyzer, samples);
  EXPECT_TRUE(added.ok()) << added;
  return (*analyzer)->Result();
}

double Decibels(double signal, double error) { return 10 * std::log10(signal / error); }

TEST(AnalyzerTest, OwnAndAccumulatedErrors) {
  // %x becomes 1, 3, 10, 255, %y 0, 8, 20, 512 and %z 0, 16, 40, 1024.
  const Analysis analysis = Analyzed(kReal, kQuantized, {{1.4f, 3, 10, 600}});
  ASSERT_EQ(analysis.layers.size(), 2u);
  const LayerFigures& y = analysis.layers[0];
  EXPECT_THAT(y.origins, ElementsAre("y", "y2"));
  EXPECT_THAT(y.names, ElementsAre("y"));
  EXPECT_EQ(y.tensor, "y");
  EXPECT_EQ(y.op, "add");
  EXPECT_EQ(y.type, DataType::kUint8);
  const double y_signal = 2.8 * 2.8 + 36 + 400 + 1440000;
  EXPECT_NEAR(y.own.SqnrDb(), Decibels(y_signal, 2.8 * 2.8 + 4 + 688 * 688), 1e-5);
  EXPECT_EQ(y.accumulated.SqnrDb(), y.own.SqnrDb());
  EXPECT_EQ(y.saturated, 0.25);  // 1200; the range ends at 1020
  EXPECT_EQ(y.used, 255.0 / 256);

  // By itself it reads 4, 8, 20, 1020, and gives 8, 16, 40, 2040.
  const LayerFigures& z = analysis.layers[1];
  const double z_signal = 4 * y_signal;
  EXPECT_NEAR(z.own.SqnrDb(), Decibels(z_signal, 2.4 * 2.4 + 16 + 360 * 360), 1e-5);
  EXPECT_NEAR(z.accumulated.SqnrDb(), Decibels(z_signal, 5.6 * 5.6 + 16 + 1376 * 1376), 1e-5);
  ASSERT_EQ(analysis.outputs.size(), 1u);
  EXPECT_EQ(analysis.outputs[0].name, "z");
  EXPECT_EQ(analysis.outputs[0].fidelity.SqnrDb(), z.accumulated.SqnrDb());
  EXPECT_TRUE(analysis.conversions.empty());
}

TEST(AnalyzerTest, SumsOverSamples) {
  const Analysis analysis = Analyzed(kReal, kQuantized, {{1.4f, 3, 10, 600}, {0, 0, 0, 2}});
  EXPECT_EQ(analysis.samples, 2);
  EXPECT_EQ(analysis.layers[0].saturated, 0.125);
  // 4 is exact in %y.
  EXPECT_NEAR(analysis.layers[0].own.SqnrDb(),
              Decibels(2.8 * 2.8 + 36 + 400 + 1440000 + 16, 2.8 * 2.8 + 4 + 688 * 688), 1e-5);
}

TEST(AnalyzerTest, ThePartOfTheNoiseThatWeightsMake) {
  // The second channel's weight is 0.5 and becomes 0; steps of %x and of the result lose nothing.
  // Where the clamp hides it, that doesn't count.
  const Analysis analysis = Analyzed(R"(
  input %x: float32[2x1]
  const %w: float32[2x1] = [1.0, 0.5]
  %y: float32[2x2] = fully_connected(%x, %w) {min=0.0} from "y"
  output %y)",
                                     R"(
  input %x: uint8[2x1]<affine 1.0 100>
  const %w: uint8[2x1]<affine 1.0 0> = [1, 0]
  %y: uint8[2x2]<affine 1.0 0> = fully_connected(%x, %w) {min=0.0} from "y"
  output %y)",
                                     {{-20, 10}});
  ASSERT_EQ(analysis.layers.size(), 1u);
  ASSERT_TRUE(analysis.layers[0].weight_noise.has_value());
  EXPECT_NEAR(*analysis.layers[0].weight_noise, 1, 1e-6);
  EXPECT_FALSE(Analyzed(kReal, kQuantized, {{1, 2, 3, 4}}).layers[0].weight_noise.has_value());
}

double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

TEST(AnalyzerTest, WeightsNoiseIsWhatAFunctionInTheLayerMakesOfIt) {
  // Sums of 2 and 20 become 1.875 and 18.75, which the sigmoid makes less of, nothing of the second
  // one.
  std::vector<int> table;
  for (int i = 0; i < 256; ++i) {
    table.push_back(static_cast<int>(std::nearbyint(Sigmoid((i - 128) * 0.125) / 0.05)));
  }
  const Analysis analysis = Analyzed(R"(
  input %x: float32[2x1]
  const %w: float32[1x1] = [0.25]
  %s: float32[2x1] = fully_connected(%x, %w) from "s"
  %y: float32[2x1] = sigmoid(%s) from "y"
  output %y)",
                                     absl::StrCat(R"(
  input %x: uint8[2x1]<affine 1.0 0>
  const %w: uint8[1x1]<affine 0.015625 0> = [15]
  const %t: uint8[256] = [)",
                                                  absl::StrJoin(table, ", "), R"(]
  %y: uint8[2x1]<affine 0.05 0> = fully_connected(%x, %w, _, %t) {table_scale=0.125, )",
                                                  R"(table_zero_point=128} from "s", "y"
  output %y)"),
                                     {{8, 80}});
  ASSERT_EQ(analysis.layers.size(), 1u);
  ASSERT_TRUE(analysis.layers[0].weight_noise.has_value());
  // The layer gives 0.85 and 1.
  const double weights = Sigmoid(1.875) - Sigmoid(2), own = 0.85 - Sigmoid(2);
  EXPECT_NEAR(*analysis.layers[0].weight_noise, weights * weights / (own * own), 1e-4);
}

TEST(AnalyzerTest, OutputsInRealNumbersAndConversions) {
  const Analysis analysis = Analyzed(kReal, R"(
    input %x: uint8[4]<affine 1.0 0>
    %y: uint8[4]<affine 4.0 0> = add(%x, %x) from "y", "y2"
    %y.float32: float32[4] = dequantize(%y) from "y"
    %z: float32[4] = add(%y.float32, %y.float32) from "z"
    output %z)",
                                     {{1.4f, 3, 10, 600}});
  ASSERT_EQ(analysis.layers.size(), 2u);
  // It reads 4, 8, 20, 1020 and rounds no more.
  const LayerFigures& z = analysis.layers[1];
  EXPECT_EQ(z.type, DataType::kFloat32);
  EXPECT_FALSE(z.saturated.has_value());
  const double signal = 4 * (2.8 * 2.8 + 36 + 400 + 1440000);
  EXPECT_NEAR(z.own.SqnrDb(), Decibels(signal, 2.4 * 2.4 + 16 + 360 * 360), 1e-5);
  ASSERT_EQ(analysis.conversions.size(), 1u);
  EXPECT_EQ(analysis.conversions.at("dequantize").count, 1);
  EXPECT_EQ(analysis.conversions.at("dequantize").elements, 4);
  EXPECT_EQ(analysis.outputs[0].type, DataType::kFloat32);
}

TEST(AnalyzerTest, WhatAFunctionFlattensIsNotLostBefore) {
  // %y ends at 7.96875; the sigmoid is nearly 1 there.
  const Analysis analysis = Analyzed(R"(
    input %x: float32[4]
    %y: float32[4] = add(%x, %x) from "y"
    %z: float32[4] = sigmoid(%y) from "z"
    output %z)",
                                     R"(
    input %x: uint8[4]<affine 1.0 0>
    %y: uint8[4]<affine 0.03125 0> = add(%x, %x) from "y"
    %z: uint8[4]<affine 0.004 0> = sigmoid(%y) from "z"
    output %z)",
                                     {{0, 1, 2, 200}});
  EXPECT_EQ(analysis.layers[0].own.SqnrDb(), 200);
  EXPECT_EQ(analysis.layers[0].saturated, 0.25);
  EXPECT_GT(analysis.layers[1].own.SqnrDb(), 50);
}

TEST(AnalyzerTest, AllDataTypes) {
  const std::vector<float> sample = {-1.25f, 0.5f, 3, 10};
  for (const auto& [type, smallest] : std::vector<std::pair<std::string, double>>{
           {"int8[4]<affine 0.5 0>", 20}, {"int16[4]<fixed 8>", 100}, {"float16[4]", 100}}) {
    const std::string quantized = "input %x: " + type + "\n%y: " + type +
                                  " = add(%x, %x) from \"y\", \"y2\"\n%z: " + type +
                                  " = add(%y, %y) from \"z\"\noutput %z";
    const Analysis analysis = Analyzed(kReal, quantized, {sample});
    ASSERT_EQ(analysis.layers.size(), 2u) << type;
    EXPECT_GT(analysis.layers[1].own.SqnrDb(), smallest) << type;
    EXPECT_GT(analysis.layers[1].accumulated.SqnrDb(), smallest) << type;
  }
}

TEST(AnalyzerTest, ThreadsChangeNothing) {
  const std::string real = R"(
    input %x: float32[200000]
    %y: float32[200000] = sigmoid(%x) from "y"
    output %y)";
  const std::string quantized = R"(
    input %x: uint8[200000]<affine 0.05 128>
    %y: uint8[200000]<affine 0.00390625 0> = sigmoid(%x) from "y"
    output %y)";
  std::vector<float> sample;
  for (int i = 0; i < 200000; ++i) sample.push_back(static_cast<float>(i * 7919 % 1999) / 200 - 5);
  const Analysis one = Analyzed(real, quantized, {sample}, 1);
  const Analysis three = Analyzed(real, quantized, {sample}, 3);
  EXPECT_EQ(one.layers[0].own.SqnrDb(), three.layers[0].own.SqnrDb());
  EXPECT_EQ(one.layers[0].accumulated.Cosine(), three.layers[0].accumulated.Cosine());
}

TEST(AnalyzerTest, RefusesWhatIsNotQuantized) {
  EXPECT_EQ(Analyzer::Create(GraphOfBody(kReal), GraphOfBody(kReal), 1).status().message(),
            "the float and the quantized graph have no quantized layer in common, expected one at "
            "least; give the float graph and the graph quantized from it");
}

// Rows are looked up by integers, and only the row that the sample names counts.
TEST(AnalyzerTest, IntegersAreRunAsTheyAre) {
  auto analyzer = Analyzer::Create(GraphOfBody(R"(
        input %tokens: int32[1]
        const %table: float32[2x2] = [100.0, 100.0, 1.0, 3.0]
        %row: float32[1x2] = gather(%table, %tokens) {axis=0} from "row"
        %y: float32[1x2] = add(%row, %row) from "y"
        output %y)"),
                                   GraphOfBody(R"(
        input %tokens: int32[1]
        const %table: float32[2x2] = [100.0, 100.0, 1.0, 3.0]
        %row: float32[1x2] = gather(%table, %tokens) {axis=0} from "row"
        %quantized: uint8[1x2]<affine 1.0 0> = quantize(%row) from "row"
        %y: uint8[1x2]<affine 4.0 0> = add(%quantized, %quantized) from "y"
        output %y)"),
                                   1);
  ASSERT_TRUE(analyzer.ok()) << analyzer.status();
  const absl::Status added = AddSamples<int32_t>(**analyzer, {{1}});
  ASSERT_TRUE(added.ok()) << added;
  const Analysis analysis = (*analyzer)->Result();
  ASSERT_EQ(analysis.outputs.size(), 1u);
  // 2 and 6 become 0 and 8 (halves to even).
  EXPECT_NEAR(analysis.outputs[0].fidelity.SqnrDb(), Decibels(4 + 36, 4 + 4), 1e-5);
}

// Layers with all figures: channels, weights of 8 bits, a function, and a range that saturates.
constexpr char kRealLayers[] = R"(
  input %x: float32[1x9x7x2]
  const %w: float32[3x1x1x2] = [1.0, 0.83, -0.72, 1.0, 0.61, -0.52]
  const %v: float32[2x1x1x3] = [0.31, 1.0, -0.83, 0.44, 0.72, -0.55]
  %a: float32[1x9x7x3] = conv2d(%x, %w) {min=0.0} from "a"
  %b: float32[1x9x7x2] = conv2d(%a, %v) from "b"
  %c: float32[1x9x7x2] = sigmoid(%b) from "c"
  output %c)";

constexpr char kQuantizedLayers[] = R"(
  input %x: uint8[1x9x7x2]<affine 0.1 128>
  const %w: uint8[3x1x1x2]<affine 0.01 100> = [200, 183, 28, 200, 161, 48]
  const %v: uint8[2x1x1x3]<affine 0.01 100> = [131, 200, 17, 144, 172, 45]
  %a: uint8[1x9x7x3]<affine 0.05 0> = conv2d(%x, %w) {min=0.0} from "a"
  %b: uint8[1x9x7x2]<affine 0.05 128> = conv2d(%a, %v) from "b"
  %c: uint8[1x9x7x2]<affine 0.00390625 0> = sigmoid(%b) from "c"
  output %c)";

std::vector<std::vector<float>> SamplesOfLayers(size_t count) {
  std::vector<std::vector<float>> samples(count);
  uint32_t seed = 1;
  for (std::vector<float>& sample : samples) {
    for (int i = 0; i < 9 * 7 * 2; ++i) {
      seed = seed * 1664525 + 1013904223;
      sample.push_back(static_cast<float>(seed >> 8) / 1000000 - 8.3f);
    }
  }
  return samples;
}

TEST(AnalyzerTest, SamplesAtTheSameTimeGiveTheSameFigures) {
  constexpr size_t kSamples = 9;
  const auto samples = SamplesOfLayers(kSamples);
  const Analysis one = Analyzed(kRealLayers, kQuantizedLayers, samples, 1);
  ASSERT_EQ(one.layers.size(), 3u);
  EXPECT_GT(*one.layers[0].saturated, 0);
  EXPECT_GT(*one.layers[1].mean_noise, 0);
  EXPECT_GT(*one.layers[1].weight_noise, 0);
  for (const int threads : {2, 3, 5, static_cast<int>(kSamples), 20}) {
    const Analysis several = Analyzed(kRealLayers, kQuantizedLayers, samples, threads);
    EXPECT_EQ(several.samples, one.samples);
    ASSERT_EQ(several.layers.size(), one.layers.size());
    for (size_t i = 0; i < one.layers.size(); ++i) {
      const LayerFigures &a = several.layers[i], &b = one.layers[i];
      EXPECT_EQ(a.own.SqnrDb(), b.own.SqnrDb()) << threads;
      EXPECT_EQ(a.own.Cosine(), b.own.Cosine()) << threads;
      EXPECT_EQ(a.accumulated.SqnrDb(), b.accumulated.SqnrDb()) << threads;
      EXPECT_EQ(a.saturated, b.saturated) << threads;
      EXPECT_EQ(a.used, b.used) << threads;
      EXPECT_EQ(a.mean_noise, b.mean_noise) << threads;
      EXPECT_EQ(a.weight_noise, b.weight_noise) << threads;
    }
    EXPECT_EQ(several.outputs[0].fidelity.SqnrDb(), one.outputs[0].fidelity.SqnrDb());
    ASSERT_EQ(several.findings.size(), one.findings.size());
    for (size_t i = 0; i < one.findings.size(); ++i) {
      EXPECT_EQ(several.findings[i].message, one.findings[i].message);
    }
  }
}

TEST(AnalyzerTest, TheFirstSampleThatFailsIsNamed) {
  auto samples = SamplesOfLayers(9);
  samples[4][5] = INFINITY;
  samples[6][0] = NAN;
  for (const int threads : {1, 2, 3, 20}) {
    auto analyzer =
        Analyzer::Create(GraphOfBody(kRealLayers), GraphOfBody(kQuantizedLayers), threads);
    ASSERT_TRUE(analyzer.ok()) << analyzer.status();
    EXPECT_EQ(AddSamples(**analyzer, samples).message(),
              "sample a4: tensor 'x' has a value that is not finite, expected numbers; check the "
              "sample and the model's weights");
    EXPECT_EQ((*analyzer)
                  ->AddSamples(
                      9,
                      [&](size_t i) -> absl::StatusOr<NamedSample> {
                        if (i >= 2) return absl::NotFoundError(absl::StrCat("no file ", i));
                        return NamedSample{"a", {Constant::Of<float>(samples[i])}};
                      },
                      [](int) {})
                  .message(),
              "no file 2");
  }
}

}  // namespace
}  // namespace synap_internal
