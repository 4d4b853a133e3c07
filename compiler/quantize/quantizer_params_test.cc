#include "compiler/quantize/quantizer_params.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace synap_internal {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(QuantizerParamsTest, AffineParamsMapTheRangeOntoAllIntegers) {
  EXPECT_EQ(AffineParams({-1, 1.55f}, DataType::kUint8), QuantParams::Affine(0.01f, 100));
  EXPECT_EQ(AffineParams({-1, 1.55f}, DataType::kInt8), QuantParams::Affine(0.01f, -28));
  EXPECT_EQ(AffineParams({-32768, 32767}, DataType::kInt16), QuantParams::Affine(1, 0));
}

TEST(QuantizerParamsTest, AffineParamsWidenARangeToHoldZero) {
  EXPECT_EQ(AffineParams({1, 2.55f}, DataType::kUint8), QuantParams::Affine(0.01f, 0));
  EXPECT_EQ(AffineParams({-2.55f, -1}, DataType::kUint8), QuantParams::Affine(0.01f, 255));
}

TEST(QuantizerParamsTest, AffineParamsRoundTheZeroPointHalfToEven) {
  EXPECT_EQ(AffineParams({-0.5f, 254.5f}, DataType::kUint8), QuantParams::Affine(1, 0));
  EXPECT_EQ(AffineParams({-1.5f, 253.5f}, DataType::kUint8), QuantParams::Affine(1, 2));
  EXPECT_EQ(AffineParams({-2.5f, 252.5f}, DataType::kUint8), QuantParams::Affine(1, 2));
}

TEST(QuantizerParamsTest, RangesOfZeroAloneOrTooNarrowForAFloatAreTakenAsMinusOneToOne) {
  const QuantParams unknown = AffineParams({-1, 1}, DataType::kUint8);
  EXPECT_EQ(unknown, QuantParams::Affine(static_cast<float>(2.0 / 255), 127));
  EXPECT_EQ(AffineParams({0, 0}, DataType::kUint8), unknown);
  EXPECT_EQ(AffineParams({0, 1e-37f}, DataType::kUint8), unknown);
  // The smallest normal float is a scale.
  const float smallest = std::numeric_limits<float>::min();
  EXPECT_EQ(AffineParams({0, 255 * smallest}, DataType::kUint8), QuantParams::Affine(smallest, 0));
  EXPECT_EQ(FixedPointParams({0, 0}, DataType::kInt8), QuantParams::FixedPoint(6));
  EXPECT_EQ(FixedPointParams({0, 0}, DataType::kInt8), FixedPointParams({-1, 1}, DataType::kInt8));
}

TEST(QuantizerParamsTest, AffineParamsOfTheWidestRangeAreFinite) {
  const float largest = std::numeric_limits<float>::max();
  const QuantParams params = AffineParams({-largest, largest}, DataType::kUint8);
  EXPECT_TRUE(std::isfinite(params.scale()));
  EXPECT_EQ(params.zero_point(), 128);
}

TEST(QuantizerParamsTest, FixedPointParamsHaveTheMostFractionalBitsThatHoldTheRange) {
  EXPECT_EQ(FixedPointParams({-1, 1}, DataType::kInt8), QuantParams::FixedPoint(6));
  EXPECT_EQ(FixedPointParams({0, 127}, DataType::kInt8), QuantParams::FixedPoint(0));
  EXPECT_EQ(FixedPointParams({-127, 0}, DataType::kInt8), QuantParams::FixedPoint(0));
  EXPECT_EQ(FixedPointParams({-128, 0}, DataType::kInt8), QuantParams::FixedPoint(-1));
  EXPECT_EQ(FixedPointParams({0, 1}, DataType::kInt16), QuantParams::FixedPoint(14));
  // 127.49 rounds to 127, 127.5 (half to even) to 128.
  EXPECT_EQ(FixedPointParams({0, 127.49f}, DataType::kInt8), QuantParams::FixedPoint(0));
  EXPECT_EQ(FixedPointParams({0, 127.5f}, DataType::kInt8), QuantParams::FixedPoint(-1));
}

TEST(QuantizerParamsTest, FractionalLengthsAreLimited) {
  EXPECT_EQ(FixedPointParams({0, 1e-30f}, DataType::kInt8), QuantParams::FixedPoint(60));
  EXPECT_EQ(FixedPointParams({0, 1e30f}, DataType::kInt8), QuantParams::FixedPoint(-60));
}

TEST(QuantizerParamsTest, ParamsForTakesThePrecisionsScheme) {
  const ValueRange range{-1, 1.55f};
  EXPECT_EQ(ParamsFor(range, PrecisionOf(DataType::kUint8)), AffineParams(range, DataType::kUint8));
  EXPECT_EQ(ParamsFor(range, PrecisionOf(DataType::kInt16)),
            FixedPointParams(range, DataType::kInt16));
}

TEST(QuantizerParamsTest, WidenedRaisesAScaleAndKeepsTheZeroPoint) {
  const QuantParams affine = QuantParams::Affine(0.5f, 3);
  EXPECT_EQ(Widened(affine, 0.25f), affine);
  EXPECT_EQ(Widened(affine, 0.5f), affine);
  EXPECT_EQ(Widened(affine, 0.75f), QuantParams::Affine(0.75f, 3));
  const QuantParams fixed = QuantParams::FixedPoint(3);  // 0.125
  EXPECT_EQ(Widened(fixed, 0.125f), fixed);
  EXPECT_EQ(Widened(fixed, 0.25f), QuantParams::FixedPoint(2));
  EXPECT_EQ(Widened(fixed, 0.3f), QuantParams::FixedPoint(1));
  EXPECT_EQ(Widened(fixed, 1e30f), QuantParams::FixedPoint(-60));
}

TEST(QuantizerParamsTest, ChannelParamsAreTheLargestMagnitudeOfEachIndex) {
  const std::vector<float> values = {1.27f, -2.54f, 0, -0.5f, 0.1f, 0};  // [2, 3]
  const std::vector<float> none(3, 0);
  EXPECT_EQ(ChannelParams(values, Shape({2, 3}), 1, none),
            QuantParams::PerChannel({1.27f / 127, 2.54f / 127, 1.0f / 127}, 1));
  EXPECT_EQ(ChannelParams(values, Shape({2, 3}), 0, none),
            QuantParams::PerChannel({2.54f / 127, 0.5f / 127}, 0));
  // Of an axis in the middle: [1, 2, 3].
  EXPECT_EQ(ChannelParams(values, Shape({1, 2, 3}), 1, none),
            QuantParams::PerChannel({2.54f / 127, 0.5f / 127}, 1));
}

TEST(QuantizerParamsTest, ChannelParamsAreAtLeastTheSmallestThatIsAskedFor) {
  const std::vector<float> values = {1.27f, 1.27f, 0};
  const std::vector<float> smallest = {0.005f, 0.02f, 0.5f};
  EXPECT_EQ(ChannelParams(values, Shape({3}), 0, smallest),
            QuantParams::PerChannel({1.27f / 127, 0.02f, 0.5f}, 0));
}

TEST(QuantizerParamsTest, WidthsHoldZero) {
  EXPECT_EQ(WidthOf({-1, 2}), 3);
  EXPECT_EQ(WidthOf({1, 2}), 2);
  EXPECT_EQ(WidthOf({-2, -1}), 2);
}

TEST(QuantizerParamsTest, RangesAreThoseOfFiniteValues) {
  const std::vector<float> values = {kInfinity, 2, NAN, 3, 1, -kInfinity};
  EXPECT_EQ(RangeOf(values), (ValueRange{1, 3}));
  EXPECT_EQ(RangeOf(std::vector<float>{NAN}), (ValueRange{0, 0}));
}

TEST(PrecisionTest, TypesHaveTheirSchemes) {
  const auto scheme_of = [](DataType type, QuantizationScheme scheme) {
    const Precision precision = PrecisionOf(type, scheme);
    EXPECT_EQ(precision.type, type);
    return precision.scheme;
  };
  EXPECT_EQ(scheme_of(DataType::kFloat16, QuantizationScheme::kDefault), QuantScheme::kNone);
  EXPECT_EQ(scheme_of(DataType::kInt16, QuantizationScheme::kDefault),
            QuantScheme::kDynamicFixedPoint);
  EXPECT_EQ(scheme_of(DataType::kInt16, QuantizationScheme::kPerchannelSymmetricAffine),
            QuantScheme::kDynamicFixedPoint);
  EXPECT_EQ(scheme_of(DataType::kUint8, QuantizationScheme::kDefault),
            QuantScheme::kAsymmetricAffine);
  EXPECT_EQ(scheme_of(DataType::kInt8, QuantizationScheme::kDynamicFixedPoint),
            QuantScheme::kDynamicFixedPoint);
}

TEST(PrecisionTest, OnlyThePerChannelSchemeOfEightBitsIsChannelwise) {
  EXPECT_TRUE(
      PrecisionOf(DataType::kUint8, QuantizationScheme::kPerchannelSymmetricAffine).channelwise);
  EXPECT_FALSE(PrecisionOf(DataType::kUint8, QuantizationScheme::kAsymmetricAffine).channelwise);
  EXPECT_FALSE(PrecisionOf(DataType::kUint8, QuantizationScheme::kDynamicFixedPoint).channelwise);
  EXPECT_FALSE(
      PrecisionOf(DataType::kInt16, QuantizationScheme::kPerchannelSymmetricAffine).channelwise);
  EXPECT_FALSE(
      PrecisionOf(DataType::kFloat16, QuantizationScheme::kPerchannelSymmetricAffine).channelwise);
}

}  // namespace
}  // namespace synap_internal
