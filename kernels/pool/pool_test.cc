#include "kernels/pool/pool.h"

#include <algorithm>
#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/testing/conformance.h"

namespace synap_internal {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Ints = std::vector<int64_t>;

const OpDef& MaxPool() { return PoolOps()[0]; }
const OpDef& AveragePool() { return PoolOps()[1]; }

TestTensor Ramp(const Shape& shape) {
  std::vector<float> values(static_cast<size_t>(shape.elements()));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i + 1);
  return TestTensor(shape, values);
}

std::vector<float> Values(const OpDef& op, const TestTensor& x, Attributes attributes) {
  const auto outputs =
      CheckConformance(op, {.name = "case", .inputs = {x}, .attributes = std::move(attributes)});
  return outputs.empty() ? std::vector<float>() : outputs[0].values<float>();
}

TEST(PoolTest, MaxTakesTheLargestTapInsideOfTheImage) {
  const Attributes attributes = {
      {"kernel", Ints{1, 2}}, {"strides", Ints{1, 2}}, {"pads", Ints{0, 1, 0, 0}}};
  const TestTensor x({1, 1, 4, 1}, std::vector<float>{-5, -3, -4, -1});
  EXPECT_THAT(Values(MaxPool(), x, attributes), ElementsAre(-5, -3));
}

TEST(PoolTest, AverageLeavesThePaddingOutUnlessItCounts) {
  Attributes attributes = {{"kernel", Ints{1, 2}}, {"pads", Ints{0, 1, 0, 1}}};
  const TestTensor x = Ramp({1, 1, 3, 1});
  EXPECT_THAT(Values(AveragePool(), x, attributes), ElementsAre(1, 1.5f, 2.5f, 3));
  attributes["count_include_pad"] = int64_t{1};
  EXPECT_THAT(Values(AveragePool(), x, attributes), ElementsAre(0.5f, 1.5f, 2.5f, 1.5f));
}

TEST(PoolTest, CeilModeAddsAWindowThatHangsOver) {
  Attributes attributes = {{"kernel", Ints{1, 2}}, {"strides", Ints{1, 2}}};
  const TestTensor x = Ramp({1, 1, 5, 1});
  EXPECT_THAT(Values(MaxPool(), x, attributes), ElementsAre(2, 4));
  attributes["ceil_mode"] = int64_t{1};
  EXPECT_THAT(Values(MaxPool(), x, attributes), ElementsAre(2, 4, 5));
  // What hangs over counts in no mean, not even with the padding.
  attributes["count_include_pad"] = int64_t{1};
  EXPECT_THAT(Values(AveragePool(), x, attributes), ElementsAre(1.5f, 3.5f, 5));
}

TEST(PoolTest, CeilModeLeavesOutAWindowInThePaddingAlone) {
  const Attributes attributes = {{"kernel", Ints{1, 2}},
                                 {"strides", Ints{1, 3}},
                                 {"pads", Ints{0, 0, 0, 1}},
                                 {"ceil_mode", int64_t{1}}};
  EXPECT_THAT(Values(MaxPool(), Ramp({1, 1, 3, 1}), attributes), ElementsAre(2));
}

TEST(PoolTest, MaxIgnoresNan) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const TestTensor x({1, 1, 3, 1}, std::vector<float>{nan, -2, nan});
  EXPECT_THAT(Values(MaxPool(), x, {{"kernel", Ints{1, 3}}}), ElementsAre(-2));
}

TEST(PoolTest, AWindowOutsideOfTheImageGivesZero) {
  const Attributes attributes = {{"kernel", Ints{1, 2}}, {"pads", Ints{0, 3, 0, 0}}};
  EXPECT_THAT(Values(MaxPool(), Ramp({1, 1, 1, 1}), attributes), ElementsAre(0, 0, 1));
  EXPECT_THAT(Values(AveragePool(), Ramp({1, 1, 1, 1}), attributes), ElementsAre(0, 0, 1));
}

TEST(PoolTest, Uint8AverageIsRequantized) {
  const TestTensor x({1, 1, 3, 1}, std::vector<uint8_t>{10, 20, 31}, QuantParams::Affine(0.5f, 10));
  const auto outputs = CheckConformance(
      AveragePool(), {.name = "uint8",
                      .inputs = {x},
                      .attributes = {{"kernel", Ints{1, 3}}},
                      .outputs = {{DataType::kUint8, {}, QuantParams::Affine(0.25f, 3)}}});
  ASSERT_EQ(outputs.size(), 1u);
  // (0 + 10 + 21) / 3 * 0.5 / 0.25 = 20.67.
  EXPECT_THAT(outputs[0].values<uint8_t>(), ElementsAre(24));
}

OpCase RandomPool(TestRandom& random, DataType dtype, bool average) {
  const auto pick = [&random](int64_t min, int64_t max) { return random.Integer(min, max); };
  const int64_t kh = pick(1, 5), kw = pick(1, 4);
  const Ints dilations = {pick(1, 2), pick(1, 3)};
  const Ints pads = {pick(0, 3), pick(0, 3), pick(0, 3), pick(0, 3)};
  const auto extent = [&](int64_t taps, int64_t dilation, int64_t pad) {
    return std::max<int64_t>(1, (taps - 1) * dilation + 1 - pad) + pick(0, 9);
  };
  const Shape shape{pick(1, 2), extent(kh, dilations[0], pads[0] + pads[2]),
                    extent(kw, dilations[1], pads[1] + pads[3]), pick(1, 140)};
  const QuantParams quant = dtype == DataType::kUint8
                                ? QuantParams::Affine(0.1f, static_cast<int32_t>(pick(0, 255)))
                                : QuantParams();
  OpCase op_case{.name = "random", .inputs = {RandomTensor({dtype, shape, quant}, random)}};
  op_case.attributes = {{"kernel", Ints{kh, kw}},
                        {"strides", Ints{pick(1, 3), pick(1, 3)}},
                        {"dilations", dilations},
                        {"pads", pads},
                        {"ceil_mode", pick(0, 1)}};
  if (average) op_case.attributes["count_include_pad"] = pick(0, 1);
  op_case.outputs = {{dtype, {}, quant}};
  if (average && dtype == DataType::kUint8) {
    op_case.outputs[0].quant = QuantParams::Affine(0.07f, static_cast<int32_t>(pick(0, 255)));
  }
  return op_case;
}

TEST(PoolTest, EqualsTheReferenceOnRandomShapes) {
  TestRandom random(1);
  for (int i = 0; i < 30; ++i) {
    for (const DataType dtype : {DataType::kFloat32, DataType::kUint8}) {
      CheckConformance(MaxPool(), RandomPool(random, dtype, false));
      CheckConformance(AveragePool(), RandomPool(random, dtype, true));
    }
  }
}

TEST(PoolTest, EqualsTheReferenceOverSeveralTasks) {
  TestRandom random(2);
  const TestTensor x =
      RandomTensor({DataType::kUint8, {2, 60, 60, 17}, QuantParams::Affine(1, 3)}, random);
  CheckConformance(MaxPool(), {.name = "tasks",
                               .inputs = {x},
                               .attributes = {{"kernel", Ints{3, 3}}, {"pads", Ints{1, 1, 1, 1}}}});
}

TEST(PoolTest, AcceptsAnEmptyBatch) {
  EXPECT_TRUE(
      Values(MaxPool(), TestTensor({0, 2, 2, 1}, std::vector<float>()), {{"kernel", Ints{2, 2}}})
          .empty());
}

std::string Refusal(const OpDef& op, const Shape& x, Attributes attributes) {
  attributes.emplace("kernel", Ints{1, 1});
  return RefusalOf(op, {.inputs = {TestTensor(TensorType{DataType::kFloat32, x})},
                        .attributes = std::move(attributes)});
}

TEST(PoolTest, pool_c1_RejectsOtherRanks) {
  EXPECT_THAT(Refusal(MaxPool(), {4, 4, 1}, {}), HasSubstr("x is [4x4x1], expected [N,H,W,C]"));
}

TEST(PoolTest, pool_c2_RejectsZeroAndHugeKernelsAndSteps) {
  EXPECT_THAT(Refusal(MaxPool(), {1, 4, 4, 1}, {{"kernel", Ints{0, 1}}}),
              HasSubstr("a kernel extent is 0"));
  EXPECT_THAT(Refusal(MaxPool(), {1, 4, 4, 1}, {{"kernel", Ints{1, int64_t{1} << 60}}}),
              HasSubstr("a kernel extent is 1152921504606846976"));
  EXPECT_THAT(Refusal(MaxPool(), {1, 4, 4, 1}, {{"strides", Ints{1, 0}}}),
              HasSubstr("a stride is 0"));
}

TEST(PoolTest, pool_c3_RejectsNegativePads) {
  EXPECT_THAT(Refusal(MaxPool(), {1, 4, 4, 1}, {{"pads", Ints{-1, 0, 0, 0}}}),
              HasSubstr("a pad is -1"));
}

TEST(PoolTest, pool_c4_RejectsAWindowLargerThanTheImage) {
  EXPECT_THAT(Refusal(MaxPool(), {1, 4, 4, 1}, {{"kernel", Ints{5, 1}}}),
              HasSubstr("reaches 5 elements"));
}

TEST(PoolTest, pool_c5_RejectsOtherDataTypes) {
  const TestTensor x(TensorType{DataType::kInt64, {1, 4, 4, 1}});
  EXPECT_THAT(RefusalOf(MaxPool(), {.inputs = {x}, .attributes = {{"kernel", Ints{1, 1}}}}),
              HasSubstr("x is int64 (none)"));
}

TEST(PoolTest, pool_c6_RejectsAMeanOfTooManyValues) {
  const Attributes attributes = {{"kernel", Ints{2049, 2048}},
                                 {"pads", Ints{3000, 3000, 3000, 3000}}};
  EXPECT_THAT(Refusal(AveragePool(), {1, 4, 4, 1}, attributes),
              HasSubstr("2049x2048 is too large"));
}

TEST(PoolTest, pool_c7_RejectsAnotherQuantizer) {
  const TestTensor x(TensorType{DataType::kUint8, {1, 1, 1, 1}, QuantParams::Affine(1, 0)});
  OpCase op_case{.inputs = {x},
                 .attributes = {{"kernel", Ints{1, 1}}},
                 .outputs = {{DataType::kUint8, {}, QuantParams::Affine(2, 0)}}};
  EXPECT_NE(RefusalOf(MaxPool(), op_case), "");
  EXPECT_EQ(RefusalOf(AveragePool(), op_case), "");
  op_case.outputs[0] = {DataType::kFloat32, {}, {}};
  EXPECT_THAT(RefusalOf(AveragePool(), op_case), HasSubstr("no kernel from uint8 to float32"));
}

}  // namespace
}  // namespace synap_internal
