#include "runtime/verify/tensor_values.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/tensor_type.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double kInf = std::numeric_limits<double>::infinity();

template <typename T>
std::vector<double> Real(DataType type, const std::vector<T>& stored, QuantParams quant = {}) {
  const Shape shape({static_cast<int64_t>(stored.size())});
  return RealValues({type, shape, std::move(quant)}, stored.data());
}

TEST(TensorValuesTest, ReadsEveryType) {
  EXPECT_THAT(Real<uint8_t>(DataType::kBool, {0, 1}), ElementsAre(0, 1));
  EXPECT_THAT(Real<int8_t>(DataType::kInt8, {-128, 127}), ElementsAre(-128, 127));
  EXPECT_THAT(Real<uint16_t>(DataType::kUint16, {65535}), ElementsAre(65535));
  EXPECT_THAT(Real<uint32_t>(DataType::kUint32, {UINT32_MAX}), ElementsAre(4294967295.0));
  EXPECT_THAT(Real<int64_t>(DataType::kInt64, {-(int64_t{1} << 40)}), ElementsAre(-0x1p40));
  EXPECT_THAT(Real<uint16_t>(DataType::kFloat16, {0x3e00, 0xfc00}), ElementsAre(1.5, -kInf));
  EXPECT_THAT(Real<float>(DataType::kFloat32, {0.5f}), ElementsAre(0.5));
}

TEST(TensorValuesTest, DequantizesInFloat32AsTheRuntimeDoes) {
  EXPECT_THAT(Real<uint8_t>(DataType::kUint8, {0, 13}, QuantParams::Affine(0.1f, 10)),
              ElementsAre(-10 * 0.1f, 3 * 0.1f));
  EXPECT_THAT(Real<int16_t>(DataType::kInt16, {-3}, QuantParams::FixedPoint(4)),
              ElementsAre(-0.1875));
}

TEST(TensorValuesTest, StoresRoundedAndSaturated) {
  const TensorType type{DataType::kUint8, Shape({4}), QuantParams::Affine(0.5f, 10)};
  std::vector<uint8_t> stored(4);
  ASSERT_TRUE(StoreRealValues(type, {0.25, 0.75, -100, 1000}, stored.data()).ok());
  EXPECT_THAT(stored, ElementsAre(10, 12, 0, 255));
  int16_t fixed = 0;
  ASSERT_TRUE(
      StoreRealValues({DataType::kInt16, Shape({1}), QuantParams::FixedPoint(4)}, {-0.1875}, &fixed)
          .ok());
  EXPECT_EQ(fixed, -3);
  uint16_t half = 0;
  ASSERT_TRUE(StoreRealValues({DataType::kFloat16, Shape({1}), {}}, {1.5}, &half).ok());
  EXPECT_EQ(half, 0x3e00);
}

TEST(TensorValuesTest, ChannelsHaveTheirOwnScales) {
  const int8_t stored[] = {1, 2, 3, 4};
  const TensorType type{DataType::kInt8, Shape({2, 2}), QuantParams::PerChannel({1, 10}, 0)};
  EXPECT_THAT(RealValues(type, stored), ElementsAre(1, 2, 30, 40));
}

TEST(TensorValuesTest, OnlyActivationsAreMadeFromRealValues) {
  int64_t stored[2] = {};
  for (const DataType type : {DataType::kInt32, DataType::kUint32, DataType::kInt64}) {
    EXPECT_THAT(
        std::string(StoreRealValues({type, Shape({1}), QuantParams::Affine(0.5f, 5)}, {1}, stored)
                        .message()),
        HasSubstr("expected values of that type"));
  }
  EXPECT_FALSE(StoreRealValues({DataType::kInt8, Shape({2}), QuantParams::PerChannel({1, 2}, 0)},
                               {1, 2}, stored)
                   .ok());
}

TEST(TensorValuesTest, DifferencesInTheLastPlaceAreShown) {
  const TensorType type{DataType::kInt32, Shape({1}), {}};
  EXPECT_THAT(DifferenceText(Compare(type, {1234567}, {1234568}), type.shape),
              HasSubstr("is 1234567, expected 1234568"));
}

TEST(TensorValuesTest, PlainIntegersMustFit) {
  int32_t stored = 0;
  const TensorType type{DataType::kInt32, Shape({1}), {}};
  ASSERT_TRUE(StoreRealValues(type, {-7}, &stored).ok());
  EXPECT_EQ(stored, -7);
  for (const double value : {0.5, 0x1p31, kInf, std::nan("")}) {
    EXPECT_THAT(std::string(StoreRealValues(type, {value}, &stored).message()),
                HasSubstr("expected whole numbers from -2147483648 to 2147483647 (int32)"));
  }
  int64_t large = 0;
  EXPECT_FALSE(StoreRealValues({DataType::kInt64, Shape({1}), {}}, {0x1p63}, &large).ok());
}

TEST(TensorValuesTest, MeasuresDifferencesInSteps) {
  const TensorType type{DataType::kUint8, Shape({1, 2, 2}), QuantParams::Affine(0.5f, 10)};
  const Difference same = Compare(type, {0, 1, 2, 3}, {0, 1, 2, 3});
  EXPECT_EQ(same.differing, 0);
  EXPECT_EQ(same.sqnr_db, 200);
  const Difference other = Compare(type, {0, 1.5, 2, 5}, {0, 1, 2, 3});
  EXPECT_EQ(other.differing, 2);
  EXPECT_EQ(other.steps, 4);
  EXPECT_EQ(other.at, 3);
  EXPECT_NEAR(other.sqnr_db, 10 * std::log10(14 / 4.25), 1e-6);
  EXPECT_EQ(DifferenceText(other, type.shape),
            "2 of 4 elements differ, most by 4 steps: element [0,1,1] is 5, expected 3");
}

TEST(TensorValuesTest, AFloatsStepIsAPartOfTheRange) {
  const TensorType type{DataType::kFloat32, Shape({2}), {}};
  EXPECT_DOUBLE_EQ(Compare(type, {510, 2}, {510, 0}).steps, 1);
  EXPECT_EQ(Compare(type, {0.5, 0}, {0, 0}).steps, 0.5);
}

TEST(TensorValuesTest, NanEqualsOnlyNan) {
  const TensorType type{DataType::kFloat32, Shape({2}), {}};
  EXPECT_EQ(Compare(type, {std::nan(""), 1}, {std::nan(""), 1}).differing, 0);
  EXPECT_EQ(Compare(type, {std::nan(""), 1}, {0, 1}).steps, kInf);
  EXPECT_EQ(Compare(type, {kInf, 1}, {kInf, 1}).differing, 0);
  EXPECT_EQ(Compare(type, {kInf, 1}, {-kInf, 1}).steps, kInf);
}

}  // namespace
}  // namespace synap_internal
