// Operators over images: layouts, windows, weights.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/file.h"
#include "compiler/import/onnx/import_onnx.h"
#include "compiler/import/onnx/test_model.h"

namespace synap_internal::onnx_import {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::EndsWith;
using ::testing::FloatEq;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Ints = std::vector<int64_t>;

std::vector<float> Count(size_t n) {
  std::vector<float> values;
  for (size_t i = 0; i < n; ++i) values.push_back(static_cast<float>(i));
  return values;
}

// One node over an input 'x' with float constants of all ones.
TestModel OnesModel(const TestModel::Dims& x, const std::string& op,
                    const std::vector<TestModel::Dims>& operands, const Attributes& attributes,
                    int opset = 13) {
  TestModel model(opset);
  model.Input("x", x);
  TestModel::Strings names = {"x"};
  for (const TestModel::Dims& dims : operands) {
    size_t count = 1;
    for (const int64_t dim : dims) count *= static_cast<size_t>(dim);
    names.push_back("w" + std::to_string(names.size()));
    model.Floats(names.back(), dims, std::vector<float>(count, 1.0f));
  }
  return model.Node(op, names, {"y"}, attributes).Output("y");
}

Shape OutputShape(const TestModel& model) {
  const absl::StatusOr<Graph> graph = model.Import();
  EXPECT_TRUE(graph.ok()) << graph.status();
  return graph.ok() ? graph->outputs[0]->type.shape : Shape();
}

TEST(ConvTest, IsNhwcBetweenTransposes) {
  TestModel model;
  model.Input("x", {1, 2, 3, 3}).Floats("w", {1, 2, 1, 1}, {1, 10}).Floats("b", {1}, {0.5f});
  model.Node("Conv", {"x", "w", "b"}, {"y"}).Output("y");
  EXPECT_EQ(model.Text(), R"(graph "test" layout="nchw" {
  input %x: float32[1x2x3x3]
  const %b: float32[1] = [0.5]
  const %w.ohwi: float32[1x1x1x2] = [1.0, 10.0]
  %x.nhwc: float32[1x3x3x2] = transpose(%x) {perm=[0, 2, 3, 1]} from "y_node"
  %y.nhwc: float32[1x3x3x1] = conv2d(%x.nhwc, %w.ohwi, %b) {dilations=[1, 1], groups=1, pads=[0, 0, 0, 0], strides=[1, 1]} from "y_node"
  %y: float32[1x1x3x3] = transpose(%y.nhwc) {perm=[0, 3, 1, 2]} from "y_node"
  output %y
}
)");
  EXPECT_THAT(model.Run({Count(18)}),
              ElementsAre(90.5, 101.5, 112.5, 123.5, 134.5, 145.5, 156.5, 167.5, 178.5));
}

TEST(ConvTest, SameUpperAndLowerPadTheirSide) {
  const auto pads = [](const std::string& mode) {
    return OnesModel({1, 1, 4, 4}, "Conv", {{1, 1, 2, 2}}, {{"auto_pad", mode}}).Text();
  };
  EXPECT_THAT(pads("SAME_UPPER"), HasSubstr("pads=[0, 0, 1, 1]"));
  EXPECT_THAT(pads("SAME_LOWER"), HasSubstr("pads=[1, 1, 0, 0]"));
  EXPECT_THAT(pads("VALID"), HasSubstr("pads=[0, 0, 0, 0]"));
  EXPECT_THAT(pads("DIFFERENT"), HasSubstr("'auto_pad' is 'DIFFERENT'"));
}

TEST(ConvTest, SameUpperFollowsTheStride) {
  EXPECT_EQ(
      OutputShape(OnesModel({1, 1, 5, 7}, "Conv", {{1, 1, 3, 3}},
                            {{"auto_pad", std::string("SAME_UPPER")}, {"strides", Ints{2, 3}}})),
      Shape({1, 1, 3, 3}));
}

TEST(ConvTest, GroupForEachChannelIsDepthwise) {
  TestModel model;
  model.Input("x", {1, 2, 1, 1}).Floats("w", {2, 1, 1, 1}, {3, 5});
  model.Node("Conv", {"x", "w"}, {"y"}, {{"group", int64_t{2}}}).Output("y");
  EXPECT_THAT(model.Text(), HasSubstr("depthwise_conv2d(%x.nhwc, %w.ihwo)"));
  EXPECT_THAT(model.Run({{10, 100}}), ElementsAre(30, 500));
}

TEST(ConvTest, ChannelMultiplierIsGrouped) {
  TestModel model;
  model.Input("x", {1, 2, 1, 1}).Floats("w", {4, 1, 1, 1}, {1, 2, 3, 4});
  model.Node("Conv", {"x", "w"}, {"y"}, {{"group", int64_t{2}}}).Output("y");
  EXPECT_THAT(model.Text(), HasSubstr("groups=2"));
  EXPECT_THAT(model.Run({{10, 100}}), ElementsAre(10, 20, 300, 400));
}

TEST(ConvTest, LineIsAnImageOfHeightOne) {
  TestModel model;
  model.Input("x", {1, 1, 4}).Floats("w", {1, 1, 2}, {1, 10});
  model.Node("Conv", {"x", "w"}, {"y"}, {{"pads", Ints{1, 0}}}).Output("y");
  EXPECT_EQ(OutputShape(model), Shape({1, 1, 4}));
  EXPECT_THAT(model.Run({{1, 2, 3, 4}}), ElementsAre(10, 21, 32, 43));
}

TEST(ConvTest, RefusesWindowsThatMakeNoSense) {
  const auto text = [](const Attributes& attributes) {
    return OnesModel({1, 1, 4, 4}, "Conv", {{1, 1, 3, 3}}, attributes).Text();
  };
  EXPECT_THAT(text({{"strides", Ints{0, 1}}}), HasSubstr("'strides' is [0, 1]"));
  EXPECT_THAT(text({{"dilations", Ints{1, int64_t{1} << 62}}}), HasSubstr("'dilations' is"));
  EXPECT_THAT(text({{"pads", Ints{1, 1}}}), HasSubstr("'pads' has 2 elements, expected 4"));
  EXPECT_THAT(text({{"pads", Ints{-1, 0, 0, 0}}}), HasSubstr("'pads' is"));
  EXPECT_THAT(text({{"kernel_shape", Ints{5, 5}}}), HasSubstr("the weights say [3, 3]"));
  EXPECT_THAT(text({{"group", int64_t{3}}}), HasSubstr("number of groups is 3"));
  EXPECT_THAT(text({{"group", int64_t{0}}}), HasSubstr("number of groups is 0"));
}

TEST(ConvTest, RefusesFourDimensions) {
  EXPECT_THAT(
      OnesModel({1, 1, 2, 2, 2, 2}, "Conv", {{1, 1, 1, 1, 1, 1}}, {}).Text(),
      EndsWith("has rank 6, expected 3 to 5 (supported: [N,C,L], [N,C,H,W] and [N,C,D,H,W]; "
               "computed weights of few windows)"));
}

// As trackers correlate features with features, each of a batch with its own.
TEST(ConvTest, TakesComputedWeights) {
  TestModel model;
  model.Input("x", {2, 1, 1, 3}).Input("z", {2, 1, 1, 2});
  model.Ints("n", {4}, {1, 2, 1, 3}).Floats("b", {2}, {0, 100});
  model.Node("Reshape", {"x", "n"}, {"batch"});
  model.Node("Conv", {"batch", "z", "b"}, {"y"},
             {{"group", int64_t{2}}, {"pads", Ints{0, 0, 0, 1}}});
  EXPECT_THAT(model.Output("y").Run({{1, 2, 3, 4, 5, 6}, {1, 10, -1, 0}}),
              ElementsAre(21, 32, 3, 96, 95, 94));
  TestModel line;
  line.Input("x", {1, 1, 3}).Input("w", {1, 1, 2}).Node("Conv", {"x", "w"}, {"y"}).Output("y");
  EXPECT_EQ(OutputShape(line), Shape({1, 1, 2}));
  EXPECT_THAT(line.Run({{1, 2, 3}, {1, 10}}), ElementsAre(21, 32));
}

// As CondConv mixes the weights of experts.
TEST(ConvTest, TakesMixedWeights) {
  TestModel model;
  model.Input("x", {1, 1, 1, 2}).Input("mix", {1, 2}).Floats("experts", {2, 2}, {1, 2, 10, 20});
  model.Ints("n", {4}, {2, 1, 1, 1}).Node("MatMul", {"mix", "experts"}, {"mixed"});
  model.Node("Reshape", {"mixed", "n"}, {"w"}).Node("Conv", {"x", "w"}, {"y"});
  EXPECT_THAT(model.Output("y").Run({{3, 4}, {1, 0.5f}}), ElementsAre(18, 24, 36, 48));
}

TEST(ConvTest, RefusesWeightsOfAnotherRank) {
  EXPECT_THAT(OnesModel({1, 1, 4, 4}, "Conv", {{1, 1, 1}}, {}).Text(), HasSubstr("same rank"));
}

TEST(ConvTransposeTest, SpreadsAndAdds) {
  TestModel model;
  model.Input("x", {1, 1, 1, 2}).Floats("w", {1, 1, 1, 2}, {1, 10});
  model.Node("ConvTranspose", {"x", "w"}, {"y"}, {{"strides", Ints{1, 2}}}).Output("y");
  EXPECT_THAT(model.Run({{3, 4}}), ElementsAre(3, 30, 4, 40));
}

TEST(ConvTransposeTest, GroupsKeepToThemselves) {
  TestModel model;
  model.Input("x", {1, 2, 1, 1}).Floats("w", {2, 2, 1, 1}, {1, 2, 3, 4});
  model.Node("ConvTranspose", {"x", "w"}, {"y"}, {{"group", int64_t{2}}}).Output("y");
  EXPECT_THAT(model.Run({{10, 100}}), ElementsAre(10, 20, 300, 400));
}

TEST(ConvTransposeTest, TakesComputedWeights) {
  TestModel model;
  model.Input("x", {1, 2, 2}).Input("w", {2, 1, 2});
  model.Node("ConvTranspose", {"x", "w"}, {"y"},
             {{"group", int64_t{2}}, {"strides", Ints{2}}, {"pads", Ints{1, 0}}});
  EXPECT_THAT(model.Output("y").Run({{1, 2, 3, 4}, {1, 10, 1, 100}}),
              ElementsAre(10, 2, 20, 300, 4, 400));
  TestModel volume;
  volume.Input("x", {1, 1, 1, 1, 1}).Input("w", {1, 1, 1, 1, 1});
  EXPECT_THAT(volume.Node("ConvTranspose", {"x", "w"}, {"y"}).Output("y").Text(),
              HasSubstr("over volumes whose weights the network computes"));
}

TEST(ConvTransposeTest, OutputShapeDecidesThePads) {
  const auto shape = [](const Attributes& attributes) {
    return OutputShape(OnesModel({1, 1, 3, 3}, "ConvTranspose", {{1, 1, 3, 3}}, attributes));
  };
  EXPECT_EQ(shape({{"strides", Ints{2, 2}}, {"output_shape", Ints{6, 5}}}), Shape({1, 1, 6, 5}));
  EXPECT_EQ(shape({{"strides", Ints{2, 2}}, {"auto_pad", std::string("SAME_UPPER")}}),
            Shape({1, 1, 6, 6}));
  EXPECT_EQ(
      shape({{"strides", Ints{2, 2}}, {"pads", Ints{1, 1, 1, 1}}, {"output_padding", Ints{1, 1}}}),
      Shape({1, 1, 6, 6}));
}

TEST(PoolTest, MaxPoolOfALine) {
  const TestModel model =
      OnesModel({1, 1, 4}, "MaxPool", {}, {{"kernel_shape", Ints{2}}, {"strides", Ints{2}}});
  EXPECT_THAT(model.Run({{1, 5, 7, 3}}), ElementsAre(5, 7));
}

TEST(PoolTest, CeilModeKeepsTheRest) {
  const TestModel model =
      OnesModel({1, 1, 1, 5}, "MaxPool", {},
                {{"kernel_shape", Ints{1, 2}}, {"strides", Ints{1, 2}}, {"ceil_mode", int64_t{1}}});
  EXPECT_THAT(model.Run({{1, 2, 3, 4, 5}}), ElementsAre(2, 4, 5));
}

TEST(PoolTest, AveragePoolCountsPaddingOnlyIfAsked) {
  const auto run = [](int64_t count_include_pad) {
    return OnesModel({1, 1, 1, 2}, "AveragePool", {},
                     {{"kernel_shape", Ints{1, 2}},
                      {"pads", Ints{0, 1, 0, 0}},
                      {"count_include_pad", count_include_pad}})
        .Run({{4, 6}});
  };
  EXPECT_THAT(run(0), ElementsAre(4, 5));
  EXPECT_THAT(run(1), ElementsAre(2, 5));
}

TEST(PoolTest, KernelIsRequired) {
  EXPECT_THAT(OnesModel({1, 1, 4, 4}, "MaxPool", {}, {}).Text(), HasSubstr("'kernel_shape'"));
}

TEST(PoolTest, GlobalPoolsKeepTheRank) {
  EXPECT_THAT(OnesModel({1, 2, 1, 2}, "GlobalAveragePool", {}, {}).Run({{1, 3, 10, 30}}),
              ElementsAre(2, 20));
  EXPECT_EQ(OutputShape(OnesModel({1, 2, 8}, "GlobalMaxPool", {}, {})), Shape({1, 2, 1}));
}

TEST(PoolTest, RefusesOtherRanks) {
  for (const char* op : {"GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool"}) {
    EXPECT_THAT(
        OnesModel({1, 2, 3, 3, 3}, op, {}, {}).Text(),
        EndsWith(
            "its input 1x2x3x3x3 has rank 5, expected 3 or 4 (supported: [N,C,L] and [N,C,H,W])"));
  }
  EXPECT_THAT(OnesModel({1, 1, 2, 2, 2, 2}, "LpPool", {}, {{"kernel_shape", Ints(4, 2)}}).Text(),
              EndsWith("has rank 6 (supported: [N,C,L], [N,C,H,W] and [N,C,D,H,W])"));
}

TEST(ResizeTest, NearestByScales) {
  TestModel model(11);
  model.Input("x", {1, 1, 1, 2}).Floats("roi", {0}, {}).Floats("s", {4}, {1, 1, 2, 2});
  model.Node("Resize", {"x", "roi", "s"}, {"y"}).Output("y");
  EXPECT_THAT(model.Run({{1, 2}}), ElementsAre(1, 1, 2, 2, 1, 1, 2, 2));
}

TEST(ResizeTest, LinearBySizes) {
  TestModel model(13);
  model.Input("x", {1, 1, 1, 2}).Ints("s", {4}, {1, 1, 1, 4});
  model.Node("Resize", {"x", "", "", "s"}, {"y"}, {{"mode", std::string("linear")}}).Output("y");
  EXPECT_THAT(model.Run({{0, 4}}), ElementsAre(0, 1, 3, 4));
}

TEST(ResizeTest, AxesNameTheDimensions) {
  TestModel model(18);
  model.Input("x", {1, 1, 2, 2}).Ints("s", {2}, {4, 6});
  model.Node("Resize", {"x", "", "", "s"}, {"y"}, {{"axes", Ints{3, 2}}}).Output("y");
  EXPECT_EQ(OutputShape(model), Shape({1, 1, 6, 4}));
}

TEST(ResizeTest, UpsampleScalesAreAnAttributeInOpset7) {
  TestModel model(7);
  model.Input("x", {1, 1, 1, 2});
  model.Node("Upsample", {"x"}, {"y"}, {{"scales", std::vector<float>{1, 1, 1, 2}}}).Output("y");
  EXPECT_THAT(model.Run({{1, 2}}), ElementsAre(1, 1, 2, 2));
}

TEST(ResizeTest, ResizesAnyDimensions) {
  TestModel model;
  model.Input("x", {2, 1}).Floats("s", {2}, {2, 3});
  model.Node("Resize", {"x", "", "s"}, {"y"}, {{"mode", std::string("linear")}}).Output("y");
  EXPECT_THAT(model.Run({{0, 4}}), ElementsAre(0, 0, 0, 1, 1, 1, 3, 3, 3, 4, 4, 4));
}

TEST(ResizeTest, CubicRunsThroughItsPoints) {
  TestModel model;
  model.Input("x", {1, 1, 1, 4}).Floats("s", {4}, {1, 1, 1, 2});
  model.Node("Resize", {"x", "", "s"}, {"y"},
             {{"mode", std::string("cubic")},
              {"coordinate_transformation_mode", std::string("asymmetric")}});
  const std::vector<float> y = model.Output("y").Run({{1, 5, 2, 8}});
  EXPECT_THAT((std::vector<float>{y[0], y[2], y[4], y[6]}), ElementsAre(1, 5, 2, 8));
}

TEST(ResizeTest, CropsAndExtrapolates) {
  TestModel model;
  model.Input("x", {1, 3}).Floats("roi", {4}, {0, 0, 1, 2}).Ints("n", {2}, {1, 3});
  model.Node("Resize", {"x", "roi", "", "n"}, {"y"},
             {{"mode", std::string("linear")},
              {"coordinate_transformation_mode", std::string("tf_crop_and_resize")},
              {"extrapolation_value", -1.0f}});
  EXPECT_THAT(model.Output("y").Run({{5, 6, 7}}), ElementsAre(5, 7, -1));
}

TEST(ResizeTest, CropsTheAxesThatAreNamed) {
  TestModel model(18);
  model.Input("x", {1, 3, 1, 2}).Floats("roi", {4}, {0, 0.5f, 1, 1}).Ints("n", {2}, {2, 1});
  model.Node("Resize", {"x", "roi", "", "n"}, {"y"},
             {{"mode", std::string("linear")},
              {"coordinate_transformation_mode", std::string("tf_crop_and_resize")},
              {"axes", Ints{1, 3}}});
  model.Output("y");
  EXPECT_THAT(model.Run({{0, 4, 8, 12, 16, 20}}), ElementsAre(3, 19));
  model.Floats("short", {2}, {0, 1});
  model.graph().mutable_node(0)->set_input(1, "short");
  EXPECT_THAT(model.Text(), HasSubstr("its 'roi' has 2 elements, expected 4"));
}

TEST(ResizeTest, AntialiasingWidensTheKernelOfSmallerImages) {
  const auto run = [](const std::string& mode, float scale) {
    TestModel model(18);
    model.Input("x", {1, 1, 1, 4}).Floats("s", {4}, {1, 1, 1, scale});
    return model.Node("Resize", {"x", "", "s"}, {"y"}, {{"mode", mode}, {"antialias", int64_t{1}}})
        .Output("y")
        .Run({{0, 8, 16, 32}});
  };
  // Weights 1/8, 3/8, 3/8, 1/8 around the middle of two elements.
  EXPECT_THAT(run("linear", 0.5f), ElementsAre(5, 23));
  EXPECT_THAT(run("linear", 2), ElementsAre(0, 2, 6, 10, 14, 20, 28, 32));
  // Of constants, any kernel's weights add up to 1.
  TestModel model(18);
  model.Input("x", {1, 5}).Floats("s", {2}, {1, 0.6f});
  model.Node("Resize", {"x", "", "s"}, {"y"},
             {{"mode", std::string("cubic")}, {"antialias", int64_t{1}}});
  EXPECT_THAT(model.Output("y").Run({{7, 7, 7, 7, 7}}),
              testing::Pointwise(testing::FloatNear(1e-5f), {7.0f, 7.0f, 7.0f}));
}

// x [1,1,1,n] = 1..n with aligned corners, by a factor of its width.
TestModel AlignedCorners(int64_t n, float scale, const std::string& mode = "linear",
                         const std::string& producer = "pytorch") {
  TestModel model;
  model.proto().set_producer_name(producer);
  model.Input("x", {1, 1, 1, n}).Floats("s", {4}, {1, 1, 1, scale});
  model.Node("Resize", {"x", "", "s"}, {"y"},
             {{"mode", mode}, {"coordinate_transformation_mode", std::string("align_corners")}});
  return model.Output("y");
}

TEST(ResizeTest, AlignedCornersStayForScalesThatGiveNoWholeSize) {
  std::vector<float> x = Count(6);
  x.erase(x.begin());
  EXPECT_THAT(AlignedCorners(5, 0.5f).Run({x}), ElementsAre(1, 5));
  EXPECT_THAT(AlignedCorners(5, 0.5f, "cubic").Run({x}), ElementsAre(1, 5));
  EXPECT_THAT(AlignedCorners(5, 0.5f, "nearest").Run({x}), ElementsAre(1, 5));
  EXPECT_THAT(AlignedCorners(5, 0.6f).Run({x}), ElementsAre(1, 3, 5));
  EXPECT_EQ(AlignedCorners(5, 1.5f).Run({x}).back(), 5);
  EXPECT_THAT(AlignedCorners(5, 0.5f, "linear", "").Run({x}), ElementsAre(1, 5));
  // The writer is known, and PyTorch's reading isn't the standard's.
  EXPECT_THAT(AlignedCorners(5, 0.5f, "linear", "maker").Run({x}),
              ElementsAre(1, FloatEq(1 + 4 / 1.5f)));
}

TEST(ResizeTest, SizesAreRoundedAsOtherRuntimesDo) {
  EXPECT_EQ(OutputShape(AlignedCorners(10, 0.7f)), Shape({1, 1, 1, 7}));
  EXPECT_EQ(OutputShape(AlignedCorners(5, 1.4f)), Shape({1, 1, 1, 7}));
}

TEST(ResizeTest, WarnsWhereAlignedCornersHaveTwoReadings) {
  const auto warnings = [](const TestModel& model) {
    const std::string path = testing::TempDir() + "/corners.onnx";
    EXPECT_TRUE(WriteFileAtomically(path, model.Bytes()).ok());
    const absl::StatusOr<ImportedModel> imported = ImportOnnx({path}, {});
    EXPECT_TRUE(imported.ok()) << imported.status();
    return imported.ok() ? imported->warnings : std::vector<std::string>();
  };
  EXPECT_THAT(warnings(AlignedCorners(5, 0.5f, "linear", "")),
              ElementsAre(HasSubstr("node 'y_node' (Resize): its scales give no whole sizes for "
                                    "1x1x1x5, where align_corners has two readings; taken is that "
                                    "of PyTorch")));
  EXPECT_THAT(warnings(AlignedCorners(5, 0.5f, "linear", "maker")),
              ElementsAre(HasSubstr("taken is that of ONNX's reference")));
  EXPECT_THAT(warnings(AlignedCorners(5, 0.5f)), IsEmpty());
  EXPECT_THAT(warnings(AlignedCorners(10, 0.7f, "linear", "maker")), IsEmpty());
}

TEST(ResizeTest, KeepsTheAspectRatio) {
  const auto size = [](const std::string& policy, const Attributes& more) {
    TestModel model(18);
    model.Input("x", {1, 1, 2, 4}).Ints("n", {2}, {3, 4});
    Attributes attributes = {{"keep_aspect_ratio_policy", policy}, {"axes", Ints{2, 3}}};
    attributes.insert(more.begin(), more.end());
    return model.Node("Resize", {"x", "", "", "n"}, {"y"}, attributes).Output("y").Text();
  };
  EXPECT_THAT(size("not_smaller", {}), HasSubstr("%y: float32[1x1x3x6]"));
  EXPECT_THAT(size("not_larger", {{"mode", std::string("cubic")}}),
              HasSubstr("%y: float32[1x1x2x4]"));
  EXPECT_THAT(size("smaller", {}), HasSubstr("'keep_aspect_ratio_policy' is 'smaller', expected"));
}

// A window of 1x2 whose taps weigh 1 and 10 over a line of three pixels.
TestModel Deforms(const std::vector<float>& offsets, const std::vector<std::string>& more = {}) {
  TestModel model(19);
  model.Input("x", {1, 1, 1, 3}).Floats("w", {1, 1, 1, 2}, {1, 10});
  model.Floats("o", {1, static_cast<int64_t>(offsets.size()) / 2, 1, 2}, offsets);
  model.Floats("b", {1}, {100}).Floats("m", {1, 2, 1, 2}, {1, 0.5f, 2, 0});
  std::vector<std::string> inputs = {"x", "w", "o"};
  inputs.insert(inputs.end(), more.begin(), more.end());
  return model.Node("DeformConv", inputs, {"y"}).Output("y");
}

TEST(DeformConvTest, TapsReadAtTheirOffsets) {
  EXPECT_THAT(Deforms({0, 0, 0, 0, 0, 0, 0, 0}).Run({{1, 2, 3}}), ElementsAre(21, 32));
  // Rows then columns of each tap: the first half a pixel on, the second a row or two columns up.
  EXPECT_THAT(Deforms({0, 0, 0.5f, 0.5f, -1, 0, 0, -2}).Run({{1, 2, 3}}), ElementsAre(1.5f, 12.5f));
  EXPECT_THAT(Deforms({0, 0, 0, 0, 0, 0, 0, 0}, {"b", "m"}).Run({{1, 2, 3}}),
              ElementsAre(100 + 1 + 2 * 20, 101));
}

TEST(DeformConvTest, GroupsOfChannelsHaveTheirOwnOffsets) {
  TestModel model(19);
  model.Input("x", {1, 2, 1, 2}).Floats("w", {1, 2, 1, 1}, {1, 10});
  model.Floats("o", {1, 4, 1, 2}, {0, 0, 0, 0, 0, 0, 1, -1});
  model.Node("DeformConv", {"x", "w", "o"}, {"y"}, {{"offset_group", int64_t{2}}}).Output("y");
  EXPECT_THAT(model.Run({{1, 2, 3, 4}}), ElementsAre(41, 32));
}

TEST(DeformConvTest, RefusesOffsetsForAnotherWindow) {
  EXPECT_THAT(Deforms({0, 0, 0, 0}).Text(), HasSubstr("its offsets are 1x2x1x2 in 1 groups"));
  EXPECT_THAT(Deforms({0, 0, 0, 0, 0, 0, 0, 0}, {"b", "o"}).Text(),
              HasSubstr("its mask is 1x4x1x2"));
}

// Two regions of a line of four pixels: of pixels 0 to 2, and of the other image from pixel 3 on.
TestModel Aligns(const Attributes& attributes) {
  TestModel model(16);
  model.Input("x", {2, 1, 1, 4}).Ints("b", {2}, {0, 1});
  model.Floats("r", {2, 4}, {0, 0, 2, 1, 3, 0, 7, 1});
  Attributes all = {{"output_width", int64_t{2}}, {"sampling_ratio", int64_t{1}}};
  for (const auto& [name, value] : attributes) all[name] = value;
  return model.Node("RoiAlign", {"x", "r", "b"}, {"y"}, all).Output("y");
}

TEST(RoiAlignTest, AveragesPositionsOfEachRegion) {
  const std::vector<std::vector<float>> x = {{1, 2, 3, 4, 10, 20, 30, 40}};
  // Parts of 1 and of 2 pixels, the latter's second one outside of the image.
  EXPECT_THAT(Aligns({}).Run(x), ElementsAre(1, 2, 40, 0));
  EXPECT_THAT(Aligns({{"coordinate_transformation_mode", std::string("output_half_pixel")}}).Run(x),
              ElementsAre(1.5f, 2.5f, 40, 0));
  EXPECT_THAT(Aligns({{"sampling_ratio", int64_t{2}}}).Run(x), ElementsAre(1.125f, 2, 40, 0));
}

// One for parts of up to a pixel, two for parts of up to two.
TEST(RoiAlignTest, SamplesCanDependOnTheRegion) {
  const std::vector<std::vector<float>> x = {{1, 2, 3, 4, 10, 20, 30, 40}};
  EXPECT_THAT(Aligns({{"sampling_ratio", int64_t{0}}}).Run(x), ElementsAre(1, 2, 40, 0));
  TestModel model(16);
  model.Input("x", {1, 1, 1, 4}).Input("r", {2, 4}).Ints("b", {2}, {0, 0});
  model.Node("RoiAlign", {"x", "r", "b"}, {"y"}, {{"output_width", int64_t{2}}}).Output("y");
  EXPECT_THAT(model.Run({{1, 2, 3, 4}, {0, 0, 2, 1, 0, 0, 4, 1}}), ElementsAre(1, 2, 1.5f, 3.5f));
}

TEST(RoiAlignTest, RefusesWhatItCannot) {
  EXPECT_THAT(Aligns({{"mode", std::string("max")}}).Text(),
              HasSubstr("attribute 'mode' is 'max', expected 'avg'"));
  EXPECT_THAT(Aligns({{"sampling_ratio", int64_t{-1}}}).Text(),
              HasSubstr("its sampling ratio is [-1]"));
}

TEST(MaxPoolTest, TellsWhereTheLargestElementsAre) {
  TestModel model;
  model.Input("x", {1, 1, 2, 3});
  model.Node("MaxPool", {"x"}, {"y", "i"},
             {{"kernel_shape", Ints{2, 2}}, {"pads", Ints{0, 0, 0, 1}}});
  EXPECT_THAT(model.Output("i").Run({{1, 9, -3, 4, 5, -2}}), ElementsAre(1, 1, 5));
}

// Padding never wins, whatever the values, and no -inf stands for it, which calibration refuses.
TEST(MaxPoolTest, IndicesDoNotSeeThePadding) {
  TestModel model;
  model.Input("x", {1, 1, 2, 3});
  model.Node("MaxPool", {"x"}, {"y", "i"},
             {{"kernel_shape", Ints{2, 2}}, {"pads", Ints{1, 1, 1, 1}}});
  model.Output("i");
  EXPECT_THAT(model.Text(), Not(HasSubstr("inf")));
  EXPECT_THAT(model.Run({{-9, -8, -7, -6, -5, -4}}),
              ElementsAre(0, 1, 2, 2, 3, 4, 5, 5, 3, 4, 5, 5));
  EXPECT_THAT(model.Run({{1, 1, 1, 1, 1, 1}}), ElementsAre(0, 0, 1, 2, 0, 0, 1, 2, 3, 3, 4, 5));
}

TEST(MaxPoolTest, IndicesOfWindowsWithHoles) {
  TestModel model;
  model.Input("x", {1, 1, 1, 4});
  model.Node("MaxPool", {"x"}, {"y", "i"},
             {{"kernel_shape", Ints{1, 3}}, {"pads", Ints{0, 1, 0, 3}}, {"dilations", Ints{1, 2}}});
  // Taps at 1 and 3; 0 and 2; 1 and 3; 2.
  EXPECT_THAT(model.Output("i").Run({{5, 1, 5, 2}}), ElementsAre(3, 0, 3, 2));
}

TEST(MaxPoolTest, RefusesIndicesOfALine) {
  TestModel model;
  model.Input("x", {1, 1, 4}).Node("MaxPool", {"x"}, {"y", "i"}, {{"kernel_shape", Ints{2}}});
  EXPECT_THAT(model.Output("i").Text(),
              HasSubstr("its indices are those of float32 1x1x4, expected"));
}

TEST(MaxUnpoolTest, PutsElementsBack) {
  TestModel model;
  model.Input("x", {1, 1, 1, 2});
  model.Ints("i", {1, 1, 1, 2}, {1, 2}).Ints("n", {4}, {1, 1, 1, 5});
  model.Node("MaxUnpool", {"x", "i", "n"}, {"y"},
             {{"kernel_shape", Ints{1, 2}}, {"strides", Ints{1, 2}}});
  EXPECT_THAT(model.Output("y").Run({{7, 8}}), ElementsAre(0, 7, 8, 0, 0));
}

TEST(LpPoolTest, IsTheNormOfEachWindow) {
  const auto run = [](const std::string& op, const Attributes& attributes) {
    TestModel model;
    return model.Input("x", {1, 1, 1, 3})
        .Node(op, {"x"}, {"y"}, attributes)
        .Output("y")
        .Run({{3, -4, 5}});
  };
  const Ints kernel = {1, 2};
  EXPECT_THAT(run("LpPool", {{"kernel_shape", kernel}, {"p", int64_t{1}}}), ElementsAre(7, 9));
  EXPECT_THAT(run("LpPool", {{"kernel_shape", kernel}, {"pads", Ints{0, 1, 0, 0}}})[0], 3);
  EXPECT_THAT(run("LpPool", {{"kernel_shape", kernel}})[0], 5);
  EXPECT_THAT(run("GlobalLpPool", {{"p", int64_t{1}}}), ElementsAre(12));
  // The largest element to the power of 64 is beyond float32.
  EXPECT_THAT(run("GlobalLpPool", {{"p", int64_t{64}}})[0], FloatEq(5));
}

TEST(LpPoolTest, TakesVolumes) {
  TestModel model;
  model.Input("x", {1, 1, 2, 1, 3});
  model.Node("LpPool", {"x"}, {"y"}, {{"kernel_shape", Ints{2, 1, 2}}}).Output("y");
  EXPECT_THAT(model.Run({{1, 2, 0, 2, -4, 0}}), ElementsAre(5, FloatEq(std::sqrt(20.0f))));
}

TEST(VolumeTest, PoolsOverThreeDimensions) {
  TestModel model;
  model.Input("x", {1, 1, 2, 2, 2});
  model.Node("AveragePool", {"x"}, {"y"}, {{"kernel_shape", Ints{2, 2, 2}}}).Output("y");
  EXPECT_THAT(model.Run({{1, 2, 3, 4, 5, 6, 7, 8}}), ElementsAre(4.5f));
}

TEST(VolumeTest, ConvolvesOverThreeDimensions) {
  TestModel model;
  model.Input("x", {1, 1, 3, 1, 1}).Floats("w", {1, 1, 2, 1, 1}, {1, 10}).Floats("b", {1}, {100});
  model.Node("Conv", {"x", "w", "b"}, {"y"}, {{"pads", Ints{1, 0, 0, 0, 0, 0}}}).Output("y");
  EXPECT_THAT(model.Run({{1, 2, 3}}), ElementsAre(110, 121, 132));
}

TEST(VolumeTest, TransposesConvolutionsOverThreeDimensions) {
  TestModel model;
  model.Input("x", {1, 1, 2, 1, 1}).Floats("w", {1, 1, 2, 1, 2}, {1, 2, 10, 20});
  model.Floats("b", {1}, {0.5f});
  model.Node("ConvTranspose", {"x", "w", "b"}, {"y"},
             {{"strides", Ints{2, 1, 1}}, {"output_padding", Ints{1, 0, 0}}});
  EXPECT_EQ(OutputShape(model.Output("y")), Shape({1, 1, 5, 1, 2}));
  EXPECT_THAT(model.Run({{3, 4}}),
              ElementsAre(3.5f, 6.5f, 30.5f, 60.5f, 4.5f, 8.5f, 40.5f, 80.5f, 0.5f, 0.5f));
}

TEST(VolumeTest, OutputShapeDecidesThePadsOfThreeDimensions) {
  TestModel model = OnesModel({1, 1, 3, 3, 3}, "ConvTranspose", {{1, 1, 3, 3, 3}},
                              {{"strides", Ints{2, 2, 2}}, {"output_shape", Ints{6, 5, 7}}});
  EXPECT_EQ(OutputShape(model), Shape({1, 1, 6, 5, 7}));
}

TEST(VolumeTest, IsSampledBetweenItsVoxels) {
  const auto sampled = [](const std::string& mode) {
    TestModel model(20);
    model.Input("x", {1, 1, 2, 1, 1}).Input("grid", {1, 1, 1, 2, 3});
    return model
        .Node("GridSample", {"x", "grid"}, {"y"}, {{"mode", mode}, {"align_corners", int64_t{1}}})
        .Output("y");
  };
  const std::vector<std::vector<float>> inputs = {{1, 3}, {0, 0, 0.25f, 0, 0, -1}};
  EXPECT_THAT(sampled("linear").Run(inputs), ElementsAre(2.25f, 1));
  EXPECT_THAT(sampled("nearest").Run(inputs), ElementsAre(3, 1));
  EXPECT_THAT(sampled("cubic").Text(),
              HasSubstr("'mode' is 'bicubic', expected one of bilinear, nearest"));
}

TEST(VolumeTest, RefusesAKernelThatDoesNotFit) {
  TestModel model;
  model.Input("x", {1, 1, 1, 1, 1}).Floats("w", {1, 1, 2, 1, 1}, {1, 10});
  EXPECT_THAT(model.Node("Conv", {"x", "w"}, {"y"}).Output("y").Text(),
              HasSubstr("its kernel reaches over 2 elements of a padded depth of 1"));
}

// x [1,1,1,in] = 0, 1, ... in mode nearest.
TestModel Nearest(int64_t in, int64_t out, const std::string& coordinates,
                  const std::string& rounding) {
  TestModel model;
  model.Input("x", {1, 1, 1, in}).Ints("n", {4}, {1, 1, 1, out});
  model.Node("Resize", {"x", "", "", "n"}, {"y"},
             {{"coordinate_transformation_mode", coordinates}, {"nearest_mode", rounding}});
  return model.Output("y");
}

TEST(ResizeTest, NearestElementsAreExact) {
  for (int64_t in = 1; in < 24; ++in) {
    for (int64_t out = 1; out < 24; ++out) {
      std::vector<float> floors, halves;
      for (int64_t o = 0; o < out; ++o) {
        floors.push_back(static_cast<float>(o * in / out));
        // ceil(((2 o + 1) in - out) / (2 out) - 1 / 2)
        const int64_t half = (2 * o + 1) * in - 2 * out;
        const int64_t element = half <= 0 ? 0 : (half + 2 * out - 1) / (2 * out);
        halves.push_back(static_cast<float>(std::min(element, in - 1)));
      }
      const std::vector<std::vector<float>> x = {Count(static_cast<size_t>(in))};
      EXPECT_EQ(Nearest(in, out, "asymmetric", "floor").Run(x), floors) << in << " " << out;
      EXPECT_EQ(Nearest(in, out, "half_pixel", "round_prefer_floor").Run(x), halves)
          << in << " " << out;
    }
  }
}

TEST(ResizeTest, NearestElementsThatOpResizeHasNotAreGathered) {
  EXPECT_THAT(Nearest(2, 4, "asymmetric", "floor").Text(), HasSubstr("= resize("));
  TestModel volume;
  volume.Input("x", {1, 1, 2, 1, 2}).Ints("n", {5}, {1, 1, 3, 1, 4});
  volume.Node("Resize", {"x", "", "", "n"}, {"y"},
              {{"coordinate_transformation_mode", std::string("asymmetric")},
               {"nearest_mode", std::string("floor")}});
  volume.Output("y");
  EXPECT_THAT(volume.Text(), HasSubstr("= gather("));
  EXPECT_THAT(volume.Run({{1, 2, 3, 4}}), ElementsAre(1, 1, 2, 2, 1, 1, 2, 2, 3, 3, 4, 4));
}

TEST(ResizeTest, RefusesWhatItCannot) {
  const auto text = [](const std::vector<float>& scales, const Attributes& attributes) {
    TestModel model;
    model.Input("x", {1, 1, 2, 2}).Floats("s", {static_cast<int64_t>(scales.size())}, scales);
    return model.Node("Resize", {"x", "", "s"}, {"y"}, attributes).Output("y").Text();
  };
  EXPECT_THAT(text({1, 1, 2, 2}, {{"mode", std::string("lanczos")}}),
              EndsWith("'mode' is 'lanczos', expected one of nearest, linear, cubic"));
  EXPECT_THAT(text({1, 1, 2, 2}, {{"nearest_mode", std::string("up")}}),
              HasSubstr("'nearest_mode' is 'up', expected one of floor, ceil"));
  EXPECT_THAT(text({1e9f, 1, 1, 1}, {}), HasSubstr("is too large"));
  EXPECT_THAT(text({1, 1, 2}, {}), HasSubstr("3 scales"));
  EXPECT_THAT(text({1, 1, 0.1f, 2}, {}), HasSubstr("can't resize"));
  EXPECT_THAT(text({1, 1, 1e30f, 2}, {}), HasSubstr("can't resize"));
}

TEST(BatchNormalizationTest, IsAScaleAndAShift) {
  TestModel model;
  model.Input("x", {1, 2, 1, 1}).Floats("scale", {2}, {2, 3}).Floats("bias", {2}, {1, 0});
  model.Floats("mean", {2}, {10, 0}).Floats("var", {2}, {4, 1});
  model.Node("BatchNormalization", {"x", "scale", "bias", "mean", "var"}, {"y"},
             {{"epsilon", 0.0f}});
  model.Output("y");
  EXPECT_THAT(model.Text(), HasSubstr("const %y.factor: float32[2] = [1.0, 3.0]"));
  EXPECT_THAT(model.Run({{14, 5}}), ElementsAre(5, 15));
}

TEST(BatchNormalizationTest, NeedsAValueForEachChannel) {
  EXPECT_THAT(OnesModel({1, 2, 1, 1}, "BatchNormalization", {{2}, {2}, {3}, {2}}, {}).Text(),
              HasSubstr("its 'mean' is 3, expected one value for each of 2 channels"));
}

TEST(BatchNormalizationTest, TrainingMovesTheStatistics) {
  TestModel model(15);
  model.Input("x", {2, 1, 1, 1}).Floats("scale", {1}, {1}).Floats("bias", {1}, {0});
  model.Floats("mean", {1}, {10}).Floats("var", {1}, {8});
  model.Node("BatchNormalization", {"x", "scale", "bias", "mean", "var"}, {"y", "m", "v"},
             {{"training_mode", int64_t{1}}, {"momentum", 0.5f}});
  model.Output("m");
  EXPECT_THAT(model.Run({{2, 6}}), ElementsAre(7));  // of a mean of 4
}

TEST(InstanceNormalizationTest, StandardizesEachImage) {
  const TestModel model =
      OnesModel({1, 1, 1, 2}, "InstanceNormalization", {{1}, {1}}, {{"epsilon", 0.0f}});
  EXPECT_THAT(model.Run({{2, 6}}), ElementsAre(0, 2));
  for (const Ints& x : {Ints{1, 2, 2}, Ints{1, 2, 2, 1, 1}}) {
    EXPECT_THAT(OnesModel(x, "InstanceNormalization", {{2}, {2}}, {{"epsilon", 0.0f}})
                    .Run({{2, 6, -5, -9}}),
                ElementsAre(0, 2, 2, 0));
  }
}

TEST(LrnTest, DividesByItsNeighbours) {
  const TestModel model =
      OnesModel({1, 3, 1, 1}, "LRN", {},
                {{"size", int64_t{3}}, {"alpha", 3.0f}, {"beta", 1.0f}, {"bias", 0.0f}});
  // 1 / (1 + 4), 2 / (1 + 4 + 4), 2 / (4 + 4)
  EXPECT_THAT(model.Run({{1, 2, 2}}),
              testing::Pointwise(testing::FloatNear(1e-5f), {0.2f, 2.0f / 9, 0.25f}));
}

TEST(PReluTest, SlopeRunsAlongChannels) {
  TestModel model;
  model.Input("x", {1, 2, 1, 1}).Floats("s", {2, 1, 1}, {0.5f, 0.25f});
  model.Node("PRelu", {"x", "s"}, {"y"}).Output("y");
  EXPECT_THAT(model.Text(), HasSubstr("prelu(%x.nhwc"));
  EXPECT_THAT(model.Run({{-4, -4}}), ElementsAre(-2, -1));
}

TEST(PReluTest, OtherSlopesAreTakenApart) {
  TestModel model;
  model.Input("x", {1, 1, 2, 2}).Floats("s", {2, 2}, {1, 2, 3, 4});
  model.Node("PRelu", {"x", "s"}, {"y"}).Output("y");
  EXPECT_THAT(model.Run({{-1, -1, -1, 5}}), ElementsAre(-1, -2, -3, 5));
}

TEST(CenterCropPadTest, CropsSomeDimensionsAndPadsOthers) {
  TestModel model(18);
  model.Input("x", {1, 4}).Ints("shape", {2}, {2, 1});
  model.Node("CenterCropPad", {"x", "shape"}, {"y"}).Output("y");
  EXPECT_THAT(model.Run({{1, 2, 3, 4}}), ElementsAre(2, 0));
  TestModel padded(18);
  padded.Input("x", {2}).Ints("shape", {1}, {5});
  padded.Node("CenterCropPad", {"x", "shape"}, {"y"}, {{"axes", Ints{-1}}}).Output("y");
  EXPECT_THAT(padded.Run({{1, 2}}), ElementsAre(0, 1, 2, 0, 0));
}

TEST(Col2ImTest, AddsBlocksWhereTheyMeet) {
  const auto model = [](const TestModel::Dims& x) {
    TestModel columns(18);
    columns.Input("x", x).Ints("image", {2}, {1, 3}).Ints("block", {2}, {1, 2});
    return columns.Node("Col2Im", {"x", "image", "block"}, {"y"}).Output("y");
  };
  EXPECT_THAT(model({1, 4, 2}).Run({{1, 2, 3, 4, 10, 20, 30, 40}}),
              ElementsAre(1, 5, 4, 10, 50, 40));
  EXPECT_THAT(model({1, 4, 3}).Text(), HasSubstr("has not 1x2 blocks of 2 elements"));
}

TEST(Col2ImTest, LeavesWhatNoBlockReaches) {
  TestModel model(18);
  model.Input("x", {1, 1, 2}).Ints("image", {2}, {1, 4}).Ints("block", {2}, {1, 1});
  model.Node("Col2Im", {"x", "image", "block"}, {"y"}, {{"strides", Ints{1, 2}}}).Output("y");
  EXPECT_THAT(model.Run({{1, 2}}), ElementsAre(1, 0, 2, 0));
}

TEST(AffineGridTest, MovesPositions) {
  const auto run = [](int64_t align) {
    TestModel model(20);
    model.Input("theta", {1, 2, 3}).Ints("size", {4}, {1, 1, 1, 2});
    model.Node("AffineGrid", {"theta", "size"}, {"y"}, {{"align_corners", align}});
    return model.Output("y").Run({{2, 0, 1, 0, 1, 3}});
  };
  EXPECT_THAT(run(0), ElementsAre(0, 3, 2, 3));
  EXPECT_THAT(run(1), ElementsAre(-1, 3, 3, 3));
}

}  // namespace
}  // namespace synap_internal::onnx_import
