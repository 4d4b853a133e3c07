// Which files make a model, and which models no kernel could run.
#include "compiler/convert/stages/import_stage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/file.h"
#include "base/warnings.h"
#include "compiler/graph/graph.h"
#include "compiler/metafile/metafile.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string ErrorOf(const ModelFiles& files) {
  Warnings warnings;
  return std::string(ImportStage(files, {}, {}, warnings).status().message());
}

TEST(ImportStageTest, SuffixesAreKnown) {
  EXPECT_EQ(ErrorOf({"m.xyz", ""}),
            "m.xyz: unknown network format: .xyz, expected .onnx, .tflite, .torchscript, .pt, "
            ".pth, .ptl, .pt2, "
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

// The graph of a network with input x [?,2,4,4] and output y [?,2,2,2].
absl::StatusOr<Graph> ImportWith(absl::string_view metafile, Warnings& warnings) {
  const auto parsed = ParseMetafile(metafile, {.path = "m.yaml"});
  EXPECT_TRUE(parsed.ok()) << parsed.status();
  return ImportStage({"testdata/fuzz/onnx/conv.onnx", ""}, *parsed, {}, warnings);
}

TEST(ImportStageTest, ShapesOfOutputsAreCompared) {
  Warnings warnings;
  EXPECT_TRUE(ImportWith("outputs: [{shape: [8, 2, 2, 2]}]", warnings).ok()) << "another batch";
  EXPECT_EQ(ImportWith("outputs: [{name: y, shape: [1, 2, 2, 3]}]", warnings).status().message(),
            "m.yaml:1:11: outputs[0].shape: output 'y' has shape 1x2x2x2 in the model, but "
            "1x2x2x3 in the metafile; correct it or leave it out");
  EXPECT_THAT(std::string(ImportWith("outputs: [{shape: [2, 2, 2]}]", warnings).status().message()),
              HasSubstr("but 2x2x2 in the metafile"));
}

TEST(ImportStageTest, ABatchThatTheModelDoesNotTakeIsNoted) {
  Warnings warnings;
  const auto graph = ImportWith("inputs: [{name: x, shape: [4, 2, 4, 4]}]", warnings);
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(graph->inputs[0]->type.shape, Shape({1, 2, 4, 4}));
  EXPECT_THAT(warnings.Texts(Severity::kNote),
              ElementsAre("m.yaml:1:10: input 'x': the batch of 4 in 'shape' is ignored: the "
                          "network runs with 1, the model's own batch, or 1 if it leaves that "
                          "open"));
  Warnings none;
  ASSERT_TRUE(ImportWith("inputs: [{name: x, shape: [1, 2, 4, 4]}]", none).ok());
  EXPECT_THAT(none.Texts(Severity::kNote), IsEmpty());
}

TEST(ImportStageTest, PicturesThatAreTakenAtOnceAreNoted) {
  Warnings warnings;
  const auto parsed = ParseMetafile("inputs: [{name: x, shape: [2, 4, 6, 5]}]", {.path = "m.yaml"});
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  ModelFiles files{"testdata/torchscript/pooling_traced.pt", ""};
  files.reader_output = ReadFile("testdata/fuzz/torchscript/pooling_traced.pb").value_or("");
  const auto graph = ImportStage(files, *parsed, {}, warnings);
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(graph->inputs[0]->type.shape, Shape({2, 4, 6, 5}));
  EXPECT_THAT(warnings.Texts(Severity::kNote), ElementsAre(HasSubstr("takes 2 of them at once")));
}

TEST(ImportStageTest, AnInputWithAValueBecomesAConstant) {
  Warnings warnings;
  const auto graph = ImportWith("inputs: [{name: x, value: 2}]", warnings);
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_THAT(graph->inputs, IsEmpty());
  EXPECT_TRUE(graph->outputs[0]->is_constant());
  EXPECT_EQ(graph->outputs[0]->name, "y");
  EXPECT_THAT(std::string(ImportWith("inputs: [{name: z, value: 2}]", warnings).status().message()),
              HasSubstr("input 'z' has a 'value' in the metafile, but is none of the model's"));
}

TEST(ImportStageTest, ComputedWeightsOfConvolutionsBecomeProducts) {
  EXPECT_EQ(ErrorOf({"testdata/fuzz/onnx/computed_weights.onnx", ""}), "");
}

}  // namespace
}  // namespace synap_internal
