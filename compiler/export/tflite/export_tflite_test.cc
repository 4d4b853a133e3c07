#include "compiler/export/tflite/export_tflite.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/graph/text.h"
#include "compiler/import/evaluate_graph.h"
#include "compiler/import/import_options.h"
#include "compiler/import/tflite/import_tflite.h"
#include "compiler/import/tflite/model_generated.h"
#include "compiler/testing/random_graph.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace synap_internal {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using tflite::Activation;
using tflite::BuiltinOperator;
using tflite::Padding;

constexpr ExportTfliteOptions kFallback = {.fallback_float = true};

// A file of a graph's text; its FlatBuffer is valid as long as it lives.
class Exported {
 public:
  explicit Exported(const std::string& text, const ExportTfliteOptions& options = {}) {
    const auto graph = ParseGraph(text);
    EXPECT_TRUE(graph.ok()) << graph.status();
    if (!graph.ok()) return;
    const auto bytes = ExportTflite(*graph, options);
    EXPECT_TRUE(bytes.ok()) << bytes.status();
    if (bytes.ok()) bytes_ = *bytes;
  }

  const std::string& bytes() const { return bytes_; }
  const tflite::Model& model() const { return *tflite::GetModel(bytes_.data()); }
  const tflite::SubGraph& graph() const { return *model().subgraphs()->Get(0); }
  const tflite::Operator& op(uint32_t index) const { return *graph().operators()->Get(index); }
  const tflite::OperatorCode& code(uint32_t index) const {
    return *model().operator_codes()->Get(op(index).opcode_index());
  }
  const tflite::Tensor& tensor(int32_t index) const {
    return *graph().tensors()->Get(static_cast<uint32_t>(index));
  }
  // Operand or output of an operator.
  const tflite::Tensor& input(uint32_t op_index, uint32_t i) const {
    return tensor(op(op_index).inputs()->Get(i));
  }
  const tflite::Tensor& output(uint32_t op_index) const {
    return tensor(op(op_index).outputs()->Get(0));
  }

  std::vector<std::string> Operators() const {
    std::vector<std::string> names;
    for (uint32_t i = 0; i < graph().operators()->size(); ++i) {
      names.emplace_back(tflite::EnumNameBuiltinOperator(code(i).builtin_code()));
    }
    return names;
  }

 private:
  std::string bytes_;
};

// "INT8 0.5 -128", or the type alone.
std::string TypeOf(const tflite::Tensor& tensor) {
  std::string text = tflite::EnumNameTensorType(tensor.type());
  const auto* quant = tensor.quantization();
  if (quant == nullptr || quant->scale() == nullptr || quant->scale()->size() == 0) return text;
  for (const float scale : *quant->scale()) text += " " + FloatToString(scale);
  return text + " " + std::to_string(quant->zero_point()->Get(0));
}

// Some numbers of both signs, whole ones where the tensor has integers.
std::vector<float> Numbers(const TensorType& type) {
  std::vector<float> numbers;
  for (int64_t i = 0; i < type.shape.elements(); ++i) {
    const float number = static_cast<float>((i * 37 + 11) % 64) / 8 - 4;
    const bool is_bool = type.dtype == DataType::kBool;
    numbers.push_back(IsFloat(type.dtype) ? number
                      : is_bool           ? static_cast<float>(i % 3 == 0)
                                          : std::floor(std::abs(number) * 8));
  }
  return numbers;
}

// The same for inputs of another graph by their names, which a network without a use for one lacks.
std::vector<std::vector<float>> InputsOf(const Graph& graph, const Graph& names) {
  std::vector<std::vector<float>> inputs;
  for (const Tensor* input : graph.inputs) {
    EXPECT_NE(names.FindTensor(input->name), nullptr) << input->name;
    inputs.push_back(Numbers(input->type));
  }
  return inputs;
}

// Exports, imports again and compares what the two graphs compute; `step`: how far quantized
// outputs may be apart.
void ExpectSame(const Graph& graph, float step, const ExportTfliteOptions& options) {
  const auto bytes = ExportTflite(graph, options);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  const auto imported = ImportTfliteBytes(*bytes, "again", {});
  ASSERT_TRUE(imported.ok()) << imported.status();
  ASSERT_EQ(imported->graph.outputs.size(), graph.outputs.size());
  const auto expected = EvaluateGraph(graph, InputsOf(graph, graph));
  const auto found = EvaluateGraph(imported->graph, InputsOf(imported->graph, graph));
  ASSERT_TRUE(expected.ok()) << expected.status();
  ASSERT_TRUE(found.ok()) << found.status();
  for (size_t i = 0; i < expected->size(); ++i) {
    EXPECT_EQ(imported->graph.outputs[i]->type.shape, graph.outputs[i]->type.shape);
    ASSERT_EQ((*found)[i].size(), (*expected)[i].size());
    const float relative = step == 0 ? 2e-6f : 1e-4f;
    for (size_t k = 0; k < (*found)[i].size(); ++k) {
      const float value = (*expected)[i][k], other = (*found)[i][k];
      if (value == other || (std::isnan(value) && std::isnan(other))) continue;
      const float tolerance = std::max(step, std::abs(value) * relative + 1e-6f);
      ASSERT_NEAR(other, value, tolerance) << "element " << k << " of output " << i;
    }
  }
}

void ExpectSameAfterRoundTrip(const std::string& text, float step = 0,
                              const ExportTfliteOptions& options = {}) {
  SCOPED_TRACE(text);
  const auto graph = ParseGraph(text);
  ASSERT_TRUE(graph.ok()) << graph.status();
  ExpectSame(*graph, step, options);
}

// A graph of one input x and one output y.
std::string Graph1(const std::string& input, const std::string& body) {
  return "graph \"g\" layout=\"nhwc\" {\n    input %x: " + input + "\n" + body +
         "    output %y\n}\n";
}

std::string ErrorOf(const std::string& text) {
  const auto graph = ParseGraph(text);
  EXPECT_TRUE(graph.ok()) << graph.status();
  if (!graph.ok()) return "";
  return std::string(ExportTflite(*graph).status().message());
}

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
  const Exported file(text);
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
  const Exported file(Graph1("int8[1x4x4x2]<affine 0.125 -96>", kInt8Network));
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
  const Exported file(Graph1("int8[1x4x4x2]<affine 0.125 -96>", kInt8Network));
  EXPECT_EQ(file.code(0).version(), 3);
  EXPECT_EQ(file.code(0).deprecated_builtin_code(), static_cast<int8_t>(BuiltinOperator::CONV_2D));
  EXPECT_EQ(file.code(2).version(), 2);
  const Exported gelu(Graph1("float32[2]", "    %y: float32[2] = gelu(%x) from \"g\"\n"));
  EXPECT_EQ(gelu.code(0).builtin_code(), BuiltinOperator::GELU);
  EXPECT_EQ(gelu.code(0).deprecated_builtin_code(), 127);
}

TEST(ExportTfliteTest, PaddingThatNoWordIsForIsAnOperator) {
  const std::string text = Graph1("uint8[1x4x4x1]<affine 0.5 7>", R"(
    const %w: uint8[1x3x3x1]<affine 0.25 3> = splat 5
    %y: uint8[1x3x2x1]<affine 1.0 0> = conv2d(%x, %w) {strides=[2, 2], pads=[2, 1, 1, 0]} from "conv"
)");
  const Exported file(text);
  EXPECT_THAT(file.Operators(), ElementsAre("PAD", "CONV_2D"));
  ExpectSameAfterRoundTrip(text);
  ExpectSameAfterRoundTrip(Graph1("uint8[1x4x4x1]<affine 0.5 7>", R"(
    %y: uint8[1x4x5x1]<affine 0.5 7> = max_pool2d(%x) {kernel=[2, 2], pads=[1, 1, 0, 1]} from "pool"
)"));
}

TEST(ExportTfliteTest, GroupsOfOneChannelAreDepthwise) {
  const std::string text = Graph1("float32[1x3x3x2]", R"(
    const %w: float32[4x2x1x1] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]
    const %b: float32[4] = [0.5, -0.5, 1.0, 2.0]
    %y: float32[1x2x3x4] = conv2d(%x, %w, %b) {groups=2} from "conv"
)");
  const Exported file(text);
  ASSERT_THAT(file.Operators(), ElementsAre("DEPTHWISE_CONV_2D"));
  EXPECT_EQ(file.op(0).builtin_options_as_DepthwiseConv2DOptions()->depth_multiplier(), 2);
  ExpectSameAfterRoundTrip(text);
}

TEST(ExportTfliteTest, TransposedConvolutionsAreCroppedWhereTheirPadsSaySo) {
  for (const std::string attributes :
       {"{strides=[2, 2]} 7 9", "{strides=[2, 2], pads=[1, 1, 1, 1], output_padding=[1, 1]} 6 8",
        "{strides=[2, 2], pads=[2, 0, 0, 1], min=0.0} 5 8",
        "{strides=[2, 2], pads=[0, 0, 1, 1], max=2.5} 6 8"}) {
    const size_t end = attributes.find('}') + 1;
    std::string size = attributes.substr(end + 1);
    std::replace(size.begin(), size.end(), ' ', 'x');
    const std::string call = " = conv_transpose2d(%x, %w, %b) " + attributes.substr(0, end);
    ExpectSameAfterRoundTrip(Graph1("float32[1x3x4x2]",
                                    "    const %w: float32[1x3x3x2] = splat 0.5\n"
                                    "    const %b: float32[1] = [0.25]\n    %y: float32[1x" +
                                        size + "x1]" + call + " from \"up\"\n"));
    ExpectSameAfterRoundTrip(Graph1("int8[1x3x4x2]<affine 0.5 1>",
                                    "    const %w: int8[1x3x3x2]<affine 0.25 0> = splat 3\n"
                                    "    %y: int8[1x" +
                                        size + "x1]<affine 0.5 2>" +
                                        " = conv_transpose2d(%x, %w) " + attributes.substr(0, end) +
                                        " from \"up\"\n"));
  }
}

TEST(ExportTfliteTest, FullyConnectedOfAnyRank) {
  for (const std::string rows : {"", "2x", "2x3x"}) {
    const std::string out = rows.empty() ? "2" : rows + "2";
    ExpectSameAfterRoundTrip(Graph1("float32[" + rows + "3]", R"(
    const %w: float32[2x3] = [1.0, 2.0, 3.0, -1.0, 0.5, 0.25]
    %y: float32[)" + out + R"(] = fully_connected(%x, %w) {max=3.0} from "fc"
)"));
  }
}

TEST(ExportTfliteTest, ImageOps) {
  for (const std::string op : {
           "%y: float32[1x3x3x2] = max_pool2d(%x) {kernel=[2, 2], strides=[2, 2], ceil_mode=1}",
           "%y: float32[1x3x3x2] = avg_pool2d(%x) {kernel=[2, 2], strides=[2, 2], ceil_mode=1}",
           "%y: float32[1x3x3x2] = avg_pool2d(%x) {kernel=[3, 3], strides=[2, 2], pads=[1, 1, 1, "
           "1], count_include_pad=1}",
           "%y: float32[1x4x4x2] = avg_pool2d(%x) {kernel=[3, 3], pads=[1, 1, 0, 0]}",
           "%y: float32[1x10x7x2] = resize(%x) {size=[10, 7], mode=\"linear\"}",
           "%y: float32[1x10x7x2] = resize(%x) {size=[10, 7], mode=\"linear\", "
           "coordinates=\"align_corners\"}",
           "%y: float32[1x10x7x2] = resize(%x) {size=[10, 7], mode=\"nearest\", "
           "coordinates=\"asymmetric\", rounding=\"floor\"}",
           "%y: float32[1x10x7x2] = resize(%x) {size=[10, 7], mode=\"nearest\"}",
           "%y: float32[1x3x2x2] = resize(%x) {size=[3, 2], mode=\"nearest\", "
           "rounding=\"ceil\"}",
       }) {
    ExpectSameAfterRoundTrip(Graph1("float32[1x5x5x2]", "    " + op + " from \"op\"\n"));
  }
}

TEST(ExportTfliteTest, OpsAlongDimensionsAndOfShapes) {
  for (const std::string op : {
           "%y: float32[1x3] = reduce_mean(%x) {axes=[1, 2], keep_dims=0}",
           "%y: float32[1x4x3] = reduce_max(%x) {axes=[-2], keep_dims=0}",
           "%y: float32[1x4x4x1] = reduce_l2(%x) {axes=[3]}",
           "%y: float32[1x4x4x3] = reduce_sum(%x) {axes=[]}",
           "%y: int64[1x4x4x1] = argmax(%x) {axis=-1}",
           "%y: int64[1x4x3] = argmax(%x) {axis=1, keep_dims=0}",
           "%y: float32[1x4x4x3] = softmax(%x) {axis=1}",
           "%y: float32[1x4x4x3] = log_softmax(%x) {axis=-1}",
           "%y: float32[1x4x4x3] = cumsum(%x) {axis=1, reverse=1}",
           "%y: float32[1x4x4x6] = concat(%x, %x) {axis=-1}",
           "%y: float32[1x2x4x2] = slice(%x) {starts=[0, 3, 0, 1], sizes=[1, 2, 4, 2], steps=[1, "
           "-3, 1, 1]}",
           "%y: float32[1x4x4x3] = slice(%x) {starts=[0, 3, 0, 0], sizes=[1, 4, 4, 3], steps=[1, "
           "-1, 1, 1]}",
           "%y: float32[1x5x4x5] = pad(%x) {pads=[0, 1, 0, 0, 0, 0, 0, 2], value=1.5}",
           "%y: float32[1x7x4x3] = pad(%x) {pads=[0, 1, 0, 0, 0, 2, 0, 0], mode=\"reflect\"}",
           "%y: float32[1x7x4x4] = pad(%x) {pads=[0, 1, 0, 0, 0, 2, 0, 1], mode=\"edge\"}",
           "%y: float32[1x4x4x3] = prelu(%x, %s)",
           "%y: float32[48] = reshape(%x) {shape=[48]}",
           "%y: float32[1x2x4x3] = gather(%x, %i) {axis=1}",
           "%y: int64[1x4x4x2] = top_k(%x) {k=2}",
           "%y: int64[1x4x4x2] = top_k(%x) {k=2, largest=0}",
           "%y: float32[2x4x4x3] = expand(%x) {shape=[2, 4, 4, 3]}",
           "%y: bool[1x4x4x3] = less(%x, %s)",
           "%y: float32[1x4x4x3] = mod(%x, %s)",
           "%y: float32[1x4x4x3] = normalization(%x, %s, %s) {axes=[3], epsilon=0.5, max=1.0}",
           "%y: float32[1x4x4x3] = normalization(%x) {axes=[1, 2], epsilon=0.5, center=0}",
       }) {
    ExpectSameAfterRoundTrip(Graph1("float32[1x4x4x3]", R"(
    const %s: float32[3] = [0.5, 1.5, -2.0]
    const %i: int64[2] = [3, -4]
    )" + op + " from \"op\"\n"));
  }
}

TEST(ExportTfliteTest, FunctionsThatTensorFlowLiteHasInPieces) {
  for (const std::string op : {"silu(%x)",
                               "rsqrt(%x)",
                               "square(%x)",
                               "clip(%x) {min=-1.0}",
                               "clip(%x) {max=1.0}",
                               "clip(%x) {min=-0.5, max=2.0}",
                               "elu(%x) {alpha=0.5}",
                               "leaky_relu(%x)",
                               "hard_sigmoid(%x)",
                               "gelu(%x)",
                               "gelu(%x) {approximate=1}",
                               "hard_swish(%x)",
                               "mish(%x)",
                               "softplus(%x)",
                               "erf(%x)",
                               "reciprocal(%x)",
                               "tan(%x)",
                               "sinh(%x)",
                               "cosh(%x)",
                               "asinh(%x)",
                               "acosh(%x)",
                               "atanh(%x)"}) {
    const std::string text =
        Graph1("float32[2x5]", "    %y: float32[2x5] = " + op + " from \"f\"\n");
    // Composed of other roundings; erf is within 1.5e-7.
    ExpectSameAfterRoundTrip(text, 1e-5f);
  }
}

TEST(ExportTfliteTest, Transposes) {
  const std::string shuffle = Graph1("float32[1x4x4x2x3]", R"(
    %y: float32[1x4x4x3x2] = transpose(%x) {perm=[0, 1, 2, 4, 3]} from "shuffle"
)");
  const Exported file(shuffle);
  EXPECT_THAT(file.Operators(), ElementsAre("RESHAPE", "TRANSPOSE", "RESHAPE"));
  EXPECT_THAT(*file.output(1).shape(), ElementsAre(16, 3, 2));
  ExpectSameAfterRoundTrip(shuffle);
  ExpectSameAfterRoundTrip(Graph1("float32[1x2x3x2x1x2]", R"(
    %y: float32[2x1x3x2x1x2] = transpose(%x) {perm=[5, 0, 2, 3, 4, 1]} from "turn"
)"));
  ExpectSameAfterRoundTrip(Graph1("float32[2x3x2x2x3]", R"(
    %y: float32[3x2x3x2x2] = transpose(%x) {perm=[4, 3, 1, 2, 0]} from "turn"
)"));
}

TEST(ExportTfliteTest, ScatterAndWhere) {
  ExpectSameAfterRoundTrip(Graph1("float32[3x2]", R"(
    const %i: int64[2] = [2, -3]
    const %u: float32[2x2] = [1.0, 2.0, 3.0, 4.0]
    const %zero: float32[1] = [0.0]
    %a: float32[3x2] = scatter(%x, %i, %u) from "set"
    %s: float32[3x2] = scatter(%a, %i, %u) {reduction="add"} from "sum"
    %above: bool[3x2] = greater(%s, %zero) from "g"
    %y: float32[3x2] = where(%above, %s, %zero) from "w"
)"));
  EXPECT_THAT(ErrorOf(Graph1("int64[2]", R"(
    const %k: float32[3x2] = splat 1.0
    const %u: float32[2x2] = splat 2.0
    %y: float32[3x2] = scatter(%k, %x, %u) from "set"
)")),
              HasSubstr("scatter 'set': it replaces slices at several computed indices"));
}

TEST(ExportTfliteTest, BytesOfWeightsDecideWhichBytesFlow) {
  // Weights with another zero point than 128 have no other form.
  const Exported bytes(Graph1("uint8[1x2]<affine 0.5 3>", R"(
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
  const Exported file(text);
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
  const Exported implied(network("min=0.0, max=1.0", "0.00390625 -128"));
  ASSERT_THAT(implied.Operators(), ElementsAre("FULLY_CONNECTED"));
  EXPECT_EQ(implied.op(0).builtin_options_as_FullyConnectedOptions()->fused_activation_function(),
            Activation::NONE);
  const std::string text = network("min=-2.0, max=3.0", "0.25 -12");
  EXPECT_THAT(Exported(text).Operators(), ElementsAre("FULLY_CONNECTED", "MAXIMUM", "MINIMUM"));
  ExpectSameAfterRoundTrip(text);
}

TEST(ExportTfliteTest, KernelsWithOneQuantizerAreFollowedByAnother) {
  const std::string text = Graph1("int8[1x4]<affine 0.0625 3>", R"(
    %s: int8[1x4]<affine 0.003921569 -128> = softmax(%x) {axis=-1} from "softmax"
    %t: int8[1x4]<affine 0.0078125 0> = tanh(%x) from "tanh"
    %y: int8[1x8]<affine 0.0078125 0> = concat(%s, %t) {axis=1} from "both"
)");
  const Exported file(text);
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
  EXPECT_THAT(Exported(text).Operators(), ElementsAre("DEPTHWISE_CONV_2D"));
  ExpectSameAfterRoundTrip(text);
  const std::string coarse = Graph1("int8[1x4x4x2]<affine 0.125 3>", R"(
    %y: int8[1x2x2x2]<affine 0.25 -7> = avg_pool2d(%x) {kernel=[2, 2], strides=[2, 2]} from "pool"
)");
  EXPECT_THAT(Exported(coarse).Operators(), ElementsAre("AVERAGE_POOL_2D", "QUANTIZE"));
  ExpectSameAfterRoundTrip(coarse, 1);
}

TEST(ExportTfliteTest, SixteenBitsBesideWeightsOfEight) {
  const std::string text = Graph1("int16[1x2]<affine 0.001 0>", R"(
    const %w: int8[1x2]<affine 0.25 0> = [100, -50]
    const %b: int64[1]<affine 0.00025 0> = [1000]
    %f: int16[1x1]<affine 0.002 0> = fully_connected(%x, %w, %b) from "fc"
    %y: int16[1x1]<affine 0.004 0> = add(%f, %f) from "sum"
)");
  const Exported file(text);
  EXPECT_EQ(TypeOf(file.input(0, 2)).substr(0, 5), "INT64");
  ASSERT_THAT(file.Operators(), ElementsAre("FULLY_CONNECTED", "ADD"));
  EXPECT_EQ(file.code(0).version(), 7);
  EXPECT_FALSE(file.op(1).builtin_options_as_AddOptions()->pot_scale_int16());
  ExpectSameAfterRoundTrip(text);
}

TEST(ExportTfliteTest, BytesThatGiveSixteenBitsAreWidenedExactly) {
  const std::string text = Graph1("int8[1x2x2x2]<affine 0.5 3>", R"(
    const %w: int8[1x1x1x2]<channel 0 [0.25]> = [100, -50]
    const %b: int32[1]<channel 0 [0.125]> = [-7]
    %y: int16[1x2x2x1]<affine 0.01 0> = conv2d(%x, %w, %b) from "wide"
)");
  const Exported file(text);
  EXPECT_THAT(file.Operators(), ElementsAre("QUANTIZE", "CONV_2D"));
  EXPECT_EQ(TypeOf(file.input(1, 0)), "INT16 0.5 0");
  ExpectSameAfterRoundTrip(text);
}

TEST(ExportTfliteTest, AttentionDividesInItsSoftmax) {
  const std::string attention = R"(
    %p: float32[2x3x3] = softmax(%x) {axis=-1, normalize=0} from "softmax"
    %y: float32[2x3x3] = matmul(%p, %x) {normalize=1} from "mix"
)";
  EXPECT_THAT(Exported(Graph1("float32[2x3x3]", attention)).Operators(),
              ElementsAre("SOFTMAX", "BATCH_MATMUL"));
  ExpectSameAfterRoundTrip(Graph1("float32[2x3x3]", attention));
  const std::string bytes = Graph1("int8[2x3x3]<affine 0.0625 3>", R"(
    %p: int8[2x3x3]<affine 0.003921569 -128> = softmax(%x) {axis=-1, normalize=0} from "softmax"
    %y: int8[2x3x3]<affine 0.0625 3> = matmul(%p, %x) {normalize=1} from "mix"
)");
  const Exported file(bytes);
  EXPECT_THAT(file.Operators(), ElementsAre("QUANTIZE", "SOFTMAX", "BATCH_MATMUL", "QUANTIZE"));
  EXPECT_EQ(TypeOf(file.output(1)), "INT16 " + FloatToString(1.0f / 32768) + " 0");
  ExpectSameAfterRoundTrip(bytes, 1);
  // Another reader sees the undivided numbers.
  const std::string read = Graph1("float32[2x3x3]", R"(
    %p: float32[2x3x3] = softmax(%x) {axis=-1, normalize=0} from "softmax"
    %m: float32[2x3x3] = matmul(%p, %x) {normalize=1} from "mix"
    %y: float32[2x3x3] = add(%m, %p) from "sum"
)");
  EXPECT_THAT(Exported(read).Operators(),
              ElementsAre("REDUCE_MAX", "SUB", "EXP", "BATCH_MATMUL", "SUM", "DIV", "ADD"));
  ExpectSameAfterRoundTrip(read);
}

TEST(ExportTfliteTest, HalvesAreStoredAndComputedWithAsFloats) {
  const std::string text = Graph1("float16[1x2]", R"(
    const %w: float16[1x2] = [14336, 49152]
    %y: float16[1x1] = fully_connected(%x, %w) from "fc"
)");
  const Exported file(text);
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
  const Exported file(text);
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
  const std::string error = ErrorOf(text);
  EXPECT_THAT(error, HasSubstr("as TensorFlow Lite: "));
  EXPECT_THAT(error, HasSubstr("fully_connected 'first', fully_connected 'second': its weights are "
                               "int16, expected int8 with zero point 0"));
  EXPECT_THAT(error, HasSubstr("sqrt 'root': its values are int16, expected float32"));
  const Exported file(text, kFallback);
  EXPECT_THAT(file.Operators(),
              ElementsAre("DEQUANTIZE", "FULLY_CONNECTED", "QUANTIZE", "DEQUANTIZE",
                          "FULLY_CONNECTED", "QUANTIZE", "DEQUANTIZE", "SQRT", "QUANTIZE"));
  ExpectSameAfterRoundTrip(text, 1, kFallback);
}

TEST(ExportTfliteTest, OpsWithoutAnOperatorAreNamedWhateverTheFallback) {
  const auto graph = ParseGraph(Graph1("float32[1x4x4x2]", R"(
    const %g: float32[1x1x2x2] = splat 0.5
    %y: float32[1x1x2x2] = grid_sample(%x, %g) from "sample"
)"));
  ASSERT_TRUE(graph.ok());
  EXPECT_THAT(std::string(ExportTflite(*graph, kFallback).status().message()),
              HasSubstr("grid_sample 'sample': TensorFlow Lite has no operator for it"));
}

TEST(ExportTfliteTest, CompiledNetworksAreRefused) {
  EXPECT_THAT(ErrorOf(Graph1("float32[1x2]", R"(
    const %w: float32[2x2] = splat 1.0
    %y: float32[1x2] = fully_connected(%x, %w) {activation="tanh"} from "fc"
)")),
              HasSubstr("fully_connected 'fc': it has the epilogue of a compiled network"));
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
  const Exported file(text);
  std::vector<std::string> names;
  for (const int32_t output : *file.graph().outputs()) {
    names.push_back(file.tensor(output).name()->str());
  }
  EXPECT_THAT(names, ElementsAre("a", "k", "x.1", "a.1"));
  ExpectSameAfterRoundTrip(text);
}

TEST(ExportTfliteTest, RandomNetworks) {
  size_t written = 0;
  for (const GraphKind kind : {GraphKind::kSmooth, GraphKind::kConverted}) {
    for (uint64_t seed = 0; seed < 40; ++seed) {
      SCOPED_TRACE(Name(kind) + " " + std::to_string(seed));
      const Graph graph = RandomGraph(kind, seed);
      const auto bytes = ExportTflite(graph, kFallback);
      if (absl::IsUnimplemented(bytes.status())) continue;
      ++written;
      ExpectSame(graph, 1, kFallback);
    }
  }
  EXPECT_GT(written, 60u);
}

TEST(ExportTfliteTest, IsAFunctionOfTheGraph) {
  const auto graph = ParseGraph(Graph1("int8[1x4x4x2]<affine 0.125 -96>", kInt8Network));
  ASSERT_TRUE(graph.ok());
  EXPECT_EQ(*ExportTflite(*graph), *ExportTflite(graph->Clone()));
}

}  // namespace
}  // namespace synap_internal
