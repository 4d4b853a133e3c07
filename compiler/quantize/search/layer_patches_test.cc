#include "compiler/quantize/search/layer_patches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compiler/testing/run_pass.h"

namespace synap_internal {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

// So many small integers, as text.
std::string Numbers(int count, int step) {
  std::vector<std::string> numbers;
  for (int i = 0; i < count; ++i) numbers.push_back(absl::StrCat(i * step % 11 - 5, ".0"));
  return absl::StrJoin(numbers, ", ");
}

// Expects that the op gives its patches times its weights.
void ExpectProducts(const std::string& body) {
  const Graph graph = GraphOfBody(body);
  const Op& op = graph.ops().front();
  const PatchLayout layout = PatchLayout::Of(op);
  std::vector<int64_t> positions(static_cast<size_t>(layout.positions));
  std::iota(positions.begin(), positions.end(), 0);
  Matrices patches(layout.groups, layout.positions, layout.inputs);
  CopyPatches(layout, op.inputs[0]->values<float>(), positions, 0, patches);
  const auto outputs = EvaluateOp(op);
  ASSERT_TRUE(outputs.ok()) << outputs.status();
  const auto* computed = reinterpret_cast<const float*>((*outputs)[0].bytes.data());
  const auto weights = op.inputs[1]->values<float>();
  for (const int64_t position : positions) {
    for (int64_t c = 0; c < layout.channels(); ++c) {
      float sum = 0;
      for (int64_t i = 0; i < layout.inputs; ++i) {
        sum += weights[static_cast<size_t>(layout.WeightIndex(c, i))] *
               patches.row(c / layout.outputs, position)[static_cast<size_t>(i)];
      }
      ASSERT_EQ(sum, computed[position * layout.channels() + c])
          << "position " << position << " channel " << c;
    }
  }
}

TEST(LayerPatchesTest, OfAConvolutionWithGroupsStridesAndPads) {
  ExpectProducts(absl::StrCat("const %x: float32[2x5x4x4] = [", Numbers(160, 3), "]\n",
                              "const %w: float32[6x3x2x2] = [", Numbers(72, 7), "]\n",
                              "%y: float32[2x3x3x6] = conv2d(%x, %w) {groups=2, strides=[2, 1], "
                              "dilations=[1, 2], pads=[1, 0, 1, 1]} from \"y\"\n",
                              "output %y"));
}

TEST(LayerPatchesTest, OfADepthwiseConvolution) {
  ExpectProducts(absl::StrCat("const %x: float32[1x4x4x3] = [", Numbers(48, 3), "]\n",
                              "const %w: float32[1x3x3x3] = [", Numbers(27, 7), "]\n",
                              "%y: float32[1x4x4x3] = depthwise_conv2d(%x, %w) "
                              "{pads=[1, 1, 1, 1]} from \"y\"\n",
                              "output %y"));
}

TEST(LayerPatchesTest, OfAFullyConnectedLayer) {
  ExpectProducts(absl::StrCat("const %x: float32[2x3x4] = [", Numbers(24, 3), "]\n",
                              "const %w: float32[5x4] = [", Numbers(20, 7), "]\n",
                              "%y: float32[2x3x5] = fully_connected(%x, %w) from \"y\"\n",
                              "output %y"));
}

TEST(LayerPatchesTest, PositionsAreSpreadAndOthersForEachSample) {
  EXPECT_THAT(ChoosePositions(3, 5, 0), ElementsAre(0, 1, 2));
  const std::vector<int64_t> first = ChoosePositions(10000, 100, 0);
  ASSERT_THAT(first, SizeIs(100));
  for (size_t i = 0; i < first.size(); ++i) {
    EXPECT_NEAR(static_cast<double>(first[i]), 100.0 * static_cast<double>(i) + 50, 200);
  }
  EXPECT_NE(ChoosePositions(10000, 100, 1), first);
}

}  // namespace
}  // namespace synap_internal
