#include "compiler/quantization/masked_ranges.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "compiler/quantizer/value_range.h"
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
