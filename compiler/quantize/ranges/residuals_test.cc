#include "compiler/quantize/ranges/residuals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "compiler/testing/run_pass.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> Found(absl::string_view body) {
  const Graph graph = GraphOfBody(body);
  std::vector<std::string> names;
  for (const Op* op : FindResiduals(graph)) names.push_back(op->output()->name);
  return names;
}

// An RMSNorm of `from`, [1x2x4], that gives `to`.
std::string Norm(absl::string_view from, absl::string_view to) {
  return absl::StrCat("%", to, "_s: float32[1x2x4] = square(%", from, ")\n%", to,
                      "_v: float32[1x2x1] = reduce_mean(%", to, "_s) {axes=[2], keep_dims=1}\n%",
                      to, "_d: float32[1x2x1] = sqrt(%", to, "_v)\n%", to,
                      ": float32[1x2x4] = div(%", from, ", %", to, "_d)\n");
}

TEST(FindResidualsTest, ASumIsFoundByTheNormalizationBeforeIt) {
  EXPECT_THAT(Found(absl::StrCat(R"(
    input %x: float32[1x2x4]
    const %k: float32[1x2x4] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]
    %f: float32[1x2x4] = relu(%x)
    %p: float32[1x2x4] = add(%f, %k)
    )",
                                 Norm("p", "n"), R"(
    %g: float32[1x2x4] = relu(%n)
    %a: float32[1x2x4] = add(%g, %p)
    %h: float32[1x2x4] = relu(%a)
    %b: float32[1x2x4] = add(%a, %h)
    output %b)")),
              ElementsAre("p", "a"));
}

TEST(FindResidualsTest, ASumIsFoundByTheNormalizationAfterIt) {
  EXPECT_THAT(Found(absl::StrCat(R"(
    input %x: float32[1x2x4]
    %g: float32[1x2x4] = relu(%x)
    %a: float32[1x2x4] = add(%x, %g)
    %m: float32[1x2x4] = reshape(%a) {shape=[1, 2, 4]}
    )",
                                 Norm("m", "n"), "output %n")),
              ElementsAre("a"));
}

TEST(FindResidualsTest, TheSkipConnectionMayMoveValues) {
  EXPECT_THAT(Found(absl::StrCat(R"(
    input %x: float32[1x2x4]
    %f: float32[1x2x4] = relu(%x)
    %r: float32[1x8x1] = reshape(%f) {shape=[1, 8, 1]}
    %m: float32[1x2x4] = reshape(%r) {shape=[1, 2, 4]}
    )",
                                 Norm("f", "n"), R"(
    %a: float32[1x2x4] = add(%m, %n)
    output %a)")),
              ElementsAre("r", "m", "a"));
}

TEST(FindResidualsTest, BlocksWithoutNormalizationsKeepTheirBits) {
  EXPECT_THAT(Found(absl::StrCat(R"(
    input %x: float32[1x2x4]
    %f: float32[1x2x4] = relu(%x)
    %a: float32[1x2x4] = add(%x, %f)
    %g: float32[1x2x4] = relu(%a)
    )",
                                 Norm("g", "n"), "output %n")),
              IsEmpty());
}

TEST(FindResidualsTest, ASumOfTwoBranchesIsNone) {
  EXPECT_THAT(Found(absl::StrCat(R"(
    input %x: float32[1x2x4]
    input %o: float32[1x2x4]
    )",
                                 Norm("x", "n"), R"(
    %a: float32[1x2x4] = add(%n, %o)
    output %a)")),
              IsEmpty());
}

}  // namespace
}  // namespace synap_internal
