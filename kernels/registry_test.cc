#include "kernels/registry.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "kernels/attributes.h"
#include "kernels/op_def.h"

namespace synap_internal {
namespace {

using Roles = std::vector<OperandRole>;

TEST(RegistryTest, NamesAreUniqueAndFound) {
  std::set<absl::string_view> names;
  for (const OpDef* op : AllOps()) {
    EXPECT_TRUE(names.insert(op->name).second) << op->name;
    EXPECT_EQ(FindOp(op->name), op) << op->name;
  }
  EXPECT_EQ(FindOp("no_such_op"), nullptr);
}

// The traits of one op don't contradict each other: passes combine them.
TEST(RegistryTest, WeightedSumsHaveWeightsByChannel) {
  for (const OpDef* op : AllOps()) {
    const bool weighted = op->linear != LinearForm::kNone && op->linear != LinearForm::kMatrices;
    EXPECT_EQ(op->is_weighted_sum(), weighted) << op->name;
    if (!weighted) continue;
    EXPECT_EQ(op->operands[1], OperandRole::kWeight) << op->name;
    EXPECT_EQ(op->operands[2], OperandRole::kBias) << op->name;
  }
}

TEST(RegistryTest, WhatNormalizesScalesAndShiftsByRealNumbers) {
  for (const OpDef* op : AllOps()) {
    const auto reals = std::count(op->operands.begin(), op->operands.end(), OperandRole::kReal);
    EXPECT_EQ(reals, op->normalizes ? 2 : 0) << op->name;
    if (!op->normalizes) continue;
    const Roles expected = {OperandRole::kActivation, OperandRole::kReal, OperandRole::kReal};
    EXPECT_EQ(op->operands, expected) << op->name;
    EXPECT_EQ(op->required, 1) << op->name;
    EXPECT_EQ(op->quant_rule, QuantRule::kOwnRange) << op->name;
  }
}

TEST(RegistryTest, AnEpilogueHasItsOperands) {
  const Roles expected = {OperandRole::kActivation, OperandRole::kWeight, OperandRole::kBias,
                          OperandRole::kTable, OperandRole::kActivation};
  for (const OpDef* op : AllOps()) {
    if (!op->epilogue) continue;
    EXPECT_EQ(op->operands, expected) << op->name;
  }
}

TEST(RegistryTest, WhatMovesDataKeepsTheQuantizerOfOneOperand) {
  for (const OpDef* op : AllOps()) {
    if (!op->moves_data()) continue;
    EXPECT_EQ(op->quant_rule, QuantRule::kSameAsInput) << op->name;
    EXPECT_EQ(op->operands.size(), 1u) << op->name;
    ASSERT_NE(op->picks_values, nullptr) << op->name;
    EXPECT_TRUE(op->picks_values({})) << op->name;
  }
}

TEST(RegistryTest, AMovementIsNoFunctionOfElements) {
  for (const OpDef* op : AllOps()) {
    if (op->movement == Movement::kNone) continue;
    EXPECT_FALSE(op->elementwise) << op->name;
  }
}

TEST(RegistryTest, ArithmeticIsElementByElement) {
  for (const OpDef* op : AllOps()) {
    if (op->arithmetic == Arithmetic::kNone) continue;
    EXPECT_TRUE(op->elementwise) << op->name;
    EXPECT_GE(op->operands.size(), 2u) << op->name;
  }
}

TEST(RegistryTest, ClampsAndConversionsAreFunctionsOfOneNumber) {
  for (const OpDef* op : AllOps()) {
    const bool function = op->clamp != nullptr || op->conversion != TypeConversion::kNone ||
                          op->probability == Probability::kSigmoid;
    if (!function) continue;
    EXPECT_TRUE(op->is_function()) << op->name;
  }
}

TEST(RegistryTest, WhatStaysRealCouldBeQuantized) {
  for (const OpDef* op : AllOps()) {
    if (!op->stays_real) continue;
    EXPECT_NE(op->quant_rule, QuantRule::kNotQuantized) << op->name;
  }
}

TEST(RegistryTest, AFixedRangeIsOne) {
  for (const OpDef* op : AllOps()) {
    if (op->quant_rule != QuantRule::kFixedRange) continue;
    EXPECT_LT(op->fixed_min, op->fixed_max) << op->name;
  }
}

TEST(RegistryTest, ClampsKnowTheirLimits) {
  const auto limits = [](absl::string_view op, const Attributes& attributes) {
    return FindOp(op)->clamp(attributes);
  };
  EXPECT_EQ(limits("relu", {}).min, 0);
  EXPECT_EQ(limits("relu", {}).max, Clamp().max);
  EXPECT_EQ(limits("relu6", {}).max, 6);
  EXPECT_EQ(limits("clip", {{"min", -0.5f}}).min, -0.5f);
  EXPECT_EQ(limits("clip", {{"min", -0.5f}}).max, Clamp().max);
}

TEST(RegistryTest, OnlySomeOpsLeaveAnOperandAsItIs) {
  const std::vector<TensorType> one = {{DataType::kFloat32, {2, 3}, {}}};
  const std::vector<TensorType> two(2, one[0]);
  const auto is_identity = [](absl::string_view op, const std::vector<TensorType>& inputs,
                              const Attributes& attributes) {
    return FindOp(op)->is_identity(inputs, attributes);
  };
  using Ints = std::vector<int64_t>;
  EXPECT_TRUE(is_identity("reshape", one, {{"shape", Ints{2, 3}}}));
  EXPECT_TRUE(is_identity("concat", one, {{"axis", int64_t{0}}}));
  EXPECT_FALSE(is_identity("concat", two, {{"axis", int64_t{0}}}));
  EXPECT_TRUE(is_identity("transpose", one, {{"perm", Ints{0, 1}}}));
  EXPECT_FALSE(is_identity("transpose", one, {{"perm", Ints{1, 0}}}));
  EXPECT_TRUE(is_identity("slice", one, {{"steps", Ints{1, 2}}}));
  EXPECT_FALSE(is_identity("slice", one, {{"steps", Ints{1, -1}}}));
  EXPECT_TRUE(is_identity("pad", one, {{"pads", Ints{0, 0, 0, 0}}}));
  EXPECT_FALSE(is_identity("pad", one, {{"pads", Ints{0, 1, 0, 0}}}));
}

TEST(RegistryTest, SomeOpsPickValuesInSomeModesOnly) {
  const auto picks = [](absl::string_view op, const Attributes& attributes) {
    return FindOp(op)->picks_values(attributes);
  };
  EXPECT_TRUE(picks("pad", {}));
  EXPECT_FALSE(picks("pad", {{"value", 1.0f}}));
  EXPECT_TRUE(picks("pad", {{"value", 1.0f}, {"mode", std::string("edge")}}));
  EXPECT_TRUE(picks("resize", {{"mode", std::string("nearest")}}));
  EXPECT_FALSE(picks("resize", {{"mode", std::string("linear")}}));
}

TEST(RegistryTest, MeansKnowWhatTheyAverage) {
  const TensorType x{DataType::kFloat32, {1, 6, 8, 4}, {}}, y{DataType::kFloat32, {1, 3, 4, 4}, {}};
  const Attributes attributes = {{"kernel", std::vector<int64_t>{3, 2}}};
  EXPECT_EQ(FindOp("avg_pool2d")->averaged_elements(x, y, attributes), 6);
  EXPECT_EQ(FindOp("reduce_mean")->averaged_elements(x, y, {}), 4);
  EXPECT_EQ(FindOp("reduce_sum")->averaged_elements, nullptr);
}

TEST(RegistryTest, GatherKnowsHowManyIndicesItsTableHas) {
  const TensorType table{DataType::kFloat32, {5, 7}, {}};
  EXPECT_EQ(FindOp("gather")->index_count(table, {}), 5);
  EXPECT_EQ(FindOp("gather")->index_count(table, {{"axis", int64_t{-1}}}), 7);
}

// Of x[2,3,4] transposed to [4,2,3], with the middle dimension (x's first) reduced.
TEST(RegistryTest, AReductionTakesATransposeAcross) {
  const std::vector<int64_t> perm = {2, 0, 1};
  const auto sink = FindOp("reduce_sum")->sink_transpose;
  Attributes kept = {{"axes", std::vector<int64_t>{-2}}};
  EXPECT_EQ(sink(perm, kept), perm);
  EXPECT_EQ(std::get<std::vector<int64_t>>(kept.at("axes")), std::vector<int64_t>{0});
  Attributes removed = {{"axes", std::vector<int64_t>{1}}, {"keep_dims", int64_t{0}}};
  EXPECT_EQ(sink(perm, removed), (std::vector<int64_t>{1, 0}));
  EXPECT_EQ(std::get<std::vector<int64_t>>(removed.at("axes")), std::vector<int64_t>{0});
}

}  // namespace
}  // namespace synap_internal
