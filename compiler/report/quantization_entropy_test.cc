#include "compiler/report/quantization_entropy.h"

#include <gtest/gtest.h>

#include "compiler/testing/run_pass.h"

namespace synap_internal {
namespace {

Observation Of(const std::vector<float>& values, ValueRange range) {
  return {range, Histogram::Of(values, range)};
}

TEST(QuantizationEntropyTest, NamesLayersAsTheModelDoes) {
  const Graph real = GraphOfBody(R"(
    input %x: float32[1x2x1x1]
    const %w: float32[1x1x1x2] = [0.5, 0.0]
    %t: float32[1x1x1x2] = transpose(%x) {perm=[0, 2, 3, 1]} from "model/conv"
    %c: float32[1x1x1x1] = conv2d(%t, %w) from "model/conv", "model/bias"
    %s: float32[1x1x1x1] = relu(%c) from "model/relu"
    %r: float32[1] = reshape(%s) {shape=[1]} from "model/reshape"
    %f: float32[1] = add(%r, %r) from "model/float"
    output %f)");
  const Graph compiled = GraphOfBody(R"(
    input %x: uint8[1x2x1x1]<affine 1.0 128>
    const %w.uint8: uint8[1x1x1x2]<affine 0.25 0> = [1, 0]
    const %table: uint8[256]<affine 0.5 0> = splat 0
    %t: uint8[1x1x1x2]<affine 1.0 128> = transpose(%x) {perm=[0, 2, 3, 1]} from "model/conv"
    %s: uint8[1x1x1x1]<affine 0.5 0> = conv2d(%t, %w.uint8, _, %table) {table_scale=0.5, table_zero_point=0} from "model/conv", "model/bias", "model/relu"
    %r: uint8[1]<affine 0.5 0> = reshape(%s) {shape=[1]} from "model/reshape"
    %r.real: float32[1] = dequantize(%r) from "model/float"
    %f: float32[1] = add(%r.real, %r.real) from "model/float"
    output %f)");
  Statistics statistics({"x", "t", "c", "s", "r", "f"});
  // Every value is one of its quantizer's, and %w is 0.25 too small: of x² = 64, 4 / 20 of the
  // result; sqrt(4 / 20) = 0.447214.
  ASSERT_TRUE(statistics
                  .Add("a", {Of({-8, 8}, {-8, 8}), Of({-8, 8}, {-8, 8}), Of({4}, {4, 4}),
                             Of({4}, {4, 4}), Of({4}, {4, 4}), Of({8}, {8, 8})})
                  .ok());
  EXPECT_EQ(QuantizationEntropy(real, compiled, statistics),
            "@x:out0, 0.000000\n"
            "@model/conv:out0, 0.447214\n@model/conv:weight, 0.447214\n"
            "@model/relu:out0, 0.447214\n"
            "@model/float:out0, 0.000000\n");
}

}  // namespace
}  // namespace synap_internal
