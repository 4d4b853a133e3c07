#include "kernels/resize/resize.h"

#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/testing/conformance.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Ints = std::vector<int64_t>;

const char* const kCoordinates[] = {"half_pixel", "asymmetric", "align_corners",
                                    "pytorch_half_pixel"};
const char* const kRoundings[] = {"floor", "round_prefer_floor", "round_prefer_ceil", "ceil"};

const OpDef& Resize() { return ResizeOps()[0]; }

OpCase Case(TestTensor x, Ints size, const std::string& mode, const std::string& coordinates,
            const std::string& rounding = "round_prefer_floor") {
  return {
      .name = x.type().shape.ToString() + " " + mode + " " + coordinates + " " + rounding,
      .inputs = {std::move(x)},
      .attributes = {
          {"size", size}, {"mode", mode}, {"coordinates", coordinates}, {"rounding", rounding}}};
}

OpCase Case(TensorType x, Ints size, const std::string& mode, const std::string& coordinates,
            const std::string& rounding = "round_prefer_floor") {
  TestRandom random(1);
  return Case(RandomTensor(std::move(x), random), std::move(size), mode, coordinates, rounding);
}

// Resizes the line 0, 10, 20, ... of `in` elements to `out`.
std::vector<float> Line(int64_t in, int64_t out, const std::string& mode,
                        const std::string& coordinates,
                        const std::string& rounding = "round_prefer_floor") {
  std::vector<float> values;
  for (int64_t i = 0; i < in; ++i) values.push_back(10 * static_cast<float>(i));
  const auto outputs = CheckConformance(
      Resize(), Case(TestTensor({1, 1, in, 1}, values), {1, out}, mode, coordinates, rounding));
  return outputs.empty() ? std::vector<float>() : outputs[0].values<float>();
}

TEST(ResizeTest, NearestRepeatsPixelsWhenUpsampling) {
  EXPECT_THAT(Line(2, 4, "nearest", "asymmetric", "floor"), ElementsAre(0, 0, 10, 10));
  EXPECT_THAT(Line(2, 4, "nearest", "half_pixel"), ElementsAre(0, 0, 10, 10));
  EXPECT_THAT(Line(2, 4, "nearest", "asymmetric", "ceil"), ElementsAre(0, 10, 10, 10));
}

TEST(ResizeTest, NearestTakesHalvesUpOrDown) {
  // Source coordinates 0, 0.5, 1, 1.5.
  EXPECT_THAT(Line(2, 4, "nearest", "asymmetric", "round_prefer_floor"), ElementsAre(0, 0, 10, 10));
  EXPECT_THAT(Line(2, 4, "nearest", "asymmetric", "round_prefer_ceil"), ElementsAre(0, 10, 10, 10));
}

TEST(ResizeTest, LinearFollowsTheCoordinates) {
  EXPECT_THAT(Line(2, 4, "linear", "half_pixel"), ElementsAre(0, 2.5, 7.5, 10));
  EXPECT_THAT(Line(2, 4, "linear", "asymmetric"), ElementsAre(0, 5, 10, 10));
  EXPECT_THAT(Line(3, 5, "linear", "align_corners"), ElementsAre(0, 5, 10, 15, 20));
  EXPECT_THAT(Line(3, 1, "linear", "align_corners"), ElementsAre(0));
  EXPECT_THAT(Line(3, 1, "linear", "half_pixel"), ElementsAre(10));
  EXPECT_THAT(Line(3, 1, "linear", "pytorch_half_pixel"), ElementsAre(0));
}

TEST(ResizeTest, ScalesOverrideTheRatioOfTheSizes) {
  OpCase op_case =
      Case(TestTensor({1, 1, 3, 1}, std::vector<float>{0, 10, 20}), {1, 7}, "linear", "asymmetric");
  op_case.attributes["scales"] = std::vector<float>{1.0f, 2.0f};
  const auto outputs = CheckConformance(Resize(), op_case);
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_THAT(outputs[0].values<float>(), ElementsAre(0, 5, 10, 15, 20, 20, 20));
}

TEST(ResizeTest, LinearRoundsBytesHalfToEven) {
  const TestTensor x({1, 1, 4, 1}, std::vector<uint8_t>{0, 1, 2, 255}, QuantParams::Affine(2, 9));
  const auto outputs = CheckConformance(Resize(), Case(x, {1, 8}, "linear", "asymmetric"));
  ASSERT_EQ(outputs.size(), 1u);
  // 0.5 and 128.5 go to the even neighbour, 1.5 too.
  EXPECT_THAT(outputs[0].values<uint8_t>(), ElementsAre(0, 0, 1, 2, 2, 128, 255, 255));
  EXPECT_EQ(outputs[0].type().quant, QuantParams::Affine(2, 9));
}

TEST(ResizeTest, NearestMovesEveryElementSizeInEveryMode) {
  for (const char* coordinates : kCoordinates) {
    for (const char* rounding : kRoundings) {
      for (const DataType dtype :
           {DataType::kUint8, DataType::kInt16, DataType::kFloat32, DataType::kInt64}) {
        CheckConformance(Resize(),
                         Case({dtype, {2, 5, 7, 3}}, {10, 14}, "nearest", coordinates, rounding));
        CheckConformance(Resize(),
                         Case({dtype, {1, 9, 6, 33}}, {4, 13}, "nearest", coordinates, rounding));
      }
    }
  }
}

TEST(ResizeTest, LinearIsTheSameOnEveryTarget) {
  for (const char* coordinates : kCoordinates) {
    for (const DataType dtype : {DataType::kUint8, DataType::kFloat32}) {
      for (const int64_t channels : {0, 1, 3, 4, 5, 7, 8, 9, 15, 16, 17, 35, 64}) {
        CheckConformance(Resize(),
                         Case({dtype, {2, 5, 7, channels}}, {11, 13}, "linear", coordinates));
      }
      CheckConformance(Resize(), Case({dtype, {1, 40, 40, 32}}, {80, 80}, "linear", coordinates));
      CheckConformance(Resize(), Case({dtype, {1, 40, 50, 2}}, {7, 1}, "linear", coordinates));
    }
  }
}

TEST(ResizeTest, RejectsWhatIsNoImage_resize_c1) {
  EXPECT_THAT(
      RefusalOf(Resize(), Case({DataType::kFloat32, {5, 7, 3}}, {1, 1}, "linear", "asymmetric")),
      HasSubstr("x has shape 5x7x3"));
  EXPECT_THAT(
      RefusalOf(Resize(), Case({DataType::kFloat32, {1, 0, 7, 3}}, {1, 1}, "linear", "asymmetric")),
      HasSubstr("x has shape 1x0x7x3"));
}

TEST(ResizeTest, RejectsSizesBelowOneAndHugeOnes_resize_c2) {
  const TensorType x{DataType::kFloat32, {1, 2, 2, 1}};
  EXPECT_THAT(RefusalOf(Resize(), Case(x, {0, 4}, "linear", "asymmetric")),
              HasSubstr("size 0, expected 1 to 1048576"));
  EXPECT_THAT(RefusalOf(Resize(), Case(x, {4, int64_t{1} << 40}, "linear", "asymmetric")),
              HasSubstr("size 1099511627776, expected 1 to 1048576"));
}

TEST(ResizeTest, RejectsUnknownWords_resize_c3) {
  const TensorType x{DataType::kFloat32, {1, 2, 2, 1}};
  EXPECT_THAT(RefusalOf(Resize(), Case(x, {4, 4}, "cubic", "asymmetric")),
              HasSubstr("attribute 'mode' is 'cubic', expected one of nearest, linear"));
  EXPECT_THAT(RefusalOf(Resize(), Case(x, {4, 4}, "linear", "tf_crop_and_resize")),
              HasSubstr("attribute 'coordinates' is 'tf_crop_and_resize'"));
  EXPECT_THAT(RefusalOf(Resize(), Case(x, {4, 4}, "nearest", "asymmetric", "up")),
              HasSubstr("attribute 'rounding' is 'up'"));
}

TEST(ResizeTest, RejectsScalesThatAreNotPositive_resize_c4) {
  OpCase op_case = Case({DataType::kFloat32, {1, 2, 2, 1}}, {4, 4}, "linear", "asymmetric");
  for (const float scale : {0.0f, -1.0f, std::numeric_limits<float>::infinity(),
                            std::numeric_limits<float>::quiet_NaN()}) {
    op_case.attributes["scales"] = std::vector<float>{2.0f, scale};
    EXPECT_THAT(RefusalOf(Resize(), op_case), HasSubstr("expected a positive number"));
  }
}

TEST(ResizeTest, SurvivesScalesThatLeadFarOutside) {
  for (const std::string mode : {"nearest", "linear"}) {
    OpCase op_case = Case({DataType::kFloat32, {1, 3, 3, 1}}, {4, 4}, mode, "half_pixel");
    op_case.attributes["scales"] = std::vector<float>{1e-38f, 1e38f};
    CheckConformance(Resize(), op_case);
  }
}

TEST(ResizeTest, RejectsPerChannelQuantization_resize_c5) {
  EXPECT_THAT(
      RefusalOf(Resize(), Case({DataType::kInt8, {1, 2, 2, 1}, QuantParams::PerChannel({1}, 3)},
                               {4, 4}, "nearest", "asymmetric")),
      HasSubstr("per channel"));
}

TEST(ResizeTest, RejectsToInterpolateOtherTypes) {
  EXPECT_THAT(
      RefusalOf(Resize(), Case({DataType::kInt64, {1, 2, 2, 1}}, {4, 4}, "linear", "asymmetric")),
      HasSubstr("has no kernel for int64"));
}

}  // namespace
}  // namespace synap_internal
