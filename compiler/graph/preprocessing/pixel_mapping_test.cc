#include "compiler/graph/preprocessing/pixel_mapping.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "base/tensor_type.h"
#include "compiler/testing/run_pass.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Result {
  TensorMetadata input;
  PixelFinding finding;
};

TensorMetadata MetadataOf(const Graph& graph) {
  const TensorType& type = graph.inputs[0]->type;
  TensorMetadata input;
  input.name = "x";
  input.shape = type.shape;
  input.dtype = type.dtype;
  input.quant = type.quant;
  input.layout = graph.layout == "nchw" ? TensorLayout::kNchw : TensorLayout::kNhwc;
  return input;
}

Result Find(const Graph& graph) {
  Result result{MetadataOf(graph), {}};
  result.finding = FindPixelMapping(graph, 0, result.input);
  return result;
}

// Of an input with the model's own quantizer.
Result FindOf(const std::string& dtype, const std::string& quantizer, int channels = 3) {
  return Find(GraphOf(absl::Substitute(R"(graph "g" layout="nhwc" own_quantizers {
    input %x: $0[1x4x4x$2]<affine $1>
    %y: float32[1x4x4x$2] = dequantize(%x) from "n"
    output %y
  })",
                                       dtype, quantizer, channels)));
}

struct Usual {
  const char* dtype;
  const char* quantizer;
  float mean, scale;
};

class UsualRangesTest : public ::testing::TestWithParam<Usual> {};

TEST_P(UsualRangesTest, AreMapped) {
  const Result result = FindOf(GetParam().dtype, GetParam().quantizer);
  ASSERT_TRUE(result.input.pixels.has_value()) << result.finding.text;
  EXPECT_THAT(result.input.pixels->mean, ElementsAre(GetParam().mean));
  EXPECT_THAT(result.input.pixels->scale, ElementsAre(GetParam().scale));
  EXPECT_EQ(result.finding.severity, Severity::kNote);
}

INSTANTIATE_TEST_SUITE_P(
    All, UsualRangesTest,
    ::testing::Values(Usual{"int8", "0.003921569 -128", 0, 255},      // 0..1
                      Usual{"int8", "0.0037010426 -128", 0, 255},     // 0..0.944, as calibrated
                      Usual{"int8", "0.007843138 -1", 127.5, 127.5},  // -1..1
                      Usual{"int8", "0.007843138 0", 127.5, 127.5},
                      Usual{"int8", "0.0078125 0", 127.5, 127.5},
                      Usual{"int8", "0.003921569 0", 127.5, 255},  // -0.5..0.5
                      Usual{"int8", "1.0 -128", 0, 1},             // 0..255
                      Usual{"int8", "1.0 0", 128, 1},              // -128..127
                      Usual{"int8", "2.007874 0", 0, 1},           // symmetric, 255 the largest
                      Usual{"int16", "0.0077822205 0", 0, 1},
                      Usual{"int16", "1.5259022e-05 -32768", 0, 255},
                      Usual{"int16", "3.0518044e-05 -1", 127.5, 127.5}));

TEST(PixelMappingTest, SaysWhatWasTaken) {
  EXPECT_EQ(FindOf("int8", "0.003921569 -128").finding.text,
            "pixels become pixel / 255: its quantizer represents 0..1, the range of pixels "
            "normalized to 0..1");
  EXPECT_EQ(FindOf("int8", "1.0 -128").finding.text,
            "pixels keep their values: its quantizer represents 0..255, the range of pixels "
            "normalized to 0..255");
}

TEST(PixelMappingTest, ImageNetsRangeIsKnownByItsEndsWithAWarning) {
  const Result result = FindOf("int8", "0.018658 -14");
  ASSERT_TRUE(result.input.pixels.has_value()) << result.finding.text;
  EXPECT_THAT(result.input.pixels->mean, ElementsAre(123.675f, 116.28f, 103.53f));
  EXPECT_THAT(result.input.pixels->scale, ElementsAre(58.395f, 57.12f, 57.375f));
  EXPECT_EQ(result.finding.severity, Severity::kWarning);
  // Its values are those of three channels.
  EXPECT_TRUE(FindOf("int8", "0.018658 -14", 1).input.pixels_unknown);
}

TEST(PixelMappingTest, MeansFollowTheOrderOfTheChannels) {
  const Graph graph = GraphOf(R"(graph "g" layout="nhwc" own_quantizers {
    input %x: int8[1x4x4x3]<affine 0.018658 -14>
    %y: float32[1x4x4x3] = dequantize(%x) from "n"
    output %y
  })");
  TensorMetadata input = MetadataOf(graph);
  input.data_format = "bgr keep_proportions=0";
  EXPECT_THAT(FindPixelMapping(graph, 0, input).text,
              HasSubstr("(pixel - [103.53, 116.28, 123.675]) / [57.375, 57.12, 58.395]"));
  EXPECT_THAT(input.pixels->mean, ElementsAre(103.53f, 116.28f, 123.675f));
  EXPECT_THAT(input.pixels->scale, ElementsAre(57.375f, 57.12f, 58.395f));
}

TEST(PixelMappingTest, QuantizersOfTheMetafileCountForIntegerInputs) {
  const Result result = Find(GraphOf(R"(graph "g" layout="nhwc" {
    input %x: int8[1x4x4x3]<affine 0.98 -128>
    %y: float32[1x4x4x3] = dequantize(%x) from "n"
    output %y
  })"));
  ASSERT_TRUE(result.input.pixels.has_value()) << result.finding.text;
  EXPECT_THAT(result.input.pixels->mean, ElementsAre(0));
  EXPECT_THAT(result.input.pixels->scale, ElementsAre(1));
}

TEST(PixelMappingTest, SymmetricQuantizersOfOneHaveTwoReadings) {
  for (const char* quantizer : {"0.007874016 0", "0.00787 0"}) {  // 1/127
    const Result result = FindOf("int8", quantizer);
    EXPECT_TRUE(result.input.pixels_unknown) << quantizer;
    EXPECT_FALSE(result.input.pixels.has_value());
    EXPECT_EQ(result.finding.severity, Severity::kWarning);
    EXPECT_THAT(result.finding.text, HasSubstr("pixels normalized to 0..1 and to -1..1 both give"));
  }
  EXPECT_TRUE(FindOf("int16", "3.0518509e-05 0").input.pixels_unknown);  // 1/32767
}

TEST(PixelMappingTest, OtherRangesRefusePictures) {
  for (const char* quantizer : {"0.0115 -5", "0.5847029 83", "1.08 -128", "0.9 -128", "1e-30 0"}) {
    const Result result = FindOf("int8", quantizer);
    EXPECT_TRUE(result.input.pixels_unknown) << quantizer;
    EXPECT_EQ(result.finding.severity, Severity::kWarning);
    EXPECT_THAT(result.finding.text, HasSubstr("write the 'means' and 'scale'"));
  }
  // A spectrogram, most likely.
  EXPECT_EQ(FindOf("int8", "0.5847029 83", 1).finding.severity, Severity::kNote);
}

TEST(PixelMappingTest, Uint8IsCopied) {
  const Result result = FindOf("uint8", "0.0078125 128");
  EXPECT_FALSE(result.input.pixels.has_value());
  EXPECT_FALSE(result.input.pixels_unknown);
  EXPECT_EQ(result.finding.text, "pixels are copied: 0..255 stand for -1..0.9922");
  EXPECT_EQ(result.finding.severity, Severity::kNote);
}

TEST(PixelMappingTest, WhatTheMetafileSaysHolds) {
  const Graph graph = GraphOf(R"(graph "g" layout="nhwc" own_quantizers {
    input %x: int8[1x4x4x3]<affine 1.0 -128>
    %y: float32[1x4x4x3] = dequantize(%x) from "n"
    output %y
  })");
  TensorMetadata input = MetadataOf(graph);
  input.scale = 2;
  EXPECT_EQ(FindPixelMapping(graph, 0, input).text, "");
  EXPECT_FALSE(input.pixels.has_value());
  EXPECT_FALSE(input.pixels_unknown);
}

TEST(PixelMappingTest, OtherShapesAreNoPictures) {
  EXPECT_EQ(FindOf("int8", "0.003921569 -128", 2).finding.text, "");
  EXPECT_EQ(FindOf("int8", "0.003921569 -128", 40).finding.text, "");
  EXPECT_FALSE(FindOf("int8", "0.5847029 83", 2).input.pixels_unknown);
}

// A float32 input that a transpose reads; `more` may read it, too.
Result FindBehindFloat(const std::string& attribute, const std::string& more = "") {
  return Find(GraphOf(absl::StrCat("graph \"g\" layout=\"nchw\"", attribute, R"( {
    input %x: float32[1x3x4x4]
    %t: float32[1x4x4x3] = transpose(%x) {perm=[0, 2, 3, 1]} from "t"
    %q: uint8[1x4x4x3]<affine 0.003921569 0> = quantize(%t) from "q"
    %y: float32[1x4x4x3] = dequantize(%q) from "d"
    output %y
)",
                                   more, "}")));
}

TEST(PixelMappingTest, TheQuantizerBehindAFloatInputCounts) {
  const Result result = FindBehindFloat(" own_quantizers");
  ASSERT_TRUE(result.input.pixels.has_value()) << result.finding.text;
  EXPECT_THAT(result.input.pixels->scale, ElementsAre(255));
}

TEST(PixelMappingTest, QuantizersOfTheMetafileLeaveFloatInputsAlone) {
  const Result result = FindBehindFloat("");
  EXPECT_FALSE(result.input.pixels.has_value());
  EXPECT_FALSE(result.input.pixels_unknown);
  EXPECT_THAT(result.finding.text, HasSubstr("pixels keep their values from 0 to 255"));
}

TEST(PixelMappingTest, AFloatInputThatIsReadAsFloatIsLeftAloneWithANote) {
  const Result result = FindBehindFloat(" own_quantizers", R"(
    %n: float32[1x4x4x3] = neg(%t) from "n"
    output %n
)");
  EXPECT_FALSE(result.input.pixels.has_value());
  EXPECT_FALSE(result.input.pixels_unknown);
  EXPECT_THAT(result.finding.text, HasSubstr("pixels keep their values from 0 to 255"));
  EXPECT_EQ(result.finding.severity, Severity::kNote);
}

// As FindOf, of a network of this family.
Result FindOfFamily(const std::string& dtype, const std::string& quantizer,
                    const FamilyPixels& family) {
  const Graph graph = GraphOf(absl::Substitute(R"(graph "g" layout="nhwc" own_quantizers {
    input %x: $0[1x4x4x3]<affine $1>
    %y: float32[1x4x4x3] = dequantize(%x) from "n"
    output %y
  })",
                                               dtype, quantizer));
  Result result{MetadataOf(graph), {}};
  result.finding = FindPixelMapping(graph, 0, result.input, family);
  return result;
}

const FamilyPixels kYolo = {"a detector, YOLOv8", 0, 255};

TEST(PixelMappingTest, AFamilysPixelsCountMoreThanTheRangeOfImageNets) {
  const Result result = FindOfFamily("int8", "0.01865 -14", kYolo);
  ASSERT_TRUE(result.input.pixels.has_value()) << result.finding.text;
  EXPECT_THAT(result.input.pixels->mean, ElementsAre(0));
  EXPECT_THAT(result.input.pixels->scale, ElementsAre(255));
  EXPECT_EQ(result.finding.severity, Severity::kWarning);
  EXPECT_TRUE(result.finding.by_family);
  EXPECT_THAT(result.finding.text,
              HasSubstr("pixels become pixel / 255, as usual for a detector, YOLOv8: its quantizer "
                        "represents -2.126..2.63, which doesn't tell"));
}

TEST(PixelMappingTest, AFamilyDecidesWhereTheRangeDoesNot) {
  EXPECT_TRUE(FindOfFamily("int8", "0.007874016 0", kYolo).finding.by_family)
      << "symmetric, 0..1 or -1..1";
  EXPECT_TRUE(FindOfFamily("int8", "0.03 10", kYolo).finding.by_family) << "no usual range";
  EXPECT_TRUE(FindOfFamily("int8", "0.002 0", kYolo).input.pixels_unknown) << "pixels don't fit";
}

TEST(PixelMappingTest, ARangeThatTellsCountsMoreThanTheFamily) {
  const Result result = FindOfFamily("int8", "0.007843138 -1", kYolo);
  EXPECT_THAT(result.input.pixels->mean, ElementsAre(127.5));
  EXPECT_FALSE(result.finding.by_family);
}

}  // namespace
}  // namespace synap_internal
