#include "compiler/calibration/softmax_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "compiler/ir/graph.h"
#include "compiler/testing/run_pass.h"

namespace synap_internal {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr float kInf = std::numeric_limits<float>::infinity();

// "name outer*length*inner", with a "+" where the reach is that of an operand.
std::vector<std::string> Found(absl::string_view body) {
  const Graph graph = GraphOfBody(body);
  const std::map<const Tensor*, SoftmaxRows> found = FindSoftmaxRows(graph);
  std::vector<std::string> names;
  for (const Tensor& tensor : graph.tensors()) {
    const auto rows = found.find(&tensor);
    if (rows == found.end()) continue;
    const SoftmaxRows& r = rows->second;
    names.push_back(absl::StrCat(tensor.name, " ", r.outer, "*", r.length, "*", r.inner,
                                 r.reach >= 64 ? "+" : ""));
  }
  return names;
}

TEST(SoftmaxRowsTest, ASumInFrontOfSoftmaxAndItsOperands) {
  EXPECT_THAT(Found(R"(
    input %x: float32[2x3x4]
    const %m: float32[3x4] = [0.0, 0.0, 0.0, -inf, 0.0, 0.0, 0.0, -inf, 0.0, 0.0, 0.0, -inf]
    %y: float32[2x3x4] = add(%x, %m) from "y"
    %p: float32[2x3x4] = softmax(%y) {axis=1} from "p"
    output %p)"),
              ElementsAre("x 2*3*4+", "m 1*3*4+", "y 2*3*4"));
}

TEST(SoftmaxRowsTest, OperandsThatAreBroadcastAlongTheRowsAreOneRow) {
  EXPECT_THAT(Found(R"(
    input %x: float32[2x3x4]
    input %m: float32[2x3x1]
    %y: float32[2x3x4] = add(%x, %m) from "y"
    %p: float32[2x3x4] = softmax(%y) {axis=-1} from "p"
    output %p)"),
              ElementsAre("x 6*4*1+", "m 1*6*1+", "y 6*4*1"));
}

TEST(SoftmaxRowsTest, WithoutAMaskThereIsNothingToFind) {
  EXPECT_THAT(Found(R"(
    input %x: float32[2x4]
    %y: float32[2x4] = tanh(%x) from "y"
    %p: float32[2x4] = softmax(%y) {axis=1} from "p"
    output %p)"),
              IsEmpty());
}

TEST(SoftmaxRowsTest, OtherReadersSeeTheMask) {
  EXPECT_THAT(Found(R"(
    input %x: float32[2x4]
    input %m: float32[2x4]
    %y: float32[2x4] = add(%x, %m) from "y"
    %p: float32[2x4] = softmax(%y) {axis=1} from "p"
    %t: float32[2x4] = tanh(%y) from "t"
    output %p
    output %t)"),
              IsEmpty());
  EXPECT_THAT(Found(R"(
    input %x: float32[2x4]
    input %m: float32[2x4]
    %y: float32[2x4] = add(%x, %m) from "y"
    %p: float32[2x4] = softmax(%y) {axis=1} from "p"
    output %p
    output %y)"),
              IsEmpty());
}

TEST(SoftmaxRowsTest, RowsGoThroughReshapesTransposesAndFactors) {
  EXPECT_THAT(Found(R"(
    input %x: float32[2x3x4]
    input %m: float32[2x3x4]
    const %f: float32[] = [0.5]
    %s: float32[2x3x4] = add(%x, %m) from "s"
    %t: float32[2x4x3] = transpose(%s) {perm=[0, 2, 1]} from "t"
    %r: float32[8x3] = reshape(%t) {shape=[8, 3]} from "r"
    %y: float32[8x3] = mul(%r, %f) from "y"
    %p: float32[8x3] = softmax(%y) {axis=1} from "p"
    output %p)"),
              ElementsAre("x 2*3*4+", "m 2*3*4+", "s 2*3*4", "t 8*3*1", "r 8*3*1", "y 8*3*1"));
}

TEST(SoftmaxRowsTest, ANegativeFactorTurnsRowsRound) {
  EXPECT_THAT(Found(R"(
    input %x: float32[2x4]
    input %m: float32[2x4]
    const %f: float32[] = [-0.5]
    %s: float32[2x4] = add(%x, %m) from "s"
    %y: float32[2x4] = mul(%s, %f) from "y"
    %p: float32[2x4] = softmax(%y) {axis=1} from "p"
    output %p)"),
              ElementsAre("y 2*4*1"));
}

TEST(WithinReachTest, RaisesWhatIsTooFarFromTheLargestOfItsRow) {
  const SoftmaxRows rows{1, 3, 2, 10};
  EXPECT_THAT(WithinReach(rows, std::vector<float>{5, -1, -kInf, 3, 4, -1e9f}),
              ElementsAre(5, -1, -5, 3, 4, -7));
}

TEST(WithinReachTest, RowsThatAreMaskedAsAWholeSayNothing) {
  const SoftmaxRows rows{2, 2, 1, 10};
  EXPECT_THAT(WithinReach(rows, std::vector<float>{1, 2, -kInf, -kInf}), ElementsAre(1, 2, 2, 2));
  EXPECT_THAT(WithinReach(rows, std::vector<float>{1, 2, -1e9f, -1e9f}), ElementsAre(1, 2, 2, 2));
}

TEST(WithinReachTest, WhatIsNotFiniteOtherwiseStays) {
  const SoftmaxRows rows{1, 2, 1, 10};
  EXPECT_TRUE(std::isnan(WithinReach(rows, std::vector<float>{NAN, 2})[0]));
  EXPECT_TRUE(std::isnan(WithinReach(rows, std::vector<float>{2, NAN})[1]));
  EXPECT_EQ(WithinReach(rows, std::vector<float>{2, kInf})[1], kInf);
  EXPECT_THAT(WithinReach(rows, std::vector<float>{-kInf, -kInf}), ElementsAre(-kInf, -kInf));
}

}  // namespace
}  // namespace synap_internal
