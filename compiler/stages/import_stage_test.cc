// Which files make a model, and which models no kernel could run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/warnings.h"
#include "compiler/metafile/metafile.h"
#include "compiler/stages/stages.h"

namespace synap_internal {
namespace {

using ::testing::HasSubstr;

std::string ErrorOf(const ModelFiles& files) {
  Warnings warnings;
  return std::string(ImportStage(files, {}, {}, warnings).status().message());
}

TEST(ImportStageTest, SuffixesAreKnown) {
  EXPECT_EQ(
      ErrorOf({"m.xyz", ""}),
      "m.xyz: unknown network format: .xyz, expected .onnx, .tflite, .torchscript, .pt, .pth, "
      ".pb, .prototxt");
  EXPECT_THAT(ErrorOf({"no/such.pt", ""}), HasSubstr("no/such.pt"));
  EXPECT_THAT(ErrorOf({"no/such.PB", ""}), HasSubstr("no/such.PB"));
}

TEST(ImportStageTest, CaffeNetworksAreTwoFiles) {
  EXPECT_EQ(ErrorOf({"n.prototxt", ""}),
            "n.prototxt: the weights of a Caffe network are in a second file, generally a "
            ".caffemodel; give it with --weights");
  EXPECT_THAT(ErrorOf({"n.caffemodel", ""}), HasSubstr("give it with --weights"));
  EXPECT_THAT(ErrorOf({"no/such.prototxt", "w.caffemodel"}), HasSubstr("no/such.prototxt"));
}

TEST(ImportStageTest, WeightsBelongToCaffe) {
  EXPECT_THAT(ErrorOf({"m.pb", "w.pb"}), HasSubstr("Caffe2 models (.pb and --weights)"));
  EXPECT_EQ(ErrorOf({"m.onnx", "w.caffemodel"}),
            "m.onnx: --weights is for Caffe networks (.prototxt), the weights of ONNX models are "
            "inside of them; leave --weights out");
}

TEST(ImportStageTest, LayoutIsTheFrameworksOwn) {
  const auto error = [](const std::string& model, const std::string& layout) {
    MetafileOptions options;
    options.path = "m.yaml";
    Warnings warnings;
    const auto metafile = ParseMetafile("optimize: true\ndata_layout: " + layout, options);
    const ModelFiles files = {model, "", "", ""};
    return std::string(ImportStage(files, *metafile, {}, warnings).status().message());
  };
  EXPECT_EQ(error("m.ONNX", "nhwc"),
            "m.yaml:2:1: 'data_layout: nhwc' is not supported for ONNX models, expected nchw; "
            "leave it out");
  EXPECT_THAT(error("m.tflite", "nchw"), HasSubstr("TensorFlow Lite models, expected nhwc"));
  EXPECT_THAT(error("no/such.onnx", "nchw"), HasSubstr("no/such.onnx"));
  EXPECT_THAT(error("no/such.tflite", "nhwc"), HasSubstr("no/such.tflite"));
}

TEST(ImportStageTest, WeightsAreConstant) {
  EXPECT_EQ(ErrorOf({"testdata/fuzz/onnx/computed_weights.onnx", ""}),
            "testdata/fuzz/onnx/computed_weights.onnx: 1 layer type is not supported: conv2d with "
            "computed weights (1 layer: 'y_node')");
}

}  // namespace
}  // namespace synap_internal
