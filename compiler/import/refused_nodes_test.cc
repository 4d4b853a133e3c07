#include "compiler/import/refused_nodes.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"

namespace synap_internal {
namespace {

TEST(RefusedNodesTest, OneErrorStaysAsItIs) {
  RefusedNodes refused;
  EXPECT_TRUE(refused.ToStatus().ok());
  refused.Add(absl::InvalidArgumentError("node 'a': no"));
  EXPECT_EQ(refused.ToStatus(), absl::InvalidArgumentError("node 'a': no"));
}

TEST(RefusedNodesTest, SeveralAreListedUpToTen) {
  RefusedNodes refused;
  refused.Add(absl::UnimplementedError("a"));
  refused.Add(absl::InvalidArgumentError("b"));
  EXPECT_EQ(refused.ToStatus(), absl::UnimplementedError("2 nodes are refused: a; b"));
  for (int i = 2; i < 11; ++i) refused.Add(absl::UnimplementedError(absl::StrCat(i)));
  EXPECT_EQ(refused.ToStatus().message(),
            "11 nodes are refused: a; b; 2; 3; 4; 5; 6; 7; 8; 9; ...");
}

TEST(RefusedNodesTest, AbsentResultsLackNothing) {
  RefusedNodes refused;
  refused.Skip("x");
  refused.Skip("");
  EXPECT_TRUE(refused.Lacks("x"));
  EXPECT_FALSE(refused.Lacks("y"));
  EXPECT_FALSE(refused.Lacks(""));
}

}  // namespace
}  // namespace synap_internal
