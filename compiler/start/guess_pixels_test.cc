#include "compiler/start/guess_pixels.h"

#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/tensor_type.h"
#include "compiler/graph/graph.h"
#include "compiler/graph/text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr PictureInput kNchw = {224, 224, 3, "nchw"};
constexpr PictureInput kNhwc = {224, 224, 3, "nhwc"};

Graph Network(const std::string& layout, const std::string& input = "x",
              const TensorType& type = {DataType::kFloat32, Shape({1, 224, 224, 3}), {}}) {
  Graph graph;
  graph.layout = layout;
  graph.inputs.push_back(graph.AddTensor(input, type));
  graph.outputs.push_back(graph.inputs[0]);
  return graph;
}

ModelFacts MadeBy(const std::string& producer) {
  ModelFacts facts;
  facts.producer = producer;
  return facts;
}

PixelGuess GuessOf(const Graph& graph, const ModelFacts& facts, const std::string& model = "net",
                   const Head& head = {}) {
  return GuessPixels(graph, 0, graph.layout == "nchw" ? kNchw : kNhwc, head, facts, model);
}

TEST(GuessPixelsTest, FrameworksHaveTheirCustoms) {
  const Graph nchw = Network("nchw");
  EXPECT_EQ(GuessOf(nchw, MadeBy("pytorch 2.1")).means, "[123.675, 116.28, 103.53]");
  EXPECT_EQ(GuessOf(nchw, MadeBy("tf2onnx 1.16")).scale, "127.5");
  EXPECT_EQ(GuessOf(Network("nhwc"), {}).means, "127.5");
  const PixelGuess caffe = GuessOf(nchw, MadeBy("onnx-caffe2"));
  EXPECT_EQ(caffe.means, "[104, 117, 123]");
  EXPECT_EQ(caffe.scale, "1");
  EXPECT_EQ(caffe.format, "bgr keep_proportions=0");
  const PixelGuess cntk = GuessOf(nchw, MadeBy("cntk 2.5"));
  EXPECT_EQ(cntk.means, "0");
  EXPECT_EQ(cntk.scale, "1");
}

TEST(GuessPixelsTest, NamesAreHintsWithAQuestion) {
  const Graph nchw = Network("nchw");
  const PixelGuess densenet = GuessOf(nchw, MadeBy("caffe"), "DenseNet_121.prototxt");
  EXPECT_EQ(densenet.scale, "58.8");
  EXPECT_EQ(densenet.questions.size(), 1u);
  const PixelGuess gpus = GuessOf(Network("nchw", "gpu_0/data_0"), MadeBy("onnx-caffe2"));
  EXPECT_EQ(gpus.scale, "128");
  EXPECT_EQ(gpus.questions.size(), 1u);
  EXPECT_EQ(GuessOf(Network("nhwc"), {}, "densenet121.tflite").scale, "57.4");
}

TEST(GuessPixelsTest, StatedPixelsLeaveNoQuestion) {
  ModelFacts facts;
  facts.inputs = {{.means = {127}, .scales = {128}, .rgb = true}};
  const PixelGuess guess = GuessOf(Network("nhwc"), facts);
  EXPECT_EQ(guess.means, "127");
  EXPECT_EQ(guess.scale, "128");
  EXPECT_THAT(guess.questions, IsEmpty());
  facts.inputs = {{.means = {1, 2, 3}, .scales = {57, 58, 59}}};
  const PixelGuess channels = GuessOf(Network("nhwc"), facts);
  EXPECT_EQ(channels.means, "[1, 2, 3]");
  EXPECT_EQ(channels.scale, "58");
  EXPECT_THAT(channels.questions, ElementsAre(HasSubstr("order of the colours")));
}

TEST(GuessPixelsTest, StatedColoursCorrectAFamilys) {
  ModelFacts facts;
  facts.inputs = {{.means = {0}, .scales = {1}, .rgb = true}};
  Head head;
  head.pixels = PixelValues{"bgr fill_color=0", "0", "1"};
  EXPECT_EQ(GuessOf(Network("nhwc"), facts, "net", head).format, "rgb fill_color=0");
}

TEST(GuessPixelsTest, MeansFollowTheStatedOrderOfColours) {
  ModelFacts facts;
  facts.inputs = {{.means = {}, .scales = {}, .rgb = true}};
  Head head;
  head.pixels = PixelValues{"bgr keep_proportions=0", "[104, 117, 123]", "1"};
  const PixelGuess guess = GuessOf(Network("nhwc"), facts, "net", head);
  EXPECT_EQ(guess.format, "rgb keep_proportions=0");
  EXPECT_EQ(guess.means, "[123, 117, 104]");
}

TEST(GuessPixelsTest, StatedNumbersThatNoMetafileTakesAreIgnored) {
  const Graph network = Network("nhwc");
  const PixelGuess guess = GuessOf(network, {});
  for (const StatedPixels& stated :
       {StatedPixels{{0}, {0}, false}, StatedPixels{{NAN}, {1}, false},
        StatedPixels{{1, 2}, {1}, false}, StatedPixels{{0}, {INFINITY}, false}}) {
    ModelFacts facts;
    facts.inputs = {stated};
    EXPECT_EQ(GuessOf(network, facts).means, guess.means);
    EXPECT_EQ(GuessOf(network, facts).scale, guess.scale);
  }
  ModelFacts small;
  small.inputs = {StatedPixels{{0}, {0.00392157f}, false}};
  EXPECT_EQ(GuessOf(network, small).scale, "0.00392157");
}

TEST(GuessPixelsTest, UltralyticsExportsHaveTheirFamilysPixels) {
  ModelFacts facts;
  facts.by_ultralytics = true;
  Head head;
  head.pixels = PixelValues{"rgb fill_color=114", "0", "255"};
  const PixelGuess guess = GuessOf(Network("nchw"), facts, "net", head);
  EXPECT_EQ(guess.scale, "255");
  EXPECT_THAT(guess.questions, IsEmpty());
}

TensorType Quantized(DataType dtype, float scale, int32_t zero_point) {
  return {dtype, Shape({1, 224, 224, 3}), QuantParams::Affine(scale, zero_point)};
}

TEST(GuessPixelsTest, AQuantizerOfAUsualRangeTellsThePixels) {
  for (const TensorType& type : {Quantized(DataType::kUint8, 1 / 127.5f, 127),
                                 Quantized(DataType::kInt8, 1 / 255.0f, -128)}) {
    const PixelGuess guess = GuessOf(Network("nhwc", "x", type), {});
    EXPECT_EQ(guess.means, "");
    EXPECT_EQ(guess.scale, "");
    EXPECT_THAT(guess.questions, ElementsAre(HasSubstr("order of the colours")));
  }
}

TEST(GuessPixelsTest, AQuantizerOfAnotherRangeIsAQuestion) {
  const PixelGuess copied =
      GuessOf(Network("nhwc", "x", Quantized(DataType::kUint8, 0.0115707f, 123)), {});
  EXPECT_EQ(copied.means, "");
  EXPECT_THAT(copied.questions, ElementsAre(HasSubstr("of its training missing?"),
                                            HasSubstr("order of the colours")));
  const PixelGuess refused =
      GuessOf(Network("nhwc", "x", Quantized(DataType::kInt8, 0.0115707f, -5)), {});
  EXPECT_EQ(refused.scale, "127.5");
  ASSERT_FALSE(refused.questions.empty());
  EXPECT_THAT(refused.questions[0], HasSubstr("Are these the pixels of its training?"));
}

// A network that computes x * factor + term first.
Graph Normalizing(const std::string& factor, const std::string& terms) {
  absl::StatusOr<Graph> graph = ParseGraph(R"(graph "g" layout="nhwc" {
  input %x: float32[1x224x224x3]
  const %m: float32[1] = [)" + factor + R"(]
  const %t: float32[3] = [)" + terms + R"(]
  %a: float32[1x224x224x3] = mul(%x, %m) from "a"
  %b: float32[1x224x224x3] = add(%a, %t) from "b"
  %y: float32[1x224x224x3] = sigmoid(%b) from "y"
  output %y
}
)");
  EXPECT_TRUE(graph.ok()) << graph.status();
  return graph.ok() ? *std::move(graph) : Graph();
}

TEST(GuessPixelsTest, WhatTheNetworkNormalizesIsLeftToIt) {
  const PixelGuess raw = GuessOf(Normalizing("0.00784314", "-1.0, -1.0, -1.0"), {});
  EXPECT_EQ(raw.means, "0");
  EXPECT_EQ(raw.scale, "1");
  EXPECT_EQ(raw.format, "rgb keep_proportions=0");
  const PixelGuess unit = GuessOf(Normalizing("2.0", "-1.0, -1.0, -1.0"), {});
  EXPECT_EQ(unit.scale, "255");
  const PixelGuess bgr = GuessOf(Normalizing("1.0", "-103.9, -116.8, -123.7"), {});
  EXPECT_EQ(bgr.scale, "1");
  EXPECT_EQ(bgr.format, "bgr keep_proportions=0");
}

TEST(GuessPixelsTest, AFamilyIsAskedAboutWhereTheQuantizerHasAnotherRange) {
  Head head;
  head.task = "a detector, YOLOv8";
  head.pixels = PixelValues{"rgb fill_color=114", "0", "255"};
  for (const auto& [dtype, zero_point] :
       {std::pair(DataType::kInt8, -14), {DataType::kUint8, 114}}) {
    const TensorType type = {dtype, Shape({1, 224, 224, 3}),
                             QuantParams::Affine(0.01865f, zero_point)};
    const PixelGuess guess = GuessOf(Network("nhwc", "x", type), {}, "net", head);
    EXPECT_EQ(guess.means, "0");
    EXPECT_EQ(guess.scale, "255");
    ASSERT_EQ(guess.questions.size(), 1);
    EXPECT_THAT(guess.questions[0], HasSubstr("Was it trained with these pixels?"));
  }
}

}  // namespace
}  // namespace synap_internal
