#include "runtime/executor/waves.h"

#include <limits>

#include "base/tensor_type.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/program/testing/hand_program.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;

constexpr double kAlone = std::numeric_limits<double>::infinity();

// x feeds two chains of three, which a sum joins: 0 1 2, 3 4 5, 6.
void AddTwoChains(HandProgram& hand) {
  const TensorType type{DataType::kFloat32, {100}};
  const int32_t x = hand.Input(type);
  std::vector<int32_t> ends;
  for (const char* op : {"exp", "neg"}) {
    const int32_t a = hand.Arena(type), b = hand.Arena(type), c = hand.Arena(type);
    hand.Add(op, {x}, {a}, {}, "a");
    hand.Add("sigmoid", {a}, {b}, {}, "b");
    hand.Add("tanh", {b}, {c}, {}, "c");
    ends.push_back(c);
  }
  const int32_t y = hand.Output(type);
  hand.Add("add", ends, {y}, {}, "y");
}

TEST(ScheduleWavesTest, BranchesRunSideBySide) {
  HandProgram hand("chains");
  AddTwoChains(hand);
  const std::vector<double> microseconds = {5, 5, 5, 4, 6, 5, 3};
  EXPECT_THAT(ScheduleWaves(hand.Get(), microseconds, 2),
              ElementsAre(ElementsAre(0, 3), ElementsAre(4, 1), ElementsAre(2, 5), ElementsAre(6)));
}

TEST(ScheduleWavesTest, EstimatesOfSmallLayersPutThemSideBySide) {
  HandProgram hand("chains");
  AddTwoChains(hand);
  Program program = hand.Get();
  for (ProgramTensor& tensor : program.tensors) tensor.type.shape = {10'000};
  std::vector<double> microseconds;
  for (const Instruction& instruction : program.instructions) {
    microseconds.push_back(EstimateMicroseconds(program, instruction));
  }
  EXPECT_EQ(ScheduleWaves(program, microseconds, 2)[0].size(), 2u);
}

TEST(ScheduleWavesTest, LargeInstructionsAndThoseThatHaveToStayAlone) {
  HandProgram hand("chains");
  AddTwoChains(hand);
  EXPECT_THAT(ScheduleWaves(hand.Get(), std::vector<double>{5000, 5000, 5, 5000, kAlone, 5, 5}, 2),
              ElementsAre(ElementsAre(0), ElementsAre(1), ElementsAre(2), ElementsAre(3),
                          ElementsAre(4), ElementsAre(5), ElementsAre(6)));
}

TEST(ScheduleWavesTest, UnlikeInstructionsGetAllThreadsEach) {
  HandProgram hand("chains");
  AddTwoChains(hand);
  // Together 90 and a fork, one after the other 45 + 0.5 and two forks.
  EXPECT_THAT(ScheduleWaves(hand.Get(), std::vector<double>{90, 5, 5, 1, 5, 5, 5}, 2)[0],
              ElementsAre(0));
}

TEST(ScheduleWavesTest, WhatWorksInPlaceWaitsForOtherReaders) {
  HandProgram hand("in place");
  const TensorType type{DataType::kFloat32, {100}};
  const int32_t x = hand.Input(type), a = hand.Arena(type), b = hand.Arena(type);
  const int32_t y = hand.Output(type), z = hand.Output(type);
  hand.Add("exp", {x}, {a}, {}, "a");
  hand.Add("neg", {a}, {z}, {}, "z");
  hand.Add("sigmoid", {a}, {b}, {}, "b");
  hand.Add("tanh", {b}, {y}, {}, "y");
  Program program = hand.Get();
  const std::vector<double> microseconds(4, 10);
  EXPECT_THAT(ScheduleWaves(program, microseconds, 2),
              ElementsAre(ElementsAre(0), ElementsAre(1, 2), ElementsAre(3)));
  program.tensors[static_cast<size_t>(b)].offset = program.tensors[static_cast<size_t>(a)].offset;
  const std::vector<Wave> waves = ScheduleWaves(program, microseconds, 2);
  EXPECT_THAT(waves, ElementsAre(ElementsAre(0), ElementsAre(1), ElementsAre(2), ElementsAre(3)));
  const WaveMemory memory = PlanWaveMemory(program, waves);
  EXPECT_EQ(memory.offsets[static_cast<size_t>(a)], memory.offsets[static_cast<size_t>(b)]);
}

TEST(PlanWaveMemoryTest, NoMemoryIsSharedInsideOfAWave) {
  HandProgram hand("chains");
  AddTwoChains(hand);
  const Program program = hand.Get();
  const std::vector<Wave> waves = {{0, 3}, {1, 4}, {2, 5}, {6}};
  const WaveMemory memory = PlanWaveMemory(program, waves);
  // Two tensors of 448 bytes are read and two are written; one after the other, three were enough.
  EXPECT_EQ(memory.arena_bytes, 4 * 448u);
  for (const Wave& wave : waves) {
    std::vector<int32_t> alive;
    for (const size_t i : wave) {
      for (const int32_t tensor : program.instructions[i].inputs) alive.push_back(tensor);
      for (const int32_t tensor : program.instructions[i].outputs) alive.push_back(tensor);
    }
    for (const int32_t a : alive) {
      for (const int32_t b : alive) {
        if (a == b || program.tensors[static_cast<size_t>(a)].place != Place::kArena ||
            program.tensors[static_cast<size_t>(b)].place != Place::kArena) {
          continue;
        }
        EXPECT_NE(memory.offsets[static_cast<size_t>(a)], memory.offsets[static_cast<size_t>(b)]);
      }
    }
  }
}

}  // namespace
}  // namespace synap_internal
