// Operators that move elements.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "compiler/import/tflite/test_model.h"

namespace synap_internal::tflite_import {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using tflite::BuiltinOperator;
using Builder = TestModel::Builder;
using Ints = std::vector<int32_t>;

// What `model`'s output 'y' is: shape and type as printed.
std::string TypeOfY(const TestModel& model) {
  const auto import = model.Import();
  if (!import.ok()) return std::string(import.status().message());
  return import->graph.outputs[0]->type.shape.ToString();
}

TEST(ReshapeTest, TakesTheOpenDimensionFromTheOthers) {
  TestModel model;
  model.Input("x", {2, 6}).Ints("shape", {3, -1});
  model.Op(BuiltinOperator::RESHAPE, {"x", "shape"}, {"y"}).Output("y");
  EXPECT_EQ(TypeOfY(model), "3x4");
}

TEST(ReshapeTest, TakesTheShapeFromTheOptions) {
  TestModel model;
  const Ints shape = {4, 3};
  model.Input("x", {2, 6});
  model.Op(BuiltinOperator::RESHAPE, {"x"}, {"y"},
           [&](Builder& b) { return tflite::CreateReshapeOptionsDirect(b, &shape); });
  EXPECT_EQ(TypeOfY(model.Output("y")), "4x3");
}

TEST(ReshapeTest, RefusesWhatDoesNotFit) {
  TestModel model;
  model.Input("x", {2, 6}).Ints("shape", {5, -1});
  model.Op(BuiltinOperator::RESHAPE, {"x", "shape"}, {"y"}).Output("y");
  EXPECT_THAT(TypeOfY(model), HasSubstr("can't reshape 2x6 to [5, -1]"));
}

TEST(ShapeTest, ArithmeticOnShapesIsComputed) {
  TestModel model;
  model.Input("x", {1, 2, 6});
  model.Add({"s", {}, tflite::TensorType::INT32}).Add({"n", {}, tflite::TensorType::INT32});
  model.Add({"shape", {}, tflite::TensorType::INT32});
  model.Ints("from", {0}).Ints("to", {1}).Ints("step", {1});
  model.Add({"rest", {}, tflite::TensorType::INT32, {12, 0, 0, 0}});
  model.Op(BuiltinOperator::SHAPE, {"x"}, {"s"});
  model.Op(BuiltinOperator::STRIDED_SLICE, {"s", "from", "to", "step"}, {"n"},
           [](Builder& b) { return tflite::CreateStridedSliceOptions(b, 0, 0, 0, 0, 1); });
  model.Op(BuiltinOperator::PACK, {"n", "rest"}, {"shape"},
           [](Builder& b) { return tflite::CreatePackOptions(b, 2, 0); });
  model.Op(BuiltinOperator::RESHAPE, {"x", "shape"}, {"y"}).Output("y");
  EXPECT_EQ(TypeOfY(model), "1x12");
  EXPECT_THAT(model.Text(), Not(HasSubstr("slice(")));
}

TEST(SqueezeTest, RemovesTheListedOrAllOnes) {
  const auto type = [](const Ints& dims) {
    TestModel model;
    model.Input("x", {1, 3, 1, 2});
    model.Op(BuiltinOperator::SQUEEZE, {"x"}, {"y"},
             [=](Builder& b) { return tflite::CreateSqueezeOptionsDirect(b, &dims); });
    return TypeOfY(model.Output("y"));
  };
  EXPECT_EQ(type({}), "3x2");
  EXPECT_EQ(type({-2}), "1x3x2");
  EXPECT_THAT(type({1}), HasSubstr("can't squeeze axis 1 of 1x3x1x2, expected a dimension of 1"));
}

TEST(ExpandDimsTest, CountsFromTheBackToo) {
  TestModel model;
  model.Input("x", {2, 3}).Ints("axis", {-1});
  model.Op(BuiltinOperator::EXPAND_DIMS, {"x", "axis"}, {"y"}).Output("y");
  EXPECT_EQ(TypeOfY(model), "2x3x1");
}

TEST(TransposeTest, Permutes) {
  TestModel model;
  model.Input("x", {2, 3}).Ints("perm", {1, 0});
  model.Op(BuiltinOperator::TRANSPOSE, {"x", "perm"}, {"y"}).Output("y");
  EXPECT_THAT(model.Run({Count(6)}), ElementsAre(0, 3, 1, 4, 2, 5));
}

TEST(TileTest, RepeatsAlongEachDimension) {
  TestModel model;
  model.Input("x", {2, 2}).Ints("times", {1, 2});
  model.Op(BuiltinOperator::TILE, {"x", "times"}, {"y"}).Output("y");
  EXPECT_THAT(model.Run({Count(4)}), ElementsAre(0, 1, 0, 1, 2, 3, 2, 3));
}

TEST(BroadcastTest, FillAndBroadcastTo) {
  TestModel model;
  model.Input("x", {1, 2}).Ints("shape", {2, 2}).Floats("one", {}, {1});
  model.Op(BuiltinOperator::BROADCAST_TO, {"x", "shape"}, {"b"});
  model.Op(BuiltinOperator::FILL, {"shape", "one"}, {"f"});
  model.Op(BuiltinOperator::ADD, {"b", "f"}, {"y"},
           [](Builder& b) { return tflite::CreateAddOptions(b); });
  EXPECT_THAT(model.Output("y").Run({{3, 4}}), ElementsAre(4, 5, 4, 5));
}

TEST(ConcatTest, AndSplitAreInverse) {
  TestModel model;
  model.Input("a", {1, 2}).Input("b", {1, 2}).Ints("axis", {1});
  model.Op(BuiltinOperator::CONCATENATION, {"a", "b"}, {"c"},
           [](Builder& b) { return tflite::CreateConcatenationOptions(b, -1); });
  model.Op(BuiltinOperator::SPLIT, {"axis", "c"}, {"first", "second"},
           [](Builder& b) { return tflite::CreateSplitOptions(b, 2); });
  EXPECT_THAT(model.Output("second").Run({{1, 2}, {3, 4}}), ElementsAre(3, 4));
}

TEST(SplitTest, SizesAddUp) {
  const auto type = [](const Ints& sizes) {
    TestModel model;
    model.Input("x", {5}).Ints("sizes", sizes).Ints("axis", {0});
    model.Op(BuiltinOperator::SPLIT_V, {"x", "sizes", "axis"}, {"a", "y"});
    return TypeOfY(model.Output("y"));
  };
  EXPECT_EQ(type({2, 3}), "3");
  EXPECT_EQ(type({2, -1}), "3");
  for (const Ints& wrong : {Ints{2, 2}, Ints{-1, -1}, Ints{6, -1}}) {
    EXPECT_THAT(type(wrong), HasSubstr("can't split a dimension of 5 into"));
  }
  EXPECT_THAT(type({5}), HasSubstr("it has 1 sizes for 2 outputs"));
}

TEST(PackTest, AndUnpackAddAndRemoveADimension) {
  TestModel model;
  model.Input("a", {2}).Input("b", {2});
  model.Op(BuiltinOperator::PACK, {"a", "b"}, {"p"},
           [](Builder& b) { return tflite::CreatePackOptions(b, 2, 1); });
  TestModel packed = model;
  EXPECT_THAT(packed.Output("p").Run({{1, 2}, {3, 4}}), ElementsAre(1, 3, 2, 4));
  model.Op(BuiltinOperator::UNPACK, {"p"}, {"u", "v"},
           [](Builder& b) { return tflite::CreateUnpackOptions(b, 2, 0); });
  EXPECT_THAT(model.Output("v").Run({{1, 2}, {3, 4}}), ElementsAre(2, 4));
}

TEST(SliceTest, TakesTheRestForMinusOne) {
  TestModel model;
  model.Input("x", {5}).Ints("begin", {2}).Ints("size", {-1});
  model.Op(BuiltinOperator::SLICE, {"x", "begin", "size"}, {"y"}).Output("y");
  EXPECT_THAT(model.Run({Count(5)}), ElementsAre(2, 3, 4));
}

TestModel StridedSlice(const Ints& begin, const Ints& end, const Ints& strides, int begin_mask,
                       int end_mask, int ellipsis, int new_axis, int shrink) {
  TestModel model;
  model.Input("x", {2, 3}).Ints("b", begin).Ints("e", end).Ints("s", strides);
  model.Op(BuiltinOperator::STRIDED_SLICE, {"x", "b", "e", "s"}, {"y"}, [=](Builder& builder) {
    return tflite::CreateStridedSliceOptions(builder, begin_mask, end_mask, ellipsis, new_axis,
                                             shrink);
  });
  return model.Output("y");
}

TEST(StridedSliceTest, MasksAndSteps) {
  const std::vector<float> x = Count(6);
  EXPECT_THAT(StridedSlice({0, 1}, {2, 3}, {1, 1}, 0, 0, 0, 0, 0).Run({x}),
              ElementsAre(1, 2, 4, 5));
  EXPECT_THAT(StridedSlice({1, 9}, {9, 9}, {1, 2}, 2, 2, 0, 0, 0).Run({x}), ElementsAre(3, 5));
  EXPECT_THAT(StridedSlice({0, -1}, {2, 0}, {1, -1}, 0, 2, 0, 0, 1).Run({x}), ElementsAre(2, 1, 0));
  EXPECT_EQ(TypeOfY(StridedSlice({0, 0}, {0, 1}, {1, 1}, 0, 0, 1, 0, 2)), "2");
  EXPECT_EQ(TypeOfY(StridedSlice({0, 0}, {0, 1}, {1, 1}, 0, 0, 0, 1, 0)), "1x1x3");
  EXPECT_THAT(TypeOfY(StridedSlice({0, 0}, {1, 1}, {1, 0}, 0, 0, 0, 0, 0)),
              HasSubstr("its slice has a step of 0"));
  EXPECT_THAT(TypeOfY(StridedSlice({5, 0}, {6, 1}, {1, 1}, 0, 0, 0, 0, 1)),
              HasSubstr("axis 5 is outside"));
  EXPECT_THAT(TypeOfY(StridedSlice({0, 0, 0}, {1, 1, 1}, {1, 1, 1}, 0, 0, 0, 0, 0)),
              HasSubstr("it slices more dimensions than its input 2x3 has"));
}

TEST(ReverseTest, RunsBackwards) {
  TestModel model;
  model.Input("x", {3}).Ints("axis", {0});
  model.Op(BuiltinOperator::REVERSE_V2, {"x", "axis"}, {"y"}).Output("y");
  EXPECT_THAT(model.Run({Count(3)}), ElementsAre(2, 1, 0));
}

TEST(GatherTest, TakesByIndex) {
  TestModel model;
  model.Input("x", {2, 3}).Ints("i", {2, 0});
  model.Op(BuiltinOperator::GATHER, {"x", "i"}, {"y"},
           [](Builder& b) { return tflite::CreateGatherOptions(b, 1); });
  EXPECT_THAT(model.Output("y").Run({Count(6)}), ElementsAre(2, 0, 5, 3));
}

TEST(PadTest, ConstantsAndMirrors) {
  TestModel model;
  model.Input("x", {3}).Ints("pads", {1, 2}).Floats("value", {}, {9});
  TestModel value = model, mirror = model;
  model.Op(BuiltinOperator::PAD, {"x", "pads"}, {"y"}).Output("y");
  EXPECT_THAT(model.Run({{1, 2, 3}}), ElementsAre(0, 1, 2, 3, 0, 0));
  value.Op(BuiltinOperator::PADV2, {"x", "pads", "value"}, {"y"}).Output("y");
  EXPECT_THAT(value.Run({{1, 2, 3}}), ElementsAre(9, 1, 2, 3, 9, 9));
  mirror.Op(BuiltinOperator::MIRROR_PAD, {"x", "pads"}, {"y"}, [](Builder& b) {
    return tflite::CreateMirrorPadOptions(b, tflite::MirrorPadMode::REFLECT);
  });
  EXPECT_THAT(mirror.Output("y").Run({{1, 2, 3}}), ElementsAre(2, 1, 2, 3, 2, 1));
}

TEST(PadTest, RefusesNegativeOnes) {
  TestModel model;
  model.Input("x", {3}).Ints("pads", {-1, 2});
  model.Op(BuiltinOperator::PAD, {"x", "pads"}, {"y"}).Output("y");
  EXPECT_THAT(TypeOfY(model), HasSubstr("it pads by -1 elements"));
}

TEST(MirrorPadTest, SymmetricRepeatsTheEdges) {
  const auto model = [](const Ints& paddings) {
    TestModel symmetric;
    std::vector<uint8_t> bytes(paddings.size() * sizeof(int32_t));
    std::memcpy(bytes.data(), paddings.data(), bytes.size());
    symmetric.Input("x", {2, 3}).Add({"paddings", {2, 2}, tflite::TensorType::INT32, bytes});
    symmetric.Op(BuiltinOperator::MIRROR_PAD, {"x", "paddings"}, {"y"}, [](Builder& b) {
      return tflite::CreateMirrorPadOptions(b, tflite::MirrorPadMode::SYMMETRIC);
    });
    return symmetric.Output("y");
  };
  // By TensorFlow Lite's reference kernels.
  EXPECT_THAT(
      model({1, 2, 2, 0}).Run({{1, 2, 3, 4, 5, 6}}),
      ElementsAre(2, 1, 1, 2, 3, 2, 1, 1, 2, 3, 5, 4, 4, 5, 6, 5, 4, 4, 5, 6, 2, 1, 1, 2, 3));
  EXPECT_THAT(model({1, 0, 1, 1}).Run({{1, 2, 3, 4, 5, 6}}),
              ElementsAre(1, 1, 2, 3, 3, 1, 1, 2, 3, 3, 4, 4, 5, 6, 6));
  EXPECT_THAT(model({0, 0, 4, 0}).Text(),
              HasSubstr("its paddings are 4 and 0 of a dimension of 3, expected that or less"));
}

TEST(RangeTest, CountsIntegersAndRealNumbers) {
  TestModel integers;
  integers.Input("x", {3}, tflite::TensorType::INT32);
  integers.Ints("start", {2}).Ints("limit", {11}).Ints("delta", {3});
  integers.Add({"r", {}, tflite::TensorType::INT32}).Add({"y", {}, tflite::TensorType::INT32});
  integers.Op(BuiltinOperator::RANGE, {"start", "limit", "delta"}, {"r"});
  integers.Op(BuiltinOperator::MAXIMUM, {"x", "r"}, {"y"});
  EXPECT_THAT(integers.Output("y").Run({{0, 9, 0}}), ElementsAre(2, 9, 8));
  const auto reals = [](float step) {
    TestModel model;
    model.Input("x", {1}).Floats("start", {}, {1}).Floats("limit", {}, {0});
    model.Floats("delta", {}, {step})
        .Op(BuiltinOperator::RANGE, {"start", "limit", "delta"}, {"r"});
    return model.Op(BuiltinOperator::MUL, {"x", "r"}, {"y"},
                    [](Builder& b) { return tflite::CreateMulOptions(b); });
  };
  EXPECT_THAT(reals(-0.3f).Output("y").Run({{1}}),
              ElementsAre(1.0f, 0.699999988f, 0.399999976f, 0.0999999642f));
  EXPECT_THAT(reals(0).Output("y").Text(), HasSubstr("its range from 1 to 0 in steps of 0"));
}

TEST(EmbeddingLookupTest, TakesRowsOfATable) {
  TestModel model;
  model.Input("ids", {2}, tflite::TensorType::INT32).Floats("table", {3, 2}, {1, 2, 3, 4, 5, 6});
  model.Op(BuiltinOperator::EMBEDDING_LOOKUP, {"ids", "table"}, {"y"}).Output("y");
  EXPECT_THAT(model.Run({{2, 0}}), ElementsAre(5, 6, 1, 2));
}

}  // namespace
}  // namespace synap_internal::tflite_import
