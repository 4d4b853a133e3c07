#include "compiler/graph/passes/fuse_tables.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "compiler/testing/run_pass.h"
#include "gtest/gtest.h"

namespace synap_internal {
namespace {

// An image, weights of each kind and two tables whose 256 entries all differ.
std::string Operands() {
  std::vector<int> table, other;
  for (int i = 0; i < 256; ++i) {
    table.push_back((i * 7 + 3) % 256);
    other.push_back(255 - i);
  }
  return absl::StrCat(R"(
    input %x: uint8[1x2x3x2]<affine 0.5 100>
    const %w: uint8[2x1x1x2]<affine 0.25 120> = [90, 130, 200, 10]
    const %d: uint8[1x1x1x2]<affine 0.25 120> = [90, 130]
    const %m: uint8[2x2]<affine 0.25 120> = [90, 130, 200, 10]
    const %t: uint8[256] = [)",
                      absl::StrJoin(table, ", "), "]\nconst %u: uint8[256] = [",
                      absl::StrJoin(other, ", "), "]\n");
}

constexpr absl::string_view kOutputs =
    "\noutput %y\noutput %w\noutput %d\noutput %m\noutput %t\noutput %u";

// The op gets the table as its operand 3; `attributes` are those it has had.
void ExpectTakesTable(absl::string_view call, absl::string_view attributes) {
  const absl::string_view brace = attributes.empty() ? "" : "{";
  ExpectPass(
      FuseTables,
      absl::StrCat(Operands(), "%c: uint8[1x2x3x2]<affine 8.0 77> = ", call, ") ", brace,
                   attributes, attributes.empty() ? "" : "}", " from \"op\"\n",
                   "%y: uint8[1x2x3x2]<affine 0.125 5> = lookup(%c, %t) from \"act\"", kOutputs),
      absl::StrCat(Operands(), "%y: uint8[1x2x3x2]<affine 0.125 5> = ", call, ", _, %t) {",
                   attributes, attributes.empty() ? "" : ", ",
                   "table_scale=8.0, table_zero_point=77} from \"op\", \"act\"", kOutputs));
}

TEST(FuseTablesTest, LinearOpsTakeTheTable) {
  ExpectTakesTable("conv2d(%x, %w", "");
  ExpectTakesTable("depthwise_conv2d(%x, %d", "");
  ExpectTakesTable("fully_connected(%x, %m", "min=-100.0");
}

TEST(FuseTablesTest, OneTableForEachOp) {
  ExpectPass(FuseTables,
             absl::StrCat(Operands(), R"(
    %c: uint8[1x2x3x2]<affine 8.0 77> = conv2d(%x, %w) from "c"
    %l: uint8[1x2x3x2]<affine 0.5 3> = lookup(%c, %t) from "l"
    %y: uint8[1x2x3x2]<affine 0.25 9> = lookup(%l, %u) from "y")",
                          kOutputs),
             absl::StrCat(Operands(), R"(
    %l: uint8[1x2x3x2]<affine 0.5 3> = conv2d(%x, %w, _, %t) {table_scale=8.0, table_zero_point=77} from "c", "l"
    %y: uint8[1x2x3x2]<affine 0.25 9> = lookup(%l, %u) from "y")",
                          kOutputs));
}

void ExpectStays(absl::string_view ops) {
  ExpectNoRewrite(FuseTables, absl::StrCat(Operands(), ops, kOutputs));
}

TEST(FuseTablesTest, ASumThatAnotherOpReadsStays) {
  ExpectStays(R"(
    %c: uint8[1x2x3x2]<affine 8.0 77> = conv2d(%x, %w) from "c"
    %l: uint8[1x2x3x2]<affine 0.5 3> = lookup(%c, %t) from "l"
    %y: uint8[1x2x3x2]<affine 0.25 9> = add(%l, %c) from "y")");
}

TEST(FuseTablesTest, AnOutputStays) {
  ExpectStays(R"(
    %c: uint8[1x2x3x2]<affine 8.0 77> = conv2d(%x, %w) from "c"
    %y: uint8[1x2x3x2]<affine 0.5 3> = lookup(%c, %t) from "y"
    output %c)");
}

TEST(FuseTablesTest, OtherProducersStay) {
  ExpectStays(R"(
    %c: uint8[1x2x3x2]<affine 8.0 77> = conv_transpose2d(%x, %w) from "c"
    %y: uint8[1x2x3x2]<affine 0.5 3> = lookup(%c, %t) from "y")");
  ExpectStays(R"(
    %c: uint8[1x2x3x2]<affine 8.0 77> = add(%x, %x) from "c"
    %y: uint8[1x2x3x2]<affine 0.5 3> = lookup(%c, %t) from "y")");
  ExpectStays(R"(%y: uint8[1x2x3x2]<affine 0.5 3> = lookup(%x, %t) from "y")");
}

TEST(FuseTablesTest, ASumThatHasAResidualStays) {
  // The table would come before the sum.
  ExpectStays(R"(
    %c: uint8[1x2x3x2]<affine 8.0 77> = conv2d(%x, %w, _, _, %x) {own_scale=4.0, own_zero_point=3} from "c"
    %y: uint8[1x2x3x2]<affine 0.5 3> = lookup(%c, %t) from "y")");
}

}  // namespace
}  // namespace synap_internal
