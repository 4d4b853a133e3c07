#include "compiler/graph/live_memory.h"

#include <algorithm>

#include "compiler/graph/lower.h"
#include "compiler/testing/random_graph.h"
#include "compiler/testing/run_pass.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace synap_internal {
namespace {

TEST(LiveMemoryTest, CountsResultsAndWhatIsStillRead) {
  const auto lowered = LowerGraph(GraphOfBody(R"(
    input %x: float32[1x16]
    %a: float32[1x32] = concat(%x, %x) {axis = 1} from "a"
    %b: float32[32x1] = transpose(%a) {perm = [1, 0]} from "b"
    %c: float32[32x1] = relu(%b) from "c"
    %d: float32[1x32] = transpose(%c) {perm = [1, 0]} from "d"
    %e: float32[1x32] = add(%a, %d) from "e"
    output %e)"));
  ASSERT_TRUE(lowered.ok()) << lowered.status();
  // a; a and b; a and c, which is made in place of b; a, c and d; a and d. The output isn't there.
  EXPECT_THAT(LiveBytes((*lowered)->program), testing::ElementsAre(128, 256, 256, 384, 256));
}

TEST(LiveMemoryTest, TheLargestIsTheLowerBoundOfThePlan) {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    const auto lowered = LowerGraph(RandomGraph(GraphKind::kUint8, seed));
    ASSERT_TRUE(lowered.ok()) << lowered.status();
    const std::vector<uint64_t> live = LiveBytes((*lowered)->program);
    const uint64_t largest = live.empty() ? 0 : *std::max_element(live.begin(), live.end());
    EXPECT_EQ(largest, (*lowered)->largest_live_set) << "seed " << seed;
  }
}

}  // namespace
}  // namespace synap_internal
