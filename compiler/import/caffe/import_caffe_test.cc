// Inputs and outputs of a network, its phases and generations, names, and what isn't
// supported.
#include "compiler/import/caffe/import_caffe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/file.h"
#include "compiler/import/caffe/test_network.h"

namespace synap_internal::caffe_import {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

ImportOptions Options(const std::vector<ImportInput>& inputs,
                      const std::vector<std::string>& outputs) {
  ImportOptions options;
  options.inputs = inputs;
  options.outputs = outputs;
  return options;
}

TEST(ImportCaffeTest, KeepsNamesAndOrder) {
  TestNetwork network;
  network.Input({64, 2}).Layer("AbsVal", "x", "a").Layer("ReLU", "a", "b");
  EXPECT_EQ(network.Graph(), R"(graph "test" layout="nchw" {
  input %x: float32[1x2]
  %a: float32[1x2] = abs(%x) from "a_layer"
  %b: float32[1x2] = relu(%a) from "b_layer"
  output %b
}
)");
}

TEST(ImportCaffeTest, ABlobsNameStandsForItsLastValue) {
  TestNetwork network;
  network.Input({1, 2}).Layer("AbsVal", "x", "a");
  network.Text("layer { name: 'r' type: 'Sigmoid' bottom: 'a' top: 'a' }");
  EXPECT_THAT(network.Graph(), HasSubstr("%a: float32[1x2] = sigmoid(%a.tmp) from \"r\""));
  EXPECT_THAT(network.Graph(Options({}, {"a_layer"})), Not(HasSubstr("sigmoid")));
}

TEST(ImportCaffeTest, AnInputThatIsChangedInPlaceKeepsItsName) {
  TestNetwork network;
  network.Input({1, 2});
  network.Text("layer { name: 'r' type: 'AbsVal' bottom: 'x' top: 'x' }");
  EXPECT_THAT(network.Graph(), HasSubstr("input %x: float32[1x2]"));
  EXPECT_THAT(network.Run({{-1, 2}}), ElementsAre(1, 2));
}

TEST(ImportCaffeTest, CutsWhereTheOptionsSay) {
  TestNetwork network;
  network.Input({1, 2}).Layer("AbsVal", "x", "a").Layer("ReLU", "a", "b").Layer("TanH", "b", "c");
  const std::string text = network.Graph(Options({{"a", Shape({1, 7})}}, {"b_layer"}));
  EXPECT_THAT(text, HasSubstr("input %a: float32[1x7]"));
  EXPECT_THAT(text, HasSubstr("output %b"));
  EXPECT_THAT(text, Not(HasSubstr("tanh")));
}

TEST(ImportCaffeTest, NamesWhatTheOptionsGetWrong) {
  TestNetwork network;
  network.Input({1, 2}).Layer("AbsVal", "x", "a").Layer("ReLU", "a", "b");
  EXPECT_THAT(network.Graph(Options({}, {"bb"})), HasSubstr("output 'bb' is not a blob or layer"));
  EXPECT_EQ(network.Graph(Options({}, {"b", "b_layer"})), "output 'b' is listed twice");
  EXPECT_THAT(network.Graph(Options({{"b", std::nullopt}}, {"a"})),
              HasSubstr("the outputs also depend on input 'x'"));
  EXPECT_THAT(network.Graph(Options({{"x", Shape({1, 3})}}, {})),
              HasSubstr("input 'x': has shape ?x2 in the model, but 1x3 in the metafile"));
}

TEST(ImportCaffeTest, LegacyInputs) {
  TestNetwork dims;
  dims.Text("input: 'x' input_dim: 5 input_dim: 1 input_dim: 2 input_dim: 3 ");
  dims.Layer("AbsVal", "x", "y");
  EXPECT_THAT(dims.Graph(), HasSubstr("input %x: float32[1x1x2x3]"));
  TestNetwork shape;
  shape.Text("input: 'x' input_shape { dim: 5 dim: 7 } ").Layer("AbsVal", "x", "y");
  EXPECT_THAT(shape.Graph(), HasSubstr("input %x: float32[1x7]"));
  TestNetwork three;
  three.Text("input: 'x' input_dim: [1, 2, 3] ").Layer("AbsVal", "x", "y");
  EXPECT_EQ(three.Graph(), "has 1 inputs, 0 of input_shape and 3 of input_dim");
}

// As they stand in the file that a network is trained and tested with.
constexpr char kTrainAndTest[] = R"(
  layer { name: 'd' type: 'Data' top: 'data' top: 'label' include { phase: TRAIN } }
  layer { name: 'd' type: 'Data' top: 'data' top: 'label' include { phase: TEST }
          transform_param { crop_size: 2 } data_param { source: 'lmdb' backend: LMDB } }
  layer { name: 'drop' type: 'Dropout' bottom: 'data' top: 'data2' exclude { phase: TEST } }
  layer { name: 'stage' type: 'AbsVal' bottom: 'data' top: 'staged' include { stage: 'deploy' } }
  layer { name: 'r' type: 'ReLU' bottom: 'data' top: 'r' }
  layer { name: 'a' type: 'Accuracy' bottom: 'r' bottom: 'label' top: 'a' include { phase: TEST } }
  layer { name: 'l' type: 'SoftmaxWithLoss' bottom: 'r' bottom: 'label' top: 'l' }
)";

TEST(ImportCaffeTest, OnlyWhatInferenceNeedsIsLeft) {
  TestNetwork network;
  network.Text(kTrainAndTest);
  EXPECT_THAT(network.Graph(), HasSubstr("input 'data': has no shape in the model"));
  const ImportOptions options = Options({{"data", Shape({1, 3, 2, 2})}}, {});
  EXPECT_EQ(network.Graph(options), R"(graph "test" layout="nchw" {
  input %data: float32[1x3x2x2]
  %r: float32[1x3x2x2] = relu(%data) from "r"
  output %r
}
)");
  EXPECT_THAT(network.Import(options)->warnings,
              ElementsAre("skipping layer 'a' (Accuracy), which only training and testing need",
                          "skipping layer 'l' (SoftmaxWithLoss), which only training and testing "
                          "need"));
}

TEST(ImportCaffeTest, StagesAreThoseOfTheState) {
  TestNetwork network;
  network.Text("state { stage: 'deploy' }").Text(kTrainAndTest);
  EXPECT_THAT(network.Graph(Options({{"data", Shape({1, 2})}}, {})), HasSubstr("output %staged"));
}

TEST(ImportCaffeTest, LayersOfTheGenerationBefore) {
  TestNetwork network;
  network.Text("name: 'old' input: 'x' input_dim: [1, 1, 1, 2]");
  network.Text(
      "layers { name: 'c' type: CONVOLUTION bottom: 'x' top: 'c' blobs_lr: 1 "
      "convolution_param { num_output: 1 kernel_size: 1 } }");
  network.Text(
      "layers { name: 'p' type: POOLING bottom: 'c' top: 'p' "
      "pooling_param { pool: AVE global_pooling: true } }");
  caffe::V1WeightsLayer& layer = *network.weights().add_layers();
  layer.set_name("c");
  for (const float value : {10.0f, 1.0f}) {
    caffe::BlobProto& blob = *layer.add_blobs();
    blob.set_num(1);
    blob.set_channels(1);
    blob.set_height(1);
    blob.set_width(1);
    blob.add_data(value);
  }
  EXPECT_THAT(network.Run({{1, 2}}), ElementsAre(16));
  EXPECT_THAT(network.Graph(), HasSubstr("graph \"old\""));
}

// The first generation, in which padding was a layer.
TEST(ImportCaffeTest, LayersOfTheFirstGeneration) {
  TestNetwork network;
  network.Text("input: 'x' input_dim: [1, 1, 1, 2]");
  network.Text("layers { layer { name: 'pad' type: 'padding' pad: 1 } bottom: 'x' top: 'p' }");
  network.Text(
      "layers { layer { name: 'c' type: 'conv' num_output: 1 kernelsize: 3 "
      "biasterm: false weight_filler { type: 'gaussian' } } bottom: 'p' top: 'c' }");
  network.Text(
      "layers { layer { name: 'i' type: 'innerproduct' num_output: 1 } "
      "bottom: 'c' top: 'i' }");
  network.Blob("c", {1, 1, 3, 3}, {0, 0, 0, 1, 10, 100, 0, 0, 0});
  network.Blob("i", {1, 2}, {1, 1000}).Blob("i", {1}, {0.5f});
  EXPECT_THAT(network.Run({{1, 2}}), ElementsAre(21210.5f));
  network.Text("layers { layer { name: 'r' type: 'relu' } bottom: 'p' top: 'r' }");
  EXPECT_EQ(network.Graph(),
            "layer 'r' (ReLU): it reads the padding 'p', which only a convolution or pooling can");
}

TEST(ImportCaffeTest, WeightsMayBeDoubles) {
  TestNetwork network;
  network.Input({1, 1}).Layer("Scale", "x", "y");
  network.Blob("y_layer", {1}, {});
  network.weights().mutable_layer(0)->mutable_blobs(0)->add_double_data(2.5);
  EXPECT_THAT(network.Run({{2}}), ElementsAre(5));
}

TEST(UnsupportedLayerTest, AllAreListedAtOnce) {
  TestNetwork network;
  network.Input({1, 2}).Layer("Python", "x", "a").Layer("SPP", "a", "b").Layer("Python", "b", "c");
  EXPECT_EQ(network.Graph(),
            "2 layer types are not supported: Python (2 layers: 'a_layer', 'c_layer'), SPP (1 "
            "layer: 'b_layer')");
  EXPECT_THAT(network.Graph(Options({{"c", Shape({1, 2})}}, {"c"})), HasSubstr("input %c"));
}

TEST(UnsupportedLayerTest, CaffeSsdIsNamed) {
  TestNetwork network;
  network.Input({1, 2}).Layer("Permute", "x", "a", "permute_param { order: 1 order: 0 }");
  network.Layer("PriorBox", "a", "b", "prior_box_param { min_size: 30 flip: true }");
  EXPECT_THAT(network.Graph(), HasSubstr("PriorBox (1 layer: 'b_layer'); it is a network of "
                                         "Caffe-SSD"));
  EXPECT_THAT(network.Graph(Options({}, {"a"})), HasSubstr("output %a"));
}

TEST(UnsupportedLayerTest, FieldsThatCaffeDoesNotHave) {
  TestNetwork network;
  network.Input({1, 1, 2, 2});
  network.Layer("Pooling", "x", "y", "pooling_param { kernel_size: 2 round_mode: FLOOR }");
  EXPECT_THAT(network.Graph(), HasSubstr("line 2: Message type \"caffe.PoolingParameter\" has no "
                                         "field named \"round_mode\""));
}

TEST(ImportCaffeTest, ReadsFilesAndNamesThem) {
  const std::string path = testing::TempDir() + "/net.prototxt";
  const std::string weights = testing::TempDir() + "/net.caffemodel";
  TestNetwork network;
  network.Input({1, 2}).Layer("AbsVal", "x", "y");
  ASSERT_TRUE(WriteFileAtomically(path, network.Prototxt()).ok());
  ASSERT_TRUE(WriteFileAtomically(weights, network.WeightsBytes()).ok());
  const auto import = ImportCaffe({path, weights}, {});
  ASSERT_TRUE(import.ok()) << import.status();
  EXPECT_EQ(import->graph.name, "net");
  EXPECT_EQ(import->graph.layout, "nchw");
  TestNetwork other;
  other.Input({1, 2}).Layer("InnerProduct", "x", "y", "inner_product_param { num_output: 3 }");
  ASSERT_TRUE(WriteFileAtomically(path, other.Prototxt()).ok());
  EXPECT_EQ(ImportCaffe({path, weights}, {}).status().message(),
            path + ": layer 'y_layer' (InnerProduct): " + weights +
                ": the weights file has no layer of its name");
  ASSERT_TRUE(WriteFileAtomically(weights, "").ok());
  EXPECT_EQ(ImportCaffe({path, weights}, {}).status().message(),
            weights + ": is not a .caffemodel: it is empty");
  EXPECT_THAT(std::string(ImportCaffe({path, "/no/such"}, {}).status().message()),
              HasSubstr("/no/such"));
}

}  // namespace
}  // namespace synap_internal::caffe_import
