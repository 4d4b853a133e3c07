#include "compiler/target/delegates/partition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <set>

#include "kernels/testing/conformance.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using Parts = std::vector<std::vector<int>>;

ColouredNode Node(int colour, std::vector<int> producers) { return {colour, std::move(producers)}; }
ColouredNode Work(int colour, std::vector<int> producers) {
  return {colour, std::move(producers), true};
}

// Every node is in one part, the parts have one colour each and follow those that they read.
void ExpectValid(const std::vector<ColouredNode>& nodes, const Parts& parts) {
  std::vector<int> part_of(nodes.size(), -1);
  size_t count = 0;
  for (size_t p = 0; p < parts.size(); ++p) {
    ASSERT_FALSE(parts[p].empty());
    for (const int node : parts[p]) {
      part_of[static_cast<size_t>(node)] = static_cast<int>(p);
      EXPECT_EQ(nodes[static_cast<size_t>(node)].colour,
                nodes[static_cast<size_t>(parts[p].front())].colour);
      ++count;
    }
  }
  EXPECT_EQ(count, nodes.size());
  for (size_t n = 0; n < nodes.size(); ++n) {
    for (const int producer : nodes[n].producers) {
      EXPECT_LE(part_of[static_cast<size_t>(producer)], part_of[n]);
    }
  }
}

TEST(PartitionTest, OneColourIsOnePart) {
  EXPECT_THAT(PartitionByColour({}), ElementsAre());
  EXPECT_THAT(PartitionByColour({{Node(2, {}), Work(2, {0}), Node(2, {})}}),
              ElementsAre(ElementsAre(0, 1, 2)));
}

TEST(PartitionTest, NodesThatDontTouchShareAPart) {
  // Two chains 0 -> 1 -> 0 and 1 -> 0.
  EXPECT_THAT(
      PartitionByColour({{Node(0, {}), Node(1, {0}), Node(0, {1}), Node(1, {}), Node(0, {3})}}),
      ElementsAre(ElementsAre(0), ElementsAre(1, 3), ElementsAre(2, 4)));
}

TEST(PartitionTest, TheFirstColourIsTheOneThatNeedsFewerParts) {
  // Colour 0 first: 0 | 1 | 0; colour 1 first: 1 | 0.
  EXPECT_THAT(PartitionByColour({{Node(0, {}), Node(1, {}), Node(0, {1})}}),
              ElementsAre(ElementsAre(1), ElementsAre(0, 2)));
}

// The manual's example: conv1, conv2, then (conv3, conv4) beside (conv5, conv6) of another colour.
TEST(PartitionTest, BranchesOfOtherColoursDontWaitForEachOther) {
  EXPECT_THAT(PartitionByColour({{Work(0, {}), Work(0, {0}), Work(0, {1}), Work(0, {2}),
                                  Work(1, {1}), Work(1, {4})}}),
              ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3), ElementsAre(4, 5)));
}

TEST(PartitionTest, NothingIsCutForABranchWithoutWork) {
  EXPECT_THAT(
      PartitionByColour({{Work(0, {}), Work(0, {0}), Node(0, {1}), Work(1, {1}), Node(0, {2, 3})}}),
      ElementsAre(ElementsAre(0, 1, 2), ElementsAre(3), ElementsAre(4)));
}

TEST(PartitionTest, EachReaderGetsItsOwnPiece) {
  // 0 -> 1 -> 2 -> 3 of colour 0; 4 (colour 1) reads 0, 5 (colour 2) reads 2.
  EXPECT_THAT(PartitionByColour({{Work(0, {}), Work(0, {0}), Work(0, {1}), Work(0, {2}),
                                  Work(1, {0}), Work(2, {2})}}),
              ElementsAre(ElementsAre(0), ElementsAre(1, 2), ElementsAre(3), ElementsAre(4),
                          ElementsAre(5)));
}

// The smallest number of parts of one colour, by trying every order of colours.
size_t FewestByTrying(const std::vector<ColouredNode>& nodes, const std::vector<bool>& done,
                      int last) {
  size_t fewest = nodes.size();
  bool complete = true;
  for (int colour = 0; colour < 3; ++colour) {
    std::vector<bool> next = done;
    for (size_t n = 0; n < nodes.size(); ++n) {
      if (next[n] || nodes[n].colour != colour) continue;
      bool ready = true;
      for (const int producer : nodes[n].producers) ready &= next[static_cast<size_t>(producer)];
      next[n] = ready;
    }
    complete &= std::count(done.begin(), done.end(), false) == 0;
    if (next == done || colour == last) continue;
    fewest = std::min(fewest, 1 + FewestByTrying(nodes, next, colour));
  }
  return complete ? 0 : fewest;
}

TEST(PartitionTest, RandomGraphsHaveAsFewPartsAsAnyOrderGives) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    TestRandom random(seed);
    std::vector<ColouredNode> nodes;
    for (int n = 0; n < 9; ++n) {
      ColouredNode node;
      node.colour = static_cast<int>(random.Next() % 3);
      for (int producer = 0; producer < n; ++producer) {
        if (random.Next() % 3 == 0) node.producers.push_back(producer);
      }
      nodes.push_back(node);
    }
    const Parts parts = PartitionByColour(nodes);
    ExpectValid(nodes, parts);
    EXPECT_EQ(parts.size(), FewestByTrying(nodes, std::vector<bool>(nodes.size()), -1)) << seed;
    for (ColouredNode& node : nodes) node.is_work = true;
    ExpectValid(nodes, PartitionByColour(nodes));
  }
}

}  // namespace
}  // namespace synap_internal
