#include "compiler/graph/passes/moved_axis.h"

#include <gtest/gtest.h>

#include "compiler/testing/run_pass.h"

namespace synap_internal {
namespace {

constexpr size_t kAxes[] = {0, 1, 2};

TEST(MovedAxisTest, ATransposeAndItsInverseAgree) {
  const Graph graph = GraphOfBody(R"(
    input %x: float32[2x3x4]
    %y: float32[3x4x2] = transpose(%x) {perm=[1, 2, 0]} from "y"
    output %y)");
  const Op& op = graph.ops().front();
  EXPECT_EQ(AxisBefore(op, 2), 0u);
  for (const size_t axis : kAxes) EXPECT_EQ(AxisAfter(op, *AxisBefore(op, axis)), axis);
}

TEST(MovedAxisTest, AReshapeKeepsDimensionsBetweenTheSameElements) {
  const Graph graph = GraphOfBody(R"(
    input %x: float32[1x7x2x5]
    %y: float32[7x10x1] = reshape(%x) {shape=[7, 10, 1]} from "y"
    output %y)");
  const Op& op = graph.ops().front();
  EXPECT_EQ(AxisBefore(op, 0), 1u);
  EXPECT_EQ(AxisAfter(op, 1), 0u);
  EXPECT_EQ(AxisBefore(op, 1), std::nullopt);  // two merged
  EXPECT_EQ(AxisBefore(op, 2), std::nullopt);  // of nothing
  EXPECT_EQ(AxisAfter(op, 2), std::nullopt);
}

TEST(MovedAxisTest, AGatherPutsItsIndicesInPlaceOfADimension) {
  const Graph graph = GraphOfBody(R"(
    input %x: float32[2x3x4]
    input %i: int64[5x6]
    %y: float32[2x5x6x4] = gather(%x, %i) {axis=1} from "y"
    output %y)");
  const Op& op = graph.ops().front();
  EXPECT_EQ(AxisAfter(op, 0), 0u);
  EXPECT_EQ(AxisAfter(op, 1), std::nullopt);
  EXPECT_EQ(AxisAfter(op, 2), 3u);
  EXPECT_EQ(AxisBefore(op, 0), 0u);
  EXPECT_EQ(AxisBefore(op, 1), std::nullopt);
  EXPECT_EQ(AxisBefore(op, 2), std::nullopt);
  EXPECT_EQ(AxisBefore(op, 3), 2u);
}

}  // namespace
}  // namespace synap_internal
