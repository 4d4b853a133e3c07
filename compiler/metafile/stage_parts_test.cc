#include "compiler/metafile/stage_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace synap_internal {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kText[] = R"(
inputs:
- name: "369"
  shape: [1, 3, 640, 640]
  means: [0.1, 128, 1e-3]
  scale: 255
  format: bgr keep_proportions=0 mine=7
  preprocess: {type: nv12, size: [1920, 1080], crop: true}
- name: "other\n\"name\""
  shape: [1, 10]
outputs:
- {name: yes, dequantize: true, format: 'yolov5 anchors=[[],[1,2]]'}
quantization:
  data_type: {'*': int8, 'Conv_1': int16}
  scheme: dynamic_fixed_point
  algorithm: kl_divergence
  options: {divergence_nbins: 512}
  dataset: [q/*.jpg, q/*.npy]
custom: {anything: [1, {b: 2}]}
)";

Metafile Parse(absl::string_view text) {
  auto metafile = ParseMetafile(text);
  EXPECT_TRUE(metafile.ok()) << metafile.status();
  return metafile.ok() ? *metafile : Metafile();
}

std::string Replaced(std::string from, std::string to) {
  std::string text = kText;
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(StagePartsTest, CanonicalTextReadsBackAsTheSameMetafile) {
  const Metafile first = Parse(kText);
  const Metafile second = Parse(CanonicalText(first));
  EXPECT_EQ(CanonicalText(second), CanonicalText(first));
  EXPECT_EQ(second.inputs[0].means, first.inputs[0].means);
  EXPECT_EQ(second.inputs[0].preprocess->type(), "nv12");
  EXPECT_EQ(second.inputs[0].preprocess->width, 1920);
  EXPECT_TRUE(second.inputs[0].preprocess->crop);
  EXPECT_EQ(second.inputs[1].name, "other\n\"name\"");
  EXPECT_EQ(second.outputs[0].name, "yes");
  EXPECT_EQ(second.quantization->data_type.rules[1].type, DataType::kInt16);
  EXPECT_EQ(*second.quantization->options.divergence_nbins, 512);
}

TEST(StagePartsTest, EveryPartIsAMetafile) {
  const Metafile metafile = Parse(kText);
  EXPECT_EQ(Parse(ImportPart(metafile).text).inputs[1].shape, std::vector<int64_t>({1, 10}));
  EXPECT_EQ(Parse(CalibratePart(metafile).text).quantization->dataset[1].pattern, "q/*.npy");
  EXPECT_EQ(Parse(QuantizePart(metafile).text).quantization->BaseType(), DataType::kInt8);
  EXPECT_EQ(Parse(CompilePart(metafile).text).OutputFormat(0), "yolov5 anchors=[[],[1,2]]");
}

TEST(StagePartsTest, APartHoldsTheFieldsOfItsTextAndNoOthers) {
  std::vector<Metafile> metafiles = {
      Parse(""), Parse(kText), Parse("inputs: [{scale: 2}, {name: sr, shape: [1], value: 16000}]")};
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"{'*': int8, 'Conv_1': int16}", "auto\n  budget: {sqnr_db: 30}"},
           {"scheme: dynamic", "mode: full\n  scheme: dynamic"},
           {"{divergence_nbins: 512}", "{equalize: true, rounding: adaptive}"},
           {"quantization:", "optimize: false\ndelegate: {'*': npu, b: cpu}\nquantization:"},
           {"quantization:", "optimize: [float_ends]\nquantization:\n  effort: fast"},
           {"quantization:", "quantization:\n  last_sample: b.jpg"},
           {"custom:", "dequantize_outputs: true\ninput_format: bgr\ncustom:"},
           {"format: bgr", "security: secure\n  format: rgb"},
       }) {
    metafiles.push_back(Parse(Replaced(from, to)));
  }
  for (const Metafile& metafile : metafiles) {
    for (const auto part : {ImportPart, CalibratePart, QuantizePart, CompilePart, WholePart}) {
      const StagePart made = part(metafile);
      EXPECT_EQ(CanonicalText(made.metafile), CanonicalText(Parse(made.text))) << made.text;
      EXPECT_EQ(part(made.metafile).text, made.text);
      EXPECT_EQ(part(Parse(made.text)).text, made.text);
    }
  }
}

TEST(StagePartsTest, APartKeepsThePlacesOfItsFields) {
  const Metafile metafile = ParseMetafile(kText, {.path = "faces.yaml"}).value();
  const Metafile import = ImportPart(metafile).metafile;
  EXPECT_EQ(import.Where(import.inputs[1].location), metafile.Where(metafile.inputs[1].location));
  EXPECT_EQ(import.Where(import.outputs[0].name_location), "faces.yaml:12:4");
  const Metafile calibrate = CalibratePart(metafile).metafile;
  EXPECT_EQ(calibrate.Where(calibrate.quantization->dataset[1].location),
            metafile.Where(metafile.quantization->dataset[1].location));
  const Metafile quantize = QuantizePart(metafile).metafile;
  EXPECT_EQ(quantize.Where(quantize.quantization->data_type.rules[1].location),
            metafile.Where(metafile.quantization->data_type.rules[1].location));
  EXPECT_FALSE(quantize.quantized());
}

TEST(StagePartsTest, AnOutputFormatChangesOnlyTheCompilePart) {
  const Metafile before = Parse(kText);
  const Metafile after = Parse(Replaced("yolov5 anchors", "yolov5 landmarks=5 anchors"));
  EXPECT_EQ(ImportPart(after).text, ImportPart(before).text);
  EXPECT_EQ(CalibratePart(after).text, CalibratePart(before).text);
  EXPECT_EQ(QuantizePart(after).text, QuantizePart(before).text);
  EXPECT_NE(CompilePart(after).text, CompilePart(before).text);
}

TEST(StagePartsTest, CalibrationDependsOnWhetherTheAlgorithmReadsHistograms) {
  const auto part = [](absl::string_view algorithm) {
    return CalibratePart(
               Parse(absl::StrCat("quantization: {algorithm: ", algorithm, ", dataset: random}\n")))
        .text;
  };
  EXPECT_EQ(part("moving_average"), part("standard"));
  EXPECT_EQ(part("kl_divergence"), part("auto"));
  EXPECT_EQ(part("mse"), part("auto"));
  EXPECT_NE(part("auto"), part("standard"));
  EXPECT_TRUE(Parse(part("mse")).quantization->reads_histograms());
  EXPECT_FALSE(Parse(part("standard")).quantization->reads_histograms());
}

// Calibration reads pictures as without it.
TEST(StagePartsTest, PreprocessingChangesOnlyTheCompilePart) {
  const Metafile before = Parse(kText);
  const Metafile after = Parse(Replaced("[1920, 1080]", "[1280, 720]"));
  EXPECT_EQ(ImportPart(after).text, ImportPart(before).text);
  EXPECT_EQ(CalibratePart(after).text, CalibratePart(before).text);
  EXPECT_EQ(QuantizePart(after).text, QuantizePart(before).text);
  EXPECT_NE(CompilePart(after).text, CompilePart(before).text);
}

TEST(StagePartsTest, QuantizersDependOnWhatIsOptimizedAndOnRealOutputs) {
  const Metafile before = Parse(kText);
  const Metafile integers = Parse(Replaced("dequantize: true", "dequantize: false"));
  Metafile plain = before;
  plain.optimize.clear();
  EXPECT_NE(QuantizePart(integers).text, QuantizePart(before).text);
  EXPECT_NE(QuantizePart(plain).text, QuantizePart(before).text);
  EXPECT_TRUE(Parse(QuantizePart(plain).text).optimize.empty());
  EXPECT_EQ(CalibratePart(integers).text, CalibratePart(before).text);
  EXPECT_EQ(CalibratePart(plain).text, CalibratePart(before).text);
}

TEST(StagePartsTest, MeasuresAreWrittenInTheOrderOfTheTable) {
  const auto text = [](absl::string_view optimize) {
    return CanonicalText(Parse(absl::StrCat("optimize: ", optimize)));
  };
  EXPECT_EQ(text("[wide_concats, channel_scales]"), "optimize: [channel_scales, wide_concats]\n");
  EXPECT_EQ(text("[]"), "optimize: false\n");
  EXPECT_EQ(text("false"), "optimize: false\n");
  EXPECT_EQ(text("true"), "{}\n");
  std::vector<std::string> all;
  for (const auto& row : Words<MeasureKind>::kRows) all.emplace_back(row.text);
  EXPECT_EQ(text(absl::StrCat("[", absl::StrJoin(all, ", "), "]")), "{}\n");
}

TEST(StagePartsTest, MeasuresAreQuantizedAndCompiledWithTheOutputsThatTheyLookAt) {
  const Metafile before = Parse(absl::StrCat("optimize: [channel_scales]\n", kText));
  const Metafile after = Parse(absl::StrCat("optimize: [wide_outputs]\n", kText));
  EXPECT_NE(QuantizePart(after).text, QuantizePart(before).text);
  EXPECT_THAT(QuantizePart(after).text, HasSubstr("dequantize: true"));
  EXPECT_THAT(CompilePart(after).text, HasSubstr("optimize: [wide_outputs]"));
  EXPECT_EQ(CalibratePart(after).text, CalibratePart(before).text);
  EXPECT_EQ(ImportPart(after).text, ImportPart(before).text);
}

TEST(StagePartsTest, TheBestEffortIsTheFieldsThatItStandsFor) {
  const Metafile best = Parse("quantization: {effort: best, dataset: a/*.jpg}");
  const Metafile fields = Parse(
      "quantization: {algorithm: auto, options: {rounding: auto, bias_correction: full}, "
      "dataset: a/*.jpg}");
  for (const auto part : {ImportPart, CalibratePart, QuantizePart, CompilePart, WholePart}) {
    EXPECT_EQ(part(best).text, part(fields).text);
  }
}

TEST(StagePartsTest, OnlyTheFastEffortIsWrittenAndOnlyCalibrationReadsIt) {
  const Metafile plain = Parse("quantization: {dataset: a/*.jpg}");
  const Metafile standard = Parse("quantization: {effort: standard, dataset: a/*.jpg}");
  const Metafile fast = Parse("quantization: {effort: fast, dataset: a/*.jpg}");
  EXPECT_EQ(CanonicalText(standard), CanonicalText(plain));
  EXPECT_THAT(CanonicalText(fast), HasSubstr("  effort: fast\n"));
  EXPECT_THAT(CalibratePart(fast).text, HasSubstr("  effort: fast\n"));
  for (const auto part : {ImportPart, QuantizePart, CompilePart}) {
    EXPECT_EQ(part(fast).text, part(plain).text);
  }
}

TEST(StagePartsTest, DelegatesAreCompiledAndQuantizedIfTheyKeepLayersInFloat) {
  const Metafile before = Parse(kText);
  const Metafile npu = Parse(absl::StrCat("delegate: npu\n", kText));
  const Metafile mixed =
      Parse(absl::StrCat("delegate: {'*': npu, a: default, 'b...': cpu num_threads=2}\n", kText));
  EXPECT_NE(CompilePart(npu).text, CompilePart(before).text);
  EXPECT_EQ(QuantizePart(npu).text, QuantizePart(before).text);
  EXPECT_NE(QuantizePart(mixed).text, QuantizePart(before).text);
  EXPECT_EQ(CalibratePart(mixed).text, CalibratePart(before).text);
  EXPECT_EQ(ImportPart(mixed).text, ImportPart(before).text);
  for (const Metafile& metafile : {npu, mixed}) {
    EXPECT_EQ(CanonicalText(Parse(CanonicalText(metafile))), CanonicalText(metafile));
  }
  EXPECT_THAT(CompilePart(mixed).text, HasSubstr("\"b...\": \"cpu num_threads=2\""));
}

TEST(StagePartsTest, DelegatesAreQuantizedIfTimesDecide) {
  constexpr char kAuto[] =
      "quantization: {data_type: auto, budget: {latency: 2}, dataset: random}\n";
  const std::string part = QuantizePart(Parse(absl::StrCat("delegate: npu\n", kAuto))).text;
  EXPECT_EQ(part, absl::StrCat("delegate: \"npu\"\n", QuantizePart(Parse(kAuto)).text));
}

TEST(StagePartsTest, TheDatasetIsOnlyInTheCalibratePart) {
  const Metafile metafile = Parse(kText);
  EXPECT_THAT(CalibratePart(metafile).text, HasSubstr("q/*.jpg"));
  EXPECT_THAT(ImportPart(metafile).text, Not(HasSubstr("q/*.jpg")));
  EXPECT_THAT(QuantizePart(metafile).text, Not(HasSubstr("q/*.jpg")));
  EXPECT_THAT(CompilePart(metafile).text, Not(HasSubstr("q/*.jpg")));
}

TEST(StagePartsTest, CalibrationDependsOnHowImagesBecomeSamplesAndNotOnTypes) {
  const Metafile before = Parse(kText);
  EXPECT_EQ(CalibratePart(Parse(Replaced("mine=7", "mine=8"))).text, CalibratePart(before).text);
  EXPECT_EQ(CalibratePart(Parse(Replaced("int8", "int16"))).text, CalibratePart(before).text);
  EXPECT_NE(CalibratePart(Parse(Replaced("bgr", "rgb"))).text, CalibratePart(before).text);
  EXPECT_NE(CalibratePart(Parse(Replaced("keep_proportions=0", ""))).text,
            CalibratePart(before).text);
  EXPECT_NE(CalibratePart(Parse(Replaced("scale: 255", "scale: 256"))).text,
            CalibratePart(before).text);
}

TEST(StagePartsTest, TheFormatOfAllInputsReachesCalibration) {
  const Metafile metafile = Parse("input_format: BGR\ninputs: [null, {format: rgb}]");
  const Metafile part = Parse(CalibratePart(metafile).text);
  EXPECT_EQ(part.InputFormat(0), "bgr");
  EXPECT_EQ(part.InputFormat(1), "");
  EXPECT_EQ(part.InputFormat(2), "bgr");
}

TEST(StagePartsTest, ImportDependsOnNamesAndShapesAlone) {
  EXPECT_EQ(ImportPart(Parse(kText)).text,
            "inputs:\n"
            "  - name: \"369\"\n"
            "    shape: [1, 3, 640, 640]\n"
            "  - name: \"other\\x0a\\\"name\\\"\"\n"
            "    shape: [1, 10]\n"
            "outputs:\n"
            "  - name: \"yes\"\n");
  EXPECT_EQ(ImportPart(Parse("")).text, "{}\n");
}

TEST(StagePartsTest, ImportDependsOnTheValuesOfInputs) {
  const Metafile metafile = Parse("inputs: [{scale: 2}, {name: sr, shape: [1], value: 16000}]");
  for (const Metafile& part : {Parse(ImportPart(metafile).text), Parse(CanonicalText(metafile))}) {
    ASSERT_EQ(part.inputs.size(), 1u);
    ASSERT_EQ(part.fixed_inputs.size(), 1u);
    EXPECT_EQ(part.fixed_inputs[0].name, "sr");
    EXPECT_EQ(part.fixed_inputs[0].shape, std::vector<int64_t>{1});
    EXPECT_EQ(part.fixed_inputs[0].values, std::vector<double>{16000});
  }
}

TEST(StagePartsTest, EqualizingChangesTheImportedGraph) {
  const Metafile before = Parse(kText);
  const Metafile after =
      Parse(Replaced("{divergence_nbins: 512}", "{divergence_nbins: 512, equalize: true}"));
  EXPECT_NE(ImportPart(after).text, ImportPart(before).text);
  EXPECT_TRUE(Parse(ImportPart(after).text).quantization->options.equalize);
  EXPECT_EQ(CalibratePart(after).text, CalibratePart(before).text);
}

TEST(StagePartsTest, AdaptiveRoundingMakesQuantizationDependOnSamples) {
  const Metafile before = Parse(kText);
  const Metafile after =
      Parse(Replaced("{divergence_nbins: 512}", "{divergence_nbins: 512, rounding: adaptive}"));
  EXPECT_EQ(CalibratePart(after).text, CalibratePart(before).text);
  EXPECT_EQ(ImportPart(after).text, ImportPart(before).text);
  EXPECT_EQ(Parse(QuantizePart(after).text).quantization->options.rounding, Rounding::kAdaptive);
  EXPECT_THAT(QuantizePart(after).text, HasSubstr("scale: 255"));
  EXPECT_THAT(QuantizePart(before).text, Not(HasSubstr("scale: 255")));
}

TEST(StagePartsTest, TakingBackQuantizationIsPartOfTheCalibration) {
  const Metafile before = Parse(kText);
  const Metafile after = Parse(Replaced("scheme: dynamic", "mode: full\n  scheme: dynamic"));
  EXPECT_EQ(ImportPart(after).text, ImportPart(before).text);
  EXPECT_NE(CalibratePart(after).text, CalibratePart(before).text);
  EXPECT_EQ(Parse(CalibratePart(after).text).quantization->mode, QuantizationMode::kFull);
  EXPECT_EQ(Parse(QuantizePart(after).text).quantization->mode, QuantizationMode::kFull);
}

TEST(StagePartsTest, WhatRunsSamplesKnowsHowTheyAreMade) {
  const Metafile metafile =
      Parse(Replaced("{'*': int8, 'Conv_1': int16}", "auto\n  budget: {latency: 1.25}"));
  const Metafile part = Parse(QuantizePart(metafile).text);
  EXPECT_EQ(part.inputs[0].means, metafile.inputs[0].means);
  EXPECT_EQ(*part.quantization->budget->latency, 1.25);
  EXPECT_TRUE(part.DequantizeOutput(0));
  EXPECT_EQ(CanonicalText(Parse(CanonicalText(metafile))), CanonicalText(metafile));
}

}  // namespace
}  // namespace synap_internal
