#include "compiler/start/propose_metafile.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "compiler/metafile/metafile.h"
#include "gtest/gtest.h"

namespace synap_internal {
namespace {

Graph Network(const Shape& input, const Shape& output, QuantParams quantizer = {}) {
  Graph graph;
  const DataType type = quantizer.quantized() ? DataType::kUint8 : DataType::kFloat32;
  graph.inputs.push_back(graph.AddTensor("x", {type, input, std::move(quantizer)}));
  graph.outputs.push_back(graph.AddTensor("y", {DataType::kFloat32, output, {}}));
  return graph;
}

Metafile Parsed(const std::string& text) {
  const absl::StatusOr<Metafile> metafile = ParseMetafile(text);
  EXPECT_TRUE(metafile.ok()) << metafile.status() << "\n" << text;
  return metafile.ok() ? *metafile : Metafile();
}

TEST(ProposeMetafileTest, AClassifierHasImageNetsPixelsWithAQuestion) {
  const MetafileProposal proposal =
      ProposeMetafile(Network(Shape({1, 3, 224, 224}), Shape({1, 1000})), "net.onnx");
  EXPECT_EQ(proposal.task, "a classifier of 1000 classes");
  const Metafile metafile = Parsed(proposal.text);
  ASSERT_EQ(metafile.inputs.size(), 1u);
  EXPECT_EQ(metafile.inputs[0].means, (std::vector<double>{123.675, 116.28, 103.53}));
  EXPECT_EQ(metafile.inputs[0].scale, 57.4);
  EXPECT_EQ(metafile.inputs[0].format, "rgb keep_proportions=0");
  ASSERT_EQ(metafile.outputs.size(), 1u);
  EXPECT_EQ(metafile.outputs[0].format, "confidence_array");
  EXPECT_EQ(metafile.outputs[0].dequantize, true);
  EXPECT_EQ(proposal.questions.size(), 2u);
}

TEST(ProposeMetafileTest, ADetectorHasThePixelsOfItsFamily) {
  const MetafileProposal proposal =
      ProposeMetafile(Network(Shape({1, 3, 640, 640}), Shape({1, 84, 8400})), "net.onnx");
  EXPECT_EQ(proposal.task, "a detector, YOLOv8 or a follower with 80 classes");
  const Metafile metafile = Parsed(proposal.text);
  ASSERT_EQ(metafile.inputs.size(), 1u);
  EXPECT_EQ(metafile.inputs[0].scale, 255);
  EXPECT_EQ(metafile.inputs[0].format, "rgb fill_color=114");
  ASSERT_EQ(metafile.outputs.size(), 1u);
  EXPECT_EQ(metafile.outputs[0].format, "yolov8 w_scale=640 h_scale=640");
}

// A network whose first kernels have `weight` at each of their 27 places.
Graph Convolution(float weight, const Shape& output) {
  Graph graph;
  graph.layout = "nhwc";
  graph.inputs.push_back(graph.AddTensor("x", {DataType::kFloat32, Shape({1, 32, 32, 3}), {}}));
  Tensor* weights = graph.AddConstant("w", {DataType::kFloat32, Shape({4, 3, 3, 3}), {}},
                                      Constant::Own(std::vector<float>(108, weight)));
  Tensor* bias = graph.AddConstant("b", {DataType::kFloat32, Shape({4}), {}},
                                   Constant::Own(std::vector<float>(4)));
  const absl::StatusOr<Op*> conv =
      graph.AddInferredOp("conv2d", {graph.inputs[0], weights, bias},
                          {{"strides", std::vector<int64_t>{1, 1}}}, {"conv"}, "features");
  EXPECT_TRUE(conv.ok()) << conv.status();
  graph.outputs.push_back(graph.AddTensor("y", {DataType::kFloat32, output, {}}));
  return graph;
}

TEST(ProposeMetafileTest, SmallFirstKernelsReadPixelsAsTheyAre) {
  const Metafile raw =
      Parsed(ProposeMetafile(Convolution(0.004f, Shape({1, 10})), "net.tflite").text);
  ASSERT_EQ(raw.inputs.size(), 1u);
  EXPECT_EQ(raw.inputs[0].means, std::vector<double>{0});
  EXPECT_EQ(raw.inputs[0].scale, 1);
  const Metafile normalized =
      Parsed(ProposeMetafile(Convolution(0.2f, Shape({1, 10})), "net.tflite").text);
  ASSERT_EQ(normalized.inputs.size(), 1u);
  EXPECT_EQ(normalized.inputs[0].scale, 127.5);
}

TEST(ProposeMetafileTest, SmallFirstKernelsContradictAFamily) {
  const MetafileProposal proposal =
      ProposeMetafile(Convolution(0.004f, Shape({1, 84, 21})), "net.tflite");
  EXPECT_EQ(proposal.format, "yolov8");
  ASSERT_FALSE(proposal.questions.empty());
  EXPECT_TRUE(absl::StrContains(proposal.questions[0], "Should means be 0 and the scale 1?"));
}

TEST(ProposeMetafileTest, AQuantizerOfTheInputTellsItsPixels) {
  Graph graph =
      Network(Shape({1, 224, 224, 3}), Shape({1, 1001}), QuantParams::Affine(0.0078125f, 128));
  graph.layout = "nhwc";
  const MetafileProposal proposal = ProposeMetafile(graph, "net.tflite");
  const Metafile metafile = Parsed(proposal.text);
  ASSERT_EQ(metafile.inputs.size(), 1u);
  EXPECT_TRUE(metafile.inputs[0].means.empty());
  EXPECT_FALSE(metafile.inputs[0].scale.has_value());
}

TEST(ProposeMetafileTest, AnInputWithoutPicturesHasNoPixels) {
  const MetafileProposal proposal =
      ProposeMetafile(Network(Shape({1, 16, 24}), Shape({1, 16})), "net.onnx");
  EXPECT_EQ(proposal.task, "a network without pictures");
  const Metafile metafile = Parsed(proposal.text);
  ASSERT_EQ(metafile.inputs.size(), 1u);
  EXPECT_FALSE(metafile.inputs[0].format.has_value());
}

TEST(ProposeMetafileTest, NamesStayInTheirComment) {
  Graph graph = Network(Shape({1, 3, 224, 224}), Shape({1, 10}));
  graph.Rename(graph.inputs[0], "x\noptimize: false");
  const MetafileProposal proposal = ProposeMetafile(graph, "a\nb.onnx");
  EXPECT_FALSE(absl::StrContains(proposal.text, "\noptimize"));
  EXPECT_FALSE(absl::StrContains(proposal.text, "\nb.onnx"));
  EXPECT_EQ(Parsed(proposal.text).optimize, AllMeasureKinds());
}

TEST(ProposeMetafileTest, GivenNamesAndShapesStay) {
  Metafile given;
  given.inputs.resize(1);
  given.inputs[0].name = "x: \"1\" # é";
  given.inputs[0].shape = {1, 3, 480, 640};
  given.outputs.resize(1);
  given.outputs[0].name = "scores";
  const MetafileProposal proposal =
      ProposeMetafile(Network(Shape({1, 3, 480, 640}), Shape({1, 10})), "net.onnx", given);
  const Metafile metafile = Parsed(proposal.text);
  ASSERT_EQ(metafile.inputs.size(), 1u);
  EXPECT_EQ(metafile.inputs[0].name, given.inputs[0].name);
  EXPECT_EQ(metafile.inputs[0].shape, given.inputs[0].shape);
  ASSERT_EQ(metafile.outputs.size(), 1u);
  EXPECT_EQ(metafile.outputs[0].name, "scores");
  EXPECT_EQ(metafile.outputs[0].format, proposal.format);
}

TEST(ProposeMetafileTest, ASpectrogramHasNoPixels) {
  const MetafileProposal proposal =
      ProposeMetafile(Network(Shape({1, 1, 49, 10}), Shape({1, 12})), "net.onnx");
  const Metafile metafile = Parsed(proposal.text);
  ASSERT_EQ(metafile.inputs.size(), 1u);
  EXPECT_FALSE(metafile.inputs[0].scale.has_value());
  EXPECT_FALSE(metafile.inputs[0].format.has_value());
  ASSERT_FALSE(proposal.questions.empty());
  EXPECT_TRUE(absl::StrContains(proposal.questions[0], "spectrogram"));
}

TEST(ProposeMetafileTest, TheFilesClassesAreNamed) {
  ModelFacts facts;
  facts.labels = {"tench", "line\nbreak", "c", "d", "e", "f"};
  const MetafileProposal proposal =
      ProposeMetafile(Network(Shape({1, 3, 224, 224}), Shape({1, 6})), "net.onnx", {}, facts);
  EXPECT_TRUE(absl::StrContains(proposal.text,
                                "# The file names 6 classes: tench, line?break, c, d, e, ..."));
  Parsed(proposal.text);
}

TEST(ProposeMetafileTest, EachQuestionIsInTheText) {
  const MetafileProposal proposal =
      ProposeMetafile(Network(Shape({1, 3, 640, 640}), Shape({1, 84, 8400})), "net.onnx");
  size_t marks = 0;
  for (size_t at = proposal.text.find("# QUESTION: "); at != std::string::npos;
       at = proposal.text.find("# QUESTION: ", at + 1)) {
    ++marks;
  }
  EXPECT_EQ(marks, proposal.questions.size());
  EXPECT_GE(marks, 2u);
}

}  // namespace
}  // namespace synap_internal
