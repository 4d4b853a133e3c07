#include "runtime/api/network_copies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/tensor_type.h"
#include "runtime/api/logging.h"
#include "runtime/bundle/bundle.h"
#include "runtime/bundle/model_metadata.h"
#include "runtime/testing/test_models.h"
#include "synap/network.hpp"
#include "synap/threads.hpp"

namespace synap_internal {
namespace {

using synaptics::synap::Network;
using synaptics::synap::set_thread_count;
using synaptics::synap::thread_count;
using testing::ElementsAre;
using testing::MatchesRegex;

class NetworkCopiesTest : public testing::Test {
 protected:
  void TearDown() override { set_thread_count(0); }

  // Copies of a number, the threads that the copy was loaded for.
  absl::StatusOr<NetworkCopies<int>> Create(int threads, size_t items, uint64_t bytes) {
    set_thread_count(threads);
    loaded_for_.clear();
    return NetworkCopies<int>::Create(
        items, [bytes] { return bytes; },
        [this](int& copy) {
          const std::lock_guard<std::mutex> lock(mutex_);
          copy = thread_count();
          loaded_for_.push_back(copy);
          return absl::OkStatus();
        });
  }

  std::mutex mutex_;
  std::vector<int> loaded_for_;
};

TEST_F(NetworkCopiesTest, OneOnEachThreadIfThereAreAsManyItems) {
  auto copies = Create(3, 3, 1);
  ASSERT_TRUE(copies.ok()) << copies.status();
  EXPECT_EQ(copies->count(), 3);
  EXPECT_THAT(loaded_for_, ElementsAre(1));
  EXPECT_EQ(**copies->Get(2), 1);
  EXPECT_EQ(*copies->Get(2), *copies->Get(2));
  EXPECT_NE(*copies->Get(2), *copies->Get(0));
  EXPECT_THAT(loaded_for_, ElementsAre(1, 1));
}

TEST_F(NetworkCopiesTest, OneOnAllThreadsForFewItems) {
  for (const auto& [threads, items] : {std::pair(3, 2), std::pair(1, 9)}) {
    auto copies = Create(threads, static_cast<size_t>(items), 1);
    ASSERT_TRUE(copies.ok()) << copies.status();
    EXPECT_EQ(copies->count(), 1);
    EXPECT_EQ(**copies->Get(0), threads);
    EXPECT_THAT(loaded_for_, ElementsAre(threads));
  }
}

TEST_F(NetworkCopiesTest, OneOnAllThreadsWhereMemoryIsShort) {
  auto copies = Create(3, 9, uint64_t{1} << 60);
  ASSERT_TRUE(copies.ok()) << copies.status();
  EXPECT_EQ(copies->count(), 1);
  EXPECT_EQ(**copies->Get(0), 3);
  EXPECT_THAT(loaded_for_, ElementsAre(3));
}

TEST_F(NetworkCopiesTest, ReturnsTheErrorOfTheLoad) {
  set_thread_count(2);
  int loads = 0;
  const auto load = [&](int&) {
    return ++loads == 2 ? absl::NotFoundError("the second one") : absl::OkStatus();
  };
  const auto bytes = [] { return uint64_t{1}; };
  auto copies = NetworkCopies<int>::Create(2, bytes, load);
  ASSERT_TRUE(copies.ok()) << copies.status();
  EXPECT_EQ(copies->Get(1).status().message(), "the second one");
  EXPECT_TRUE(copies->Get(1).ok());
  loads = 1;
  EXPECT_EQ(NetworkCopies<int>::Create(2, bytes, load).status().message(), "the second one");
}

// A picture grows, in a loop of many tasks.
std::string ResizeModel() {
  const TensorType small{DataType::kFloat32, {1, 20, 30, 24}, {}};
  const TensorType large{DataType::kFloat32, {1, 80, 120, 24}, {}};
  const std::string program = MakeProgram(
      "resize", {{"size", std::vector<int64_t>{80, 120}}, {"mode", std::string("linear")}}, {small},
      large);
  ModelMetadata metadata;
  metadata.inputs = {MakeMetadata("x", small)};
  metadata.outputs = {MakeMetadata("y", large)};
  return WriteBundle(program, metadata).value();
}

std::vector<float> OutputFor(Network& network, size_t item) {
  std::vector<float> values(network.inputs[0].item_count());
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>((i + item) * 7919 % 997);
  EXPECT_TRUE(network.inputs[0].assign(values.data(), values.size()));
  EXPECT_TRUE(network.predict());
  const float* const output = network.outputs[0].as_float();
  return {output, output + network.outputs[0].item_count()};
}

TEST_F(NetworkCopiesTest, CopiesOnOneThreadGiveTheBitsOfOneOnAll) {
  constexpr size_t kItems = 9;
  const std::string model = ResizeModel();
  set_thread_count(3);
  Network one;
  ASSERT_TRUE(one.load_model(model.data(), model.size()));
  std::vector<std::vector<float>> expected, found(kItems);
  for (size_t i = 0; i < kItems; ++i) expected.push_back(OutputFor(one, i));
  auto copies = NetworkCopies<Network>::Create(
      kItems, [] { return uint64_t{1}; },
      [&](Network& network) {
        return network.load_model(model.data(), model.size()) ? absl::OkStatus()
                                                              : absl::InternalError("not loaded");
      });
  ASSERT_TRUE(copies.ok()) << copies.status();
  ASSERT_EQ(copies->count(), 3);
  std::atomic<size_t> next{0};
  std::vector<std::thread> threads;
  for (int worker = 0; worker < copies->count(); ++worker) {
    threads.emplace_back([&, worker] {
      const absl::StatusOr<Network*> network = copies->Get(worker);
      ASSERT_TRUE(network.ok()) << network.status();
      for (size_t i = next++; i < kItems; i = next++) found[i] = OutputFor(**network, i);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(found, expected);
}

TEST_F(NetworkCopiesTest, MessagesAreShownInTheItemsOrderUntilOneFails) {
  for (const int threads : {1, 3, 8}) {
    auto copies = Create(threads, 8, 1);
    ASSERT_TRUE(copies.ok()) << copies.status();
    std::vector<size_t> taken;
    testing::internal::CaptureStderr();
    const absl::Status status = RunOnCopies(
        *copies, 8,
        [](size_t item, int&, int) {
          std::this_thread::sleep_for(std::chrono::milliseconds(item == 0 ? 5 : 0));
          SYNAP_LOG(kWarning, "item ", item);
          return item;
        },
        [&](size_t item, size_t result) {
          EXPECT_EQ(item, result);
          if (item == 3) return absl::DataLossError("item 3 fails");
          taken.push_back(item);
          return absl::OkStatus();
        });
    EXPECT_EQ(status.message(), "item 3 fails");
    EXPECT_THAT(taken, ElementsAre(0, 1, 2));
    EXPECT_THAT(testing::internal::GetCapturedStderr(),
                MatchesRegex("[^\n]*item 0\n[^\n]*item 1\n[^\n]*item 2\n[^\n]*item 3\n"));
  }
}

TEST_F(NetworkCopiesTest, ShowsTheMessagesOfTheFirstLoadAndOfFailedOnes) {
  set_thread_count(3);
  int loads = 0;
  testing::internal::CaptureStderr();
  auto copies = NetworkCopies<int>::Create(
      3, [] { return uint64_t{1}; },
      [&](int&) {
        SYNAP_LOG(kWarning, "load ", ++loads);
        return loads == 2 ? absl::NotFoundError("gone") : absl::OkStatus();
      });
  ASSERT_TRUE(copies.ok()) << copies.status();
  EXPECT_FALSE(copies->Get(1).ok());
  EXPECT_TRUE(copies->Get(1).ok());
  EXPECT_TRUE(copies->Get(2).ok());
  EXPECT_EQ(loads, 4);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), MatchesRegex("[^\n]*load 1\n[^\n]*load 2\n"));
}

TEST_F(NetworkCopiesTest, ACopyThatCantBeLoadedFailsItsItem) {
  set_thread_count(2);
  std::atomic<int> loads{0};
  auto copies = NetworkCopies<int>::Create(
      2, [] { return uint64_t{1}; },
      [&](int&) { return ++loads == 1 ? absl::OkStatus() : absl::NotFoundError("gone"); });
  ASSERT_TRUE(copies.ok()) << copies.status();
  std::atomic<int> computed{0};
  const absl::Status status = RunOnCopies(
      *copies, 2,
      [&](size_t, int&, int) {
        // Until the other copy is asked for.
        while (loads < 2) std::this_thread::yield();
        return ++computed;
      },
      [](size_t, int) { return absl::OkStatus(); });
  EXPECT_EQ(status.message(), "gone");
  EXPECT_LE(computed, 1);
}

}  // namespace
}  // namespace synap_internal
