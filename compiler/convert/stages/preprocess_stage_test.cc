#include "compiler/convert/stages/preprocess_stage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/tensor_type.h"
#include "base/warnings.h"
#include "compiler/convert/stages/compile_stage.h"
#include "compiler/metafile/metafile.h"
#include "compiler/target/target.h"
#include "compiler/testing/run_pass.h"
#include "kernels/image_to_tensor/picture_type.h"
#include "runtime/bundle/bundle.h"
#include "runtime/bundle/model_metadata.h"
#include "runtime/bundle/text_bytes.h"
#include "runtime/verify/bundle_run.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Target& Vs680() { return **FindTarget("VS680"); }

// A network over an input of 16x12 pixels, compiled with `input` as its metafile's entry.
std::string Compile(absl::string_view type, absl::string_view layout, absl::string_view input) {
  const bool is_nchw = layout == "nchw";
  const absl::string_view shape = is_nchw ? "[1x3x12x16]" : "[1x12x16x3]";
  const auto quant = type.find('<');
  const std::string dtype(type.substr(0, quant));
  const std::string of = quant == absl::string_view::npos ? "" : std::string(type.substr(quant));
  const std::string graph =
      absl::StrCat("graph \"g\" layout=\"", layout, "\" {\n input %x: ", dtype, shape, of,
                   "\n %y: ", dtype, shape, of, " = relu(%x) from \"n\"\n output %y\n}");
  const auto metafile = ParseMetafile(absl::StrCat("inputs: [{", input, "}]"), {.path = "m.yaml"});
  EXPECT_TRUE(metafile.ok()) << metafile.status();
  Warnings ignored;
  absl::StatusOr<CompiledModel> model =
      CompileStage(GraphOf(graph), *metafile, Vs680(), {}, ignored);
  EXPECT_TRUE(model.ok()) << model.status();
  return model->synap;
}

TensorMetadata InputOf(const std::string& synap) {
  return ReadBundle(AsBytes(synap))->subgraphs[0].metadata.inputs[0];
}

PreprocessSpec Pictures(absl::string_view type, bool crop = false) {
  PreprocessSpec spec;
  spec.picture = FindPictureType(type);
  spec.width = 20;
  spec.height = 14;
  spec.crop = crop;
  return spec;
}

using Values = std::vector<std::vector<uint8_t>>;

// The bytes of the only output.
std::vector<uint8_t> OutputOf(const std::string& synap, const Values& inputs) {
  const Bundle bundle = *ReadBundle(AsBytes(synap));
  const std::unique_ptr<BundleRun> run = *BundleRun::Create(bundle, {});
  const std::vector<absl::Span<const uint8_t>> spans(inputs.begin(), inputs.end());
  const absl::Status status = run->Run(spans);
  EXPECT_TRUE(status.ok()) << status;
  return {run->output(0).begin(), run->output(0).end()};
}

// Values for the inputs of a model that takes pictures; a region is the picture without its border.
Values SomePicture(const std::string& synap) {
  const Bundle bundle = *ReadBundle(AsBytes(synap));
  Values values;
  uint32_t state = 1;
  for (const TensorMetadata& input : bundle.subgraphs[0].metadata.inputs) {
    std::vector<uint8_t>& bytes = values.emplace_back();
    bytes.resize(static_cast<size_t>(input.shape.elements()) * SizeOf(input.dtype));
    for (size_t i = 0; i < bytes.size() && !input.scalar; ++i) {
      state = state * 1664525 + 1013904223;
      bytes[i] = static_cast<uint8_t>(state >> 24);
    }
  }
  return values;
}

struct Case {
  const char* type;
  const char* layout;
  const char* input;  // of the metafile
};

// The model that converts and the network, one after the other, give what the network gives that
// converts by itself: its input, type, layout and normalization are those of the network.
TEST(PreprocessStageTest, GivesTheBytesThatTheNetworkWouldMake) {
  for (const Case& c : std::vector<Case>{
           {"uint8<affine 0.003921569 0>", "nchw", "means: 0, scale: 255"},
           {"uint8<affine 0.02 114>", "nhwc", "means: [123.5, 116, 103], scale: 58, format: bgr"},
           {"int16<affine 0.0001 0>", "nchw", "means: 127, scale: 128"},
           {"float32", "nhwc", "means: [1, 2, 3], scale: 2"}}) {
    for (const char* const pictures : {"nv12", "rgb", "yuv420", "rgb888p"}) {
      const std::string network = Compile(c.type, c.layout, c.input);
      const std::string with =
          Compile(c.type, c.layout,
                  absl::StrCat(c.input, ", preprocess: {type: ", pictures, ", size: [20, 14]}"));
      Warnings warnings;
      const absl::StatusOr<CompiledModel> converter =
          PreprocessStage(InputOf(network), Pictures(pictures), Vs680(), warnings);
      ASSERT_TRUE(converter.ok()) << converter.status();
      const Values picture = SomePicture(with);
      EXPECT_EQ(OutputOf(network, {OutputOf(converter->synap, picture)}), OutputOf(with, picture))
          << c.type << " " << pictures;
    }
  }
}

TEST(PreprocessStageTest, ItsOutputIsTheNetworksInput) {
  const std::string network =
      Compile("uint8<affine 0.02 114>", "nchw", "means: 100, scale: 58, format: rgb");
  Warnings warnings;
  const absl::StatusOr<CompiledModel> converter =
      PreprocessStage(InputOf(network), Pictures("nv12", /*crop=*/true), Vs680(), warnings);
  ASSERT_TRUE(converter.ok()) << converter.status();
  EXPECT_THAT(warnings.Texts(), testing::IsEmpty());
  const ModelMetadata metadata = ReadBundle(AsBytes(converter->synap))->subgraphs[0].metadata;
  std::vector<std::string> names;
  for (const TensorMetadata& input : metadata.inputs) names.push_back(input.name);
  EXPECT_THAT(names, ElementsAre("x.y8", "x.uv8", "x.crop_width", "x.crop_height", "x.crop_left",
                                 "x.crop_top"));
  ASSERT_EQ(metadata.outputs.size(), 1u);
  const TensorMetadata input = InputOf(network);
  const TensorMetadata& output = metadata.outputs[0];
  EXPECT_EQ(output.name, "x");
  EXPECT_EQ(output.dtype, input.dtype);
  EXPECT_EQ(output.shape, input.shape);
  EXPECT_EQ(output.layout, input.layout);
  EXPECT_EQ(output.quant, input.quant);
}

TEST(PreprocessStageTest, WhatIsNoPictureIsRefused) {
  TensorMetadata input = InputOf(Compile("float32", "nhwc", "means: 0, scale: 255"));
  Warnings warnings;
  const auto refusal = [&](absl::string_view type) {
    return std::string(
        PreprocessStage(input, Pictures(type), Vs680(), warnings).status().message());
  };
  EXPECT_THAT(refusal("gray"), HasSubstr("with 3 channels, expected 1 for type gray"));
  input.pixels = PixelMapping{{0}, {1, 2, 3}};
  EXPECT_THAT(refusal("rgb"), HasSubstr("input 'x' has 3 scales of pixels, expected one"));
  input.pixels.reset();
  input.pixels_unknown = true;
  EXPECT_THAT(refusal("rgb"), HasSubstr("nothing tells the values of pixels"));
}

}  // namespace
}  // namespace synap_internal
