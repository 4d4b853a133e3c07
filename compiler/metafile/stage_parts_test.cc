#include "compiler/metafile/stage_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"

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
  EXPECT_EQ(Parse(ImportPart(metafile)).inputs[1].shape, std::vector<int64_t>({1, 10}));
  EXPECT_EQ(Parse(CalibratePart(metafile)).quantization->dataset[1].pattern, "q/*.npy");
  EXPECT_EQ(Parse(QuantizePart(metafile)).quantization->BaseType(), DataType::kInt8);
  EXPECT_EQ(Parse(CompilePart(metafile)).OutputFormat(0), "yolov5 anchors=[[],[1,2]]");
}

TEST(StagePartsTest, AnOutputFormatChangesOnlyTheCompilePart) {
  const Metafile before = Parse(kText);
  const Metafile after = Parse(Replaced("yolov5 anchors", "yolov5 landmarks=5 anchors"));
  EXPECT_EQ(ImportPart(after), ImportPart(before));
  EXPECT_EQ(CalibratePart(after), CalibratePart(before));
  EXPECT_EQ(QuantizePart(after), QuantizePart(before));
  EXPECT_NE(CompilePart(after), CompilePart(before));
}

TEST(StagePartsTest, CalibrationDependsOnWhetherTheAlgorithmReadsHistograms) {
  const auto part = [](absl::string_view algorithm) {
    return CalibratePart(
        Parse(absl::StrCat("quantization: {algorithm: ", algorithm, ", dataset: random}\n")));
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
  EXPECT_EQ(ImportPart(after), ImportPart(before));
  EXPECT_EQ(CalibratePart(after), CalibratePart(before));
  EXPECT_EQ(QuantizePart(after), QuantizePart(before));
  EXPECT_NE(CompilePart(after), CompilePart(before));
}

TEST(StagePartsTest, QuantizersDependOnWhatIsOptimizedAndOnRealOutputs) {
  const Metafile before = Parse(kText);
  const Metafile integers = Parse(Replaced("dequantize: true", "dequantize: false"));
  Metafile plain = before;
  plain.optimize = false;
  EXPECT_NE(QuantizePart(integers), QuantizePart(before));
  EXPECT_NE(QuantizePart(plain), QuantizePart(before));
  EXPECT_FALSE(Parse(QuantizePart(plain)).optimize);
  EXPECT_EQ(CalibratePart(integers), CalibratePart(before));
  EXPECT_EQ(CalibratePart(plain), CalibratePart(before));
}

TEST(StagePartsTest, DelegatesAreCompiledAndQuantizedIfTheyKeepLayersInFloat) {
  const Metafile before = Parse(kText);
  const Metafile npu = Parse(absl::StrCat("delegate: npu\n", kText));
  const Metafile mixed =
      Parse(absl::StrCat("delegate: {'*': npu, a: default, 'b...': cpu num_threads=2}\n", kText));
  EXPECT_NE(CompilePart(npu), CompilePart(before));
  EXPECT_EQ(QuantizePart(npu), QuantizePart(before));
  EXPECT_NE(QuantizePart(mixed), QuantizePart(before));
  EXPECT_EQ(CalibratePart(mixed), CalibratePart(before));
  EXPECT_EQ(ImportPart(mixed), ImportPart(before));
  for (const Metafile& metafile : {npu, mixed}) {
    EXPECT_EQ(CanonicalText(Parse(CanonicalText(metafile))), CanonicalText(metafile));
  }
  EXPECT_THAT(CompilePart(mixed), HasSubstr("\"b...\": \"cpu num_threads=2\""));
}

TEST(StagePartsTest, DelegatesAreQuantizedIfTimesDecide) {
  constexpr char kAuto[] =
      "quantization: {data_type: auto, budget: {latency: 2}, dataset: random}\n";
  const std::string part = QuantizePart(Parse(absl::StrCat("delegate: npu\n", kAuto)));
  EXPECT_EQ(part, absl::StrCat("delegate: \"npu\"\n", QuantizePart(Parse(kAuto))));
}

TEST(StagePartsTest, TheDatasetIsOnlyInTheCalibratePart) {
  const Metafile metafile = Parse(kText);
  EXPECT_THAT(CalibratePart(metafile), HasSubstr("q/*.jpg"));
  EXPECT_THAT(ImportPart(metafile), Not(HasSubstr("q/*.jpg")));
  EXPECT_THAT(QuantizePart(metafile), Not(HasSubstr("q/*.jpg")));
  EXPECT_THAT(CompilePart(metafile), Not(HasSubstr("q/*.jpg")));
}

TEST(StagePartsTest, CalibrationDependsOnHowImagesBecomeSamplesAndNotOnTypes) {
  const Metafile before = Parse(kText);
  EXPECT_EQ(CalibratePart(Parse(Replaced("mine=7", "mine=8"))), CalibratePart(before));
  EXPECT_EQ(CalibratePart(Parse(Replaced("int8", "int16"))), CalibratePart(before));
  EXPECT_NE(CalibratePart(Parse(Replaced("bgr", "rgb"))), CalibratePart(before));
  EXPECT_NE(CalibratePart(Parse(Replaced("keep_proportions=0", ""))), CalibratePart(before));
  EXPECT_NE(CalibratePart(Parse(Replaced("scale: 255", "scale: 256"))), CalibratePart(before));
}

TEST(StagePartsTest, TheFormatOfAllInputsReachesCalibration) {
  const Metafile metafile = Parse("input_format: BGR\ninputs: [null, {format: rgb}]");
  const Metafile part = Parse(CalibratePart(metafile));
  EXPECT_EQ(part.InputFormat(0), "bgr");
  EXPECT_EQ(part.InputFormat(1), "");
  EXPECT_EQ(part.InputFormat(2), "bgr");
}

TEST(StagePartsTest, ImportDependsOnNamesAndShapesAlone) {
  EXPECT_EQ(ImportPart(Parse(kText)),
            "inputs:\n"
            "  - name: \"369\"\n"
            "    shape: [1, 3, 640, 640]\n"
            "  - name: \"other\\x0a\\\"name\\\"\"\n"
            "    shape: [1, 10]\n"
            "outputs:\n"
            "  - name: \"yes\"\n");
  EXPECT_EQ(ImportPart(Parse("")), "{}\n");
}

TEST(StagePartsTest, ImportDependsOnTheValuesOfInputs) {
  const Metafile metafile = Parse("inputs: [{scale: 2}, {name: sr, shape: [1], value: 16000}]");
  for (const Metafile& part : {Parse(ImportPart(metafile)), Parse(CanonicalText(metafile))}) {
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
  EXPECT_NE(ImportPart(after), ImportPart(before));
  EXPECT_TRUE(Parse(ImportPart(after)).quantization->options.equalize);
  EXPECT_EQ(CalibratePart(after), CalibratePart(before));
}

TEST(StagePartsTest, AdaptiveRoundingMakesQuantizationDependOnSamples) {
  const Metafile before = Parse(kText);
  const Metafile after =
      Parse(Replaced("{divergence_nbins: 512}", "{divergence_nbins: 512, rounding: adaptive}"));
  EXPECT_EQ(CalibratePart(after), CalibratePart(before));
  EXPECT_EQ(ImportPart(after), ImportPart(before));
  EXPECT_EQ(Parse(QuantizePart(after)).quantization->options.rounding, Rounding::kAdaptive);
  EXPECT_THAT(QuantizePart(after), HasSubstr("scale: 255"));
  EXPECT_THAT(QuantizePart(before), Not(HasSubstr("scale: 255")));
}

TEST(StagePartsTest, TakingBackQuantizationIsPartOfTheCalibration) {
  const Metafile before = Parse(kText);
  const Metafile after = Parse(Replaced("scheme: dynamic", "mode: full\n  scheme: dynamic"));
  EXPECT_EQ(ImportPart(after), ImportPart(before));
  EXPECT_NE(CalibratePart(after), CalibratePart(before));
  EXPECT_EQ(Parse(CalibratePart(after)).quantization->mode, QuantizationMode::kFull);
  EXPECT_EQ(Parse(QuantizePart(after)).quantization->mode, QuantizationMode::kFull);
}

TEST(StagePartsTest, WhatRunsSamplesKnowsHowTheyAreMade) {
  const Metafile metafile =
      Parse(Replaced("{'*': int8, 'Conv_1': int16}", "auto\n  budget: {latency: 1.25}"));
  const Metafile part = Parse(QuantizePart(metafile));
  EXPECT_EQ(part.inputs[0].means, metafile.inputs[0].means);
  EXPECT_EQ(*part.quantization->budget->latency, 1.25);
  EXPECT_TRUE(part.DequantizeOutput(0));
  EXPECT_EQ(CanonicalText(Parse(CanonicalText(metafile))), CanonicalText(metafile));
}

}  // namespace
}  // namespace synap_internal
