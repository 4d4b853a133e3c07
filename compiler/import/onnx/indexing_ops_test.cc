// Operators that find elements by indices or positions, and what is built on them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "compiler/import/onnx/test_model.h"

namespace synap_internal::onnx_import {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::Pointwise;
using Ints = std::vector<int64_t>;

TEST(GatherElementsTest, TakesNegativeIndices) {
  TestModel model;
  model.Input("x", {2, 2}).Ints("i", {1, 2}, {-1, 0});
  model.Node("GatherElements", {"x", "i"}, {"y"}, {{"axis", int64_t{0}}}).Output("y");
  EXPECT_THAT(model.Run({{1, 2, 3, 4}}), ElementsAre(3, 2));
}

TEST(GatherElementsTest, ComputedIndicesAreWrappedToo) {
  TestModel model;
  model.Input("x", {3}).Input("f", {2});
  model.Node("Cast", {"f"}, {"i"}, {{"to", int64_t{onnx::TensorProto::INT64}}});
  model.Node("GatherElements", {"x", "i"}, {"y"}).Output("y");
  EXPECT_THAT(model.Run({{1, 2, 3}, {-1, 1}}), ElementsAre(3, 2));
}

TEST(GatherElementsTest, RefusesIndicesOutside) {
  const auto text = [](const Ints& dims, int64_t index) {
    TestModel model;
    model.Input("x", {2, 2}).Ints("i", dims, Ints(dims[0] * dims[1], index));
    return model.Node("GatherElements", {"x", "i"}, {"y"}).Output("y").Text();
  };
  EXPECT_THAT(text({1, 2}, 2), HasSubstr("index 2 is outside of a dimension of 2"));
  EXPECT_THAT(text({1, 3}, 0), HasSubstr("its indices are 1x3, which doesn't fit into 2x2"));
}

TEST(GatherNdTest, RefusesTuplesThatDoNotFit) {
  TestModel model;
  model.Input("x", {2, 2}).Ints("i", {1, 3}, {0, 0, 0});
  EXPECT_THAT(model.Node("GatherND", {"x", "i"}, {"y"}).Output("y").Text(),
              HasSubstr("its indices 1x3 don't fit its data 2x2"));
}

TEST(ScatterNdTest, AddsSlices) {
  TestModel model(16);
  model.Input("x", {2, 2}).Ints("i", {2, 1}, {1, -1}).Floats("u", {2, 2}, {1, 2, 10, 20});
  model.Node("ScatterND", {"x", "i", "u"}, {"y"}, {{"reduction", std::string("add")}});
  EXPECT_THAT(model.Output("y").Run({{0, 0, 5, 5}}), ElementsAre(0, 0, 16, 27));
}

TEST(TopKTest, OrdersAlongAnyAxis) {
  TestModel model;
  model.Input("x", {3, 2}).Ints("k", {1}, {2});
  model.Node("TopK", {"x", "k"}, {"v", "i"}, {{"axis", int64_t{0}}});
  EXPECT_THAT(TestModel(model).Output("v").Run({{1, 9, 3, 8, 2, 7}}), ElementsAre(3, 9, 2, 8));
  EXPECT_THAT(model.Output("i").Run({{1, 9, 3, 8, 2, 7}}), ElementsAre(1, 0, 2, 1));
}

TEST(ArgMaxTest, MayTakeTheLastOfEqualElements) {
  TestModel model;
  model.Input("x", {4}).Node("ArgMax", {"x"}, {"y"}, {{"select_last_index", int64_t{1}}});
  EXPECT_THAT(model.Output("y").Run({{1, 5, 5, 2}}), ElementsAre(2));
}

TEST(OneHotTest, IndicesOutsideAreNowhere) {
  TestModel model;
  model.Input("f", {3}).Ints("d", {}, {2}).Floats("v", {2}, {0, 7});
  model.Node("OneHot", {"f", "d", "v"}, {"y"}).Output("y");
  EXPECT_THAT(model.Run({{-1, 0, 2}}), ElementsAre(0, 7, 7, 0, 0, 0));
}

TEST(TriluTest, KeepsATriangle) {
  TestModel model(14);
  model.Input("x", {2, 2}).Node("Trilu", {"x"}, {"y"}, {{"upper", int64_t{0}}}).Output("y");
  EXPECT_THAT(model.Run({{1, 2, 3, 4}}), ElementsAre(1, 0, 3, 4));
}

TEST(EinsumTest, ContractsDiagonalsSumsAndProducts) {
  const auto run = [](const std::string& equation, const std::vector<float>& x) {
    TestModel model;
    model.Input("x", {2, 2}).Floats("w", {2, 3}, {1, 2, 3, 4, 5, 6});
    const bool both = equation.find(',') != std::string::npos;
    model.Node("Einsum", both ? TestModel::Strings{"x", "w"} : TestModel::Strings{"x"}, {"y"},
               {{"equation", equation}});
    return model.Output("y").Run({x});
  };
  EXPECT_THAT(run("ii->i", {1, 2, 3, 4}), ElementsAre(1, 4));
  EXPECT_THAT(run("ij->", {1, 2, 3, 4}), ElementsAre(10));
  EXPECT_THAT(run("ij->ji", {1, 2, 3, 4}), ElementsAre(1, 3, 2, 4));
  EXPECT_THAT(run("ij,jk", {1, 0, 0, 2}), ElementsAre(1, 2, 3, 8, 10, 12));
  EXPECT_THAT(run("ij,jk->k", {1, 0, 0, 2}), ElementsAre(9, 12, 15));
  EXPECT_THAT(run("...j,jk->...k", {1, 0, 0, 2}), ElementsAre(1, 2, 3, 8, 10, 12));
}

TEST(EinsumTest, RefusesEquationsThatDoNotFit) {
  const auto text = [](const std::string& equation) {
    TestModel model;
    model.Input("x", {2, 3});
    return model.Node("Einsum", {"x"}, {"y"}, {{"equation", equation}}).Output("y").Text();
  };
  EXPECT_THAT(text("ijk->i"), HasSubstr("term 0 is for another rank than that of 2x3"));
  EXPECT_THAT(text("ij,jk"), HasSubstr("expected 1 terms"));
  EXPECT_THAT(text("ij->ik"), HasSubstr("has a label twice, or one that no term has"));
  EXPECT_THAT(text("ii->i"), HasSubstr("has no diagonal"));
  EXPECT_THAT(text("i*->i"), HasSubstr("expected letters and '...'"));
}

TEST(LossTest, IgnoredClassesCountNothing) {
  TestModel model;
  model.Input("x", {2, 2}).Ints("t", {2}, {1, 9});
  model.Node("NegativeLogLikelihoodLoss", {"x", "t"}, {"y"}, {{"ignore_index", int64_t{9}}});
  EXPECT_THAT(model.Output("y").Run({{-1, -2, -4, -8}}), ElementsAre(2));
}

TEST(DftTest, InverseGivesTheSignalBack) {
  TestModel model(17);
  model.Input("x", {1, 3, 1}).Node("DFT", {"x"}, {"f"});
  model.Node("DFT", {"f"}, {"y"}, {{"inverse", int64_t{1}}}).Output("y");
  EXPECT_THAT(model.Run({{1, 5, -2}}),
              Pointwise(FloatNear(1e-5f), std::vector<float>{1, 0, 5, 0, -2, 0}));
}

// numpy.fft.irfft
TEST(DftTest, OneSideOfASpectrumGivesRealNumbersBack) {
  const Attributes inverse = {{"inverse", int64_t{1}}, {"onesided", int64_t{1}}};
  TestModel even(17);
  even.Input("x", {1, 3, 2}).Node("DFT", {"x"}, {"y"}, inverse).Output("y");
  EXPECT_EQ(even.Import()->outputs[0]->type.shape, Shape({1, 4, 1}));
  // The imaginary parts 7 and 9 are those of real numbers.
  EXPECT_THAT(even.Run({{10, 7, -2, 2, -2, 9}}),
              Pointwise(FloatNear(1e-5f), std::vector<float>{1, 2, 3, 4}));
  TestModel odd(17);
  odd.Input("x", {1, 2, 2}).Ints("n", {}, {3}).Node("DFT", {"x", "n"}, {"y"}, inverse).Output("y");
  EXPECT_THAT(odd.Run({{6, 0, -1.5f, 0.8660254f}}),
              Pointwise(FloatNear(1e-5f), std::vector<float>{1, 2, 3}));
}

TEST(DftTest, OneSideIsOfRealNumbers) {
  const auto text = [](int64_t parts, int64_t inverse) {
    TestModel model(17);
    return model.Input("x", {1, 3, parts})
        .Node("DFT", {"x"}, {"y"}, {{"inverse", inverse}, {"onesided", int64_t{1}}})
        .Output("y")
        .Text();
  };
  EXPECT_THAT(text(1, 1), HasSubstr("are set and its input is real"));
  EXPECT_THAT(text(2, 0), HasSubstr("'onesided' is set and its input is complex"));
}

TEST(DftTest, TheAxisIsAnOperandSinceOpset20) {
  const auto shape = [](int opset, bool operand, const Attributes& attributes) {
    TestModel model(opset);
    model.Input("x", {1, 4, 6, 1}).Ints("axis", {}, {1});
    model.Node("DFT", operand ? TestModel::Strings{"x", "", "axis"} : TestModel::Strings{"x"},
               {"y"}, attributes);
    return model.Output("y").Import()->outputs[0]->type.shape;
  };
  const Attributes onesided = {{"onesided", int64_t{1}}};
  EXPECT_EQ(shape(17, false, onesided), Shape({1, 3, 6, 2}));
  EXPECT_EQ(shape(20, false, onesided), Shape({1, 4, 4, 2}));
  EXPECT_EQ(shape(20, true, onesided), Shape({1, 3, 6, 2}));
}

TEST(WindowTest, RefusesSizesThatNoWindowHas) {
  const auto text = [](int64_t size) {
    TestModel model(17);
    return model.Ints("n", {}, {size}).Node("HannWindow", {"n"}, {"y"}).Output("y").Text();
  };
  EXPECT_THAT(text(-1), HasSubstr("operand 'size' is -1, expected 1 to"));
  EXPECT_THAT(text(int64_t{1} << 32), HasSubstr("is too large"));
}

TEST(NarrowIntegerTest, WrapAsTheirTypesDo) {
  TestModel model;
  model.Input("a", {2}).Input("b", {2});
  const Attributes to_byte = {{"to", int64_t{onnx::TensorProto::UINT8}}};
  model.Node("Cast", {"a"}, {"p"}, to_byte).Node("Cast", {"b"}, {"q"}, to_byte);
  model.Node("Add", {"p", "q"}, {"s"});
  model.Node("Cast", {"s"}, {"y"}, {{"to", int64_t{onnx::TensorProto::FLOAT}}}).Output("y");
  EXPECT_THAT(model.Run({{200, 1}, {100, 2}}), ElementsAre(44, 3));
}

TEST(BitShiftTest, ShiftsBeyondTheEndGiveNothing) {
  TestModel model;
  model.Input("a", {2});
  model.Node("Cast", {"a"}, {"p"}, {{"to", int64_t{onnx::TensorProto::UINT64}}});
  model.Ints("n", {2}, {2, 64});
  model.Node("BitShift", {"p", "n"}, {"y"}, {{"direction", std::string("RIGHT")}}).Output("y");
  EXPECT_THAT(model.Run({{9, 9}}), ElementsAre(2, 0));
}

// x of a declared integer type, shifted by constants.
TestModel Shifted(int type, const std::string& direction, const std::vector<int64_t>& by) {
  TestModel model(28);
  const auto count = static_cast<int64_t>(by.size());
  model.Input("a", {count}, type).Ints("n", {count}, by);
  model.Node("BitShift", {"a", "n"}, {"s"}, {{"direction", direction}});
  model.Node("Cast", {"s"}, {"y"}, {{"to", int64_t{onnx::TensorProto::FLOAT}}});
  return model.Output("y");
}

TEST(BitShiftTest, IntegersOfOpset28AreOfTheTypeThatTheModelDeclares) {
  const std::vector<int64_t> by = {1, 1, 63, 63, 100, -1};
  const std::vector<float> x = {-7, 7, -7, 7, -7, 7};
  EXPECT_THAT(Shifted(onnx::TensorProto::INT64, "RIGHT", by).Run({x}),
              ElementsAre(-4, 3, -1, 0, -1, 0));
  EXPECT_THAT(Shifted(onnx::TensorProto::INT32, "RIGHT", by).Run({x}),
              ElementsAre(-4, 3, -1, 0, -1, 0));
  EXPECT_THAT(Shifted(onnx::TensorProto::INT64, "LEFT", by).Run({x}),
              ElementsAre(-14, 14, -0x1p63f, -0x1p63f, 0, 0));
  EXPECT_THAT(Shifted(onnx::TensorProto::UINT64, "RIGHT", {1, 64}).Run({{7, 7}}),
              ElementsAre(3, 0));
}

TEST(BitShiftTest, IntegersOfOpset28WithoutATypeAreRefused) {
  TestModel model(28);
  model.Input("x", {1}).Ints("n", {1}, {1});
  model.Node("Cast", {"x"}, {"a"}, {{"to", int64_t{onnx::TensorProto::INT32}}});
  model.Node("BitShift", {"a", "n"}, {"y"}, {{"direction", std::string("RIGHT")}}).Output("y");
  EXPECT_THAT(model.Text(), HasSubstr("its operand may be int32, int64 or uint64"));
}

// Operators of the bits of integers, over values that are cast to `type`.
std::vector<float> OfIntegers(int type, const std::string& op, const Attributes& attributes,
                              const std::vector<int64_t>& others,
                              const std::vector<float>& values) {
  TestModel model(28);
  model.Input("x", {static_cast<int64_t>(values.size())});
  model.Ints("c", {static_cast<int64_t>(others.size())}, others);
  model.Node("Cast", {"x"}, {"a"}, {{"to", int64_t{type}}});
  model.Node("Cast", {"c"}, {"b"}, {{"to", int64_t{type}}});
  model.Node(op, {"a", "b"}, {"n"}, attributes);
  model.Node("Cast", {"n"}, {"y"}, {{"to", int64_t{onnx::TensorProto::FLOAT}}});
  return model.Output("y").Run({values});
}

TEST(BitShiftTest, SignedIntegersOf8And16BitsKeepTheirSign) {
  const Attributes right = {{"direction", std::string("RIGHT")}};
  const Attributes left = {{"direction", std::string("LEFT")}};
  const std::vector<int64_t> by = {1, 1, 8, 100, -1};
  EXPECT_THAT(OfIntegers(onnx::TensorProto::INT8, "BitShift", right, by, {-7, 7, -7, 7, -7}),
              ElementsAre(-4, 3, -1, 0, -1));
  EXPECT_THAT(OfIntegers(onnx::TensorProto::INT8, "BitShift", left, by, {-7, 64, -7, 7, -7}),
              ElementsAre(-14, -128, 0, 0, 0));
  EXPECT_THAT(OfIntegers(onnx::TensorProto::INT16, "BitShift", left, {8, 15}, {-7, 1}),
              ElementsAre(-1792, -32768));
}

// y = op(a, b) of constants, and an input that nothing reads.
std::vector<float> Combined(const std::string& op) {
  TestModel model(18);
  model.Input("x", {1}).Ints("a", {2, 1}, {12, -1}).Ints("b", {2}, {10, 3});
  model.Node(op, {"a", "b"}, {"i"});
  model.Node("Cast", {"i"}, {"f"}, {{"to", int64_t{onnx::TensorProto::FLOAT}}});
  return model.Node("Add", {"f", "x"}, {"y"}).Output("y").Run({{0}});
}

TEST(BitwiseTest, CombinesConstants) {
  EXPECT_THAT(Combined("BitwiseAnd"), ElementsAre(8, 0, 10, 3));
  EXPECT_THAT(Combined("BitwiseOr"), ElementsAre(14, 15, -1, -1));
  EXPECT_THAT(Combined("BitwiseXor"), ElementsAre(6, 15, -11, -4));
}

TEST(BitwiseTest, RefusesWhatIsNotConstant) {
  TestModel model(18);
  model.Input("x", {1}, onnx::TensorProto::INT64).Node("BitwiseAnd", {"x", "x"}, {"y"});
  EXPECT_THAT(model.Output("y").Text(), HasSubstr("operand 'A' must be constant"));
  TestModel floats(18);
  floats.Input("x", {1}).Node("BitwiseAnd", {"x", "x"}, {"y"}).Output("y");
  EXPECT_THAT(floats.Text(), HasSubstr("its operands are float32 and float32, expected integers"));
}

TEST(BitCastTest, ConstantsOfFloatsAndIntegersAreEachOthers) {
  TestModel model(26);
  model.Input("x", {1}).Floats("f", {2}, {1, -2}).Ints("i", {1}, {0x3fc00000});
  model.Node("BitCast", {"f"}, {"b"}, {{"to", int64_t{onnx::TensorProto::INT32}}});
  model.Node("BitCast", {"i"}, {"g"}, {{"to", int64_t{onnx::TensorProto::FLOAT}}});
  model.Node("Cast", {"b"}, {"c"}, {{"to", int64_t{onnx::TensorProto::FLOAT}}});
  model.Node("Sum", {"c", "g", "x"}, {"y"}).Output("y");
  EXPECT_THAT(model.Run({{0}}), ElementsAre(0x3f800000 + 1.5f, -0x40000000 + 1.5f));
}

TEST(BitCastTest, IntegersKeepTheirBits) {
  const auto run = [](int from, int to, float value) {
    TestModel model(26);
    model.Input("x", {1}).Node("Cast", {"x"}, {"a"}, {{"to", int64_t{from}}});
    model.Node("BitCast", {"a"}, {"b"}, {{"to", int64_t{to}}});
    model.Node("Cast", {"b"}, {"y"}, {{"to", int64_t{onnx::TensorProto::FLOAT}}});
    return model.Output("y").Run({{value}})[0];
  };
  EXPECT_EQ(run(onnx::TensorProto::INT8, onnx::TensorProto::UINT8, -1), 255);
  EXPECT_EQ(run(onnx::TensorProto::UINT16, onnx::TensorProto::INT16, 65535), -1);
  EXPECT_EQ(run(onnx::TensorProto::UINT32, onnx::TensorProto::INT32, 4294966272), -1024);
  EXPECT_EQ(run(onnx::TensorProto::UINT32, onnx::TensorProto::INT32, 1024), 1024);
  EXPECT_EQ(run(onnx::TensorProto::INT32, onnx::TensorProto::UINT32, -1024), 4294966272);
}

TEST(BitCastTest, RefusesOtherSizes) {
  TestModel model(26);
  model.Input("x", {1}).Node("BitCast", {"x"}, {"y"}, {{"to", int64_t{onnx::TensorProto::INT64}}});
  EXPECT_THAT(model.Output("y").Text(), HasSubstr("it reads float32 as INT64"));
  model.graph().mutable_node(0)->mutable_attribute(0)->set_i(onnx::TensorProto::INT32);
  EXPECT_THAT(model.Text(), HasSubstr("operand 'input' must be constant"));
}

TEST(OptionalTest, TensorsAreThere) {
  for (const bool there : {true, false}) {
    TestModel model(18);
    model.Input("x", {1}).Node("OptionalGetElement", {"x"}, {"e"});
    model.Node("OptionalHasElement", {there ? "x" : ""}, {"b"});
    model.Node("Cast", {"b"}, {"f"}, {{"to", int64_t{onnx::TensorProto::FLOAT}}});
    EXPECT_THAT(model.Node("Add", {"e", "f"}, {"y"}).Output("y").Run({{5}}),
                ElementsAre(5 + there));
  }
}

// An output of Unique of five constants, added to an input of zeros.
std::vector<float> UniqueOutput(size_t output, const Attributes& attributes, int64_t count) {
  TestModel model;
  model.Input("x", {count}).Floats("c", {5}, {3, 1, 3, 2, 1});
  TestModel::Strings outputs(4);
  outputs[output] = "u";
  if (output > 0) outputs[0] = "v";
  model.Node("Unique", {"c"}, outputs, attributes);
  model.Node("Cast", {"u"}, {"f"}, {{"to", int64_t{onnx::TensorProto::FLOAT}}});
  model.Node("Add", {"f", "x"}, {"y"}).Output("y");
  return model.Run({std::vector<float>(static_cast<size_t>(count))});
}

// Rows (image, class, box) of a suppression of constants: three boxes, of which the first two
// overlap by 0.6, in two classes.
std::vector<float> Kept(const std::vector<float>& boxes, int64_t most, float score, int64_t rows,
                        bool is_centered = false) {
  TestModel model;
  model.Input("x", {rows, 3}).Floats("b", {1, 3, 4}, boxes).Ints("n", {1}, {most});
  model.Floats("s", {1, 2, 3}, {0.9f, 0.8f, 0.7f, 0.1f, 0.3f, 0.2f});
  model.Floats("iou", {1}, {0.5f}).Floats("score", {1}, {score});
  model.Node("NonMaxSuppression", {"b", "s", "n", "iou", "score"}, {"k"},
             {{"center_point_box", int64_t{is_centered}}});
  model.Node("Cast", {"k"}, {"f"}, {{"to", int64_t{onnx::TensorProto::FLOAT}}});
  model.Node("Add", {"f", "x"}, {"y"}).Output("y");
  return model.Run({std::vector<float>(static_cast<size_t>(3 * rows))});
}

TEST(NonMaxSuppressionTest, KeepsTheBestOfConstantBoxes) {
  // The second has its corners in the other order.
  const std::vector<float> corners = {0, 0, 4, 1, 5, 1, 1, 0, 9, 9, 10, 10};
  EXPECT_THAT(Kept(corners, 9, 0, 4), ElementsAre(0, 0, 0, 0, 0, 2, 0, 1, 1, 0, 1, 2));
  EXPECT_THAT(Kept(corners, 1, 0, 2), ElementsAre(0, 0, 0, 0, 1, 1));
  EXPECT_THAT(Kept(corners, 9, 0.75f, 1), ElementsAre(0, 0, 0));
  const std::vector<float> centered = {0.5f, 2, 1, 4, 0.5f, 3, 1, 4, 9.5f, 9.5f, 1, 1};
  EXPECT_THAT(Kept(centered, 1, 0, 2, true), ElementsAre(0, 0, 0, 0, 1, 1));
}

TEST(UniqueTest, FindsTheDistinctElementsOfConstants) {
  EXPECT_THAT(UniqueOutput(0, {}, 3), ElementsAre(1, 2, 3));
  EXPECT_THAT(UniqueOutput(1, {}, 3), ElementsAre(1, 3, 0));
  EXPECT_THAT(UniqueOutput(2, {}, 5), ElementsAre(2, 0, 2, 1, 0));
  EXPECT_THAT(UniqueOutput(3, {}, 3), ElementsAre(2, 1, 2));
  const Attributes unsorted = {{"sorted", int64_t{0}}};
  EXPECT_THAT(UniqueOutput(0, unsorted, 3), ElementsAre(3, 1, 2));
  EXPECT_THAT(UniqueOutput(2, unsorted, 5), ElementsAre(0, 1, 0, 2, 1));
}

TEST(UniqueTest, FindsSlicesAlongAnAxis) {
  TestModel model;
  model.Input("x", {2, 2}).Floats("c", {2, 3}, {4, 1, 4, 5, 2, 5});
  model.Node("Unique", {"c"}, {"u"}, {{"axis", int64_t{-1}}});
  model.Node("Add", {"u", "x"}, {"y"}).Output("y");
  EXPECT_THAT(model.Run({{0, 0, 0, 0}}), ElementsAre(1, 4, 2, 5));
}

TEST(UniqueTest, RefusesWhatIsNotConstant) {
  TestModel model;
  model.Input("x", {3}).Node("Unique", {"x"}, {"y"}).Output("y");
  EXPECT_THAT(model.Text(), HasSubstr("the output's shape would depend on values"));
}

}  // namespace
}  // namespace synap_internal::onnx_import
