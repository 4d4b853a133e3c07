#include "compiler/quantize/analysis/findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/quantize/analysis/analyze.h"
#include "compiler/testing/run_pass.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> Findings(absl::string_view real, absl::string_view quantized,
                                  const std::vector<float>& sample) {
  auto analyzer = Analyzer::Create(GraphOfBody(real), GraphOfBody(quantized), 1);
  EXPECT_TRUE(analyzer.ok()) << analyzer.status();
  if (!analyzer.ok()) return {};
  const absl::Status added = (*analyzer)->AddSamples(
      1,
      [&](size_t) {
        return NamedSample{"a", {Constant::Of<float>(sample)}};
      },
      [](int) {});
  EXPECT_TRUE(added.ok()) << added;
  std::vector<std::string> messages;
  for (const Finding& finding : (*analyzer)->Result().findings) {
    messages.push_back(finding.kind + ": " + finding.message);
  }
  return messages;
}

TEST(FindingsTest, AConstantLayer) {
  EXPECT_THAT(Findings(R"(
    input %x: float32[2]
    %y: float32[2] = sub(%x, %x) from "Sub_1"
    output %y)",
                       R"(
    input %x: uint8[2]<affine 1.0 0>
    %y: uint8[2]<affine 1.0 0> = sub(%x, %x) from "Sub_1"
    output %y)",
                       {3, 5}),
              ElementsAre("constant: 'Sub_1' is 0 everywhere on all 1 samples: if the network "
                          "needs this layer, add samples to the dataset that it reacts to, else "
                          "remove it"));
}

constexpr char kRealLinear[] = R"(
  input %x: float32[1x1]
  const %w: float32[3x1] = [1.0, 0.0, -1.0]
  %y: float32[1x3] = fully_connected(%x, %w) {min=0.0} from "Gemm_1"
  output %y)";
constexpr char kQuantizedLinear[] = R"(
  input %x: uint8[1x1]<affine 0.0625 0>
  const %w.uint8: uint8[3x1]<affine 0.0078125 128> = [255, 128, 0]
  %y: uint8[1x3]<affine 0.0625 0> = fully_connected(%x, %w.uint8) {min=0.0} from "Gemm_1"
  output %y)";

TEST(FindingsTest, DeadChannels) {
  EXPECT_THAT(Findings(kRealLinear, kQuantizedLinear, {8}),
              ElementsAre("dead channels: 'Gemm_1' has 2 of 3 channels (1, 2) that are 0 on all 1 "
                          "samples: they cost time and give nothing; add samples that they react "
                          "to, or prune them"));
}

TEST(FindingsTest, AFewDeadChannelsAreNormal) {
  constexpr char kReal[] = R"(
    input %x: float32[1x1]
    const %w: float32[5x1] = [1.0, 1.0, 0.0, 1.0, 1.0]
    %y: float32[1x5] = fully_connected(%x, %w) from "Gemm_1"
    output %y)";
  constexpr char kQuantized[] = R"(
    input %x: uint8[1x1]<affine 0.0625 0>
    const %w.uint8: uint8[5x1]<affine 0.0078125 0> = [128, 128, 0, 128, 128]
    %y: uint8[1x5]<affine 0.0625 0> = fully_connected(%x, %w.uint8) from "Gemm_1"
    output %y)";
  EXPECT_THAT(Findings(kReal, kQuantized, {8}), IsEmpty());
}

TEST(FindingsTest, WeightsOfVeryDifferentSizes) {
  constexpr char kReal[] = R"(
    input %x: float32[1x1]
    const %w: float32[3x1] = [1.0, 0.02, -1.0]
    %y: float32[1x3] = fully_connected(%x, %w) from "Gemm_1"
    %z: float32[1x3] = sigmoid(%y) from "Sigmoid_2"
    output %z)";
  EXPECT_THAT(Findings(kReal, R"(
    input %x: uint8[1x1]<affine 0.0625 0>
    const %w.uint8: uint8[3x1]<affine 0.0078125 128> = [255, 131, 0]
    %y: uint8[1x3]<affine 0.0625 128> = fully_connected(%x, %w.uint8) from "Gemm_1"
    %z: uint8[1x3]<affine 0.004 0> = sigmoid(%y) from "Sigmoid_2"
    output %z)",
                       {8}),
              ElementsAre("weights: 'Gemm_1' has weights with one scale for all channels, which "
                          "leaves 1 of 3 channels (1) less than 4 of 256 steps: use scheme "
                          "perchannel_symmetric_affine, or int16 for this layer"));
  EXPECT_THAT(Findings(kReal, R"(
    input %x: uint8[1x1]<affine 0.0625 0>
    const %w.int8: int8[3x1]<channel 0 [0.0078125, 0.00015625, 0.0078125]> = [127, 127, -128]
    %y: uint8[1x3]<affine 0.0625 128> = fully_connected(%x, %w.int8) from "Gemm_1"
    %z: uint8[1x3]<affine 0.004 0> = sigmoid(%y) from "Sigmoid_2"
    output %z)",
                       {8}),
              IsEmpty());
}

TEST(FindingsTest, ALayerThatGivesLittleButItsBias) {
  constexpr char kReal[] = R"(
    input %x: float32[1x1]
    const %w: float32[2x1] = [1.0, -1.0]
    const %b: float32[2] = [0.5, -2.0]
    %y: float32[1x2] = fully_connected(%x, %w, %b) from "Gemm_1"
    output %y)";
  constexpr char kQuantized[] = R"(
    input %x: uint8[1x1]<affine 0.0078125 128>
    const %w.uint8: uint8[2x1]<affine 0.0078125 128> = [255, 0]
    const %b.int32: int32[2]<affine 0.00006103515625 0> = [8192, -32768]
    %y: uint8[1x2]<affine 0.03125 128> = fully_connected(%x, %w.uint8, %b.int32) from "Gemm_1"
    output %y)";
  EXPECT_THAT(Findings(kReal, kQuantized, {0.0001f}),
              ElementsAre("bias alone: 'Gemm_1' reads 'x', which is at most 0.0001 in all samples, "
                          "beside a bias of 2, and gives little but its bias: if that is not so in "
                          "real use, add samples that show it"));
  EXPECT_THAT(Findings(kReal, kQuantized, {0.01f}), IsEmpty());
}

TEST(FindingsTest, OutliersBeforeSoftmax) {
  constexpr char kReal[] = R"(
    input %x: float32[1x4000]
    %y: float32[1x4000] = softmax(%x) from "Softmax_1"
    output %y)";
  constexpr char kQuantized[] = R"(
    input %x: uint8[1x4000]<affine 1.0 0>
    %y: uint8[1x4000]<affine 0.004 0> = softmax(%x) from "Softmax_1"
    output %y)";
  std::vector<float> values;
  for (int i = 0; i < 4000; ++i) values.push_back(static_cast<float>(i % 8));
  values[1234] = 250;
  EXPECT_THAT(Findings(kReal, kQuantized, values),
              ElementsAre("outliers: 'Softmax_1' reads values of which 99.9 % lie within 8 of 256 "
                          "steps, the rest is for few outliers: use algorithm mse or auto, or "
                          "int16 for the layer before it"));
  for (int i = 0; i < 4000; ++i) values[static_cast<size_t>(i)] = static_cast<float>(i % 250);
  EXPECT_THAT(Findings(kReal, kQuantized, values), IsEmpty());
}

TEST(FindingsTest, AConcatOfBoxesAndScores) {
  constexpr char kReal[] = R"(
    input %x: float32[2]
    %s: float32[2] = sigmoid(%x) from "Sigmoid_1"
    %y: float32[4] = concat(%x, %s) {axis=0} from "Concat_2"
    output %y)";
  EXPECT_THAT(Findings(kReal, R"(
    input %x: uint8[2]<affine 2.5 0>
    %s: uint8[2]<affine 0.004 0> = sigmoid(%x) from "Sigmoid_1"
    %y: uint8[4]<affine 2.5 0> = concat(%x, %s) {axis=0} from "Concat_2"
    output %y)",
                       {0, 600}),
              ElementsAre("concat: 'Concat_2' puts tensors of very different ranges on one scale: "
                          "'s' has 0.2 of 256 steps there; name the concat's operands in the "
                          "metafile's outputs instead of it"));
  EXPECT_THAT(Findings(kReal, R"(
    input %x: int16[2]<affine 0.05 0>
    %s: int16[2]<affine 0.05 0> = sigmoid(%x) from "Sigmoid_1"
    %y: int16[4]<affine 0.05 0> = concat(%x, %s) {axis=0} from "Concat_2"
    output %y)",
                       {0, 600}),
              IsEmpty());
}

TEST(FindingsTest, OutputChannelsOnOneScale) {
  EXPECT_THAT(Findings(R"(
    input %x: float32[2x1]
    const %w: float32[2x1] = [1.0, 0.125]
    %y: float32[2x2] = fully_connected(%x, %w) from "Gemm_1"
    %z: float32[4] = reshape(%y) {shape=[4]} from "Reshape_2"
    output %z)",
                       R"(
    input %x: uint8[2x1]<affine 1.0 0>
    const %w.uint8: uint8[2x1]<affine 0.00390625 0> = [255, 32]
    %y: uint8[2x2]<affine 1.0 0> = fully_connected(%x, %w.uint8) from "Gemm_1"
    %z: uint8[4]<affine 1.0 0> = reshape(%y) {shape=[4]} from "Reshape_2"
    output %z)",
                       {0, 100}),
              ElementsAre("output channels: 'Gemm_1' leaves the network with one scale for all "
                          "channels, of which 1 of 2 channels (1) have less than 16 of 256 steps: "
                          "use 'dequantize: true' for this output, or int16 for this layer"));
}

TEST(FindingsTest, SaturationUnlessTheNextFunctionIsFlatThere) {
  EXPECT_THAT(Findings(R"(
    input %x: float32[4]
    %y: float32[4] = add(%x, %x) from "Add_1"
    %z: float32[4] = add(%y, %y) from "Add_2"
    output %z)",
                       R"(
    input %x: uint8[4]<affine 1.0 0>
    %y: uint8[4]<affine 1.0 0> = add(%x, %x) from "Add_1"
    %z: uint8[4]<affine 4.0 0> = add(%y, %y) from "Add_2"
    output %z)",
                       {1, 2, 3, 200}),
              ElementsAre("saturation: 'Add_1' has 25.0 % of its values outside of its "
                          "quantizer's range: add samples like these to the dataset; if they are "
                          "in it, use algorithm standard or auto"));
  EXPECT_THAT(Findings(R"(
    input %x: float32[4]
    %y: float32[4] = add(%x, %x) from "Add_1"
    %z: float32[4] = sigmoid(%y) from "Sigmoid_2"
    output %z)",
                       R"(
    input %x: uint8[4]<affine 1.0 0>
    %y: uint8[4]<affine 0.03125 0> = add(%x, %x) from "Add_1"
    %z: uint8[4]<affine 0.004 0> = sigmoid(%y) from "Sigmoid_2"
    output %z)",
                       {1, 2, 3, 200}),
              IsEmpty());
}

}  // namespace
}  // namespace synap_internal
