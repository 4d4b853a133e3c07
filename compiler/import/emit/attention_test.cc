#include "compiler/import/emit/attention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/import/emit/emitted_graph.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// One head of scores so far apart that each query takes the value of its best key.
constexpr float kFar = 1000;

TEST(EmitAttentionTest, HeadsShareAKey) {
  EmittedGraph graph;
  Attention in;
  in.q = graph.Input({1, 2, 1, 1});
  in.k = graph.Input({1, 1, 2, 1});
  in.v = graph.Input({1, 1, 2, 1});
  const absl::StatusOr<Attended> out = EmitAttention(graph.op(), in, "");
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(out->y->type.shape, Shape({1, 2, 1, 1}));
  EXPECT_THAT(graph.Run(out->y, {{kFar, -kFar}, {1, -1}, {5, 7}}), ElementsAre(5, 7));
}

TEST(EmitAttentionTest, CausalQueriesSeeNoLaterKey) {
  EmittedGraph graph;
  Attention in;
  in.q = graph.Input({1, 1, 2, 1});
  in.k = graph.Input({1, 1, 2, 1});
  in.v = graph.Input({1, 1, 2, 1});
  KeyWindow window;
  window.after = 0;
  in.allowed = EmitWindowMask(graph.op(), window, 2, 2).value();
  const absl::StatusOr<Attended> out = EmitAttention(graph.op(), in, "");
  ASSERT_TRUE(out.ok()) << out.status();
  // Both would take the second key.
  EXPECT_THAT(graph.Run(out->y, {{kFar, kFar}, {-1, 1}, {5, 7}}), ElementsAre(5, 7));
}

TEST(EmitAttentionTest, RefusesKeysAndValuesThatDiffer) {
  EmittedGraph graph;
  Attention in;
  in.q = graph.Input({1, 1, 2, 1});
  in.k = graph.Input({1, 1, 2, 1});
  in.v = graph.Input({1, 1, 3, 1});
  EXPECT_THAT(std::string(EmitAttention(graph.op(), in, "").status().message()),
              HasSubstr("1x1x2x1, 1x1x2x1 and 1x1x3x1 as [B,heads,S,D]"));
}

}  // namespace
}  // namespace synap_internal
