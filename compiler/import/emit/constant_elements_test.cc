#include "compiler/import/emit/constant_elements.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "compiler/import/emit/emitted_graph.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(NonZeroElementsTest, MinusZeroIsZero) {
  EmittedGraph graph;
  const auto found = NonZeroElements(graph.op().builder(), *graph.Constant({4}, {1, 0, -0.0f, -2}));
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_THAT(*found, ElementsAre(0, 3));
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
    return FindDistinct(graph.op(), x, 0, order, EqualNan::kYes)->first;
  };
  EXPECT_THAT(first(DistinctOrder::kAscending), ElementsAre(1, 4, 0));
  EXPECT_THAT(first(DistinctOrder::kByOccurrence), ElementsAre(0, 1, 4));
  EXPECT_THAT(first(DistinctOrder::kNeighbors), ElementsAre(0, 1, 2, 4));
  EXPECT_THAT(FindDistinct(graph.op(), x, 0, DistinctOrder::kNeighbors, EqualNan::kYes)->counts,
              ElementsAre(1, 1, 2, 1));
}

TEST(FindDistinctTest, NanIsEqualOrNot) {
  EmittedGraph graph;
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  Tensor* x = graph.Constant({4}, {kNan, 1, kNan, 1});
  const auto counts = [&](EqualNan nan) {
    return FindDistinct(graph.op(), x, 0, DistinctOrder::kAscending, nan)->counts;
  };
  EXPECT_THAT(counts(EqualNan::kYes), ElementsAre(2, 2));
  EXPECT_THAT(counts(EqualNan::kNo), ElementsAre(2, 1, 1));
}

TEST(FindDistinctTest, RefusesWhatIsComputed) {
  EmittedGraph graph;
  const auto distinct =
      FindDistinct(graph.op(), graph.Input({2}), 0, DistinctOrder::kAscending, EqualNan::kYes);
  EXPECT_THAT(distinct.status().message(), HasSubstr("the output's shape would depend on values"));
}

}  // namespace
}  // namespace synap_internal
