// Artifacts whose images have another axis order than the model, beside those in the model's own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/warnings.h"
#include "compiler/convert/stages/compile_stage.h"
#include "compiler/convert/stages/self_test_stage.h"
#include "compiler/metafile/metafile.h"
#include "compiler/target/target.h"
#include "compiler/testing/run_pass.h"
#include "runtime/bundle/text_bytes.h"
#include "runtime/verify/self_test_data.h"
#include "synap/input_data.hpp"
#include "synap/network.hpp"
#include "synap/preprocessor.hpp"
#include "synap/types.hpp"

namespace synap_internal {
namespace {

using SynapDataType = synaptics::synap::DataType;
using synaptics::synap::InputData;
using synaptics::synap::InputType;
using synaptics::synap::Layout;
using synaptics::synap::Network;
using synaptics::synap::Preprocessor;
using synaptics::synap::Shape;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

// A pixel of each channel's own value; with other strides than sides, a mix-up shows.
constexpr int kHeight = 4, kWidth = 6;

// As importers make it of a model of that layout.
std::string Model(absl::string_view layout) {
  if (layout == "nhwc") {
    return R"(graph "g" layout="nhwc" {
      input %x: uint8[1x4x6x3]<affine 1.0 0>
      %y: uint8[1x4x6x3]<affine 0.5 3> = relu(%x) from "n"
      output %y
    })";
  }
  return R"(graph "g" layout="nchw" {
    input %x: uint8[1x3x4x6]<affine 1.0 0>
    %t: uint8[1x4x6x3]<affine 1.0 0> = transpose(%x) {perm=[0, 2, 3, 1]} from "n"
    %u: uint8[1x4x6x3]<affine 0.5 3> = relu(%t) from "n"
    %y: uint8[1x3x4x6]<affine 0.5 3> = transpose(%u) {perm=[0, 3, 1, 2]} from "n"
    output %y
  })";
}

Metafile WithLayoutOf(absl::string_view layout, absl::string_view more = "") {
  const auto metafile =
      ParseMetafile(absl::StrCat("data_layout: ", layout, "\n", more), {.path = "m.yaml"});
  EXPECT_TRUE(metafile.ok()) << metafile.status();
  return *metafile;
}

CompiledModel Compile(absl::string_view model, const Metafile& metafile) {
  Warnings warnings;
  absl::StatusOr<CompiledModel> compiled =
      CompileStage(GraphOf(Model(model)), metafile, **FindTarget("VS680"), {}, warnings);
  EXPECT_TRUE(compiled.ok()) << compiled.status();
  return *std::move(compiled);
}

std::vector<uint8_t> Pixels() {
  std::vector<uint8_t> pixels;
  for (int i = 0; i < kHeight * kWidth * 3; ++i) pixels.push_back(static_cast<uint8_t>(i));
  return pixels;
}

// The outputs for a picture, in NHWC whatever the artifact's layout is.
std::vector<float> OutputsOf(const CompiledModel& model, Layout expected) {
  Network net;
  EXPECT_TRUE(net.load_model(model.synap.data(), model.synap.size()));
  EXPECT_EQ(net.inputs[0].layout(), expected);
  EXPECT_EQ(net.outputs[0].layout(), expected);
  const bool nchw = expected == Layout::nchw;
  EXPECT_EQ(net.outputs[0].shape(), nchw ? Shape({1, 3, 4, 6}) : Shape({1, 4, 6, 3}));
  const std::vector<uint8_t> pixels = Pixels();
  const InputData picture(pixels.data(), pixels.size(), InputType::image_8bits,
                          {1, kHeight, kWidth, 3}, Layout::nhwc, "rgb");
  EXPECT_TRUE(Preprocessor().assign(net.inputs, picture));
  EXPECT_TRUE(net.predict());
  const float* const values = net.outputs[0].as_float();
  std::vector<float> nhwc;
  for (int i = 0; i < kHeight * kWidth; ++i) {
    for (int c = 0; c < 3; ++c) nhwc.push_back(values[nchw ? c * kHeight * kWidth + i : 3 * i + c]);
  }
  return nhwc;
}

TEST(DataLayoutTest, TheResultsAreTheSameInBothLayouts) {
  std::vector<float> expected;
  for (const uint8_t pixel : Pixels()) expected.push_back(pixel);
  for (const char* model : {"nhwc", "nchw"}) {
    EXPECT_EQ(OutputsOf(Compile(model, WithLayoutOf("nhwc")), Layout::nhwc), expected) << model;
    EXPECT_EQ(OutputsOf(Compile(model, WithLayoutOf("nchw")), Layout::nchw), expected) << model;
  }
}

TEST(DataLayoutTest, TheModelsOwnLayoutIsTheDefault) {
  EXPECT_EQ(Compile("nhwc", WithLayoutOf("default")).synap,
            Compile("nhwc", WithLayoutOf("nhwc")).synap);
  EXPECT_EQ(Compile("nchw", WithLayoutOf("default")).synap,
            Compile("nchw", WithLayoutOf("nchw")).synap);
}

TEST(DataLayoutTest, PicturesThatTheNetworkConvertsKeepTheirOwnLayout) {
  constexpr absl::string_view kRgb = "inputs: [{means: 0, scale: 1, preprocess: {type: rgb}}]";
  for (const char* model : {"nhwc", "nchw"}) {
    for (const char* layout : {"nhwc", "nchw"}) {
      const CompiledModel compiled = Compile(model, WithLayoutOf(layout, kRgb));
      Network net;
      ASSERT_TRUE(net.load_model(compiled.synap.data(), compiled.synap.size()));
      EXPECT_EQ(net.inputs[0].shape(), Shape({1, 4, 6, 3})) << model << " " << layout;
      EXPECT_EQ(net.inputs[0].layout(), Layout::nhwc);
      EXPECT_EQ(net.outputs[0].layout(),
                layout == std::string("nchw") ? Layout::nchw : Layout::nhwc);
      const std::vector<uint8_t> pixels = Pixels();
      ASSERT_TRUE(net.inputs[0].assign(pixels.data(), pixels.size()));
      ASSERT_TRUE(net.predict());
      EXPECT_EQ(net.outputs[0].as_float()[1], layout == std::string("nchw") ? 3 : 1);
    }
  }
}

TEST(DataLayoutTest, AFormatOfTheOtherOrderIsNamed) {
  const auto warnings_of = [](absl::string_view layout) {
    Warnings warnings;
    const Metafile metafile = WithLayoutOf(layout, "outputs: [{format: yolov5}]");
    EXPECT_TRUE(
        CompileStage(GraphOf(Model("nhwc")), metafile, **FindTarget("VS680"), {}, warnings).ok());
    std::string text;
    for (const Warning& warning : warnings.all()) text += warning.Text() + "\n";
    return text;
  };
  EXPECT_THAT(warnings_of("nchw"),
              HasSubstr("'data_layout' makes it 1x3x4x6, so the format 'yolov5' must describe"));
  EXPECT_THAT(warnings_of("nhwc"), Not(HasSubstr("data_layout")));
}

TEST(DataLayoutTest, AnInputThatHasTheWantedOrderAlreadyIsNamed) {
  const Graph graph = GraphOf(R"(graph "g" layout="nchw" {
    input %x: uint8[1x32x48x3]<affine 1.0 0>
    %y: uint8[1x32x48x3]<affine 1.0 0> = relu(%x) from "n"
    output %y
  })");
  for (const absl::string_view layout : {"nhwc", "default"}) {
    Warnings warnings;
    ASSERT_TRUE(
        CompileStage(graph, WithLayoutOf(layout), **FindTarget("VS680"), {}, warnings).ok());
    const auto found = Contains(HasSubstr("input 'x': its shape in the model file is 1x32x48x3"));
    if (layout == "nhwc") {
      EXPECT_THAT(warnings.Texts(Severity::kNote), found);
    } else {
      EXPECT_THAT(warnings.Texts(Severity::kNote), Not(found));
    }
  }
}

// int8 in and out, as prequantized models have it; the transposes are then beside conversions.
std::string SignedModel(absl::string_view layout) {
  if (layout == "nhwc") {
    return R"(graph "g" layout="nhwc" own_quantizers {
      input %x: int8[1x4x6x3]<affine 0.5 -10>
      %y: int8[1x4x6x3]<affine 0.25 -128> = relu(%x) from "n"
      output %y
    })";
  }
  return R"(graph "g" layout="nchw" own_quantizers {
    input %x: int8[1x3x4x6]<affine 0.5 -10>
    %t: int8[1x4x6x3]<affine 0.5 -10> = transpose(%x) {perm=[0, 2, 3, 1]} from "n"
    %u: int8[1x4x6x3]<affine 0.25 -128> = relu(%t) from "n"
    %y: int8[1x3x4x6]<affine 0.25 -128> = transpose(%u) {perm=[0, 3, 1, 2]} from "n"
    output %y
  })";
}

// Runs a network over int8 values -40..31, counted in NHWC; its outputs as real numbers, in NHWC.
template <typename T>
std::vector<float> SignedOutputs(const CompiledModel& model, Layout layout, float scale, int zero) {
  Network net;
  EXPECT_TRUE(net.load_model(model.synap.data(), model.synap.size()));
  const bool nchw = layout == Layout::nchw;
  const Shape expected = nchw ? Shape({1, 3, 4, 6}) : Shape({1, 4, 6, 3});
  EXPECT_EQ(net.inputs[0].shape(), expected);
  EXPECT_EQ(net.outputs[0].shape(), expected);
  const auto at = [&](int i) { return nchw ? i % 3 * 24 + i / 3 : i; };
  EXPECT_EQ(net.inputs[0].data_type(), SynapDataType::int8);
  auto* const in = static_cast<int8_t*>(net.inputs[0].data());
  for (int i = 0; i < 72; ++i) in[at(i)] = static_cast<int8_t>(i - 40);
  EXPECT_TRUE(net.predict());
  EXPECT_EQ(net.outputs[0].data_type(),
            sizeof(T) == 1 ? SynapDataType::int8 : SynapDataType::float32);
  const auto* const out = static_cast<const T*>(net.outputs[0].data());
  std::vector<float> values;
  for (int i = 0; i < 72; ++i) {
    values.push_back((static_cast<float>(out[at(i)]) - static_cast<float>(zero)) * scale);
  }
  return values;
}

TEST(DataLayoutTest, Int8AndDequantizedOutputsHaveTheSameValuesInBothLayouts) {
  std::vector<float> expected;
  for (int i = 0; i < 72; ++i) expected.push_back(static_cast<float>(i < 30 ? 0 : i - 30) * 0.5f);
  for (const char* model : {"nhwc", "nchw"}) {
    for (const Layout layout : {Layout::nhwc, Layout::nchw}) {
      SCOPED_TRACE(absl::StrCat(model, layout == Layout::nchw ? " to nchw" : " to nhwc"));
      const char* const wanted = layout == Layout::nchw ? "nchw" : "nhwc";
      const auto compile = [&](const Metafile& metafile) {
        Warnings warnings;
        auto compiled = CompileStage(GraphOf(SignedModel(model)), metafile, **FindTarget("VS680"),
                                     {}, warnings);
        EXPECT_TRUE(compiled.ok()) << compiled.status();
        return *std::move(compiled);
      };
      const CompiledModel bytes = compile(WithLayoutOf(wanted));
      EXPECT_EQ(SignedOutputs<int8_t>(bytes, layout, 0.25f, -128), expected);
      const CompiledModel reals = compile(WithLayoutOf(wanted, "outputs: [{dequantize: true}]"));
      EXPECT_EQ(SignedOutputs<float>(reals, layout, 1, 0), expected);
    }
  }
}

TEST(DataLayoutTest, TheSelfTestTakesSamplesInTheModelsLayout) {
  const Metafile metafile = WithLayoutOf("nchw");
  const Graph imported = GraphOf(Model("nhwc"));
  const CompiledModel own = Compile("nhwc", WithLayoutOf("nhwc"));
  const CompiledModel other = Compile("nhwc", metafile);
  const auto own_test = SelfTestStage(own.synap, imported, WithLayoutOf("nhwc"), {.cases = 1});
  const auto other_test = SelfTestStage(other.synap, imported, metafile, {.cases = 1});
  ASSERT_TRUE(own_test.ok()) << own_test.status();
  ASSERT_TRUE(other_test.ok()) << other_test.status();
  const auto sample_of = [](const std::string& synap) {
    const auto cases = ReadSelfTest(AsBytes(synap));
    EXPECT_TRUE(cases.ok()) << cases.status();
    const absl::Span<const uint8_t> input = cases->front().inputs[0];
    return std::vector<uint8_t>(input.begin(), input.end());
  };
  const std::vector<uint8_t> nhwc = sample_of(*own_test), nchw = sample_of(*other_test);
  ASSERT_EQ(nhwc.size(), nchw.size());
  for (size_t i = 0; i < 24; ++i) {
    for (size_t c = 0; c < 3; ++c) EXPECT_EQ(nchw[24 * c + i], nhwc[3 * i + c]) << i << " " << c;
  }
}

}  // namespace
}  // namespace synap_internal
