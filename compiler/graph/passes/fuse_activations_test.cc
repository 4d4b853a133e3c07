#include "compiler/graph/passes/fuse_activations.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "compiler/testing/run_pass.h"
#include "gtest/gtest.h"

namespace synap_internal {
namespace {

// The activation and what a model spells it with round in other places.
constexpr float kTolerance = 1e-6f;

// Of the last op the result is %y, made of %x, %z (inputs) and the scalars %three, %six, %sixth.
constexpr absl::string_view kOperands = R"(
    input %x: float32[2x5]
    input %z: float32[2x5]
    const %three: float32[] = [3.0]
    const %six: float32[1] = [6.0]
    const %sixth: float32[1x1] = [0.16666667]
)";

void ExpectActivation(absl::string_view name, absl::string_view spelled,
                      absl::string_view origins) {
  ExpectPass(FuseActivations, absl::StrCat(kOperands, spelled, "\noutput %y"),
             absl::StrCat("input %x: float32[2x5]\ninput %z: float32[2x5]\n%y: float32[2x5] = ",
                          name, "(%x) from ", origins, "\noutput %y"),
             kTolerance);
}

void ExpectSpellingStays(absl::string_view spelled) {
  ExpectNoRewrite(FuseActivations, absl::StrCat(kOperands, spelled,
                                                "\noutput %y\noutput %three\noutput %six\n"
                                                "output %sixth"));
}

TEST(FuseActivationsTest, AProductWithItsSigmoidIsSilu) {
  ExpectActivation("silu", R"(
    %s: float32[2x5] = sigmoid(%x) from "s"
    %y: float32[2x5] = mul(%x, %s) from "y")",
                   R"("s", "y")");
  ExpectActivation("silu", R"(
    %s: float32[2x5] = sigmoid(%x) from "s"
    %y: float32[2x5] = mul(%s, %x) from "y")",
                   R"("s", "y")");
}

TEST(FuseActivationsTest, AProductWithItsHardSigmoidIsHardSwish) {
  ExpectActivation("hard_swish", R"(
    %s: float32[2x5] = hard_sigmoid(%x) {alpha=0.16666667} from "s"
    %y: float32[2x5] = mul(%s, %x) from "y")",
                   R"("s", "y")");
}

TEST(FuseActivationsTest, HardSwishByItsParts) {
  ExpectActivation("hard_swish", R"(
    %a: float32[2x5] = add(%x, %three) from "a"
    %r: float32[2x5] = relu6(%a) from "r"
    %d: float32[2x5] = div(%r, %six) from "d"
    %y: float32[2x5] = mul(%x, %d) from "y")",
                   R"("d", "y")");
  ExpectActivation("hard_swish", R"(
    %a: float32[2x5] = add(%three, %x) from "a"
    %r: float32[2x5] = clip(%a) {max=6.0, min=0.0} from "r"
    %d: float32[2x5] = mul(%sixth, %r) from "d"
    %y: float32[2x5] = mul(%d, %x) from "y")",
                   R"("d", "y")");
}

TEST(FuseActivationsTest, HardSwishThatDividesLast) {
  ExpectActivation("hard_swish", R"(
    %a: float32[2x5] = add(%x, %three) {max=6.0, min=0.0} from "a"
    %m: float32[2x5] = mul(%a, %x) from "m"
    %y: float32[2x5] = div(%m, %six) from "y")",
                   R"("m", "y")");
  ExpectActivation("hard_swish", R"(
    %a: float32[2x5] = add(%x, %three) {max=7.0, min=-1.0} from "a"
    %r: float32[2x5] = relu6(%a) from "r"
    %m: float32[2x5] = mul(%x, %r) from "m"
    %y: float32[2x5] = mul(%m, %sixth) from "y")",
                   R"("m", "y")");
}

TEST(FuseActivationsTest, AClampOfTheSumThatLeaves0To6MayComeFirst) {
  ExpectActivation("hard_swish", R"(
    %a: float32[2x5] = add(%x, %three) {max=6.0, min=0.0} from "a"
    %r: float32[2x5] = relu6(%a) from "r"
    %m: float32[2x5] = mul(%x, %r) from "m"
    %y: float32[2x5] = mul(%m, %sixth) from "y")",
                   R"("m", "y")");
  ExpectSpellingStays(R"(
    %a: float32[2x5] = add(%x, %three) {max=6.0, min=0.5} from "a"
    %r: float32[2x5] = relu6(%a) from "r"
    %m: float32[2x5] = mul(%x, %r) from "m"
    %y: float32[2x5] = mul(%m, %sixth) from "y")");
}

TEST(FuseActivationsTest, PartsThatOthersReadStayForThem) {
  ExpectPass(FuseActivations, R"(
    input %x: float32[2x5]
    %s: float32[2x5] = sigmoid(%x) from "s"
    %y: float32[2x5] = mul(%x, %s) from "y"
    output %y
    output %s)",
             R"(
    input %x: float32[2x5]
    %s: float32[2x5] = sigmoid(%x) from "s"
    %y: float32[2x5] = silu(%x) from "s", "y"
    output %y
    output %s)",
             kTolerance);
}

TEST(FuseActivationsTest, AProductWithTheTanhOfItsSoftplusIsMish) {
  ExpectActivation("mish", R"(
    %s: float32[2x5] = softplus(%x) from "s"
    %t: float32[2x5] = tanh(%s) from "t"
    %y: float32[2x5] = mul(%x, %t) from "y")",
                   R"("s", "t", "y")");
  ExpectSpellingStays(R"(
    %s: float32[2x5] = softplus(%z) from "s"
    %t: float32[2x5] = tanh(%s) from "t"
    %y: float32[2x5] = mul(%x, %t) from "y")");
}

// GELU's operands: as kOperands, with its constants.
constexpr absl::string_view kGeluOperands = R"(
    input %x: float32[2x5]
    const %half: float32[] = [0.5]
    const %one: float32[] = [1.0]
    const %two: float32[1] = [2.0]
    const %three: float32[] = [3.0]
    const %root2: float32[] = [1.4142135]
    const %root_half: float32[1x1] = [0.70710677]
    const %slope: float32[] = [0.7978846]
    const %cubic: float32[] = [0.044715])";

void ExpectGelu(absl::string_view spelled, absl::string_view attributes,
                absl::string_view origins) {
  ExpectPass(FuseActivations, absl::StrCat(kGeluOperands, spelled, "\noutput %y"),
             absl::StrCat("input %x: float32[2x5]\n%y: float32[2x5] = gelu(%x) ", attributes,
                          "from ", origins, "\noutput %y"),
             kTolerance);
}

void ExpectNoGelu(absl::string_view spelled) {
  ExpectNoRewrite(FuseActivations,
                  absl::StrCat(kGeluOperands, spelled,
                               "\noutput %y\noutput %half\noutput %one\noutput %two\n"
                               "output %three\noutput %root2\noutput %root_half\n"
                               "output %slope\noutput %cubic"));
}

TEST(FuseActivationsTest, GeluByErf) {
  ExpectGelu(R"(
    %d: float32[2x5] = div(%x, %root2) from "d"
    %e: float32[2x5] = erf(%d) from "e"
    %p: float32[2x5] = add(%e, %one) from "p"
    %m: float32[2x5] = mul(%x, %p) from "m"
    %y: float32[2x5] = mul(%m, %half) from "y")",
             "", R"("d", "e", "p", "m", "y")");
  ExpectGelu(R"(
    %h: float32[2x5] = mul(%half, %x) from "h"
    %d: float32[2x5] = mul(%root_half, %x) from "d"
    %e: float32[2x5] = erf(%d) from "e"
    %p: float32[2x5] = add(%one, %e) from "p"
    %y: float32[2x5] = mul(%p, %h) from "y")",
             "", R"("h", "d", "e", "p", "y")");
  ExpectGelu(R"(
    %d: float32[2x5] = div(%x, %root2) from "d"
    %e: float32[2x5] = erf(%d) from "e"
    %p: float32[2x5] = add(%e, %one) from "p"
    %m: float32[2x5] = mul(%p, %x) from "m"
    %y: float32[2x5] = div(%m, %two) from "y")",
             "", R"("d", "e", "p", "m", "y")");
}

TEST(FuseActivationsTest, GeluByTanh) {
  ExpectGelu(R"(
    %c: float32[2x5] = pow(%x, %three) from "c"
    %k: float32[2x5] = mul(%c, %cubic) from "k"
    %a: float32[2x5] = add(%x, %k) from "a"
    %u: float32[2x5] = mul(%a, %slope) from "u"
    %t: float32[2x5] = tanh(%u) from "t"
    %p: float32[2x5] = add(%t, %one) from "p"
    %h: float32[2x5] = mul(%x, %half) from "h"
    %y: float32[2x5] = mul(%h, %p) from "y")",
             "{approximate=1} ", R"("c", "k", "a", "u", "t", "p", "h", "y")");
  // x (1 + 0.044715 x x)
  ExpectGelu(R"(
    %s: float32[2x5] = mul(%x, %slope) from "s"
    %k: float32[2x5] = mul(%cubic, %x) from "k"
    %q: float32[2x5] = mul(%k, %x) from "q"
    %a: float32[2x5] = add(%q, %one) from "a"
    %u: float32[2x5] = mul(%s, %a) from "u"
    %t: float32[2x5] = tanh(%u) from "t"
    %p: float32[2x5] = add(%one, %t) from "p"
    %m: float32[2x5] = mul(%p, %x) from "m"
    %y: float32[2x5] = mul(%half, %m) from "y")",
             "{approximate=1} ", R"("s", "k", "q", "a", "u", "t", "p", "m", "y")");
  ExpectGelu(R"(
    %q: float32[2x5] = square(%x) from "q"
    %c: float32[2x5] = mul(%q, %x) from "c"
    %k: float32[2x5] = mul(%c, %cubic) from "k"
    %a: float32[2x5] = add(%x, %k) from "a"
    %u: float32[2x5] = mul(%a, %slope) from "u"
    %t: float32[2x5] = tanh(%u) from "t"
    %h: float32[2x5] = mul(%x, %half) from "h"
    %p: float32[2x5] = mul(%h, %t) from "p"
    %y: float32[2x5] = add(%h, %p) from "y")",
             "{approximate=1} ", R"("q", "c", "k", "a", "u", "t", "h", "p", "y")");
}

TEST(FuseActivationsTest, GelusPartsThatOthersReadStayForThem) {
  ExpectPass(FuseActivations, R"(
    input %z: float32[2x5]
    const %half: float32[] = [0.5]
    const %one: float32[] = [1.0]
    const %root2: float32[] = [1.4142135]
    %x: float32[2x5] = mul(%z, %z) from "x"
    %d: float32[2x5] = div(%x, %root2) from "d"
    %e: float32[2x5] = erf(%d) from "e"
    %p: float32[2x5] = add(%e, %one) from "p"
    %m: float32[2x5] = mul(%x, %p) from "m"
    %y: float32[2x5] = mul(%m, %half) from "y"
    output %y
    output %e)",
             R"(
    input %z: float32[2x5]
    const %root2: float32[] = [1.4142135]
    %x: float32[2x5] = mul(%z, %z) from "x"
    %d: float32[2x5] = div(%x, %root2) from "d"
    %e: float32[2x5] = erf(%d) from "e"
    %y: float32[2x5] = gelu(%x) from "p", "m", "y"
    output %y
    output %e)",
             kTolerance);
}

TEST(FuseActivationsTest, WhatIsNearlyGeluStays) {
  // Not halved, another slope, erf of another argument, a clamp, another constant in the sum.
  for (const char* end : {"mul(%m, %one)", "mul(%m, %half) {min=0.0}", "div(%half, %m)"}) {
    ExpectNoGelu(absl::StrCat(R"(
    %d: float32[2x5] = div(%x, %root2) from "d"
    %e: float32[2x5] = erf(%d) from "e"
    %p: float32[2x5] = add(%e, %one) from "p"
    %m: float32[2x5] = mul(%x, %p) from "m"
    %y: float32[2x5] = )",
                              end, R"( from "y")"));
  }
  for (const char* argument : {"mul(%x, %root2)", "add(%x, %root_half)", "pow(%x, %three)"}) {
    ExpectNoGelu(absl::StrCat("\n    %d: float32[2x5] = ", argument, R"( from "d"
    %e: float32[2x5] = erf(%d) from "e"
    %p: float32[2x5] = add(%e, %one) from "p"
    %m: float32[2x5] = mul(%x, %p) from "m"
    %y: float32[2x5] = mul(%m, %half) from "y")"));
  }
  for (const char* sum : {"add(%e, %half)", "sub(%e, %one)", "add(%e, %one) {max=1.0}"}) {
    ExpectNoGelu(absl::StrCat(R"(
    %d: float32[2x5] = div(%x, %root2) from "d"
    %e: float32[2x5] = erf(%d) from "e"
    %p: float32[2x5] = )",
                              sum, R"( from "p"
    %m: float32[2x5] = mul(%x, %p) from "m"
    %y: float32[2x5] = mul(%m, %half) from "y")"));
  }
  // The forms' arguments are not each other's.
  ExpectNoGelu(R"(
    %d: float32[2x5] = div(%x, %root2) from "d"
    %e: float32[2x5] = tanh(%d) from "e"
    %p: float32[2x5] = add(%e, %one) from "p"
    %m: float32[2x5] = mul(%x, %p) from "m"
    %y: float32[2x5] = mul(%m, %half) from "y")");
  // Another cubic coefficient, and another slope.
  for (const auto& [cubic, slope] : {std::pair("%half", "%slope"), {"%cubic", "%root_half"}}) {
    ExpectNoGelu(absl::StrCat(R"(
    %c: float32[2x5] = pow(%x, %three) from "c"
    %k: float32[2x5] = mul(%c, )",
                              cubic, R"() from "k"
    %a: float32[2x5] = add(%x, %k) from "a"
    %u: float32[2x5] = mul(%a, )",
                              slope, R"() from "u"
    %t: float32[2x5] = tanh(%u) from "t"
    %p: float32[2x5] = add(%t, %one) from "p"
    %h: float32[2x5] = mul(%x, %half) from "h"
    %y: float32[2x5] = mul(%h, %p) from "y")"));
  }
  // erf of another tensor.
  ExpectNoGelu(R"(
    %z: float32[2x5] = neg(%x) from "z"
    %d: float32[2x5] = div(%z, %root2) from "d"
    %e: float32[2x5] = erf(%d) from "e"
    %p: float32[2x5] = add(%e, %one) from "p"
    %m: float32[2x5] = mul(%x, %p) from "m"
    %y: float32[2x5] = mul(%m, %half) from "y")");
  // x^5 is beyond the polynomials.
  ExpectNoGelu(R"(
    %q: float32[2x5] = pow(%x, %three) from "q"
    %r: float32[2x5] = square(%x) from "r"
    %d: float32[2x5] = mul(%q, %r) from "d"
    %e: float32[2x5] = tanh(%d) from "e"
    %p: float32[2x5] = add(%e, %one) from "p"
    %m: float32[2x5] = mul(%x, %p) from "m"
    %y: float32[2x5] = mul(%m, %half) from "y")");
}

TEST(FuseActivationsTest, FactorsOfOtherTensorsStay) {
  ExpectSpellingStays(R"(
    %s: float32[2x5] = sigmoid(%z) from "s"
    %y: float32[2x5] = mul(%x, %s) from "y")");
  ExpectSpellingStays(R"(
    %s: float32[2x5] = hard_sigmoid(%z) {alpha=0.16666667} from "s"
    %y: float32[2x5] = mul(%x, %s) from "y")");
  ExpectSpellingStays(R"(
    %a: float32[2x5] = add(%z, %three) {max=6.0, min=0.0} from "a"
    %m: float32[2x5] = mul(%a, %x) from "m"
    %y: float32[2x5] = div(%m, %six) from "y")");
}

TEST(FuseActivationsTest, OtherSlopesAndOffsetsStay) {
  ExpectSpellingStays(R"(
    %s: float32[2x5] = hard_sigmoid(%x) from "s"
    %y: float32[2x5] = mul(%x, %s) from "y")");
  ExpectSpellingStays(R"(
    %s: float32[2x5] = hard_sigmoid(%x) {alpha=0.16666667, beta=0.25} from "s"
    %y: float32[2x5] = mul(%x, %s) from "y")");
  ExpectSpellingStays(R"(
    %a: float32[2x5] = add(%x, %six) {max=6.0, min=0.0} from "a"
    %m: float32[2x5] = mul(%a, %x) from "m"
    %y: float32[2x5] = div(%m, %six) from "y")");
  ExpectSpellingStays(R"(
    %a: float32[2x5] = add(%x, %three) {max=6.0, min=0.0} from "a"
    %m: float32[2x5] = mul(%a, %x) from "m"
    %y: float32[2x5] = div(%m, %three) from "y")");
  ExpectSpellingStays(R"(
    %a: float32[2x5] = add(%x, %three) {max=6.0, min=0.0} from "a"
    %d: float32[2x5] = div(%a, %three) from "d"
    %y: float32[2x5] = mul(%d, %x) from "y")");
}

TEST(FuseActivationsTest, DividendsStay) {
  ExpectSpellingStays(R"(
    %a: float32[2x5] = add(%x, %three) {max=6.0, min=0.0} from "a"
    %m: float32[2x5] = mul(%a, %x) from "m"
    %y: float32[2x5] = div(%six, %m) from "y")");
  ExpectSpellingStays(R"(
    %a: float32[2x5] = add(%x, %three) {max=6.0, min=0.0} from "a"
    %d: float32[2x5] = div(%six, %a) from "d"
    %y: float32[2x5] = mul(%d, %x) from "y")");
}

TEST(FuseActivationsTest, AQuotientByTheSigmoidStays) {
  ExpectSpellingStays(R"(
    %s: float32[2x5] = sigmoid(%x) from "s"
    %y: float32[2x5] = div(%x, %s) from "y")");
  ExpectSpellingStays(R"(
    %s: float32[2x5] = hard_sigmoid(%x) {alpha=0.16666667} from "s"
    %y: float32[2x5] = div(%s, %x) from "y")");
}

TEST(FuseActivationsTest, SumsAndDifferencesStay) {
  ExpectSpellingStays(R"(
    %s: float32[2x5] = sigmoid(%x) from "s"
    %y: float32[2x5] = add(%x, %s) from "y")");
  ExpectSpellingStays(R"(
    %a: float32[2x5] = add(%x, %three) {max=6.0, min=0.0} from "a"
    %m: float32[2x5] = mul(%a, %x) from "m"
    %y: float32[2x5] = sub(%m, %six) from "y")");
}

TEST(FuseActivationsTest, OtherClampsStay) {
  for (const char* clamp : {"clip(%a) {max=6.0, min=-1.0}", "clip(%a) {max=5.0, min=0.0}",
                            "clip(%a) {max=6.0}", "clip(%a) {min=0.0}", "relu(%a)"}) {
    ExpectSpellingStays(absl::StrCat(R"(
    %a: float32[2x5] = add(%x, %three) from "a"
    %r: float32[2x5] = )",
                                     clamp, R"( from "r"
    %m: float32[2x5] = mul(%r, %x) from "m"
    %y: float32[2x5] = div(%m, %six) from "y")"));
  }
  for (const char* clamp : {"{max=6.0, min=-1.0}", "{max=5.0, min=0.0}", "{max=6.0}", ""}) {
    ExpectSpellingStays(absl::StrCat(R"(
    %a: float32[2x5] = add(%x, %three) )",
                                     clamp, R"( from "a"
    %m: float32[2x5] = mul(%a, %x) from "m"
    %y: float32[2x5] = div(%m, %six) from "y")"));
  }
}

TEST(FuseActivationsTest, PartsWithClampsOfTheirOwnStay) {
  ExpectSpellingStays(R"(
    %s: float32[2x5] = sigmoid(%x) from "s"
    %y: float32[2x5] = mul(%x, %s) {max=1.0} from "y")");
  ExpectSpellingStays(R"(
    %s: float32[2x5] = sigmoid(%x) from "s"
    %y: float32[2x5] = mul(%x, %s) {max=1.0, min=-1.0} from "y")");
  ExpectSpellingStays(R"(
    %a: float32[2x5] = add(%x, %three) {max=6.0, min=0.0} from "a"
    %m: float32[2x5] = mul(%a, %x) {min=0.0} from "m"
    %y: float32[2x5] = div(%m, %six) from "y")");
  ExpectSpellingStays(R"(
    %a: float32[2x5] = add(%x, %three) {max=6.0, min=0.0} from "a"
    %d: float32[2x5] = mul(%a, %sixth) {max=0.5} from "d"
    %y: float32[2x5] = mul(%d, %x) from "y")");
  ExpectSpellingStays(R"(
    %a: float32[2x5] = add(%x, %three) {min=2.0} from "a"
    %r: float32[2x5] = relu6(%a) from "r"
    %d: float32[2x5] = div(%r, %six) from "d"
    %y: float32[2x5] = mul(%d, %x) from "y")");
  ExpectSpellingStays(R"(
    %a: float32[2x5] = add(%x, %three) {max=4.0} from "a"
    %r: float32[2x5] = relu6(%a) from "r"
    %d: float32[2x5] = div(%r, %six) from "d"
    %y: float32[2x5] = mul(%d, %x) from "y")");
}

TEST(FuseActivationsTest, ScalarsOfMoreDimensionsWouldChangeTheShape) {
  ExpectNoRewrite(FuseActivations, R"(
    input %x: float32[5]
    const %three: float32[1x1] = [3.0]
    const %six: float32[1] = [6.0]
    %a: float32[1x5] = add(%x, %three) {max=6.0, min=0.0} from "a"
    %m: float32[1x5] = mul(%a, %x) from "m"
    %y: float32[1x5] = div(%m, %six) from "y"
    output %y)");
}

TEST(FuseActivationsTest, ComputedAndLongerOperandsAreNoScalars) {
  ExpectNoRewrite(FuseActivations, R"(
    input %x: float32[2x5]
    input %six: float32[1]
    const %three: float32[5] = splat 3.0
    const %sixes: float32[5] = splat 6.0
    %a: float32[2x5] = add(%x, %three) {max=6.0, min=0.0} from "a"
    %m: float32[2x5] = mul(%a, %x) from "m"
    %y: float32[2x5] = div(%m, %six) from "y"
    %z: float32[2x5] = div(%m, %sixes) from "z"
    output %y
    output %z)");
}

TEST(FuseActivationsTest, IntegersWouldRoundOtherwise) {
  ExpectNoRewrite(FuseActivations, R"(
    input %x: uint8[2x5]<affine 0.02 128>
    %s: uint8[2x5]<affine 0.00390625 0> = sigmoid(%x) from "s"
    %y: uint8[2x5]<affine 0.01 20> = mul(%x, %s) from "y"
    output %y)");
}

TEST(FuseActivationsTest, ASixthHasAToleranceOfAMillionth) {
  ExpectActivation("hard_swish", R"(
    %s: float32[2x5] = hard_sigmoid(%x) {alpha=0.166667} from "s"
    %y: float32[2x5] = mul(%s, %x) from "y")",
                   R"("s", "y")");
  ExpectSpellingStays(R"(
    %s: float32[2x5] = hard_sigmoid(%x) {alpha=0.166668} from "s"
    %y: float32[2x5] = mul(%s, %x) from "y")");
}

TEST(FuseActivationsTest, AClampOfAnotherOpOrAnInputIsNoShift) {
  ExpectSpellingStays(R"(
    %r: float32[2x5] = relu6(%z) from "r"
    %m: float32[2x5] = mul(%r, %x) from "m"
    %y: float32[2x5] = div(%m, %six) from "y")");
  ExpectSpellingStays(R"(
    %a: float32[2x5] = sub(%x, %three) from "a"
    %r: float32[2x5] = relu6(%a) from "r"
    %m: float32[2x5] = mul(%r, %x) from "m"
    %y: float32[2x5] = div(%m, %six) from "y")");
}

TEST(FuseActivationsTest, ASumWithSixIsNoQuotient) {
  for (const char* op : {"add", "sub", "maximum"}) {
    ExpectSpellingStays(absl::StrCat(R"(
    %a: float32[2x5] = add(%x, %three) {max=6.0, min=0.0} from "a"
    %m: float32[2x5] = mul(%a, %x) from "m"
    %y: float32[2x5] = )",
                                     op, R"((%m, %six) from "y")"));
  }
}

}  // namespace
}  // namespace synap_internal
