#include "base/run_in_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <numeric>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

namespace synap_internal {
namespace {

using testing::ElementsAre;

// Later items are done sooner.
int SlowSquare(size_t item, size_t count) {
  std::this_thread::sleep_for(std::chrono::microseconds(50 * (count - item)));
  return static_cast<int>(item * item);
}

TEST(RunInOrderTest, ResultsAreTakenInOrderWhateverTheWorkers) {
  for (const int workers : {1, 2, 3, 16}) {
    for (const size_t count : {size_t{0}, size_t{1}, size_t{2}, size_t{5}, size_t{100}}) {
      std::vector<int> taken, expected(count);
      for (size_t i = 0; i < count; ++i) expected[i] = static_cast<int>(i * i);
      const absl::Status status = RunInOrder(
          count, workers, [&](size_t item, int) { return SlowSquare(item, count); },
          [&](size_t item, int result) {
            EXPECT_EQ(item, taken.size());
            taken.push_back(result);
            return absl::OkStatus();
          });
      EXPECT_TRUE(status.ok()) << status;
      EXPECT_EQ(taken, expected) << workers;
    }
  }
}

TEST(RunInOrderTest, AWorkerComputesOneItemAtATime) {
  std::array<std::atomic<int>, 3> busy{};
  std::atomic<bool> shared{false};
  const absl::Status status = RunInOrder(
      200, 3,
      [&](size_t, int worker) {
        std::atomic<int>& mine = busy.at(static_cast<size_t>(worker));
        if (mine.fetch_add(1) != 0) shared = true;
        std::this_thread::yield();
        mine.fetch_sub(1);
        return 0;
      },
      [](size_t, int) { return absl::OkStatus(); });
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_FALSE(shared);
}

TEST(RunInOrderTest, ItemsAreComputedAtTheSameTime) {
  std::mutex mutex;
  std::condition_variable changed;
  int arrived = 0;
  const absl::Status status = RunInOrder(
      2, 2,
      [&](size_t, int) {
        std::unique_lock<std::mutex> lock(mutex);
        ++arrived;
        changed.notify_all();
        return changed.wait_for(lock, std::chrono::seconds(30), [&] { return arrived == 2; });
      },
      [](size_t, bool met) {
        return met ? absl::OkStatus() : absl::InternalError("one waited for the other");
      });
  EXPECT_TRUE(status.ok()) << status;
}

TEST(RunInOrderTest, OneWorkerIsTheCallersThread) {
  const std::thread::id caller = std::this_thread::get_id();
  std::vector<std::string> steps;
  const absl::Status status = RunInOrder(
      2, 1,
      [&](size_t item, int worker) {
        EXPECT_EQ(std::this_thread::get_id(), caller);
        EXPECT_EQ(worker, 0);
        steps.push_back(absl::StrCat("compute ", item));
        return 0;
      },
      [&](size_t item, int) {
        steps.push_back(absl::StrCat("take ", item));
        return absl::OkStatus();
      });
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_THAT(steps, ElementsAre("compute 0", "take 0", "compute 1", "take 1"));
}

// Of items that fail, the first one counts, even if a later one fails sooner.
TEST(RunInOrderTest, TheFirstErrorInTheItemsOrderEndsTheLoop) {
  constexpr size_t kCount = 1000;
  for (const int workers : {1, 2, 4}) {
    std::atomic<size_t> begun{0};
    std::vector<size_t> taken;
    const absl::Status status = RunInOrder(
        kCount, workers,
        [&](size_t item, int) -> absl::StatusOr<size_t> {
          ++begun;
          if (item == 3) std::this_thread::sleep_for(std::chrono::milliseconds(5));
          if (item == 3 || item == 4)
            return absl::InvalidArgumentError(absl::StrCat("item ", item));
          return item;
        },
        [&](size_t, absl::StatusOr<size_t> result) {
          if (result.ok()) taken.push_back(*result);
          return result.status();
        });
    EXPECT_EQ(status.message(), "item 3");
    EXPECT_THAT(taken, ElementsAre(0, 1, 2)) << workers;
    EXPECT_LE(begun, 3 + 4 * static_cast<size_t>(workers));
  }
}

TEST(RunInOrderTest, FewResultsWaitForASlowItem) {
  constexpr size_t kMost = 2 * 4;
  std::mutex mutex;
  std::condition_variable changed;
  size_t begun = 0, largest_lead = 0, taken = 0;
  const absl::Status status = RunInOrder(
      100, 2,
      [&](size_t item, int) {
        std::unique_lock<std::mutex> lock(mutex);
        ++begun;
        largest_lead = std::max(largest_lead, item - taken);
        changed.notify_all();
        // The first one is done when the others can't go on.
        if (item == 0)
          changed.wait_for(lock, std::chrono::seconds(30), [&] { return begun == kMost; });
        return std::make_unique<size_t>(item);
      },
      [&](size_t, std::unique_ptr<size_t> result) {
        const std::lock_guard<std::mutex> lock(mutex);
        taken = *result + 1;
        return absl::OkStatus();
      });
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(taken, 100u);
  EXPECT_LE(largest_lead, kMost);
}

}  // namespace
}  // namespace synap_internal
