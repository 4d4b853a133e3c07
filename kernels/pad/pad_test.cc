#include "kernels/pad/pad.h"

#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/testing/conformance.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const OpDef& Pad() { return PadOps()[0]; }

OpCase Case(TestTensor x, std::vector<int64_t> pads, const std::string& mode, float value = 0) {
  return {.name = x.type().shape.ToString() + " " + mode,
          .inputs = {std::move(x)},
          .attributes = {{"pads", std::move(pads)}, {"mode", mode}, {"value", value}}};
}

OpCase Case(TensorType x, std::vector<int64_t> pads, const std::string& mode, float value = 0) {
  TestRandom random(1);
  return Case(RandomTensor(std::move(x), random), std::move(pads), mode, value);
}

std::vector<float> PadLine(const std::string& mode) {
  const auto outputs =
      CheckConformance(Pad(), Case(TestTensor({3}, std::vector<float>{1, 2, 3}), {2, 1}, mode, 9));
  return outputs.empty() ? std::vector<float>() : outputs[0].values<float>();
}

TEST(PadTest, FollowsTheMode) {
  EXPECT_THAT(PadLine("constant"), ElementsAre(9, 9, 1, 2, 3, 9));
  EXPECT_THAT(PadLine("edge"), ElementsAre(1, 1, 1, 2, 3, 3));
  EXPECT_THAT(PadLine("reflect"), ElementsAre(3, 2, 1, 2, 3, 2));
}

TEST(PadTest, PadsEveryElementSizeInEveryMode) {
  for (const std::string mode : {"constant", "edge", "reflect"}) {
    for (const DataType dtype :
         {DataType::kUint8, DataType::kInt16, DataType::kFloat32, DataType::kInt64}) {
      CheckConformance(Pad(), Case({dtype, {2, 9, 8, 3}}, {0, 1, 2, 0, 0, 3, 1, 0}, mode, 3));
      CheckConformance(Pad(), Case({dtype, {3, 40}}, {1, 2, 2, 5}, mode, 1));
      CheckConformance(Pad(), Case({dtype, {5, 4}}, {0, 0, 0, 0}, mode));
      CheckConformance(Pad(), Case({dtype, {300, 100}}, {2, 0, 2, 0}, mode));
      CheckConformance(Pad(), Case({dtype, {}}, {}, mode));
    }
  }
}

TEST(PadTest, FillsAnOutputOfAnEmptyInput) {
  const auto outputs =
      CheckConformance(Pad(), Case({DataType::kInt64, {0, 2}}, {1, 0, 0, 0}, "constant", 5));
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_THAT(outputs[0].values<int64_t>(), ElementsAre(5, 5));
}

TEST(PadTest, QuantizesTheValue) {
  const QuantParams quant = QuantParams::Affine(0.5f, 10);
  const TestTensor x({1}, std::vector<uint8_t>{77}, quant);
  const auto padded = [&](float value) {
    return CheckConformance(Pad(), Case(x, {1, 0}, "constant", value))[0].values<uint8_t>()[0];
  };
  EXPECT_EQ(padded(0.0f), 10);
  EXPECT_EQ(padded(2.0f), 14);
  EXPECT_EQ(padded(-std::numeric_limits<float>::infinity()), 0);
}

TEST(PadTest, StoresTheValueAsHalf) {
  const TensorType x{DataType::kFloat16, {1}};
  const auto outputs = CheckConformance(Pad(), Case(x, {1, 0}, "constant", 1.0f));
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_EQ(outputs[0].bytes()[0], 0x00);
  EXPECT_EQ(outputs[0].bytes()[1], 0x3C);
}

TEST(PadTest, RejectsNegativeAndHugePads_pad_c1) {
  const TensorType x{DataType::kFloat32, {4}};
  EXPECT_THAT(RefusalOf(Pad(), Case(x, {-1, 0}, "constant")), HasSubstr("pad -1 is negative"));
  EXPECT_THAT(RefusalOf(Pad(), Case(x, {int64_t{1} << 62, 0}, "constant")), HasSubstr("too large"));
  EXPECT_THAT(RefusalOf(Pad(), Case(x, {int64_t{1} << 40, 0}, "constant")), HasSubstr("elements"));
  EXPECT_THAT(RefusalOf(Pad(), Case(x, {0}, "constant")), HasSubstr("expected 2"));
}

TEST(PadTest, RejectsUnknownModes_pad_c2) {
  EXPECT_THAT(RefusalOf(Pad(), Case({DataType::kFloat32, {4}}, {1, 0}, "wrap")),
              HasSubstr("mode is 'wrap', expected"));
}

TEST(PadTest, RejectsTooFewElementsToMirror_pad_c3) {
  EXPECT_THAT(RefusalOf(Pad(), Case({DataType::kFloat32, {3}}, {0, 3}, "reflect")),
              HasSubstr("needs 4 elements, found 3"));
  EXPECT_THAT(RefusalOf(Pad(), Case({DataType::kFloat32, {0}}, {0, 1}, "edge")),
              HasSubstr("needs 1 elements, found 0"));
}

TEST(PadTest, RejectsAValueThatTheTypeDoesNotHave_pad_c4) {
  EXPECT_THAT(RefusalOf(Pad(), Case({DataType::kInt64, {3}}, {0, 1}, "constant", 0.5f)),
              HasSubstr("value 0.5 doesn't fit in int64"));
  EXPECT_THAT(RefusalOf(Pad(), Case({DataType::kUint8, {3}}, {0, 1}, "constant", 256.0f)),
              HasSubstr("value 256.0 doesn't fit in uint8"));
}

TEST(PadTest, RejectsPerChannelQuantization_pad_c5) {
  EXPECT_THAT(RefusalOf(Pad(), Case({DataType::kInt8, {2}, QuantParams::PerChannel({1, 2}, 0)},
                                    {0, 1}, "constant")),
              HasSubstr("per channel"));
}

}  // namespace
}  // namespace synap_internal
