#include "compiler/quantize/search/layer_groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/testing/run_pass.h"

namespace synap_internal {
namespace {

using testing::ElementsAre;

std::vector<std::vector<std::string>> GroupsOf(absl::string_view body) {
  std::vector<std::vector<std::string>> layers;
  for (const LayerGroup& group : GroupLayers(GraphOfBody(body))) layers.push_back(group.layers);
  return layers;
}

TEST(LayerGroupsTest, WhatMovesValuesGoesWithWhatMakesThem) {
  EXPECT_THAT(GroupsOf(R"(
    input %x: float32[1x2x2x1]
    const %w: float32[1x1x1x1] = [2.0]
    %c: float32[1x2x2x1] = conv2d(%x, %w) from "c"
    %s: float32[1x2x2x1] = sigmoid(%c) from "s"
    %p: float32[1x1x1x1] = max_pool2d(%s) {kernel=[2, 2]} from "p"
    %r: float32[1] = reshape(%p) {shape=[1]} from "r"
    %d: float32[1x2x2x1] = conv2d(%s, %w) from "d"
    output %r
    output %d)"),
              ElementsAre(ElementsAre("c", "s", "p", "r"), ElementsAre("d")));
}

TEST(LayerGroupsTest, LayersOfOneNodeGoTogether) {
  EXPECT_THAT(GroupsOf(R"(
    input %x: float32[1x1x1x2]
    const %w: float32[2x1x1x2] = [1.0, 2.0, 3.0, 4.0]
    %a: float32[1x1x1x2] = conv2d(%x, %w) from "n"
    %b: float32[1x1x1x2] = add(%a, %x) from "n"
    output %b)"),
              ElementsAre(ElementsAre("n")));
}

TEST(LayerGroupsTest, WhatIsNeverQuantizedIsInNoGroup) {
  EXPECT_THAT(GroupsOf(R"(
    input %x: float32[1x4]
    %m: int64[1x1] = argmax(%x) {axis=1} from "m"
    output %m)"),
              ElementsAre());
}

}  // namespace
}  // namespace synap_internal
