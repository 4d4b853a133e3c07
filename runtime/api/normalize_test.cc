#include "runtime/api/normalize.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/rounding.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;

template <typename Q, typename V>
std::vector<Q> Converted(const Normalization& how, const std::vector<V>& values) {
  std::vector<Q> result(values.size());
  const absl::Status status = Normalize(how, absl::MakeConstSpan(values), result.data());
  EXPECT_TRUE(status.ok()) << status;
  return result;
}

Normalization Affine(DataType dtype, float qscale, int zero_point, float scale, float mean) {
  Normalization how;
  how.dtype = dtype;
  how.quant = QuantParams::Affine(qscale, zero_point);
  how.scale = scale;
  how.mean = {mean};
  how.inner = 1000;
  return how;
}

TEST(NormalizeTest, RoundsTowardZeroAfterAddingAHalf) {
  // Below -0.5 truncation gives another result than rounding: -2.25 + 0.5 is -1.
  const Normalization how = Affine(DataType::kInt8, 0.5f, 0, 2, 0);
  EXPECT_EQ(how.scale * how.quant.scale(), 1);  // a pure offset
  EXPECT_THAT((Converted<int8_t, int16_t>(how, {-200, -5, 5, 200})), ElementsAre(-128, -5, 5, 127));
  const Normalization halves = Affine(DataType::kInt8, 1, 0, 2, 0);
  EXPECT_THAT((Converted<int8_t, int16_t>(halves, {-5, -4, -3, -1, 1, 3, 5})),
              ElementsAre(-2, -1, -1, 0, 1, 2, 3));
}

TEST(NormalizeTest, TruncatesTheMeanToAnInteger) {
  const Normalization how = Affine(DataType::kUint8, 1, 10, 1, 2.9f);
  EXPECT_THAT((Converted<uint8_t, uint8_t>(how, {0, 2, 255})), ElementsAre(8, 10, 255));
}

TEST(NormalizeTest, SkipsADivisionByNearlyOne) {
  const Normalization near = Affine(DataType::kUint8, 1 / 255.0f, 0, 255.5f, 0);
  EXPECT_THAT((Converted<uint8_t, uint8_t>(near, {0, 128, 254, 255})),
              ElementsAre(0, 128, 254, 255));
  const Normalization far = Affine(DataType::kUint8, 1 / 255.0f, 0, 257, 0);
  EXPECT_THAT((Converted<uint8_t, uint8_t>(far, {255})), ElementsAre(253));
}

TEST(NormalizeTest, PlainUint8IsAffineWithoutQuantization) {
  Normalization how;
  how.dtype = DataType::kUint8;
  how.inner = 1000;
  EXPECT_THAT((Converted<uint8_t, float>(how, {-3.0f, 1.9f, 300.0f, std::nanf("")})),
              ElementsAre(0, 1, 255, 0));
  EXPECT_TRUE(IsCopy(how));
}

TEST(NormalizeTest, ShiftsIntegersOfFixedPointTensors) {
  Normalization how;
  how.dtype = DataType::kInt16;
  how.quant = QuantParams::FixedPoint(4);
  how.inner = 1000;
  EXPECT_THAT((Converted<int16_t, int16_t>(how, {1, -1, 3000})), ElementsAre(16, -16, 32767));
  how.quant = QuantParams::FixedPoint(-1);
  EXPECT_THAT((Converted<int16_t, int16_t>(how, {3, -3})), ElementsAre(1, -2));
  how.quant = QuantParams::FixedPoint(4);
  how.scale = 10;
  EXPECT_THAT((Converted<int16_t, int16_t>(how, {1, 3, -3})), ElementsAre(2, 5, -4));
}

TEST(NormalizeTest, AffineInt16RoundsHalfToEvenWithTheWholeMean) {
  const Normalization how = Affine(DataType::kInt16, 0.5f, 10, 2, 0.5f);
  EXPECT_THAT((Converted<int16_t, float>(how, {0.5f, 1.5f, 3.0f, -1.0f, 2.0f, 1e9f, -1e9f})),
              ElementsAre(10, 11, 12, 8, 12, 32767, -32768));
  EXPECT_THAT((Converted<int16_t, int16_t>(how, {1, 2, 32767})), ElementsAre(10, 12, 32767));
  EXPECT_THAT((Converted<int16_t, uint8_t>(how, {0, 255})), ElementsAre(10, 264));
}

TEST(NormalizeTest, AffineInt16WithoutNormalizationIsACopy) {
  TensorMetadata metadata;
  metadata.shape = {1, 3};
  metadata.dtype = DataType::kInt16;
  metadata.quant = QuantParams::Affine(3.05e-5f, 0);
  const auto how = MakeNormalization(metadata, /*is_input=*/true);
  ASSERT_TRUE(how.ok()) << how.status();
  EXPECT_TRUE(IsCopy(*how));
  EXPECT_THAT((Converted<int16_t, int16_t>(*how, {-32768, 32765, 32767})),
              ElementsAre(-32768, 32765, 32767));
}

// A picture of two pixels and three channels.
Normalization Pixels(DataType dtype, const QuantParams& quant, TensorLayout layout) {
  TensorMetadata metadata;
  metadata.shape = layout == TensorLayout::kNchw ? Shape{1, 3, 1, 2} : Shape{1, 1, 2, 3};
  metadata.layout = layout;
  metadata.dtype = dtype;
  metadata.quant = quant;
  metadata.pixels = PixelMapping{{0, 127.5f, 100}, {255, 127.5f, 1}};
  const auto how = MakeNormalization(metadata, /*is_input=*/true);
  EXPECT_TRUE(how.ok()) << how.status();
  return *how;
}

TEST(NormalizeTest, PixelsAreNormalizedForEachChannelAndRoundedHalfToEven) {
  const QuantParams hundredths = QuantParams::Affine(0.01f, 5);
  EXPECT_THAT((Converted<int8_t, uint8_t>(Pixels(DataType::kInt8, hundredths, TensorLayout::kNhwc),
                                          {255, 255, 101, 0, 0, 0})),
              ElementsAre(105, 105, 105, 5, -95, -128));
  EXPECT_THAT(
      (Converted<int16_t, uint8_t>(Pixels(DataType::kInt16, hundredths, TensorLayout::kNchw),
                                   {255, 0, 255, 0, 101, 0})),
      ElementsAre(105, 5, 105, -95, 105, -9995));
  EXPECT_THAT((Converted<float, uint8_t>(Pixels(DataType::kFloat32, {}, TensorLayout::kNhwc),
                                         {51, 255, 101, 0, 0, 0})),
              ElementsAre(0.2f, 1, 1, 0, -1, -100));
}

TEST(NormalizeTest, NumbersAreNoPixels) {
  const Normalization how =
      Pixels(DataType::kInt8, QuantParams::Affine(0.01f, 5), TensorLayout::kNhwc);
  EXPECT_TRUE(IsCopy(how));
  EXPECT_THAT((Converted<int8_t, int16_t>(how, {1, 2, 3, 4, 5, 6})), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT((Converted<int8_t, float>(how, {1, 2, 3, 4, 5, 6})), ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(NormalizeTest, PlanarMeansOfFixedPointTensorsAreNotRounded) {
  TensorMetadata metadata;
  metadata.name = "x";
  metadata.shape = {1, 2, 1, 2};
  metadata.layout = TensorLayout::kNchw;
  metadata.dtype = DataType::kInt16;
  metadata.quant = QuantParams::FixedPoint(0);
  metadata.scale = 2;
  metadata.mean = {1, 2};
  const auto how = MakeNormalization(metadata, /*is_input=*/true);
  ASSERT_TRUE(how.ok()) << how.status();
  EXPECT_THAT((Converted<int16_t, uint8_t>(*how, {2, 4, 2, 5})), ElementsAre(0, 1, 0, 1));
  metadata.layout = TensorLayout::kNhwc;
  metadata.shape = {1, 1, 2, 2};
  EXPECT_THAT((Converted<int16_t, uint8_t>(*MakeNormalization(metadata, true), {2, 4, 2, 5})),
              ElementsAre(1, 1, 1, 2));
}

TEST(NormalizeTest, RefusesMeansThatAreNotThoseOfTheChannels) {
  TensorMetadata metadata;
  metadata.shape = {1, 3, 2, 2};
  metadata.layout = TensorLayout::kNhwc;
  metadata.dtype = DataType::kUint8;
  metadata.mean = {1, 2, 3};
  EXPECT_FALSE(MakeNormalization(metadata, true).ok());
  EXPECT_TRUE(MakeNormalization(metadata, false).ok());  // outputs have no means
  metadata.layout = TensorLayout::kNchw;
  EXPECT_TRUE(MakeNormalization(metadata, true).ok());
}

TEST(NormalizeTest, FloatsAreOnlyNormalized) {
  Normalization how;
  how.dtype = DataType::kFloat32;
  how.scale = 255;
  how.mean = {127.5f};
  how.inner = 1000;
  EXPECT_THAT((Converted<float, uint8_t>(how, {0, 255})), ElementsAre(-0.5f, 0.5f));
}

TEST(NormalizeTest, TruncatesToHalf) {
  EXPECT_EQ(TruncateToHalf(1.0f), 0x3C00);
  EXPECT_EQ(TruncateToHalf(-1.9999f), 0xBFFF);  // not -2
  EXPECT_EQ(TruncateToHalf(1e6f), 0x7BFF);
  EXPECT_EQ(TruncateToHalf(-std::numeric_limits<float>::infinity()), 0xFBFF);
  EXPECT_EQ(TruncateToHalf(6.0e-5f), 0);  // a denormal
  EXPECT_EQ(TruncateToHalf(6.2e-5f), 0x0410);
  for (const float value : {0.1f, 3.14159f, 1234.5f}) {
    EXPECT_LE(HalfToFloat(TruncateToHalf(value)), value);
  }
}

TEST(NormalizeTest, RefusesQuantizersOfWeights) {
  Normalization how;
  how.dtype = DataType::kInt8;
  how.quant = QuantParams::PerChannel({1, 2}, 0);
  int8_t data = 0;
  const uint8_t value = 1;
  const absl::Status status = Normalize(how, absl::MakeConstSpan(&value, 1), &data);
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_NE(status.message().find("int8 with quantizer perchannel"), absl::string_view::npos);
}

// Values of type V converted to elements of type Q by the formula of the header, in long double.
template <typename Q, typename V>
void ExpectFormula(const Normalization& how, const std::vector<V>& values) {
  const std::vector<Q> result = Converted<Q>(how, values);
  const long double step = how.quant.quantized() ? how.quant.scale() : 1;
  for (size_t i = 0; i < values.size(); ++i) {
    const long double real = (static_cast<long double>(values[i]) - how.mean[0]) / how.scale;
    const long double expected =
        std::clamp(std::nearbyint(real / step) + how.quant.zero_point(),
                   static_cast<long double>(std::numeric_limits<Q>::min()),
                   static_cast<long double>(std::numeric_limits<Q>::max()));
    EXPECT_EQ(result[i], static_cast<Q>(expected)) << Name(how.dtype) << " of " << values[i];
  }
}

// Every source into a tensor of type Q that boards don't convert to.
template <typename Q>
void ExpectAllSources(DataType dtype, const QuantParams& quant) {
  Normalization how;
  how.dtype = dtype;
  how.quant = quant;
  how.inner = 1000;
  for (const float scale : {1.0f, 4.0f}) {
    how.scale = scale;
    how.mean = {scale == 1 ? 0.0f : 3.0f};
    ExpectFormula<Q>(how, std::vector<uint8_t>{0, 1, 5, 128, 255});
    ExpectFormula<Q>(how, std::vector<int16_t>{-32768, -5, 0, 6, 32767});
    ExpectFormula<Q>(how, std::vector<uint16_t>{0, 6, 65535});
    ExpectFormula<Q>(how, std::vector<int32_t>{INT32_MIN, -16777217, 0, 16777217, INT32_MAX});
    ExpectFormula<Q>(how, std::vector<uint32_t>{0, 16777217, UINT32_MAX});
    ExpectFormula<Q>(how, std::vector<float>{-2.5f, -0.5f, 0.5f, 1.5f, 1e6f});
  }
}

TEST(NormalizeTest, ConvertsToIntegersThatBoardsDont) {
  ExpectAllSources<int8_t>(DataType::kInt8, {});
  ExpectAllSources<int16_t>(DataType::kInt16, {});
  ExpectAllSources<int16_t>(DataType::kInt16, QuantParams::Affine(0.5f, -7));
  ExpectAllSources<uint8_t>(DataType::kUint8, QuantParams::FixedPoint(2));
  ExpectAllSources<uint16_t>(DataType::kUint16, {});
  ExpectAllSources<uint16_t>(DataType::kUint16, QuantParams::Affine(0.25f, 100));
  ExpectAllSources<int32_t>(DataType::kInt32, {});
  ExpectAllSources<int32_t>(DataType::kInt32, QuantParams::FixedPoint(-3));
  ExpectAllSources<uint32_t>(DataType::kUint32, {});
  ExpectAllSources<int64_t>(DataType::kInt64, {});
}

TEST(NormalizeTest, ConvertsIntegersOf32BitsExactly) {
  Normalization how;
  how.dtype = DataType::kFloat32;
  how.mean = {16777216};
  how.inner = 2;
  EXPECT_THAT(Converted<float>(how, std::vector<int32_t>{16777217, 16777219}), ElementsAre(1, 3));
  how.dtype = DataType::kFloat16;
  EXPECT_THAT(Converted<uint16_t>(how, std::vector<uint32_t>{16777217, 16777218}),
              ElementsAre(0x3C00, 0x4000));
}

TEST(NormalizeTest, EveryValueButTheMeanIsTrue) {
  Normalization how;
  how.dtype = DataType::kBool;
  how.inner = 3;
  EXPECT_THAT(Converted<uint8_t>(how, std::vector<float>{0, -0.0f, 0.1f}), ElementsAre(0, 0, 1));
  EXPECT_THAT(Converted<uint8_t>(how, std::vector<uint8_t>{0, 1, 255}), ElementsAre(0, 1, 1));
}

TEST(NormalizeTest, KnowsWhenItIsACopy) {
  EXPECT_TRUE(IsCopy(Affine(DataType::kUint8, 1 / 255.0f, 3, 255, 3)));
  EXPECT_FALSE(IsCopy(Affine(DataType::kUint8, 1 / 255.0f, 3, 255, 0)));
  EXPECT_FALSE(IsCopy(Affine(DataType::kUint8, 1 / 255.0f, 3, 1, 3)));
  Normalization how;
  how.dtype = DataType::kInt16;
  how.quant = QuantParams::FixedPoint(0);
  EXPECT_TRUE(IsCopy(how));
  how.quant = QuantParams::FixedPoint(1);
  EXPECT_FALSE(IsCopy(how));
  how = Normalization();
  how.dtype = DataType::kFloat32;
  EXPECT_TRUE(IsCopy(how));
  how.scale = 1.001f;
  EXPECT_FALSE(IsCopy(how));
}

TEST(DequantizeTest, GivesRealNumbers) {
  const uint8_t bytes[] = {0, 3, 255};
  float values[3];
  Dequantize(DataType::kUint8, QuantParams::Affine(0.5f, 3), bytes, absl::MakeSpan(values));
  EXPECT_THAT(values, ElementsAre(-1.5f, 0, 126));
  const int16_t fixed[] = {-8, 0, 4};
  Dequantize(DataType::kInt16, QuantParams::FixedPoint(3), fixed, absl::MakeSpan(values));
  EXPECT_THAT(values, ElementsAre(-1, 0, 0.5f));
  const uint32_t plain[] = {0, 1, 4000000000u};
  Dequantize(DataType::kUint32, {}, plain, absl::MakeSpan(values));
  EXPECT_THAT(values, ElementsAre(0, 1, 4e9f));
  const int64_t indices[] = {-1, 0, int64_t{1} << 40};
  Dequantize(DataType::kInt64, {}, indices, absl::MakeSpan(values));
  EXPECT_THAT(values, ElementsAre(-1, 0, 0x1p40f));
}

TEST(IsCopyTest, AsksThePixelMappingOfBytes) {
  Normalization how;
  how.dtype = DataType::kUint8;
  how.quant = QuantParams::Affine(0.5f, 0);
  how.pixels = PixelMapping{{0}, {2}};
  EXPECT_TRUE(IsCopy(how));
  how.pixels = PixelMapping{{0}, {1}};
  EXPECT_FALSE(IsCopy(how));
  how.pixels = PixelMapping{{0, 0, 3}, {2}};
  how.pixel_channels = 3;
  EXPECT_FALSE(IsCopy(how));
}

}  // namespace
}  // namespace synap_internal
