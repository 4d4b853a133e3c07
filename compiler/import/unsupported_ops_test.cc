#include "compiler/import/unsupported_ops.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"

namespace synap_internal {
namespace {

TEST(UnsupportedOpsTest, NoneIsNoError) {
  EXPECT_TRUE(UnsupportedOps("operator", "node").ToStatus().ok());
}

TEST(UnsupportedOpsTest, AllAreListedWithTheirPlacesAndAdvice) {
  UnsupportedOps ops("layer type", "layer");
  ops.Add("Foo", "a", "in head.0");
  ops.Add("Bar", "b", "", "its values are random");
  ops.Add("Foo", "c");
  EXPECT_TRUE(ops.Contains("Bar"));
  EXPECT_FALSE(ops.Contains("Baz"));
  EXPECT_EQ(ops.ToStatus(),
            absl::UnimplementedError("2 layer types are not supported: Foo (2 layers: 'a' in "
                                     "head.0, 'c'), Bar (1 layer: 'b'; its values are random)"));
}

TEST(UnsupportedOpsTest, TheFirstNodesOfTheFirstPlacesAreNamed) {
  UnsupportedOps ops("operator", "node");
  for (int i = 0; i < 12; ++i) {
    ops.Add("Foo", absl::StrCat("n", i), absl::StrCat("in layers.", i / 2));
  }
  EXPECT_EQ(ops.ToStatus().message(),
            "1 operator is not supported: Foo (12 nodes: 'n0' in layers.0, 'n2' in layers.1, 'n4' "
            "in layers.2, 'n6' in layers.3, 'n8' in layers.4 and 7 more)");
}

TEST(UnsupportedOpsTest, ANodeWithoutANameIsItsPlace) {
  UnsupportedOps ops("operator", "node");
  ops.Add("Foo", "", "in act");
  EXPECT_EQ(ops.ToStatus().message(), "1 operator is not supported: Foo (1 node: in act)");
}

TEST(UnsupportedOpsTest, OnePlaceOfManyNodesIsNamedOnce) {
  UnsupportedOps ops("operator", "node");
  for (int i = 0; i < 3; ++i) ops.Add("Foo", absl::StrCat("n", i), "in act");
  EXPECT_EQ(ops.ToStatus().message(),
            "1 operator is not supported: Foo (3 nodes: 'n0' in act and 2 more)");
}

}  // namespace
}  // namespace synap_internal
