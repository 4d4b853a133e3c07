#include "kernels/operands.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace synap_internal {
namespace {

const TensorType kPresent{DataType::kFloat32, {2}, {}};
const TensorType kAbsent{};

std::string Refusal(const OpDef& op, const std::vector<TensorType>& operands) {
  return std::string(CheckOperands(op, operands).message());
}

OpDef WithOptional() {
  return {.name = "conv",
          .operands = {OperandRole::kActivation, OperandRole::kWeight, OperandRole::kBias},
          .required = 2};
}

TEST(OperandsTest, TakesWhatIsRequiredAndWhatIsOptional) {
  EXPECT_EQ(Refusal(WithOptional(), {kPresent, kPresent}), "");
  EXPECT_EQ(Refusal(WithOptional(), {kPresent, kPresent, kAbsent}), "");
  EXPECT_EQ(Refusal(WithOptional(), {kPresent, kPresent, kPresent}), "");
}

TEST(OperandsTest, RefusesTooFewAndTooMany) {
  EXPECT_EQ(Refusal(WithOptional(), {kPresent}), "has 1 operand, expected 2 to 3");
  EXPECT_EQ(Refusal(WithOptional(), {kPresent, kPresent, kPresent, kPresent}),
            "has 4 operands, expected 2 to 3");
  EXPECT_EQ(Refusal({.operands = {OperandRole::kActivation}}, {}), "has 0 operands, expected 1");
}

TEST(OperandsTest, RefusesAnAbsentRequiredOperand) {
  EXPECT_EQ(Refusal(WithOptional(), {kPresent, kAbsent, kPresent}),
            "operand 1 is absent, expected a tensor");
}

TEST(OperandsTest, AVariadicOpTakesAnyNumberOfPresentOperands) {
  const OpDef concat{.operands = {OperandRole::kActivation}, .variadic = true};
  EXPECT_EQ(Refusal(concat, std::vector<TensorType>(5, kPresent)), "");
  EXPECT_EQ(Refusal(concat, {}), "has 0 operands, expected 1 or more");
  EXPECT_EQ(Refusal(concat, {kPresent, kPresent, kAbsent}),
            "operand 2 is absent, expected a tensor");
}

}  // namespace
}  // namespace synap_internal
