#include "compiler/import/emit/constant_elements.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/import/emit/emitted_graph.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(NonZeroElementsTest, MinusZeroIsZero) {
  EmittedGraph graph;
  EXPECT_THAT(NonZeroElements(*graph.Constant({4}, {1, 0, -0.0f, -2})), ElementsAre(0, 3));
}

TEST(CoordinatesOfTest, GivesTheIndexAlongEachDimension) {
  EmittedGraph graph;
  const auto coordinates = CoordinatesOf(graph.op().builder(), Shape({2, 3}), {1, 5});
  ASSERT_TRUE(coordinates.ok()) << coordinates.status();
  EXPECT_THAT(*coordinates, ElementsAre(ElementsAre(0, 1), ElementsAre(1, 2)));
}

TEST(FindDistinctTest, OrdersByValueOrByOccurrence) {
  EmittedGraph graph;
  Tensor* x = graph.Constant({5}, {3, 1, 3, 3, 2});
  const auto first = [&](DistinctOrder order) {
    return FindDistinct(graph.op(), x, 0, order)->first;
  };
  EXPECT_THAT(first(DistinctOrder::kAscending), ElementsAre(1, 4, 0));
  EXPECT_THAT(first(DistinctOrder::kByOccurrence), ElementsAre(0, 1, 4));
  EXPECT_THAT(first(DistinctOrder::kNeighbors), ElementsAre(0, 1, 2, 4));
  EXPECT_THAT(FindDistinct(graph.op(), x, 0, DistinctOrder::kNeighbors)->counts,
              ElementsAre(1, 1, 2, 1));
}

TEST(FindDistinctTest, RefusesWhatIsComputed) {
  EmittedGraph graph;
  const auto distinct = FindDistinct(graph.op(), graph.Input({2}), 0, DistinctOrder::kAscending);
  EXPECT_THAT(distinct.status().message(), HasSubstr("the output's shape would depend on values"));
}

}  // namespace
}  // namespace synap_internal
