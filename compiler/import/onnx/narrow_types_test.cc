#include "compiler/import/onnx/narrow_types.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace synap_internal::onnx_import {
namespace {

using ::testing::ElementsAre;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Values of TensorProto::DataType.
enum OnnxType {
  kFloat8E4M3FN = 17,
  kFloat8E4M3FNUZ,
  kFloat8E5M2,
  kFloat8E5M2FNUZ,
  kUint4,
  kInt4,
  kFloat4E2M1,
  kFloat8E8M0,
  kUint2,
  kInt2,
};

template <typename T>
std::vector<T> Unpack(int type, int64_t count, const std::vector<uint8_t>& bytes) {
  const absl::StatusOr<TensorData> data = UnpackNarrow(type, Shape({count}), bytes);
  EXPECT_TRUE(data.ok()) << data.status();
  if (!data.ok()) return {};
  EXPECT_EQ(data->type.dtype, DataTypeOf<T>());
  const auto* begin = reinterpret_cast<const T*>(data->constant.bytes.data());
  return std::vector<T>(begin, begin + count);
}

TEST(NarrowTypesTest, AreThoseOfLessThanAByteAndSmallFloats) {
  for (int type = 0; type < 40; ++type) {
    EXPECT_EQ(IsNarrowType(type), type >= kFloat8E4M3FN && type <= kInt2) << type;
  }
}

TEST(NarrowTypesTest, IntegersArePackedFromTheLowestBitsOn) {
  EXPECT_THAT(Unpack<int8_t>(kInt4, 3, {0x87, 0x0f}), ElementsAre(7, -8, -1));
  EXPECT_THAT(Unpack<uint8_t>(kUint4, 3, {0x87, 0x0f}), ElementsAre(7, 8, 15));
  EXPECT_THAT(Unpack<int8_t>(kInt2, 5, {0xb4, 0x03}), ElementsAre(0, 1, -1, -2, -1));
  EXPECT_THAT(Unpack<uint8_t>(kUint2, 4, {0xb4}), ElementsAre(0, 1, 3, 2));
}

TEST(NarrowTypesTest, FloatsHaveDenormalNumbers) {
  // The smallest, the largest denormal, 1, the largest, and -1.
  EXPECT_THAT(Unpack<float>(kFloat8E4M3FN, 5, {0x01, 0x07, 0x38, 0x7e, 0xb8}),
              ElementsAre(0x1p-9f, 0x7p-9f, 1, 448, -1));
  EXPECT_THAT(Unpack<float>(kFloat8E4M3FNUZ, 4, {0x01, 0x40, 0x7f, 0xc0}),
              ElementsAre(0x1p-10f, 1, 240, -1));
  EXPECT_THAT(Unpack<float>(kFloat8E5M2, 4, {0x01, 0x3c, 0x7b, 0xfc}),
              ElementsAre(0x1p-16f, 1, 57344, -kInfinity));
  EXPECT_THAT(Unpack<float>(kFloat8E5M2FNUZ, 3, {0x01, 0x40, 0x7f}),
              ElementsAre(0x1p-17f, 1, 57344));
  EXPECT_THAT(Unpack<float>(kFloat4E2M1, 6, {0x10, 0x72, 0xfa}),
              ElementsAre(0, 0.5f, 1, 6, -1, -6));
  EXPECT_THAT(Unpack<float>(kFloat8E8M0, 3, {0, 127, 254}), ElementsAre(0x1p-127f, 1, 0x1p127f));
}

TEST(NarrowTypesTest, FloatsHaveNan) {
  EXPECT_TRUE(std::isnan(Unpack<float>(kFloat8E4M3FN, 1, {0xff})[0]));
  EXPECT_TRUE(std::isnan(Unpack<float>(kFloat8E4M3FNUZ, 1, {0x80})[0]));
  EXPECT_TRUE(std::isnan(Unpack<float>(kFloat8E5M2, 1, {0x7d})[0]));
  EXPECT_TRUE(std::isnan(Unpack<float>(kFloat8E5M2FNUZ, 1, {0x80})[0]));
  EXPECT_TRUE(std::isnan(Unpack<float>(kFloat8E8M0, 1, {0xff})[0]));
}

TEST(NarrowTypesTest, RefusesAnotherNumberOfBytes) {
  const std::vector<uint8_t> bytes(3);
  const auto data = UnpackNarrow(kInt4, Shape({3}), bytes);
  EXPECT_EQ(data.status().message(),
            "has 3 bytes of data, expected 2 for shape 3 with elements of 4 bits");
  EXPECT_FALSE(UnpackNarrow(kFloat8E5M2, Shape({4}), bytes).ok());
}

}  // namespace
}  // namespace synap_internal::onnx_import
