#include "kernels/conv_transpose2d/conv_transpose2d.h"

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

const OpDef& ConvTranspose2d() { return ConvTranspose2dOps()[0]; }

struct TransposeShape {
  LinearShapes shapes;
  Attributes attributes;
};

TransposeShape RandomTranspose(TestRandom& random) {
  const auto pick = [&random](int64_t min, int64_t max) { return random.Integer(min, max); };
  const int64_t groups = pick(0, 3) == 0 ? pick(2, 3) : 1;
  const int64_t inputs = pick(1, 20), outputs = pick(1, groups == 1 ? 40 : 10);
  const int64_t kh = pick(1, 4), kw = pick(1, 4);
  TransposeShape transpose;
  transpose.shapes = {{pick(1, 2), pick(3, 9), pick(3, 9), groups * inputs},
                      {groups * outputs, kh, kw, inputs},
                      pick(0, 4) == 0 ? 0 : groups * outputs,
                      kh * kw * inputs};
  transpose.attributes = {{"strides", Ints{pick(1, 4), pick(1, 3)}},
                          {"dilations", Ints{pick(1, 3), pick(1, 2)}},
                          {"pads", Ints{pick(0, 1), pick(0, 1), pick(0, 1), pick(0, 1)}},
                          {"output_padding", Ints{pick(0, 2), pick(0, 2)}},
                          {"groups", groups}};
  if (pick(0, 1) == 0) transpose.attributes["min"] = 0.0f;
  return transpose;
}

TEST(ConvTranspose2dTest, AddsAWindowForEveryPixel) {
  const TestTensor x({1, 1, 2, 1}, std::vector<float>{1, 10});
  const TestTensor w({1, 1, 3, 1}, std::vector<float>{1, 2, 3});
  const TestTensor bias({1}, std::vector<float>{0.5f});
  const auto outputs = CheckConformance(
      ConvTranspose2d(), {.name = "stride 2",
                          .inputs = {x, w, bias},
                          .attributes = {{"strides", Ints{1, 2}}, {"output_padding", Ints{0, 1}}},
                          .constant = {false, true, true}});
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_EQ(outputs[0].type().shape, (Shape{1, 1, 6, 1}));
  EXPECT_THAT(outputs[0].values<float>(), ElementsAre(1.5f, 2.5f, 13.5f, 20.5f, 30.5f, 0.5f));
}

TEST(ConvTranspose2dTest, RequantizesTheExactSum) {
  const TestTensor x({1, 1, 2, 1}, std::vector<uint8_t>{6, 14}, QuantParams::Affine(1, 4));
  const TestTensor w({1, 1, 2, 1}, std::vector<uint8_t>{3, 0}, QuantParams::Affine(0.5f, 1));
  const auto outputs = CheckConformance(
      ConvTranspose2d(), {.name = "uint8",
                          .inputs = {x, w},
                          .constant = {false, true},
                          .outputs = {{DataType::kUint8, {}, QuantParams::Affine(0.5f, 20)}}});
  ASSERT_EQ(outputs.size(), 1u);
  // 2 * 2, 2 * -1 + 10 * 2, 10 * -1.
  EXPECT_THAT(outputs[0].values<uint8_t>(), ElementsAre(24, 38, 10));
}

TEST(ConvTranspose2dTest, EqualsTheReferenceOnRandomShapes) {
  TestRandom random(1);
  for (int i = 0; i < 50; ++i) {
    const TransposeShape transpose = RandomTranspose(random);
    CheckConformance(ConvTranspose2d(),
                     FloatLinearCase(transpose.shapes, transpose.attributes, random));
    LinearQuantizers quantizers = RandomQuantizers(random, 0);
    quantizers.table = false;
    CheckConformance(ConvTranspose2d(),
                     Uint8LinearCase(transpose.shapes, transpose.attributes, quantizers, random));
    CheckConformance(ConvTranspose2d(),
                     Int16LinearCase(transpose.shapes, transpose.attributes, quantizers, random));
  }
}

TEST(ConvTranspose2dTest, EqualsTheReferenceWithStridesBeyondTheWindow) {
  TestRandom random(2);
  for (const Ints& strides : {Ints{5, 5}, Ints{20, 20}}) {
    const LinearShapes shapes{{1, 3, 3, 4}, {6, 2, 2, 4}, 6, 16};
    CheckConformance(ConvTranspose2d(), FloatLinearCase(shapes, {{"strides", strides}}, random));
    CheckConformance(ConvTranspose2d(),
                     Uint8LinearCase(shapes, {{"strides", strides}}, {}, random));
  }
}

// Windows of one tap that begin inside of x, and of taps that go backwards and far.
TEST(ConvTranspose2dTest, EqualsTheReferenceHoweverXIsCopied) {
  TestRandom random(3);
  const auto check = [&](const LinearShapes& shapes, const Attributes& attributes) {
    CheckConformance(ConvTranspose2d(), Uint8LinearCase(shapes, attributes, {}, random));
    CheckConformance(ConvTranspose2d(),
                     Int16LinearCase(shapes, attributes, {.x_zero_point = 9}, random));
  };
  check({{1, 6, 7, 24}, {18, 1, 1, 24}, 18, 24}, {{"pads", Ints{1, 1, 1, 1}}});
  check({{1, 3, 3, 24}, {6, 3, 3, 24}, 6, 9 * 24},
        {{"dilations", Ints{9, 1}}, {"pads", Ints{9, 1, 9, 1}}});
}

// Runs of all lengths in 4-byte steps around those of a register, rows of few and many pixels, in
// one phase and in several.
TEST(ConvTranspose2dTest, Uint8EqualsTheReferenceInMatrixRegisters) {
  if (!CpuHasAvx512Vnni()) GTEST_SKIP() << "no AVX-512 VNNI here";
  const WithEmulatedMatrixUnit emulated;
  TestRandom random(13);
  for (const int64_t inputs : {24, 27, 61, 64, 67, 72, 96, 131}) {
    const int64_t outputs = random.Integer(1, 70);
    for (const int64_t width : {int64_t{4}, random.Integer(5, 69), int64_t{70}}) {
      const LinearShapes shapes{
          {1, 3, width, inputs}, {outputs, 3, 2, inputs}, outputs, 6 * inputs};
      const Attributes attributes = {
          {"strides", Ints{random.Integer(1, 2), random.Integer(1, 2)}},
          {"pads", Ints{1, random.Integer(0, 1), 1, random.Integer(0, 1)}}};
      LinearQuantizers quantizers = RandomQuantizers(random, 0);
      quantizers.table = false;
      CheckConformance(ConvTranspose2d(), Uint8LinearCase(shapes, attributes, quantizers, random));
    }
  }
}

TEST(ConvTranspose2dTest, CountsMultiplyAccumulates) {
  const TensorType x{DataType::kFloat32, {1, 4, 4, 6}}, w{DataType::kFloat32, {8, 2, 2, 6}};
  EXPECT_EQ(ConvTranspose2d().cost({x, w}, {{DataType::kFloat32, {1, 8, 8, 8}}}).macs,
            16 * 6 * 8 * 4);
}

std::string Refusal(const Shape& x, const Shape& w, Attributes attributes = {},
                    int64_t channels = 0) {
  TestRandom random(1);
  return RefusalOf(ConvTranspose2d(),
                   FloatLinearCase({x, w, channels}, std::move(attributes), random));
}

TEST(ConvTranspose2dTest, conv_transpose2d_c1_RejectsOtherRanksAndEmptyWeights) {
  EXPECT_THAT(Refusal({4, 4, 1}, {1, 1, 1, 1}), HasSubstr("x is [4x4x1]"));
  EXPECT_THAT(Refusal({1, 4, 4, 1}, {1, 1, 0, 1}), HasSubstr("w is [1x1x0x1]"));
}

TEST(ConvTranspose2dTest, conv_transpose2d_c2_RejectsGroupsThatDontDivide) {
  EXPECT_THAT(Refusal({1, 4, 4, 3}, {4, 1, 1, 1}, {{"groups", int64_t{2}}}),
              HasSubstr("groups is 2 for 3 input"));
}

TEST(ConvTranspose2dTest, conv_transpose2d_c3_RejectsZeroSteps) {
  EXPECT_THAT(Refusal({1, 4, 4, 1}, {1, 1, 1, 1}, {{"strides", Ints{0, 1}}}),
              HasSubstr("a stride is 0"));
}

TEST(ConvTranspose2dTest, conv_transpose2d_c4_RejectsNegativePaddings) {
  EXPECT_THAT(Refusal({1, 4, 4, 1}, {1, 1, 1, 1}, {{"pads", Ints{-1, 0, 0, 0}}}),
              HasSubstr("a pad is -1"));
  EXPECT_THAT(Refusal({1, 4, 4, 1}, {1, 1, 1, 1}, {{"output_padding", Ints{0, -1}}}),
              HasSubstr("an output_padding is -1"));
}

TEST(ConvTranspose2dTest, conv_transpose2d_c5_RejectsAnEmptyOutput) {
  EXPECT_THAT(Refusal({1, 2, 2, 1}, {1, 1, 1, 1}, {{"pads", Ints{1, 0, 1, 0}}}),
              HasSubstr("is empty, expected one element"));
  EXPECT_THAT(Refusal({1, 0, 2, 1}, {1, 3, 3, 1}), HasSubstr("0 elements"));
}

TEST(ConvTranspose2dTest, conv_transpose2d_c6_RejectsABiasOfAnotherLength) {
  EXPECT_THAT(Refusal({1, 4, 4, 1}, {2, 1, 1, 1}, {}, 3),
              HasSubstr("the bias is [3], expected [2]"));
}

TEST(ConvTranspose2dTest, conv_transpose2d_c7_RejectsMixedDataTypes) {
  const TestTensor x(TensorType{DataType::kFloat32, {1, 1, 1, 1}});
  const TestTensor w(TensorType{DataType::kUint8, {1, 1, 1, 1}, QuantParams::Affine(1, 0)});
  EXPECT_THAT(RefusalOf(ConvTranspose2d(), {.inputs = {x, w}, .constant = {false, true}}),
              HasSubstr("x is float32 (none), w is uint8 (asymmetric_affine)"));
}

TEST(ConvTranspose2dTest, conv_transpose2d_c8_RejectsABiasOfAnotherScale) {
  TestRandom random(1);
  OpCase op_case = Uint8LinearCase({{1, 1, 1, 1}, {1, 1, 1, 1}, 1}, {}, {}, random);
  op_case.inputs[2] = TestTensor({1}, std::vector<int32_t>{0}, QuantParams::Affine(0.5f, 0));
  EXPECT_THAT(RefusalOf(ConvTranspose2d(), op_case),
              HasSubstr("the bias's quantizer is scale=0.5"));
}

TEST(ConvTranspose2dTest, conv_transpose2d_c9_RejectsAnEmptyClamp) {
  EXPECT_THAT(Refusal({1, 1, 1, 1}, {1, 1, 1, 1}, {{"min", 2.0f}, {"max", 1.0f}}),
              HasSubstr("the clamp [2.0, 1.0] is empty"));
}

TEST(ConvTranspose2dTest, conv_transpose2d_c10_RejectsWeightsThatFlow) {
  TestRandom random(1);
  OpCase op_case = FloatLinearCase({{1, 1, 1, 1}, {1, 1, 1, 1}}, {}, random);
  op_case.constant = {false, false};
  EXPECT_THAT(RefusalOf(ConvTranspose2d(), op_case), HasSubstr("operand w is not constant"));
}

// 40,000 products of 255 and 255: 2.6e9, more than an int32 holds.
TEST(ConvTranspose2dTest, SumsBeyond32BitsAreExact) {
  const QuantParams one = QuantParams::Affine(1, 0);
  const TestTensor x({1, 1, 1, 40000}, std::vector<uint8_t>(40000, 255), one);
  const TestTensor w({1, 1, 1, 40000}, std::vector<uint8_t>(40000, 255), one);
  const auto outputs = CheckConformance(
      ConvTranspose2d(), {.name = "largest",
                          .inputs = {x, w},
                          .constant = {false, true},
                          .outputs = {{DataType::kUint8, {}, QuantParams::Affine(1.3005e7f, 0)}}});
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_THAT(outputs[0].values<uint8_t>(), ElementsAre(200));
}

TEST(ConvTranspose2dTest, LongSumsEqualTheReference) {
  TestRandom random(14);
  CheckConformance(
      ConvTranspose2d(),
      Uint8LinearCase(
          {.x = {1, 2, 3, 20001}, .w = {5, 3, 2, 20001}, .channels = 5, .reduction = 2 * 20001},
          {{"strides", std::vector<int64_t>{2, 2}}}, {.x_zero_point = 3, .w_zero_point = 250},
          random));
}

}  // namespace
}  // namespace synap_internal
