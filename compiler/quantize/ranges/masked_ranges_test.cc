#include "compiler/quantize/ranges/masked_ranges.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "compiler/quantize/value_range.h"
#include "compiler/testing/run_pass.h"

namespace synap_internal {
namespace {

using Ranges = std::map<std::string, ValueRange>;

TEST(MaskedRangesTest, OperandsOfASumBeginWhereTheSumSaturates) {
  const Graph graph = GraphOfBody(R"(
    input %x: float32[4]
    const %m: float32[4] = [0.0, 0.0, 0.0, -inf]
    %y: float32[4] = add(%x, %m) from "y"
    %p: float32[4] = softmax(%y) {axis=0} from "p"
    output %p)");
  const Ranges ranges = MaskedRanges(graph, {{"x", {-60, 5}}, {"y", {-12, 5}}, {"p", {0, 1}}});
  EXPECT_EQ(ranges.at("x"), (ValueRange{-12, 5}));
  EXPECT_EQ(ranges.at("m"), (ValueRange{-17, 0}));
  EXPECT_EQ(ranges.at("y"), (ValueRange{-12, 5}));
}

TEST(MaskedRangesTest, WhatAWhereChoosesBeginsWithTheResult) {
  const Graph graph = GraphOfBody(R"(
    input %x: float32[2]
    const %c: bool[2] = [1, 0]
    const %low: float32[] = [-3.4e38]
    %y: float32[2] = where(%c, %low, %x) from "y"
    %p: float32[2] = softmax(%y) {axis=0} from "p"
    output %p)");
  const Ranges ranges = MaskedRanges(graph, {{"x", {-1, 5}}, {"y", {-12, 5}}});
  EXPECT_EQ(ranges.at("low"), (ValueRange{-12, -12}));
  EXPECT_EQ(ranges.at("x"), (ValueRange{-1, 5}));
}

TEST(MaskedRangesTest, FloorsGoThroughFactors) {
  const Graph graph = GraphOfBody(R"(
    input %x: float32[2]
    const %f: float32[] = [0.5]
    const %m: float32[2] = [0.0, -inf]
    %s: float32[2] = add(%x, %m) from "s"
    %y: float32[2] = mul(%s, %f) from "y"
    %p: float32[2] = softmax(%y) {axis=0} from "p"
    output %p)");
  const Ranges ranges = MaskedRanges(graph, {{"x", {-1, 6}}, {"s", {-30, 6}}, {"y", {-12, 3}}});
  EXPECT_EQ(ranges.at("s"), (ValueRange{-24, 6}));
  EXPECT_EQ(ranges.at("m"), (ValueRange{-30, 0}));
}

TEST(MaskedRangesTest, WhatAMaskIsTakenAwayFromBeginsWhereTheDifferenceSaturates) {
  const Graph graph = GraphOfBody(R"(
    input %x: float32[2]
    const %m: float32[2] = [1.0, 1e9]
    %y: float32[2] = sub(%x, %m) from "y"
    %p: float32[2] = softmax(%y) {axis=0} from "p"
    output %p)");
  const Ranges ranges = MaskedRanges(graph, {{"x", {-60, 5}}, {"y", {-12, 4}}});
  EXPECT_EQ(ranges.at("x"), (ValueRange{-11, 5}));
  EXPECT_EQ(ranges.count("m"), 0u);
}

TEST(MaskedRangesTest, FactorsComeFirstAsWellAndDivisorsTurnThem) {
  const Graph product = GraphOfBody(R"(
    input %x: float32[2]
    const %f: float32[] = [0.5]
    const %m: float32[2] = [0.0, -inf]
    %s: float32[2] = add(%m, %x) from "s"
    %y: float32[2] = mul(%f, %s) from "y"
    %p: float32[2] = softmax(%y) {axis=0} from "p"
    output %p)");
  EXPECT_EQ(MaskedRanges(product, {{"x", {-1, 6}}, {"s", {-30, 6}}, {"y", {-12, 3}}}).at("s"),
            (ValueRange{-24, 6}));
  const Graph quotient = GraphOfBody(R"(
    input %x: float32[2]
    const %f: float32[] = [0.5]
    const %m: float32[2] = [0.0, -inf]
    %s: float32[2] = add(%x, %m) from "s"
    %y: float32[2] = div(%s, %f) from "y"
    %p: float32[2] = softmax(%y) {axis=0} from "p"
    output %p)");
  const Ranges ranges = MaskedRanges(quotient, {{"x", {-30, 2}}, {"s", {-30, 2}}, {"y", {-8, 4}}});
  EXPECT_EQ(ranges.at("s"), (ValueRange{-4, 2}));
  EXPECT_EQ(ranges.at("m"), (ValueRange{-6, 0}));  // -4 less the 2 that x adds at most
  EXPECT_EQ(ranges.at("x"), (ValueRange{-4, 2}));
}

TEST(MaskedRangesTest, WithoutARangeOfTheResultOrTheOtherOperandNothingIsCut) {
  const Graph graph = GraphOfBody(R"(
    input %x: float32[2]
    input %o: float32[2]
    const %m: float32[2] = [0.0, -inf]
    %a: float32[2] = add(%o, %m) from "a"
    %y: float32[2] = add(%x, %a) from "y"
    %p: float32[2] = softmax(%y) {axis=0} from "p"
    output %p)");
  const Ranges no_result = {{"x", {-60, 5}}, {"o", {-70, 5}}, {"a", {-80, 5}}};
  EXPECT_EQ(MaskedRanges(graph, no_result).at("x"), (ValueRange{-60, 5}));
  const Ranges no_other = {{"x", {-60, 5}}, {"o", {-70, 5}}, {"y", {-12, 5}}};
  EXPECT_EQ(MaskedRanges(graph, no_other), no_other);
}

TEST(MaskedRangesTest, TheReaderThatReachesFurthestDecides) {
  for (const bool swapped : {false, true}) {
    const Graph graph = GraphOfBody(R"(
    input %x: float32[2]
    const %m: float32[2] = [0.0, -inf]
    %y: float32[2] = add(%x, %m) from "y"
    %z: float32[2] = add(%x, %m) from "z"
    %p: float32[2] = softmax(%y) {axis=0} from "p"
    %q: float32[2] = softmax(%z) {axis=0} from "q"
    output %p
    output %q)");
    const ValueRange near{-12, 5}, far{-20, 5};
    const Ranges ranges = MaskedRanges(
        graph, {{"x", {-60, 5}}, {"y", swapped ? near : far}, {"z", swapped ? far : near}});
    EXPECT_EQ(ranges.at("x"), (ValueRange{-20, 5}));
    EXPECT_EQ(ranges.at("m"), (ValueRange{-25, 0}));
  }
}

TEST(MaskedRangesTest, ConstantsKeepTheirOwnEndsInside) {
  const Graph graph = GraphOfBody(R"(
    input %x: float32[3]
    const %m: float32[3] = [1.0, 2.0, -3.0]
    %y: float32[3] = add(%x, %m) from "y"
    %p: float32[3] = softmax(%y) {axis=0} from "p"
    output %p)");
  EXPECT_EQ(MaskedRanges(graph, {{"x", {0, 5}}, {"y", {-12, 5}}}).at("m"), (ValueRange{-3, 2}));
}

TEST(MaskedRangesTest, ARangeBelowTheFloorBecomesItsEnd) {
  const Graph graph = GraphOfBody(R"(
    input %c: bool[2]
    input %x: float32[2]
    input %low: float32[2]
    %y: float32[2] = where(%c, %low, %x) from "y"
    %p: float32[2] = softmax(%y) {axis=0} from "p"
    output %p)");
  const Ranges ranges =
      MaskedRanges(graph, {{"x", {-60, 5}}, {"low", {-1e9f, -1e6f}}, {"y", {-12, 5}}});
  EXPECT_EQ(ranges.at("low"), (ValueRange{-1e6f, -1e6f}));
  EXPECT_EQ(ranges.at("x"), (ValueRange{-12, 5}));
}

TEST(MaskedRangesTest, AFloorDoesNotGoThroughASoftmax) {
  // What %q ignores of %p says nothing about %y.
  const Graph graph = GraphOfBody(R"(
    input %x: float32[2]
    const %m: float32[2] = [0.0, -inf]
    %y: float32[2] = add(%x, %m) from "y"
    %p: float32[2] = softmax(%y) {axis=0} from "p"
    %z: float32[2] = add(%p, %m) from "z"
    %q: float32[2] = softmax(%z) {axis=0} from "q"
    output %q)");
  const Ranges ranges = MaskedRanges(
      graph, {{"x", {-60, 5}}, {"y", {-12, 5}}, {"p", {0, 1}}, {"z", {-10, 1}}, {"q", {0, 1}}});
  EXPECT_EQ(ranges.at("y"), (ValueRange{-12, 5}));
  EXPECT_EQ(ranges.at("x"), (ValueRange{-12, 5}));
}

TEST(MaskedRangesTest, WithoutMasksRangesStay) {
  const Graph graph = GraphOfBody(R"(
    input %x: float32[2]
    const %m: float32[2] = [0.0, 1.0]
    %y: float32[2] = add(%x, %m) from "y"
    %z: float32[2] = tanh(%y) from "z"
    output %z)");
  const Ranges ranges = {{"x", {-1, 6}}, {"y", {-1, 7}}, {"z", {-1, 1}}};
  EXPECT_EQ(MaskedRanges(graph, ranges), ranges);
}

}  // namespace
}  // namespace synap_internal
