#include "compiler/import/emit/constant.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/import/emit/emitted_graph.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(EmitRangeTest, StopsBeforeTheEnd) {
  EmittedGraph graph;
  const Tensor* range = EmitRange(graph.op(), 5, -1, -2, ".range").value();
  EXPECT_EQ(range->name, "y.range");
  EXPECT_THAT(range->values<int64_t>(), ElementsAre(5, 3, 1));
}

TEST(EmitRangeTest, RefusesWhatIsTooLarge) {
  EmittedGraph graph;
  EXPECT_THAT(graph.Text(EmitRange(graph.op(), 0, int64_t{1} << 40, 1)),
              HasSubstr("a constant of 8796093022208 bytes is too large"));
}

}  // namespace
}  // namespace synap_internal
