// Attention with masks, calibrated and quantized: masks cost nothing, whatever value they have.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "base/warnings.h"
#include "compiler/convert/stages/analyze_stage.h"
#include "compiler/convert/stages/calibrate_stage.h"
#include "compiler/convert/stages/quantize_stage.h"
#include "compiler/graph/graph.h"
#include "compiler/metafile/metafile.h"
#include "compiler/testing/run_pass.h"

namespace synap_internal {
namespace {

using testing::HasSubstr;

constexpr int kTokens = 8;

std::string Matrix(absl::string_view masked, absl::string_view other) {
  std::vector<std::string> elements;
  for (int row = 0; row < kTokens; ++row) {
    for (int column = 0; column < kTokens; ++column) {
      elements.emplace_back(column > row ? masked : other);
    }
  }
  return absl::StrJoin(elements, ", ");
}

// Two heads of attention over 8 tokens; `mask`: statements that make %masked of %scores, both
// float32[1x2x8x8].
Graph Attention(absl::string_view mask) {
  return GraphOfBody(absl::StrCat(R"(
    input %q: float32[1x2x8x16]
    input %k: float32[1x2x16x8]
    input %v: float32[1x2x8x16]
    const %center: float32[1] = [-0.5]
    const %temperature: float32[1] = [6.0]
    %keys: float32[1x2x16x8] = add(%k, %center) from "keys"
    %product: float32[1x2x8x8] = matmul(%q, %keys) from "product"
    %scores: float32[1x2x8x8] = mul(%product, %temperature) from "scores"
)",
                                  mask, R"(
    %p: float32[1x2x8x8] = softmax(%masked) {axis=-1} from "p"
    %y: float32[1x2x8x16] = matmul(%p, %v) from "y"
    output %y)"));
}

std::string Added(absl::string_view value) {
  return absl::StrCat("const %mask: float32[8x8] = [", Matrix(value, "0.0"), "]\n",
                      "%masked: float32[1x2x8x8] = add(%scores, %mask) from \"masked\"\n");
}

std::string Chosen(absl::string_view value) {
  return absl::StrCat(
      "const %future: bool[8x8] = [", Matrix("1", "0"), "]\nconst %low: float32[] = [", value,
      "]\n", "%masked: float32[1x2x8x8] = where(%future, %low, %scores) from \"masked\"\n");
}

// Of a network that never had a mask.
constexpr char kUnmasked[] = R"(
    const %mask: float32[1] = [0.0]
    %masked: float32[1x2x8x8] = add(%scores, %mask) from "masked")";

absl::StatusOr<double> Sqnr(const Graph& graph, absl::string_view type,
                            absl::string_view algorithm = "standard") {
  const absl::StatusOr<Metafile> metafile = ParseMetafile(
      absl::StrCat("quantization: {dataset: [random, random, random], data_type: ", type,
                   ", algorithm: ", algorithm, "}"),
      {.path = "model.yaml"});
  if (!metafile.ok()) return metafile.status();
  Warnings warnings;
  const auto statistics = CalibrateStage(graph, *metafile, {}, warnings);
  if (!statistics.ok()) return statistics.status();
  const auto model = QuantizeStage(graph, {&*statistics, 1}, *metafile, {}, warnings);
  if (!model.ok()) return model.status();
  const auto analysis = AnalyzeStage(graph, model->graph, *metafile, {});
  if (!analysis.ok()) return analysis.status();
  return analysis->outputs.at(0).fidelity.SqnrDb();
}

// The loss that a mask may cause: its distance from the scores takes some of the steps.
void ExpectMaskCostsLittle(absl::string_view mask) {
  for (const char* type : {"uint8", "int8", "int16", "float16"}) {
    const auto unmasked = Sqnr(Attention(kUnmasked), type);
    const auto masked = Sqnr(Attention(mask), type);
    ASSERT_TRUE(unmasked.ok()) << unmasked.status();
    ASSERT_TRUE(masked.ok()) << type << ": " << masked.status();
    std::printf("%s: %.1f dB, without a mask %.1f dB\n", type, *masked, *unmasked);
    EXPECT_GT(*masked, *unmasked - 6) << type;
  }
}

TEST(MaskedAttentionTest, MinusInfinityIsAdded) { ExpectMaskCostsLittle(Added("-inf")); }
TEST(MaskedAttentionTest, TheLowestFloatIsAdded) { ExpectMaskCostsLittle(Added("-3.4028235e38")); }
TEST(MaskedAttentionTest, ABillionIsTakenAway) { ExpectMaskCostsLittle(Added("-1e9")); }
TEST(MaskedAttentionTest, TenThousandAreTakenAway) { ExpectMaskCostsLittle(Added("-10000.0")); }
TEST(MaskedAttentionTest, AHundredIsTakenAway) { ExpectMaskCostsLittle(Added("-100.0")); }
TEST(MaskedAttentionTest, ABooleanMaskChoosesMinusInfinity) {
  ExpectMaskCostsLittle(Chosen("-inf"));
}
TEST(MaskedAttentionTest, ABooleanMaskChoosesTheLowestFloat) {
  ExpectMaskCostsLittle(Chosen("-3.4028235e38"));
}

TEST(MaskedAttentionTest, TheMaskIsSubtracted) {
  ExpectMaskCostsLittle(
      absl::StrCat("const %mask: float32[8x8] = [", Matrix("1e9", "0.0"), "]\n",
                   "%masked: float32[1x2x8x8] = sub(%scores, %mask) from \"masked\"\n"));
}

// A mask that the network computes, as PyTorch's exporters write it.
TEST(MaskedAttentionTest, TheMaskIsComputed) {
  for (const char* value : {"-inf", "-3.4028235e38"}) {
    ExpectMaskCostsLittle(absl::StrCat(R"(
    const %threshold: float32[1] = [0.5]
    const %zero: float32[1] = [0.0]
    const %low: float32[1] = [)",
                                       value, R"(]
    %row: float32[1x2x1x8] = slice(%k) {sizes=[1, 2, 1, 8], starts=[0, 0, 0, 0]} from "row"
    %kept: bool[1x2x1x8] = less(%row, %threshold) from "kept"
    %mask: float32[1x2x1x8] = where(%kept, %zero, %low) from "mask"
    %masked: float32[1x2x8x8] = add(%scores, %mask) from "masked")"));
  }
}

TEST(MaskedAttentionTest, OneMinusTheMaskIsMultiplied) {
  ExpectMaskCostsLittle(R"(
    const %threshold: float32[1] = [0.5]
    const %one: float32[1] = [1.0]
    const %low: float32[1] = [-3.4028235e38]
    %row: float32[1x2x1x8] = slice(%k) {sizes=[1, 2, 1, 8], starts=[0, 0, 0, 0]} from "row"
    %less: bool[1x2x1x8] = less(%row, %threshold) from "kept"
    %kept: float32[1x2x1x8] = cast(%less) {to="float32"} from "kept"
    %hidden: float32[1x2x1x8] = sub(%one, %kept) from "hidden"
    %mask: float32[1x2x1x8] = mul(%hidden, %low) from "mask"
    %masked: float32[1x2x8x8] = add(%scores, %mask) from "masked")");
}

// Scores are scaled after the mask, reshaped, and a second mask is added.
TEST(MaskedAttentionTest, MoreThanOneMask) {
  std::vector<std::string> padding(kTokens, "0.0");
  padding.back() = "-inf";
  ExpectMaskCostsLittle(absl::StrCat("const %causal: float32[8x8] = [", Matrix("-10000.0", "0.0"),
                                     "]\n", "const %padding: float32[1x1x1x8] = [",
                                     absl::StrJoin(padding, ", "), "]\n", R"(
    const %half: float32[1] = [0.5]
    const %two: float32[1] = [2.0]
    %wide: float32[1x2x8x8] = mul(%scores, %two) from "wide"
    %once: float32[1x2x8x8] = add(%wide, %causal) from "once"
    %scaled: float32[1x2x8x8] = mul(%once, %half) from "scaled"
    %twice: float32[1x2x8x8] = add(%scaled, %padding) from "twice"
    %flat: float32[2x8x8] = reshape(%twice) {shape=[2, 8, 8]} from "flat"
    %masked: float32[1x2x8x8] = reshape(%flat) {shape=[1, 2, 8, 8]} from "masked")"));
}

TEST(MaskedAttentionTest, EveryAlgorithmUnderstandsMasks) {
  for (const char* algorithm : {"standard", "moving_average", "kl_divergence", "mse", "auto"}) {
    const auto infinite = Sqnr(Attention(Added("-inf")), "uint8", algorithm);
    const auto finite = Sqnr(Attention(Added("-1e9")), "uint8", algorithm);
    ASSERT_TRUE(infinite.ok()) << algorithm << ": " << infinite.status();
    EXPECT_GT(*infinite, 20) << algorithm;
    EXPECT_EQ(*infinite, *finite) << algorithm;
  }
}

// Infinities that no softmax reads are no masks.
TEST(MaskedAttentionTest, OtherInfinitiesAreRefused) {
  const Graph graph = GraphOfBody(R"(
    input %x: float32[1x8]
    const %low: float32[8] = [-inf, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    %masked: float32[1x8] = add(%x, %low) from "masked"
    %p: float32[1x8] = softmax(%masked) {axis=-1} from "p"
    output %p
    output %masked)");
  const absl::StatusOr<Metafile> metafile = ParseMetafile("quantization: {dataset: random}", {});
  ASSERT_TRUE(metafile.ok()) << metafile.status();
  Warnings warnings;
  EXPECT_THAT(std::string(CalibrateStage(graph, *metafile, {}, warnings).status().message()),
              HasSubstr("tensor 'masked' has a value that is not finite"));
}

}  // namespace
}  // namespace synap_internal
