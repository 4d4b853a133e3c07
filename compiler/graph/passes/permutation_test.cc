#include "compiler/graph/passes/permutation.h"

#include <vector>

#include "base/axes.h"
#include "base/shape.h"
#include "gtest/gtest.h"

namespace synap_internal {
namespace {

using Dims = std::vector<int64_t>;

TEST(PermutationTest, PermutesDimensionsAsTransposeDoes) {
  EXPECT_EQ(Permute({2, 3, 5, 7}, {3, 0, 2, 1}), (Dims{7, 2, 5, 3}));
}

TEST(PermutationTest, AnInverseTakesAPermutationBack) {
  const Dims order = {3, 0, 2, 1}, dims = {2, 3, 5, 7};
  EXPECT_EQ(InversePermutation(order), (Dims{1, 3, 2, 0}));
  EXPECT_EQ(Permute(Permute(dims, order), InversePermutation(order)), dims);
}

TEST(PermutationTest, KnowsTheIdentity) {
  EXPECT_TRUE(IsIdentityPermutation({}));
  EXPECT_TRUE(IsIdentityPermutation({0, 1, 2}));
  EXPECT_FALSE(IsIdentityPermutation({0, 2, 1}));
}

TEST(PermutationTest, DimensionsOfOneMoveNoElements) {
  EXPECT_TRUE(KeepsElementOrder(Shape({1, 4, 1, 5}), {1, 0, 3, 2}));
  EXPECT_FALSE(KeepsElementOrder(Shape({1, 4, 1, 5}), {3, 0, 1, 2}));
  EXPECT_TRUE(KeepsElementOrder(Shape({2, 1}), {1, 0}));
  EXPECT_FALSE(KeepsElementOrder(Shape({2, 3}), {1, 0}));
}

}  // namespace
}  // namespace synap_internal
