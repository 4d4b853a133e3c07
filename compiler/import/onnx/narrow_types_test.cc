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

TEST(NarrowTypesTest, IntegersHaveARange) {
  const auto range = [](int type) {
    const IntegerRange found = NarrowRange(type);
    return std::vector<int64_t>{found.min, found.max};
  };
  EXPECT_THAT(range(kInt4), ElementsAre(-8, 7));
  EXPECT_THAT(range(kUint4), ElementsAre(0, 15));
  EXPECT_THAT(range(kInt2), ElementsAre(-2, 1));
  EXPECT_THAT(range(kUint2), ElementsAre(0, 3));
  EXPECT_EQ(WideTypeOf(kInt4), DataType::kInt8);
  EXPECT_EQ(WideTypeOf(kUint2), DataType::kUint8);
  EXPECT_EQ(WideTypeOf(kFloat4E2M1), DataType::kFloat32);
}

// Each number of a type is itself, and what is halfway between two becomes the even one.
TEST(NarrowTypesTest, FloatsAreRoundedHalfToEven) {
  for (const int type : {kFloat8E4M3FN, kFloat8E4M3FNUZ, kFloat8E5M2, kFloat8E5M2FNUZ}) {
    std::vector<uint8_t> bytes;
    for (int byte = 0; byte < 128; ++byte) bytes.push_back(static_cast<uint8_t>(byte));
    const std::vector<float> values = Unpack<float>(type, 128, bytes);
    for (size_t i = 0; i + 1 < values.size(); ++i) {
      if (!std::isfinite(values[i + 1])) break;
      EXPECT_EQ(RoundToNarrow(type, values[i], false), values[i]) << type;
      EXPECT_EQ(RoundToNarrow(type, -values[i], false), -values[i]) << type;
      const float middle = (values[i] + values[i + 1]) / 2;
      EXPECT_EQ(RoundToNarrow(type, middle, false), values[i + i % 2]) << type << " " << middle;
      EXPECT_EQ(RoundToNarrow(type, std::nextafter(middle, 0.0f), false), values[i]);
    }
  }
  EXPECT_EQ(RoundToNarrow(kFloat4E2M1, 0.25f, true), 0);
  EXPECT_EQ(RoundToNarrow(kFloat4E2M1, -3.5f, true), -4);
}

TEST(NarrowTypesTest, FloatsBeyondTheLargestSaturateOnRequest) {
  EXPECT_EQ(RoundToNarrow(kFloat8E4M3FN, 464, false), 448);
  EXPECT_TRUE(std::isnan(RoundToNarrow(kFloat8E4M3FN, 465, false)));
  EXPECT_EQ(RoundToNarrow(kFloat8E4M3FN, -kInfinity, true), -448);
  EXPECT_EQ(RoundToNarrow(kFloat8E5M2, 1e6f, true), 57344);
  EXPECT_EQ(RoundToNarrow(kFloat8E5M2, -1e6f, false), -kInfinity);
  EXPECT_TRUE(std::isnan(RoundToNarrow(kFloat8E5M2FNUZ, kInfinity, false)));
  EXPECT_EQ(RoundToNarrow(kFloat4E2M1, kInfinity, false), 6);
}

TEST(NarrowTypesTest, FloatsKeepNanAndSignsThatTheyHave) {
  const float nan = std::nanf("");
  EXPECT_TRUE(std::isnan(RoundToNarrow(kFloat8E4M3FNUZ, nan, true)));
  EXPECT_EQ(RoundToNarrow(kFloat4E2M1, nan, true), 0);
  EXPECT_TRUE(std::signbit(RoundToNarrow(kFloat8E4M3FN, -1e-7f, true)));
  EXPECT_FALSE(std::signbit(RoundToNarrow(kFloat8E4M3FNUZ, -1e-7f, true)));
}

TEST(NarrowTypesTest, PowersOfTwoRoundByMode) {
  const auto round = [](float value, PowerRounding powers) {
    return RoundToNarrow(kFloat8E8M0, value, true, powers);
  };
  EXPECT_EQ(round(1.1f, PowerRounding::kUp), 2);
  EXPECT_EQ(round(1.9f, PowerRounding::kDown), 1);
  EXPECT_EQ(round(1.5f, PowerRounding::kNearest), 2);
  EXPECT_EQ(round(1.4f, PowerRounding::kNearest), 1);
  EXPECT_EQ(round(4, PowerRounding::kUp), 4);
  EXPECT_EQ(round(0, PowerRounding::kUp), 0x1p-127f);
  EXPECT_EQ(round(kInfinity, PowerRounding::kUp), 0x1p127f);
  EXPECT_TRUE(std::isnan(round(-1, PowerRounding::kUp)));
  EXPECT_TRUE(std::isnan(RoundToNarrow(kFloat8E8M0, kInfinity, false)));
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
