#include "base/thread_pool.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace synap {
namespace {

TEST(ThreadPoolTest, EveryTaskRunsOnce) {
  for (const int threads : {1, 2, 3, 8}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.threads(), threads);
    for (const int64_t count : {0, 1, 2, 7, 1000}) {
      std::vector<int> runs(count, 0);  // each element is written by one task
      pool.ParallelFor(count, [&](int64_t i, int) { ++runs[i]; });
      EXPECT_EQ(runs, std::vector<int>(count, 1)) << threads << " threads";
    }
  }
}

TEST(ThreadPoolTest, AWorkersScratchIsItsOwn) {
  ThreadPool pool(4);
  std::vector<int64_t> sums(pool.threads(), 0);  // unsynchronized: a shared one is a race
  pool.ParallelFor(10'000, [&](int64_t i, int worker) { sums[worker] += i; });
  int64_t total = 0;
  for (const int64_t sum : sums) total += sum;
  EXPECT_EQ(total, 10'000 * 9'999 / 2);
}

TEST(ThreadPoolTest, WhatTasksWroteIsSeenAfterTheLoop) {
  ThreadPool pool(3);
  std::vector<int> values(64, 0);
  for (int round = 0; round < 200; ++round) {
    pool.ParallelFor(static_cast<int64_t>(values.size()), [&](int64_t i, int) { ++values[i]; });
    for (const int value : values) ASSERT_EQ(value, round + 1);
  }
}

TEST(ThreadPoolTest, ZeroThreadsMeansOneForEachProcessor) { EXPECT_GE(ThreadPool(0).threads(), 1); }

}  // namespace
}  // namespace synap
