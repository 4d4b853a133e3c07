#include "compiler/quantize/ranges/layer_precision.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "compiler/testing/four_layers.h"
#include "compiler/testing/run_pass.h"

namespace synap_internal {
namespace {

using testing::HasSubstr;

Metafile Rules(absl::string_view data_type, absl::string_view more = "") {
  const auto metafile = ParseMetafile(
      absl::StrCat("quantization: {data_type: ", data_type, ", dataset: random", more, "}"),
      {.path = "m.yaml"});
  EXPECT_TRUE(metafile.ok()) << metafile.status();
  return metafile.ok() ? *metafile : Metafile();
}

// The types of the inputs and of a to d.
std::string Types(absl::string_view data_type) {
  const Graph graph = FourLayers("tanh/x_9");
  const auto precisions = ChoosePrecisions(Rules(data_type), graph);
  if (!precisions.ok()) return std::string(precisions.status().message());
  std::string types(Name(precisions->inputs().type));
  for (const Op& op : graph.ops()) absl::StrAppend(&types, " ", Name(precisions->of(op).type));
  return types;
}

TEST(LayerPrecisionTest, OneTypeHoldsForAll) {
  EXPECT_EQ(Types("uint8"), "uint8 uint8 uint8 uint8 uint8");
  EXPECT_EQ(Types("int16"), "int16 int16 int16 int16 int16");
  EXPECT_EQ(Types("float16"), "float16 float16 float16 float16 float16");
}

TEST(LayerPrecisionTest, RulesSelectLayers) {
  EXPECT_EQ(Types("{'*': uint8, Sigmoid_2: int16}"), "uint8 uint8 int16 uint8 uint8");
  EXPECT_EQ(Types("{Mul_7: float16}"), "uint8 uint8 float16 uint8 uint8");
  EXPECT_EQ(Types("{INPUTS: int16, '*': int8}"), "int16 int8 int8 int8 int8");
  EXPECT_EQ(Types("{Relu_1...: int16}"), "uint8 uint8 int16 int16 int16");
}

TEST(LayerPrecisionTest, APrefixUpToTheFirstUnderscoreMayBeLeftOut) {
  EXPECT_EQ(Types("{'1': int16}"), "uint8 int16 uint8 uint8 uint8");
  // The exact name is there as well.
  EXPECT_EQ(Types("{'9': int16}"), "uint8 uint8 uint8 uint8 int16");
}

TEST(LayerPrecisionTest, APrefixHasALetterAndNoOtherUnderscore) {
  const Graph graph = GraphOfBody(R"(
    input %x: float32[4]
    %a: float32[4] = relu(%x) from "_3"
    %b: float32[4] = relu(%a) from "my_conv_3"
    %c: float32[4] = relu(%b) from "Conv-3"
    %d: float32[4] = relu(%c) from "C_3"
    output %d)");
  const auto precisions = ChoosePrecisions(Rules("{'3': int16}"), graph);
  ASSERT_TRUE(precisions.ok()) << precisions.status();
  for (const Op& op : graph.ops()) {
    const bool found = op.origins[0] == "C_3";
    EXPECT_EQ(precisions->of(op).bits(), found ? 16 : 8) << op.origins[0];
    EXPECT_EQ(precisions->IsNamed(op), found) << op.origins[0];
  }
}

TEST(LayerPrecisionTest, ARuleForAllNamesNone) {
  const Graph graph = FourLayers("tanh/x_9");
  const auto precisions = ChoosePrecisions(Rules("{'*': int16}"), graph);
  for (const Op& op : graph.ops()) EXPECT_FALSE(precisions->IsNamed(op)) << op.origins[0];
}

TEST(LayerPrecisionTest, LaterRulesTakeLayersBack) {
  EXPECT_EQ(Types("{Relu_1...: int16, Mul_7: uint8, '*': float16}"),
            "float16 float16 uint8 int16 int16");
}

TEST(LayerPrecisionTest, IdsOfReportsSelectLayers) {
  EXPECT_EQ(Types("{'@Sigmoid_2': int16}"), "uint8 uint8 int16 uint8 uint8");
  EXPECT_EQ(Types("{'@Sigmoid_2...': int16}"), "uint8 uint8 uint8 uint8 int16");
  EXPECT_THAT(Types("{'@99': int16}"), HasSubstr("m.yaml:1:28: the model has no layer '@99'"));
}

// The types of a to d.
std::string TypesWith(absl::string_view delegate, absl::string_view data_type) {
  const auto metafile =
      ParseMetafile(absl::StrCat("delegate: ", delegate, "\nquantization: {data_type: ", data_type,
                                 ", dataset: random}"),
                    {.path = "m.yaml"});
  if (!metafile.ok()) return std::string(metafile.status().message());
  const Graph graph = FourLayers("tanh/x_9");
  const auto precisions = ChoosePrecisions(*metafile, graph);
  if (!precisions.ok()) return std::string(precisions.status().message());
  std::string types;
  for (const Op& op : graph.ops()) {
    absl::StrAppend(&types, types.empty() ? "" : " ", Name(precisions->of(op).type));
  }
  return types;
}

TEST(LayerPrecisionTest, LayersOfOtherDelegatesThanTheNpuStayFloat) {
  EXPECT_EQ(TypesWith("{'*': npu, Mul_7: gpu}", "uint8"), "uint8 float32 uint8 uint8");
  EXPECT_EQ(TypesWith("{'*': default, Relu_1...: cpu, '9': npu}", "int16"),
            "int16 float32 float32 int16");
  EXPECT_EQ(TypesWith("{'*': npu, Mul_7: cpu}", "{Mul_7: float16, '9': int16}"),
            "uint8 float16 uint8 int16");
  EXPECT_THAT(TypesWith("{'*': npu, Mul_8: cpu}", "uint8"),
              HasSubstr("m.yaml:1:22: the model has no layer 'Mul_8'"));
}

TEST(LayerPrecisionTest, NamesWhatIsntThere) {
  EXPECT_THAT(Types("{Sigmoid_3: int16}"),
              HasSubstr("the model has no layer 'Sigmoid_3' (did you mean 'Sigmoid_2'"));
  EXPECT_THAT(Types("{Sigmoid_3: int16}"), HasSubstr("m.yaml:1:"));
  EXPECT_THAT(Types("{'9...': int16}"),
              HasSubstr("rule '9...' selects no layer: none comes after '9'"));
}

TEST(LayerPrecisionTest, SchemesFollowTheMetafile) {
  const Graph graph = FourLayers("tanh/x_9");
  const auto scheme = [&graph](absl::string_view type, absl::string_view more) {
    return ChoosePrecisions(Rules(type, more), graph)->base();
  };
  EXPECT_EQ(scheme("int8", "").scheme, QuantScheme::kDynamicFixedPoint);
  EXPECT_EQ(scheme("int8", ", scheme: asymmetric_affine").scheme, QuantScheme::kAsymmetricAffine);
  const Precision channels = scheme("int8", ", scheme: perchannel_symmetric_affine");
  EXPECT_TRUE(channels.channelwise);
  EXPECT_EQ(channels.scheme, QuantScheme::kAsymmetricAffine);
  EXPECT_EQ(scheme("float16", "").scheme, QuantScheme::kNone);
}

TEST(LayerPrecisionTest, KnowsWhichNumbersOfBitsOccur) {
  const Graph graph = FourLayers("tanh/x_9");
  const auto mixed = ChoosePrecisions(Rules("{Mul_7: int16}"), graph);
  EXPECT_TRUE(mixed->Uses(8) && mixed->Uses(16));
  EXPECT_FALSE(mixed->Uses(32));
  EXPECT_FALSE(ChoosePrecisions(Rules("int16"), graph)->Uses(8));
  const auto inputs = ChoosePrecisions(Rules("{INPUTS: int16}"), graph);
  EXPECT_TRUE(inputs->Uses(8) && inputs->Uses(16));
}

TEST(LayerPrecisionTest, NoOpOfALayerComesAfterTheLayer) {
  const Graph graph = GraphOfBody(R"(
    input %x: float32[4]
    %a: float32[4] = sigmoid(%x) from "Gelu_1"
    %b: float32[4] = mul(%x, %a) from "Gelu_1"
    %c: float32[4] = relu(%b) from "Relu_2"
    output %c)");
  const auto precisions = ChoosePrecisions(Rules("{Gelu_1...: int16}"), graph);
  ASSERT_TRUE(precisions.ok()) << precisions.status();
  std::vector<int> bits;
  for (const Op& op : graph.ops()) bits.push_back(precisions->of(op).bits());
  EXPECT_EQ(bits, (std::vector<int>{8, 8, 16}));
}

}  // namespace
}  // namespace synap_internal
