#include "compiler/report/analysis_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/tensor_type.h"
#include "compiler/metafile/metafile.h"
#include "compiler/quantize/analysis/analyze.h"
#include "nlohmann/json.hpp"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// A signal of 1 with an error that makes so many dB.
Fidelity FidelityOf(int decibels) {
  Fidelity fidelity;
  fidelity.Add({1, 0}, {1, static_cast<float>(std::pow(10, -decibels / 20.0))});
  return fidelity;
}

LayerFigures Layer(const std::string& name, int own, DataType type = DataType::kUint8) {
  LayerFigures layer;
  layer.origins = {name, name + "_act"};
  layer.names = {name};
  layer.tensor = name + ":0";
  layer.op = "conv2d";
  layer.type = type;
  layer.own = FidelityOf(own);
  layer.accumulated = FidelityOf(own - 5);
  layer.saturated = 0.0125;
  layer.used = 0.5;
  return layer;
}

Analysis SomeAnalysis() {
  Analysis analysis;
  analysis.samples = 2;
  analysis.layers = {Layer("a", 40), Layer("b", 20), Layer("c", 39), Layer("d", 41),
                     Layer("e", 10, DataType::kInt16)};
  analysis.outputs = {{"out", DataType::kFloat32, FidelityOf(30)}};
  analysis.conversions["dequantize"] = {2, 300};
  analysis.findings = {{"saturation", "b", "'b' saturates"}};
  return analysis;
}

TEST(ReportTest, CandidatesStandOut) {
  Analysis analysis = SomeAnalysis();
  const auto candidates = CandidatesFor16Bits(analysis);
  ASSERT_EQ(candidates.size(), 1u);
  EXPECT_EQ(candidates[0]->names[0], "b");
  analysis.layers[1].moves_values = true;
  EXPECT_THAT(CandidatesFor16Bits(analysis), IsEmpty());
}

TEST(ReportTest, DataTypesKeepTheMetafilesRules) {
  const Analysis analysis = SomeAnalysis();
  QuantizationSpec spec;
  EXPECT_EQ(DataTypeMap(spec, CandidatesFor16Bits(analysis)), "{'*': uint8, 'b': int16}");
  spec.data_type.per_layer = true;
  spec.data_type.rules = {
      {"*", DataType::kInt8, {}}, {"b", DataType::kInt8, {}}, {"it's...", DataType::kInt16, {}}};
  EXPECT_EQ(DataTypeMap(spec, CandidatesFor16Bits(analysis)),
            "{'*': int8, 'it''s...': int16, 'b': int16}");
}

TEST(ReportTest, ANodeOfSeveralLayersIsRecommendedOnce) {
  LayerFigures gates, product;
  gates.names = product.names = {"lstm_4"};
  EXPECT_EQ(DataTypeMap({}, {&gates, &product}), "{'*': uint8, 'lstm_4': int16}");
}

TEST(ReportTest, Text) {
  EXPECT_EQ(TextReport(SomeAnalysis(), {}, 2), R"(Samples: 2

2 of 5 layers, those that lose most by themselves first (SQNR in dB, shares in %):

    own  accum.    cosine saturated    used  type      op                layer
   10.0     5.0  0.871635      1.25   50.00  int16     conv2d            e, e_act
   20.0    15.0  0.984554      1.25   50.00  uint8     conv2d            b, b_act

Outputs:

   SQNR    cosine  type      output
   30.0  0.999500  float32   out

Conversions that quantization inserted:

      2 dequantize          300 elements

Warnings:

  'b' saturates

The first layers to try with 16 bits, in the metafile's quantization:

  data_type: {'*': uint8, 'b': int16}
)");
}

TEST(ReportTest, ThreeWarningsOfAKind) {
  Analysis analysis = SomeAnalysis();
  for (const char* name : {"c", "d", "e", "f"}) {
    analysis.findings.push_back({"saturation", name, absl::StrCat("'", name, "' saturates")});
  }
  analysis.findings.push_back({"constant", "g", "'g' is 0"});
  EXPECT_THAT(TextReport(analysis, {}, 0), HasSubstr(R"(
Warnings:

  'b' saturates
  'c' saturates
  'd' saturates
  'g' is 0
  ... and 2 more layers with 'saturation'; --json has them all

)"));
}

TEST(ReportTest, LinesFitATerminal) {
  Analysis analysis = SomeAnalysis();
  const std::string prefix = "backbone/stage_3/inverted_residual_block_12/";
  for (LayerFigures& layer : analysis.layers) {
    for (std::string& name : layer.origins) name = absl::StrCat(prefix, prefix, name);
    for (std::string& name : layer.names) name = absl::StrCat(prefix, name);
    layer.mean_noise = layer.weight_noise = 0.9;
  }
  analysis.layers[0].origins = {"a", "b", prefix + "c", "d"};
  analysis.outputs[0].name = prefix + prefix + prefix;
  analysis.layers.push_back(Layer("also_bad", 19));
  analysis.findings[0].message = absl::StrCat(prefix, " ", prefix, " ", prefix, " saturates");
  const std::string text = TextReport(analysis, {}, 0);
  for (const absl::string_view line : absl::StrSplit(text, '\n'))
    EXPECT_LE(line.size(), 120) << line;
  EXPECT_THAT(text, HasSubstr("..."));
  EXPECT_THAT(text, HasSubstr(" +1 more\n"));
  // Text to copy into a metafile isn't shortened.
  EXPECT_THAT(text, HasSubstr(absl::StrCat("'", prefix, "b': int16")));
}

TEST(ReportTest, NamesMayBeAnyBytes) {
  Analysis analysis = SomeAnalysis();
  analysis.layers[0].origins = {"caf\xe9"};
  const auto json = nlohmann::json::parse(JsonReport(analysis, {}));
  EXPECT_EQ(json["layers"][0]["origins"][0], "caf\xef\xbf\xbd");
}

TEST(ReportTest, NothingStandsOut) {
  Analysis analysis = SomeAnalysis();
  analysis.layers.erase(analysis.layers.begin() + 1);
  EXPECT_THAT(TextReport(analysis, {}, 0), HasSubstr("\nNo 8-bit layer stands out.\n"));
}

TEST(ReportTest, Json) {
  const auto json = nlohmann::json::parse(JsonReport(SomeAnalysis(), {}));
  EXPECT_EQ(json["samples"], 2);
  ASSERT_EQ(json["layers"].size(), 5u);
  const auto& layer = json["layers"][1];
  EXPECT_THAT(layer["origins"], ElementsAre("b", "b_act"));
  EXPECT_THAT(layer["names"], ElementsAre("b"));
  EXPECT_EQ(layer["tensor"], "b:0");
  EXPECT_EQ(layer["op"], "conv2d");
  EXPECT_EQ(layer["type"], "uint8");
  EXPECT_NEAR(layer["own"]["sqnr_db"], 20, 1e-5);
  EXPECT_NEAR(layer["accumulated"]["sqnr_db"], 15, 1e-5);
  EXPECT_EQ(layer["saturated"], 0.0125);
  EXPECT_EQ(layer["used"], 0.5);
  EXPECT_EQ(json["outputs"][0]["name"], "out");
  EXPECT_NEAR(json["outputs"][0]["sqnr_db"], 30, 1e-5);
  EXPECT_EQ(json["conversions"]["dequantize"]["count"], 2);
  EXPECT_EQ(json["warnings"][0]["kind"], "saturation");
  EXPECT_EQ(json["recommended_data_type"], "{'*': uint8, 'b': int16}");
}

TEST(ReportTest, CorrectingBiasesIsRecommendedWhereMeansAreTheNoise) {
  Analysis analysis = SomeAnalysis();
  const QuantizationSpec spec;
  for (size_t i = 0; i < 4; ++i) analysis.layers[i].mean_noise = 0.2;
  EXPECT_THAT(TextReport(analysis, spec, 0), Not(HasSubstr("bias_correction")));
  analysis.layers[1].mean_noise = 0.6;
  EXPECT_THAT(TextReport(analysis, spec, 0), HasSubstr("Of 1 of 4 convolutions"));
  const auto json = nlohmann::json::parse(JsonReport(analysis, spec));
  EXPECT_EQ(json["recommended_bias_correction"], "fast");
  EXPECT_EQ(json["layers"][1]["mean_noise"], 0.6);
  EXPECT_FALSE(json["layers"][4].contains("mean_noise"));
}

TEST(ReportTest, AdaptiveRoundingIsRecommendedWhereWeightsMakeTheNoise) {
  Analysis analysis = SomeAnalysis();
  const QuantizationSpec spec;
  for (size_t i = 0; i < 4; ++i) analysis.layers[i].weight_noise = 0.4;
  EXPECT_THAT(TextReport(analysis, spec, 0), Not(HasSubstr("rounding")));
  EXPECT_TRUE(nlohmann::json::parse(JsonReport(analysis, spec))["recommended_rounding"].is_null());
  analysis.layers[1].weight_noise = 0.6;
  EXPECT_THAT(TextReport(analysis, spec, 0), HasSubstr("options: {rounding: adaptive}"));
  EXPECT_THAT(TextReport(analysis, spec, 0), HasSubstr("Of 1 of 4 layers with 8-bit weights"));
  const auto json = nlohmann::json::parse(JsonReport(analysis, spec));
  EXPECT_EQ(json["recommended_rounding"], "adaptive");
  EXPECT_EQ(json["layers"][1]["weight_noise"], 0.6);
  EXPECT_FALSE(json["layers"][4].contains("weight_noise"));
}

}  // namespace
}  // namespace synap_internal
