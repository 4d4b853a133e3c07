#include "base/thread_pool.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <map>
#include <memory>
#include <new>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/config.h"
#include "base/thread_ids.h"

namespace synap_internal {
namespace {

TEST(ThreadPoolTest, EveryTaskRunsOnce) {
  for (const int threads : {1, 2, 3, 8, 100}) {  // 100: more than there are shares of a loop
    ThreadPool pool(threads);
    if (threads <= 8) {
      EXPECT_EQ(pool.threads(), threads);
    }
    for (const int64_t count : {0, 1, 2, 7, 1000}) {
      std::vector<int> runs(count, 0);  // each element is written by one task
      pool.ParallelFor(count, [&](int64_t i, int) { ++runs[i]; });
      EXPECT_EQ(runs, std::vector<int>(count, 1)) << threads << " threads";
    }
  }
}

TEST(ThreadPoolTest, ThrowsWhatATaskThrows) {
  for (const int threads : {1, 3}) {
    ThreadPool pool(threads);
    for (int64_t failing = 0; failing < 100; ++failing) {
      const auto task = [&](int64_t i, int) {
        if (i == failing || i == 50) throw std::bad_alloc();
      };
      EXPECT_THROW(pool.ParallelFor(100, task), std::bad_alloc);
      std::atomic<int> runs{0};
      pool.ParallelFor(100, [&](int64_t, int) { ++runs; });
      ASSERT_EQ(runs, 100);
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

TEST(ThreadPoolTest, LoopsAfterPausesFindTheirHelpersAsleep) {
  ThreadPool pool(3);
  for (int round = 0; round < 20; ++round) {
    std::vector<int> runs(8, 0);
    pool.ParallelFor(8, [&](int64_t i, int) { ++runs[i]; });
    ASSERT_EQ(runs, std::vector<int>(8, 1));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

TEST(ThreadPoolTest, ManyShortLoopsOfChangingLengths) {
  ThreadPool pool(4);
  int64_t expected = 0, sum = 0;
  for (int64_t round = 0; round < 20'000; ++round) {
    int64_t parts[5] = {};
    pool.ParallelFor(round % 6, [&](int64_t i, int) { parts[i] = round + i; });
    for (int64_t i = 0; i < round % 6; ++i) expected += round + i;
    for (const int64_t part : parts) sum += part;
  }
  EXPECT_EQ(sum, expected);
}

// Loops of several callers: each runs all of its tasks, on workers of its own.
void RunLoops(ThreadPool& pool, int loops) {
  for (int loop = 0; loop < loops; ++loop) {
    std::vector<int> runs(100, 0);
    std::vector<int64_t> scratch(static_cast<size_t>(pool.threads()), 0);
    pool.ParallelFor(100, [&](int64_t i, int worker) {
      ++runs[static_cast<size_t>(i)];
      scratch[static_cast<size_t>(worker)] += i;
    });
    int64_t sum = 0;
    for (const int64_t part : scratch) sum += part;
    ASSERT_EQ(sum, 100 * 99 / 2);
    ASSERT_EQ(runs, std::vector<int>(100, 1));
  }
}

TEST(ThreadPoolTest, SeveralThreadsRunLoopsSimultaneously) {
  ThreadPool pool(3);
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller) callers.emplace_back([&] { RunLoops(pool, 500); });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(pool.threads(), 3);
}

TEST(ProcessPoolTest, IsSharedByViewsOfDifferentSizes) {
  const std::set<std::string> before = ThreadIds();
  std::shared_ptr<ThreadPool> small = ThreadPool::OfProcess(2);
  EXPECT_EQ(AwaitNewThreads(before, 1), 1);
  std::shared_ptr<ThreadPool> large = ThreadPool::OfProcess(4);
  const std::shared_ptr<ThreadPool> one = ThreadPool::OfProcess(1);
  EXPECT_EQ(AwaitNewThreads(before, 3), 3);
  EXPECT_EQ(small->threads(), 2);
  EXPECT_EQ(large->threads(), 4);
  EXPECT_EQ(one->threads(), 1);
  std::vector<std::thread> callers;
  for (ThreadPool* pool : {small.get(), large.get(), one.get()}) {
    callers.emplace_back([pool] { RunLoops(*pool, 300); });
  }
  for (std::thread& caller : callers) caller.join();
  large = nullptr;
  RunLoops(*small, 10);
  small = nullptr;
  EXPECT_EQ(AwaitNewThreads(before, 0), 0);
}

// How often each of the threads gave up its processor, to sleep or to another thread, by its id.
std::map<std::string, int> Switches(const std::set<std::string>& threads) {
  std::map<std::string, int> switches;
  for (const std::string& id : threads) {
    std::ifstream status("/proc/self/task/" + id + "/status");
    std::string word;
    while (status >> word) {
      int count = 0;
      if (word == "voluntary_ctxt_switches:" || word == "nonvoluntary_ctxt_switches:") {
        status >> count;
      }
      switches[id] += count;
    }
  }
  return switches;
}

TEST(ProcessPoolTest, ASmallViewLetsTheHelpersOfALargeOneSleep) {
  constexpr int kLoops = 60;
  const std::set<std::string> others = ThreadIds();
  const std::shared_ptr<ThreadPool> large = ThreadPool::OfProcess(9);
  const std::shared_ptr<ThreadPool> small = ThreadPool::OfProcess(2);
  ASSERT_EQ(large->threads(), 9);
  std::set<std::string> helpers = ThreadIds();
  for (const std::string& id : others) helpers.erase(id);
  std::map<std::string, int> before = Switches(helpers);
  for (int loop = 0; loop < kLoops; ++loop) {
    RunLoops(*small, 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));  // much longer than helpers poll
  }
  int woken = 0;
  for (const auto& [id, count] : Switches(helpers)) woken += count - before[id] > kLoops / 4;
  EXPECT_LE(woken, 3);  // the smallest group
}

TEST(ProcessPoolTest, ViewsComeAndGoWhileOthersRun) {
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 3; ++caller) {
    callers.emplace_back([caller] {
      for (int i = 0; i < 50; ++i) RunLoops(*ThreadPool::OfProcess(1 + (i + caller) % 4), 3);
    });
  }
  for (std::thread& caller : callers) caller.join();
}

TEST(ProcessPoolTest, AForkedChildRunsLoopsAndEnds) {
  std::shared_ptr<ThreadPool> pool = ThreadPool::OfProcess(3);
  RunLoops(*pool, 10);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    RunLoops(*pool, 10);
#ifndef ABSL_HAVE_THREAD_SANITIZER  // it ends children that create threads
    const std::shared_ptr<ThreadPool> own = ThreadPool::OfProcess(3);
    RunLoops(*own, 10);
    if (own->threads() != 3 || ThreadIds().size() != 3) _exit(2);
#endif
    pool = nullptr;
    _exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  RunLoops(*pool, 10);
}

// Sanitizers have locks of their own, which those of clang 14 and gcc 12 don't hold during fork():
// a child that creates a thread may wait forever for one that another thread of its parent held,
// also without a ThreadPool.
#if !defined(ABSL_HAVE_THREAD_SANITIZER) && !defined(ABSL_HAVE_ADDRESS_SANITIZER)
TEST(ProcessPoolTest, AChildForkedWhileAnotherThreadMakesAViewMakesOneToo) {
  std::atomic<bool> is_over{false};
  std::thread other([&] {
    while (!is_over) ThreadPool::OfProcess(8);
  });
  for (int i = 0; i < 50 && !HasFailure(); ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(30);  // ends a child that waits for a thread of its parent
      _exit(ThreadPool::OfProcess(3)->threads() == 3 ? 0 : 1);
    }
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  is_over = true;
  other.join();
}
#endif

// The stack of every thread that starts while this lives, so large that few or none fit into the
// address space: pthread_create fails as it does at a limit on processes, for any user.
class ThreadStackSize {
 public:
  explicit ThreadStackSize(size_t bytes) {
    pthread_attr_t attributes;
    pthread_getattr_default_np(&old_);
    pthread_getattr_default_np(&attributes);
    EXPECT_EQ(pthread_attr_setstacksize(&attributes, bytes), 0);
    EXPECT_EQ(pthread_setattr_default_np(&attributes), 0);
    pthread_attr_destroy(&attributes);
  }
  ~ThreadStackSize() {
    pthread_setattr_default_np(&old_);
    pthread_attr_destroy(&old_);
  }

 private:
  pthread_attr_t old_;
};

void ExpectEveryTaskRunsOnce(ThreadPool& pool) {
  std::vector<int> runs(1000, 0);
  pool.ParallelFor(1000, [&](int64_t i, int worker) {
    EXPECT_LT(worker, pool.threads());
    ++runs[i];
  });
  EXPECT_EQ(runs, std::vector<int>(1000, 1));
}

TEST(ThreadPoolTest, RunsOnTheCallersThreadWhereNoOtherCanBeCreated) {
  const ThreadStackSize larger_than_the_address_space(size_t{1} << 50);
  ThreadPool pool(4);
  EXPECT_EQ(pool.threads(), 1);
  ExpectEveryTaskRunsOnce(pool);
  const std::shared_ptr<ThreadPool> of_process = ThreadPool::OfProcess(4);
  EXPECT_EQ(of_process->threads(), 1);
  ExpectEveryTaskRunsOnce(*of_process);
}

// Whether `bytes` of address space can be had: emulators of other processors don't know limits.
bool CanMap(size_t bytes) {
  void* const data = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return data != MAP_FAILED && munmap(data, bytes) == 0;
}

// In bytes, what this process has mapped.
size_t AddressSpaceInUse() {
  size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

TEST(ThreadPoolTest, RunsOnAsManyThreadsAsCanBeCreated) {
  constexpr size_t kStack = size_t{256} << 20;
  const ThreadStackSize stack(kStack);
  rlimit old;
  ASSERT_EQ(getrlimit(RLIMIT_AS, &old), 0);
  const rlimit room_for_two = {AddressSpaceInUse() + 5 * kStack / 2, old.rlim_max};
  if (setrlimit(RLIMIT_AS, &room_for_two) != 0) GTEST_SKIP() << "setrlimit is refused here";
  const bool is_limited = !CanMap(3 * kStack);
  if (is_limited) {
    ThreadPool pool(64);
    EXPECT_EQ(pool.threads(), 3);  // with the caller's
    ExpectEveryTaskRunsOnce(pool);
  }
  EXPECT_EQ(setrlimit(RLIMIT_AS, &old), 0);
  if (!is_limited) GTEST_SKIP() << "the limit on the address space isn't kept here";
}

TEST(ThreadPoolTest, ZeroThreadsMeansOneForEachProcessor) { EXPECT_GE(ThreadPool(0).threads(), 1); }

}  // namespace
}  // namespace synap_internal
