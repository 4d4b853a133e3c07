// Fields of the metafile and of the graph that reach the artifact.
#include "compiler/convert/stages/compile_stage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/data_type.h"
#include "base/warnings.h"
#include "compiler/graph/graph.h"
#include "compiler/graph/text.h"
#include "compiler/metafile/metafile.h"
#include "compiler/testing/run_pass.h"
#include "runtime/bundle/model_metadata.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kNetwork[] = R"(
  input %x: float32[1x4]
  %y: float32[1x4] = neg(%x) from "n"
  output %y
)";

// The artifact of a network, for a metafile called meta.yaml.
absl::StatusOr<CompiledModel> Compile(const std::string& body, Metafile metafile,
                                      Warnings& warnings) {
  const absl::StatusOr<const Target*> target = FindTarget("VS680");
  if (!target.ok()) return target.status();
  metafile.path = "meta.yaml";
  return CompileStage(GraphOfBody(body), metafile, **target, {}, warnings);
}

absl::StatusOr<CompiledModel> Compile(const std::string& body, Metafile metafile) {
  Warnings ignored;
  return Compile(body, std::move(metafile), ignored);
}

// The artifact for a metafile whose output 0 has this format.
absl::StatusOr<CompiledModel> CompileWithFormat(const std::string& format,
                                                const std::string& anchors, Warnings& warnings) {
  Metafile metafile;
  OutputSpec& output = metafile.outputs.emplace_back();
  output.location = {2, 3};
  output.format = format;
  return Compile(absl::StrCat(kNetwork, anchors), std::move(metafile), warnings);
}

absl::StatusOr<CompiledModel> CompileWithFormat(const std::string& format,
                                                const std::string& anchors) {
  Warnings ignored;
  return CompileWithFormat(format, anchors, ignored);
}

TEST(CompileStageTest, AnchorsStandInTheFormat) {
  const auto model = CompileWithFormat("tflite_detection_boxes anchors=${ANCHORS} x_scale=1",
                                       "anchors float32[1x4] = [0.5, 0.25, 1.0, 0.1234567]");
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_THAT(model->metadata,
              HasSubstr("tflite_detection_boxes anchors=[0.5,0.25,1,0.123457] x_scale=1"));
}

TEST(CompileStageTest, WithoutAnchorsTheirListIsEmptyAndAWarningSaysSo) {
  Warnings warnings;
  const auto model = CompileWithFormat("boxes a=${ANCHORS} b=1", "", warnings);
  EXPECT_THAT(
      warnings.Texts(),
      ElementsAre("meta.yaml:2:3: output 'y': the format holds ${ANCHORS}, but network 'test' has "
                  "none, so that they become []: anchors come from the operator "
                  "TFLite_Detection_PostProcess at the end of a TensorFlow Lite model"));
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_THAT(model->metadata, HasSubstr("boxes a=[] b=1"));
}

TEST(CompileStageTest, TheNetworksFormatHoldsWhereTheMetafileHasNone) {
  const std::string own = "format \"nms_input box=xyxy\"";
  const auto model = CompileWithFormat("", own);
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_THAT(model->metadata, HasSubstr("nms_input box=xyxy"));
  const auto other = CompileWithFormat("mine", own);
  ASSERT_TRUE(other.ok()) << other.status();
  EXPECT_THAT(other->metadata, HasSubstr("mine"));
  EXPECT_THAT(other->metadata, Not(HasSubstr("nms_input")));
}

TEST(CompileStageTest, AFormatThatNothingDecodesIsSaid) {
  Warnings warnings;
  ASSERT_TRUE(CompileWithFormat("yolov7", "", warnings).ok());
  EXPECT_THAT(warnings.Texts(),
              ElementsAre(HasSubstr("meta.yaml:2:3: format 'yolov7' of output 'y' isn't decoded")));
}

TEST(CompileStageTest, FormatsThatGrowTooLongNameTheirPlace) {
  std::string format;
  for (int i = 0; i < 500000; ++i) format += "${ANCHORS}";
  EXPECT_EQ(CompileWithFormat(format,
                              "anchors float32[1x4] = [0.1234567, 0.1234567, 0.1234567, "
                              "0.1234567]")
                .status()
                .message(),
            "meta.yaml:2:3: the format of output 'y': the expanded format is longer than 16 MiB, "
            "expected at most that");
}

TEST(CompileStageTest, WhatNoKernelComputesIsRefused) {
  const absl::Status status = Compile(R"(
  input %x: float32[1x4x4x2]
  input %w: float32[3x1x1x2]
  %y: float32[1x4x4x3] = conv2d(%x, %w) from "n"
  output %y
)",
                                      {})
                                  .status();
  EXPECT_THAT(status.ToString(),
              HasSubstr("network 'test': instruction 0, conv2d 'n': operand w is not constant"));
}

// Compiles a network with an input of this shape for a metafile with three means.
absl::Status CompileWithThreeMeans(const std::string& shape) {
  Metafile metafile;
  InputSpec& input = metafile.inputs.emplace_back();
  input.location = {2, 3};
  input.means = {1, 2, 3};
  return Compile(absl::StrCat("input %x: float32[", shape, "]\n%y: float32[", shape,
                              "] = neg(%x) from \"n\"\noutput %y\n"),
                 std::move(metafile))
      .status();
}

// Runtimes refuse to load a model that has others.
TEST(CompileStageTest, MeansAreOneForEachChannel) {
  EXPECT_TRUE(CompileWithThreeMeans("1x3x2x2").ok());
  EXPECT_EQ(
      CompileWithThreeMeans("1x2x3x3").message(),
      "meta.yaml:2:3: inputs[0].means: found 3 values, expected 1 or 2: input 'x' has 2 channels");
  EXPECT_EQ(CompileWithThreeMeans("1x3").message(),
            "meta.yaml:2:3: inputs[0].means: found 3 values, expected 1: input 'x' has 1 channel");
}

// The type that a last layer computes before its output becomes float32.
DataType TypeOfLastLayer(const std::string& attribute, const Metafile& metafile = {}) {
  const absl::StatusOr<Graph> graph =
      ParseGraph(absl::StrCat("graph \"g\" layout=\"nchw\"", attribute, R"( {
    input %x: uint8[1x2]<affine 1.0 0>
    const %w: uint8[2x2]<affine 1.0 128> = [129, 128, 127, 130]
    %c: uint8[1x2]<affine 2.0 10> = fully_connected(%x, %w) from "fc"
    %y: float32[1x2] = dequantize(%c) from "dequantize"
    output %y
  })"));
  EXPECT_TRUE(graph.ok()) << graph.status();
  const absl::StatusOr<Graph> compiled = CompiledGraph(*graph, metafile, {});
  EXPECT_TRUE(compiled.ok()) << compiled.status();
  for (const Op& op : compiled->ops()) {
    if (op.Is(LinearForm::kDense)) return op.output()->type.dtype;
  }
  return DataType::kInvalid;
}

TEST(CompileStageTest, FloatOutputsAreNotRoundedOnTheirWayOut) {
  EXPECT_EQ(TypeOfLastLayer(""), DataType::kFloat32);
}

TEST(CompileStageTest, FloatOutputsAreRoundedWithoutTheMeasureFloatEnds) {
  Metafile metafile;
  metafile.optimize.erase(MeasureKind::kFloatEnds);
  EXPECT_EQ(TypeOfLastLayer("", metafile), DataType::kUint8);
}

TEST(CompileStageTest, NetworksThatComeQuantizedKeepTheirQuantizers) {
  EXPECT_EQ(TypeOfLastLayer(" own_quantizers"), DataType::kUint8);
}

// The names of inputs and outputs in the artifact's metadata.
struct TensorNames {
  std::vector<std::string> inputs, outputs;
};
TensorNames NamesInArtifact(const std::string& body, bool dequantize) {
  Metafile metafile;
  metafile.dequantize_outputs = dequantize;
  const absl::StatusOr<CompiledModel> model = Compile(body, metafile);
  EXPECT_TRUE(model.ok()) << model.status();
  if (!model.ok()) return {};
  const absl::StatusOr<ModelMetadata> metadata = ParseModelMetadata(model->metadata);
  EXPECT_TRUE(metadata.ok()) << metadata.status();
  if (!metadata.ok()) return {};
  TensorNames names;
  for (const TensorMetadata& input : metadata->inputs) names.inputs.push_back(input.name);
  for (const TensorMetadata& output : metadata->outputs) names.outputs.push_back(output.name);
  return names;
}

TEST(CompileStageTest, AnInputThatIsAnOutputKeepsItsName) {
  for (const char* type : {"uint8[1x4]<affine 0.5 3>", "int8[1x4]<affine 0.5 3>",
                           "int16[1x4]<fixed 8>", "float16[1x4]", "float32[1x4]"}) {
    const std::string body = absl::StrCat("input %x: ", type, "\n%y: ", type,
                                          " = neg(%x) from \"n\"\noutput %x\noutput %y\n");
    for (const bool dequantize : {false, true}) {
      const TensorNames names = NamesInArtifact(body, dequantize);
      EXPECT_THAT(names.inputs, ElementsAre("x")) << type << dequantize;
      EXPECT_THAT(names.outputs, ElementsAre("x", "y")) << type << dequantize;
    }
  }
}

TEST(CompileStageTest, OutputsThatAreReadOrLeaveTwiceHaveNamesOfTheirOwn) {
  for (const char* type : {"uint8[1x4]<affine 0.5 3>", "int16[1x4]<fixed 8>", "float32[1x4]"}) {
    const std::string body =
        absl::StrCat("input %x: ", type, "\n%y: ", type, " = neg(%x) from \"n\"\n%z: ", type,
                     " = neg(%y) from \"m\"\noutput %y\noutput %z\noutput %y\noutput %x\n");
    for (const bool dequantize : {false, true}) {
      const TensorNames names = NamesInArtifact(body, dequantize);
      EXPECT_THAT(names.inputs, ElementsAre("x")) << type << dequantize;
      EXPECT_THAT(names.outputs, ElementsAre("y", "z", "y.1", "x")) << type << dequantize;
    }
  }
}

TEST(CompileStageTest, SumsBeyond32BitsCompileWithAWarning) {
  const std::string weights = absl::StrJoin(std::vector<int>(40000, 255), ", ");
  Warnings warnings;
  const auto model = Compile(absl::StrCat(R"(
    input %x: uint8[1x40000]<affine 1.0 0>
    const %w: uint8[1x40000]<affine 1.0 0> = [)",
                                          weights, R"(]
    %y: uint8[1x1]<affine 2000000.0 0> = fully_connected(%x, %w) from "Gemm_1"
    output %y)"),
                             {}, warnings);
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_THAT(
      warnings.Texts(),
      ElementsAre("layer 'Gemm_1': output channel 0 sums up to 2601000000, beyond the 2^30 that "
                  "a 32-bit accumulator is sure to hold; the layer runs with 64-bit sums, "
                  "which are exact and slower"));
}

}  // namespace
}  // namespace synap_internal
