#include "compiler/graph/preprocessing/insert_preprocessing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "compiler/graph/text.h"
#include "compiler/testing/run_pass.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kNhwc[] = R"(graph "g" layout="nhwc" {
  input %x: uint8[1x4x6x3]<affine 0.5 10>
  %y: uint8[1x4x6x3]<affine 0.5 10> = relu(%x) from "n"
  output %y
})";

// As ONNX models are imported: the network's layers read the picture in NHWC.
constexpr char kNchw[] = R"(graph "g" layout="nchw" {
  input %x: uint8[1x3x4x6]<affine 0.5 10>
  %t: uint8[1x4x6x3]<affine 0.5 10> = transpose(%x) {perm=[0, 2, 3, 1]} from "t"
  %y: uint8[1x4x6x3]<affine 0.5 10> = relu(%t) from "n"
  output %y
})";

Metafile Meta(const std::string& input) {
  const auto metafile = ParseMetafile(absl::StrCat("inputs: [{", input, "}]"), {.path = "m.yaml"});
  EXPECT_TRUE(metafile.ok()) << metafile.status();
  return *metafile;
}

// The metadata of a graph's inputs that Tensor::assign would normalize with mean 1 and scale 2.
std::vector<TensorMetadata> Described(const Graph& graph, const std::string& format) {
  std::vector<TensorMetadata> inputs;
  for (const Tensor* input : graph.inputs) {
    TensorMetadata& metadata = inputs.emplace_back();
    metadata.name = input->name;
    metadata.shape = input->type.shape;
    metadata.dtype = input->type.dtype;
    metadata.quant = input->type.quant;
    if (metadata.shape.rank() == 4) {
      metadata.layout = graph.layout == "nchw" ? TensorLayout::kNchw : TensorLayout::kNhwc;
    }
    metadata.data_format = format;
    metadata.scale = 2;
    metadata.mean = {1};
  }
  return inputs;
}

absl::StatusOr<PreprocessedNetwork> Insert(const std::string& text, const std::string& preprocess,
                                           const std::string& format, Warnings& warnings) {
  const Graph graph = GraphOf(text);
  const Metafile metafile = Meta(absl::StrCat("preprocess: {", preprocess, "}"));
  absl::StatusOr<PreprocessedNetwork> network =
      InsertPreprocessing(graph, metafile, Described(graph, format), warnings);
  if (network.ok()) {
    EXPECT_TRUE(VerifyGraph(network->graph).ok()) << VerifyGraph(network->graph);
  }
  return network;
}

PreprocessedNetwork Insert(const std::string& text, const std::string& preprocess,
                           const std::string& format = "") {
  Warnings warnings;
  absl::StatusOr<PreprocessedNetwork> network = Insert(text, preprocess, format, warnings);
  EXPECT_TRUE(network.ok()) << network.status();
  EXPECT_THAT(warnings.all(), IsEmpty());
  return *std::move(network);
}

std::string Refusal(const std::string& text, const std::string& preprocess) {
  Warnings warnings;
  return std::string(Insert(text, preprocess, "", warnings).status().message());
}

// "x.y8 nhwc 1x8x12x1 uint8 'y8 rgb'" for each input.
std::vector<std::string> InputTexts(const PreprocessedNetwork& network) {
  std::vector<std::string> texts;
  for (size_t i = 0; i < network.inputs.size(); ++i) {
    const TensorMetadata& input = network.inputs[i];
    EXPECT_EQ(network.graph.inputs[i]->name, input.name);
    EXPECT_EQ(network.graph.inputs[i]->type.shape, input.shape);
    EXPECT_EQ(network.graph.inputs[i]->type.dtype, input.dtype);
    const char* layout = input.layout == TensorLayout::kNchw   ? " nchw "
                         : input.layout == TensorLayout::kNhwc ? " nhwc "
                                                               : " ";
    texts.push_back(absl::StrCat(input.name, layout, input.shape.ToString(), " ", Name(input.dtype),
                                 " '", input.data_format, "'"));
  }
  return texts;
}

TEST(InsertPreprocessingTest, TheOpMakesAnNhwcInput) {
  EXPECT_EQ(PrintGraph(Insert(kNhwc, "type: nv12, size: [12, 8]").graph),
            PrintGraph(GraphOf(R"(graph "g" layout="nhwc" {
  input %x.y8: uint8[1x8x12x1]
  input %x.uv8: uint8[1x4x6x2]
  %x.tensor: uint8[1x4x6x3]<affine 0.5 10> = image_to_tensor(%x.y8, %x.uv8) {mean=[1.0], scale=[2.0], size=[4, 6], type="nv12"} from "x"
  %y: uint8[1x4x6x3]<affine 0.5 10> = relu(%x.tensor) from "n"
  output %y
})")));
}

TEST(InsertPreprocessingTest, LayersOfAnNchwNetworkReadTheOpsOutput) {
  EXPECT_EQ(PrintGraph(Insert(kNchw, "type: bgra", "bgr").graph),
            PrintGraph(GraphOf(R"(graph "g" layout="nchw" {
  input %x: uint8[1x4x6x4]
  %x.nhwc: uint8[1x4x6x3]<affine 0.5 10> = image_to_tensor(%x) {bgr=1, mean=[1.0], scale=[2.0], size=[4, 6], type="bgra"} from "x"
  %y: uint8[1x4x6x3]<affine 0.5 10> = relu(%x.nhwc) from "n"
  output %y
})")));
}

TEST(InsertPreprocessingTest, OtherReadersOfAnNchwInputGetATranspose) {
  EXPECT_EQ(PrintGraph(Insert(R"(graph "g" layout="nchw" {
  input %x: float16[1x1x4x6]
  %y: float16[1x1x4x6] = relu(%x) from "n"
  output %y
})",
                              "type: gray, crop: true")
                           .graph),
            PrintGraph(GraphOf(R"(graph "g" layout="nchw" {
  input %x: uint8[1x4x6x1]
  input %x.crop_width: int32[1]
  input %x.crop_height: int32[1]
  input %x.crop_left: int32[1]
  input %x.crop_top: int32[1]
  %x.nhwc: float16[1x4x6x1] = image_to_tensor(%x, %x.crop_width, %x.crop_height, %x.crop_left, %x.crop_top) {mean=[1.0], scale=[2.0], size=[4, 6], to="float16", type="gray"} from "x"
  %x.tensor: float16[1x1x4x6] = transpose(%x.nhwc) {perm=[0, 3, 1, 2]} from "x"
  %y: float16[1x1x4x6] = relu(%x.tensor) from "n"
  output %y
})")));
}

TEST(InsertPreprocessingTest, EachTypeHasItsTensors) {
  const auto inputs = [](const std::string& preprocess) {
    return InputTexts(Insert(kNhwc, preprocess, "rgb a=1"));
  };
  EXPECT_THAT(inputs("type: yuv444"), ElementsAre("x.y8 nhwc 1x4x6x1 uint8 'y8 rgb a=1'",
                                                  "x.u8 nhwc 1x4x6x1 uint8 'u8 rgb a=1'",
                                                  "x.v8 nhwc 1x4x6x1 uint8 'v8 rgb a=1'"));
  EXPECT_THAT(inputs("type: yuv420"), ElementsAre("x.y8 nhwc 1x4x6x1 uint8 'y8 rgb a=1'",
                                                  "x.u8 nhwc 1x2x3x1 uint8 'u8 rgb a=1'",
                                                  "x.v8 nhwc 1x2x3x1 uint8 'v8 rgb a=1'"));
  EXPECT_THAT(inputs("type: nv21, size: [12, 10]"),
              ElementsAre("x.y8 nhwc 1x10x12x1 uint8 'y8 rgb a=1'",
                          "x.vu8 nhwc 1x5x6x2 uint8 'vu8 rgb a=1'"));
  EXPECT_THAT(inputs("type: rgb"), ElementsAre("x nhwc 1x4x6x3 uint8 'rgb rgb a=1'"));
  EXPECT_THAT(inputs("type: rgb888p, size: [5, 3]"),
              ElementsAre("x nchw 1x3x3x5 uint8 'rgb rgb a=1'"));
  EXPECT_THAT(inputs("type: rgb888p3"), ElementsAre("x.r8 nhwc 1x4x6x1 uint8 'r8 rgb a=1'",
                                                    "x.g8 nhwc 1x4x6x1 uint8 'g8 rgb a=1'",
                                                    "x.b8 nhwc 1x4x6x1 uint8 'b8 rgb a=1'"));
  EXPECT_THAT(
      inputs("type: bgra, size: [12, 8], crop: true"),
      ElementsAre("x nhwc 1x8x12x4 uint8 'bgra rgb a=1'", "x.crop_width 1 int32 'tensor_dim=6'",
                  "x.crop_height 1 int32 'tensor_dim=4'", "x.crop_left 1 int32 ''",
                  "x.crop_top 1 int32 ''"));
}

// The op consumes them: the application assigns pixels as they are.
TEST(InsertPreprocessingTest, PicturesAreNotNormalizedByTheApplication) {
  const PreprocessedNetwork network = Insert(kNhwc, "type: rgb");
  EXPECT_FALSE(network.inputs[0].scale.has_value());
  EXPECT_THAT(network.inputs[0].mean, IsEmpty());
  EXPECT_FALSE(network.inputs[0].quant.quantized());
}

TEST(InsertPreprocessingTest, Float32IsConvertedToTheInputsType) {
  const PreprocessedNetwork network = Insert(kNchw, "type: float32");
  EXPECT_EQ(PrintGraph(network.graph), PrintGraph(GraphOf(R"(graph "g" layout="nchw" {
  input %x: float32[1x3x4x6]
  %x.tensor: uint8[1x3x4x6]<affine 0.5 10> = quantize(%x) from "x"
  %t: uint8[1x4x6x3]<affine 0.5 10> = transpose(%x.tensor) {perm=[0, 2, 3, 1]} from "t"
  %y: uint8[1x4x6x3]<affine 0.5 10> = relu(%t) from "n"
  output %y
})")));
  EXPECT_EQ(network.inputs[0].scale, 2);
  EXPECT_EQ(network.inputs[0].dtype, DataType::kFloat32);
  EXPECT_THAT(Refusal(R"(graph "g" layout="nchw" {
  input %x: int64[1x4]
  %y: int64[1x4] = add(%x, %x) from "n"
  output %y
})",
                      "type: float32"),
              HasSubstr("expected a float or quantized input for type float32"));
}

TEST(InsertPreprocessingTest, InputsWithoutPreprocessingStay) {
  const Graph graph = GraphOf(R"(graph "g" layout="nhwc" {
  input %a: float32[1x4x6x3]
  input %b: float32[1x4x6x3]
  %y: float32[1x4x6x3] = add(%a, %b) from "n"
  output %y
})");
  const Metafile metafile =
      Meta("}, {name: null, preprocess: {type: none}}, {preprocess: {type: ''}");
  Warnings warnings;
  const auto network = InsertPreprocessing(graph, metafile, Described(graph, ""), warnings);
  ASSERT_TRUE(network.ok()) << network.status();
  EXPECT_EQ(PrintGraph(network->graph), PrintGraph(graph));
  EXPECT_EQ(network->inputs.size(), 2u);
}

TEST(InsertPreprocessingTest, ASizeThatLooksTurnedIsNoted) {
  Warnings warnings;
  ASSERT_TRUE(Insert(kNhwc, "type: nv12, size: [1080, 1920]", "", warnings).ok());
  EXPECT_THAT(warnings.Texts(Severity::kNote),
              ElementsAre("m.yaml:1:11: pictures of input 'x' are 1080 pixels wide and 1920 high: "
                          "the first number of 'size' is the width"));
}

std::string GraphWithInput(const std::string& type, const std::string& op = "relu") {
  return absl::StrCat("graph \"g\" layout=\"nhwc\" {\n  input %x: ", type, "\n  %y: ", type, " = ",
                      op, "(%x) from \"n\"\n  output %y\n}");
}

TEST(InsertPreprocessingTest, SaysWhatDoesNotFit) {
  EXPECT_EQ(Refusal(GraphWithInput("float32[1x4x6x1]"), "type: rgb"),
            "m.yaml:1:11: inputs[0].preprocess: input 'x' is float32 1x4x6x1 with 1 channel, "
            "expected 3 for type rgb; use type gray");
  EXPECT_EQ(Refusal(kNhwc, "type: gray"),
            "m.yaml:1:11: inputs[0].preprocess: input 'x' is uint8 1x4x6x3 with 3 channels, "
            "expected 1 for type gray");
  EXPECT_EQ(Refusal(GraphWithInput("float32[1x4]"), "type: rgb, crop: true"),
            "m.yaml:1:11: inputs[0].preprocess: input 'x' is float32 1x4, expected 4 dimensions, "
            "[1,H,W,C]; leave 'preprocess' out");
  EXPECT_EQ(Refusal(GraphWithInput("float32[2x4x6x3]"), "type: rgb"),
            "m.yaml:1:11: inputs[0].preprocess: input 'x' is float32 2x4x6x3, a batch of 2, "
            "expected one picture; convert with a batch of 1");
  EXPECT_EQ(Refusal(GraphWithInput("int64[1x4x6x3]", "neg"), "type: rgb"),
            "m.yaml:1:11: inputs[0].preprocess: input 'x' is int64 1x4x6x3 numbers, expected "
            "pixels; leave 'preprocess' out");
  EXPECT_EQ(Refusal(GraphWithInput("float32[1x5x6x3]"), "type: nv12"),
            "m.yaml:1:11: inputs[0].preprocess: input 'x' is 6x5, but nv12 has one colour for 2x2 "
            "pixels, expected even sides; add 'size: [width, height]' of the pictures");
  EXPECT_THAT(Refusal(GraphWithInput("float32[1x1x40000x3]"), "type: rgb"),
              HasSubstr("pictures of 40000x1 for 40000x1, expected sides of at most 65535"));
}

TEST(InsertPreprocessingTest, PixelsNeedValues) {
  const Graph graph = GraphOf(kNhwc);
  std::vector<TensorMetadata> inputs = Described(graph, "");
  inputs[0].pixels_unknown = true;
  Warnings warnings;
  EXPECT_EQ(InsertPreprocessing(graph, Meta("preprocess: {type: rgb}"), inputs, warnings)
                .status()
                .message(),
            "m.yaml:1:11: inputs[0].preprocess: input 'x': nothing tells the values of pixels, "
            "expected 'means' and 'scale'; add them to this input");
}

}  // namespace
}  // namespace synap_internal
