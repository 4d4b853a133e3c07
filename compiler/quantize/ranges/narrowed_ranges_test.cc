#include "compiler/quantize/ranges/narrowed_ranges.h"

#include "absl/strings/str_cat.h"
#include "base/data_type.h"
#include "compiler/graph/graph.h"
#include "compiler/quantize/ranges/layer_precision.h"
#include "compiler/testing/run_pass.h"
#include "gtest/gtest.h"

namespace synap_internal {
namespace {

using Ranges = std::map<std::string, ValueRange>;

Ranges Narrowed(absl::string_view body, Ranges ranges) {
  const auto narrowed = NarrowedRanges(
      GraphOfBody(body), LayerPrecisions(PrecisionOf(DataType::kUint8)), 8, std::move(ranges));
  EXPECT_TRUE(narrowed.ok()) << narrowed.status();
  return narrowed.value_or(Ranges{});
}

TEST(NarrowedRangesTest, WhereAnActivationIsFlatItsOperandNeedsNoSteps) {
  const Ranges ranges = Narrowed(R"(
    input %x: float32[1x4]
    %a: float32[1x4] = add(%x, %x) from "a"
    %s: float32[1x4] = silu(%a) from "s"
    output %s)",
                                 {{"x", {-20, 20}}, {"a", {-40, 20}}, {"s", {-0.28f, 20}}});
  // Of the step, 20.28 / 255, a quarter is 0.0199, which -silu(x) passes at x = -5.6.
  EXPECT_NEAR(ranges.at("a").min, -5.6f, 0.1f);
  EXPECT_EQ(ranges.at("a").max, 20);
  EXPECT_EQ(ranges.at("x"), (ValueRange{-20, 20}));
}

TEST(NarrowedRangesTest, AFunctionOf16BitsIsFlatWhereItsOwnStepsSayIt) {
  const Graph graph = GraphOfBody(R"(
    input %x: float32[1x4]
    %a: float32[1x4] = add(%x, %x) from "a"
    %s: float32[1x4] = sigmoid(%a) from "s"
    output %s)");
  LayerPrecisions precisions(PrecisionOf(DataType::kUint8));
  precisions.Set(graph.ops().back(), PrecisionOf(DataType::kInt16));
  const auto ranges = NarrowedRanges(graph, precisions, 8, {{"a", {-40, 2}}, {"s", {0, 0.9f}}});
  ASSERT_TRUE(ranges.ok()) << ranges.status();
  EXPECT_NEAR(ranges->at("a").min, -12.5f, 0.1f);  // 1 / 262140
}

TEST(NarrowedRangesTest, AFixedRangeGivesTheStep) {
  const Ranges ranges = Narrowed(R"(
    input %x: float32[1x4]
    %a: float32[1x4] = add(%x, %x) from "a"
    %s: float32[1x4] = sigmoid(%a) from "s"
    output %s)",
                                 {{"a", {-40, 2}}, {"s", {0, 0.9f}}});
  EXPECT_NEAR(ranges.at("a").min, -6.9f, 0.1f);  // sigmoid: 1 / 1020
  EXPECT_EQ(ranges.at("a").max, 2);
}

TEST(NarrowedRangesTest, BothEndsAreNarrowed) {
  const Ranges ranges = Narrowed(R"(
    input %x: float32[1x4]
    %a: float32[1x4] = add(%x, %x) from "a"
    %r: float32[1x4] = relu6(%a) from "r"
    output %r)",
                                 {{"a", {-6, 12}}, {"r", {0, 6}}});
  EXPECT_NEAR(ranges.at("a").min, 0, 0.02f);
  EXPECT_NEAR(ranges.at("a").max, 6, 0.02f);
}

TEST(NarrowedRangesTest, FunctionsMayReadItFromElsewhere) {
  const Ranges ranges = Narrowed(R"(
    input %x: float32[1x4]
    %a: float32[1x4] = add(%x, %x) from "a"
    %r: float32[4] = reshape(%a) {shape=[4]} from "r"
    %s: float32[4] = sigmoid(%r) from "s"
    output %s)",
                                 {{"a", {-40, 2}}, {"r", {-40, 2}}, {"s", {0, 0.9f}}});
  EXPECT_NEAR(ranges.at("a").min, -6.9f, 0.1f);
  EXPECT_EQ(ranges.at("r"), (ValueRange{-40, 2})) << "its quantizer is that of a";
}

TEST(NarrowedRangesTest, AFunctionWhoseRangeIsUnknownNeedsEverythingThatChangesIt) {
  const Ranges before = {{"a", {-40, 20}}};
  EXPECT_EQ(Narrowed(R"(
    input %x: float32[1x4]
    %a: float32[1x4] = add(%x, %x) from "a"
    %s: float32[1x4] = silu(%a) from "s"
    output %s)",
                     before),
            before);
}

TEST(NarrowedRangesTest, SeveralFunctionsNeedWhatOneOfThemNeeds) {
  const Ranges ranges = Narrowed(R"(
    input %x: float32[1x4]
    %a: float32[1x4] = add(%x, %x) from "a"
    %s: float32[1x4] = sigmoid(%a) from "s"
    %r: float32[1x4] = relu(%a) from "r"
    output %s
    output %r)",
                                 {{"a", {-40, 20}}, {"s", {0, 1}}, {"r", {0, 20}}});
  EXPECT_NEAR(ranges.at("a").min, -6.9f, 0.1f);  // for the sigmoid
  EXPECT_EQ(ranges.at("a").max, 20);             // for ReLU
}

TEST(NarrowedRangesTest, WhatOthersReadStays) {
  const Ranges before = {{"a", {-40, 20}}, {"s", {-0.28f, 20}}, {"b", {-80, 40}}};
  EXPECT_EQ(Narrowed(R"(
    input %x: float32[1x4]
    %a: float32[1x4] = add(%x, %x) from "a"
    %s: float32[1x4] = silu(%a) from "s"
    %b: float32[1x4] = add(%a, %a) from "b"
    output %s
    output %b)",
                     before),
            before);
}

TEST(NarrowedRangesTest, OutputsAndConcatsAndWhatNothingReadsStay) {
  const Ranges before = {{"a", {-40, 20}}, {"s", {0, 20}}};
  EXPECT_EQ(Narrowed(R"(
    input %x: float32[1x4]
    %a: float32[1x4] = add(%x, %x) from "a"
    %s: float32[1x4] = silu(%a) from "s"
    output %s
    output %a)",
                     before),
            before);
  EXPECT_EQ(Narrowed(R"(
    input %x: float32[1x2]
    %a: float32[1x4] = concat(%x, %x) {axis=1} from "a"
    %s: float32[1x4] = silu(%a) from "s"
    output %s)",
                     before),
            before);
  EXPECT_EQ(Narrowed(R"(
    input %x: float32[1x4]
    %a: float32[1x4] = add(%x, %x) from "a"
    %s: float32[1x4] = silu(%x) from "s"
    output %s)",
                     before),
            before);
}

TEST(NarrowedRangesTest, WhatAnotherOpComputesWithBeforeTheFunctionStays) {
  const Ranges ranges = Narrowed(R"(
    input %x: float32[1x4]
    %a: float32[1x4] = add(%x, %x) from "a"
    %b: float32[1x4] = add(%a, %a) from "b"
    %s: float32[1x4] = sigmoid(%b) from "s"
    output %s)",
                                 {{"a", {-20, 20}}, {"b", {-40, 40}}, {"s", {0, 1}}});
  EXPECT_EQ(ranges.at("a"), (ValueRange{-20, 20}));
  EXPECT_NEAR(ranges.at("b").min, -6.9f, 0.1f);
  EXPECT_NEAR(ranges.at("b").max, 6.9f, 0.1f);
}

TEST(NarrowedRangesTest, ConversionsReadTheWholeRange) {
  const Ranges before = {{"a", {-40, 20}}, {"s", {0, 20}}};
  EXPECT_EQ(Narrowed(R"(
    input %x: float32[1x4]
    %a: float32[1x4] = add(%x, %x) from "a"
    %s: float32[1x4] = silu(%a) from "s"
    %i: int64[1x4] = cast(%a) {to="int64"} from "i"
    output %s
    output %i)",
                     before),
            before);
}

TEST(NarrowedRangesTest, AConstantFunctionIsLeftAlone) {
  const Ranges before = {{"a", {-4, -2}}, {"r", {0, 0}}};
  EXPECT_EQ(Narrowed(R"(
    input %x: float32[1x4]
    %a: float32[1x4] = add(%x, %x) from "a"
    %r: float32[1x4] = relu(%a) from "r"
    output %r)",
                     before),
            before);
}

// The range of %a[-reach, reach], which a ReLU with a range of [0, 1] reads.
ValueRange ReadByRelu(float reach) {
  return Narrowed(R"(
    input %x: float32[1x4]
    %a: float32[1x4] = add(%x, %x) from "a"
    %r: float32[1x4] = relu(%a) from "r"
    output %r)",
                  {{"a", {-reach, reach}}, {"r", {0, 1}}})
      .at("a");
}

TEST(NarrowedRangesTest, ExactlyAQuarterOfAStepIsFlatOnEitherSide) {
  // A step of 1, points 1/4 apart.
  const auto narrowed = [](absl::string_view limit, const ValueRange& result) {
    return Narrowed(absl::StrCat(R"(
    input %x: float32[1x4]
    %a: float32[1x4] = add(%x, %x) from "a"
    %c: float32[1x4] = clip(%a) {)",
                                 limit, R"(} from "c"
    output %c)"),
                    {{"a", {-256, 256}}, {"c", result}})
        .at("a");
  };
  EXPECT_EQ(narrowed("min=0.0", {0, 255}), (ValueRange{0.25f, 255.75f}));
  EXPECT_EQ(narrowed("max=0.0", {-255, 0}), (ValueRange{-255.75f, -0.25f}));
}

TEST(NarrowedRangesTest, AQuarterOfAStepIsFlat) {
  // Points are 1/1024 of the reach apart, a quarter of a step is 1/1020.
  EXPECT_EQ(ReadByRelu(1).min, 1.0f / 1024);
  EXPECT_EQ(ReadByRelu(1.006f).min, 0);
}

TEST(NarrowedRangesTest, WhatComesBackToItsFirstValueIsNotFlat) {
  // A sine rises to 1 and is 0 again at pi, where the range goes on.
  const Ranges ranges = Narrowed(R"(
    input %x: float32[1x4]
    %a: float32[1x4] = add(%x, %x) from "a"
    %s: float32[1x4] = sin(%a) from "s"
    output %s)",
                                 {{"a", {0, 4}}, {"s", {-1, 1}}});
  EXPECT_LT(ranges.at("a").min, 0.01f);
  EXPECT_NEAR(ranges.at("a").max, 4, 0.01f);
}

TEST(NarrowedRangesTest, AFunctionThatIsFlatOnBothSidesOfOnePointIsLeftAlone) {
  // Half of the function's height is within a quarter of a step.
  const Ranges before = {{"a", {-1000, 1000}}, {"c", {-255, 255}}};
  EXPECT_EQ(Narrowed(R"(
    input %x: float32[1x4]
    %a: float32[1x4] = add(%x, %x) from "a"
    %c: float32[1x4] = clip(%a) {max=0.5, min=-0.5} from "c"
    output %c)",
                     before),
            before);
}

}  // namespace
}  // namespace synap_internal
