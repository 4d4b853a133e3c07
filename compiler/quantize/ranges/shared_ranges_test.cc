#include "compiler/quantize/ranges/shared_ranges.h"

#include <cmath>

#include "compiler/testing/run_pass.h"
#include "gtest/gtest.h"

namespace synap_internal {
namespace {

using Ranges = std::map<std::string, ValueRange>;

Ranges Shared(const Graph& graph, Ranges ranges) {
  return SharedRanges(graph, LayerPrecisions(Precision{}), 8, std::move(ranges));
}

TEST(SharedRangesTest, WhatOnlyAConcatReadsTakesItsRange) {
  const Graph graph = GraphOfBody(R"(
    input %x: float32[1x2x2x4]
    %a: float32[1x2x2x4] = hard_swish(%x) from "a"
    %b: float32[1x2x2x4] = add(%x, %x) from "b"
    %c: float32[1x2x2x8] = concat(%a, %b) {axis=3} from "c"
    output %c)");
  const Ranges shared =
      Shared(graph, {{"x", {-1, 2}}, {"a", {-1, 1}}, {"b", {0, 8}}, {"c", {-1, 8}}});
  EXPECT_EQ(shared, (Ranges{{"x", {-1, 2}}, {"a", {-1, 8}}, {"b", {-1, 8}}, {"c", {-1, 8}}}));
}

TEST(SharedRangesTest, WhatOthersReadTooKeepsItsRangeUnlessTheyHardlyDiffer) {
  constexpr absl::string_view kBody = R"(
    input %x: float32[1x2x2x4]
    %a: float32[1x2x2x4] = add(%x, %x) from "a"
    %b: float32[1x2x2x4] = add(%a, %x) from "b"
    %r: float32[1x2x4x2] = reshape(%a) {shape=[1, 2, 4, 2]} from "r"
    %s: float32[1x2x2x4] = reshape(%r) {shape=[1, 2, 2, 4]} from "s"
    %c: float32[1x2x2x8] = concat(%s, %b) {axis=3} from "c"
    output %c)";
  const Graph graph = GraphOfBody(kBody);
  const ValueRange moved{0, 0};  // a range of a tensor that only moves values is not read
  EXPECT_EQ(Shared(graph, {{"a", {0, 6}}, {"b", {-1, 7}}, {"c", {-1, 7}}, {"r", moved}}),
            (Ranges{{"a", {-1, 7}}, {"b", {-1, 7}}, {"c", {-1, 7}}, {"r", moved}}));
  EXPECT_EQ(Shared(graph, {{"a", {0, 5}}, {"b", {-1, 7}}, {"c", {-1, 7}}, {"r", moved}}),
            (Ranges{{"a", {0, 5}}, {"b", {-1, 7}}, {"c", {-1, 7}}, {"r", moved}}));
}

TEST(SharedRangesTest, RangesThatDifferLittleStepByStepDontDriftTogether) {
  const Graph graph = GraphOfBody(R"(
    input %x: float32[1x4]
    %a: float32[1x4] = add(%x, %x) from "a"
    %b: float32[1x8] = concat(%a, %x) {axis=1} from "b"
    %c: float32[1x16] = concat(%b, %b) {axis=1} from "c"
    %u: float32[1x4] = add(%a, %a) from "u"
    %v: float32[1x8] = add(%b, %b) from "v"
    output %c
    output %u
    output %v)");
  EXPECT_EQ(Shared(graph, {{"a", {0, 1}}, {"b", {0, 1.3f}}, {"c", {0, 1.7f}}}),
            (Ranges{{"a", {0, 1}}, {"b", {0, 1.7f}}, {"c", {0, 1.7f}}}));
}

TEST(SharedRangesTest, AConstantKeepsItsRange) {
  // A mask has one; it is stored in the type of its reader anyway.
  const Graph graph = GraphOfBody(R"(
    input %x: float32[1x4]
    const %m: float32[1x4] = [0.0, 1.0, 2.0, 7.5]
    %a: float32[1x4] = add(%x, %x) from "a"
    %c: float32[1x8] = concat(%a, %m) {axis=1} from "c"
    output %c)");
  const Ranges ranges = {{"a", {0, 8}}, {"m", {0, 7.5f}}, {"c", {0, 8}}};
  EXPECT_EQ(Shared(graph, ranges), ranges);
}

TEST(SharedRangesTest, AFixedRangeStays) {
  const Graph graph = GraphOfBody(R"(
    input %x: float32[1x4]
    %a: float32[1x4] = sigmoid(%x) from "a"
    %b: float32[1x4] = add(%x, %x) from "b"
    %c: float32[1x8] = concat(%a, %b) {axis=1} from "c"
    output %c)");
  const Ranges ranges = {{"x", {0, 0.8f}}, {"a", {0, 0.9f}}, {"b", {0, 1}}, {"c", {0, 1}}};
  EXPECT_EQ(Shared(graph, ranges), ranges);
}

TEST(SharedRangesTest, InputsAndOutputsHaveReadersOfTheirOwn) {
  const Graph graph = GraphOfBody(R"(
    input %x: float32[1x4]
    input %z: float32[1x4]
    %a: float32[1x4] = tanh(%z) from "z"
    %b: float32[1x4] = add(%a, %z) from "b"
    %c: float32[1x8] = concat(%b, %x) {axis=1} from "c"
    output %c
    output %b)");
  const Ranges ranges = {{"x", {0, 1}}, {"z", {0, 2}}, {"b", {0, 1}}, {"c", {0, 2}}};
  EXPECT_EQ(Shared(graph, ranges), ranges);
}

TEST(SharedRangesTest, OtherOpsAndUnknownRangesStay) {
  const Graph graph = GraphOfBody(R"(
    input %x: float32[1x4]
    %a: float32[1x4] = add(%x, %x) from "a"
    %b: float32[1x4] = add(%a, %x) from "b"
    %c: float32[1x8] = concat(%a, %b) {axis=1} from "c"
    output %c)");
  const Ranges ranges = {{"x", {0, 1}}, {"a", {0, 1.1f}}, {"b", {0, 1.2f}}};
  EXPECT_EQ(Shared(graph, ranges), ranges);
}

TEST(SharedRangesTest, TheConcatTakesAnOperandsWiderRange) {
  const Graph graph = GraphOfBody(R"(
    input %x: float32[1x4]
    %a: float32[1x4] = add(%x, %x) from "a"
    %c: float32[1x8] = concat(%a, %a) {axis=1} from "c"
    output %c)");
  EXPECT_EQ(Shared(graph, {{"a", {-0.1f, 1}}, {"c", {0, 1}}}),
            (Ranges{{"a", {-0.1f, 1}}, {"c", {-0.1f, 1}}}));
}

TEST(SharedRangesTest, TheNarrowestOfAllMembersLimitsTheRange) {
  const Graph graph = GraphOfBody(R"(
    input %a: float32[1x4]
    input %b: float32[1x4]
    %c: float32[1x8] = concat(%a, %b) {axis=1} from "c"
    output %c)");
  EXPECT_EQ(Shared(graph, {{"a", {0, 1.4f}}, {"b", {-0.2f, 1.9f}}, {"c", {0, 1.9f}}}),
            (Ranges{{"a", {0, 1.9f}}, {"b", {-0.2f, 1.9f}}, {"c", {0, 1.9f}}}));
}

TEST(SharedRangesTest, TwoConcatsOfOneTensorShareARange) {
  const Graph graph = GraphOfBody(R"(
    input %x: float32[1x4]
    %a: float32[1x4] = add(%x, %x) from "a"
    %c: float32[1x8] = concat(%a, %a) {axis=1} from "c"
    %d: float32[1x8] = concat(%a, %a) {axis=1} from "d"
    output %c
    output %d)");
  EXPECT_EQ(Shared(graph, {{"a", {0, 1}}, {"c", {0, 1.2f}}, {"d", {0, 1.1f}}}),
            (Ranges{{"a", {0, 1.2f}}, {"c", {0, 1.2f}}, {"d", {0, 1.2f}}}));
}

TEST(SharedRangesTest, AConcatOfAnotherTypeConvertsAnyway) {
  const Graph graph = GraphOfBody(R"(
    input %x: float32[1x4]
    %a: float32[1x4] = hard_swish(%x) from "a"
    %c: float32[1x8] = concat(%a, %x) {axis=1} from "c"
    output %c)");
  LayerPrecisions precisions{Precision{}};
  precisions.Set(*graph.outputs[0]->producer,
                 {DataType::kInt16, QuantScheme::kDynamicFixedPoint, false});
  const Ranges ranges = {{"x", {0, 9}}, {"a", {0, 0.5f}}, {"c", {0, 9}}};
  EXPECT_EQ(SharedRanges(graph, precisions, 8, ranges), ranges);
}

TEST(SharedRangesTest, TheNumbersThatACastReadsStay) {
  const Graph graph = GraphOfBody(R"(
    input %x: float32[1x4]
    %a: float32[1x4] = cast(%x) {to="float32"} from "a"
    %b: float32[1x4] = add(%x, %x) from "b"
    %c: float32[1x8] = concat(%a, %b) {axis=1} from "c"
    output %c)");
  const Ranges ranges = {{"x", {0, 1}}, {"a", {0, 1}}, {"b", {0, 1.2f}}, {"c", {0, 1.2f}}};
  EXPECT_EQ(Shared(graph, ranges), ranges);
}

TEST(SharedRangesTest, TheRootOfTwoTimesTheNarrowestRangeIsTooWide) {
  const Graph graph = GraphOfBody(R"(
    input %a: float32[1x4]
    %c: float32[1x8] = concat(%a, %a) {axis=1} from "c"
    output %c)");
  constexpr float kRoot = 1.41421356f;
  const Ranges ranges = {{"a", {0, 1}}, {"c", {0, kRoot}}};
  EXPECT_EQ(Shared(graph, ranges), ranges);
  const ValueRange less{0, std::nextafter(kRoot, 1.0f)};
  EXPECT_EQ(Shared(graph, {{"a", {0, 1}}, {"c", less}}), (Ranges{{"a", less}, {"c", less}}));
}

}  // namespace
}  // namespace synap_internal
