// What each operator computes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "compiler/import/tensorflow/test_graph.h"

namespace synap_internal::tensorflow_import {
namespace {

using Dims = std::vector<int64_t>;
using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::Pointwise;

Attributes Window(const std::string& padding, const Dims& strides) {
  return {{"padding", padding}, {"strides", strides}};
}

TEST(Conv2DTest, SamePadsMoreBehind) {
  TestGraph graph;
  graph.Input("x", {1, 1, 4, 1}).Floats("w", {1, 2, 1, 1}, {1, 10});
  graph.Node("Conv2D", "y", {"x", "w"}, Window("SAME", {1, 1, 1, 1}));
  EXPECT_THAT(graph.Run({{1, 2, 3, 4}}), ElementsAre(21, 32, 43, 4));
}

TEST(Conv2DTest, ExplicitPadsAndDilations) {
  TestGraph graph;
  graph.Input("x", {1, 1, 3, 1}).Floats("w", {1, 2, 1, 1}, {1, 10});
  Attributes attributes = Window("EXPLICIT", {1, 1, 1, 1});
  attributes["explicit_paddings"] = Dims{0, 0, 0, 0, 1, 0, 0, 0};
  attributes["dilations"] = Dims{1, 1, 2, 1};
  graph.Node("Conv2D", "y", {"x", "w"}, attributes);
  EXPECT_THAT(graph.Run({{1, 2, 3}}), ElementsAre(20, 31));
}

TEST(Conv2DTest, NchwIsTransposed) {
  TestGraph graph;
  graph.Input("x", {1, 2, 1, 2}).Floats("w", {1, 1, 2, 1}, {1, 10}).Floats("b", {1}, {0.5f});
  Attributes attributes = Window("VALID", {1, 1, 1, 1});
  attributes["data_format"] = std::string("NCHW");
  graph.Node("Conv2D", "c", {"x", "w"}, attributes);
  graph.Node("BiasAdd", "y", {"c", "b"}, {{"data_format", std::string("NCHW")}});
  EXPECT_THAT(graph.Run({{1, 2, 3, 4}}), ElementsAre(31.5f, 42.5f));
}

TEST(Conv2DTest, StridesOfBatchAreRefused) {
  TestGraph graph;
  graph.Input("x", {1, 1, 3, 1}).Floats("w", {1, 1, 1, 1}, {1});
  graph.Node("Conv2D", "y", {"x", "w"}, Window("VALID", {2, 1, 1, 1}));
  EXPECT_THAT(graph.Text(), HasSubstr("node 'y' (Conv2D): its strides are [2, 1, 1, 1]"));
}

TEST(DepthwiseTest, MultipliesChannels) {
  TestGraph graph;
  graph.Input("x", {1, 1, 1, 2}).Floats("w", {1, 1, 2, 2}, {1, 10, 100, 1000});
  graph.Node("DepthwiseConv2dNative", "y", {"x", "w"}, Window("VALID", {1, 1, 1, 1}));
  EXPECT_THAT(graph.Run({{1, 2}}), ElementsAre(1, 10, 200, 2000));
  TestGraph plain;
  plain.Input("x", {1, 1, 1, 2}).Floats("w", {1, 1, 2, 1}, {1, 10});
  plain.Node("DepthwiseConv2dNative", "y", {"x", "w"}, Window("VALID", {1, 1, 1, 1}));
  EXPECT_THAT(plain.Run({{1, 2}}), ElementsAre(1, 20));
  EXPECT_THAT(plain.Text(), HasSubstr("depthwise_conv2d"));
}

TEST(Conv2DBackpropInputTest, HasTheShapeThatIsAskedFor) {
  TestGraph graph;
  graph.Ints("size", {1, 1, 4, 1}).Input("x", {1, 1, 2, 1}).Floats("w", {1, 2, 1, 1}, {1, 10});
  graph.Node("Conv2DBackpropInput", "y", {"size", "w", "x"}, Window("SAME", {1, 1, 2, 1}));
  EXPECT_THAT(graph.Run({{1, 2}}), ElementsAre(1, 10, 2, 20));
}

// How dilations were written before there was an attribute.
TEST(DilationTest, SpaceToBatchAroundAConvolutionBecomesOne) {
  TestGraph graph;
  graph.Input("x", {1, 1, 5, 1}).Floats("w", {1, 2, 1, 1}, {1, 10}).Ints("block", {1, 2});
  graph.Ints("flat", {0, 0, 0, 1}).Ints("two", {2, 2}).Node("Reshape", "pads", {"flat", "two"});
  graph.Node("SpaceToBatchND", "s", {"x", "block", "pads"});
  graph.Node("Conv2D", "c", {"s", "w"}, Window("VALID", {1, 1, 1, 1}));
  graph.Node("BatchToSpaceND", "y", {"c", "block", "pads"});
  EXPECT_THAT(graph.Text(), HasSubstr("dilations=[1, 2]"));
  EXPECT_THAT(graph.Run({{1, 2, 3, 4, 5}}), ElementsAre(31, 42, 53));
}

TEST(DilationTest, OtherBlocksAreRefused) {
  TestGraph graph;
  graph.Input("x", {1, 1, 4, 1}).Ints("block", {2}).Ints("crops", {0, 0});
  graph.Node("BatchToSpaceND", "y", {"x", "block", "crops"});
  EXPECT_THAT(graph.Text(), HasSubstr("its block shape is [2] and its crops [0, 0] (supported: a "
                                      "constant block shape and edges, of height and width)"));
}

TEST(PoolTest, AverageLeavesPaddingOut) {
  const auto run = [](const std::string& op) {
    TestGraph graph;
    Attributes attributes = Window("SAME", {1, 1, 2, 1});
    attributes["ksize"] = Dims{1, 1, 2, 1};
    graph.Input("x", {1, 1, 3, 1}).Node(op, "y", {"x"}, attributes);
    return graph.Run({{1, 3, 5}});
  };
  EXPECT_THAT(run("AvgPool"), ElementsAre(2, 5));
  EXPECT_THAT(run("MaxPool"), ElementsAre(3, 5));
}

TestGraph BatchNorm() {
  TestGraph graph;
  graph.Input("x", {1, 1, 1, 2}).Floats("scale", {2}, {2, 3}).Floats("offset", {2}, {1, 2});
  graph.Floats("mean", {2}, {1, 1}).Floats("variance", {2}, {4, 9});
  return graph.Node("FusedBatchNormV3", "y", {"x", "scale", "offset", "mean", "variance"},
                    {{"epsilon", 0.0f}});
}

TEST(FusedBatchNormTest, IsScaleAndShift) {
  EXPECT_THAT(BatchNorm().Flag("is_training", false).Run({{5, 7}}), ElementsAre(5, 8));
  EXPECT_THAT(BatchNorm().Text(), HasSubstr("its is_training is true"));
}

TEST(FusedBatchNormTest, AndItsOldForm) {
  TestGraph graph;
  graph.Input("x", {1, 1, 1, 1}).Floats("mean", {1}, {1}).Floats("variance", {1}, {4});
  graph.Floats("offset", {1}, {10}).Floats("scale", {1}, {3});
  graph.Node("BatchNormWithGlobalNormalization", "y", {"x", "mean", "variance", "offset", "scale"},
             {{"variance_epsilon", 0.0f}});
  EXPECT_THAT(graph.Flag("scale_after_normalization", true).Run({{5}}), ElementsAre(16));
}

TEST(LrnTest, SumsSquaresOfNeighbours) {
  TestGraph graph;
  graph.Input("x", {1, 1, 1, 3});
  graph.Node("LRN", "y", {"x"},
             {{"depth_radius", int64_t{1}}, {"bias", 2.0f}, {"alpha", 1.0f}, {"beta", 0.5f}});
  EXPECT_THAT(graph.Run({{1, 2, 3}}),
              Pointwise(FloatNear(1e-5f),
                        {1 / std::sqrt(7.0f), 2 / std::sqrt(16.0f), 3 / std::sqrt(15.0f)}));
}

TEST(MatMulTest, TransposesAndComputedOperands) {
  TestGraph constant;
  constant.Input("x", {1, 2}).Floats("w", {2, 2}, {1, 2, 3, 4});
  constant.Node("MatMul", "y", {"x", "w"});
  EXPECT_THAT(constant.Run({{1, 10}}), ElementsAre(31, 42));
  EXPECT_THAT(constant.Text(), HasSubstr("fully_connected"));
  TestGraph transposed;
  transposed.Input("x", {1, 2}).Floats("w", {2, 2}, {1, 2, 3, 4});
  transposed.Node("MatMul", "y", {"x", "w"}).Flag("transpose_b", true);
  EXPECT_THAT(transposed.Run({{1, 10}}), ElementsAre(21, 43));
  TestGraph computed;
  computed.Input("x", {1, 2}).Node("MatMul", "y", {"x", "x"}).Flag("transpose_a", true);
  EXPECT_THAT(computed.Run({{1, 10}}), ElementsAre(1, 10, 10, 100));
}

std::vector<float> RunBinary(const std::string& op, const std::vector<float>& x,
                             const std::vector<float>& c) {
  TestGraph graph;
  graph.Input("x", {static_cast<int64_t>(x.size())});
  graph.Floats("c", {static_cast<int64_t>(c.size())}, c).Node(op, "y", {"x", "c"});
  return graph.Run({x});
}

TEST(ElementwiseTest, BinaryOperatorsBroadcast) {
  EXPECT_THAT(RunBinary("AddV2", {1, 2}, {10}), ElementsAre(11, 12));
  EXPECT_THAT(RunBinary("Sub", {1, 2}, {10}), ElementsAre(-9, -8));
  EXPECT_THAT(RunBinary("Mul", {1, 2}, {10, 3}), ElementsAre(10, 6));
  EXPECT_THAT(RunBinary("RealDiv", {1, 2}, {2}), ElementsAre(0.5f, 1));
  EXPECT_THAT(RunBinary("Maximum", {1, 3}, {2}), ElementsAre(2, 3));
  EXPECT_THAT(RunBinary("SquaredDifference", {1, 5}, {2}), ElementsAre(1, 9));
  EXPECT_THAT(RunBinary("FloorDiv", {-3, 3}, {2}), ElementsAre(-2, 1));
  EXPECT_THAT(RunBinary("FloorMod", {-3, 3}, {2}), ElementsAre(1, 1));
  EXPECT_THAT(RunBinary("LessEqual", {1, 2, 3}, {2}), ElementsAre(1, 1, 0));
  EXPECT_THAT(RunBinary("NotEqual", {1, 2}, {2}), ElementsAre(1, 0));
}

TEST(ElementwiseTest, UnaryOperators) {
  const auto run = [](const std::string& op, const Attributes& attributes = {}) {
    TestGraph graph;
    graph.Input("x", {2}).Node(op, "y", {"x"}, attributes);
    return graph.Run({{-1, 2}});
  };
  const auto near = [](std::vector<float> values) {
    return Pointwise(FloatNear(1e-5f), std::move(values));
  };
  EXPECT_THAT(run("Relu6"), ElementsAre(0, 2));
  EXPECT_THAT(run("LeakyRelu", {{"alpha", 0.5f}}), ElementsAre(-0.5f, 2));
  EXPECT_THAT(run("LeakyRelu"), near({-0.2f, 2}));
  EXPECT_THAT(run("Selu"), near({-1.1113307f, 2.101402f}));
  EXPECT_THAT(run("Softsign"), near({-0.5f, 2.0f / 3}));
  EXPECT_THAT(run("Softmax"), near({0.04742587f, 0.95257413f}));
  EXPECT_THAT(run("Square"), ElementsAre(1, 4));
}

TEST(FakeQuantTest, IsTheIdentity) {
  TestGraph graph;
  graph.Input("x", {2}).Node("FakeQuantWithMinMaxArgs", "q", {"x"}).Node("Neg", "y", {"q"});
  EXPECT_THAT(graph.Run({{1, 2}}), ElementsAre(-1, -2));
}

TEST(SelectTest, RowsAndConstants) {
  TestGraph rows;
  rows.Input("x", {2, 1}).Floats("c", {2}, {0, 1}).Floats("zero", {}, {0});
  rows.Node("Greater", "condition", {"c", "zero"}).Node("Neg", "n", {"x"});
  rows.Node("Select", "y", {"condition", "x", "n"});
  EXPECT_THAT(rows.Run({{1, 2}}), ElementsAre(-1, 2));
}

TEST(ReductionTest, AlongAxes) {
  TestGraph graph;
  graph.Input("x", {1, 2, 2}).Ints("axes", {-1}).Node("Mean", "y", {"x", "axes"});
  EXPECT_THAT(graph.Run({{1, 3, 5, 9}}), ElementsAre(2, 7));
  EXPECT_THAT(graph.Text(), HasSubstr("%y: float32[1x2]"));
  TestGraph arg;
  arg.Input("x", {1, 3}).Int("axis", 1).Node("ArgMin", "y", {"x", "axis"});
  EXPECT_THAT(arg.Run({{5, 2, 7}}), ElementsAre(1));
}

TEST(ResizeTest, CoordinatesOfEachKind) {
  const auto graph = [](const std::string& op, const std::string& flag) {
    TestGraph made;
    made.Input("x", {1, 1, 2, 1}).Ints("size", {1, 4}).Node(op, "y", {"x", "size"});
    if (!flag.empty()) made.Flag(flag, true);
    return made;
  };
  EXPECT_THAT(graph("ResizeBilinear", "").Run({{0, 4}}), ElementsAre(0, 2, 4, 4));
  EXPECT_THAT(graph("ResizeBilinear", "half_pixel_centers").Run({{0, 4}}), ElementsAre(0, 1, 3, 4));
  EXPECT_THAT(graph("ResizeBilinear", "align_corners").Run({{0, 3}}),
              Pointwise(FloatNear(1e-6f), {0, 1, 2, 3}));
  EXPECT_THAT(graph("ResizeNearestNeighbor", "").Run({{1, 2}}), ElementsAre(1, 1, 2, 2));
}

// What keras makes of Flatten: the shape is computed from that of the input.
TEST(ShapeTest, ArithmeticOfShapesIsFolded) {
  TestGraph graph;
  graph.Input("x", {-1, 2, 3}).Node("Shape", "shape", {"x"});
  graph.Ints("zero", {0}).Ints("one", {1}).Int("rest", -1);
  graph.Node("StridedSlice", "batch", {"shape", "zero", "one", "one"},
             {{"shrink_axis_mask", int64_t{1}}});
  graph.Node("Pack", "dims", {"batch", "rest"}).Node("Reshape", "y", {"x", "dims"});
  EXPECT_EQ(graph.Text(), R"(graph "test" layout="nhwc" {
  input %x: float32[1x2x3]
  %y: float32[1x6] = reshape(%x) {shape=[1, 6]} from "y"
  output %y
}
)");
}

TEST(ShapeTest, FilledLikeAnother) {
  TestGraph graph;
  graph.Input("x", {2, 1}).Node("OnesLike", "ones", {"x"}).Node("ZerosLike", "zeros", {"x"});
  graph.Node("Sub", "minus", {"zeros", "ones"}).Node("Mul", "y", {"x", "minus"});
  EXPECT_THAT(graph.Run({{3, 4}}), ElementsAre(-3, -4));
}

TEST(ShapeTest, MovesAndRepeats) {
  TestGraph tile;
  tile.Input("x", {1, 2}).Ints("multiples", {2, 1}).Node("Tile", "y", {"x", "multiples"});
  EXPECT_THAT(tile.Run({{1, 2}}), ElementsAre(1, 2, 1, 2));
  TestGraph depth;
  depth.Input("x", {1, 1, 1, 4}).Node("DepthToSpace", "y", {"x"}, {{"block_size", int64_t{2}}});
  EXPECT_THAT(depth.Text(), HasSubstr("%y: float32[1x2x2x1]"));
  TestGraph squeeze;
  squeeze.Input("x", {1, 2, 1})
      .Int("axis", -1)
      .Node("Squeeze", "s", {"x"}, {{"squeeze_dims", Dims{2}}});
  squeeze.Node("ExpandDims", "y", {"s", "axis"});
  EXPECT_THAT(squeeze.Text(), HasSubstr("%y: float32[1x2x1]"));
}

TEST(SliceTest, SplitUnpackConcatAndPad) {
  TestGraph split;
  split.Input("x", {1, 4})
      .Int("axis", 1)
      .Node("Split", "s", {"axis", "x"}, {{"num_split", int64_t{2}}});
  split.Node("ConcatV2", "y", {"s:1", "s", "axis"});
  EXPECT_THAT(split.Run({{1, 2, 3, 4}}), ElementsAre(3, 4, 1, 2));
  TestGraph unpack;
  unpack.Input("x", {2, 2}).Node("Unpack", "u", {"x"}, {{"num", int64_t{2}}, {"axis", int64_t{1}}});
  unpack.Node("Pack", "y", {"u:1", "u:0"});
  EXPECT_THAT(unpack.Run({{1, 2, 3, 4}}), ElementsAre(2, 4, 1, 3));
  TestGraph pad;
  pad.Input("x", {2})
      .Ints("flat", {1, 0})
      .Ints("shape", {1, 2})
      .Node("Reshape", "p", {"flat", "shape"});
  pad.Floats("value", {}, {7}).Node("PadV2", "y", {"x", "p", "value"});
  EXPECT_THAT(pad.Run({{1, 2}}), ElementsAre(7, 1, 2));
  TestGraph gather;
  gather.Input("x", {3}).Int("start", 2).Int("limit", -1).Int("delta", -1).Int("axis", 0);
  gather.Node("Range", "r", {"start", "limit", "delta"});
  gather.Node("GatherV2", "y", {"x", "r", "axis"});
  EXPECT_THAT(gather.Run({{1, 2, 3}}), ElementsAre(3, 2, 1));
}

TEST(IndexingTest, CoordinatesAndOrder) {
  TestGraph scatter;
  scatter.Input("x", {2}).Ints("flat", {2, 0}).Ints("column", {2, 1}).Ints("shape", {3});
  scatter.Node("Reshape", "i", {"flat", "column"});
  TestGraph gather = scatter;
  scatter.Node("ScatterNd", "y", {"i", "x", "shape"});
  EXPECT_THAT(scatter.Run({{5, 7}}), ElementsAre(7, 0, 5));
  gather.Floats("w", {3}, {1, 2, 3}).Node("GatherNd", "g", {"w", "i"}).Node("Mul", "y", {"x", "g"});
  EXPECT_THAT(gather.Run({{5, 7}}), ElementsAre(15, 7));
  TestGraph top;
  top.Input("x", {4}).Int("k", 2).Node("TopKV2", "t", {"x", "k"}).Node("Identity", "y", {"t:1"});
  EXPECT_THAT(top.Run({{1, 9, 3, 9}}), ElementsAre(1, 3));
  TestGraph reversed;
  reversed.Input("x", {1, 3}).Ints("n", {2});
  reversed.Node("ReverseSequence", "y", {"x", "n"},
                {{"seq_dim", int64_t{1}}, {"batch_dim", int64_t{0}}});
  EXPECT_THAT(reversed.Run({{1, 2, 3}}), ElementsAre(2, 1, 3));
  TestGraph hot;
  hot.Input("i", {2}, tensorflow::DT_INT32).Int("depth", 2);
  hot.Floats("on", {}, {1}).Floats("off", {}, {0});
  hot.Node("OneHot", "y", {"i", "depth", "on", "off"}, {{"axis", int64_t{-1}}});
  EXPECT_THAT(hot.Run({{1, -1}}), ElementsAre(0, 1, 0, 0));
}

// tf.nn.dropout of TensorFlow 1 and of TensorFlow 2.
TEST(DropoutTest, IsGoneWhereItKeepsAll) {
  TestGraph first;
  first.Input("x", {1, 2}).Node("Placeholder", "keep_prob", {}).Type("dtype", tensorflow::DT_FLOAT);
  first.Node("Shape", "shape", {"x"}).Node("RandomUniform", "random", {"shape"});
  first.Node("Add", "sum", {"keep_prob", "random"}).Node("Floor", "mask", {"sum"});
  first.Node("RealDiv", "scaled", {"x", "keep_prob"}).Node("Mul", "d", {"scaled", "mask"});
  first.Node("Neg", "y", {"d"});
  EXPECT_EQ(first.Text(), R"(graph "test" layout="nhwc" {
  input %x: float32[1x2]
  %y: float32[1x2] = neg(%x) from "y"
  output %y
}
)");
  EXPECT_THAT(first.Import()->warnings,
              ElementsAre("'keep_prob' is not among the inputs of the metafile; it is taken as 1"));
  TestGraph second;
  second.Input("x", {1, 2}).Floats("rate", {}, {0}).Floats("one", {}, {1});
  second.Node("Shape", "shape", {"x"}).Node("RandomUniform", "random", {"shape"});
  second.Node("GreaterEqual", "keeps", {"random", "rate"});
  second.Node("Cast", "mask", {"keeps"}).Type("DstT", tensorflow::DT_FLOAT);
  second.Node("Mul", "scaled", {"x", "one"}).Node("Mul", "d", {"scaled", "mask"});
  second.Node("Neg", "y", {"d"});
  EXPECT_THAT(second.Text(), HasSubstr("neg(%x)"));
}

TEST(DropoutTest, IsRefusedWhereItDrops) {
  TestGraph graph;
  graph.Input("x", {1, 2}).Node("Shape", "shape", {"x"}).Floats("keep", {}, {0.5f});
  graph.Node("RandomUniform", "random", {"shape"}).Node("Add", "sum", {"random", "keep"});
  graph.Node("Floor", "mask", {"sum"}).Node("Mul", "y", {"x", "mask"});
  EXPECT_THAT(graph.Text(), HasSubstr("node 'mask' (Floor): it depends on random numbers"));
}

TestGraph Branches(const std::string& predicate) {
  TestGraph graph;
  graph.Input("x", {1, 2});
  graph.Node("Switch", "s", {"x", predicate}).Node("Neg", "no", {"s"}).Node("Abs", "yes", {"s:1"});
  return graph.Node("Merge", "m", {"no", "yes"}).Node("Square", "y", {"m"});
}

TEST(ControlFlowTest, OnlyTheBranchTakenIsImported) {
  TestGraph graph = Branches("is_training");
  graph.Node("Placeholder", "is_training", {}).Type("dtype", tensorflow::DT_BOOL);
  EXPECT_EQ(graph.Text(), R"(graph "test" layout="nhwc" {
  input %x: float32[1x2]
  %no: float32[1x2] = neg(%x) from "no"
  %y: float32[1x2] = square(%no) from "y"
  output %y
}
)");
  EXPECT_THAT(Branches("p").Bool("p", true).Text(), HasSubstr("abs"));
}

TEST(ControlFlowTest, ConstantsOfABranchDieWithIt) {
  TestGraph graph;
  graph.Input("x", {1}).Bool("p", false).Node("Switch", "s", {"p", "p"});
  graph.Node("Identity", "t", {"s:1"}).Node("Identity", "f", {"s"});
  graph.Floats("one", {}, {1}).Floats("two", {}, {2});
  graph.proto().mutable_node(4)->add_input("^t");
  graph.proto().mutable_node(5)->add_input("^f");
  graph.Node("Merge", "m", {"one", "two"}).Node("Mul", "y", {"x", "m"});
  EXPECT_THAT(graph.Run({{3}}), ElementsAre(6));
}

TEST(ControlFlowTest, PredicatesHaveToBeConstant) {
  TestGraph graph = Branches("p");
  graph.Ints("axes", {0, 1}).Floats("zero", {}, {0}).Node("Sum", "sum", {"x", "axes"});
  graph.Node("Greater", "p", {"sum", "zero"});
  EXPECT_THAT(graph.Text(), HasSubstr("operand 'pred' must be constant, but 'p' is computed"));
}

}  // namespace
}  // namespace synap_internal::tensorflow_import
