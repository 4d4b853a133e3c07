#include "compiler/import/emit/einsum.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/import/emit/emitted_graph.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;

TEST(EmitEinsumTest, MultipliesWhatSharesLabels) {
  EmittedGraph graph;
  Tensor *a = graph.Input({2, 2}), *b = graph.Input({2, 3});
  const Emitted y = EmitEinsum(graph.op(), "ij, jk -> ki", {a, b});
  EXPECT_EQ(y.value()->type.shape, Shape({3, 2}));
  EXPECT_THAT(graph.Run(y, {{1, 0, 1, 2}, {1, 2, 3, 4, 5, 6}}), ElementsAre(1, 9, 2, 12, 3, 15));
}

TEST(EmitEinsumTest, ThreeOperandsShareALabel) {
  EmittedGraph graph;
  Tensor *a = graph.Input({2}), *b = graph.Input({2}), *c = graph.Input({2});
  const Emitted y = EmitEinsum(graph.op(), "i,i,i", {a, b, c});
  EXPECT_THAT(graph.Run(y, {{1, 2}, {3, 4}, {5, 6}}), ElementsAre(15 + 48));
}

TEST(EmitEinsumTest, AnEquationThatChangesNothingGivesTheOperand) {
  EmittedGraph graph;
  Tensor* x = graph.Input({2, 3});
  EXPECT_EQ(EmitEinsum(graph.op(), "...->...", {x}).value(), x);
}

TEST(EmitEinsumTest, RefusesOtherNumbersOfOperands) {
  EmittedGraph graph;
  EXPECT_EQ(graph.Text(EmitEinsum(graph.op(), "i,i->i", {graph.Input({2})})),
            "its equation is 'i,i->i': expected 1 terms");
}

}  // namespace
}  // namespace synap_internal
