#include "compiler/export/onnx/export_onnx.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/graph/text.h"
#include "compiler/import/evaluate_graph.h"
#include "compiler/import/import_options.h"
#include "compiler/import/onnx/import_onnx.h"
#include "compiler/testing/input_numbers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "onnx/onnx_pb.h"

namespace synap_internal {
namespace {

using testing::ElementsAre;

onnx::ModelProto Exported(const std::string& text) {
  const auto graph = ParseGraph(text);
  EXPECT_TRUE(graph.ok()) << graph.status();
  onnx::ModelProto model;
  if (!graph.ok()) return model;
  const auto bytes = ExportOnnx(*graph);
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  EXPECT_TRUE(bytes.ok() && model.ParseFromString(*bytes));
  return model;
}

std::vector<std::string> OpTypes(const onnx::ModelProto& model) {
  std::vector<std::string> types;
  for (const onnx::NodeProto& node : model.graph().node()) types.push_back(node.op_type());
  return types;
}

// Exports, imports again and compares what the two graphs compute; `step`: how far quantized
// outputs may be apart.
void ExpectSameAfterRoundTrip(const std::string& text, float step = 0) {
  SCOPED_TRACE(text);
  const auto graph = ParseGraph(text);
  ASSERT_TRUE(graph.ok()) << graph.status();
  const auto bytes = ExportOnnx(*graph);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  const auto imported = ImportOnnxBytes(*bytes, "again", {});
  ASSERT_TRUE(imported.ok()) << imported.status();
  ASSERT_EQ(imported->outputs.size(), graph->outputs.size());
  std::vector<std::vector<float>> inputs;
  for (const Tensor* input : graph->inputs) inputs.push_back(InputNumbers(input->type));
  const auto expected = EvaluateGraph(*graph, inputs);
  const auto found = EvaluateGraph(*imported, inputs);
  ASSERT_TRUE(expected.ok()) << expected.status();
  ASSERT_TRUE(found.ok()) << found.status();
  for (size_t i = 0; i < expected->size(); ++i) {
    EXPECT_EQ(imported->outputs[i]->type.shape, graph->outputs[i]->type.shape);
    EXPECT_EQ(imported->outputs[i]->name, graph->outputs[i]->name);
    ASSERT_EQ((*found)[i].size(), (*expected)[i].size());
    for (size_t k = 0; k < (*found)[i].size(); ++k) {
      const float value = (*expected)[i][k];
      const float tolerance = std::max(step, std::abs(value) * 2e-6f + 1e-6f);
      if (std::isnan(value) && std::isnan((*found)[i][k])) continue;
      ASSERT_NEAR((*found)[i][k], value, tolerance) << "element " << k << " of output " << i;
    }
  }
}

std::string Graph1(const std::string& x, const std::string& body) {
  return "graph \"g\" layout=\"nchw\" {\n  input %x: " + x + "\n" + body + "  output %y\n}\n";
}

TEST(ExportOnnxTest, TransposesAroundImageOpsCancelOut) {
  const std::string text = Graph1("float32[1x2x4x4]",
                                  R"(
    const %w: float32[3x3x3x2] = splat 0.25
    const %b: float32[3] = [1.0, 2.0, 3.0]
    %x.nhwc: float32[1x4x4x2] = transpose(%x) {perm=[0, 2, 3, 1]} from "Conv_0"
    %c: float32[1x4x4x3] = conv2d(%x.nhwc, %w, %b) {pads=[1, 1, 1, 1], min=0.0} from "Conv_0", "Relu_1"
    %m: float32[1x2x2x3] = max_pool2d(%c) {kernel=[2, 2], strides=[2, 2]} from "Pool_2"
    %s: float32[1x2x2x3] = mul(%m, %b) from "Mul_3"
    %y: float32[1x3x2x2] = transpose(%s) {perm=[0, 3, 1, 2]} from "Mul_3"
)");
  const onnx::ModelProto model = Exported(text);
  EXPECT_THAT(OpTypes(model), ElementsAre("Conv", "Relu", "MaxPool", "Reshape", "Mul"));
  EXPECT_EQ(model.graph().node(0).name(), "Conv_0");
  EXPECT_EQ(model.graph().node(1).name(), "Relu_1");
  EXPECT_EQ(model.graph().node(0).doc_string(), "of Conv_0, Relu_1");
  EXPECT_EQ(model.graph().node(4).output(0), "y");
  EXPECT_EQ(model.graph().input(0).name(), "x");
  ExpectSameAfterRoundTrip(text);
}

TEST(ExportOnnxTest, ModelsThatAreNhwcKeepTheirBorder) {
  const std::string text = Graph1("float32[1x4x4x2]", R"(
    const %w: float32[1x2x2x2] = [0.5, 1.0, -1.0, 2.0, 0.25, 0.0, 3.0, 1.0]
    %y: float32[1x3x3x2] = depthwise_conv2d(%x, %w, _) {min=-1.0, max=6.0} from "dw"
)");
  EXPECT_THAT(OpTypes(Exported(text)), ElementsAre("Transpose", "Conv", "Clip", "Transpose"));
  ExpectSameAfterRoundTrip(text);
}

TEST(ExportOnnxTest, LinearOps) {
  ExpectSameAfterRoundTrip(Graph1("float32[2x3]", R"(
    const %w: float32[2x3] = [1.0, 2.0, 3.0, -1.0, 0.5, 0.25]
    const %b: float32[2] = [0.5, -0.5]
    %y: float32[2x2] = fully_connected(%x, %w, %b) {max=3.0} from "fc"
)"));
  ExpectSameAfterRoundTrip(Graph1("float32[2x2x3]", R"(
    const %w: float32[2x3] = [1.0, 2.0, 3.0, -1.0, 0.5, 0.25]
    const %b: float32[2] = [0.5, -0.5]
    %y: float32[2x2x2] = fully_connected(%x, %w, %b) from "fc"
)"));
  ExpectSameAfterRoundTrip(Graph1("float32[1x3x3x4]", R"(
    const %w: float32[4x2x1x2] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5]
    %y: float32[1x7x5x4] = conv_transpose2d(%x, %w, _) {groups=2, strides=[2, 2], output_padding=[1, 0]} from "up"
)"));
  ExpectSameAfterRoundTrip(Graph1("float32[1x3x3x4]", R"(
    %part: float32[1x2x2x4] = slice(%x) {starts=[0, 0, 0, 0], sizes=[1, 2, 2, 4], steps=[1, 1, 1, 1]} from "part"
    %w: float32[4x2x1x2] = reshape(%part) {shape=[4, 2, 1, 2]} from "weights"
    %y: float32[1x6x5x4] = conv_transpose2d(%x, %w, _) {groups=2, strides=[2, 2], output_padding=[0, 0]} from "up"
)"));
  ExpectSameAfterRoundTrip(Graph1("float32[1x3x3x2]", R"(
    const %w: float32[1x2x2x2] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]
    const %b: float32[1] = [0.5]
    %y: float32[1x4x4x1] = conv_transpose2d(%x, %w, %b) {min=0.0, max=6.0} from "up"
)"));
  ExpectSameAfterRoundTrip(Graph1("float32[2x3x4]", R"(
    const %b: float32[4x2] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]
    %y: float32[2x3x2] = matmul(%x, %b) from "product"
)"));
}

TEST(ExportOnnxTest, ImageOps) {
  for (const std::string op : {
           "%y: float32[1x3x3x2] = max_pool2d(%x) {kernel=[2, 2], strides=[2, 2], ceil_mode=1}",
           "%y: float32[1x3x3x2] = avg_pool2d(%x) {kernel=[2, 2], strides=[2, 2], ceil_mode=1}",
           "%y: float32[1x3x3x2] = avg_pool2d(%x) {kernel=[3, 3], strides=[2, 2], pads=[1, 1, 1, "
           "1], count_include_pad=1}",
           "%y: float32[1x10x7x2] = resize(%x) {size=[10, 7], mode=\"linear\"}",
           "%y: float32[1x10x7x2] = resize(%x) {size=[10, 7], mode=\"nearest\", "
           "coordinates=\"asymmetric\", rounding=\"floor\"}",
           "%y: float32[1x12x12x2] = resize(%x) {size=[12, 12], mode=\"linear\", scales=[2.5, "
           "2.5]}",
       }) {
    ExpectSameAfterRoundTrip(Graph1("float32[1x5x5x2]", op + " from \"op\"\n"));
  }
  ExpectSameAfterRoundTrip(Graph1("float32[1x4x4x2]", R"(
    const %g: float32[1x1x2x2] = [-0.5, 0.5, 0.9, -1.2]
    %y: float32[1x1x2x2] = grid_sample(%x, %g) {mode="bicubic", padding="border"} from "sample"
)"));
}

TEST(ExportOnnxTest, DimensionsAreCountedWhereTheImageHasThem) {
  // After the convolution x is NCHW in ONNX.
  for (const std::string op : {
           "%y: float32[1x3] = reduce_mean(%c) {axes=[1, 2], keep_dims=0}",
           "%y: float32[1x4x3] = reduce_max(%c) {axes=[-2], keep_dims=0}",
           "%y: float32[1x4x4x1] = reduce_sum(%c) {axes=[3]}",
           "%y: int64[1x4x4] = argmax(%c) {axis=-1, keep_dims=0}",
           "%y: float32[1x4x4x3] = softmax(%c) {axis=-1}",
           "%y: float32[1x4x4x3] = cumsum(%c) {axis=1, reverse=1}",
           "%y: float32[1x4x4x6] = concat(%c, %c) {axis=-1}",
           "%y: float32[1x2x4x2] = slice(%c) {starts=[0, 3, 0, 1], sizes=[1, 2, 4, 2], steps=[1, "
           "-3, 1, 1]}",
           "%y: float32[1x4x4x3] = slice(%c) {starts=[0, 3, 0, 0], sizes=[1, 4, 4, 3], steps=[1, "
           "-1, 1, 1]}",
           "%y: float32[1x5x4x5] = pad(%c) {pads=[0, 1, 0, 0, 0, 0, 0, 2], value=1.5}",
           "%y: float32[1x7x4x3] = pad(%c) {pads=[0, 1, 0, 0, 0, 2, 0, 0], mode=\"reflect\"}",
           "%y: float32[1x4x4x3] = prelu(%c, %s)",
           "%y: float32[48] = reshape(%c) {shape=[48]}",
           "%y: float32[1x2x4x3] = gather(%c, %i) {axis=1}",
           "%y: int64[1x4x4x2] = top_k(%c) {k=2}",
           "%y: float32[2x4x4x3] = expand(%c) {shape=[2, 4, 4, 3]}",
           "%y: bool[1x4x4x3] = less(%c, %s)",
       }) {
    ExpectSameAfterRoundTrip(Graph1("float32[1x4x4x2]", R"(
    const %w: float32[3x1x1x2] = [0.5, -1.0, 2.0, 0.25, 1.0, 1.0]
    const %s: float32[3] = [0.5, 1.5, -2.0]
    const %i: int64[2] = [3, -4]
    %c: float32[1x4x4x3] = conv2d(%x, %w, _) from "conv"
    )" + op + " from \"op\"\n"));
  }
}

TEST(ExportOnnxTest, FunctionsThatOnnxHasInPieces) {
  for (const std::string op :
       {"silu(%x)", "rsqrt(%x)", "square(%x)", "relu6(%x)", "clip(%x) {min=-1.0}",
        "clip(%x) {max=1.0}", "elu(%x) {alpha=0.5}", "leaky_relu(%x)", "hard_sigmoid(%x)",
        "gelu(%x)", "gelu(%x) {approximate=1}", "mod(%x, %x)", "hard_swish(%x)", "mish(%x)"}) {
    ExpectSameAfterRoundTrip(
        Graph1("float32[2x5]", "    %y: float32[2x5] = " + op + " from \"f\"\n"));
  }
}

TEST(ExportOnnxTest, NormalizationsOfLastDimensionsAreLayerNormalization) {
  const std::string text = Graph1("float32[2x3x4]", R"(
    const %s: float32[3x4] = splat 2.0
    const %b: float32[3x4] = splat -0.5
    %y: float32[2x3x4] = normalization(%x, %s, %b) {axes=[1, 2], epsilon=0.5, min=0.0} from "norm", "relu"
)");
  EXPECT_THAT(OpTypes(Exported(text)), ElementsAre("LayerNormalization", "Relu"));
  ExpectSameAfterRoundTrip(text);
}

TEST(ExportOnnxTest, OtherNormalizationsAreInPieces) {
  const std::string text = Graph1("float32[1x2x3x4]", R"(
    %x.nhwc: float32[1x3x4x2] = transpose(%x) {perm=[0, 2, 3, 1]} from "norm"
    const %c: float32[2] = [1.0, 2.0]
    const %b: float32[] = [-0.5]
    %n: float32[1x3x4x2] = normalization(%x.nhwc, %c, %b) {axes=[1, 2], epsilon=0.5, max=1.0} from "norm"
    %y: float32[1x2x3x4] = transpose(%n) {perm=[0, 3, 1, 2]} from "norm"
)");
  EXPECT_THAT(OpTypes(Exported(text)), ElementsAre("ReduceMean", "Sub", "Mul", "ReduceMean", "Add",
                                                   "Sqrt", "Reshape", "Div", "Mul", "Add", "Clip"));
  ExpectSameAfterRoundTrip(text);
  ExpectSameAfterRoundTrip(Graph1("float32[2x3x4]", R"(
    const %s: float32[4] = [1.0, 2.0, 3.0, 4.0]
    %y: float32[2x3x4] = normalization(%x, %s) {axes=[2], center=0, epsilon=0.5} from "rms"
)"));
  ExpectSameAfterRoundTrip(Graph1("float32[2x3x4]", R"(
    const %b: float32[3x1] = [1.0, 2.0, 3.0]
    %y: float32[2x3x4] = normalization(%x, _, %b) {axes=[-1, 1], epsilon=0.5} from "norm"
)"));
  ExpectSameAfterRoundTrip(Graph1("float32[2x3]", R"(
    %y: float32[2x3] = normalization(%x) {axes=[], center=0, epsilon=0.5} from "signs"
)"));
}

TEST(ExportOnnxTest, NormalizationsOfIntegersAreBetweenTheirQuantizers) {
  ExpectSameAfterRoundTrip(Graph1("int16[2x4]<affine 0.0005 0>", R"(
    const %s: float32[4] = [1.0, 2.0, 3.0, 4.0]
    %y: uint8[2x4]<affine 0.05 128> = normalization(%x, %s) {axes=[1], epsilon=0.5} from "norm"
)"),
                           1);
}

TEST(ExportOnnxTest, ScatterAndWhere) {
  ExpectSameAfterRoundTrip(Graph1("float32[3x2]", R"(
    const %i: int64[2] = [2, -3]
    const %u: float32[2x2] = [1.0, 2.0, 3.0, 4.0]
    const %zero: float32[1] = [0.0]
    %s: float32[3x2] = scatter(%x, %i, %u) {reduction="add"} from "s"
    %above: bool[3x2] = greater(%s, %zero) from "g"
    %y: float32[3x2] = where(%above, %s, %zero) from "w"
)"));
}

TEST(ExportOnnxTest, QuantizersBecomeQdq) {
  const std::string text = Graph1("uint8[1x4x4x2]<affine 0.125 32>", R"(
    const %w: int8[3x1x1x2]<channel 0 [0.5, 0.25, 0.125]> = [1, -2, 3, 4, -5, 6]
    const %b: int32[3]<channel 0 [0.0625, 0.03125, 0.015625]> = [10, -20, 30]
    %c: uint8[1x4x4x3]<affine 0.25 100> = conv2d(%x, %w, %b) {min=0.0} from "conv"
    %y: uint8[1x4x4x3]<affine 0.5 3> = sigmoid(%c) from "act"
)");
  const onnx::ModelProto model = Exported(text);
  EXPECT_THAT(OpTypes(model),
              ElementsAre("Transpose", "DequantizeLinear", "DequantizeLinear", "DequantizeLinear",
                          "Conv", "Relu", "QuantizeLinear", "DequantizeLinear", "Sigmoid",
                          "QuantizeLinear", "Transpose"));
  EXPECT_EQ(model.graph().output(0).type().tensor_type().elem_type(), onnx::TensorProto::UINT8);
  ExpectSameAfterRoundTrip(text, 1);
}

TEST(ExportOnnxTest, SixteenBitsAndHalves) {
  const onnx::ModelProto model = Exported(Graph1("int16[1x2]<fixed 8>", R"(
    const %w: int16[1x2]<fixed 10> = [100, -200]
    const %b: int64[1]<fixed 18> = [1000]
    %y: int16[1x1]<fixed 6> = fully_connected(%x, %w, %b) from "fc"
)"));
  EXPECT_THAT(OpTypes(model),
              ElementsAre("DequantizeLinear", "DequantizeLinear", "Gemm", "QuantizeLinear"));
  EXPECT_EQ(model.opset_import(0).version(), 21);
  EXPECT_THAT(OpTypes(Exported(Graph1("float16[2]", R"(
    %y: float16[2] = exp(%x) from "e"
)"))),
              ElementsAre("Cast", "Exp", "Cast"));
}

TEST(ExportOnnxTest, TablesOfACompiledNetwork) {
  const onnx::ModelProto model = Exported(Graph1("uint8[1x2]<affine 0.5 3>", R"(
    const %w: uint8[1x2]<affine 0.25 1> = [1, 2]
    const %t: uint8[256] = splat 7
    %c: uint8[1x1]<affine 0.5 3> = fully_connected(%x, %w, _, %t) {table_scale=0.5, table_zero_point=2} from "fc"
    %y: uint8[1x1]<affine 0.5 3> = lookup(%c, %t) from "act"
)"));
  EXPECT_THAT(OpTypes(model), ElementsAre("DequantizeLinear", "DequantizeLinear", "Gemm", "Clip",
                                          "QuantizeLinear", "Cast", "Gather", "Cast", "Gather"));
}

TEST(ExportOnnxTest, SumsOfACompiledNetwork) {
  const std::string bytes = Graph1("uint8[1x2]<affine 0.5 3>", R"(
    const %w: uint8[2x2]<affine 0.25 1> = [1, 2, 3, 4]
    %y: uint8[1x2]<affine 0.5 3> = fully_connected(%x, %w, _, _, %x) {own_scale=0.5, own_zero_point=2, sum_min=0.0} from "fc"
)");
  EXPECT_THAT(OpTypes(Exported(bytes)),
              ElementsAre("DequantizeLinear", "DequantizeLinear", "Gemm", "Clip", "QuantizeLinear",
                          "DequantizeLinear", "Add", "Clip", "QuantizeLinear"));
  ExpectSameAfterRoundTrip(bytes, 1);
  ExpectSameAfterRoundTrip(Graph1("float32[1x1x2x2]", R"(
    const %w: float32[2x1x1x2] = [1.0, 2.0, 3.0, 4.0]
    %y: float32[1x1x2x2] = conv2d(%x, %w, _, _, %x) {min=0.5, sum_max=2.0} from "conv"
)"));
}

TEST(ExportOnnxTest, SumsOfSixteenBits) {
  const std::string attributes =
      "{own_scale=0.25, own_zero_point=-3, sum_min=-1.0, sum_max=9.5} from \"op\"\n";
  const std::string images = "int16[1x1x2x2]<affine 0.5 3>";
  const std::string convolution = Graph1(images, R"(
    const %w: int16[2x1x1x2]<affine 0.25 0> = [1, -2, 3, -4]
    %y: int16[1x1x2x2]<affine 0.125 7> = conv2d(%x, %w, _, _, %x) )" +
                                                     attributes);
  EXPECT_THAT(OpTypes(Exported(convolution)),
              ElementsAre("Transpose", "DequantizeLinear", "DequantizeLinear", "Conv", "Clip",
                          "QuantizeLinear", "DequantizeLinear", "Add", "Clip", "QuantizeLinear",
                          "Transpose"));
  ExpectSameAfterRoundTrip(convolution, 1);
  ExpectSameAfterRoundTrip(Graph1(images, R"(
    const %w: int16[1x1x1x2]<affine 0.25 0> = [3, -2]
    %y: int16[1x1x2x2]<affine 0.125 7> = depthwise_conv2d(%x, %w, _, _, %x) )" +
                                              attributes),
                           1);
  ExpectSameAfterRoundTrip(Graph1("int16[1x2]<affine 0.5 3>", R"(
    const %w: int16[2x2]<affine 0.25 0> = [1, -2, 3, -4]
    %y: int16[1x2]<affine 0.125 7> = fully_connected(%x, %w, _, _, %x) )" +
                                                                  attributes),
                           1);
}

TEST(ExportOnnxTest, FunctionsOfACompiledNetwork) {
  const std::string convolution = Graph1("float32[1x1x2x2]", R"(
    const %w: float32[2x1x1x2] = [1.0, -2.0, 3.0, 4.0]
    %y: float32[1x1x2x2] = conv2d(%x, %w, _, _, %x) {min=-3.0, activation="leaky_relu", activation_alpha=0.25, sum_max=2.0} from "conv", "act", "sum"
)");
  EXPECT_THAT(OpTypes(Exported(convolution)),
              ElementsAre("Transpose", "Conv", "Clip", "LeakyRelu", "Add", "Clip", "Transpose"));
  ExpectSameAfterRoundTrip(convolution);
  for (const std::string function :
       {R"("silu")", R"("elu", activation_alpha=0.5)", R"("gelu", activation_approximate=1)",
        R"("clip", activation_min=-1.0, activation_max=0.5)", R"("tanh")"}) {
    ExpectSameAfterRoundTrip(Graph1("float32[1x2x2x2]", R"(
    const %w: float32[1x1x1x2] = [0.5, -1.0]
    const %b: float32[2] = [0.25, 1.0]
    %c: float32[1x2x2x2] = depthwise_conv2d(%x, %w, %b) {activation=)" +
                                                            function +
                                                            R"(} from "dw"
    %y: float32[1x2x2x2] = mul(%c, %c) from "square"
)"));
    ExpectSameAfterRoundTrip(Graph1("float32[2x2]", R"(
    const %w: float32[2x2] = [1.0, -2.0, 3.0, 4.0]
    %y: float32[2x2] = fully_connected(%x, %w, _) {activation=)" +
                                                        function + R"(} from "fc"
)"));
  }
}

TEST(ExportOnnxTest, OutputsThatAreSomethingElseToo) {
  const std::string text = R"(graph "g" layout="nchw" {
    input %x: float32[1x2]
    const %k: float32[2] = [1.0, 2.0]
    %a: float32[1x2] = add(%x, %k) from "a"
    %t: float32[2x1] = transpose(%a) {perm=[1, 0]} from "t"
    %b: float32[1x2] = transpose(%t) {perm=[1, 0]} from "b"
    output %b
    output %a
    output %k
    output %t
})";
  ExpectSameAfterRoundTrip(text);
  const onnx::ModelProto twice = Exported(R"(graph "g" layout="nchw" {
    input %x: float32[1x2]
    output %x
    output %x
})");
  ASSERT_EQ(twice.graph().output_size(), 2);
  EXPECT_EQ(twice.graph().output(0).name(), "x.1");
  EXPECT_EQ(twice.graph().output(1).name(), "x.2");
}

TEST(ExportOnnxTest, IsAFunctionOfTheGraph) {
  const auto graph = ParseGraph(Graph1("float32[1x4x4x2]", R"(
    %y: float32[1x2x2x2] = max_pool2d(%x) {kernel=[2, 2], strides=[2, 2]} from "pool"
)"));
  ASSERT_TRUE(graph.ok());
  EXPECT_EQ(*ExportOnnx(*graph), *ExportOnnx(graph->Clone()));
}

}  // namespace
}  // namespace synap_internal
