#include "compiler/import/emit/elementwise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "compiler/import/emit/emitted_graph.h"
#include "compiler/import/emit/op_name.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(FloorTest, RoundsRealQuotientsDown) {
  EmittedGraph div, mod;
  Tensor *a = div.Input({2}), *b = div.Input({2});
  EXPECT_THAT(div.Run(EmitFloorDiv(div.op(), a, b), {{7, -7}, {2, 2}}), ElementsAre(3, -4));
  a = mod.Input({2});
  b = mod.Input({2});
  EXPECT_THAT(mod.Run(EmitFloorMod(mod.op(), a, b), {{7, -7}, {2, 2}}), ElementsAre(1, 1));
}

TEST(FloorTest, RemaindersOfInfinityAreWhole) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  EmittedGraph graph;
  Tensor *a = graph.Input({4}), *b = graph.Input({4});
  EXPECT_THAT(graph.Run(EmitFloorMod(graph.op(), a, b),
                        {{-3, 3, -1, 1}, {kInfinity, kInfinity, -kInfinity, -kInfinity}}),
              ElementsAre(kInfinity, 3, -1, -kInfinity));
}

TEST(FloorTest, RoundsIntegerQuotientsDown) {
  EmittedGraph graph;
  Tensor *a = graph.op().builder().AddInts("a", {7, -7, 7}),
         *b = graph.op().builder().AddInts("b", {2, 2, -2});
  const Tensor* quotient = EmitFloorDiv(graph.op(), a, b).value();
  EXPECT_THAT(quotient->values<int64_t>(), ElementsAre(3, -4, -4));
  const Tensor* rest = EmitFloorMod(graph.op(), a, b).value();
  EXPECT_THAT(rest->values<int64_t>(), ElementsAre(1, 1, -1));
}

TEST(EmitSquaredDifferenceTest, IsASquare) {
  EmittedGraph graph;
  Tensor *a = graph.Input({2}), *b = graph.Input({1});
  EXPECT_THAT(graph.Run(EmitSquaredDifference(graph.op(), a, b), {{3, -1}, {1}}),
              ElementsAre(4, 4));
}

TEST(EmitChainTest, NamesWhatIsBetween) {
  EmittedGraph graph;
  Tensor* x[] = {graph.Input({2}), graph.Input({2}), graph.Input({2})};
  const auto operand = [&](size_t i) { return Emitted(x[i]); };
  EXPECT_EQ(graph.Text(EmitChain(graph.op(), "add", 3, operand)),
            "y.partial1 = add(x0, x1)\ny = add(y.partial1, x2)\ny 2");
  EmittedGraph single;
  Tensor* only = single.Input({2});
  const auto first = [&](size_t) { return Emitted(only); };
  EXPECT_EQ(single.Text(EmitChain(single.op(), "add", 1, first)), "x0 2");
}

TEST(EmitChainTest, StopsAtAnOperandsError) {
  EmittedGraph graph;
  Tensor* x = graph.Input({2});
  const auto operand = [&](size_t i) -> Emitted {
    if (i == 1) return absl::InvalidArgumentError("an operand is missing");
    return x;
  };
  EXPECT_EQ(graph.Text(EmitChain(graph.op(), "add", 2, operand)), "an operand is missing");
}

TEST(ComparisonTest, OrEqualIsFalseForNan) {
  EmittedGraph graph;
  Tensor *a = graph.Input({4}), *b = graph.Input({1});
  EXPECT_THAT(graph.Run(EmitLessOrEqual(graph.op(), a, b), {{1, 2, 3, kNan}, {2}}),
              ElementsAre(1, 1, 0, 0));
}

TEST(ComparisonTest, IntegersAreComparedByTheOpposite) {
  EmittedGraph graph;
  Tensor *a = graph.Input({3}, DataType::kInt64), *b = graph.Input({3}, DataType::kInt64);
  EXPECT_EQ(graph.Text(EmitLessOrEqual(graph.op(), a, b)),
            "y.negated = greater(x0, x1)\ny = logical_not(y.negated)\ny 3");
  EmittedGraph other;
  a = other.Input({3}, DataType::kInt64);
  b = other.Input({3}, DataType::kInt64);
  EXPECT_EQ(other.Text(EmitGreaterOrEqual(other.op(), a, b)),
            "y.negated = less(x0, x1)\ny = logical_not(y.negated)\ny 3");
}

TEST(LogicTest, HasTheTruthTables) {
  const std::vector<std::vector<float>> inputs = {{0, 0, 1, 1}, {0, 1, 0, 1}};
  EmittedGraph both, either, one;
  Tensor *a = both.Input({4}, DataType::kBool), *b = both.Input({4}, DataType::kBool);
  EXPECT_THAT(both.Run(EmitAnd(both.op(), a, b), inputs), ElementsAre(0, 0, 0, 1));
  a = either.Input({4}, DataType::kBool);
  b = either.Input({4}, DataType::kBool);
  EXPECT_THAT(either.Run(EmitOr(either.op(), a, b), inputs), ElementsAre(0, 1, 1, 1));
  a = one.Input({4}, DataType::kBool);
  b = one.Input({4}, DataType::kBool);
  EXPECT_THAT(one.Run(EmitXor(one.op(), a, b), inputs), ElementsAre(0, 1, 1, 0));
}

TEST(EmitRowSelectTest, AVectorChoosesRows) {
  EmittedGraph graph;
  Tensor* condition = graph.Input({2}, DataType::kBool);
  Tensor *a = graph.Input({2, 2}), *b = graph.Input({2, 2});
  EXPECT_THAT(
      graph.Run(EmitRowSelect(graph.op(), condition, a, b), {{1, 0}, {1, 2, 3, 4}, {5, 6, 7, 8}}),
      ElementsAre(1, 2, 7, 8));
}

TEST(EmitRowSelectTest, OtherConditionsBroadcast) {
  const auto text = [](std::vector<int64_t> condition, const std::vector<int64_t>& values) {
    EmittedGraph graph;
    Tensor* chosen = graph.Input(condition, DataType::kBool);
    Tensor *a = graph.Input(values), *b = graph.Input(values);
    return graph.Text(EmitRowSelect(graph.op(), chosen, a, b));
  };
  EXPECT_EQ(text({2}, {2, 3}), "y.condition = reshape(x0)\ny = where(y.condition, x1, x2)\ny 2x3");
  EXPECT_EQ(text({2}, {2}), "y = where(x0, x1, x2)\ny 2") << "elements are rows";
  EXPECT_EQ(text({3}, {2, 3}), "y = where(x0, x1, x2)\ny 2x3");
  EXPECT_EQ(text({2, 3}, {2, 3}), "y = where(x0, x1, x2)\ny 2x3");
  EXPECT_EQ(text({}, {2, 3}), "y = where(x0, x1, x2)\ny 2x3");
}

TEST(NumberBesideTest, IsAConstantThatAddsNoDimension) {
  EmittedGraph graph;
  Tensor* x = graph.Input({2});
  EXPECT_EQ(NumberBeside(*graph.Float(3), *x), 3);
  EXPECT_EQ(NumberBeside(*graph.Constant({1}, {4}), *x), 4);
  EXPECT_EQ(NumberBeside(*graph.Constant({2}, {4, 4}), *x), std::nullopt);
  EXPECT_EQ(NumberBeside(*x, *x), std::nullopt);
  EXPECT_EQ(NumberBeside(*graph.Input({1}), *x), std::nullopt);
  EXPECT_EQ(NumberBeside(*graph.Ints({3}), *x), std::nullopt);
  Tensor* matrix = graph.op().Reshape(graph.Float(3), {1, 1}).value();
  EXPECT_EQ(NumberBeside(*matrix, *x), std::nullopt);
}

template <OpName kOp>
Emitted EmitUnary(EmittedGraph& graph, Tensor* x) {
  return graph.op().Emit(kOp, {x});
}

TEST(ActivationTest, SoftsignApproachesOne) {
  EmittedGraph graph;
  Tensor* x = graph.Constant({3}, {-1, 0, 3});
  EXPECT_THAT(Values(EmitSoftsign(graph.op(), x, ".sum")), ElementsAre(-0.5f, 0, 0.75f));
}

TEST(ActivationTest, SeluScalesElu) {
  EmittedGraph graph;
  Tensor* x = graph.Constant({2}, {2, -1});
  EXPECT_THAT(Values(EmitSelu(graph.op(), x, 2, 3, ".scale")),
              ElementsAre(6, FloatNear(3 * 2 * (0.36787944f - 1), 1e-5f)));
}

TEST(ActivationTest, ConstantsHaveTheirNames) {
  EmittedGraph graph;
  EXPECT_THAT(graph.Text(EmitSelu(graph.op(), graph.Input({1}), 2, 3, ".gamma")),
              ::testing::HasSubstr("y = mul(y.elu, y.gamma)"));
}

TEST(OpNameTest, ATemplateArgumentNamesTheOp) {
  EmittedGraph graph;
  EXPECT_THAT(Values(EmitUnary<"neg">(graph, graph.Constant({1}, {4}))), ElementsAre(-4));
  EXPECT_THAT(Values(EmitUnary<"abs">(graph, graph.Constant({1}, {-4}))), ElementsAre(4));
}

}  // namespace
}  // namespace synap_internal
