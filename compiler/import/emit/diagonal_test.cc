#include "compiler/import/emit/diagonal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>

#include "compiler/import/emit/emitted_graph.h"
#include "compiler/import/evaluate_graph.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;

TEST(DiagonalLengthTest, CountsTheElementsWithinTheMatrix) {
  EXPECT_EQ(DiagonalLength(2, 3, 0), 2);
  EXPECT_EQ(DiagonalLength(2, 3, 1), 2);
  EXPECT_EQ(DiagonalLength(2, 3, 2), 1);
  EXPECT_EQ(DiagonalLength(2, 3, 3), 0);
  EXPECT_EQ(DiagonalLength(2, 3, -1), 1);
  EXPECT_EQ(DiagonalLength(2, 3, INT64_MIN), 0);
  EXPECT_EQ(DiagonalLength(0, 3, 0), 0);
}

TEST(EmitTriangleTest, KeepsWhatIsAboveOrBelowADiagonal) {
  EmittedGraph graph;
  Tensor* x = graph.Input({2, 3});
  EXPECT_THAT(graph.Run(EmitTriangle(graph.op(), x, 1, Triangle::kUpper), {Count(6)}),
              ElementsAre(0, 1, 2, 0, 0, 5));
  EXPECT_THAT(graph.Run(EmitTriangle(graph.op(), x, 0, Triangle::kLower), {Count(6)}),
              ElementsAre(0, 0, 0, 3, 4, 0));
  EXPECT_EQ(graph.Text(EmitTriangle(graph.op(), graph.Input({2}), 0, Triangle::kLower)),
            "its input is 2, expected 2 dimensions or more");
}

TEST(EmitDiagonalTest, TakesTheDiagonalOfEachMatrix) {
  EmittedGraph graph;
  Tensor* x = graph.Input({2, 2, 3});
  EXPECT_THAT(graph.Run(EmitDiagonal(graph.op(), x, 1), {Count(12)}), ElementsAre(1, 5, 7, 11));
  EXPECT_THAT(graph.Run(EmitDiagonal(graph.op(), x, -1), {Count(12)}), ElementsAre(3, 9));
}

TEST(EmitDiagonalMatrixTest, PutsElementsOnADiagonal) {
  EmittedGraph graph;
  Tensor* x = graph.Input({2});
  EXPECT_THAT(graph.Run(EmitDiagonalMatrix(graph.op(), x, 0), {{5, 6}}), ElementsAre(5, 0, 0, 6));
  EXPECT_THAT(graph.Run(EmitDiagonalMatrix(graph.op(), x, 1), {{5, 6}}),
              ElementsAre(0, 5, 0, 0, 0, 6, 0, 0, 0));
  EXPECT_THAT(graph.Run(EmitDiagonalMatrix(graph.op(), x, -1), {{5, 6}}),
              ElementsAre(0, 0, 0, 5, 0, 0, 0, 6, 0));
}

}  // namespace
}  // namespace synap_internal
