#include "runtime/api/subgraph_lanes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <atomic>
#include <chrono>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace synap_internal {
namespace {

using ::testing::ElementsAre;

struct Part {
  std::string delegate;
  std::vector<int> sources;
};

// A bundle of these subgraphs; none has a program.
Bundle BundleOf(const std::vector<Part>& parts) {
  Bundle bundle;
  for (size_t s = 0; s < parts.size(); ++s) {
    BundleSubgraph& subgraph = bundle.subgraphs.emplace_back();
    subgraph.metadata.delegate = parts[s].delegate;
    for (const int source : parts[s].sources) subgraph.inputs.push_back({source, 0});
    bundle.execution_order.push_back(static_cast<int>(s));
  }
  return bundle;
}

// A trunk on the NPU, then a branch on the NPU and one on the GPU, then their sum on the CPU.
Bundle Branches() {
  return BundleOf({{"npu", {-1}}, {"npu", {0}}, {"gpu log_level=1", {0}}, {"cpu", {1, 2}}});
}

// The order in which the subgraphs run on one thread.
std::vector<size_t> OrderOf(SubgraphLanes& lanes) {
  std::vector<size_t> order;
  lanes.Run([&](size_t s) { order.push_back(s); });
  return order;
}

TEST(SubgraphLanesTest, SubgraphsOfOneDelegateRunInOrder) {
  const Bundle bundle = BundleOf({{"cpu", {-1}}, {"cpu x", {-1}}, {"cpu", {0}}});
  SubgraphLanes lanes(bundle, {true, true, true});
  EXPECT_FALSE(lanes.overlap());
  EXPECT_THAT(OrderOf(lanes), ElementsAre(0, 1, 2));
}

TEST(SubgraphLanesTest, ChainsAndShortBranchesDontOverlap) {
  const Bundle chain = BundleOf({{"npu", {-1}}, {"cpu", {0}}, {"npu", {1}}});
  EXPECT_FALSE(SubgraphLanes(chain, {true, true, true}).overlap());
  SubgraphLanes lanes(Branches(), {true, true, false, true});
  EXPECT_FALSE(lanes.overlap());
  EXPECT_THAT(OrderOf(lanes), ElementsAre(0, 1, 2, 3));
}

TEST(SubgraphLanesTest, BranchesOfDifferentDelegatesRunAtTheSameTime) {
  SubgraphLanes lanes(Branches(), {true, true, true, true});
  ASSERT_TRUE(lanes.overlap());
  std::atomic<int> in_branches{0};
  std::atomic<bool> have_met{false};
  lanes.Run([&](size_t s) {
    if (s != 1 && s != 2) return;
    if (++in_branches == 2) have_met = true;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!have_met && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  });
  EXPECT_TRUE(have_met);
}

TEST(SubgraphLanesTest, EachRunsOnceAfterWhatItReads) {
  SubgraphLanes lanes(Branches(), {true, true, true, true});
  for (int round = 1; round <= 500; ++round) {
    std::vector<std::atomic<int>> runs(4);
    std::atomic<bool> in_order{true};
    lanes.Run([&](size_t s) {
      if (s > 0 && runs[0] != 1) in_order = false;
      if (s == 3 && (runs[1] != 1 || runs[2] != 1)) in_order = false;
      ++runs[s];
    });
    ASSERT_TRUE(in_order);
    for (const std::atomic<int>& count : runs) ASSERT_EQ(count.load(), 1) << round;
  }
}

TEST(SubgraphLanesTest, ThrowsWhatASubgraphThrows) {
  SubgraphLanes lanes(Branches(), {true, true, true, true});
  for (size_t failing = 0; failing < 4; ++failing) {
    const auto run = [&](size_t s) {
      if (s == failing) throw std::bad_alloc();
    };
    EXPECT_THROW(lanes.Run(run), std::bad_alloc);
    std::atomic<int> runs{0};
    lanes.Run([&](size_t) { ++runs; });
    EXPECT_EQ(runs, 4);
  }
}

TEST(SubgraphLanesTest, AForkedChildRunsThemAlone) {
  SubgraphLanes lanes(Branches(), {true, true, true, true});
  const pid_t child = fork();
  if (child == 0) _exit(OrderOf(lanes) == std::vector<size_t>{0, 1, 2, 3} ? 0 : 1);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace synap_internal
