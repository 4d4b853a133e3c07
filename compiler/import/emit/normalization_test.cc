#include "compiler/import/emit/normalization.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "compiler/import/emit/emitted_graph.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(NormalizationTest, StandardizedValuesHaveMeanZeroAndDeviationOne) {
  EmittedGraph graph;
  const absl::StatusOr<Standardized> standard =
      EmitStandardized(graph.op(), graph.Constant({2, 2}, {1, 5, 2, 8}), {1}, 0);
  ASSERT_TRUE(standard.ok());
  EXPECT_THAT(Values(standard->mean), ElementsAre(3, 5));
  EXPECT_THAT(Values(standard->deviation), ElementsAre(2, 3));
  EXPECT_THAT(Values(standard->y), ElementsAre(-1, 1, -1, 1));
}

TEST(NormalizationTest, EpsilonIsAddedToTheVariance) {
  EmittedGraph graph;
  EXPECT_THAT(Values(EmitDeviation(graph.op(), graph.Constant({1}, {3.75f}), 0.25f)),
              ElementsAre(2));
}

TEST(NormalizationTest, BatchNormalizationIsOneFactorAndOneShift) {
  EmittedGraph graph;
  BatchNormalization parameters;
  parameters.mean = graph.Constant({2}, {3, 5});
  parameters.variance = graph.Constant({2}, {3, 15});
  parameters.epsilon = 1;
  absl::StatusOr<ChannelAffine> affine = EmitBatchNormalization(graph.op(), parameters);
  ASSERT_TRUE(affine.ok());
  EXPECT_THAT(Values(affine->factor), ElementsAre(0.5f, 0.25f));
  EXPECT_THAT(Values(affine->shift), ElementsAre(-1.5f, -1.25f));
  parameters.scale = graph.Constant({2}, {2, 4});
  parameters.offset = graph.Constant({2}, {10, 20});
  affine = EmitBatchNormalization(graph.op(), parameters);
  EXPECT_THAT(Values(affine->factor), ElementsAre(1, 1));
  EXPECT_THAT(Values(affine->shift), ElementsAre(7, 15));
}

TEST(NormalizationTest, AffineLeavesOutWhatIsAbsent) {
  EmittedGraph graph;
  Tensor* x = graph.Constant({2}, {1, 2});
  Tensor* scale = graph.Constant({2}, {10, 100});
  Tensor* shift = graph.Constant({2}, {3, 4});
  EXPECT_EQ(*EmitAffine(graph.op(), x, nullptr, nullptr), x);
  EXPECT_THAT(Values(EmitAffine(graph.op(), x, scale, nullptr)), ElementsAre(10, 200));
  EXPECT_THAT(Values(EmitAffine(graph.op(), x, nullptr, shift)), ElementsAre(4, 6));
  EXPECT_THAT(Values(EmitAffine(graph.op(), x, scale, shift)), ElementsAre(13, 204));
}

TEST(NormalizationTest, ChannelsAreTheSecondDimensionOfAnyRank) {
  EmittedGraph graph;
  Tensor* scale = graph.Constant({2}, {1, 10});
  Tensor* shift = graph.Constant({2}, {0, 5});
  for (const std::vector<int64_t>& dims : {std::vector<int64_t>{1, 2, 1, 2}, {1, 2, 2}}) {
    const absl::StatusOr<Tensor*> y =
        EmitChannelAffine(graph.op(), graph.Counted(dims), scale, shift);
    ASSERT_TRUE(y.ok()) << y.status();
    EXPECT_EQ((*y)->type.shape, Shape(dims));
    EXPECT_THAT(Values(y), ElementsAre(0, 1, 25, 35));
  }
  EXPECT_THAT(Values(EmitChannelAffine(graph.op(), graph.Counted({1, 2}), nullptr, shift)),
              ElementsAre(0, 6));
}

// Each channel of each image by its own mean and deviation; the output is [N,C,L].
TEST(NormalizationTest, InstancesAreNormalizedAlone) {
  EmittedGraph graph;
  Tensor* image = graph.Constant({1, 2, 2}, {1, 3, 10, 30});
  const absl::StatusOr<Tensor*> y = EmitInstanceNormalization(
      graph.op(), image, graph.Constant({2}, {1, 2}), graph.Constant({2}, {0, 5}), 0);
  ASSERT_TRUE(y.ok());
  EXPECT_EQ((*y)->type.shape, Shape({1, 2, 2}));
  EXPECT_THAT(Values(y), ElementsAre(-1, 1, 3, 7));
}

TEST(NormalizationTest, ParametersHaveAValueForEachChannel) {
  EmittedGraph graph;
  const auto text = [&](const Tensor* values, std::vector<int64_t> x) {
    return std::string(CheckChannels("'mean'", values, Shape(std::move(x))).message());
  };
  EXPECT_EQ(text(graph.Counted({2}), {1, 2, 3}), "");
  EXPECT_EQ(text(nullptr, {1, 2, 3}), "");
  EXPECT_THAT(text(graph.Counted({3}), {1, 2, 3}),
              HasSubstr("its 'mean' is 3, expected one value for each of 2 channels"));
  EXPECT_THAT(text(graph.Counted({1, 2}), {1, 2, 3}), HasSubstr("its 'mean' is 1x2"));
  EXPECT_THAT(text(nullptr, {2}), HasSubstr("its input 2 has no channels"));
}

}  // namespace
}  // namespace synap_internal
