#include "compiler/import/printable_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "compiler/graph/text.h"

namespace synap_internal {
namespace {

TEST(PrintableNamesTest, ControlCharactersBecomeEscapesAndNamesStayUnique) {
  Graph graph = ParseGraph(R"(graph "net\033" layout="nchw" {
  input %"x\033[31m": float32[2]
  %"x\\u001b[31m": float32[2] = neg(%"x\033[31m") from "a\000b"
  %"gr\303\274n": float32[2] = abs(%"x\\u001b[31m") from "b"
  output %"gr\303\274n"
}
)")
                    .value();
  EXPECT_THAT(MakeNamesPrintable(graph), testing::ElementsAre("x\\u001b[31m.1"));
  EXPECT_EQ(graph.name, "net\\u001b");
  EXPECT_EQ(graph.inputs[0]->name, "x\\u001b[31m.1");
  EXPECT_EQ(graph.FindTensor("x\\u001b[31m.1"), graph.inputs[0]);
  EXPECT_EQ(graph.ops().front().origins[0], "a\\u0000b");
  EXPECT_EQ(graph.outputs[0]->name, "gr\xc3\xbcn");
  EXPECT_TRUE(MakeNamesPrintable(graph).empty());
}

}  // namespace
}  // namespace synap_internal
