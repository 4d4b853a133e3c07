// Operators that move values: shapes, slices, constants.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "compiler/import/onnx/test_model.h"

namespace synap_internal::onnx_import {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Ints = std::vector<int64_t>;

constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

// One node over a float32 input 'x'; more operands are int64 constants.
class NodeModel {
 public:
  NodeModel(const TestModel::Dims& x, const std::string& op, const Attributes& attributes = {},
            const std::vector<Ints>& operands = {}, int opset = 13)
      : model_(opset) {
    TestModel::Strings names = {"x"};
    model_.Input("x", x);
    for (const Ints& operand : operands) {
      names.push_back("c" + std::to_string(names.size()));
      model_.Ints(names.back(), {static_cast<int64_t>(operand.size())}, operand);
    }
    model_.Node(op, names, {"y"}, attributes).Output("y");
  }

  std::string Text() const { return model_.Text(); }
  std::vector<float> Run(const std::vector<float>& x) const { return model_.Run({x}); }
  // The output's, or rank 0 if there is none.
  Shape OutputShape() const {
    const absl::StatusOr<Graph> graph = model_.Import();
    EXPECT_TRUE(graph.ok()) << graph.status();
    return graph.ok() ? graph->outputs[0]->type.shape : Shape();
  }

 private:
  TestModel model_;
};

TEST(ReshapeTest, ZeroCopiesAndMinusOneFills) {
  EXPECT_EQ(NodeModel({2, 3, 4}, "Reshape", {}, {{0, -1}}).OutputShape(), Shape({2, 12}));
}

TEST(ReshapeTest, TheShapeWasAnAttributeBeforeOpset5) {
  const Attributes shape = {{"shape", Ints{1, -1}}};
  EXPECT_EQ(NodeModel({2, 2}, "Reshape", shape, {}, 1).OutputShape(), Shape({1, 4}));
  EXPECT_THAT(NodeModel({2, 2}, "Reshape", {}, {}, 1).Text(), HasSubstr("it has no 'shape'"));
  EXPECT_THAT(NodeModel({2, 2}, "Reshape", shape, {}, 5).Text(), HasSubstr("it has no 'shape'"));
}

TEST(ReshapeTest, RefusesWhatDoesNotFit) {
  EXPECT_EQ(NodeModel({2, 3}, "Reshape", {}, {{4, -1}}).Text(),
            "node 'y_node' (Reshape): can't reshape 2x3 to [4, -1]");
  for (const Ints& shape : {Ints{-1, -1}, Ints{0, 0, 0}, Ints{7}, Ints{-2, -3}, Ints{kMax, kMax}}) {
    EXPECT_THAT(NodeModel({2, 3}, "Reshape", {}, {shape}).Text(), HasSubstr("(Reshape): "));
  }
}

TEST(ReshapeTest, ShapeMustBeConstant) {
  TestModel model;
  model.Input("x", {4}).Input("s", {2}, onnx::TensorProto::INT64);
  model.Node("Reshape", {"x", "s"}, {"y"}).Output("y");
  EXPECT_THAT(model.Text(), HasSubstr("operand 'shape' must be constant, but 's' is computed"));
}

TEST(FlattenTest, SplitsAtTheAxis) {
  EXPECT_EQ(NodeModel({2, 3, 4}, "Flatten").OutputShape(), Shape({2, 12}));
  EXPECT_EQ(NodeModel({2, 3, 4}, "Flatten", {{"axis", int64_t{-1}}}).OutputShape(), Shape({6, 4}));
  EXPECT_EQ(NodeModel({2, 3}, "Flatten", {{"axis", int64_t{2}}}).OutputShape(), Shape({6, 1}));
  EXPECT_THAT(NodeModel({2, 3}, "Flatten", {{"axis", int64_t{3}}}).Text(), HasSubstr("axis 3"));
}

TEST(TransposeTest, ReversesByDefault) {
  EXPECT_THAT(NodeModel({2, 3}, "Transpose").Run({1, 2, 3, 4, 5, 6}),
              ElementsAre(1, 4, 2, 5, 3, 6));
}

TEST(SqueezeTest, TakesAxesAsAttributeOrOperand) {
  EXPECT_EQ(NodeModel({1, 2, 1}, "Squeeze", {{"axes", Ints{0}}}, {}, 11).OutputShape(),
            Shape({2, 1}));
  EXPECT_EQ(NodeModel({1, 2, 1}, "Squeeze", {}, {{-1}}).OutputShape(), Shape({1, 2}));
  EXPECT_EQ(NodeModel({1, 2, 1}, "Squeeze").OutputShape(), Shape({2}));
  EXPECT_THAT(NodeModel({1, 2}, "Squeeze", {}, {{1}}).Text(), HasSubstr("can't squeeze axis 1"));
}

TEST(UnsqueezeTest, AxesAreThoseOfTheResult) {
  EXPECT_EQ(NodeModel({2, 3}, "Unsqueeze", {}, {{-1, 0}}).OutputShape(), Shape({1, 2, 3, 1}));
  EXPECT_THAT(NodeModel({2, 3}, "Unsqueeze", {}, {{1, 1}}).Text(), HasSubstr("given twice"));
  EXPECT_THAT(NodeModel({2, 3}, "Unsqueeze", {}, {{5}}).Text(), HasSubstr("axis 5"));
}

TEST(ExpandTest, BroadcastsBothWays) {
  EXPECT_EQ(NodeModel({3, 1}, "Expand", {}, {{2, 1, 4}}).OutputShape(), Shape({2, 3, 4}));
  EXPECT_THAT(NodeModel({3, 1}, "Expand", {}, {{2}}).Run({1, 2, 3}), ElementsAre(1, 1, 2, 2, 3, 3));
}

TEST(TileTest, RepeatsEachAxis) {
  EXPECT_THAT(NodeModel({2, 2}, "Tile", {}, {{2, 2}}).Run({1, 2, 3, 4}),
              ElementsAre(1, 2, 1, 2, 3, 4, 3, 4, 1, 2, 1, 2, 3, 4, 3, 4));
  EXPECT_THAT(NodeModel({2}, "Tile", {}, {{kMax}}).Text(), HasSubstr("(Tile): "));
}

TEST(SliceTest, ClampsAndCountsFromTheEnd) {
  const NodeModel model({6}, "Slice", {}, {{-4}, {kMax}, {0}, {2}});
  EXPECT_THAT(model.Run({0, 1, 2, 3, 4, 5}), ElementsAre(2, 4));
}

TEST(SliceTest, GoesBackwards) {
  const NodeModel model({5}, "Slice", {}, {{kMax}, {kMin}, {0}, {-2}});
  EXPECT_THAT(model.Run({0, 1, 2, 3, 4}), ElementsAre(4, 2, 0));
}

TEST(SliceTest, TakesAttributesBeforeOpset10) {
  const NodeModel model({2, 3}, "Slice",
                        {{"starts", Ints{1}}, {"ends", Ints{3}}, {"axes", Ints{1}}}, {}, 9);
  EXPECT_THAT(model.Run({0, 1, 2, 3, 4, 5}), ElementsAre(1, 2, 4, 5));
}

TEST(SliceTest, RefusesStepZero) {
  EXPECT_THAT(NodeModel({5}, "Slice", {}, {{0}, {5}, {0}, {0}}).Text(), HasSubstr("a step of 0"));
  EXPECT_THAT(NodeModel({5}, "Slice", {}, {{0}, {5}, {0}, {kMin}}).Text(), HasSubstr("a step of"));
}

TEST(SliceTest, RefusesListsOfDifferentLength) {
  EXPECT_THAT(NodeModel({5}, "Slice", {}, {{0, 1}, {5}}).Text(), HasSubstr("2 starts, 1 ends"));
}

TEST(PadTest, NegativePadsCut) {
  EXPECT_THAT(NodeModel({3}, "Pad", {}, {{-1, 2}}).Run({1, 2, 3}), ElementsAre(2, 3, 0, 0));
}

TEST(PadTest, PadsOnlyTheGivenAxes) {
  TestModel model(18);
  model.Input("x", {2, 1}).Ints("p", {2}, {0, 1}).Floats("v", {}, {7}).Ints("a", {1}, {-1});
  model.Node("Pad", {"x", "p", "v", "a"}, {"y"}).Output("y");
  EXPECT_THAT(model.Run({{1, 2}}), ElementsAre(1, 7, 2, 7));
}

TEST(PadTest, TakesAttributesBeforeOpset11) {
  const NodeModel model({2}, "Pad", {{"pads", Ints{1, 0}}, {"value", 5.0f}}, {}, 10);
  EXPECT_THAT(model.Run({1, 2}), ElementsAre(5, 1, 2));
}

TEST(PadTest, RefusesNonsense) {
  EXPECT_THAT(NodeModel({3}, "Pad", {}, {{1}}).Text(), HasSubstr("expected 2"));
  EXPECT_THAT(NodeModel({3}, "Pad", {}, {{-2, -2}}).Text(),
              HasSubstr("crop more than its input 3 has"));
  EXPECT_THAT(NodeModel({3}, "Pad", {}, {{kMax, 0}}).Text(),
              HasSubstr("it pads by 9223372036854775807"));
}

TEST(ConcatTest, TakesNegativeAxes) {
  TestModel model;
  model.Input("x", {2, 1}).Floats("w", {2, 1}, {8, 9});
  model.Node("Concat", {"x", "w"}, {"y"}, {{"axis", int64_t{-1}}}).Output("y");
  EXPECT_THAT(model.Run({{1, 2}}), ElementsAre(1, 8, 2, 9));
}

TEST(SplitTest, TakesSizesFromWhereTheyAre) {
  const auto second = [](int opset, const Attributes& attributes, bool operand) {
    TestModel model(opset);
    model.Input("x", {5}).Ints("s", {2}, {2, 3});
    model.Node("Split", operand ? TestModel::Strings{"x", "s"} : TestModel::Strings{"x"},
               {"a", "y"}, attributes);
    return model.Output("y").Run({{1, 2, 3, 4, 5}});
  };
  EXPECT_THAT(second(13, {}, true), ElementsAre(3, 4, 5));
  EXPECT_THAT(second(11, {{"split", Ints{1, 4}}}, false), ElementsAre(2, 3, 4, 5));
  EXPECT_THAT(second(18, {{"num_outputs", int64_t{2}}}, false), ElementsAre(4, 5));
}

TEST(SplitTest, SizesMustAddUp) {
  const auto text = [](const Ints& sizes) {
    TestModel model(11);
    model.Input("x", {5}).Node("Split", {"x"}, {"a", "y"}, {{"split", sizes}});
    return model.Output("y").Text();
  };
  EXPECT_THAT(text({2, 2}), HasSubstr("can't split a dimension of 5 into [2, 2]"));
  EXPECT_THAT(text({kMax, kMax}), HasSubstr("can't split"));
  EXPECT_THAT(text({-1, 6}), HasSubstr("can't split"));
}

TEST(GatherTest, OneIndexIsASlice) {
  TestModel model;
  model.Input("x", {2, 3}).Ints("i", {}, {-1});
  model.Node("Gather", {"x", "i"}, {"y"}, {{"axis", int64_t{1}}}).Output("y");
  EXPECT_THAT(model.Text(), HasSubstr("slice(%x)"));
  EXPECT_THAT(model.Run({{1, 2, 3, 4, 5, 6}}), ElementsAre(3, 6));
}

TEST(GatherTest, NegativeIndicesCountFromTheEnd) {
  EXPECT_THAT(NodeModel({3}, "Gather", {}, {{-1, 0}}).Run({1, 2, 3}), ElementsAre(3, 1));
  EXPECT_THAT(NodeModel({3}, "Gather", {}, {{3}}).Text(),
              HasSubstr("index 3 is outside of a dimension of 3"));
}

TEST(ConstantTest, HasManyForms) {
  const auto value = [](const Attributes& attributes) {
    return TestModel().Node("Constant", {}, {"y"}, attributes).Output("y").Run({});
  };
  EXPECT_THAT(value({{"value_float", 1.5f}}), ElementsAre(1.5f));
  EXPECT_THAT(value({{"value_int", int64_t{3}}}), ElementsAre(3));
  EXPECT_THAT(value({{"value_floats", std::vector<float>{1, 2}}}), ElementsAre(1, 2));
  EXPECT_THAT(value({{"value_ints", Ints{4, 5}}}), ElementsAre(4, 5));
  EXPECT_THAT(TestModel()
                  .Node("Constant", {}, {"y"}, {{"value_string", std::string("s")}})
                  .Output("y")
                  .Text(),
              HasSubstr("'value_int(s)'"));
}

TEST(ConstantTest, RangeCountsUpAndDown) {
  const auto range = [](int64_t start, int64_t limit, int64_t delta) {
    TestModel model;
    model.Ints("a", {}, {start}).Ints("b", {}, {limit}).Ints("c", {}, {delta});
    return model.Node("Range", {"a", "b", "c"}, {"y"}).Output("y").Run({});
  };
  EXPECT_THAT(range(0, 5, 2), ElementsAre(0, 2, 4));
  EXPECT_THAT(range(3, 0, -1), ElementsAre(3, 2, 1));
  EXPECT_THAT(range(3, 0, 1), ElementsAre());
}

TEST(ConstantTest, RangeTakesRealNumbers) {
  const auto range = [](float start, float limit, float delta) {
    TestModel model;
    model.Floats("a", {}, {start}).Floats("b", {}, {limit}).Floats("c", {}, {delta});
    return model.Node("Range", {"a", "b", "c"}, {"y"}).Output("y").Run({});
  };
  EXPECT_THAT(range(0.5f, 4, 1), ElementsAre(0.5f, 1.5f, 2.5f, 3.5f));
  EXPECT_THAT(range(1, -1, -0.75f), ElementsAre(1, 0.25f, -0.5f));
  EXPECT_THAT(range(1, -1, 0.5f), ElementsAre());
}

// As PyTorch writes torch.arange(0.5, x.shape[2]).
TEST(ConstantTest, RangeEndsAtASizeOfTheInput) {
  TestModel model;
  model.Input("x", {1, 1, 3}).Ints("i", {}, {2}).Floats("a", {}, {0.5f}).Floats("c", {}, {1});
  model.Node("Shape", {"x"}, {"s"}).Node("Gather", {"s", "i"}, {"h"});
  model.Node("Cast", {"h"}, {"limit"}, {{"to", int64_t{onnx::TensorProto::FLOAT}}});
  model.Node("Range", {"a", "limit", "c"}, {"r"}).Node("Mul", {"x", "r"}, {"y"});
  EXPECT_THAT(model.Output("y").Run({{2, 4, 6}}), ElementsAre(1, 6, 15));
}

TEST(ConstantTest, NonZeroListsIndices) {
  TestModel model;
  model.Floats("w", {2, 2}, {0, 5, -1, 0}).Node("NonZero", {"w"}, {"y"}).Output("y");
  EXPECT_THAT(model.Run({}), ElementsAre(0, 1, 1, 0));
  EXPECT_THAT(NodeModel({2}, "NonZero").Text(), HasSubstr("must be constant"));
}

TEST(ShapeArithmeticTest, IsFolded) {
  // What PyTorch writes for x.view(x.size(0), -1, 2).
  TestModel model;
  model.Input("x", {-1, 4, 3}).Ints("zero", {}, {0}).Ints("two", {1}, {2}).Ints("rest", {1}, {-1});
  model.Node("Shape", {"x"}, {"shape"})
      .Node("Gather", {"shape", "zero"}, {"batch"})
      .Node("Unsqueeze", {"batch", "axis"}, {"batch1"})
      .Node("Concat", {"batch1", "rest", "two"}, {"target"}, {{"axis", int64_t{0}}})
      .Node("Reshape", {"x", "target"}, {"y"})
      .Ints("axis", {1}, {0})
      .Output("y");
  EXPECT_EQ(model.Text(), R"(graph "test" layout="nchw" {
  input %x: float32[1x4x3]
  %y: float32[1x6x2] = reshape(%x) {shape=[1, 6, 2]} from "y_node"
  output %y
}
)");
}

TEST(CropTest, CutsBordersOrKeepsASize) {
  const std::vector<float> x = {0, 1, 2, 3, 4, 5, 6, 7, 8};
  const auto crop = [](const Ints& border, const Ints& scale) {
    Attributes attributes = {{"border", border}};
    if (!scale.empty()) attributes["scale"] = scale;
    return NodeModel({1, 1, 3, 3}, "Crop", attributes, {}, 7);
  };
  EXPECT_THAT(crop({1, 0, 0, 1}, {}).Run(x), ElementsAre(1, 2, 4, 5));  // left and bottom
  EXPECT_THAT(crop({1, 0, 0, 0}, {2, 1}).Run(x), ElementsAre(1, 4));
  EXPECT_THAT(crop({0, 2, 0, 1}, {}).Text(), HasSubstr("don't fit its input"));
  EXPECT_THAT(crop({kMax, 0, kMax, 0}, {}).Text(), HasSubstr("don't fit its input"));
  EXPECT_THAT(crop({1, 0, 0, 0}, {2, 3}).Text(), HasSubstr("expected a part of it"));
  EXPECT_THAT(crop({1, 0}, {}).Text(), HasSubstr("have 2 and 0 values, expected 4 and 2 or none"));
}

TEST(ShapeArithmeticTest, ShapeTakesARange) {
  EXPECT_THAT(
      NodeModel({2, 3, 4}, "Shape", {{"start", int64_t{-2}}}, {}, 15).Run(std::vector<float>(24)),
      ElementsAre(3, 4));
}

TEST(DepthToSpaceTest, BothModes) {
  const std::vector<float> x = {0, 1, 2, 3, 4, 5, 6, 7};
  const auto run = [&](const std::string& mode) {
    return NodeModel({1, 8, 1, 1}, "DepthToSpace", {{"blocksize", int64_t{2}}, {"mode", mode}})
        .Run(x);
  };
  EXPECT_THAT(run("DCR"), ElementsAre(0, 2, 4, 6, 1, 3, 5, 7));
  EXPECT_THAT(run("CRD"), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

TEST(PadTest, MayWrap) {
  const auto model = [](const Ints& pads) {
    return NodeModel({2, 3}, "Pad", {{"mode", std::string("wrap")}}, {pads}, 19);
  };
  EXPECT_THAT(model({0, 2, 1, 1}).Run({1, 2, 3, 4, 5, 6}),
              ElementsAre(2, 3, 1, 2, 3, 1, 5, 6, 4, 5, 6, 4, 2, 3, 1, 2, 3, 1));
  EXPECT_THAT(model({0, 4, 0, 0}).Text(), HasSubstr("of size 3 by 4 and 0 of its own elements"));
}

TEST(SpaceToDepthTest, IsTheWayBack) {
  EXPECT_THAT(NodeModel({1, 1, 2, 4}, "SpaceToDepth", {{"blocksize", int64_t{2}}})
                  .Run({0, 1, 2, 3, 4, 5, 6, 7}),
              ElementsAre(0, 2, 1, 3, 4, 6, 5, 7));
}

TEST(SpaceToDepthTest, BlocksMayComeAfterChannels) {
  const auto model = [](const std::string& mode) {
    return NodeModel({1, 2, 2, 2}, "SpaceToDepth", {{"blocksize", int64_t{2}}, {"mode", mode}}, {},
                     28);
  };
  const std::vector<float> x = {0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_THAT(model("CRD").Run(x), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(model("DCR").Run(x), ElementsAre(0, 4, 1, 5, 2, 6, 3, 7));
  EXPECT_THAT(model("RCD").Text(), HasSubstr("attribute 'mode' is 'RCD', expected DCR or CRD"));
}

}  // namespace
}  // namespace synap_internal::onnx_import
