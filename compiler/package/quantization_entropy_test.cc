#include "compiler/package/quantization_entropy.h"

#include <gtest/gtest.h>

#include "compiler/testing/pass_test.h"

namespace synap {
namespace {

Observation Of(const std::vector<float>& values, ValueRange range) {
  return {range, Histogram::Of(values, range)};
}

TEST(QuantizationEntropyTest, NamesLayersAsTheModelDoes) {
  const Graph graph = GraphOfBody(R"(
    input %x: float32[1x1x1x2]
    const %w: float32[1x1x1x2] = [0.5, 0.5]
    %c: float32[1x1x1x1] = conv2d(%x, %w) from "model/conv", "model/bias"
    %r: float32[1] = reshape(%c) {shape=[1]} from "model/reshape"
    output %r)");
  Statistics statistics({"x", "c", "r"});
  // Bins of width 2^-9: -1 and 1 are in the first and the last of 1025, one bit of log2(1025).
  ASSERT_TRUE(statistics.Add("a", {Of({-1, 1}, {-1, 1}), Of({3}, {3, 3}), Of({3}, {3, 3})}).ok());
  EXPECT_EQ(QuantizationEntropy(graph, statistics),
            "@x:out0, 0.099986\n@model/conv:out0, 0.000000\n@model/conv:weight, 0.000000\n");
}

}  // namespace
}  // namespace synap
