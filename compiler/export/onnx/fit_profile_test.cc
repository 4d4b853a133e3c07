// Networks in the forms that profiles ask for, read back from the file and imported again.
#include "compiler/export/onnx/fit_profile.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "compiler/export/onnx/export_onnx.h"
#include "compiler/export/onnx/lint_model.h"
#include "compiler/graph/graph.h"
#include "compiler/graph/text.h"
#include "compiler/import/evaluate_graph.h"
#include "compiler/import/import_options.h"
#include "compiler/import/onnx/import_onnx.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "onnx/onnx_pb.h"

namespace synap_internal {
namespace {

using onnx::TensorProto;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// 8 bits: affine activations, weights of a scale for each channel, a bias, a clamp.
constexpr char kEightBits[] = R"(graph "g" layout="nchw" {
  input %x: uint8[1x2x4x4]<affine 0.125 32>
  const %w: int8[3x1x1x2]<channel 0 [0.5, 0.25, 0.125]> = [1, -2, 3, 4, -5, 6]
  const %b: int32[3]<channel 0 [0.0625, 0.03125, 0.015625]> = [10, -20, 30]
  %x.nhwc: uint8[1x4x4x2]<affine 0.125 32> = transpose(%x) {perm=[0, 2, 3, 1]} from "conv"
  %c.nhwc: uint8[1x4x4x3]<affine 0.25 100> = conv2d(%x.nhwc, %w, %b) {min=0.0, max=6.0} from "conv", "relu"
  %c: uint8[1x3x4x4]<affine 0.25 100> = transpose(%c.nhwc) {perm=[0, 3, 1, 2]} from "relu"
  %y: uint8[1x3x4x4]<affine 0.0078125 0> = sigmoid(%c) from "act"
  output %y
})";

// A layer of 8 bits, one of 16 and back.
constexpr char kMixed[] = R"(graph "g" layout="nchw" {
  input %x: uint8[1x2]<affine 0.125 32>
  const %w: int16[2x2]<fixed 10> = [100, -200, 300, 400]
  const %b: int64[2]<fixed 18> = [1000, -2000]
  %wide: int16[1x2]<fixed 8> = requantize(%x) from "widen"
  %f: int16[1x2]<fixed 8> = fully_connected(%wide, %w, %b) {min=-1.0} from "fc"
  %y: uint8[1x2]<affine 0.0625 8> = requantize(%f) from "narrow"
  output %y
})";

struct Exported {
  onnx::ModelProto model;
  std::string bytes;
  std::vector<std::string> warnings;
};

Exported Export(const std::string& text, const ExportProfile& profile) {
  Exported exported;
  const auto graph = ParseGraph(text);
  EXPECT_TRUE(graph.ok()) << graph.status();
  if (!graph.ok()) return exported;
  Warnings warnings;
  const auto bytes = ExportOnnx(*graph, profile, warnings);
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  if (!bytes.ok()) return exported;
  exported.bytes = *bytes;
  exported.warnings = warnings.Texts();
  EXPECT_TRUE(exported.model.ParseFromString(*bytes));
  return exported;
}

ExportProfile Profile(const std::string& name) {
  const auto profile = FindOrLoadProfile(name);
  EXPECT_TRUE(profile.ok()) << profile.status();
  return profile.ok() ? *profile : ExportProfile();
}

std::vector<std::string> NodesOf(const onnx::ModelProto& model) {
  std::vector<std::string> types;
  for (const onnx::NodeProto& node : model.graph().node()) types.push_back(node.op_type());
  return types;
}

int TypeOf(const onnx::ValueInfoProto& info) { return info.type().tensor_type().elem_type(); }

const TensorProto* Initializer(const onnx::ModelProto& model, const std::string& name) {
  for (const TensorProto& tensor : model.graph().initializer()) {
    if (tensor.name() == name) return &tensor;
  }
  return nullptr;
}

// The types of the zero points of all quantizers.
std::set<int> ZeroPointTypes(const onnx::ModelProto& model) {
  std::set<int> types;
  for (const onnx::NodeProto& node : model.graph().node()) {
    if (node.op_type() != "QuantizeLinear" && node.op_type() != "DequantizeLinear") continue;
    EXPECT_EQ(node.input_size(), 3) << node.name();
    const TensorProto* zero_point = Initializer(model, node.input(2));
    types.insert(zero_point == nullptr ? -1 : zero_point->data_type());
  }
  return types;
}

float Real(const Tensor& tensor, float stored) {
  const QuantParams& quant = tensor.type.quant;
  if (!quant.quantized()) return stored;
  return (stored - static_cast<float>(quant.zero_point())) * quant.scale();
}

// Whether the file, imported again, computes the graph's numbers, at most `tolerance` apart.
void ExpectSameNumbers(const std::string& text, const std::string& bytes, float tolerance) {
  const auto graph = ParseGraph(text);
  ASSERT_TRUE(graph.ok()) << graph.status();
  const auto again = ImportOnnxBytes(bytes, "again", {});
  ASSERT_TRUE(again.ok()) << again.status();
  ASSERT_EQ(again->inputs.size(), graph->inputs.size());
  std::vector<std::vector<float>> stored, given;
  for (size_t i = 0; i < graph->inputs.size(); ++i) {
    const Tensor& input = *graph->inputs[i];
    EXPECT_EQ(again->inputs[i]->name, input.name);
    EXPECT_EQ(again->inputs[i]->type.shape, input.type.shape);
    const bool is_float = again->inputs[i]->type.dtype == DataType::kFloat32;
    stored.emplace_back();
    given.emplace_back();
    for (int64_t k = 0; k < input.type.shape.elements(); ++k) {
      stored.back().push_back(static_cast<float>((k * 37 + 11) % 128));
      given.back().push_back(is_float ? Real(input, stored.back().back()) : stored.back().back());
    }
  }
  const auto expected = EvaluateGraph(*graph, stored);
  const auto found = EvaluateGraph(*again, given);
  ASSERT_TRUE(expected.ok()) << expected.status();
  ASSERT_TRUE(found.ok()) << found.status();
  ASSERT_EQ(found->size(), expected->size());
  for (size_t i = 0; i < expected->size(); ++i) {
    ASSERT_EQ((*found)[i].size(), (*expected)[i].size());
    for (size_t k = 0; k < (*expected)[i].size(); ++k) {
      EXPECT_NEAR(Real(*again->outputs[i], (*found)[i][k]),
                  Real(*graph->outputs[i], (*expected)[i][k]), tolerance)
          << "element " << k << " of output " << i;
    }
  }
}

TEST(FitProfileTest, EveryProfileWritesWhatItsToolTakes) {
  for (const char* name : {"openvino", "ort", "qnn", "rknn", "tensorrt"}) {
    for (const char* text : {kEightBits, kMixed}) {
      SCOPED_TRACE(name);
      const ExportProfile profile = Profile(name);
      const Exported exported = Export(text, profile);
      const auto findings = LintOnnxBytes(exported.bytes, profile);
      ASSERT_TRUE(findings.ok()) << findings.status();
      for (const LintFinding& finding : *findings) ADD_FAILURE() << finding.Text();
      EXPECT_EQ(exported.model.opset_import(0).version(), profile.opset);
      const bool is_float = profile.ends == EndForm::kFloat;
      const int end = is_float ? TensorProto::FLOAT : TensorProto::UINT8;
      EXPECT_EQ(TypeOf(exported.model.graph().input(0)), end);
      EXPECT_EQ(TypeOf(exported.model.graph().output(0)), end);
      EXPECT_EQ(exported.model.graph().input(0).name(), "x");
      EXPECT_EQ(exported.model.graph().output(0).name(), "y");
      // Symmetric steps are twice as long as those of the input, 0.125.
      ExpectSameNumbers(text, exported.bytes,
                        profile.eight_bits == EightBitForm::kSymmetricInt8 ? 0.3f : 0.0626f);
    }
  }
}

TEST(FitProfileTest, FloatEndsKeepTheirNamesAndTheirQuantizers) {
  const Exported exported = Export(kEightBits, Profile("openvino"));
  EXPECT_THAT(NodesOf(exported.model),
              ElementsAre("QuantizeLinear", "DequantizeLinear", "DequantizeLinear",
                          "DequantizeLinear", "Conv", "Clip", "QuantizeLinear", "DequantizeLinear",
                          "Sigmoid", "QuantizeLinear", "DequantizeLinear"));
  EXPECT_THAT(exported.warnings, IsEmpty());
  ExpectSameNumbers(kEightBits, exported.bytes, 0.0079f);
}

TEST(FitProfileTest, AnInputThatIsAnOutputIsBoth) {
  ExportProfile profile;
  profile.ends = EndForm::kFloat;
  const Exported exported = Export(R"(graph "g" layout="nchw" {
  input %x: uint8[2]<affine 0.5 3>
  output %x
  output %x
})",
                                   profile);
  ASSERT_EQ(exported.model.graph().output_size(), 2);
  EXPECT_EQ(exported.model.graph().input(0).name(), "x");
  for (const auto& output : exported.model.graph().output()) {
    EXPECT_EQ(TypeOf(output), TensorProto::FLOAT);
    EXPECT_NE(output.name(), "x");
  }
}

TEST(FitProfileTest, ScalesOfWeightsCountOutputChannels) {
  const Exported exported = Export(kEightBits, Profile("rknn"));
  for (const onnx::NodeProto& node : exported.model.graph().node()) {
    const TensorProto* scale =
        node.op_type() == "DequantizeLinear" ? Initializer(exported.model, node.input(1)) : nullptr;
    if (scale == nullptr || scale->dims_size() == 0) continue;
    ASSERT_EQ(node.attribute_size(), 1);
    EXPECT_EQ(node.attribute(0).name(), "axis");
    EXPECT_EQ(node.attribute(0).i(), 0);
    EXPECT_EQ(scale->dims(0), 3);
  }
}

TEST(FitProfileTest, BiasesHaveZeroPointsOrAreFloat) {
  const std::set<int> types = ZeroPointTypes(Export(kEightBits, Profile("ort")).model);
  EXPECT_EQ(types.count(TensorProto::INT32), 1u);
  const Exported exported = Export(kEightBits, Profile("tensorrt"));
  EXPECT_EQ(ZeroPointTypes(exported.model), std::set<int>{TensorProto::INT8});
  const auto& nodes = exported.model.graph().node();
  const auto conv = std::find_if(nodes.begin(), nodes.end(),
                                 [](const auto& node) { return node.op_type() == "Conv"; });
  ASSERT_NE(conv, nodes.end());
  const TensorProto* bias = Initializer(exported.model, conv->input(2));
  ASSERT_NE(bias, nullptr);
  EXPECT_EQ(bias->data_type(), TensorProto::FLOAT);
}

TEST(FitProfileTest, SymmetricInt8WarnsWhereStepsBecomeLonger) {
  const Exported exported = Export(kEightBits, Profile("tensorrt"));
  ASSERT_EQ(exported.warnings.size(), 1u);
  EXPECT_THAT(
      exported.warnings[0],
      HasSubstr("of 5 tensors up to 2.01 times as long (x, conv, relu and 1 more): TensorRT"));
  // uint8 around 128 is int8 around 0.
  const std::string centered = R"(graph "g" layout="nchw" {
  input %x: uint8[1x2]<affine 0.125 128>
  const %w: uint8[2x2]<affine 0.5 128> = [100, 120, 130, 255]
  %y: uint8[1x2]<affine 0.25 128> = fully_connected(%x, %w) from "fc"
  output %y
})";
  const Exported same = Export(centered, Profile("tensorrt"));
  EXPECT_THAT(same.warnings, IsEmpty());
  EXPECT_EQ(ZeroPointTypes(same.model), std::set<int>{TensorProto::INT8});
  ExpectSameNumbers(centered, same.bytes, 1e-6f);
}

TEST(FitProfileTest, SixteenBitsAreFloatBelowOpset21) {
  const Exported exported = Export(kMixed, Profile("rknn"));
  EXPECT_EQ(ZeroPointTypes(exported.model), std::set<int>{TensorProto::UINT8});
  EXPECT_THAT(exported.warnings,
              ElementsAre("2 activations of 16 bits are written as float32 (widen, fc): opset 19 "
                          "quantizes to 8 bits alone"));
  EXPECT_THAT(NodesOf(exported.model),
              ElementsAre("QuantizeLinear", "DequantizeLinear", "Identity", "Gemm", "Clip",
                          "QuantizeLinear", "DequantizeLinear"));
}

TEST(FitProfileTest, SixteenBitsWithoutASignHoldTheSameNumbers) {
  const Exported exported = Export(kMixed, Profile("qnn"));
  EXPECT_THAT(exported.warnings, IsEmpty());
  // Weights stay int16; the bias fits into int32.
  EXPECT_EQ(ZeroPointTypes(exported.model),
            (std::set<int>{TensorProto::UINT8, TensorProto::UINT16, TensorProto::INT16,
                           TensorProto::INT32}));
  EXPECT_THAT(NodesOf(exported.model), testing::Contains("Max"));
  ExpectSameNumbers(kMixed, exported.bytes, 1e-6f);
}

TEST(FitProfileTest, ClampsApartGiveTheSameIntegers) {
  ExportProfile profile;
  profile.clamps = ClampForm::kApart;
  const Exported exported = Export(kEightBits, profile);
  EXPECT_THAT(NodesOf(exported.model),
              ElementsAre("DequantizeLinear", "DequantizeLinear", "DequantizeLinear", "Conv",
                          "QuantizeLinear", "DequantizeLinear", "Relu", "QuantizeLinear",
                          "DequantizeLinear", "DequantizeLinear", "Min", "QuantizeLinear",
                          "DequantizeLinear", "Sigmoid", "QuantizeLinear"));
  ExpectSameNumbers(kEightBits, exported.bytes, 0.0079f);
  // The integers end at both limits.
  const Exported joined = Export(R"(graph "g" layout="nchw" {
  input %x: uint8[1x2]<affine 0.125 32>
  const %w: int8[2x2]<affine 0.5 0> = [1, -2, 3, 4]
  %y: uint8[1x2]<affine 0.0235 0> = fully_connected(%x, %w) {min=0.0, max=6.0} from "fc"
  output %y
})",
                                 profile);
  EXPECT_THAT(NodesOf(joined.model),
              ElementsAre("DequantizeLinear", "DequantizeLinear", "Gemm", "QuantizeLinear"));
}

TEST(FitProfileTest, LayersThatReadStoredIntegersAreNamed) {
  const auto graph = ParseGraph(R"(graph "g" layout="nchw" {
  input %x: uint8[2]<affine 0.5 3>
  const %t: uint8[256] = splat 7
  %y: uint8[2]<affine 0.5 3> = lookup(%x, %t) from "act"
  output %y
})");
  ASSERT_TRUE(graph.ok()) << graph.status();
  Warnings warnings;
  const auto bytes = ExportOnnx(*graph, Profile("tensorrt"), warnings);
  EXPECT_EQ(bytes.status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(bytes.status().message()),
              HasSubstr("as ONNX: lookup 'act': it computes with stored integers"));
}

constexpr char kFunctions[] = R"(graph "g" layout="nchw" {
  input %x: float32[2x3x4]
  const %s: float32[4] = [1.0, 2.0, 3.0, 4.0]
  const %b: float32[4] = [0.5, -0.5, 0.25, 1.0]
  %n: float32[2x3x4] = normalization(%x, %s, %b) {axes=[2], epsilon=0.5} from "norm"
  %g: float32[2x3x4] = gelu(%n) from "gelu"
  %t: float32[2x3x4] = gelu(%g) {approximate=1} from "tanh"
  %h: float32[2x3x4] = hard_swish(%t) from "swish"
  %m: float32[2x3x4] = mish(%h) from "mish"
  %l: float32[2x3x4] = reduce_l2(%m) {axes=[]} from "none"
  %r: float32[2x4] = reduce_mean(%l) {axes=[1], keep_dims=0} from "mean"
  %y: float32[2x1] = reduce_sum(%r) {axes=[1]} from "sum"
  output %y
})";

TEST(FitProfileTest, OlderOpsetsComposeWhatTheyLack) {
  for (const int64_t opset : {13, 14, 15, 16, 17, 18, 19, 20, 21}) {
    SCOPED_TRACE(opset);
    ExportProfile profile;
    profile.opset = opset;
    const Exported exported = Export(kFunctions, profile);
    EXPECT_EQ(exported.model.opset_import(0).version(), opset);
    EXPECT_EQ(exported.model.ir_version(), opset < 15 ? 7 : opset < 19 ? 8 : opset < 21 ? 9 : 10);
    const std::vector<std::string> nodes = NodesOf(exported.model);
    const auto has = [&](const char* op_type) {
      return std::find(nodes.begin(), nodes.end(), op_type) != nodes.end();
    };
    EXPECT_EQ(has("HardSwish"), opset >= 14);
    EXPECT_EQ(has("LayerNormalization"), opset >= 17);
    EXPECT_EQ(has("Mish"), opset >= 18);
    EXPECT_EQ(has("Gelu"), opset >= 20);
    for (const onnx::NodeProto& node : exported.model.graph().node()) {
      const int operands = opset >= 18 || node.op_type() == "ReduceSum" ? 2 : 1;
      if (node.op_type().rfind("Reduce", 0) == 0) {
        EXPECT_EQ(node.input_size(), operands) << node.op_type();
      }
    }
    ExpectSameNumbers(kFunctions, exported.bytes, 1e-2f);
  }
}

TEST(FitProfileTest, WhatAnOlderOpsetCantHaveIsNamed) {
  const auto graph = ParseGraph(R"(graph "g" layout="nhwc" {
  input %x: float32[1x4x4x2]
  const %g: float32[1x1x2x2] = [-0.5, 0.5, 0.9, -1.2]
  %y: float32[1x1x2x2] = grid_sample(%x, %g) {mode="bicubic", padding="border"} from "sample"
  output %y
})");
  ASSERT_TRUE(graph.ok()) << graph.status();
  ExportProfile profile;
  Warnings warnings;
  profile.opset = 15;
  EXPECT_EQ(ExportOnnx(*graph, profile, warnings).status().message(),
            "as ONNX: 'sample' is GridSample, which ONNX has since opset 16; expected operators of "
            "opset 15");
  for (const int64_t opset : {16, 20}) {
    profile.opset = opset;
    const auto bytes = ExportOnnx(*graph, profile, warnings);
    ASSERT_TRUE(bytes.ok()) << bytes.status();
    EXPECT_THAT(*bytes, HasSubstr(opset < 20 ? "bicubic" : "cubic"));
    EXPECT_TRUE(ImportOnnxBytes(*bytes, "again", {}).ok());
  }
}

}  // namespace
}  // namespace synap_internal
