#include "compiler/start/first_layer.h"

#include <string>

#include "compiler/ir/text.h"
#include "gtest/gtest.h"

namespace synap_internal {
namespace {

std::optional<float> NormIn(const std::string& body) {
  const absl::StatusOr<Graph> graph =
      ParseGraph("graph \"g\" layout=\"nchw\" {\n  input %x: float32[1x3x4x4]\n" + body + "}\n");
  EXPECT_TRUE(graph.ok()) << graph.status();
  return graph.ok() ? FirstKernelNorm(*graph->inputs[0]) : std::nullopt;
}

TEST(FirstKernelNormTest, TakesTheMedianBehindATranspose) {
  // Norms 5, 1 and 13.
  EXPECT_EQ(NormIn(R"(
  %p: float32[1x4x4x3] = transpose(%x) {perm=[0, 2, 3, 1]} from "t"
  const %w: float32[3x1x1x3] = [3.0, 4.0, 0.0, 1.0, 0.0, 0.0, 0.0, 5.0, 12.0]
  const %b: float32[3] = [0.0, 0.0, 0.0]
  %y: float32[1x4x4x3] = conv2d(%p, %w, %b) {strides=[1, 1]} from "c"
  output %y
)"),
            5.0f);
}

TEST(FirstKernelNormTest, OtherOpsInFrontHideTheKernels) {
  EXPECT_EQ(NormIn(R"(
  %s: float32[1x3x4x4] = sigmoid(%x) from "s"
  output %s
)"),
            std::nullopt);
}

}  // namespace
}  // namespace synap_internal
