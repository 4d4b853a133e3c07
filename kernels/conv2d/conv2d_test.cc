#include "kernels/conv2d/conv2d.h"

#include <cmath>
#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/shared/cpu_extensions.h"
#include "kernels/shared/linear/linear_cases.h"
#include "kernels/testing/conformance.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Ints = std::vector<int64_t>;

const OpDef& Conv2d() { return Conv2dOps()[0]; }

struct ConvShape {
  LinearShapes shapes;
  Attributes attributes;
};

// An image that the window fits into, with everything else at random.
ConvShape RandomConv(TestRandom& random) {
  const auto pick = [&random](int64_t min, int64_t max) { return random.Integer(min, max); };
  const int64_t groups = pick(0, 3) == 0 ? pick(2, 4) : 1;
  const int64_t inputs = pick(1, groups == 1 ? 70 : 9), outputs = pick(1, groups == 1 ? 70 : 20);
  const int64_t kh = pick(1, 3), kw = pick(1, 4);
  const Ints dilations = {pick(1, 2), pick(1, 3)};
  const Ints pads = {pick(0, 3), pick(0, 3), pick(0, 3), pick(0, 3)};
  const auto extent = [&](int64_t taps, int64_t dilation, int64_t pad) {
    return std::max<int64_t>(1, (taps - 1) * dilation + 1 - pad) + pick(0, 9);
  };
  const Shape x{pick(1, 2), extent(kh, dilations[0], pads[0] + pads[2]),
                extent(kw, dilations[1], pads[1] + pads[3]), groups * inputs};
  ConvShape conv;
  conv.shapes = {x, {groups * outputs, kh, kw, inputs}, groups * outputs, kh * kw * inputs};
  if (pick(0, 4) == 0) conv.shapes.channels = 0;
  conv.attributes = {{"strides", Ints{pick(1, 3), pick(1, 3)}},
                     {"dilations", dilations},
                     {"pads", pads},
                     {"groups", groups}};
  if (pick(0, 1) == 0) {
    conv.attributes["min"] = 0.0f;
    conv.attributes["max"] = 6.0f;
  }
  return conv;
}

TEST(Conv2dTest, SumsTheTapsInsideOfTheImage) {
  const TestTensor x({1, 2, 2, 1}, std::vector<float>{1, 2, 3, 4});
  const TestTensor w({1, 3, 3, 1}, std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8, 9});
  const TestTensor bias({1}, std::vector<float>{0.5f});
  const auto outputs = CheckConformance(Conv2d(), {.name = "3x3",
                                                   .inputs = {x, w, bias},
                                                   .attributes = {{"pads", Ints{1, 1, 1, 1}}},
                                                   .constant = {false, true, true}});
  ASSERT_EQ(outputs.size(), 1u);
  // The centre tap of the first output is 5 * 1, its neighbours 6 * 2 + 8 * 3 + 9 * 4.
  EXPECT_THAT(outputs[0].values<float>(), ElementsAre(77.5f, 67.5f, 47.5f, 37.5f));
}

TEST(Conv2dTest, RequantizesTheExactSum) {
  const TestTensor x({1, 1, 1, 2}, std::vector<uint8_t>{10, 20}, QuantParams::Affine(0.5f, 4));
  const TestTensor w({1, 1, 1, 2}, std::vector<uint8_t>{3, 250}, QuantParams::Affine(0.25f, 5));
  const TestTensor bias({1}, std::vector<int32_t>{8}, QuantParams::Affine(0.125f, 0));
  // 6 * -2 + 16 * 245 + 8 = 3916; 3916 * 0.125 / 4 = 122.375.
  const auto outputs =
      CheckConformance(Conv2d(), {.name = "1x1",
                                  .inputs = {x, w, bias},
                                  .constant = {false, true, true},
                                  .outputs = {{DataType::kUint8, {}, QuantParams::Affine(4, 9)}}});
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_THAT(outputs[0].values<uint8_t>(), ElementsAre(131));
}

TEST(Conv2dTest, PaddingCountsAsTheZeroPoint) {
  const TestTensor x({1, 1, 1, 1}, std::vector<uint8_t>{200}, QuantParams::Affine(1, 100));
  const TestTensor w({1, 1, 3, 1}, std::vector<uint8_t>{0, 255, 0}, QuantParams::Affine(1, 254));
  const auto outputs = CheckConformance(
      Conv2d(), {.name = "padded",
                 .inputs = {x, w},
                 .attributes = {{"pads", Ints{0, 2, 0, 2}}},
                 .constant = {false, true},
                 .outputs = {{DataType::kUint8, {}, QuantParams::Affine(200, 128)}}});
  ASSERT_EQ(outputs.size(), 1u);
  // Sums: 100 * -254, 100 * 1, 100 * -254.
  EXPECT_THAT(outputs[0].values<uint8_t>(), ElementsAre(1, 128, 1));
}

TEST(Conv2dTest, LooksUpTheActivation) {
  const TestTensor x({1, 1, 2, 1}, std::vector<uint8_t>{10, 20}, QuantParams::Affine(1, 0));
  const TestTensor w({1, 1, 1, 1}, std::vector<uint8_t>{3}, QuantParams::Affine(1, 1));
  std::vector<uint8_t> squares(256);
  for (size_t i = 0; i < 256; ++i) squares[i] = static_cast<uint8_t>(i * i);
  const auto outputs = CheckConformance(
      Conv2d(), {.name = "table",
                 .inputs = {x, w, TestTensor(), TestTensor({256}, squares)},
                 .attributes = {{"table_scale", 4.0f}, {"table_zero_point", int64_t{1}}},
                 .constant = {false, true, false, true},
                 .outputs = {{DataType::kUint8, {}, QuantParams::Affine(1, 0)}}});
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_THAT(outputs[0].values<uint8_t>(), ElementsAre(36, 121));  // (20/4 + 1)^2, (40/4 + 1)^2
}

TEST(Conv2dTest, FloatEqualsTheReferenceOnRandomShapes) {
  TestRandom random(1);
  for (int i = 0; i < 40; ++i) {
    const ConvShape conv = RandomConv(random);
    CheckConformance(Conv2d(), FloatLinearCase(conv.shapes, conv.attributes, random));
  }
}

TEST(Conv2dTest, Uint8EqualsTheReferenceOnRandomShapes) {
  TestRandom random(2);
  for (int i = 0; i < 60; ++i) {
    const ConvShape conv = RandomConv(random);
    CheckConformance(Conv2d(), Uint8LinearCase(conv.shapes, conv.attributes,
                                               RandomQuantizers(random, 0), random));
  }
}

TEST(Conv2dTest, Int16EqualsTheReferenceOnRandomShapes) {
  TestRandom random(8);
  for (int i = 0; i < 40; ++i) {
    const ConvShape conv = RandomConv(random);
    CheckConformance(Conv2d(), Int16LinearCase(conv.shapes, conv.attributes,
                                               RandomQuantizers(random, 0), random));
  }
}

TEST(Conv2dTest, Int16EqualsTheReferenceWithoutVnni) {
  const WithoutCpuExtensions without;
  TestRandom random(9);
  for (int i = 0; i < 20; ++i) {
    const ConvShape conv = RandomConv(random);
    CheckConformance(Conv2d(), Int16LinearCase(conv.shapes, conv.attributes,
                                               RandomQuantizers(random, 0), random));
  }
}

TEST(Conv2dTest, Int16SumsOfExtremesAreExact) {
  // Of odd length, in runs beyond what 32 bits hold of a part.
  constexpr int16_t kLowest = -32768;
  const TestTensor x({1, 3, 3, 301}, std::vector<int16_t>(9 * 301, kLowest),
                     QuantParams::Affine(1, 0));
  for (const int16_t extreme : {kLowest, int16_t{32767}, int16_t{128}, int16_t{-129}}) {
    const TestTensor w({1, 3, 3, 301}, std::vector<int16_t>(9 * 301, extreme),
                       QuantParams::Affine(1, 0));
    const TestTensor bias({1}, std::vector<int64_t>{1000});
    const float scale = 9 * 301 * 32768.0f * 4;
    const auto outputs = CheckConformance(
        Conv2d(), {.name = "extremes",
                   .inputs = {x, w, bias},
                   .constant = {false, true, true},
                   .outputs = {{DataType::kInt16, {}, QuantParams::Affine(scale, 0)}}});
    ASSERT_EQ(outputs.size(), 1u);
    // -32768 * extreme * 9 * 301 / scale, half to even.
    const auto expected = static_cast<int16_t>(std::nearbyint(-extreme / 4.0));
    EXPECT_THAT(outputs[0].values<int16_t>(), ElementsAre(expected));
  }
}

TEST(Conv2dTest, Int16SumsReachTheLimitOf32Bits) {
  CheckInt16Limits(Conv2d(), {1, 3, 3, 301}, {1, 3, 3, 301}, 1);
}

TEST(Conv2dTest, Uint8EqualsTheReferenceWithoutVnni) {
  const WithoutCpuExtensions without;
  TestRandom random(3);
  for (int i = 0; i < 20; ++i) {
    const ConvShape conv = RandomConv(random);
    CheckConformance(Conv2d(), Uint8LinearCase(conv.shapes, conv.attributes,
                                               RandomQuantizers(random, 0), random));
  }
}

// Runs of all lengths in 4-byte steps around those of a register, rows of few and many pixels.
TEST(Conv2dTest, Uint8EqualsTheReferenceInMatrixRegisters) {
  if (!CpuHasAvx512Vnni()) GTEST_SKIP() << "no AVX-512 VNNI here";
  const WithEmulatedMatrixUnit emulated;
  TestRandom random(10);
  for (const int64_t inputs : {21, 24, 61, 64, 67, 72, 96, 131}) {
    const int64_t outputs = random.Integer(1, 70), width = random.Integer(4, 70);
    const LinearShapes window{{1, 4, width, inputs}, {outputs, 3, 2, inputs}, outputs, 6 * inputs};
    const Attributes attributes = {{"pads", Ints{1, 1, 1, 0}},
                                   {"strides", Ints{1, random.Integer(1, 2)}},
                                   {"dilations", Ints{1, random.Integer(1, 2)}}};
    CheckConformance(Conv2d(),
                     Uint8LinearCase(window, attributes, RandomQuantizers(random, 0), random));
    const LinearShapes pointwise{{2, 3, width, inputs}, {outputs, 1, 1, inputs}, outputs, inputs};
    CheckConformance(Conv2d(), Uint8LinearCase(pointwise, {}, RandomQuantizers(random, 0), random));
  }
  // Small images, whose rows share registers.
  for (const int64_t width : {3, 5, 7, 14, 17}) {
    const int64_t height = random.Integer(3, 15), outputs = random.Integer(1, 70);
    const LinearShapes window{{1, height, width, 24}, {outputs, 3, 3, 24}, outputs, 9 * 24};
    for (const int64_t stride : {1, 2}) {
      CheckConformance(Conv2d(), Uint8LinearCase(window,
                                                 {{"pads", Ints{1, 1, 1, 1}},
                                                  {"strides", Ints{stride, stride}},
                                                  {"dilations", Ints{1, random.Integer(1, 2)}}},
                                                 RandomQuantizers(random, 0), random));
    }
  }
  const LinearShapes groups{{1, 5, 20, 3 * 40}, {3 * 18, 2, 3, 40}, 3 * 18, 6 * 40};
  CheckConformance(Conv2d(), Uint8LinearCase(groups, {{"groups", int64_t{3}}},
                                             RandomQuantizers(random, 0), random));
  const LinearShapes several{{1, 23, 29, 24}, {67, 1, 1, 24}, 67, 24};
  CheckResidual(Conv2d(), Uint8LinearCase(several, {}, {.table = true}, random), random);
}

// As few as less than half a vector of any target, and as many as all but one of two.
TEST(Conv2dTest, EveryNumberOfOutputsIsStoredAndNoMore) {
  TestRandom random(17);
  for (int64_t outputs = 1; outputs <= 33; ++outputs) {
    const LinearShapes shapes{{1, 3, 17, 5}, {outputs, 1, 2, 5}, outputs, 10};
    Attributes attributes = {{"pads", Ints{0, 1, 0, 0}}};
    if (outputs % 2 == 0) attributes = {{"min", -0.5f}, {"max", 1.0f}};
    CheckConformance(Conv2d(), FloatLinearCase(shapes, attributes, random));
    CheckConformance(Conv2d(), Uint8LinearCase(shapes, {}, {}, random));
  }
}

// On processors that have them, all other tests run in them.
TEST(Conv2dTest, Uint8EqualsTheReferenceWithoutMatrixRegisters) {
  const WithoutMatrixUnit without;
  TestRandom random(11);
  for (int i = 0; i < 20; ++i) {
    const ConvShape conv = RandomConv(random);
    CheckConformance(Conv2d(), Uint8LinearCase(conv.shapes, conv.attributes,
                                               RandomQuantizers(random, 0), random));
  }
}

TEST(Conv2dTest, AChannelIsScaledByItsOwnScale) {
  const TestTensor x({1, 1, 1, 2}, std::vector<uint8_t>{10, 20}, QuantParams::Affine(0.5f, 4));
  const TestTensor w({2, 1, 1, 2}, std::vector<int8_t>{-2, 127, -128, 3},
                     QuantParams::PerChannel({0.25f, 2}, 0));
  const TestTensor bias({2}, std::vector<int32_t>{8, -8}, QuantParams::PerChannel({0.125f, 1}, 0));
  const auto outputs = CheckConformance(
      Conv2d(), {.name = "per channel",
                 .inputs = {x, w, bias},
                 .constant = {false, true, true},
                 .outputs = {{DataType::kUint8, {}, QuantParams::Affine(8, 100)}}});
  ASSERT_EQ(outputs.size(), 1u);
  // (6 * -2 + 16 * 127 + 8) / 8 * 0.125 = 31.7; (6 * -128 + 16 * 3 - 8) / 8 = -91.
  EXPECT_THAT(outputs[0].values<uint8_t>(), ElementsAre(132, 9));
}

TEST(Conv2dTest, Uint8EqualsTheReferenceInGroupsOfManyChannels) {
  TestRandom random(7);
  for (const int64_t inputs : {16, 19, 67}) {
    const LinearShapes shapes{{2, 5, 6, 3 * inputs}, {3 * 18, 2, 3, inputs}, 3 * 18, 6 * inputs};
    const Attributes attributes = {
        {"groups", int64_t{3}}, {"pads", Ints{1, 0, 2, 1}}, {"strides", Ints{1, 2}}};
    CheckConformance(Conv2d(),
                     Uint8LinearCase(shapes, attributes, RandomQuantizers(random, 0), random));
    CheckConformance(Conv2d(),
                     Int16LinearCase(shapes, attributes, RandomQuantizers(random, 0), random));
  }
}

// Tiles that read more of x than a first-level cache holds (with AVX-512 a block fetches the next
// pixels then), in runs of several lengths; of 1,024 channels, whose pixels would displace each
// other.
TEST(Conv2dTest, FloatEqualsTheReferenceOnImagesOfManyChannels) {
  TestRandom random(12);
  for (const int64_t inputs : {64, 75, 1000, 1024}) {
    const LinearShapes window{{1, 4, 40, inputs}, {35, 3, 3, inputs}, 35, 9 * inputs};
    const Attributes attributes = {{"pads", Ints{1, 1, 1, 1}}};
    CheckConformance(Conv2d(), FloatLinearCase(window, attributes, random));
  }
}

TEST(Conv2dTest, EqualsTheReferenceOverSeveralTiles) {
  TestRandom random(4);
  for (const Shape& x : {Shape{1, 23, 29, 5}, Shape{2, 3, 230, 3}, Shape{1, 23, 29, 24}}) {
    const LinearShapes shapes{x, {19, 3, 3, x[3]}, 19, 9 * x[3]};
    const Attributes attributes = {{"pads", Ints{1, 1, 1, 1}}};
    CheckConformance(Conv2d(), FloatLinearCase(shapes, attributes, random));
    CheckConformance(Conv2d(), Uint8LinearCase(shapes, attributes, {.table = true}, random));
    CheckConformance(Conv2d(), Uint8LinearCase(shapes, attributes, {.widens = true}, random));
    const LinearShapes pointwise{x, {67, 1, 1, x[3]}, 67, x[3]};
    CheckConformance(Conv2d(), FloatLinearCase(pointwise, {}, random));
    CheckConformance(Conv2d(), Uint8LinearCase(pointwise, {}, {.table = true}, random));
    CheckConformance(Conv2d(), Uint8LinearCase(pointwise, {}, {.widens = true}, random));
    CheckConformance(Conv2d(), Int16LinearCase(shapes, attributes, {.x_zero_point = 9}, random));
    CheckConformance(Conv2d(), Int16LinearCase(pointwise, {}, {}, random));
  }
}

TEST(Conv2dTest, AddsTheResidualAsTheOpAddWould) {
  TestRandom random(8);
  for (int i = 0; i < 12; ++i) {
    const ConvShape conv = RandomConv(random);
    const LinearQuantizers quantizers = RandomQuantizers(random, 0);
    CheckResidual(Conv2d(), FloatLinearCase(conv.shapes, conv.attributes, random), random);
    CheckResidual(Conv2d(), Uint8LinearCase(conv.shapes, conv.attributes, quantizers, random),
                  random);
    CheckResidual(Conv2d(), Int16LinearCase(conv.shapes, conv.attributes, quantizers, random),
                  random);
  }
}

TEST(Conv2dTest, AddsTheResidualOverSeveralTiles) {
  TestRandom random(9);
  for (const int64_t outputs : {16, 67, 130}) {
    const LinearShapes pointwise{{1, 23, 29, 24}, {outputs, 1, 1, 24}, outputs, 24};
    CheckResidual(Conv2d(), FloatLinearCase(pointwise, {}, random), random);
    CheckResidual(Conv2d(), Uint8LinearCase(pointwise, {}, {}, random), random);
    CheckResidual(Conv2d(), Uint8LinearCase(pointwise, {}, {.table = true}, random), random);
    CheckResidual(Conv2d(), Int16LinearCase(pointwise, {}, {.x_zero_point = 9}, random), random);
    CheckResidual(Conv2d(), Uint8LinearCase(pointwise, {}, {.widens = true}, random), random);
    const WithoutCpuExtensions without;
    CheckResidual(Conv2d(), Uint8LinearCase(pointwise, {}, {}, random), random);
    CheckResidual(Conv2d(), Uint8LinearCase(pointwise, {}, {.widens = true}, random), random);
  }
}

// Layers that copy x in other ways than most: not at all, or row by row of a dilated window.
void CheckUnusualCopies(TestRandom& random) {
  for (const Ints& strides : {Ints{2, 2}, Ints{3, 2}, Ints{2, 3}}) {
    const LinearShapes pointwise{{2, 7, 9, 24}, {37, 1, 1, 24}, 37, 24};
    const Attributes attributes = {{"strides", strides}};
    CheckConformance(Conv2d(),
                     Uint8LinearCase(pointwise, attributes, RandomQuantizers(random, 0), random));
    CheckConformance(Conv2d(), Int16LinearCase(pointwise, attributes, {.x_zero_point = 9}, random));
    CheckResidual(Conv2d(), Uint8LinearCase(pointwise, attributes, {}, random), random);
  }
  const auto check_rate = [&](const LinearShapes& shapes, int64_t rate) {
    const Attributes attributes = {{"pads", Ints{rate, rate, rate, rate}},
                                   {"dilations", Ints{rate, rate}}};
    CheckConformance(Conv2d(),
                     Uint8LinearCase(shapes, attributes, RandomQuantizers(random, 0), random));
    CheckConformance(Conv2d(), Int16LinearCase(shapes, attributes, {.x_zero_point = 9}, random));
    CheckConformance(Conv2d(), FloatLinearCase(shapes, attributes, random));
  };
  check_rate({{1, 14, 14, 24}, {70, 3, 3, 24}, 70, 9 * 24}, 18);
  check_rate({{1, 5, 5, 24}, {19, 3, 3, 24}, 19, 9 * 24}, 6);
  // Chunks of several blocks of outputs, and pixels of several rows.
  const Attributes same = {{"pads", Ints{1, 1, 1, 1}}};
  const LinearShapes wide{{1, 3, 5, 32}, {1100, 3, 3, 32}, 1100, 9 * 32};
  CheckResidual(Conv2d(), Uint8LinearCase(wide, same, {.table = true}, random), random);
  CheckResidual(Conv2d(), Uint8LinearCase(wide, same, {.widens = true}, random), random);
  const LinearShapes small{{1, 7, 7, 24}, {130, 3, 3, 24}, 130, 9 * 24};
  CheckResidual(Conv2d(), Uint8LinearCase(small, same, {}, random), random);
}

TEST(Conv2dTest, EqualsTheReferenceHoweverXIsCopied) {
  TestRandom random(14);
  CheckUnusualCopies(random);
  const WithoutCpuExtensions without;
  CheckUnusualCopies(random);
}

TEST(Conv2dTest, EqualsTheReferenceHoweverXIsCopiedInMatrixRegisters) {
  if (!CpuHasAvx512Vnni()) GTEST_SKIP() << "no AVX-512 VNNI here";
  const WithEmulatedMatrixUnit emulated;
  TestRandom random(15);
  CheckUnusualCopies(random);
}

TEST(Conv2dTest, PaddingLargerThanTheWindowGivesTheBias) {
  TestRandom random(5);
  const LinearShapes shapes{{1, 2, 2, 3}, {5, 2, 2, 3}, 5, 12};
  const Attributes attributes = {{"pads", Ints{4, 5, 3, 6}}, {"dilations", Ints{3, 1}}};
  const auto outputs = CheckConformance(Conv2d(), FloatLinearCase(shapes, attributes, random));
  ASSERT_EQ(outputs.size(), 1u);
  CheckConformance(Conv2d(), Uint8LinearCase(shapes, attributes, {.x_zero_point = 9}, random));
}

TEST(Conv2dTest, FallsBackToTheReferenceForAPatchThatFitsNoScratch) {
  TestRandom random(6);
  // Two rows of 2^20 + 1 pixels of 16 channels.
  constexpr int64_t kFar = 1 << 20;
  const LinearShapes shapes{{1, 1, 1, 16}, {1, 2, 2, 16}, 1, 64};
  const Attributes attributes = {{"pads", Ints{1, 0, 0, kFar}}, {"dilations", Ints{1, kFar}}};
  CheckConformance(Conv2d(), Uint8LinearCase(shapes, attributes, {}, random));
}

TEST(Conv2dTest, PropagatesNanThroughTheClamp) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const TestTensor x({1, 1, 2, 1}, std::vector<float>{nan, -3});
  const TestTensor w({1, 1, 1, 1}, std::vector<float>{1});
  const auto outputs = CheckConformance(
      Conv2d(),
      {.name = "nan", .inputs = {x, w}, .attributes = {{"min", 0.0f}}, .constant = {false, true}});
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_TRUE(std::isnan(outputs[0].values<float>()[0]));
  EXPECT_EQ(outputs[0].values<float>()[1], 0);
}

TEST(Conv2dTest, CountsMultiplyAccumulates) {
  const TensorType x{DataType::kFloat32, {1, 4, 4, 6}}, w{DataType::kFloat32, {8, 3, 3, 3}};
  const TensorType output{DataType::kFloat32, {1, 2, 2, 8}};
  EXPECT_EQ(Conv2d().cost({x, w}, {output}).macs, 2 * 2 * 8 * 27);
}

// What conv2d says to a float case of these shapes.
std::string Refusal(const Shape& x, const Shape& w, Attributes attributes = {},
                    int64_t channels = 0) {
  TestRandom random(1);
  return RefusalOf(Conv2d(), FloatLinearCase({x, w, channels}, std::move(attributes), random));
}

TEST(Conv2dTest, conv2d_c1_RejectsOtherRanksAndEmptyWeights) {
  EXPECT_THAT(Refusal({4, 4, 1}, {1, 1, 1, 1}), HasSubstr("x is [4x4x1]"));
  EXPECT_THAT(Refusal({1, 4, 4, 1}, {1, 1}), HasSubstr("w is [1x1]"));
  EXPECT_THAT(Refusal({1, 4, 4, 1}, {1, 0, 1, 1}), HasSubstr("w is empty"));
}

TEST(Conv2dTest, conv2d_c2_RejectsGroupsThatDontDivide) {
  EXPECT_THAT(Refusal({1, 4, 4, 3}, {4, 1, 1, 1}, {{"groups", int64_t{2}}}),
              HasSubstr("groups is 2 for 3 input"));
  EXPECT_THAT(Refusal({1, 4, 4, 4}, {4, 1, 1, 4}, {{"groups", int64_t{0}}}),
              HasSubstr("groups is 0"));
  EXPECT_THAT(Refusal({1, 4, 4, 4}, {4, 1, 1, 3}), HasSubstr("a filter reads 3"));
}

TEST(Conv2dTest, conv2d_c3_RejectsZeroAndHugeSteps) {
  const Shape x{1, 4, 4, 1}, w{1, 1, 1, 1};
  EXPECT_THAT(Refusal(x, w, {{"strides", Ints{0, 1}}}), HasSubstr("a stride is 0"));
  EXPECT_THAT(Refusal(x, w, {{"dilations", Ints{1, std::numeric_limits<int64_t>::max()}}}),
              HasSubstr("a dilation is 9223372036854775807"));
}

TEST(Conv2dTest, conv2d_c4_RejectsNegativeAndHugePads) {
  const Shape x{1, 4, 4, 1}, w{1, 1, 1, 1};
  EXPECT_THAT(Refusal(x, w, {{"pads", Ints{0, -1, 0, 0}}}), HasSubstr("a pad is -1"));
  EXPECT_THAT(Refusal(x, w, {{"pads", Ints{0, 0, int64_t{1} << 62, 0}}}),
              HasSubstr("a pad is 4611686018427387904"));
}

TEST(Conv2dTest, conv2d_c5_RejectsAWindowLargerThanTheImage) {
  EXPECT_THAT(Refusal({1, 4, 4, 1}, {1, 3, 5, 1}), HasSubstr("reaches 5 elements"));
}

TEST(Conv2dTest, conv2d_c6_RejectsABiasOfAnotherLength) {
  EXPECT_THAT(Refusal({1, 4, 4, 1}, {2, 1, 1, 1}, {}, 3),
              HasSubstr("the bias is [3], expected [2]"));
}

TEST(Conv2dTest, conv2d_c7_RejectsMixedDataTypes) {
  const TestTensor x(TensorType{DataType::kFloat32, {1, 1, 1, 1}});
  const TestTensor w(TensorType{DataType::kUint8, {1, 1, 1, 1}, QuantParams::Affine(1, 0)});
  EXPECT_THAT(RefusalOf(Conv2d(), {.inputs = {x, w}, .constant = {false, true}}),
              HasSubstr("x is float32 (none), w is uint8 (asymmetric_affine)"));
}

TEST(Conv2dTest, conv2d_c8_RejectsABiasOfAnotherScale) {
  TestRandom random(1);
  OpCase op_case = Uint8LinearCase({{1, 1, 1, 1}, {1, 1, 1, 1}, 1}, {}, {}, random);
  op_case.inputs[2] = TestTensor({1}, std::vector<int32_t>{0}, QuantParams::Affine(0.5f, 0));
  EXPECT_THAT(RefusalOf(Conv2d(), op_case), HasSubstr("the bias's quantizer is scale=0.5"));
}

TEST(Conv2dTest, RejectsWeightsQuantizedAlongAnotherDimension) {
  TestRandom random(1);
  EXPECT_THAT(RefusalOf(Conv2d(), Uint8LinearCase({{1, 1, 1, 3}, {2, 1, 1, 3}}, {},
                                                  {.w_channels = 3}, random)),
              HasSubstr("w, 2x1x1x3, is quantized along dimension 3"));
}

TEST(Conv2dTest, conv2d_c9_RejectsAnEmptyClampAndATableWithoutQuantizer) {
  EXPECT_THAT(Refusal({1, 1, 1, 1}, {1, 1, 1, 1}, {{"min", 2.0f}, {"max", 1.0f}}),
              HasSubstr("the clamp [2.0, 1.0] is empty"));
  TestRandom random(1);
  OpCase op_case = Uint8LinearCase({{1, 1, 1, 1}, {1, 1, 1, 1}, 1}, {}, {.table = true}, random);
  op_case.attributes.erase("table_scale");
  EXPECT_THAT(RefusalOf(Conv2d(), op_case), HasSubstr("table is given without attribute"));
}

TEST(Conv2dTest, conv2d_c10_RejectsWeightsThatFlow) {
  TestRandom random(1);
  OpCase op_case = FloatLinearCase({{1, 1, 1, 1}, {1, 1, 1, 1}}, {}, random);
  op_case.constant = {false, false};
  EXPECT_THAT(RefusalOf(Conv2d(), op_case), HasSubstr("operand w is not constant"));
}

TEST(Conv2dTest, conv2d_c11_RejectsResidualsThatDontFit) {
  TestRandom random(1);
  const OpCase plain = FloatLinearCase({{1, 1, 2, 1}, {3, 1, 1, 1}, 3}, {}, random);
  const auto refusal = [&](const TestTensor& residual, Attributes attributes) {
    OpCase op_case = plain;
    op_case.attributes = std::move(attributes);
    op_case.inputs.resize(kResidual);
    op_case.inputs.push_back(residual);
    return RefusalOf(Conv2d(), op_case);
  };
  const TestTensor fitting(TensorType{DataType::kFloat32, {1, 1, 2, 3}});
  EXPECT_EQ(refusal(fitting, {}), "");
  EXPECT_THAT(refusal(TestTensor(TensorType{DataType::kFloat32, {1, 1, 2, 1}}), {}),
              HasSubstr("the residual is float32[1x1x2x1] (none), expected float32[1x1x2x3]"));
  EXPECT_THAT(refusal(TestTensor(TensorType{DataType::kUint8, {1, 1, 2, 3}}), {}),
              HasSubstr("the residual is uint8[1x1x2x3]"));
  EXPECT_THAT(refusal(fitting, {{"sum_min", 2.0f}, {"sum_max", 1.0f}}),
              HasSubstr("the sum's clamp [2.0, 1.0] is empty"));
  EXPECT_THAT(refusal(fitting, {{"own_scale", 1.0f}}), HasSubstr("given for float32"));
  EXPECT_THAT(refusal(TestTensor(), {{"sum_min", 0.0f}}), HasSubstr("there is no residual"));
}

TEST(Conv2dTest, conv2d_c11_RejectsResidualsWithoutQuantizers) {
  TestRandom random(1);
  OpCase op_case = Uint8LinearCase({{1, 1, 2, 1}, {3, 1, 1, 1}, 3}, {}, {}, random);
  op_case.inputs.resize(kResidual);
  op_case.inputs.emplace_back(TensorType{DataType::kUint8, {1, 1, 2, 3}, {}});
  EXPECT_THAT(RefusalOf(Conv2d(), op_case), HasSubstr("uint8[1x1x2x3] with a quantizer"));
  op_case.inputs.back() =
      TestTensor(TensorType{DataType::kUint8, {1, 1, 2, 3}, QuantParams::Affine(1, 0)});
  EXPECT_THAT(RefusalOf(Conv2d(), op_case), HasSubstr("own_scale 0.0, own_zero_point 0"));
  op_case.attributes = {{"own_scale", 1.0f}, {"own_zero_point", int64_t{256}}};
  EXPECT_THAT(RefusalOf(Conv2d(), op_case), HasSubstr("a zero point in 0..255"));
}

// 40,000 products of 255 and 255: 2.6e9, more than an int32 holds.
TEST(Conv2dTest, SumsBeyond32BitsAreExact) {
  const QuantParams one = QuantParams::Affine(1, 0);
  const TestTensor x({1, 1, 1, 40000}, std::vector<uint8_t>(40000, 255), one);
  const TestTensor w({1, 1, 1, 40000}, std::vector<uint8_t>(40000, 255), one);
  const auto outputs = CheckConformance(
      Conv2d(), {.name = "largest",
                 .inputs = {x, w},
                 .constant = {false, true},
                 .outputs = {{DataType::kUint8, {}, QuantParams::Affine(1.3005e7f, 0)}}});
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_THAT(outputs[0].values<uint8_t>(), ElementsAre(200));
}

TEST(Conv2dTest, LongSumsEqualTheReference) {
  TestRandom random(13);
  for (const int64_t groups : {1, 2}) {
    const Attributes attributes{{"strides", std::vector<int64_t>{1, 2}},
                                {"pads", std::vector<int64_t>{1, 1, 0, 1}},
                                {"groups", groups}};
    for (const int32_t zero_point : {0, 7, 255}) {
      CheckConformance(
          Conv2d(),
          Uint8LinearCase({.x = {1, 4, 5, 4601 * groups},
                           .w = {6, 3, 3, 4601},
                           .channels = 6,
                           .reduction = 9 * 4601},
                          attributes, {.x_zero_point = zero_point, .w_zero_point = 0}, random));
    }
  }
}

}  // namespace
}  // namespace synap_internal
