#include "compiler/import/constant_operand.h"

#include <memory>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;

template <typename T>
Tensor ConstantOf(const std::vector<T>& values) {
  Tensor tensor;
  tensor.name = "t";
  tensor.type = {DataTypeOf<T>(), Shape({static_cast<int64_t>(values.size())}), {}};
  tensor.constant = std::make_shared<const Constant>(Constant::Of<T>(values));
  return tensor;
}

Tensor Computed() {
  Tensor tensor;
  tensor.name = "t";
  tensor.type = {DataType::kInt64, Shape({1}), {}};
  return tensor;
}

TEST(ConstantOperandTest, ReadsValues) {
  EXPECT_THAT(*ConstantInts(ConstantOf<int64_t>({3, -4}), "axes"), ElementsAre(3, -4));
  EXPECT_EQ(*ConstantInt(ConstantOf<int64_t>({3}), "axis"), 3);
  EXPECT_THAT(*ConstantFloats(ConstantOf<float>({0.5f, 2}), "scales"), ElementsAre(0.5f, 2));
  EXPECT_EQ(*ConstantReal(ConstantOf<float>({0.5f}), "scale"), 0.5f);
  EXPECT_EQ(*ConstantReal(ConstantOf<int64_t>({7}), "scale"), 7);
}

TEST(ConstantOperandTest, QuantizedValuesAreTheNumbersThatTheyStandFor) {
  Tensor tensor = ConstantOf<uint8_t>({10, 14});
  tensor.type.quant = QuantParams::Affine(0.5f, 12);
  EXPECT_THAT(*ConstantFloats(tensor, "scales"), ElementsAre(-1, 1));
}

TEST(ConstantOperandTest, ReadsFlags) {
  Tensor flag = ConstantOf<uint8_t>({1});
  flag.type.dtype = DataType::kBool;
  EXPECT_TRUE(*ConstantBool(flag, "condition"));
  EXPECT_EQ(ConstantBool(ConstantOf<int64_t>({1}), "condition").status().message(),
            "operand 'condition' is int64, expected bool");
}

TEST(ConstantOperandTest, ComputedValuesAreRefusedInOneSentence) {
  const char* const error =
      "operand 'a' must be constant, but 't' is computed from the network's "
      "inputs";
  for (const absl::Status& status :
       {ConstantInts(Computed(), "a").status(), ConstantInt(Computed(), "a").status(),
        ConstantBool(Computed(), "a").status(), ConstantFloats(Computed(), "a").status(),
        ConstantReal(Computed(), "a").status()}) {
    EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
    EXPECT_EQ(status.message(), error);
  }
}

TEST(ConstantOperandTest, OtherTypesAndCountsAreRefused) {
  EXPECT_EQ(ConstantInts(ConstantOf<float>({1}), "axes").status().message(),
            "operand 'axes' is float32, expected integers");
  EXPECT_EQ(ConstantFloats(ConstantOf<int64_t>({1}), "scales").status().message(),
            "operand 'scales' is int64, expected float32");
  EXPECT_EQ(ConstantInt(ConstantOf<int64_t>({1, 2}), "axis").status().message(),
            "operand 'axis' has 2 elements, expected 1");
  EXPECT_EQ(ConstantReal(ConstantOf<float>({}), "scale").status().message(),
            "operand 'scale' has 0 elements, expected 1");
}

}  // namespace
}  // namespace synap_internal
