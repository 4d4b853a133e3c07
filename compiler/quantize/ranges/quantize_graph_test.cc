#include "compiler/quantize/ranges/quantize_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/rounding.h"
#include "compiler/quantize/precision.h"
#include "compiler/quantize/quantizer_params.h"
#include "compiler/quantize/ranges/padded_ranges.h"
#include "compiler/testing/run_pass.h"

namespace synap_internal {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pointwise;

Graph QuantizedAs(absl::string_view body, const Precision& precision,
                  const std::map<std::string, ValueRange>& ranges) {
  Graph graph = GraphOfBody(body);
  Warnings warnings;
  const absl::Status status =
      QuantizeGraph({ranges, ranges}, LayerPrecisions(precision), graph, warnings);
  EXPECT_TRUE(status.ok()) << status;
  return graph;
}

std::vector<std::string> WarningsOf(absl::string_view body, const Precision& precision,
                                    const std::map<std::string, ValueRange>& ranges) {
  Graph graph = GraphOfBody(body);
  Warnings warnings;
  const absl::Status status =
      QuantizeGraph({ranges, ranges}, LayerPrecisions(precision), graph, warnings);
  EXPECT_TRUE(status.ok()) << status;
  return warnings.Texts();
}

constexpr Precision kUint8ByChannel{DataType::kUint8, QuantScheme::kAsymmetricAffine, true};

const Op& Only(const Graph& graph, absl::string_view name) {
  const Op* found = nullptr;
  for (const Op& op : graph.ops()) {
    if (op.def->name == name) found = &op;
  }
  EXPECT_NE(found, nullptr) << name;
  return *found;
}

// Two channels, the second with weights a tenth as large.
constexpr absl::string_view kLastLayer = R"(
    input %x: float32[1x1x1x2]
    const %w: float32[2x1x1x2] = [1.27, -0.5, 0.127, 0.1]
    const %b: float32[2] = [0.5, -0.25]
    %c: float32[1x1x1x2] = conv2d(%x, %w, %b) from "c"
    %r: float32[2] = reshape(%c) {shape=[2]} from "r"
    output %r)";

TEST(QuantizeGraphTest, ChannelwiseWeightsHaveAScaleForEachChannel) {
  const Graph graph =
      QuantizedAs(kLastLayer, kUint8ByChannel, {{"x", {0, 255}}, {"c", {-1, 1}}, {"r", {-1, 1}}});
  const Op& conv = Only(graph, "conv2d");
  const Tensor& w = *conv.inputs[1];
  EXPECT_EQ(w.type.dtype, DataType::kInt8);
  ASSERT_EQ(w.type.quant.scheme, QuantScheme::kPerChannelSymmetric);
  EXPECT_NEAR(w.type.quant.scales[0], 0.01f, 1e-6f);
  EXPECT_NEAR(w.type.quant.scales[1], 0.001f, 1e-7f);
  EXPECT_THAT(w.values<int8_t>(), ElementsAre(127, -50, 127, 100));
  EXPECT_THAT(conv.inputs[2]->values<int32_t>(), ElementsAre(50, -250));  // x's scale is 1
}

TEST(QuantizeGraphTest, OtherWeightsHaveOneScale) {
  const Graph graph =
      QuantizedAs(kLastLayer, Precision{}, {{"x", {0, 255}}, {"c", {-1, 1}}, {"r", {-1, 1}}});
  const Tensor& w = *Only(graph, "conv2d").inputs[1];
  EXPECT_EQ(w.type.dtype, DataType::kUint8);
  EXPECT_EQ(w.type.quant.scheme, QuantScheme::kAsymmetricAffine);
}

TEST(QuantizeGraphTest, AChannelOfTinyWeightsKeepsItsBias) {
  const Graph graph = QuantizedAs(R"(
    input %x: float32[1x1x1x2]
    const %w: float32[2x1x1x2] = [1, 1, 1e-9, 0]
    const %b: float32[2] = [0.5, -4.6]
    %c: float32[1x1x1x2] = conv2d(%x, %w, %b) from "c"
    output %c)",
                                  kUint8ByChannel, {{"x", {0, 1}}, {"c", {-5, 5}}});
  const Op& conv = Only(graph, "conv2d");
  const Tensor& bias = *conv.inputs[2];
  for (size_t c = 0; c < 2; ++c) {
    const auto value = static_cast<float>(bias.values<int32_t>()[c]) * bias.type.quant.scales[c];
    EXPECT_NEAR(value, c == 0 ? 0.5f : -4.6f, 1e-4f);
    EXPECT_LT(std::abs(bias.values<int32_t>()[c]), 1 << 29);
  }
}

constexpr Precision kFixed16{DataType::kInt16, QuantScheme::kDynamicFixedPoint, false};

const std::vector<Precision>& Integers() {
  static const auto* const all = new std::vector<Precision>{
      Precision{},
      kUint8ByChannel,
      {DataType::kUint8, QuantScheme::kDynamicFixedPoint, false},
      {DataType::kInt8, QuantScheme::kAsymmetricAffine, false},
      {DataType::kInt8, QuantScheme::kAsymmetricAffine, true},
      {DataType::kInt8, QuantScheme::kDynamicFixedPoint, false},
      kFixed16,
  };
  return *all;
}

// The layers with weights, each with biases [1, -2, 3, 0.5] and weights whose largest is `weight`.
std::vector<std::string> LayersWithBiases(float weight) {
  const std::string bias = "const %b: float32[4] = [1.0, -2.0, 3.0, 0.5]\n";
  const std::string w = FloatToString(weight);
  const std::string weights = absl::StrCat(" = [", w, ", -", w, ", 0.0, ", w, "]\n");
  const std::string image = "input %x: float32[1x1x1x1]\n";
  const std::string end = "(%x, %w, %b) from \"layer\"\noutput %y\n";
  return {
      absl::StrCat(image, "const %w: float32[4x1x1x1]", weights, bias,
                   "%y: float32[1x1x1x4] = conv2d", end),
      absl::StrCat("input %x: float32[1x1x1x4]\nconst %w: float32[1x1x1x4]", weights, bias,
                   "%y: float32[1x1x1x4] = depthwise_conv2d", end),
      absl::StrCat(image, "const %w: float32[4x1x1x1]", weights, bias,
                   "%y: float32[1x1x1x4] = conv_transpose2d", end),
      absl::StrCat("input %x: float32[1x1]\nconst %w: float32[4x1]", weights, bias,
                   "%y: float32[1x4] = fully_connected", end),
  };
}

// The biases of the only layer, as real numbers.
std::vector<double> RealBiases(const Graph& graph) {
  const Tensor& bias = *graph.ops().front().inputs[2];
  const std::vector<float>& scales = bias.type.quant.scales;
  std::vector<double> real;
  for (size_t c = 0; c < 4; ++c) {
    const auto steps = bias.type.dtype == DataType::kInt64
                           ? static_cast<double>(bias.values<int64_t>()[c])
                           : static_cast<double>(bias.values<int32_t>()[c]);
    EXPECT_LE(std::abs(steps), bias.type.dtype == DataType::kInt64 ? std::ldexp(1, 50) : 1 << 30);
    real.push_back(steps * static_cast<double>(scales[c % scales.size()]));
  }
  return real;
}

TEST(QuantizeGraphTest, BiasesFitWhateverTheRangesOfInputAndWeightsAre) {
  for (const float weight : {1.0f, 0.0f, 1e-12f, 1e-30f}) {
    for (const std::string& layer : LayersWithBiases(weight)) {
      for (const float range : {1.0f, 0.0f, 1e-9f, 1e-19f, 1e-30f, 1e-36f, 1e-38f}) {
        for (const Precision& precision : Integers()) {
          const Graph graph =
              QuantizedAs(layer, precision, {{"x", {-range, range}}, {"y", {-3, 4}}});
          const std::vector<double> biases = RealBiases(graph);
          const auto& op = graph.ops().front();
          EXPECT_THAT(biases, Pointwise(DoubleNear(0.01), std::vector<double>{1.0, -2.0, 3.0, 0.5}))
              << op.def->name << ", input " << range << ", weights " << weight << ", "
              << Name(precision.type) << " " << Name(precision.scheme) << precision.channelwise;
        }
      }
    }
  }
}

TEST(QuantizeGraphTest, WeightsThatABiasWidensAreTheLayersOwn) {
  const Graph graph = QuantizedAs(R"(
    input %x: float32[1x1]
    const %w: float32[2x1] = [1.0, -0.5]
    const %b: float32[2] = [1.0, -2.0]
    %y: float32[1x2] = fully_connected(%x, %w, %b) from "biased"
    %z: float32[1x2] = fully_connected(%x, %w) from "plain"
    output %y
    output %z)",
                                  Precision{}, {{"x", {0, 1e-9f}}, {"y", {-2, 1}}, {"z", {0, 1}}});
  const Tensor& widened = *graph.ops().front().inputs[1];
  const Tensor& plain = *graph.ops().back().inputs[1];
  EXPECT_GT(widened.type.quant.scale(), 100 * plain.type.quant.scale());
  EXPECT_NEAR(plain.type.quant.scale(), 1.5 / 255, 1e-6);
}

TEST(QuantizeGraphTest, NamesInputsOfZerosAndLayersThatGiveTheirBiasOnly) {
  const std::string layer = LayersWithBiases(1)[3];
  for (const Precision& precision : Integers()) {
    EXPECT_THAT(
        WarningsOf(layer, precision, {{"x", {0, 0}}, {"y", {-2, 3}}}),
        ElementsAre("input 'x': all values are 0 in all samples, which says nothing about "
                    "its range: [-1, 1] is taken; add samples in which it has the values "
                    "of real use",
                    "layer 'layer': reads 'x', which is at most 0 in all samples, beside a bias "
                    "of 3, and gives little but its bias: if that is not so in real use, "
                    "add samples that show it"));
    EXPECT_THAT(
        WarningsOf(layer, precision, {{"x", {-1e-9f, 0}}, {"y", {-2, 3}}}),
        ElementsAre(HasSubstr("layer 'layer': reads 'x', which is at most 1e-09 in all samples")));
    EXPECT_THAT(WarningsOf(layer, precision, {{"x", {0, 0.01f}}, {"y", {-2, 3}}}), IsEmpty());
    EXPECT_THAT(
        WarningsOf(LayersWithBiases(1e-9f)[3], precision, {{"x", {0, 1}}, {"y", {-2, 3}}}),
        ElementsAre(HasSubstr("layer 'layer': has weights of at most 1e-09 beside a bias of 3")));
  }
}

const std::map<std::string, ValueRange> kSumRanges = {{"x", {0, 1}}, {"a", {0, 1}}, {"y", {0, 2}}};

// A sum `a`, of which `y` is the double, and a pad of `value` before it.
std::string PaddedSum(absl::string_view value) {
  return absl::StrCat(R"(
    input %x: float32[1x1x4x1]
    %a: float32[1x1x4x1] = add(%x, %x) from "a"
    %p: float32[1x1x5x1] = pad(%a) {pads=[0, 0, 1, 0, 0, 0, 0, 0], value=)",
                      value, R"(} from "p"
    %y: float32[1x1x4x1] = add(%a, %a) from "y"
    output %p
    output %y)");
}

ValueRange PadOperandRange(absl::string_view body, const Precision& precision) {
  const Graph graph = QuantizedAs(body, precision, kSumRanges);
  const Op& pad = Only(graph, "pad");
  EXPECT_EQ(pad.output()->type.quant, pad.inputs[0]->type.quant);
  return StoredRange(pad.inputs[0]->type);
}

TEST(QuantizeGraphTest, APadHasStepsForItsValue) {
  for (const Precision& precision : Integers()) {
    const bool is_signed =
        precision.type != DataType::kUint8 || precision.scheme == QuantScheme::kAsymmetricAffine;
    if (!is_signed) continue;
    EXPECT_LE(PadOperandRange(PaddedSum("-11.5"), precision).min, -11.4f);
    EXPECT_GE(PadOperandRange(PaddedSum("2.0"), precision).max, 1.99f);
    const Graph graph = QuantizedAs(PaddedSum("-11.5"), precision, kSumRanges);
    const Op& requantize = Only(graph, "requantize");
    EXPECT_EQ(requantize.output(), Only(graph, "pad").inputs[0]);
    EXPECT_EQ(requantize.inputs[0], Only(graph, "add").inputs[0]);
  }
}

TEST(QuantizeGraphTest, AValueOfThePadsOperandNeedsNoStepsOfItsOwn) {
  for (const absl::string_view value : {"0.0", "0.5", "1.0"}) {
    EXPECT_NEAR(PadOperandRange(PaddedSum(value), Precision{}).max, 1, 0.01) << value;
  }
}

TEST(QuantizeGraphTest, APadSaturatesWhereItsValueWouldTakeTheStepsOfTheOthers) {
  EXPECT_NEAR(PadOperandRange(PaddedSum("-1e9"), Precision{}).min, -15, 0.1);
  EXPECT_THAT(WarningsOf(PaddedSum("-1e9"), Precision{}, kSumRanges),
              ElementsAre("layer 'p': pads with -1e+09, which becomes -15: further away it would "
                          "leave the values beside it too few steps; give the layer int16"));
  EXPECT_THAT(WarningsOf(PaddedSum("-100.0"), PrecisionOf(DataType::kInt16), kSumRanges),
              IsEmpty());
}

TEST(QuantizeGraphTest, AnInfinitePadKeepsItsOpInFloat32) {
  const Graph graph = QuantizedAs(PaddedSum("inf"), Precision{}, kSumRanges);
  EXPECT_EQ(Only(graph, "pad").output()->type.dtype, DataType::kFloat32);
}

TEST(QuantizeGraphTest, NamesAPartThatHasFewSteps) {
  constexpr absl::string_view kState = R"(
    input %x: float32[2x4]
    %h: float32[1x4] = slice(%x) {sizes=[1, 4], starts=[0, 0], steps=[1, 1]} from "h"
    output %h)";
  EXPECT_THAT(WarningsOf(kState, Precision{}, {{"x", {-100, 100}}, {"h", {-1, 1}}}),
              ElementsAre("layer 'h': the part of 'x' that it takes has 2.5 of 256 steps: give "
                          "int16 to INPUTS and to this layer in 'data_type'"));
  EXPECT_THAT(WarningsOf(kState, Precision{}, {{"x", {-100, 100}}, {"h", {-8, 8}}}), IsEmpty());
  EXPECT_THAT(
      WarningsOf(kState, PrecisionOf(DataType::kInt16), {{"x", {-100, 100}}, {"h", {-1, 1}}}),
      IsEmpty());
}

TEST(QuantizeGraphTest, APadBelowWhatMaxPoolingReadsNeedsNoSteps) {
  constexpr absl::string_view kPooled = R"(
    input %x: float32[1x4x4x1]
    %a: float32[1x4x4x1] = add(%x, %x) from "a"
    %p: float32[1x5x5x1] = pad(%a) {pads=[0, 1, 1, 0, 0, 0, 0, 0], value=-1e9} from "p"
    %m: float32[1x2x2x1] = max_pool2d(%p) {kernel=[3, 3], strides=[2, 2]} from "m"
    output %m)";
  EXPECT_NEAR(PadOperandRange(kPooled, Precision{}).min, 0, 0.01);
}

TEST(QuantizeGraphTest, ConstantTensorsGetALegalScale) {
  const std::map<std::string, ValueRange> zeros = {{"x", {0, 0}}, {"c", {0, 0}}, {"r", {0, 0}}};
  const std::map<std::string, ValueRange> threes = {{"x", {3, 3}}, {"c", {-3, -3}}, {"r", {3, 3}}};
  for (const auto& ranges : {zeros, threes}) {
    for (const Precision& precision :
         {Precision{}, kUint8ByChannel, Precision{DataType::kInt8, QuantScheme::kDynamicFixedPoint},
          Precision{DataType::kInt16, QuantScheme::kDynamicFixedPoint}}) {
      const Graph graph = QuantizedAs(kLastLayer, precision, ranges);
      for (const Tensor& tensor : graph.tensors()) {
        for (const float scale : tensor.type.quant.scales) {
          EXPECT_TRUE(std::isnormal(scale) && scale > 0) << tensor.name << ": " << scale;
        }
      }
    }
  }
}

TEST(QuantizeGraphTest, Int16IsFixedPointWithWideBiases) {
  const Graph graph =
      QuantizedAs(kLastLayer, {DataType::kInt16, QuantScheme::kDynamicFixedPoint, false},
                  {{"x", {0, 255}}, {"c", {-1, 1}}, {"r", {-1, 1}}});
  const Op& conv = Only(graph, "conv2d");
  EXPECT_EQ(conv.inputs[0]->type.quant, QuantParams::FixedPoint(7));   // 255 * 2^7 = 32640
  EXPECT_EQ(conv.inputs[1]->type.quant, QuantParams::FixedPoint(14));  // 1.27 * 2^14 = 20808
  EXPECT_EQ(conv.inputs[1]->type.dtype, DataType::kInt16);
  EXPECT_EQ(conv.inputs[2]->type.quant, QuantParams::FixedPoint(21));
  EXPECT_THAT(conv.inputs[2]->values<int64_t>(), ElementsAre(1 << 20, -(1 << 19)));
  EXPECT_EQ(conv.output()->type.quant, QuantParams::FixedPoint(14));  // 1 * 2^15 is too large
  EXPECT_EQ(graph.outputs[0]->type.dtype, DataType::kInt16);
}

TEST(QuantizeGraphTest, Float16StoresConstantsAndActivations) {
  const Graph graph = QuantizedAs(kLastLayer, {DataType::kFloat16, QuantScheme::kNone, false}, {});
  const Op& conv = Only(graph, "conv2d");
  for (const Tensor* operand : conv.inputs) EXPECT_EQ(operand->type.dtype, DataType::kFloat16);
  EXPECT_EQ(graph.outputs[0]->type.dtype, DataType::kFloat16);
  EXPECT_THAT(conv.inputs[2]->values<uint16_t>(), ElementsAre(0x3800, 0xB400));  // 0.5, -0.25
}

TEST(QuantizeGraphTest, MeasuredProbabilitiesHaveStepsOfTheirOwn) {
  constexpr absl::string_view kSoftmax = R"(
    input %x: float32[1x4]
    %p: float32[1x4] = softmax(%x) {axis=1} from "p"
    output %p)";
  const std::map<std::string, ValueRange> ranges = {{"x", {-1, 1}}, {"p", {0, 0.255f}}};
  const Precision uint8{DataType::kUint8, QuantScheme::kAsymmetricAffine, false};
  EXPECT_EQ(Only(QuantizedAs(kSoftmax, uint8, ranges), "softmax").output()->type.quant.scale(),
            1.0f / 255);
  Graph graph = GraphOfBody(kSoftmax);
  LayerPrecisions precisions(uint8);
  precisions.SetMeasured(Only(graph, "softmax"));
  Warnings warnings;
  ASSERT_TRUE(QuantizeGraph({ranges, ranges}, precisions, graph, warnings).ok());
  EXPECT_FLOAT_EQ(Only(graph, "softmax").output()->type.quant.scale(), 0.001f);
}

TEST(QuantizeGraphTest, AWideResultHas16BitsOf8BitOperands) {
  for (const Precision& precision : Integers()) {
    Graph graph = GraphOfBody(kLastLayer);
    LayerPrecisions precisions(precision);
    precisions.SetWideResult(Only(graph, "conv2d"));
    precisions.Set(Only(graph, "reshape"), PrecisionOf(DataType::kInt16));
    const std::map<std::string, ValueRange> ranges8 = {{"x", {0, 1}}, {"c", {-1, 1}}};
    const std::map<std::string, ValueRange> ranges16 = {{"x", {0, 1}}, {"c", {-4, 4}}};
    Warnings warnings;
    const absl::Status status = QuantizeGraph({ranges8, ranges16}, precisions, graph, warnings);
    ASSERT_TRUE(status.ok()) << status;
    const Op& conv = Only(graph, "conv2d");
    EXPECT_EQ(conv.inputs[0]->type.dtype, precision.type);
    const TensorType& result = conv.output()->type;
    EXPECT_EQ(result.dtype, DataType::kInt16);
    EXPECT_EQ(result.quant, ParamsFor({-4, 4}, PrecisionOf(DataType::kInt16)));
    EXPECT_EQ(Only(graph, "reshape").inputs[0], conv.output());
  }
}

TEST(QuantizeGraphTest, UndividedAttentionReaches1InEveryTypeThatReadsIt) {
  const Precision uint8{DataType::kUint8, QuantScheme::kAsymmetricAffine, false};
  const std::map<std::string, ValueRange> ranges = {
      {"s", {-9, 9}}, {"v", {-1, 1}}, {"p", {0, 0.25f}}, {"r", {0, 0.25f}}, {"y", {-1, 1}}};
  const DataType bytes = DataType::kUint8, wide = DataType::kInt16, real = DataType::kFloat32;
  for (const auto& [softmax, moved] : {std::pair(real, real), {wide, wide}, {bytes, wide}}) {
    Graph graph = GraphOfBody(R"(
      input %s: float32[3x4]
      input %v: float32[4x5]
      %p: float32[3x4] = softmax(%s) {axis=1, normalize=0} from "p"
      %r: float32[1x3x4] = reshape(%p) {shape=[1, 3, 4]} from "r"
      %y: float32[1x3x5] = matmul(%r, %v) {normalize=1} from "y"
      output %y)");
    LayerPrecisions precisions(uint8);
    precisions.Set(Only(graph, "softmax"), PrecisionOf(softmax));
    precisions.Set(Only(graph, "reshape"), PrecisionOf(moved));
    Warnings warnings;
    ASSERT_TRUE(QuantizeGraph({ranges, ranges}, precisions, graph, warnings).ok());
    const TensorType& weights = Only(graph, "matmul").inputs[0]->type;
    EXPECT_EQ(weights.dtype, DataType::kUint8);
    EXPECT_EQ(weights.quant.scale(), 1.0f / 255) << Name(softmax) << Name(moved);
  }
}

TEST(QuantizeGraphTest, ChannelwiseWeightsAreThoseOfEveryLayer) {
  const Graph graph = QuantizedAs(R"(
    input %x: float32[1x1x1x2]
    const %w: float32[2x1x1x2] = [1.27, -0.5, 0.127, 0.1]
    %c: float32[1x1x1x2] = conv2d(%x, %w) from "c"
    %s: float32[1x1x1x2] = sigmoid(%c) from "s"
    output %s)",
                                  {DataType::kInt8, QuantScheme::kAsymmetricAffine, true},
                                  {{"x", {0, 255}}, {"c", {-1, 1}}, {"s", {0, 1}}});
  const Op& conv = Only(graph, "conv2d");
  EXPECT_EQ(conv.inputs[0]->type.quant, QuantParams::Affine(1, -128));
  EXPECT_EQ(conv.inputs[1]->type.quant.scheme, QuantScheme::kPerChannelSymmetric);
}

// "relu:uint8 " for each op.
std::string OpsOf(const Graph& graph) {
  std::string ops;
  for (const Op& op : graph.ops()) {
    absl::StrAppend(&ops, op.def->name, ":", Name(op.output()->type.dtype), " ");
  }
  return ops;
}

constexpr Precision kHalf{DataType::kFloat16, QuantScheme::kNone, false};

// Of one op for each layer 'a', 'b', ...; the types of the inputs and of these.
Graph QuantizedByLayer(absl::string_view body, const Precision& inputs,
                       const std::vector<Precision>& layers) {
  Graph graph = GraphOfBody(body);
  LayerPrecisions precisions{Precision{}};
  precisions.SetInputs(inputs);
  std::map<std::string, ValueRange> ranges;
  for (const Tensor& tensor : graph.tensors()) ranges[tensor.name] = {-1, 1};
  for (const Op& op : graph.ops()) {
    precisions.Set(op, layers[static_cast<size_t>(op.origins[0][0] - 'a')]);
  }
  Warnings warnings;
  const absl::Status status = QuantizeGraph({ranges, ranges}, precisions, graph, warnings);
  EXPECT_TRUE(status.ok()) << status;
  return graph;
}

TEST(QuantizeGraphTest, FromFloat16ToIntegersByWayOfFloat32) {
  const Graph graph = QuantizedByLayer(R"(
    input %x: float32[4]
    %a: float32[4] = relu(%x) from "a"
    %b: float32[4] = sigmoid(%a) from "b"
    %c: float32[4] = relu(%b) from "c"
    %d: float32[4] = tanh(%b) from "d"
    output %c
    output %d)",
                                       Precision{}, {kFixed16, kHalf, Precision{}, Precision{}});
  EXPECT_EQ(OpsOf(graph),
            "requantize:int16 relu:int16 dequantize:float32 cast:float16 sigmoid:float16 "
            "cast:float32 quantize:uint8 relu:uint8 tanh:uint8 ");
  EXPECT_THAT(Only(graph, "requantize").origins, ElementsAre("x"));
  EXPECT_THAT(Only(graph, "dequantize").origins, ElementsAre("a"));
  EXPECT_THAT(Only(graph, "quantize").origins, ElementsAre("b"));
}

TEST(QuantizeGraphTest, OpsThatTakeNoIntegersReadFloat32) {
  const Graph graph = QuantizedAs(R"(
    input %x: float32[4]
    input %n: int32[4]
    %i: int64[4] = cast(%x) {to="int64"} from "i"
    %f: float32[4] = cast(%n) {to="float32"} from "f"
    %y: float32[4] = add(%x, %f) from "y"
    output %i
    output %y)",
                                  Precision{}, {{"x", {0, 1}}, {"f", {0, 1}}, {"y", {0, 2}}});
  EXPECT_EQ(OpsOf(graph), "dequantize:float32 cast:int64 cast:float32 quantize:uint8 add:uint8 ");
  EXPECT_EQ(graph.inputs[1]->type.dtype, DataType::kInt32);
}

TEST(QuantizeGraphTest, FiniteNumbersOfFloat16StayFinite) {
  const Graph graph = QuantizedAs(R"(
    input %x: float32[6]
    const %m: float32[6] = [1e9, -1e9, inf, -inf, 65504.0, 1.0]
    %y: float32[6] = add(%x, %m) from "y"
    output %y)",
                                  kHalf, {});
  EXPECT_THAT(Only(graph, "add").inputs[1]->values<uint16_t>(),
              ElementsAre(0x7BFF, 0xFBFF, 0x7C00, 0xFC00, 0x7BFF, 0x3C00));
}

constexpr absl::string_view kMask = R"(
    input %x: float32[2]
    const %m: float32[2] = [0.0, -inf]
    %y: float32[2] = add(%x, %m) from "y"
    output %y)";

TEST(QuantizeGraphTest, AMaskWithARangeSaturates) {
  const Graph graph =
      QuantizedAs(kMask, Precision{}, {{"x", {0, 1}}, {"y", {-9, 1}}, {"m", {-10.2f, 0}}});
  EXPECT_EQ(OpsOf(graph), "add:uint8 ");
  const Tensor& mask = *Only(graph, "add").inputs[1];
  EXPECT_EQ(mask.type.quant, QuantParams::Affine(0.04f, 255));
  EXPECT_THAT(mask.values<uint8_t>(), ElementsAre(255, 0));
}

TEST(QuantizeGraphTest, AnInfiniteConstantWithoutARangeKeepsItsOpInFloat32) {
  const Graph graph = QuantizedAs(kMask, Precision{}, {{"x", {0, 1}}, {"y", {-9, 1}}});
  EXPECT_EQ(OpsOf(graph), "dequantize:float32 add:float32 ");
  EXPECT_EQ(OpsOf(QuantizedAs(kMask, kHalf, {})), "add:float16 ");
}

TEST(QuantizeGraphTest, WeightsThatLayersShareAreStoredOnceUnlessTheirBiasesDiffer) {
  constexpr absl::string_view kShared = R"(
    input %x: float32[1x2]
    const %w: float32[2x2] = [1.0, -0.5, 0.25, 0.125]
    %y: float32[1x2] = fully_connected(%x, %w) from "y"
    %z: float32[1x2] = fully_connected(%y, %w) from "z"
    output %z)";
  const std::map<std::string, ValueRange> ranges = {{"x", {0, 1}}, {"y", {-1, 1}}, {"z", {-1, 1}}};
  for (const Precision& precision : Integers()) {
    const Graph graph = QuantizedAs(kShared, precision, ranges);
    const bool same = graph.ops().front().inputs[1] == graph.ops().back().inputs[1];
    EXPECT_EQ(same, !precision.channelwise) << Name(precision.type);
  }
  const Graph half = QuantizedAs(kShared, kHalf, ranges);
  EXPECT_EQ(half.ops().front().inputs[1], half.ops().back().inputs[1]);
}

TEST(QuantizeGraphTest, ErrorsOf8BitWeightsCancel) {
  const auto stored = [&](const Precision& precision) {
    return QuantizedAs(R"(
    input %x: float32[1x2x2x1]
    const %w: float32[1x2x2x1] = [1.4, 2.43, 3.45, 255.0]
    %y: float32[1x1x1x1] = conv2d(%x, %w) from "y"
    output %y)",
                       precision, {{"x", {0, 1}}, {"y", {0, 255}}});
  };
  const Graph bytes = stored(Precision{});
  // To the nearest: 1, 2, 3.
  EXPECT_THAT(Only(bytes, "conv2d").inputs[1]->values<uint8_t>(), ElementsAre(1, 2, 4, 255));
  const Graph words = stored(kFixed16);
  EXPECT_EQ(Only(words, "conv2d").inputs[1]->type.quant, QuantParams::FixedPoint(7));
  EXPECT_THAT(Only(words, "conv2d").inputs[1]->values<int16_t>(),
              ElementsAre(179, 311, 442, 32640));
}

TEST(QuantizeGraphTest, ConstantsThatAreNoWeightsAreRoundedToTheNearest) {
  const Graph graph = QuantizedAs(R"(
    input %x: float32[1x2x2x1]
    const %w: float32[1x2x2x1] = [1.4, 2.43, 3.45, 255.0]
    %y: float32[1x2x2x1] = mul(%x, %w) from "y"
    output %y)",
                                  Precision{}, {{"x", {0, 1}}, {"y", {0, 255}}});
  EXPECT_THAT(Only(graph, "mul").inputs[1]->values<uint8_t>(), ElementsAre(1, 2, 3, 255));
}

TEST(QuantizeGraphTest, ConstantsThatAreNoWeightsHaveOneScale) {
  const Graph graph = QuantizedAs(R"(
    input %x: float32[4]
    const %k: float32[4] = [1.0, 2.0, 3.0, 255.0]
    %y: float32[4] = mul(%x, %k) from "y"
    output %y)",
                                  kUint8ByChannel, {{"x", {0, 1}}, {"y", {0, 255}}});
  EXPECT_EQ(Only(graph, "mul").inputs[1]->type.quant, QuantParams::Affine(1, 0));
}

TEST(QuantizeGraphTest, FloatWeightsGo) {
  const Graph graph =
      QuantizedAs(kLastLayer, Precision{}, {{"x", {0, 255}}, {"c", {-1, 1}}, {"r", {-1, 1}}});
  EXPECT_EQ(graph.FindTensor("w"), nullptr);
  EXPECT_EQ(graph.FindTensor("b"), nullptr);
}

TEST(QuantizeGraphTest, AbsentBiasesStayAbsent) {
  constexpr absl::string_view kAbsent = R"(
    input %x: float32[1x1]
    const %w: float32[1x1] = [1.0]
    const %v: float32[1x1] = [inf]
    %y: float32[1x1] = fully_connected(%x, %w, _) from "y"
    %z: float32[1x1] = fully_connected(%y, %v, _) from "z"
    output %z)";
  const Graph graph = QuantizedAs(kAbsent, Precision{}, {{"x", {0, 1}}, {"y", {0, 1}}});
  EXPECT_EQ(OpsOf(graph), "fully_connected:uint8 dequantize:float32 fully_connected:float32 ");
  EXPECT_EQ(graph.ops().front().input(2), nullptr);
  EXPECT_EQ(graph.ops().back().input(2), nullptr);
}

TEST(QuantizeGraphTest, IndicesAreNoInfiniteNumbers) {
  const Graph graph = QuantizedAs(R"(
    input %x: float32[4]
    const %i: int64[2] = [3, 0]
    %y: float32[2] = gather(%x, %i) {axis=0} from "y"
    output %y)",
                                  Precision{}, {{"x", {0, 1}}, {"y", {0, 1}}});
  EXPECT_EQ(OpsOf(graph), "gather:uint8 ");
}

TEST(QuantizeGraphTest, WideBiasesLeaveWeightsTheirScale) {
  const Graph graph = QuantizedAs(R"(
    input %x: float32[1x1]
    const %w: float32[1x1] = [1.0]
    const %b: float32[1] = [1.0]
    %y: float32[1x1] = fully_connected(%x, %w, %b) from "y"
    output %y)",
                                  kFixed16, {{"x", {0, 1e-6f}}, {"y", {0, 1}}});
  EXPECT_EQ(graph.ops().front().inputs[1]->type.quant, QuantParams::FixedPoint(14));
}

TEST(QuantizeGraphTest, IntegerArithmeticStays) {
  const Graph graph = QuantizedAs(R"(
    input %n: int32[4]
    %y: int32[4] = add(%n, %n) from "y"
    output %y)",
                                  Precision{}, {});
  EXPECT_EQ(OpsOf(graph), "add:int32 ");
}

TEST(QuantizeGraphTest, AFixedRangeNeedsNoStatistics) {
  const Graph graph = QuantizedAs(R"(
    input %x: float32[1x1]
    const %w: float32[1x1] = [1.0]
    const %b: float32[1] = [1.0]
    %s: float32[1x1] = sigmoid(%x) from "s"
    %y: float32[1x1] = fully_connected(%s, %w, %b) from "y"
    output %y)",
                                  Precision{}, {{"x", {0, 1}}, {"y", {0, 2}}});
  EXPECT_EQ(OpsOf(graph), "sigmoid:uint8 fully_connected:uint8 ");
}

TEST(QuantizeGraphTest, ABiasThatIsNoNumberIsZero) {
  const Graph graph = QuantizedAs(R"(
    input %x: float32[1x1]
    const %w: float32[2x1] = [1.0, 1.0]
    const %b: float32[2] = [nan, 1.0]
    %y: float32[1x2] = fully_connected(%x, %w, %b) from "y"
    output %y)",
                                  Precision{}, {{"x", {0, 255}}, {"y", {0, 255}}});
  EXPECT_THAT(graph.ops().front().inputs[2]->values<int32_t>(), ElementsAre(0, 255));
}

TEST(QuantizeGraphTest, RefusesBiasesThatAreComputed) {
  constexpr absl::string_view kComputed = R"(
    input %x: float32[1x1]
    input %b: float32[2]
    const %w: float32[2x1] = [1.0, 1.0]
    %y: float32[1x2] = fully_connected(%x, %w, %b) from "layer"
    output %y)";
  const std::map<std::string, ValueRange> ranges = {{"x", {0, 1}}, {"b", {0, 1}}, {"y", {0, 1}}};
  Graph graph = GraphOfBody(kComputed);
  Warnings warnings;
  const absl::Status status =
      QuantizeGraph({ranges, ranges}, LayerPrecisions(Precision{}), graph, warnings);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("the bias is computed, expected a constant"));
  // With the advice taken it runs, in float32.
  EXPECT_EQ(OpsOf(QuantizedAs(kComputed, kHalf, {})),
            "cast:float32 cast:float32 fully_connected:float32 ");
}

TEST(QuantizeGraphTest, NamesATensorThatTheStatisticsDontHave) {
  Graph graph = GraphOfBody(R"(
    input %x: float32[4]
    %y: float32[4] = add(%x, %x) from "y"
    output %y)");
  Warnings warnings;
  const RangesByBits ranges = {{{"x", {0, 1}}}, {{"x", {0, 1}}, {"y", {0, 2}}}};
  const absl::Status status = QuantizeGraph(ranges, LayerPrecisions(Precision{}), graph, warnings);
  EXPECT_TRUE(absl::IsNotFound(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("tensor 'y': the statistics have no range"));
}

TEST(QuantizeGraphTest, EachNumberOfBitsHasItsRanges) {
  Graph graph = GraphOfBody(R"(
    input %x: float32[4]
    %y: float32[4] = add(%x, %x) from "y"
    output %y)");
  Warnings warnings;
  LayerPrecisions precisions{Precision{}};
  precisions.Set(graph.ops().front(), kFixed16);
  const RangesByBits ranges = {{{"x", {0, 255}}, {"y", {0, 1}}}, {{"x", {0, 1}}, {"y", {0, 255}}}};
  const absl::Status status = QuantizeGraph(ranges, precisions, graph, warnings);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(graph.inputs[0]->type.quant, QuantParams::Affine(1, 0));
  const Op& add = Only(graph, "add");
  EXPECT_EQ(add.inputs[0]->type.quant, QuantParams::FixedPoint(14));
  EXPECT_EQ(add.output()->type.quant, QuantParams::FixedPoint(7));
}

TEST(QuantizeGraphTest, FixedRangesAndMovedValuesHaveTheirOpsQuantizers) {
  const Graph graph = QuantizedAs(R"(
    input %x: float32[4]
    %s: float32[4] = sigmoid(%x) from "s"
    %r: float32[2x2] = reshape(%s) {shape=[2, 2]} from "r"
    output %r)",
                                  Precision{}, {{"x", {0, 1}}, {"s", {0, 9}}, {"r", {0, 9}}});
  const QuantParams sigmoid = Only(graph, "sigmoid").output()->type.quant;
  EXPECT_EQ(sigmoid, QuantParams::Affine(static_cast<float>(1.0 / 255), 0));
  EXPECT_EQ(Only(graph, "reshape").output()->type.quant, sigmoid);
}

TEST(QuantizeGraphTest, Float16NeedsNoWarnings) {
  EXPECT_THAT(WarningsOf(LayersWithBiases(1e-9f)[3], kHalf, {{"x", {0, 0}}, {"y", {-2, 3}}}),
              IsEmpty());
}

TEST(QuantizeGraphTest, ConversionsStandWhereTypesMeetAndAreShared) {
  Graph graph = GraphOfBody(R"(
    input %x: float32[4]
    %a: float32[4] = relu(%x) from "a"
    %b: float32[4] = sigmoid(%a) from "b"
    %c: float32[4] = tanh(%a) from "c"
    %d: float32[4] = add(%b, %c) from "d"
    %e: float32[4] = silu(%d) from "e"
    output %e)");
  LayerPrecisions precisions{Precision{}};
  for (const Op& op : graph.ops()) {
    const std::string& name = op.origins[0];
    if (name == "b" || name == "c") precisions.Set(op, kFixed16);
    if (name == "e") precisions.Set(op, kHalf);
  }
  std::map<std::string, ValueRange> ranges;
  for (const char* name : {"x", "a", "b", "c", "d", "e"}) ranges[name] = {-1, 1};
  Warnings warnings;
  const absl::Status status = QuantizeGraph({ranges, ranges}, precisions, graph, warnings);
  ASSERT_TRUE(status.ok()) << status;
  // One conversion of a for b and c; to float16 by way of float32.
  EXPECT_EQ(OpsOf(graph),
            "relu:uint8 requantize:int16 sigmoid:int16 requantize:uint8 tanh:int16 "
            "requantize:uint8 add:uint8 dequantize:float32 cast:float16 silu:float16 ");
}

// The model quantized its convolution and its last layer.
constexpr absl::string_view kPartlyQuantized = R"(
    input %x: uint8[1x1x1x2]<affine 0.5 3>
    const %w: uint8[2x1x1x2]<affine 0.25 8> = [9, 7, 8, 12]
    %c: uint8[1x1x1x2]<affine 0.125 10> = conv2d(%x, %w) from "c"
    %d: float32[1x1x1x2] = dequantize(%c) from "d"
    %s: float32[1x1x1x2] = silu(%d) from "s"
    %t: float32[1x1x1x2] = tanh(%s) from "t"
    %q: uint8[1x1x1x2]<affine 0.0625 7> = quantize(%t) from "q"
    %r: uint8[1x1x1x2]<affine 0.0625 7> = relu(%q) from "r"
    output %r)";

TEST(QuantizeGraphTest, LayersWithoutQuantizersGetThemAmongThoseWithTheirOwn) {
  const Graph graph = QuantizedAs(kPartlyQuantized, Precision{}, {{"s", {-1, 1}}});
  EXPECT_EQ(OpsOf(graph), "conv2d:uint8 silu:uint8 tanh:uint8 relu:uint8 ");
  EXPECT_EQ(Only(graph, "conv2d").output()->type.quant, QuantParams::Affine(0.125f, 10));
  EXPECT_EQ(Only(graph, "silu").inputs[0], Only(graph, "conv2d").output());
  EXPECT_NEAR(Only(graph, "silu").output()->type.quant.scale(), 2.0f / 255, 1e-6f);
  // No statistics for it: the model has a quantizer for its values.
  EXPECT_EQ(Only(graph, "tanh").output()->type.quant, QuantParams::Affine(0.0625f, 7));
}

TEST(QuantizeGraphTest, OtherTypesThanTheModelsMeetItsIntegersByAConversion) {
  const std::map<std::string, ValueRange> ranges = {{"d", {-1, 1}}, {"s", {-1, 1}}, {"t", {-1, 1}}};
  const Graph wide = QuantizedAs(kPartlyQuantized, kFixed16, ranges);
  EXPECT_EQ(OpsOf(wide),
            "conv2d:uint8 requantize:int16 silu:int16 tanh:int16 requantize:uint8 relu:uint8 ");
  const Graph half = QuantizedAs(kPartlyQuantized, kHalf, ranges);
  EXPECT_EQ(OpsOf(half),
            "conv2d:uint8 dequantize:float32 cast:float16 silu:float16 tanh:float16 cast:float32 "
            "quantize:uint8 relu:uint8 ");
  // The same steps, so that no value changes.
  const Graph bytes = QuantizedAs(kPartlyQuantized,
                                  {DataType::kInt8, QuantScheme::kAsymmetricAffine, false}, ranges);
  EXPECT_EQ(OpsOf(bytes),
            "conv2d:uint8 requantize:int8 silu:int8 tanh:int8 requantize:uint8 relu:uint8 ");
  EXPECT_EQ(Only(bytes, "silu").inputs[0]->type.quant, QuantParams::Affine(0.125f, -118));
  EXPECT_EQ(Only(bytes, "tanh").output()->type.quant, QuantParams::Affine(0.0625f, -121));
}

TEST(QuantizeGraphTest, ARangeThatTheOpFixesHoldsInAnotherWidthThanTheModels) {
  // No statistics for the result of tanh.
  const Graph wide = QuantizedAs(kPartlyQuantized, kFixed16, {{"d", {-1, 1}}, {"s", {-1, 1}}});
  EXPECT_EQ(Only(wide, "tanh").output()->type.quant.scale(), 1.0f / (1 << 14));
}

TEST(QuantizeGraphTest, TwoQuantizersOfTheModelReadOneTensor) {
  const Graph graph = QuantizedAs(R"(
    input %x: float32[4]
    %s: float32[4] = silu(%x) from "s"
    %p: uint8[4]<affine 0.0625 7> = quantize(%s) from "p"
    %a: uint8[4]<affine 0.0625 7> = relu(%p) from "a"
    %q: uint8[4]<affine 0.125 3> = quantize(%s) from "q"
    %b: uint8[4]<affine 0.125 3> = relu(%q) from "b"
    %c: float32[4] = silu(%s) from "c"
    output %a
    output %b
    output %c)",
                                  Precision{}, {{"x", {-1, 1}}, {"c", {-1, 1}}});
  EXPECT_EQ(OpsOf(graph), "silu:uint8 relu:uint8 requantize:uint8 relu:uint8 silu:uint8 ");
}

TEST(QuantizeGraphTest, FloatBordersOfQuantizedLayersStay) {
  const Graph graph = QuantizedAs(R"(
    input %x: float32[4]
    input %y: float32[4]
    %xq: uint8[4]<affine 0.5 3> = quantize(%x) from "xq"
    %yq: uint8[4]<affine 0.25 3> = quantize(%y) from "yq"
    %a: uint8[4]<affine 0.5 3> = add(%xq, %yq) from "a"
    %d: float32[4] = dequantize(%a) from "d"
    %b: float32[4] = mul(%d, %y) from "b"
    output %d
    output %b)",
                                  Precision{}, {{"y", {-9, 9}}, {"b", {-1, 1}}});
  EXPECT_EQ(OpsOf(graph), "quantize:uint8 add:uint8 dequantize:float32 mul:uint8 ");
  EXPECT_EQ(graph.inputs[0]->type.dtype, DataType::kFloat32);
  // A layer without quantizers reads it as well: it gets the model's quantizer, not that of
  // samples.
  EXPECT_EQ(graph.inputs[1]->type.quant, QuantParams::Affine(0.25f, 3));
  EXPECT_EQ(graph.outputs[0]->type.dtype, DataType::kFloat32);
  EXPECT_EQ(graph.outputs[1]->type.dtype, DataType::kUint8);
}

TEST(QuantizeGraphTest, OpsOfTheModelsIntegersStay) {
  const Graph graph = QuantizedAs(R"(
    input %x: uint8[4]<affine 0.5 3>
    input %f: float32[4]
    %e: bool[4] = equal(%x, %x) from "e"
    %s: float32[4] = silu(%f) from "s"
    %q: uint8[4]<affine 0.5 3> = quantize(%s) from "q"
    output %e
    output %q
    output %s)",
                                  Precision{}, {{"f", {-1, 1}}});
  EXPECT_EQ(OpsOf(graph), "equal:bool silu:uint8 requantize:uint8 ");
  EXPECT_EQ(graph.outputs[1]->name, "q");
  EXPECT_EQ(graph.outputs[1]->type.quant, graph.outputs[2]->type.quant);
}

TEST(QuantizeGraphTest, AConstantInputOfALayerIsNoWeight) {
  const Graph graph = QuantizedAs(R"(
    const %x: float32[1x2] = [1.4, 255.0]
    const %w: float32[1x2] = [1.0, 0.5]
    %y: float32[1x1] = fully_connected(%x, %w) from "y"
    output %y)",
                                  kUint8ByChannel, {{"y", {0, 255}}});
  EXPECT_EQ(graph.ops().front().inputs[0]->type.quant, QuantParams::Affine(1, 0));
  EXPECT_THAT(graph.ops().front().inputs[0]->values<uint8_t>(), ElementsAre(1, 255));
}

TEST(QuantizeGraphTest, SlopesHaveOneScale) {
  const Graph graph = QuantizedAs(R"(
    input %x: float32[1x2]
    const %s: float32[2] = [0.5, 255.0]
    %y: float32[1x2] = prelu(%x, %s) from "y"
    output %y)",
                                  kUint8ByChannel, {{"x", {-1, 1}}, {"y", {-255, 1}}});
  EXPECT_EQ(Only(graph, "prelu").inputs[1]->type.quant, QuantParams::Affine(1, 0));
}

TEST(QuantizeGraphTest, ANormalizationReadsWhatThereIsAndKeepsItsFactors) {
  constexpr absl::string_view kBody = R"(
    input %x: float32[2x4]
    const %s: float32[4] = [1.0, 2.0, 3.0, 4.0]
    const %b: float32[4] = [0.5, 0.5, 0.5, 0.5]
    %t: float32[2x4] = tanh(%x) from "t"
    %n: float32[2x4] = normalization(%t, %s, %b) {axes=[1]} from "n"
    output %n)";
  const std::map<std::string, ValueRange> ranges = {{"x", {-1, 1}}, {"t", {-1, 1}}, {"n", {-9, 9}}};
  Graph graph = GraphOfBody(kBody);
  LayerPrecisions precisions{Precision()};
  precisions.Set(graph.ops().front(), PrecisionOf(DataType::kInt16));
  Warnings warnings;
  ASSERT_TRUE(QuantizeGraph({ranges, ranges}, precisions, graph, warnings).ok());
  const Op& norm = Only(graph, "normalization");
  EXPECT_EQ(norm.inputs[0]->type.dtype, DataType::kInt16);
  EXPECT_EQ(norm.output()->type.dtype, DataType::kUint8);
  for (const size_t factor : {1, 2}) {
    EXPECT_EQ(norm.inputs[factor]->type.dtype, DataType::kFloat32);
  }
  const Graph half = QuantizedAs(kBody, PrecisionOf(DataType::kFloat16), {});
  EXPECT_EQ(Only(half, "normalization").output()->type.dtype, DataType::kFloat16);
  EXPECT_EQ(Only(half, "normalization").inputs[1]->type.dtype, DataType::kFloat32);
}

TEST(QuantizeGraphTest, ScalesHaveProductsThatFloatsHold) {
  constexpr absl::string_view kTiny = R"(
    input %x: float32[1x1]
    const %w: float32[2x1] = [1e-30, -1e-30]
    %y: float32[1x2] = fully_connected(%x, %w) from "y"
    output %y)";
  constexpr absl::string_view kHuge = R"(
    input %x: float32[1x1]
    const %w: float32[2x1] = [1.0, -1.0]
    const %b: float32[2] = [1e38, -1e38]
    %y: float32[1x2] = fully_connected(%x, %w, %b) from "y"
    output %y)";
  for (const Precision& precision : Integers()) {
    const Graph tiny = QuantizedAs(kTiny, precision, {{"x", {0, 1e-30f}}, {"y", {0, 1}}});
    const float input = tiny.inputs[0]->type.quant.scale();
    for (const float scale : tiny.ops().front().inputs[1]->type.quant.scales) {
      EXPECT_TRUE(std::isnormal(input * scale)) << input << " * " << scale;
    }
    const Graph huge = QuantizedAs(kHuge, precision, {{"x", {0, 1e-30f}}, {"y", {0, 1}}});
    for (const float scale : huge.ops().front().inputs[1]->type.quant.scales) {
      EXPECT_TRUE(std::isfinite(scale * 65535)) << scale;
    }
  }
}

TEST(QuantizeGraphTest, BiasesSaturate) {
  constexpr absl::string_view kHuge = R"(
    input %x: float32[1x1]
    const %w: float32[2x1] = [1.0, -1.0]
    const %b: float32[2] = [1e38, -1e38]
    %y: float32[1x2] = fully_connected(%x, %w, %b) from "y"
    output %y)";
  const std::map<std::string, ValueRange> ranges = {{"x", {0, 1e-30f}}, {"y", {0, 1}}};
  const Graph words = QuantizedAs(kHuge, kFixed16, ranges);
  EXPECT_THAT(words.ops().front().inputs[2]->values<int64_t>(),
              ElementsAre(int64_t{1} << 50, -(int64_t{1} << 50)));
  const Graph bytes = QuantizedAs(kHuge, Precision{}, ranges);
  EXPECT_THAT(bytes.ops().front().inputs[2]->values<int32_t>(),
              ElementsAre(2147483647, -2147483647));
}

TEST(QuantizeGraphTest, WideBiasesOfMoreThanTwoToThe48thStepsWidenTheirWeights) {
  // A step of the bias is 2^-28.
  for (const bool more : {false, true}) {
    const Graph graph = QuantizedAs(absl::StrCat(R"(
    input %x: float32[1x1]
    const %w: float32[1x1] = [1.0]
    const %b: float32[1] = [)",
                                                 more ? "1572864.0" : "1048576.0", R"(]
    %y: float32[1x1] = fully_connected(%x, %w, %b) from "y"
    output %y)"),
                                    kFixed16, {{"x", {0, 1}}, {"y", {0, 1}}});
    EXPECT_EQ(graph.ops().front().inputs[1]->type.quant, QuantParams::FixedPoint(more ? 13 : 14));
  }
}

}  // namespace
}  // namespace synap_internal
