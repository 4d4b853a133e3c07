// Files that are broken or want to do harm: each gives one clear error.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "compiler/import/caffe/import_caffe.h"
#include "compiler/import/caffe/test_network.h"

namespace synap_internal::caffe_import {
namespace {

using Strings = std::vector<std::string>;
using ::testing::HasSubstr;

std::string ErrorOf(absl::string_view text) {
  const std::string weights = TestNetwork().WeightsBytes();
  return std::string(ImportCaffeBytes(text, weights, "x", {}).status().message());
}

std::string WeightsErrorOf(absl::string_view weights) {
  return std::string(ImportCaffeBytes("", weights, "x", {}).status().message());
}

TestNetwork Convolution() {
  TestNetwork network;
  network.Input({1, 2, 3, 3});
  network.Layer("Convolution", "x", "y", "convolution_param { num_output: 1 kernel_size: 2 }");
  network.Blob("y_layer", {1, 2, 2, 2}, Count(8)).Blob("y_layer", {1}, {1});
  return network;
}

TEST(HostileNetworkTest, OtherTextIsNotANetwork) {
  EXPECT_EQ(ErrorOf(""), "is not a Caffe network: it is empty");
  EXPECT_THAT(ErrorOf("hello"), HasSubstr("is not a Caffe network: line 1: "));
  EXPECT_THAT(ErrorOf("name: 'x'\nlayer {"), HasSubstr("is not a Caffe network: line 2: "));
  EXPECT_THAT(ErrorOf("net: 'train.prototxt' base_lr: 0.01"), HasSubstr("it has no layers"));
  EXPECT_THAT(ErrorOf("layer { } layers { }"), HasSubstr("layers of two generations"));
}

TEST(HostileNetworkTest, GitLfsPointersAreExplained) {
  constexpr char kPointer[] = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n";
  EXPECT_THAT(ErrorOf(kPointer), HasSubstr("git lfs pull"));
  EXPECT_THAT(WeightsErrorOf(kPointer), HasSubstr("git lfs pull"));
}

TEST(HostileNetworkTest, OtherFormatsAreNamed) {
  EXPECT_THAT(ErrorOf("name: 'n' op { type: 'Conv' input: 'x' }"), HasSubstr("Caffe2"));
  EXPECT_THAT(WeightsErrorOf("\x89HDF\r\n"), HasSubstr("is an HDF5 file"));
  EXPECT_THAT(WeightsErrorOf("\xff\xff"), HasSubstr("truncated or something else"));
}

TEST(HostileNetworkTest, NestingIsBounded) {
  std::string text = "layer { ";
  for (int i = 0; i < 100000; ++i) text += "a { ";
  EXPECT_THAT(ErrorOf(text), HasSubstr("is not a Caffe network: line 1: "));
}

TEST(HostileNetworkTest, EveryTruncationIsAnErrorOrANetwork) {
  const TestNetwork network = Convolution();
  const std::string text = network.Prototxt(), weights = network.WeightsBytes();
  for (size_t size = 0; size < text.size(); ++size) {
    (void)ImportCaffeBytes(text.substr(0, size), weights, "x", {});
  }
  for (size_t size = 0; size < weights.size(); ++size) {
    EXPECT_FALSE(ImportCaffeBytes(text, weights.substr(0, size), "x", {}).ok()) << size;
  }
}

TEST(HostileNetworkTest, EveryChangedByteIsAnErrorOrANetwork) {
  const TestNetwork network = Convolution();
  const std::string text = network.Prototxt(), weights = network.WeightsBytes();
  for (const char value : {'\x00', '9', '{', '\xff'}) {
    for (size_t i = 0; i < text.size(); ++i) {
      std::string changed = text;
      changed[i] = value;
      (void)ImportCaffeBytes(changed, weights, "x", {});
    }
    for (size_t i = 0; i < weights.size(); ++i) {
      std::string changed = weights;
      changed[i] = value;
      (void)ImportCaffeBytes(text, changed, "x", {});
    }
  }
}

TEST(HostileNetworkTest, WeightsThatDoNotFit) {
  TestNetwork network = Convolution();
  caffe::WeightsLayer& layer = *network.weights().mutable_layer(0);
  layer.mutable_blobs(1)->add_data(2);
  EXPECT_EQ(network.Graph(),
            "layer 'y_layer' (Convolution): blob 1 of its weights has 2 values, expected 1");
  layer.mutable_blobs(1)->mutable_shape()->set_dim(0, 2);
  EXPECT_EQ(network.Graph(),
            "layer 'y_layer' (Convolution): blob 1 of its weights is 2, expected 1");
  layer.mutable_blobs()->RemoveLast();
  EXPECT_THAT(network.Graph(),
              HasSubstr("the weights file has 1 blobs for it, expected at least 2"));
  layer.set_name("other");
  EXPECT_THAT(network.Graph(), HasSubstr("the weights file has no layer of its name"));
}

TEST(HostileNetworkTest, BlobsThatNothingMakesOrTwoLayers) {
  TestNetwork unknown;
  unknown.Input({1}).Layer("AbsVal", "z", "y");
  EXPECT_EQ(unknown.Graph(),
            "layer 'y_layer' (AbsVal): it reads blob 'z', which nothing before it makes");
  TestNetwork twice;
  twice.Input({1}).Layer("AbsVal", "x", "y").Layer("ReLU", "x", "y");
  EXPECT_EQ(twice.Graph(), "layer 'y_layer' (ReLU): blob 'y' is made twice");
  TestNetwork loss;
  loss.Input({1}).Layer("EuclideanLoss", "x", "l").Layer("ReLU", "l", "y");
  EXPECT_THAT(loss.Graph(), HasSubstr("of layer 'l_layer' (EuclideanLoss), which is not imported"));
}

TEST(HostileNetworkTest, WrongNumbersOfBottomsAndTops) {
  EXPECT_THAT(ErrorOf("layer { name: 'a' type: 'AbsVal' top: 'y' }"),
              HasSubstr("has 0 operands, expected 1"));
  EXPECT_THAT(ErrorOf("input: 'x' input_shape { dim: 1 } "
                      "layer { name: 'a' type: 'AbsVal' bottom: 'x' top: 'y' top: 'z' }"),
              HasSubstr("it has 2 tops, expected 1"));
  EXPECT_THAT(ErrorOf("input: 'x' layer { name: 'a' type: 'AbsVal' bottom: 'x' }"),
              HasSubstr("it has no top"));
  EXPECT_THAT(ErrorOf("layer { name: 'a' top: 'y' }"), HasSubstr("it has no type"));
}

// Numbers at the ends of their ranges, in every place where one is read.
TEST(HostileNetworkTest, ExtremeNumbersAreErrors) {
  const std::string large = "4294967295";
  const auto graph = [](const std::string& type, const std::string& parameters) {
    TestNetwork network;
    network.Input({1, 2, 3, 3}).Layer(type, "x", "y", parameters);
    return network.Import().status();
  };
  for (const std::string& field :
       Strings{"num_output", "kernel_size", "stride", "pad", "dilation", "group"}) {
    for (const std::string& value : Strings{"0", large}) {
      const std::string text =
          absl::StrCat("convolution_param { num_output: 2 kernel_size: 1 ", "bias_term: false ");
      EXPECT_FALSE(graph("Convolution", absl::StrCat(text, field, ": ", value, " }")).ok());
      EXPECT_FALSE(graph("Deconvolution", absl::StrCat(text, field, ": ", value, " }")).ok());
    }
  }
  for (const std::string& field : Strings{"kernel_size", "stride", "pad"}) {
    EXPECT_FALSE(graph("Pooling", absl::StrCat("pooling_param { kernel_h: 2 kernel_w: 2 ", field,
                                               ": ", large, " }"))
                     .ok());
  }
  EXPECT_FALSE(graph("InnerProduct", "inner_product_param { num_output: " + large + " }").ok());
  EXPECT_FALSE(graph("Tile", "tile_param { tiles: 0 }").ok());
  EXPECT_FALSE(graph("Concat", "concat_param { concat_dim: " + large + " }").ok());
  EXPECT_FALSE(graph("Slice", "slice_param { slice_point: " + large + " }").ok());
  EXPECT_FALSE(graph("LRN", "lrn_param { local_size: " + large + " }").ok());
  EXPECT_FALSE(graph("Reshape", "reshape_param { num_axes: 2147483647 }").ok());
  EXPECT_FALSE(graph("Reshape", "reshape_param { shape { dim: [9223372036854775807, -1] } }").ok());
  EXPECT_FALSE(graph("Scale", "scale_param { num_axes: 2147483647 }").ok());
}

// Layers without names, and inputs, that each cost what all others do would take minutes.
TEST(HostileNetworkTest, ManyLayersAndInputsTakeNoLongerEach) {
  constexpr int kCount = 50000;
  TestNetwork nameless;
  nameless.Input({1});
  std::string layers, inputs, readers;
  for (int i = 0; i < kCount; ++i) {
    layers += "layer { type: 'AbsVal' bottom: 'x' top: 'x' }\n";
    absl::StrAppend(&inputs, "input: 'i", i, "' input_shape { dim: 1 }\n");
    absl::StrAppend(&readers, "layer { type: 'AbsVal' bottom: 'i", i, "' top: 't", i, "' }\n");
  }
  const absl::StatusOr<ImportedModel> chain = nameless.Text(layers).Import();
  ASSERT_TRUE(chain.ok()) << chain.status();
  EXPECT_EQ(chain->graph.ops().size(), kCount);
  const absl::StatusOr<ImportedModel> columns = TestNetwork().Text(inputs + readers).Import();
  ASSERT_TRUE(columns.ok()) << columns.status();
  EXPECT_EQ(columns->graph.inputs.size(), kCount);
  EXPECT_EQ(columns->graph.outputs.back()->name, "t49999");
}

TEST(HostileNetworkTest, HugeInputsAreErrors) {
  TestNetwork network;
  network.Input({1, 9223372036854775807, 9223372036854775807}).Layer("AbsVal", "x", "y");
  EXPECT_THAT(network.Graph(), HasSubstr("input 'x': "));
}

}  // namespace
}  // namespace synap_internal::caffe_import
