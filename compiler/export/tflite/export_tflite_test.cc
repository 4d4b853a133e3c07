#include "compiler/export/tflite/export_tflite.h"

#include <string>
#include <vector>

#include "compiler/export/tflite/exported_file.h"
#include "compiler/graph/graph.h"
#include "compiler/graph/text.h"
#include "compiler/import/tflite/model_generated.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace synap_internal::tflite_export {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using tflite::Activation;
using tflite::BuiltinOperator;
using tflite::Padding;

// Weights with a scale for each channel, and a residual.
constexpr char kInt8Network[] = R"(
    const %w: int8[3x1x1x2]<channel 0 [0.5, 0.25, 0.125]> = [1, -2, 3, 4, -5, 6]
    const %b: int32[3]<channel 0 [0.0625, 0.03125, 0.015625]> = [10, -20, 30]
    const %d: int8[1x3x3x3]<channel 3 [0.5, 0.25, 0.125]> = splat 2
    %c: int8[1x4x4x3]<affine 0.25 -28> = conv2d(%x, %w, %b) {min=0.0} from "conv"
    %p: int8[1x2x2x3]<affine 0.25 -28> = depthwise_conv2d(%c, %d) {strides=[2, 2], pads=[0, 0, 1, 1], min=0.0, max=6.0} from "dw"
    %y: int8[1x2x2x3]<affine 0.5 3> = add(%p, %p) from "sum"
)";

TEST(ExportTfliteTest, Int8NetworksAreWhatTheGraphIs) {
  const std::string text = Graph1("int8[1x4x4x2]<affine 0.125 -96>", kInt8Network);
  const ExportedFile file(text);
  EXPECT_THAT(file.Operators(), ElementsAre("CONV_2D", "DEPTHWISE_CONV_2D", "ADD"));
  EXPECT_EQ(TypeOf(file.input(0, 0)), "INT8 0.125 -96");
  EXPECT_EQ(TypeOf(file.input(0, 1)), "INT8 0.5 0.25 0.125 0");
  EXPECT_EQ(TypeOf(file.input(0, 2)), "INT32 0.0625 0.03125 0.015625 0");
  EXPECT_EQ(file.input(1, 1).quantization()->quantized_dimension(), 3);
  EXPECT_EQ(TypeOf(file.output(2)), "INT8 0.5 3");
  EXPECT_EQ(file.output(1).name()->str(), "p");
  const auto* conv = file.op(0).builtin_options_as_Conv2DOptions();
  ASSERT_NE(conv, nullptr);
  EXPECT_EQ(conv->fused_activation_function(), Activation::RELU);
  EXPECT_EQ(conv->padding(), Padding::VALID);
  const auto* depthwise = file.op(1).builtin_options_as_DepthwiseConv2DOptions();
  ASSERT_NE(depthwise, nullptr);
  EXPECT_EQ(depthwise->padding(), Padding::SAME);
  EXPECT_EQ(depthwise->stride_h(), 2);
  EXPECT_EQ(depthwise->depth_multiplier(), 1);
  EXPECT_EQ(depthwise->fused_activation_function(), Activation::RELU6);
  ExpectSameAfterRoundTrip(text);
}

TEST(ExportTfliteTest, FilesAreWellFormed) {
  const ExportedFile file(Graph1("int8[1x4x4x2]<affine 0.125 -96>", kInt8Network));
  flatbuffers::Verifier verifier(reinterpret_cast<const uint8_t*>(file.bytes().data()),
                                 file.bytes().size());
  EXPECT_TRUE(tflite::VerifyModelBuffer(verifier));
  EXPECT_EQ(file.bytes().substr(4, 4), "TFL3");
  EXPECT_EQ(file.model().version(), 3u);
  EXPECT_THAT(file.model().description()->str(), HasSubstr("synap"));
  EXPECT_EQ(file.graph().name()->str(), "g");
  ASSERT_GT(file.model().buffers()->size(), 1u);
  EXPECT_EQ(file.model().buffers()->Get(0)->data(), nullptr);
  for (uint32_t i = 1; i < file.model().buffers()->size(); ++i) {
    const auto* data = file.model().buffers()->Get(i)->data();
    const auto* begin = reinterpret_cast<const uint8_t*>(file.bytes().data());
    EXPECT_EQ((data->data() - begin) % 16, 0) << "buffer " << i;
  }
  ASSERT_EQ(file.model().signature_defs()->size(), 1u);
  const auto& signature = *file.model().signature_defs()->Get(0);
  EXPECT_EQ(signature.signature_key()->str(), "serving_default");
  EXPECT_EQ(signature.inputs()->Get(0)->name()->str(), "x");
  EXPECT_EQ(signature.outputs()->Get(0)->name()->str(), "y");
  EXPECT_EQ(signature.outputs()->Get(0)->tensor_index(),
            static_cast<uint32_t>(file.graph().outputs()->Get(0)));
}

TEST(ExportTfliteTest, OperatorsHaveTheVersionOfTheirTypes) {
  const ExportedFile file(Graph1("int8[1x4x4x2]<affine 0.125 -96>", kInt8Network));
  EXPECT_EQ(file.code(0).version(), 3);
  EXPECT_EQ(file.code(0).deprecated_builtin_code(), static_cast<int8_t>(BuiltinOperator::CONV_2D));
  EXPECT_EQ(file.code(2).version(), 2);
  const ExportedFile gelu(Graph1("float32[2]", "    %y: float32[2] = gelu(%x) from \"g\"\n"));
  EXPECT_EQ(gelu.code(0).builtin_code(), BuiltinOperator::GELU);
  EXPECT_EQ(gelu.code(0).deprecated_builtin_code(), 127);
  const ExportedFile halves(
      Graph1("float32[2]", "    %y: float16[2] = cast(%x) {to=\"float16\"} from \"c\"\n"));
  EXPECT_EQ(halves.code(0).builtin_code(), BuiltinOperator::CAST);
  EXPECT_EQ(halves.code(0).version(), 5);
}

TEST(ExportTfliteTest, BytesOfWeightsDecideWhichBytesFlow) {
  // Weights with another zero point than 128 have no other form.
  const ExportedFile bytes(Graph1("uint8[1x2]<affine 0.5 3>", R"(
    const %w: uint8[2x2]<affine 0.25 1> = [1, 2, 3, 4]
    %y: uint8[1x2]<affine 0.5 3> = fully_connected(%x, %w) from "fc"
)"));
  EXPECT_THAT(bytes.Operators(), ElementsAre("FULLY_CONNECTED"));
  // Weights of int8 want int8; the network's ends stay as they are.
  const std::string text = Graph1("uint8[1x2]<affine 0.5 3>", R"(
    const %w: int8[2x2]<channel 0 [0.25, 0.5]> = [1, 2, 3, 4]
    %h: uint8[1x2]<affine 0.5 3> = fully_connected(%x, %w) from "fc"
    %y: uint8[1x2]<affine 0.5 3> = relu(%h) from "act"
)");
  const ExportedFile file(text);
  EXPECT_THAT(file.Operators(), ElementsAre("QUANTIZE", "FULLY_CONNECTED", "RELU", "QUANTIZE"));
  EXPECT_EQ(TypeOf(file.input(0, 0)), "UINT8 0.5 3");
  EXPECT_EQ(TypeOf(file.output(1)), "INT8 0.5 -125");
  EXPECT_EQ(TypeOf(file.output(3)), "UINT8 0.5 3");
  EXPECT_EQ(file.output(3).name()->str(), "y");
  ExpectSameAfterRoundTrip(text);
}

TEST(ExportTfliteTest, ClampsThatIntegersImplyAreLeftOut) {
  const auto network = [](const std::string& clamp, const std::string& quantizer) {
    return Graph1("int8[1x2]<affine 0.5 0>", R"(
    const %w: int8[2x2]<affine 0.25 0> = [1, 2, 3, 4]
    %y: int8[1x2]<affine )" + quantizer + "> = fully_connected(%x, %w) {" +
                                                 clamp + "} from \"fc\"\n");
  };
  const ExportedFile implied(network("min=0.0, max=1.0", "0.00390625 -128"));
  ASSERT_THAT(implied.Operators(), ElementsAre("FULLY_CONNECTED"));
  EXPECT_EQ(implied.op(0).builtin_options_as_FullyConnectedOptions()->fused_activation_function(),
            Activation::NONE);
  const std::string text = network("min=-2.0, max=3.0", "0.25 -12");
  EXPECT_THAT(ExportedFile(text).Operators(), ElementsAre("FULLY_CONNECTED", "MAXIMUM", "MINIMUM"));
  ExpectSameAfterRoundTrip(text);
}

TEST(ExportTfliteTest, KernelsWithOneQuantizerAreFollowedByAnother) {
  const std::string text = Graph1("int8[1x4]<affine 0.0625 3>", R"(
    %s: int8[1x4]<affine 0.003921569 -128> = softmax(%x) {axis=-1} from "softmax"
    %t: int8[1x4]<affine 0.0078125 0> = tanh(%x) from "tanh"
    %y: int8[1x8]<affine 0.0078125 0> = concat(%s, %t) {axis=1} from "both"
)");
  const ExportedFile file(text);
  EXPECT_THAT(file.Operators(),
              ElementsAre("SOFTMAX", "QUANTIZE", "TANH", "QUANTIZE", "CONCATENATION"));
  EXPECT_EQ(TypeOf(file.output(0)), "INT8 0.00390625 -128");
  EXPECT_EQ(file.output(1).name()->str(), "s");
  EXPECT_EQ(TypeOf(file.output(2)), "INT8 0.0078125 0");
  EXPECT_EQ(TypeOf(file.input(4, 0)), "INT8 0.0078125 0");
  ExpectSameAfterRoundTrip(text, 1);
}

TEST(ExportTfliteTest, MeansInFinerStepsThanTheirOperandsAreConvolutions) {
  const std::string text = Graph1("int8[1x4x4x2]<affine 0.5 3>", R"(
    %y: int8[1x2x2x2]<affine 0.125 -7> = avg_pool2d(%x) {kernel=[2, 2], strides=[2, 2]} from "pool"
)");
  EXPECT_THAT(ExportedFile(text).Operators(), ElementsAre("DEPTHWISE_CONV_2D"));
  ExpectSameAfterRoundTrip(text);
  const std::string coarse = Graph1("int8[1x4x4x2]<affine 0.125 3>", R"(
    %y: int8[1x2x2x2]<affine 0.25 -7> = avg_pool2d(%x) {kernel=[2, 2], strides=[2, 2]} from "pool"
)");
  EXPECT_THAT(ExportedFile(coarse).Operators(), ElementsAre("AVERAGE_POOL_2D", "QUANTIZE"));
  ExpectSameAfterRoundTrip(coarse, 1);
}

TEST(ExportTfliteTest, PadsOfNothingAreNoOperator) {
  const ExportedFile file(Graph1("int8[1x4x4x2]<affine 0.125 3>", R"(
    %y: int8[1x2x2x2]<affine 0.125 3> = avg_pool2d(%x) {kernel=[2, 2], strides=[2, 2], count_include_pad=1} from "pool"
)"));
  EXPECT_THAT(file.Operators(), ElementsAre("AVERAGE_POOL_2D"));
}

TEST(ExportTfliteTest, SixteenBitsBesideWeightsOfEight) {
  const std::string text = Graph1("int16[1x2]<affine 0.001 0>", R"(
    const %w: int8[1x2]<affine 0.25 0> = [100, -50]
    const %b: int64[1]<affine 0.00025 0> = [1000]
    %f: int16[1x1]<affine 0.002 0> = fully_connected(%x, %w, %b) from "fc"
    %y: int16[1x1]<affine 0.004 0> = add(%f, %f) from "sum"
)");
  const ExportedFile file(text);
  EXPECT_EQ(TypeOf(file.input(0, 2)).substr(0, 5), "INT64");
  ASSERT_THAT(file.Operators(), ElementsAre("FULLY_CONNECTED", "ADD"));
  EXPECT_EQ(file.code(0).version(), 7);
  EXPECT_FALSE(file.op(1).builtin_options_as_AddOptions()->pot_scale_int16());
  ExpectSameAfterRoundTrip(text);
}

TEST(ExportTfliteTest, WholeNumbersAreNumbers) {
  const std::string text = Graph1("int8[2]<affine 0.5 3>", R"(
    %y: int8[2]<affine 0.25 0> = elu(%x) {alpha=1} from "act"
)");
  EXPECT_THAT(ExportedFile(text).Operators(), ElementsAre("ELU"));
}

TEST(ExportTfliteTest, BytesThatGiveSixteenBitsAreWidenedExactly) {
  const std::string text = Graph1("int8[1x2x2x2]<affine 0.5 3>", R"(
    const %w: int8[1x1x1x2]<channel 0 [0.25]> = [100, -50]
    const %b: int32[1]<channel 0 [0.125]> = [-7]
    %y: int16[1x2x2x1]<affine 0.01 0> = conv2d(%x, %w, %b) from "wide"
)");
  const ExportedFile file(text);
  EXPECT_THAT(file.Operators(), ElementsAre("QUANTIZE", "CONV_2D"));
  EXPECT_EQ(TypeOf(file.input(1, 0)), "INT16 0.5 0");
  ExpectSameAfterRoundTrip(text);
}

TEST(ExportTfliteTest, HalvesAreStoredAndComputedWithAsFloats) {
  const std::string text = Graph1("float16[1x2]", R"(
    const %w: float16[1x2] = [14336, 49152]
    %y: float16[1x1] = fully_connected(%x, %w) from "fc"
)");
  const ExportedFile file(text);
  EXPECT_THAT(file.Operators(), ElementsAre("DEQUANTIZE", "FULLY_CONNECTED"));
  EXPECT_EQ(TypeOf(file.input(0, 0)), "FLOAT16");
  EXPECT_EQ(TypeOf(file.input(1, 0)), "FLOAT32");
  EXPECT_EQ(file.code(0).version(), 3);
}

TEST(ExportTfliteTest, FixedPointHasScalesThatArePowersOfTwo) {
  const std::string text = Graph1("int8[1x2]<fixed 3>", R"(
    const %w: int8[1x2]<fixed 5> = [100, -50]
    const %b: int32[1]<fixed 8> = [1000]
    %y: int8[1x1]<fixed 1> = fully_connected(%x, %w, %b) from "fc"
)");
  const ExportedFile file(text);
  EXPECT_EQ(TypeOf(file.input(0, 0)), "INT8 0.125 0");
  EXPECT_EQ(TypeOf(file.input(0, 2)), "INT32 0.00390625 0");
  ExpectSameAfterRoundTrip(text);
}

TEST(ExportTfliteTest, LayersThatTensorFlowLiteCannotSayAreAllNamed) {
  const std::string text = Graph1("int16[1x2]<affine 0.001 0>", R"(
    const %w: int16[2x2]<affine 0.001 0> = [100, -200, 3, 4]
    %a: int16[1x2]<affine 0.001 0> = fully_connected(%x, %w) from "first"
    %b: int16[1x2]<affine 0.001 0> = fully_connected(%a, %w) from "second"
    %y: int16[1x2]<affine 0.001 0> = sqrt(%b) from "root"
)");
  const std::string error = ExportError(text);
  EXPECT_THAT(error, HasSubstr("as TensorFlow Lite: "));
  EXPECT_THAT(error, HasSubstr("fully_connected 'first', fully_connected 'second': its weights are "
                               "int16, expected int8 with zero point 0"));
  EXPECT_THAT(error, HasSubstr("sqrt 'root': its values are int16, expected float32"));
  const ExportedFile file(text, kFallback);
  EXPECT_THAT(file.Operators(),
              ElementsAre("DEQUANTIZE", "FULLY_CONNECTED", "QUANTIZE", "DEQUANTIZE",
                          "FULLY_CONNECTED", "QUANTIZE", "DEQUANTIZE", "SQRT", "QUANTIZE"));
  ExpectSameAfterRoundTrip(text, 1, kFallback);
}

TEST(ExportTfliteTest, SixteenBitsWithAZeroPointAreRefusedWhateverTheFallback) {
  const std::string bytes = "int8[2]<affine 0.5 3>", words = "int16[2]<affine 0.5 7>";
  for (const std::string op : {"requantize(%x)", "relu(%x)"}) {
    const std::string made = Graph1(bytes, "    %y: " + words + " = " + op + " from \"f\"\n");
    EXPECT_THAT(ExportError(made, kFallback),
                HasSubstr("'f': 'y' is int16 with zero point 7, expected 0"));
    const std::string read = Graph1(words, "    %y: " + bytes + " = " + op + " from \"f\"\n");
    EXPECT_THAT(ExportError(read, kFallback),
                HasSubstr("'f': 'x' is int16 with zero point 7, expected 0"));
  }
}

TEST(ExportTfliteTest, IntegersThatNoKernelTakesAreRefused) {
  const auto error = [](const std::string& type, const std::string& op) {
    return ExportError(Graph1(type, "    %y: " + type + " = " + op + " from \"f\"\n"), kFallback);
  };
  EXPECT_THAT(error("int32[2]", "square(%x)"),
              HasSubstr("square 'f': its values are int32, expected float32"));
  EXPECT_THAT(error("int64[2]", "abs(%x)"),
              HasSubstr("abs 'f': its values are int64, expected int32 or float32"));
  EXPECT_THAT(error("int64[2]", "div(%x, %x)"), HasSubstr("its values are int64, expected int32"));
  EXPECT_EQ(error("int32[2]", "abs(%x)"), "");
  EXPECT_EQ(error("int64[2]", "neg(%x)"), "");
}

TEST(ExportTfliteTest, QuantizersOfWideIntegersAreRefused) {
  EXPECT_THAT(ExportError(Graph1("int32[2]<affine 0.5 0>", R"(
    %y: int32[1x2]<affine 0.5 0> = reshape(%x) {shape=[1, 2]} from "r"
)")),
              HasSubstr("'x' is int32 with a quantizer, expected int8, uint8 or int16"));
}

TEST(ExportTfliteTest, OptionsThatTensorFlowLiteLacksAreAllNamed) {
  const std::string error = ExportError(Graph1("float32[1x4x4x1]", R"(
    %a: float32[1x4x4x1] = resize(%x) {size=[4, 4], mode="linear", scales=[1.5, 1.0]} from "first"
    %b: float32[1x3x3x1] = max_pool2d(%a) {kernel=[2, 2], dilations=[1, 1]} from "kept"
    %y: float32[1x1x1x1] = max_pool2d(%b) {kernel=[2, 2], dilations=[2, 2]} from "second"
)"));
  EXPECT_THAT(error, HasSubstr("resize 'first': its scales aren't those of the sizes"));
  EXPECT_THAT(error, HasSubstr("max_pool2d 'second': its window has a dilation"));
  EXPECT_THAT(error, Not(HasSubstr("kept")));
}

TEST(ExportTfliteTest, OpsWithoutAnOperatorAreNamedWhateverTheFallback) {
  const std::string text = Graph1("float32[1x4x4x2]", R"(
    const %g: float32[1x1x2x2] = splat 0.5
    %y: float32[1x1x2x2] = grid_sample(%x, %g) from "sample"
)");
  EXPECT_THAT(ExportError(text, kFallback),
              HasSubstr("grid_sample 'sample': TensorFlow Lite has no operator for it"));
}

TEST(ExportTfliteTest, CompiledNetworksAreRefused) {
  EXPECT_THAT(ExportError(Graph1("float32[1x2]", R"(
    const %w: float32[2x2] = splat 1.0
    %y: float32[1x2] = fully_connected(%x, %w) {activation="tanh"} from "fc"
)")),
              HasSubstr("fully_connected 'fc': it has the epilogue of a compiled network"));
}

TEST(ExportTfliteTest, ImagesHaveTheLayoutThatIsAskedFor) {
  const std::string text = R"(graph "g" layout="nchw" {
    input %x: float32[1x3x4x4]
    %x.nhwc: float32[1x4x4x3] = transpose(%x) {perm=[0, 2, 3, 1]} from "pool"
    %m: float32[1x2x2x3] = max_pool2d(%x.nhwc) {kernel=[2, 2], strides=[2, 2]} from "pool"
    %y: float32[1x3x2x2] = transpose(%m) {perm=[0, 3, 1, 2]} from "pool"
    output %y
})";
  EXPECT_THAT(ExportedFile(text).Operators(), ElementsAre("TRANSPOSE", "MAX_POOL_2D", "TRANSPOSE"));
  const ExportedFile file(text, {.layout = "nhwc"});
  EXPECT_THAT(file.Operators(), ElementsAre("MAX_POOL_2D"));
  EXPECT_THAT(*file.input(0, 0).shape(), ElementsAre(1, 4, 4, 3));
  EXPECT_EQ(file.input(0, 0).name()->str(), "x");
}

TEST(ExportTfliteTest, OutputsThatAreSomethingElseToo) {
  const std::string text = R"(graph "g" layout="nhwc" {
    input %x: float32[1x2]
    const %k: float32[2] = [1.0, 2.0]
    %a: float32[1x2] = add(%x, %k) from "a"
    output %a
    output %k
    output %x
    output %a
})";
  const ExportedFile file(text);
  std::vector<std::string> names;
  for (const int32_t output : *file.graph().outputs()) {
    names.push_back(file.tensor(output).name()->str());
  }
  EXPECT_THAT(names, ElementsAre("a", "k", "x.1", "a.1"));
  ExpectSameAfterRoundTrip(text);
}

TEST(ExportTfliteTest, DimensionsThatTheFileHasNoNumberForAreRefused) {
  const std::string text = Graph1("uint8[4294967296]", R"(
    %y: uint8[65536x65536] = reshape(%x) {shape=[65536, 65536]} from "r"
)");
  EXPECT_THAT(
      ExportError(text),
      HasSubstr("'x' is 4294967296, expected dimensions and a number of elements below 2^31"));
  EXPECT_THAT(ExportError(Graph1("float32[1x65536x65536x1]", R"(
    %y: float32[1x65536x65536x1] = avg_pool2d(%x) {kernel=[3, 3], pads=[1, 1, 1, 1]} from "pool"
)")),
              HasSubstr("'x' is 1x65536x65536x1, expected dimensions and a number of elements"));
}

TEST(ExportTfliteTest, IsAFunctionOfTheGraph) {
  const auto graph = ParseGraph(Graph1("int8[1x4x4x2]<affine 0.125 -96>", kInt8Network));
  ASSERT_TRUE(graph.ok());
  EXPECT_EQ(*ExportTflite(*graph), *ExportTflite(graph->Clone()));
}

}  // namespace
}  // namespace synap_internal::tflite_export
