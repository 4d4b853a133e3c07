#include "compiler/graph/passes/make_tables.h"

#include <cmath>
#include <cstdint>
#include <functional>

#include "compiler/graph/text.h"
#include "compiler/testing/run_pass.h"
#include "gtest/gtest.h"

namespace synap_internal {
namespace {

// Runs the pass over `body`, whose only op is a look-up of %x then, and expects
// table[i] = value(i).
void ExpectTable(absl::string_view body, const std::function<double(int)>& value) {
  Graph graph = GraphOfBody(body);
  ASSERT_TRUE(MakeTables(graph).ok());
  ASSERT_EQ(graph.ops().size(), 1u) << PrintGraph(graph);
  const Op& lookup = graph.ops().front();
  ASSERT_TRUE(lookup.def->is_lookup());
  EXPECT_EQ(lookup.inputs[0]->name, "x");
  const auto table = lookup.inputs[1]->values<uint8_t>();
  for (int i = 0; i < 256; ++i) {
    const double rounded = std::nearbyint(value(i));
    EXPECT_EQ(table[static_cast<size_t>(i)], std::min(255.0, std::max(0.0, rounded))) << i;
  }
}

TEST(MakeTablesTest, AFunctionOfOneOperand) {
  ExpectTable(R"(
    input %x: uint8[2x3]<affine 0.5 100>
    %y: uint8[2x3]<affine 0.25 3> = relu(%x) from "y"
    output %y)",
              [](int i) { return i < 100 ? 3 : (i - 100) * 2 + 3; });
}

TEST(MakeTablesTest, AScalarBesideIt) {
  ExpectTable(R"(
    input %x: uint8[1x2]<affine 0.5 0>
    const %three: uint8[1x1]<affine 1.0 10> = [13]
    %y: uint8[1x2]<affine 0.5 0> = add(%three, %x) from "y"
    output %y)",
              [](int i) { return i + 6; });
}

TEST(MakeTablesTest, AnOperandTimesAFunctionOfItself) {
  ExpectTable(R"(
    input %x: uint8[2x2]<affine 1.0 128>
    %r: uint8[2x2]<affine 2.0 0> = relu(%x) from "r"
    %y: uint8[2x2]<affine 64.0 0> = mul(%x, %r) from "y"
    output %y)",
              [](int i) {
                const double halves = i <= 128 ? 0 : std::nearbyint((i - 128) / 2.0);
                return (i - 128) * halves * 2 / 64;
              });
}

TEST(MakeTablesTest, OperandsOfTwoTensorsStay) {
  ExpectNoRewrite(MakeTables, R"(
    input %x: uint8[2]<affine 1.0 0>
    input %z: uint8[2]<affine 1.0 0>
    %y: uint8[2]<affine 1.0 0> = add(%x, %z) from "y"
    output %y)");
}

TEST(MakeTablesTest, OperandsThatAreSpreadStay) {
  ExpectNoRewrite(MakeTables, R"(
    input %x: uint8[2x1]<affine 1.0 0>
    const %spread: uint8[1x3]<affine 1.0 0> = [1, 2, 3]
    %y: uint8[2x3]<affine 1.0 0> = add(%x, %spread) from "y"
    output %y)");
}

TEST(MakeTablesTest, FunctionsOneAfterTheOtherAreOneTableEach) {
  Graph graph = GraphOfBody(R"(
    input %x: uint8[2x3]<affine 0.5 100>
    %r: uint8[2x3]<affine 0.5 0> = relu(%x) from "r"
    %y: uint8[2x3]<affine 0.5 255> = neg(%r) from "y"
    output %y)");
  const auto before = RunOnRandomInputs(graph);
  const absl::StatusOr<int> rewrites = MakeTables(graph);
  ASSERT_TRUE(rewrites.ok()) << rewrites.status();
  EXPECT_EQ(*rewrites, 2);
  EXPECT_EQ(graph.FindTensor("y")->producer->inputs[0]->name, "r");
  EXPECT_EQ(RunOnRandomInputs(graph), before);
}

TEST(MakeTablesTest, OperandsThatGoBackToOneTensor) {
  // Both are tables of %x by then: the product is a third, over %x as well.
  ExpectTable(R"(
    input %x: uint8[2x2]<affine 1.0 0>
    %n: uint8[2x2]<affine 1.0 255> = neg(%x) from "n"
    %r: uint8[2x2]<affine 1.0 0> = relu(%x) from "r"
    %y: uint8[2x2]<affine 64.0 255> = mul(%n, %r) from "y"
    output %y)",
              [](int i) { return 255 - std::nearbyint(i * i / 64.0); });
}

TEST(MakeTablesTest, TablesOfTwoTensorsStay) {
  ExpectNoRewrite(MakeTables, R"(
    input %x: uint8[2]<affine 1.0 0>
    input %z: uint8[2]<affine 1.0 0>
    %y: uint8[2]<affine 1.0 0> = mul(%x, %z) from "y"
    output %y)");
}

TEST(MakeTablesTest, ConstantsOfSeveralValuesStay) {
  ExpectNoRewrite(MakeTables, R"(
    input %x: uint8[2]<affine 1.0 0>
    const %c: uint8[2]<affine 1.0 0> = [1, 2]
    %y: uint8[2]<affine 1.0 0> = add(%x, %c) from "y"
    output %y)");
}

TEST(MakeTablesTest, AScalarThatAddsADimensionStays) {
  ExpectNoRewrite(MakeTables, R"(
    input %x: uint8[2]<affine 1.0 0>
    const %c: uint8[1x1]<affine 1.0 0> = [1]
    %y: uint8[1x2]<affine 1.0 0> = add(%x, %c) from "y"
    output %y)");
}

TEST(MakeTablesTest, OtherTypesStay) {
  ExpectNoRewrite(MakeTables, R"(
    input %f: float32[2]
    input %i: int16[2]<fixed 8>
    input %x: uint8[2]<affine 1.0 0>
    %a: float32[2] = relu(%f) from "a"
    %b: int16[2]<fixed 8> = relu(%i) from "b"
    %c: float32[2] = dequantize(%x) from "c"
    %d: uint8[2]<affine 0.5 3> = quantize(%f) from "d"
    output %a
    output %b
    output %c
    output %d)");
}

TEST(MakeTablesTest, FunctionsOverDimensionsStay) {
  ExpectNoRewrite(MakeTables, R"(
    input %x: uint8[2x3]<affine 1.0 0>
    %y: uint8[2x3]<affine 0.00390625 0> = softmax(%x) from "y"
    output %y)");
}

}  // namespace
}  // namespace synap_internal
