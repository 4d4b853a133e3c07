#include "compiler/graph/layer_patterns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "compiler/testing/four_layers.h"

namespace synap_internal {
namespace {

using ::testing::HasSubstr;

// The outputs of the layers, sorted, or the error.
std::string Selected(absl::string_view pattern) {
  const Graph graph = FourLayers("@tanh/x_9");
  const auto layers = LayersOf(graph, pattern);
  if (!layers.ok()) return std::string(layers.status().message());
  std::string names;
  for (const Op* op : *layers) names += op->output()->name;
  std::sort(names.begin(), names.end());
  return names;
}

TEST(LayerPatternsTest, NamesIdsAndFollowers) {
  EXPECT_EQ(Selected("*"), "abcd");
  EXPECT_EQ(Selected("Mul_7"), "b");
  EXPECT_EQ(Selected("1"), "a");
  EXPECT_EQ(Selected("9"), "d");
  EXPECT_EQ(Selected("Relu_1..."), "bcd");
  EXPECT_EQ(Selected("2..."), "d");
}

TEST(LayerPatternsTest, AnIdIsTheNameThatReportsPrint) {
  EXPECT_EQ(Selected("@Sigmoid_2"), "b");
  EXPECT_EQ(Selected("@Relu_1..."), "bcd");
  EXPECT_EQ(Selected("@@tanh/x_9"), "c");
  // Neither another node of the layer nor a part of a name.
  EXPECT_THAT(Selected("@Mul_7"), HasSubstr("the model has no layer '@Mul_7'"));
  EXPECT_EQ(Selected("@99"),
            "the model has no layer '@99' (did you mean '@9'?), expected an id as "
            "quantization_info.yaml prints it, '@Relu_1' to '@9'");
}

TEST(LayerPatternsTest, WhatSelectsNothingIsAnError) {
  EXPECT_EQ(Selected("Sigmoid_3"),
            "the model has no layer 'Sigmoid_3' (did you mean 'Sigmoid_2'?)");
  EXPECT_EQ(Selected("9..."),
            "rule '9...' selects no layer: none comes after '9'; remove the rule, or name an "
            "earlier layer");
  EXPECT_THAT(LayersOf(Graph(), "@1").status().message(), HasSubstr("the model has no layer '@1'"));
}

}  // namespace
}  // namespace synap_internal
