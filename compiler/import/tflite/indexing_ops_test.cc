// Operators that pick, replace or order elements by indices.
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
using tflite::TensorType;
using Builder = TestModel::Builder;
using Dims = TestModel::Dims;

TestModel::TensorSpec Int32(const std::string& name, const Dims& dims,
                            const std::vector<int32_t>& values) {
  std::vector<uint8_t> bytes(values.size() * sizeof(int32_t));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return {name, dims, TensorType::INT32, bytes};
}

TEST(GatherTest, APartOfTheBatchHasItsOwnIndices) {
  TestModel model;
  model.Input("x", {2, 3}).Add(Int32("i", {2, 1}, {2, 0}));
  model.Op(BuiltinOperator::GATHER, {"x", "i"}, {"y"},
           [](Builder& b) { return tflite::CreateGatherOptions(b, 1, 1); });
  EXPECT_THAT(model.Output("y").Run({Count(6)}), ElementsAre(2, 3));
}

TEST(GatherNdTest, TakesElementsAndSlices) {
  const auto model = [](const Dims& dims, const std::vector<int32_t>& indices) {
    TestModel gather;
    gather.Input("x", {2, 3}).Add(Int32("i", dims, indices));
    return gather.Op(BuiltinOperator::GATHER_ND, {"x", "i"}, {"y"}).Output("y");
  };
  EXPECT_THAT(model({2, 2}, {1, 2, 0, 1}).Run({Count(6)}), ElementsAre(5, 1));
  EXPECT_THAT(model({1, 1}, {1}).Run({Count(6)}), ElementsAre(3, 4, 5));
  EXPECT_THAT(model({1, 1}, {-1}).Text(), HasSubstr("index -1 is outside of a dimension of 2"));
  EXPECT_THAT(model({1, 3}, {0, 0, 0}).Text(), HasSubstr("its indices 1x3 don't fit its data 2x3"));
}

TEST(GatherNdTest, IndicesMayBeComputedAndValuesQuantized) {
  TestModel model;
  model.Input("x", {3}, TensorType::INT8, {{0.5f}, {-3}}).Input("i", {2, 1}, TensorType::INT32);
  model.Add({"y", {2}, TensorType::INT8, {}, {{0.5f}, {-3}}});
  model.Op(BuiltinOperator::GATHER_ND, {"x", "i"}, {"y"}).Output("y");
  EXPECT_THAT(model.Run({{-7, 0, 9}, {2, 0}}), ElementsAre(9, -7));
  EXPECT_THAT(model.Text(), Not(HasSubstr("requantize")));
}

TEST(GatherNdTest, ConstantsAreFolded) {
  TestModel model;
  model.Input("x", {2}).Floats("w", {3}, {5, 6, 7}).Add(Int32("i", {2, 1}, {2, 0}));
  model.Op(BuiltinOperator::GATHER_ND, {"w", "i"}, {"g"});
  model.Op(BuiltinOperator::MAXIMUM, {"x", "g"}, {"y"}).Output("y");
  EXPECT_THAT(model.Text(), HasSubstr("const %g: float32[2] = [7.0, 5.0]"));
}

TestModel Scatter(const std::vector<int32_t>& indices, TensorType type,
                  const TestModel::Quantizer& quantizer = {}) {
  TestModel model;
  model.Input("u", {2}, type, quantizer);
  model.Add(Int32("i", {2, 1}, indices)).Ints("shape", {4}).Add({"y", {4}, type, {}, quantizer});
  return model.Op(BuiltinOperator::SCATTER_ND, {"i", "u", "shape"}, {"y"}).Output("y");
}

TEST(ScatterNdTest, AddsUpdatesOfOnePlace) {
  EXPECT_THAT(Scatter({3, 3}, TensorType::FLOAT32).Run({{1.5f, 2}}), ElementsAre(0, 0, 0, 3.5f));
  EXPECT_THAT(Scatter({3, 1}, TensorType::INT32).Run({{7, -8}}), ElementsAre(0, -8, 0, 7));
  EXPECT_THAT(Scatter({2, 2}, TensorType::BOOL).Run({{0, 1}}), ElementsAre(0, 0, 1, 0));
  EXPECT_THAT(Scatter({4, 0}, TensorType::FLOAT32).Text(),
              HasSubstr("index 4 is outside of a dimension of 4"));
}

TEST(ScatterNdTest, QuantizedValuesStandAmongIntegersOf0) {
  const TestModel::Quantizer quantizer = {{0.5f}, {-3}};
  EXPECT_THAT(Scatter({3, 1}, TensorType::INT8, quantizer).Run({{5, 9}}), ElementsAre(0, 9, 0, 5));
  EXPECT_THAT(Scatter({3, 3}, TensorType::INT8, quantizer).Text(),
              HasSubstr("its updates are quantized, and its indices are computed or not distinct"));
}

TEST(ScatterNdTest, RefusesAComputedShape) {
  TestModel model;
  model.Input("u", {1}).Add(Int32("i", {1, 1}, {0})).Input("shape", {1}, TensorType::INT32);
  model.Op(BuiltinOperator::SCATTER_ND, {"i", "u", "shape"}, {"y"}).Output("y");
  EXPECT_THAT(model.Text(), HasSubstr("'shape' must be constant"));
}

TEST(DynamicUpdateSliceTest, MovesWhatDoesNotFit) {
  TestModel model;
  model.Input("x", {2, 3}).Input("u", {1, 2}).Input("at", {2}, TensorType::INT32);
  model.Op(BuiltinOperator::DYNAMIC_UPDATE_SLICE, {"x", "u", "at"}, {"y"}).Output("y");
  EXPECT_THAT(model.Run({Count(6), {8, 9}, {0, 1}}), ElementsAre(0, 8, 9, 3, 4, 5));
  EXPECT_THAT(model.Run({Count(6), {8, 9}, {7, -7}}), ElementsAre(0, 1, 2, 8, 9, 5));
}

TEST(DynamicUpdateSliceTest, KnowsPlacesThatAreConstant) {
  TestModel model;
  const TestModel::Quantizer quantizer = {{0.5f}, {0}};
  model.Input("x", {4}, TensorType::INT8, quantizer).Input("u", {1}, TensorType::INT8, quantizer);
  model.Add({"y", {4}, TensorType::INT8, {}, quantizer}).Ints("at", {2});
  TestModel other = model;
  model.Op(BuiltinOperator::DYNAMIC_UPDATE_SLICE, {"x", "u", "at"}, {"y"}).Output("y");
  EXPECT_THAT(model.Run({{1, 2, 3, 4}, {9}}), ElementsAre(1, 2, 9, 4));
  EXPECT_THAT(model.Text(), Not(HasSubstr("scatter")));
  other.Input("v", {1}, TensorType::INT8, {{0.25f}, {0}});
  other.Op(BuiltinOperator::DYNAMIC_UPDATE_SLICE, {"x", "v", "at"}, {"y"}).Output("y");
  EXPECT_THAT(other.Text(), HasSubstr("its update has another quantizer than its input"));
}

TestModel OneHot(int axis) {
  TestModel model;
  model.Input("i", {2}, TensorType::INT32).Add(Int32("depth", {}, {3}));
  model.Floats("on", {}, {5}).Floats("off", {}, {-1});
  model.Op(BuiltinOperator::ONE_HOT, {"i", "depth", "on", "off"}, {"y"},
           [=](Builder& b) { return tflite::CreateOneHotOptions(b, axis); });
  return model.Output("y");
}

TEST(OneHotTest, NegativeIndicesAreNowhere) {
  EXPECT_THAT(OneHot(-1).Run({{2, -1}}), ElementsAre(-1, -1, 5, -1, -1, -1));
  EXPECT_THAT(OneHot(0).Run({{2, 3}}), ElementsAre(-1, -1, -1, -1, 5, -1));
  EXPECT_THAT(OneHot(2).Text(), HasSubstr("axis 2 is outside"));
}

TEST(ReverseSequenceTest, ReversesTheBeginOfEachSequence) {
  TestModel model;
  model.Input("x", {2, 3}).Input("n", {2}, TensorType::INT32);
  TestModel constant = model;
  const auto options = [](Builder& b) { return tflite::CreateReverseSequenceOptions(b, 1, 0); };
  model.Op(BuiltinOperator::REVERSE_SEQUENCE, {"x", "n"}, {"y"}, options).Output("y");
  EXPECT_THAT(model.Run({Count(6), {2, 3}}), ElementsAre(1, 0, 2, 5, 4, 3));
  constant.Ints("lengths", {1, 4});
  constant.Op(BuiltinOperator::REVERSE_SEQUENCE, {"x", "lengths"}, {"y"}, options).Output("y");
  EXPECT_THAT(constant.Text(), HasSubstr("its lengths have 4 for 3 steps"));
}

TEST(TopKTest, SortsTheLastDimension) {
  TestModel model;
  model.Input("x", {2, 3}).Add(Int32("k", {}, {2})).Add({"i", {}, TensorType::INT32});
  model.Op(BuiltinOperator::TOPK_V2, {"x", "k"}, {"v", "i"});
  EXPECT_THAT(TestModel(model).Output("v").Run({{1, 5, 5, 3, 2, 4}}), ElementsAre(5, 5, 4, 3));
  EXPECT_THAT(model.Output("i").Run({{1, 5, 5, 3, 2, 4}}), ElementsAre(1, 2, 2, 0));
}

TEST(TopKTest, QuantizedValuesKeepTheirQuantizer) {
  for (const TensorType type : {TensorType::INT8, TensorType::UINT8, TensorType::INT16}) {
    TestModel model;
    const TestModel::Quantizer quantizer = {{0.5f}, {0}};
    model.Input("x", {4}, type, quantizer).Add(Int32("k", {}, {2}));
    model.Add({"v", {2}, type, {}, quantizer}).Add({"i", {}, TensorType::INT32});
    model.Op(BuiltinOperator::TOPK_V2, {"x", "k"}, {"v", "i"});
    EXPECT_THAT(TestModel(model).Output("v").Run({{7, 100, 3, 101}}), ElementsAre(101, 100));
    EXPECT_THAT(model.Output("i").Run({{7, 100, 3, 101}}), ElementsAre(3, 1));
  }
}

TEST(TopKTest, RefusesMoreThanThereAre) {
  TestModel model;
  model.Input("x", {3}).Add(Int32("k", {}, {4})).Add({"i", {}, TensorType::INT32});
  model.Op(BuiltinOperator::TOPK_V2, {"x", "k"}, {"v", "i"}).Output("v");
  EXPECT_THAT(model.Text(), HasSubstr("k is 4 for x of shape 3, expected 0 to 3"));
}

TEST(WhereTest, CoordinatesOfAConstant) {
  TestModel model;
  model.Input("x", {2, 2}, TensorType::INT64).Add({"c", {2, 2}, TensorType::BOOL, {0, 1, 1, 0}});
  model.Add({"w", {}, TensorType::INT64}).Add({"y", {}, TensorType::INT64});
  model.Op(BuiltinOperator::WHERE, {"c"}, {"w"});
  model.Op(BuiltinOperator::MAXIMUM, {"x", "w"}, {"y"}).Output("y");
  EXPECT_THAT(model.Run({{0, 0, 0, 9}}), ElementsAre(0, 1, 1, 9));
}

TEST(WhereTest, RefusesWhatIsComputed) {
  TestModel model;
  model.Input("c", {2}, TensorType::BOOL).Add({"y", {}, TensorType::INT64});
  model.Op(BuiltinOperator::WHERE, {"c"}, {"y"}).Output("y");
  EXPECT_THAT(model.Text(),
              HasSubstr("its condition 'c' is computed, and how many elements are true depends on "
                        "its values (supported: a constant condition"));
}

}  // namespace
}  // namespace synap_internal::tflite_import
