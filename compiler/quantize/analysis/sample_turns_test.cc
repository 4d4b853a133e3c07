#include "compiler/quantize/analysis/sample_turns.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <optional>
#include <thread>
#include <vector>

namespace synap_internal {
namespace {

constexpr size_t kSamples = 6;
constexpr size_t kSteps = 50;

TEST(SampleTurnsTest, EachStepIsMadeInTheSamplesOrder) {
  SampleTurns turns(kSamples);
  std::array<std::vector<size_t>, kSteps> added;  // by step: the samples
  std::vector<std::thread> threads;
  for (size_t sample = kSamples; sample-- > 0;) {
    threads.emplace_back([&, sample] {
      SampleTurns::Turn turn(turns, sample);
      for (std::vector<size_t>& step : added) turn.Step([&] { step.push_back(sample); });
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::vector<size_t>& step : added) {
    EXPECT_EQ(step, (std::vector<size_t>{0, 1, 2, 3, 4, 5}));
  }
}

TEST(SampleTurnsTest, ASampleFollowsTheOneBeforeStepByStep) {
  SampleTurns turns(2);
  std::optional<SampleTurns::Turn> first(std::in_place, turns, 0);
  std::atomic<int> made{0};
  std::thread second([&] {
    SampleTurns::Turn turn(turns, 1);
    for (int i = 0; i < 3; ++i) turn.Step([&] { ++made; });
  });
  first->Step([&] { EXPECT_EQ(made, 0); });
  while (made < 1) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(made, 1);
  first->Step([] {});
  while (made < 2) std::this_thread::yield();
  // It ends early: the other one needn't wait.
  first.reset();
  second.join();
  EXPECT_EQ(made, 3);
}

TEST(SampleTurnsTest, AfterASampleThatFailsTheOneBeforeItStillCounts) {
  SampleTurns turns(3);
  std::optional<SampleTurns::Turn> first(std::in_place, turns, 0);
  std::thread second([&] { const SampleTurns::Turn turn(turns, 1); });
  std::atomic<bool> made{false};
  std::thread third([&] {
    SampleTurns::Turn turn(turns, 2);
    turn.Step([&] { made = true; });
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  first->Step([&] { EXPECT_FALSE(made); });
  first.reset();
  second.join();
  third.join();
  EXPECT_TRUE(made);
}

}  // namespace
}  // namespace synap_internal
