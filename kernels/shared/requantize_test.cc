#include "kernels/shared/requantize.h"

#include <limits>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace synap_internal {
namespace {

using ::testing::HasSubstr;

const TensorType kOutput{DataType::kUint8, {1}, QuantParams::Affine(0.5f, 10)};

TEST(RequantizeTest, TheMultiplierIsRoundedOnce) {
  // As floats, 1e-30 * 1e-30 is 0 and the quotient with it.
  EXPECT_EQ(RequantizeMultiplier(1e-30f, 1e-30f, 1e-30f), 1e-30f);
  EXPECT_EQ(RequantizeMultiplier(0.5f, 0.25f, 2), 0.0625f);
}

TEST(RequantizeTest, AClampIsRoundedAndSaturated) {
  const QuantizedClamp relu6 = QuantizeClamp({0, 6}, 0.05f, 3, DataType::kUint8);
  EXPECT_EQ(relu6.min, 3);
  EXPECT_EQ(relu6.max, 123);
  const QuantizedClamp none = QuantizeClamp({}, 0.05f, 3, DataType::kUint8);
  EXPECT_EQ(none.min, 0);
  EXPECT_EQ(none.max, 255);
}

TEST(RequantizeTest, EveryChannelHasItsMultiplier) {
  const auto stage = MakeOutputStage({}, 0.5f, {1, 3}, kOutput, nullptr);
  ASSERT_TRUE(stage.ok()) << stage.status();
  EXPECT_EQ(stage->Apply(20, 0), 30);
  EXPECT_EQ(stage->Apply(20, 1), 70);
  EXPECT_EQ(stage->Apply(-20, 0), 0);
  EXPECT_EQ(stage->Apply(std::numeric_limits<int32_t>::max(), 0), 255);
}

TEST(RequantizeTest, TheTableIsReadAfterTheClamp) {
  std::vector<uint8_t> table(256);
  for (size_t i = 0; i < 256; ++i) table[i] = static_cast<uint8_t>(255 - i);
  FusedActivation activation;
  activation.clamp.max = 4;
  activation.table_quantizer = true;
  activation.table_scale = 2;
  activation.table_zero_point = 1;
  const auto stage = MakeOutputStage(activation, 1, {1}, kOutput, table.data());
  ASSERT_TRUE(stage.ok()) << stage.status();
  EXPECT_EQ(stage->Apply(2, 0), 253);    // index 2 / 2 + 1
  EXPECT_EQ(stage->Apply(100, 0), 252);  // index 4 / 2 + 1
}

TEST(RequantizeTest, ReadsAnActivationWithItsAttributes) {
  const TensorType x{DataType::kFloat32, {1}, {}};
  const auto check = [&x](const Attributes& attributes) {
    AttributeReader reader(attributes);
    const FusedActivation activation = FusedActivation::Read(reader);
    absl::Status status = reader.Finish();
    status.Update(activation.Check(x, {}));
    return std::string(status.message());
  };
  using Name = std::string;
  EXPECT_EQ(check({{"activation", Name("elu")}, {"activation_alpha", 0.5f}}), "");
  EXPECT_THAT(check({{"activation", Name("elu")}, {"activation_beta", 0.5f}}), HasSubstr("beta"));
  EXPECT_THAT(check({{"activation", Name("conv2d")}}), HasSubstr("'conv2d' is no function"));
  EXPECT_THAT(check({{"activation_alpha", 0.5f}}), HasSubstr("without an activation"));
  FusedActivation silu;
  silu.function = "silu";
  EXPECT_THAT(std::string(silu.Check(kOutput, {}).message()),
              HasSubstr("silu needs float32 inputs, found uint8"));
}

TEST(RequantizeTest, RefusesScalesThatOverflow) {
  const TensorType output{DataType::kUint8, {1}, QuantParams::Affine(1e-30f, 0)};
  EXPECT_THAT(std::string(MakeOutputStage({}, 1e20f, {1}, output, nullptr).status().message()),
              HasSubstr("overflow a float"));
}

}  // namespace
}  // namespace synap_internal
