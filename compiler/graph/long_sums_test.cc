#include "compiler/graph/long_sums.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/warnings.h"
#include "compiler/testing/run_pass.h"
#include "gtest/gtest.h"

namespace synap_internal {
namespace {

using Texts = std::vector<std::string>;

Texts LongSumsOf(const Graph& graph) {
  Texts texts;
  for (const Warning& warning : LongSums(graph)) texts.push_back(warning.Text());
  return texts;
}

// A layer of `count` inputs %x, of uint8 around 0, and two output channels: the weights minus
// their zero point are `first` and `second`.
Graph FullyConnected(int count, int first, int second) {
  std::string weights;
  for (int i = 0; i < 2 * count; ++i) {
    absl::StrAppend(&weights, i == 0 ? "" : ", ", (i < count ? first : second) + 100);
  }
  return GraphOfBody(absl::StrCat(R"(
    input %x: uint8[1x)",
                                  count, R"(]<affine 0.5 0>
    const %w: uint8[2x)",
                                  count, "]<affine 0.5 100> = [", weights, R"(]
    %y: uint8[1x2]<affine 0.5 0> = fully_connected(%x, %w) from "layer"
    output %y)"));
}

TEST(LongSumsTest, NamesTheLayerTheChannelAndTheSum) {
  // 255 * 100 * 42108 is 2^30 and a little.
  EXPECT_EQ(LongSumsOf(FullyConnected(42107, 1, 100)), Texts{});
  const Texts found = LongSumsOf(FullyConnected(42108, 1, 100));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].substr(0, 56), "layer 'layer': output channel 1 sums up to 1073754000, b");
}

TEST(LongSumsTest, NegativeSumsCountAsWell) {
  EXPECT_EQ(LongSumsOf(FullyConnected(42107, -100, 0)), Texts{});
  EXPECT_EQ(LongSumsOf(FullyConnected(42108, -100, 0))[0].substr(0, 39),
            "layer 'layer': output channel 0 sums up");
}

Texts OfMatmul(int64_t k, int zero_point = 0) {
  const std::string quantizer = absl::StrCat("<affine 0.5 ", zero_point, ">\n");
  return LongSumsOf(GraphOfBody(absl::StrCat("input %a: uint8[2x", k, "]", quantizer,
                                             "input %b: uint8[", k, "x3]", quantizer, R"(
    %y: uint8[2x3]<affine 0.5 0> = matmul(%a, %b) from "product"
    output %y)")));
}

TEST(LongSumsTest, ProductsOfTwoComputedMatrices) {
  // 255 * 255 * 16513 is the first above 2^30.
  EXPECT_EQ(OfMatmul(16512), Texts{});
  const Texts found = OfMatmul(16513);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].substr(0, 51), "layer 'product': an output sums up to 1073757825, b");
}

TEST(LongSumsTest, TwoTo30IsNotLong) {
  EXPECT_EQ(OfMatmul(65536, 128), Texts{});  // 128 * 128 * 65536
  EXPECT_EQ(OfMatmul(65537, 128).size(), 1u);
}

TEST(LongSumsTest, OtherOpsAndComputedWeightsHaveNone) {
  EXPECT_EQ(LongSumsOf(GraphOfBody(R"(
    input %x: uint8[1x50000]<affine 0.5 0>
    input %w: uint8[1x50000]<affine 0.5 0>
    const %c: uint8[1x50000]<affine 0.5 0> = splat 255
    %r: uint8[1x50000]<affine 0.5 0> = relu(%x) from "relu"
    %s: uint8[1x50000]<affine 0.5 0> = add(%r, %c) from "add"
    %y: uint8[1x1]<affine 0.5 0> = fully_connected(%s, %w) from "computed"
    output %y)")),
            Texts{});
}

TEST(LongSumsTest, OtherTypesHaveNone) {
  EXPECT_EQ(LongSumsOf(GraphOfBody(R"(
    input %x: float32[1x50000]
    input %i: int16[1x50000]<fixed 8>
    const %w: float32[1x50000] = splat 1e9
    const %v: int16[1x50000]<fixed 8> = splat 30000
    input %a: float32[2x50000]
    input %b: float32[50000x3]
    %m: float32[2x3] = matmul(%a, %b) from "product"
    %y: float32[1x1] = fully_connected(%x, %w) from "float"
    %z: int16[1x1]<fixed 8> = fully_connected(%i, %v) from "int16"
    output %m
    output %y
    output %z)")),
            Texts{});
}

}  // namespace
}  // namespace synap_internal
