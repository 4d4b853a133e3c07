// Pictures into networks that bring their own quantizers, without a metafile: from the graph
// through the artifact to what the layers compute.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "base/warnings.h"
#include "compiler/convert/stages/compile_stage.h"
#include "compiler/graph/text.h"
#include "compiler/metafile/metafile.h"
#include "compiler/target/target.h"
#include "compiler/testing/run_pass.h"
#include "synap/input_data.hpp"
#include "synap/network.hpp"
#include "synap/preprocessor.hpp"

namespace synap_internal {
namespace {

using synaptics::synap::InputData;
using synaptics::synap::InputType;
using synaptics::synap::Network;
using synaptics::synap::Preprocessor;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Converted {
  CompiledModel model;
  std::vector<std::string> warnings;
  std::vector<std::string> notes;
};

Converted Convert(const std::string& graph) {
  const absl::StatusOr<const Target*> target = FindTarget("VS680");
  Warnings warnings;
  absl::StatusOr<CompiledModel> model =
      CompileStage(GraphOf(graph), Metafile(), **target, {}, warnings);
  EXPECT_TRUE(model.ok()) << model.status();
  return {*std::move(model), warnings.Texts(), warnings.Texts(Severity::kNote)};
}

// Gives its gray input of 16 by 16 pixels back as real numbers.
Converted ConvertGray(const std::string& dtype, const std::string& quantizer) {
  return Convert(absl::StrCat("graph \"g\" layout=\"nhwc\" own_quantizers {\n input %x: ", dtype,
                              "[1x16x16x1]<affine ", quantizer, R"(>
    %y: float32[1x16x16x1] = dequantize(%x) from "n"
    output %y
  })"));
}

// The pixels 0 to 255, each once for each channel.
std::vector<uint8_t> AllPixels(size_t channels) {
  std::vector<uint8_t> pixels;
  for (int v = 0; v < 256; ++v) pixels.insert(pixels.end(), channels, static_cast<uint8_t>(v));
  return pixels;
}

// Output 0 for that picture of 16 by 16 pixels; empty if it is refused.
std::vector<float> Compute(const CompiledModel& model, const std::vector<uint8_t>& pixels) {
  Network net;
  EXPECT_TRUE(net.load_model(model.synap.data(), model.synap.size()));
  const int channels = static_cast<int>(pixels.size() / 256);
  const InputData picture(pixels.data(), pixels.size(), InputType::image_8bits,
                          {1, 16, 16, channels}, synaptics::synap::Layout::nhwc, "rgb");
  if (!Preprocessor().assign(net.inputs[0], picture)) return {};
  EXPECT_TRUE(net.predict());
  const float* values = net.outputs[0].as_float();
  return {values, values + net.outputs[0].item_count()};
}

void ExpectNormalized(const std::string& dtype, const std::string& quantizer, float step,
                      float mean, float scale) {
  SCOPED_TRACE(absl::StrCat(dtype, " ", quantizer));
  const Converted converted = ConvertGray(dtype, quantizer);
  EXPECT_THAT(converted.warnings, IsEmpty());
  const std::vector<float> values = Compute(converted.model, AllPixels(1));
  ASSERT_EQ(values.size(), 256u);
  for (size_t v = 0; v < 256; ++v) {
    const float expected = (static_cast<float>(v) - mean) / scale;
    // Half a step of rounding, but the ends of some quantizers represent only part of the range.
    const float saturation = v == 0 || v == 255 ? 1.01f : 0.51f;
    EXPECT_NEAR(values[v], expected, saturation * step) << "pixel " << v;
  }
}

TEST(PictureInputsTest, SignedQuantizersGetTheValuesThatTheyRepresent) {
  ExpectNormalized("int8", "0.003921569 -128", 1 / 255.0f, 0, 255);
  ExpectNormalized("int8", "0.007843138 -1", 2 / 255.0f, 127.5f, 127.5f);
  ExpectNormalized("int8", "0.0078125 0", 1 / 128.0f, 127.5f, 127.5f);
  ExpectNormalized("int8", "1.0 -128", 1, 0, 1);
  ExpectNormalized("int8", "1.0 0", 1, 128, 1);
  ExpectNormalized("int16", "1.5259022e-05 -32768", 1 / 65535.0f, 0, 255);
  ExpectNormalized("int16", "0.0077822205 0", 255 / 32767.0f, 0, 1);
}

TEST(PictureInputsTest, Uint8QuantizersGetThePixelsThemselves) {
  ExpectNormalized("uint8", "0.0078125 128", 1 / 128.0f, 128, 128);
  ExpectNormalized("uint8", "0.0115 120", 0.0115f, 120, 1 / 0.0115f);
}

TEST(PictureInputsTest, WhatWasTakenIsSaid) {
  const Converted converted = ConvertGray("int8", "0.003921569 -128");
  EXPECT_THAT(
      converted.notes,
      ElementsAre("input 'x': pixels become pixel / 255: its quantizer represents 0..1, the "
                  "range of pixels normalized to 0..1"));
  EXPECT_THAT(converted.model.info_text, HasSubstr("    pictures: \"pixels become pixel / 255: "));
  EXPECT_THAT(ConvertGray("uint8", "0.0078125 128").notes,
              ElementsAre("input 'x': pixels are copied: 0..255 stand for -1..0.9922"));
  EXPECT_THAT(ConvertGray("uint8", "0.0078125 128").model.info_text,
              HasSubstr("    pictures: \"pixels are copied: 0..255 stand for -1..0.9922\"\n"));
}

// Gives its input back as real numbers.
Converted ConvertColours(const std::string& layout, const std::string& shape) {
  return Convert(absl::Substitute(R"(graph "g" layout="$0" own_quantizers {
    input %x: int8[$1]<affine 0.003921569 -128>
    %y: float32[$1] = dequantize(%x) from "n"
    output %y
  })",
                                  layout, shape));
}

TEST(PictureInputsTest, AnInputMayHaveAnotherLayoutThanTheModelsFormat) {
  std::vector<uint8_t> pixels = AllPixels(3);
  for (size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<uint8_t>(i % 251);
  const std::vector<float> planes = Compute(ConvertColours("nhwc", "1x3x16x16").model, pixels);
  const std::vector<float> rows = Compute(ConvertColours("nchw", "1x16x16x3").model, pixels);
  ASSERT_EQ(planes.size(), pixels.size());
  ASSERT_EQ(rows.size(), pixels.size());
  for (size_t i = 0; i < pixels.size(); ++i) {
    EXPECT_NEAR(rows[i] * 255, pixels[i], 0.01);
    EXPECT_NEAR(planes[i % 3 * 256 + i / 3] * 255, pixels[i], 0.01);
  }
}

TEST(PictureInputsTest, ADetectorsFamilyCountsMoreThanTheRangeOfItsCalibration) {
  const Converted converted = Convert(R"(graph "g" layout="nhwc" own_quantizers {
    input %x: int8[1x128x128x3]<affine 0.01865 -14>
    %f: float32[1x128x128x3] = dequantize(%x) from "d"
    %s: float32[1x20x28x3] = slice(%f) {sizes=[1, 20, 28, 3], starts=[0, 0, 0, 0]} from "s"
    %y: float32[1x5x336] = reshape(%s) {shape=[1, 5, 336]} from "r"
    output %y
  })");
  EXPECT_THAT(converted.warnings,
              ElementsAre(HasSubstr("input 'x': pixels become pixel / 255, as usual for a "
                                    "detector, YOLOv8 or a follower with 1 class: its quantizer "
                                    "represents -2.126..2.63, which doesn't tell")));
}

TEST(PictureInputsTest, NumbersKeepTheirMeaning) {
  const CompiledModel model = ConvertGray("int8", "0.003921569 -128").model;
  Network net;
  ASSERT_TRUE(net.load_model(model.synap.data(), model.synap.size()));
  // The tensor's own integers: assigned, written in place and copied.
  EXPECT_NE(net.inputs[0].data<int8_t>(), nullptr);
  std::vector<int16_t> steps(256);
  std::iota(steps.begin(), steps.end(), int16_t{-128});
  ASSERT_TRUE(net.inputs[0].assign(steps.data(), steps.size()));
  ASSERT_TRUE(net.predict());
  EXPECT_FLOAT_EQ(net.outputs[0].as_float()[255], 1);
  const std::vector<float> floats(256, -127);
  ASSERT_TRUE(net.inputs[0].assign(floats.data(), floats.size()));
  EXPECT_EQ(net.inputs[0].data<int8_t>()[0], -127);
}

TEST(PictureInputsTest, FloatsBeforeAQuantizerKeepTheirMeaning) {
  const Converted converted = Convert(R"(graph "g" layout="nchw" own_quantizers {
    input %x: float32[1x3x16x16]
    %t: float32[1x16x16x3] = transpose(%x) {perm=[0, 2, 3, 1]} from "t"
    %q: uint8[1x16x16x3]<affine 0.018658 114> = quantize(%t) from "q"
    %y: float32[1x16x16x3] = dequantize(%q) from "d"
    output %y
  })");
  EXPECT_THAT(converted.warnings,
              ElementsAre(HasSubstr("input 'x': pixels become (pixel - [123.675, 116.28, 103.53]) "
                                    "/ [58.395, 57.12, 57.375]: its quantizer represents")));
  const std::vector<float> values = Compute(converted.model, AllPixels(3));
  ASSERT_EQ(values.size(), 768u);
  EXPECT_NEAR(values[3 * 100], (100 - 123.675) / 58.395, 0.01);
  EXPECT_NEAR(values[3 * 100 + 1], (100 - 116.28) / 57.12, 0.01);
  EXPECT_NEAR(values[3 * 100 + 2], (100 - 103.53) / 57.375, 0.01);

  Network net;
  ASSERT_TRUE(net.load_model(converted.model.synap.data(), converted.model.synap.size()));
  const std::vector<float> ones(768, 1);
  ASSERT_TRUE(net.inputs[0].assign(ones.data(), ones.size()));
  ASSERT_TRUE(net.predict());
  EXPECT_NEAR(net.outputs[0].as_float()[0], 1, 0.01);
}

TEST(PictureInputsTest, RangesOfNoUsualNormalizationRefusePictures) {
  const Converted converted = ConvertGray("int8", "0.5847029 83");
  testing::internal::CaptureStderr();
  EXPECT_THAT(Compute(converted.model, AllPixels(1)), IsEmpty());
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("tensor 'x': takes no pictures: neither the model's quantizer nor a "
                        "metafile tells the values of pixels; convert the model with "
                        "'means' and 'scale' for this input"));
  EXPECT_THAT(converted.model.info_text, HasSubstr("pictures: \"pictures are refused: its "
                                                   "quantizer represents -123.4..25.73"));
  // Other data is as welcome as ever.
  Network net;
  ASSERT_TRUE(net.load_model(converted.model.synap.data(), converted.model.synap.size()));
  const std::vector<int8_t> raw(256, 83);
  EXPECT_TRUE(net.inputs[0].assign(static_cast<const void*>(raw.data()), raw.size()));
}

// A classifier for this format of its input.
std::vector<std::string> NotesOfClassifier(const std::string& format, int channels = 1) {
  const absl::StatusOr<const Target*> target = FindTarget("VS680");
  Metafile metafile;
  metafile.inputs.emplace_back().format = format;
  metafile.inputs[0].scale = 255;
  Warnings warnings;
  const Graph graph = GraphOf(absl::Substitute(R"(graph "g" layout="nhwc" {
    input %x: float32[1x4x4x$0]
    %y: float32[1x$1] = reshape(%x) {shape=[1, $1]} from "n"
    output %y
  })",
                                               channels, 16 * channels));
  const absl::StatusOr<CompiledModel> model = CompileStage(graph, metafile, **target, {}, warnings);
  EXPECT_TRUE(model.ok()) << model.status();
  return warnings.Texts(Severity::kNote);
}

TEST(PictureInputsTest, AClassifiersUserHearsOfTheBands) {
  EXPECT_THAT(
      NotesOfClassifier("rgb"),
      ElementsAre(AllOf(HasSubstr("input 'x': pictures keep their proportions and get grey bands"),
                        HasSubstr("write keep_proportions=0 into the input's 'format'"))));
  EXPECT_THAT(NotesOfClassifier("", 3),
              ElementsAre(HasSubstr("give the input 'format: rgb keep_proportions=0'")));
  EXPECT_THAT(NotesOfClassifier("rgb keep_proportions=0"), IsEmpty());
  EXPECT_THAT(NotesOfClassifier("rgb keep_proportions=1"), IsEmpty());
}

}  // namespace
}  // namespace synap_internal
