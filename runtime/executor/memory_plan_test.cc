#include "runtime/executor/memory_plan.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;

TEST(MemoryPlanTest, BlocksThatLiveTogetherDoNotOverlap) {
  // A pseudo-random set of blocks; every pair is checked.
  std::vector<Lifetime> lives;
  uint32_t state = 12345;
  const auto next = [&state](uint32_t bound) {
    state = state * 1664525u + 1013904223u;
    return static_cast<int>((state >> 8) % bound);
  };
  for (int i = 0; i < 200; ++i) {
    const int first = next(100);
    lives.push_back({static_cast<uint64_t>(next(5000)), first, first + next(10)});
  }
  const MemoryPlan plan = PlanMemory(lives);
  for (size_t a = 0; a < lives.size(); ++a) {
    EXPECT_EQ(plan.offsets[a] % 64, 0u);
    EXPECT_LE(plan.offsets[a] + lives[a].bytes, plan.arena_bytes);
    for (size_t b = 0; b < a; ++b) {
      if (lives[a].first > lives[b].last || lives[b].first > lives[a].last) continue;
      EXPECT_TRUE(plan.offsets[a] + lives[a].bytes <= plan.offsets[b] ||
                  plan.offsets[b] + lives[b].bytes <= plan.offsets[a])
          << a << " and " << b;
    }
  }
  EXPECT_GE(plan.arena_bytes, plan.lower_bound);
}

TEST(MemoryPlanTest, AChainNeedsTwoBlocks) {
  // Each tensor lives until the next op has read it.
  const std::vector<Lifetime> chain = {{640, 0, 1}, {640, 1, 2}, {640, 2, 3}, {640, 3, 4}};
  const MemoryPlan plan = PlanMemory(chain);
  EXPECT_EQ(plan.arena_bytes, 1280u);
  EXPECT_EQ(plan.lower_bound, 1280u);
}

TEST(MemoryPlanTest, ABlockFitsIntoAGapBetweenOthers) {
  const std::vector<Lifetime> lives = {{6400, 0, 5}, {3200, 0, 1}, {6336, 0, 5}, {64, 3, 4}};
  const MemoryPlan plan = PlanMemory(lives);
  EXPECT_EQ(plan.arena_bytes, plan.lower_bound);
}

TEST(MemoryPlanTest, LargerBlocksArePlacedFirstAndEqualOnesInOrder) {
  const std::vector<Lifetime> lives = {{64, 0, 1}, {128, 0, 1}, {64, 1, 2}};
  const MemoryPlan plan = PlanMemory(lives);
  EXPECT_THAT(plan.offsets, ElementsAre(128, 0, 192));
  EXPECT_EQ(plan.arena_bytes, 256u);
}

TEST(MemoryPlanTest, AGapOfABlocksSizeIsLargeEnough) {
  const std::vector<Lifetime> lives = {{256, 0, 9}, {128, 0, 1}, {128, 0, 9}, {100, 3, 4}};
  const MemoryPlan plan = PlanMemory(lives);
  EXPECT_THAT(plan.offsets, ElementsAre(0, 256, 384, 256));
  EXPECT_EQ(plan.arena_bytes, 512u);
}

TEST(MemoryPlanTest, TheLowerBoundIsTheLargestLiveSetOfRoundedBlocks) {
  EXPECT_EQ(PlanMemory(std::vector<Lifetime>{{1, 0, 0}, {65, 1, 1}}).lower_bound, 128u);
  EXPECT_EQ(PlanMemory(std::vector<Lifetime>{{64, 0, 2}, {64, 2, 3}, {64, 1, 1}}).lower_bound,
            128u);
}

TEST(MemoryPlanTest, ABlockIsUsedAgainBeforeAndAfter) {
  const std::vector<Lifetime> lives = {{640, 3, 5}, {320, 0, 2}, {64, 6, 7}};
  EXPECT_THAT(PlanMemory(lives).offsets, ElementsAre(0, 0, 0));
}

// The first layers of a MobileNet: by size alone, the third block comes above the second.
TEST(MemoryPlanTest, ABlockThatWouldEnlargeTheArenaIsPlacedFirst) {
  const MemoryPlan plan =
      PlanMemory(std::vector<Lifetime>{{3072, 0, 1}, {2048, 1, 2}, {2048, 2, 3}, {4096, 3, 4}});
  EXPECT_EQ(plan.lower_bound, 6144u);
  EXPECT_EQ(plan.arena_bytes, 6144u);
  EXPECT_EQ(plan.offsets, (std::vector<uint64_t>{0, 3072, 0, 2048}));
}

TEST(MemoryPlanTest, NothingNeedsNothing) {
  EXPECT_EQ(PlanMemory({}).arena_bytes, 0u);
  EXPECT_EQ(PlanMemory({}).lower_bound, 0u);
}

}  // namespace
}  // namespace synap_internal
