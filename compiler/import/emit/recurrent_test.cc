#include "compiler/import/emit/recurrent.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "compiler/import/emit/emitted_graph.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// h' = x + 10 h for the inputs 1, 2, 3 in time, of one batch element.
RecurrentRun Digits(EmittedGraph& graph) {
  RecurrentRun run{RnnCell};
  run.direction.hidden = 1;
  run.direction.recurrence = graph.Constant({1, 1}, {10});
  run.direction.functions = {""};
  run.products = graph.Constant({3, 1, 1}, {1, 2, 3});
  run.state.h = *ZeroState(graph.op(), Shape({1, 1}));
  return run;
}

std::vector<float> Outputs(EmittedGraph& graph, RecurrentRun& run) {
  const absl::StatusOr<std::vector<Tensor*>> steps = Unroll(graph.op(), run);
  std::vector<float> values;
  if (!steps.ok()) return values;
  for (Tensor* step : *steps) {
    for (const float value : Values(step)) values.push_back(value);
  }
  return values;
}

TEST(RecurrentTest, EachStepReadsTheStateOfTheOneBefore) {
  EmittedGraph graph;
  RecurrentRun run = Digits(graph);
  EXPECT_THAT(Outputs(graph, run), ElementsAre(1, 12, 123));
  EXPECT_THAT(Values(run.state.h), ElementsAre(123));
}

TEST(RecurrentTest, OutputsOfABackwardRunAreInTheOrderOfTime) {
  EmittedGraph graph;
  RecurrentRun run = Digits(graph);
  run.backwards = true;
  EXPECT_THAT(Outputs(graph, run), ElementsAre(321, 32, 3));
  EXPECT_THAT(Values(run.state.h), ElementsAre(321));
}

TEST(RecurrentTest, ASequenceThatIsOverKeepsItsStateAndShowsZero) {
  EmittedGraph graph;
  RecurrentRun run = Digits(graph);
  run.products = graph.Constant({2, 2, 1}, {1, 5, 2, 6});
  run.state.h = *ZeroState(graph.op(), Shape({2, 1}));
  run.lengths = {2, 1};
  EXPECT_THAT(Outputs(graph, run), ElementsAre(1, 5, 12, 0));
  EXPECT_THAT(Values(run.state.h), ElementsAre(12, 5));
}

TEST(RecurrentTest, StepsAreNumberedInTheirNames) {
  EmittedGraph graph;
  RecurrentRun run = Digits(graph);
  run.products = graph.Input({2, 1, 1});
  run.backwards = run.as_rows = true;
  const absl::StatusOr<std::vector<Tensor*>> by_time = Unroll(graph.op(), run);
  ASSERT_TRUE(by_time.ok()) << by_time.status();
  EXPECT_EQ(by_time->front()->name, "y.0.y");
  EXPECT_EQ(by_time->front()->type.shape, Shape({1, 1, 1}));
  run.number = [](int64_t iteration, int64_t) { return 7 + iteration; };
  EXPECT_EQ((*Unroll(graph.op(), run))[0]->name, "y.8.y");
}

TEST(RecurrentTest, TheInputsOfAllStepsAreOneProduct) {
  EmittedGraph graph;
  Tensor* x = graph.Counted({4, 1});
  const Emitted products = InputProducts(graph.op(), x, graph.Constant({1, 2}, {1, 10}),
                                         graph.Constant({2}, {0.5f, 0}), 2, ".p");
  ASSERT_TRUE(products.ok());
  EXPECT_EQ((*products)->type.shape, Shape({2, 2, 2}));
  EXPECT_THAT(Values(products), ElementsAre(0.5f, 0, 1.5f, 10, 2.5f, 20, 3.5f, 30));
}

TEST(RecurrentTest, TheResetGateMultipliesTheStateOrItsProduct) {
  for (const GruReset reset : {GruReset::kState, GruReset::kProduct}) {
    EmittedGraph graph;
    RecurrentDirection direction;
    direction.hidden = 1;
    direction.reset = reset;
    direction.recurrence = graph.Constant({1, 3}, {0, 0, 3});
    direction.recurrence_bias = graph.Constant({3}, {0, 0, 100});
    direction.functions = {"", ""};
    // Update 0 takes the hidden gate alone: 1 + reset 2 applied to h = 5.
    const absl::StatusOr<RecurrentState> next = GruCell(
        graph.op(), direction, graph.Constant({1, 3}, {0, 2, 1}), {graph.Constant({1, 1}, {5})});
    ASSERT_TRUE(next.ok()) << next.status();
    const float expected =
        reset == GruReset::kState ? 1 + 3 * (2 * 5) + 100 : 1 + 2 * (3 * 5 + 100);
    EXPECT_THAT(Values(next->h), ElementsAre(expected));
  }
}

TEST(RecurrentTest, AGruNeedsNoBias) {
  EmittedGraph graph;
  RecurrentDirection direction;
  direction.hidden = 1;
  direction.recurrence = graph.Constant({1, 3}, {0, 0, 3});
  direction.functions = {"", ""};
  const absl::StatusOr<RecurrentState> next = GruCell(
      graph.op(), direction, graph.Constant({1, 3}, {0, 2, 1}), {graph.Constant({1, 1}, {5})});
  ASSERT_TRUE(next.ok()) << next.status();
  EXPECT_THAT(Values(next->h), ElementsAre(1 + 3 * (2 * 5)));
}

// Gates in ONNX's order: input, output, forget, cell.
TEST(RecurrentTest, AnLstmForgetsAddsAndShows) {
  EmittedGraph graph;
  RecurrentDirection direction;
  direction.hidden = 1;
  direction.recurrence = graph.Constant({1, 4}, {0, 0, 0, 0});
  direction.functions = {"", "", ""};
  const RecurrentState state{graph.Constant({1, 1}, {1}), graph.Constant({1, 1}, {7})};
  Tensor* gates = graph.Constant({1, 4}, {2, 3, 5, 11});
  absl::StatusOr<RecurrentState> next = LstmCell(graph.op(), direction, gates, state);
  ASSERT_TRUE(next.ok()) << next.status();
  EXPECT_THAT(Values(next->c), ElementsAre(5 * 7 + 2 * 11));
  EXPECT_THAT(Values(next->h), ElementsAre(3 * (5 * 7 + 2 * 11)));
  direction.coupled = CoupledGate::kForget;
  direction.cell_clip = 10;
  next = LstmCell(graph.op(), direction, gates, state);
  EXPECT_THAT(Values(next->c), ElementsAre(10)) << "(1 - 2) * 7 + 2 * 11, clipped";
}

TEST(RecurrentTest, PartsAreCountedFromTheFirst) {
  EmittedGraph graph;
  EXPECT_THAT(Values(RecurrentPart(graph.op(), graph.Counted({1, 6}), 2, 2, ".part")),
              ElementsAre(4, 5));
}

TEST(RecurrentTest, OutputsAreRowsWhereThatIsAskedFor) {
  EmittedGraph graph;
  RecurrentRun run = Digits(graph);
  run.products = graph.Constant({1, 2, 1}, {1, 5});
  run.state.h = *ZeroState(graph.op(), Shape({2, 1}));
  EXPECT_EQ(Unroll(graph.op(), run).value()[0]->type.shape, Shape({2, 1}));
  run.as_rows = true;
  EXPECT_EQ(Unroll(graph.op(), run).value()[0]->type.shape, Shape({1, 2, 1}));
}

TEST(RecurrentTest, InputsNeedNoBias) {
  EmittedGraph graph;
  EXPECT_THAT(Values(InputProducts(graph.op(), graph.Counted({2, 1}), graph.Constant({1, 1}, {3}),
                                   nullptr, 2, ".p")),
              ElementsAre(0, 3));
}

TEST(RecurrentTest, AGrusFunctionsAreOfGatesAndInput) {
  EmittedGraph graph;
  RecurrentDirection direction;
  direction.hidden = 1;
  direction.recurrence = graph.Constant({1, 3}, {0, 0, 3});
  direction.functions = {"abs", "neg"};
  const absl::StatusOr<RecurrentState> next = GruCell(
      graph.op(), direction, graph.Constant({1, 3}, {3, 2, 1}), {graph.Constant({1, 1}, {5})});
  ASSERT_TRUE(next.ok()) << next.status();
  constexpr float kHidden = -(1 + 3 * (2 * 5));
  EXPECT_THAT(Values(next->h), ElementsAre((1 - 3) * kHidden + 3 * 5));
}

// Gates 2, 3, 5, 11 of a cell state of 7.
TEST(RecurrentTest, VariantsOfAnLstmChangeItsCell) {
  const auto cell = [](const RecurrentDirection& variant, std::vector<float> peepholes) {
    EmittedGraph graph;
    RecurrentDirection direction = variant;
    direction.hidden = 1;
    direction.recurrence = graph.Constant({1, 4}, {0, 0, 0, 0});
    direction.functions = {"", "", ""};
    if (!peepholes.empty()) direction.peepholes = graph.Constant({3}, peepholes);
    const RecurrentState state{graph.Constant({1, 1}, {1}), graph.Constant({1, 1}, {7})};
    const absl::StatusOr<RecurrentState> next =
        LstmCell(graph.op(), direction, graph.Constant({1, 4}, {2, 3, 5, 11}), state);
    if (!next.ok()) return std::vector<float>();
    return std::vector<float>{Values(next->c)[0], Values(next->h)[0]};
  };
  EXPECT_THAT(cell({.coupled = CoupledGate::kForget}, {}), ElementsAre(15, 3 * 15))
      << "(1 - 2) * 7 + 2 * 11";
  EXPECT_THAT(cell({.coupled = CoupledGate::kInput}, {}), ElementsAre(-9, 3 * -9))
      << "5 * 7 + (1 - 5) * 11";
  EXPECT_THAT(cell({.coupled = CoupledGate::kInput, .cell_clip = 0.5f}, {}),
              ElementsAre(-0.5f, 3 * -0.5f));
  // Forget (5 + 2 * 7) * 7, input (2 + 1 * 7) * 11, output 3 - 1 * 232.
  EXPECT_THAT(cell({}, {1, -1, 2}), ElementsAre(232, -229 * 232));
}

TEST(RecurrentTest, AnLstmsCellStateRunsOn) {
  EmittedGraph graph;
  RecurrentRun run{LstmCell};
  run.direction.hidden = 1;
  run.direction.recurrence = graph.Constant({1, 4}, {0, 0, 0, 0});
  run.direction.functions = {"", "", ""};
  run.products = graph.Constant({2, 1, 4}, {2, 1, 1, 3, 1, 1, 10, 4});
  run.state = {*ZeroState(graph.op(), Shape({1, 1})), *ZeroState(graph.op(), Shape({1, 1}))};
  EXPECT_THAT(Outputs(graph, run), ElementsAre(2 * 3, 10 * 6 + 4));
}

TEST(RecurrentTest, AnLstmsFunctionsAreOfGatesInputAndOutput) {
  EmittedGraph graph;
  RecurrentDirection direction;
  direction.hidden = 1;
  direction.recurrence = graph.Constant({1, 4}, {0, 0, 0, 0});
  direction.functions = {"abs", "neg", "square"};
  const RecurrentState state{graph.Constant({1, 1}, {1}), graph.Constant({1, 1}, {7})};
  const absl::StatusOr<RecurrentState> next =
      LstmCell(graph.op(), direction, graph.Constant({1, 4}, {2, 3, 5, 11}), state);
  ASSERT_TRUE(next.ok()) << next.status();
  EXPECT_THAT(Values(next->c), ElementsAre(5 * 7 + 2 * -11));
  EXPECT_THAT(Values(next->h), ElementsAre(3 * 13 * 13));
}

// The ops of a coupled gate aren't emitted: what is dead wouldn't stay, but take names and memory.
TEST(RecurrentTest, ACoupledGateIsNotComputed) {
  const auto ops = [](CoupledGate coupled) {
    EmittedGraph graph;
    RecurrentDirection direction;
    direction.hidden = 1;
    direction.recurrence = graph.Counted({1, 4});
    direction.functions = {"", "", ""};
    direction.coupled = coupled;
    const RecurrentState state{graph.Input({1, 1}), graph.Input({1, 1})};
    const absl::StatusOr<RecurrentState> next =
        LstmCell(graph.op(), direction, graph.Input({1, 4}), state);
    EXPECT_TRUE(next.ok()) << next.status();
    return graph.op().builder().graph().ops().size();
  };
  EXPECT_EQ(ops(CoupledGate::kNone), 10u);
  EXPECT_EQ(ops(CoupledGate::kInput), 10u) << "1 - forget in place of the gate's part";
  EXPECT_EQ(ops(CoupledGate::kForget), 10u);
}

TEST(RecurrentTest, AProjectionMayHaveABias) {
  for (const bool has_bias : {false, true}) {
    EmittedGraph graph;
    RecurrentDirection direction;
    direction.hidden = 1;
    direction.recurrence = graph.Counted({2, 4});
    direction.functions = {"", "", ""};
    direction.projection = graph.Counted({2, 1});
    if (has_bias) direction.projection_bias = graph.Counted({2});
    const RecurrentState state{graph.Input({1, 2}), graph.Input({1, 1})};
    const absl::StatusOr<RecurrentState> next =
        LstmCell(graph.op(), direction, graph.Input({1, 4}), state);
    ASSERT_TRUE(next.ok()) << next.status();
    EXPECT_EQ(next->h->type.shape, Shape({1, 2}));
    EXPECT_EQ(next->h->producer->inputs.size(), has_bias ? 3u : 2u);
  }
}

TEST(RecurrentTest, AStateOfZerosHoldsZeros) {
  EmittedGraph graph;
  EXPECT_THAT(Values(ZeroState(graph.op(), Shape({1, 2}))), ElementsAre(0, 0));
}

// Two steps, three runs and 32 ops in each step of a run.
TEST(RecurrentTest, StepsBeyondTheBudgetAreRefused) {
  constexpr int64_t kOps = 2 + 3 + 2 * 3 * 32;
  Graph graph;
  GraphBuilder enough(graph, kOps * 4096), less(graph, kOps * 4096 - 1);
  EXPECT_TRUE(ChargeSteps(enough, 2, 3).ok());
  EXPECT_FALSE(enough.Charge(1).ok());
  EXPECT_EQ(ChargeSteps(less, 2, 3),
            absl::ResourceExhaustedError(
                "it unrolls into 192 operations more than there is memory for (191 are left)"));
  EXPECT_TRUE(absl::IsResourceExhausted(ChargeSteps(less, int64_t{1} << 40, int64_t{1} << 40)));
}

TEST(RecurrentTest, ShapesAreCheckedByName) {
  EXPECT_TRUE(CheckOperandShape("bias", Shape({2}), Shape({2})).ok());
  EXPECT_THAT(std::string(CheckOperandShape("bias", Shape({5}), Shape({2})).message()),
              HasSubstr("its bias is 5, expected 2"));
}

}  // namespace
}  // namespace synap_internal
