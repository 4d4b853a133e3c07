#include "compiler/quantize/statistics/softmax_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "compiler/graph/graph.h"
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

TEST(SoftmaxRowsTest, ASoftmaxWithoutAnAxisHasTheLast) {
  EXPECT_THAT(Found(R"(
    input %x: float32[2x3x4]
    input %m: float32[2x3x4]
    %y: float32[2x3x4] = add(%x, %m) from "y"
    %p: float32[2x3x4] = softmax(%y) from "p"
    output %p)"),
              ElementsAre("x 6*4*1+", "m 6*4*1+", "y 6*4*1"));
}

TEST(SoftmaxRowsTest, QuantizedTensorsHaveNone) {
  EXPECT_THAT(Found(R"(
    input %x: uint8[2x4]<affine 0.1 128>
    input %m: uint8[2x4]<affine 0.1 128>
    %y: uint8[2x4]<affine 0.1 128> = add(%x, %m) from "y"
    %p: uint8[2x4]<affine 0.00390625 0> = softmax(%y) {axis=1} from "p"
    output %p)"),
              IsEmpty());
}

TEST(SoftmaxRowsTest, AbsentOperandsHaveNone) {
  EXPECT_THAT(Found(R"(
    input %x: float32[2x4]
    const %w: float32[4x4] = splat 1.0
    %f: float32[2x4] = fully_connected(%x, %w, _) from "f"
    %y: float32[2x4] = add(%f, %x) from "y"
    %p: float32[2x4] = softmax(%y) {axis=1} from "p"
    output %p)"),
              ElementsAre("f 2*4*1+", "y 2*4*1"));
}

TEST(SoftmaxRowsTest, AFactorWithoutValuesIsNone) {
  EXPECT_THAT(Found(R"(
    input %x: float32[0]
    input %m: float32[0]
    const %k: float32[0] = []
    %s: float32[0] = add(%x, %m) from "s"
    %y: float32[0] = mul(%s, %k) from "y"
    %p: float32[0] = softmax(%y) {axis=0} from "p"
    output %p)"),
              ElementsAre("y 1*0*1"));
}

TEST(SoftmaxRowsTest, FactorsOfOtherShapesHideTheMask) {
  EXPECT_THAT(Found(R"(
    input %x: float32[1x4]
    input %m: float32[1x4]
    const %k: float32[2x4] = splat 2.0
    %s: float32[1x4] = add(%x, %m) from "s"
    %y: float32[2x4] = mul(%s, %k) from "y"
    %p: float32[2x4] = softmax(%y) {axis=1} from "p"
    output %p)"),
              ElementsAre("y 2*4*1"));
}

TEST(SoftmaxRowsTest, WhatOpsMakeOfAConstantIsNoMask) {
  EXPECT_THAT(Found(R"(
    input %x: float32[4]
    const %k: float32[4] = [1.0, 2.0, 3.0, 4.0]
    %r: float32[2x2] = reshape(%k) {shape=[2, 2]} from "r"
    %p: float32[2x2] = softmax(%r) {axis=1} from "p"
    output %p)"),
              IsEmpty());
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

// Of %y[2x4], which `ops` make of %s, the sum of %x[2x4] and %m[2x4].
std::vector<std::string> FoundBefore(absl::string_view ops) {
  return Found(absl::StrCat(R"(
    input %x: float32[2x4]
    input %m: float32[2x4]
    const %half: float32[] = [0.5]
    const %halves: float32[2x4] = splat 0.5
    const %mixed: float32[4] = [0.5, 0.5, 0.5, 0.25]
    const %zero: float32[] = [0.0]
    const %infinite: float32[] = [inf]
    const %tiny: float32[] = [1e-39]
    %s: float32[2x4] = add(%x, %m) from "s"
)",
                            ops, R"( from "y"
    %p: float32[2x4] = softmax(%y) from "p"
    output %p)"));
}

TEST(SoftmaxRowsTest, PositiveFactorsAndDivisorsKeepRows) {
  for (const absl::string_view op :
       {"mul(%s, %half)", "mul(%half, %s)", "mul(%s, %halves)", "div(%s, %half)",
        "div(%s, %halves)", "maximum(%s, %mixed)", "maximum(%mixed, %s)"}) {
    EXPECT_THAT(FoundBefore(absl::StrCat("%y: float32[2x4] = ", op)),
                ElementsAre("x 2*4*1+", "m 2*4*1+", "s 2*4*1", "y 2*4*1"))
        << op;
  }
}

TEST(SoftmaxRowsTest, OtherFactorsDoNot) {
  for (const absl::string_view op :
       {"mul(%s, %mixed)", "mul(%s, %zero)", "mul(%s, %infinite)", "mul(%s, %tiny)", "mul(%s, %x)",
        "div(%s, %mixed)", "div(%s, %x)", "div(%halves, %s)", "maximum(%s, %x)"}) {
    EXPECT_THAT(FoundBefore(absl::StrCat("%y: float32[2x4] = ", op)), ElementsAre("y 2*4*1")) << op;
  }
}

TEST(SoftmaxRowsTest, OtherOpsHideTheMask) {
  EXPECT_THAT(FoundBefore("%y: float32[2x4] = tanh(%s)"), IsEmpty());
  EXPECT_THAT(FoundBefore("%y: float32[2x4] = minimum(%s, %half)"), IsEmpty());
  EXPECT_THAT(FoundBefore(R"(
    %t: float32[2x3] = slice(%s) {sizes=[2, 3], starts=[0, 0]} from "t"
    %y: float32[2x4] = pad(%t) {pads=[0, 0, 0, 1]})"),
              IsEmpty());
}

TEST(SoftmaxRowsTest, WhatIsSubtractedIsNoMask) {
  EXPECT_THAT(Found(R"(
    input %x: float32[2x4]
    input %m: float32[2x4]
    %y: float32[2x4] = sub(%x, %m) from "y"
    %p: float32[2x4] = softmax(%y) {axis=0} from "p"
    output %p)"),
              ElementsAre("x 1*2*4+", "y 1*2*4"));
}

TEST(SoftmaxRowsTest, BothChoicesOfWhere) {
  EXPECT_THAT(Found(R"(
    input %c: bool[2x4]
    input %x: float32[2x4]
    input %m: float32[1]
    %y: float32[2x4] = where(%c, %x, %m) from "y"
    %p: float32[2x4] = softmax(%y) {axis=1} from "p"
    output %p)"),
              ElementsAre("x 2*4*1+", "m 1*1*1+", "y 2*4*1"));
}

TEST(SoftmaxRowsTest, PartsOfRowsReachFurther) {
  EXPECT_THAT(FoundBefore(R"(
    input %o: float32[2x1]
    %t: float32[2x3] = slice(%s) {sizes=[2, 3], starts=[0, 1]} from "t"
    %y: float32[2x4] = concat(%t, %o) {axis=1})"),
              ElementsAre("x 2*4*1+", "m 2*4*1+", "s 2*4*1+", "o 2*1*1+", "t 2*3*1+", "y 2*4*1"));
}

TEST(SoftmaxRowsTest, ExpandedTensorsHaveTheRowsThatTheyHad) {
  EXPECT_THAT(Found(R"(
    input %x: float32[1x4]
    input %m: float32[1x4]
    %s: float32[1x4] = add(%x, %m) from "s"
    %y: float32[3x2x4] = expand(%s) {shape=[3, 2, 4]} from "y"
    %p: float32[3x2x4] = softmax(%y) {axis=2} from "p"
    output %p)"),
              ElementsAre("x 1*4*1+", "m 1*4*1+", "s 1*4*1", "y 6*4*1"));
}

TEST(SoftmaxRowsTest, ATensorThatIsExpandedAlongTheRowsIsOneRow) {
  // So are those that it is made of.
  EXPECT_THAT(Found(R"(
    input %x: float32[2x3x4]
    input %n: float32[1x6]
    input %o: float32[4]
    %r: float32[2x3] = reshape(%n) {shape=[2, 3]} from "r"
    %t: float32[3x2] = transpose(%r) {perm=[1, 0]} from "t"
    %e: float32[2x3x1] = reshape(%t) {shape=[2, 3, 1]} from "e"
    %a: float32[2x3x4] = add(%x, %e) from "a"
    %y: float32[2x3x4] = add(%a, %o) from "y"
    %p: float32[2x3x4] = softmax(%y) {axis=2} from "p"
    %q: float32[2x3x4] = softmax(%y) {axis=-1} from "q"
    output %p
    output %q)"),
              ElementsAre("x 6*4*1+", "n 1*6*1+", "o 1*4*1+", "r 1*6*1+", "t 1*6*1+", "e 1*6*1+",
                          "a 6*4*1+", "y 6*4*1"));
  EXPECT_THAT(Found(R"(
    input %x: float32[2x4]
    input %o: float32[4]
    %y: float32[2x4] = add(%x, %o) from "y"
    %p: float32[2x4] = softmax(%y) {axis=0} from "p"
    output %p)"),
              ElementsAre("x 1*2*4+", "o 1*4*1+", "y 1*2*4"));
}

TEST(SoftmaxRowsTest, AReshapeKeepsRowsThatStayOneDimension) {
  EXPECT_THAT(Found(R"(
    input %x: float32[4x2x2x4]
    input %m: float32[4x2x2x4]
    %s: float32[4x2x2x4] = add(%x, %m) from "s"
    %y: float32[16x4] = reshape(%s) {shape=[16, 4]} from "y"
    %p: float32[16x4] = softmax(%y) {axis=1} from "p"
    output %p)"),
              ElementsAre("x 16*4*1+", "m 16*4*1+", "s 16*4*1", "y 16*4*1"));
  EXPECT_THAT(Found(R"(
    input %x: float32[2x3x4]
    input %m: float32[2x3x4]
    %s: float32[2x3x4] = add(%x, %m) from "s"
    %y: float32[2x12] = reshape(%s) {shape=[2, 12]} from "y"
    %p: float32[2x12] = softmax(%y) {axis=1} from "p"
    output %p)"),
              ElementsAre("y 2*12*1"));
}

TEST(SoftmaxRowsTest, ReadersHaveToAgreeOnTheRows) {
  EXPECT_THAT(Found(R"(
    input %x: float32[2x4]
    input %m: float32[2x4]
    %y: float32[2x4] = add(%x, %m) from "y"
    %p: float32[2x4] = softmax(%y) {axis=0} from "p"
    %q: float32[2x4] = softmax(%y) {axis=1} from "q"
    output %p
    output %q)"),
              IsEmpty());
}

// The reach of a tensor's rows; -1 if it has none. `ops` follow %s, the sum of %x and %m.
float ReachOf(absl::string_view tensor, absl::string_view ops) {
  const Graph graph = GraphOfBody(absl::StrCat(R"(
    input %x: float32[2x4]
    input %m: float32[2x4]
    %s: float32[2x4] = add(%x, %m) from "s"
)",
                                               ops));
  for (const auto& [found, rows] : FindSoftmaxRows(graph)) {
    if (found->name == tensor) return rows.reach;
  }
  return -1;
}

TEST(SoftmaxRowsTest, TheReachLeavesOutLessThanAnEightThousandthOfTheSum) {
  const float reach = std::log(8192.0f * 4);
  constexpr absl::string_view kProduct = R"(
    const %f: float32[] = [0.0001]
    %y: float32[2x4] = mul(%s, %f) from "y"
    %p: float32[2x4] = softmax(%y) {axis=1} from "p"
    output %p)";
  EXPECT_FLOAT_EQ(ReachOf("y", kProduct), reach);
  EXPECT_FLOAT_EQ(ReachOf("s", kProduct), reach / 0.0001f);
  EXPECT_FLOAT_EQ(ReachOf("x", kProduct), reach / 0.0001f);
  constexpr absl::string_view kQuotient = R"(
    const %f: float32[] = [2.0]
    %y: float32[2x4] = div(%s, %f) from "y"
    %p: float32[2x4] = softmax(%y) {axis=1} from "p"
    output %p)";
  EXPECT_FLOAT_EQ(ReachOf("s", kQuotient), reach * 2);
  EXPECT_EQ(ReachOf("x", kQuotient), 4096);
}

TEST(SoftmaxRowsTest, TheReaderThatReachesFurthestDecides) {
  for (const bool first : {false, true}) {
    const absl::string_view direct = "%p: float32[2x4] = softmax(%s) {axis=1} from \"p\"\n";
    EXPECT_FLOAT_EQ(ReachOf("s", absl::StrCat(first ? direct : "", R"(
    const %f: float32[] = [0.5]
    %y: float32[2x4] = mul(%s, %f) from "y"
    %q: float32[2x4] = softmax(%y) {axis=1} from "q"
)",
                                              first ? "" : direct, "output %p\noutput %q")),
                    std::log(8192.0f * 4) * 2);
  }
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

TEST(WithinReachTest, RowsAreMaskedFrom256TimesTheReachOn) {
  const SoftmaxRows rows{2, 2, 2, 10};
  EXPECT_THAT(WithinReach(rows, std::vector<float>{0, 3, -1, -99, -2557, -2558, -3000, -9999}),
              ElementsAre(0, 3, -1, -7, -2557, 3, -2567, 3));
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
