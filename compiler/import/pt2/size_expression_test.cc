#include "compiler/import/pt2/size_expression.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"

namespace synap_internal::pt2_import {
namespace {

constexpr char kS[] = "Symbol('s27', positive=True, integer=True)";
constexpr char kT[] = "Symbol('s94', positive=True, integer=True)";

// "2*s27 + 1"; "-" for what is refused.
std::string Parsed(const std::string& text) {
  const auto size = ParseSize(text);
  if (!size.has_value()) return "-";
  std::string sum;
  for (const torchscript::OpenSize::Term& term : size->terms()) {
    absl::StrAppend(&sum, term.factor(), "*", term.symbol(), " + ");
  }
  return absl::StrCat(sum, size->constant());
}

TEST(SizeExpressionTest, SumsOfMultiplesOfSymbolsAreRead) {
  EXPECT_EQ(Parsed(kS), "1*s27 + 0");
  EXPECT_EQ(Parsed(absl::StrCat("Add(Mul(Integer(2), ", kS, "), Integer(1))")), "2*s27 + 1");
  EXPECT_EQ(Parsed(absl::StrCat("Add(", kS, ", ", kT, ", ", kS, ")")), "2*s27 + 1*s94 + 0");
  EXPECT_EQ(Parsed(absl::StrCat("Mul(Integer(-3), Add(", kS, ", Integer(-2)))")), "-3*s27 + 6");
}

TEST(SizeExpressionTest, WhatIsNoneIsLeftOpen) {
  EXPECT_EQ(Parsed(""), "-");
  EXPECT_EQ(Parsed("Integer(4)"), "-");
  EXPECT_EQ(Parsed(absl::StrCat(kS, ")")), "-");
  EXPECT_EQ(Parsed(absl::StrCat("Add(", kS, ", Integer(1)")), "-");
  EXPECT_EQ(Parsed(absl::StrCat("Mul(", kS, ", ", kT, ")")), "-");
  EXPECT_EQ(Parsed(absl::StrCat("FloorDiv(", kS, ", Integer(2))")), "-");
  EXPECT_EQ(Parsed(absl::StrCat("Add(", kS, ", Mul(Integer(-1), ", kS, "))")), "-");
}

TEST(SizeExpressionTest, LargeNumbersAndDeepNestingAreLeftOpen) {
  EXPECT_EQ(Parsed(absl::StrCat("Mul(Integer(4611686018427387904), ", kS, ")")), "-");
  EXPECT_EQ(Parsed(absl::StrCat("Mul(Integer(1073741824), Integer(2), ", kS, ")")), "-");
  std::string deep = kS;
  for (int i = 0; i < 100; ++i) deep = absl::StrCat("Add(", deep, ", Integer(1))");
  EXPECT_EQ(Parsed(deep), "-");
  std::string sum = kS;
  for (int i = 0; i < 15; ++i) absl::StrAppend(&sum, ", ", kS);
  EXPECT_EQ(Parsed(absl::StrCat("Add(", sum, ")")), "16*s27 + 0");
  EXPECT_EQ(Parsed(absl::StrCat("Add(", sum, ", Integer(1))")), "-");
}

}  // namespace
}  // namespace synap_internal::pt2_import
