#include "compiler/start/first_layer.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/graph/text.h"
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

Graph Parsed(const std::string& body) {
  absl::StatusOr<Graph> graph =
      ParseGraph("graph \"g\" layout=\"nchw\" {\n  input %x: float32[1x1x1x1]\n" + body + "}\n");
  EXPECT_TRUE(graph.ok()) << graph.status();
  return graph.ok() ? *std::move(graph) : Graph();
}

// Eight kernels of one weight, 0.1 to 0.8, and their biases.
std::optional<float> AverageOf(const std::string& biases) {
  const Graph graph = Parsed(R"(
  const %w: float32[8x1x1x1] = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]
  const %b: float32[8] = [)" +
                             biases + R"(]
  %y: float32[1x1x1x8] = conv2d(%x, %w, %b) {strides=[1, 1]} from "c"
  output %y
)");
  return AveragePixel(*graph.inputs[0]);
}

TEST(AveragePixelTest, IsWhatBiasesMakeUpFor) {
  // 1 minus half of the weight.
  const auto average = AverageOf("0.95, 0.9, 0.85, 0.8, 0.75, 0.7, 0.65, 0.6");
  ASSERT_TRUE(average.has_value());
  EXPECT_NEAR(*average, 0.5f, 1e-5);
}

TEST(AveragePixelTest, NeedsBiasesThatFollowTheWeights) {
  EXPECT_EQ(AverageOf("0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8"), std::nullopt);
  EXPECT_EQ(AverageOf("1, -1, 1, -1, -1, 1, -1, 1"), std::nullopt);
  EXPECT_EQ(AverageOf("0, 0, 0, 0, 0, 0, 0, 0"), std::nullopt);
}

TEST(FindOwnNormalizationTest, JoinsSumsAndProducts) {
  const Graph graph = Parsed(R"(
  const %m: float32[3] = [2.0, 4.0, 6.0]
  const %s: float32[1] = [0.5]
  const %t: float32[1] = [1.0]
  %a: float32[1x1x1x3] = sub(%x, %m) from "a"
  %b: float32[1x1x1x3] = mul(%a, %s) from "b"
  %c: float32[1x1x1x3] = sub(%b, %t) from "c"
  %y: float32[1x1x1x3] = sigmoid(%c) from "y"
  output %y
)");
  const auto found = FindOwnNormalization(*graph.inputs[0]);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->factors, std::vector<float>{0.5f});
  EXPECT_EQ(found->terms, (std::vector<float>{-2, -3, -4}));
}

TEST(FindOwnNormalizationTest, EndsAtOtherOps) {
  const Graph graph = Parsed(R"(
  const %s: float32[1] = [0.5]
  %a: float32[1x1x1x1] = sigmoid(%x) from "a"
  %y: float32[1x1x1x1] = mul(%a, %s) from "y"
  output %y
)");
  EXPECT_FALSE(FindOwnNormalization(*graph.inputs[0]).has_value());
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
