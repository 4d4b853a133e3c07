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

TEST(NormalizationTest, TheLastOfTheAffineOpsIsTheOutput) {
  const auto text = [](bool has_scale, bool has_shift) {
    EmittedGraph graph;
    Tensor* scale = has_scale ? graph.Constant({2}, {10, 100}) : nullptr;
    Tensor* shift = has_shift ? graph.Constant({2}, {3, 4}) : nullptr;
    return graph.Text(EmitAffine(graph.op(), graph.Input({2}), scale, shift, ".z"));
  };
  EXPECT_EQ(text(true, false), "y.z = mul(x0, constant)\ny.z 2");
  EXPECT_EQ(text(false, true), "y.z = add(x0, constant)\ny.z 2");
  EXPECT_EQ(text(true, true),
            "y.scaled.z = mul(x0, constant)\ny.z = add(y.scaled.z, constant.1)\ny.z 2");
}

TEST(NormalizationTest, MomentsKeepTheirDimensions) {
  EmittedGraph graph;
  const absl::StatusOr<Moments> moments = EmitMoments(graph.op(), graph.Input({2, 3, 4}), {1, 2});
  ASSERT_TRUE(moments.ok()) << moments.status();
  for (const Tensor* mean : {moments->mean, moments->variance}) {
    EXPECT_EQ(mean->type.shape, Shape({2, 1, 1}));
    EXPECT_EQ(std::get<int64_t>(mean->producer->attributes.at("keep_dims")), 1);
  }
}

// 1 / (1 + 2 * mean of squares), which is 1 / (1 + 2 / size * number of ones in the window).
TEST(NormalizationTest, LrnDividesByTheNeighbouringChannels) {
  EmittedGraph graph;
  const std::vector<float> ones(2 * 3 * 2 * 6, 1);
  const Emitted y = EmitChannelLrn(graph.op(), graph.Constant({2, 3, 2, 6}, ones), 5,
                                   {.alpha = 2, .beta = 1, .k = 1}, ".z");
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ((*y)->name, "y.z");
  EXPECT_EQ((*y)->type.shape, Shape({2, 3, 2, 6}));
  const std::vector<float> values = Values(y);
  const int counts[] = {3, 4, 5, 5, 4, 3};
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_NEAR(values[i], 1 / (1 + 0.4f * static_cast<float>(counts[i % 6])), 1e-6f) << i;
  }
}

TEST(NormalizationTest, LrnDividesByTheNeighbouringPixels) {
  EmittedGraph graph;
  const Emitted y =
      EmitSpatialLrn(graph.op(), graph.Constant({1, 3, 4, 1}, std::vector<float>(12, 1)), 5,
                     {.alpha = 25, .beta = 1, .k = 0}, ".z");
  ASSERT_TRUE(y.ok()) << y.status();
  const std::vector<float> values = Values(y);
  const int columns[] = {3, 4, 4, 3};
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_NEAR(values[i], 1 / (3 * static_cast<float>(columns[i % 4])), 1e-6f) << i;
  }
}

TEST(NormalizationTest, LrnCountsThePadsOfItsWindows) {
  EmittedGraph graph;
  ASSERT_TRUE(EmitSpatialLrn(graph.op(), graph.Input({1, 4, 4, 2}), 3, {}, "").ok());
  for (const Op& op : graph.op().builder().graph().ops()) {
    if (op.output()->name != "y.mean") continue;
    EXPECT_EQ(std::get<int64_t>(op.attributes.at("count_include_pad")), 1);
    EXPECT_THAT(std::get<std::vector<int64_t>>(op.attributes.at("pads")), ElementsAre(1, 1, 1, 1));
  }
}

TEST(NormalizationTest, ChannelsAreTheSecondDimensionOfAnyRank) {
  EmittedGraph graph;
  Tensor* scale = graph.Constant({2}, {1, 10});
  Tensor* shift = graph.Constant({2}, {0, 5});
  for (const std::vector<int64_t>& dims : {std::vector<int64_t>{1, 2, 1, 2}, {1, 2, 2}}) {
    const Emitted y = EmitChannelAffine(graph.op(), graph.Counted(dims), scale, shift);
    ASSERT_TRUE(y.ok()) << y.status();
    EXPECT_EQ((*y)->type.shape, Shape(dims));
    EXPECT_THAT(Values(y), ElementsAre(0, 1, 25, 35));
  }
  EXPECT_THAT(Values(EmitChannelAffine(graph.op(), graph.Counted({1, 2}), nullptr, shift)),
              ElementsAre(0, 6));
  EXPECT_THAT(Values(EmitChannelAffine(graph.op(), graph.Counted({1, 2, 2}), nullptr, shift)),
              ElementsAre(0, 1, 7, 8));
  EXPECT_THAT(Values(EmitChannelAffine(graph.op(), graph.Counted({1, 2, 2}), scale, nullptr)),
              ElementsAre(0, 1, 20, 30));
}

// Each channel of each image by its own mean and deviation; the output is [N,C,L].
TEST(NormalizationTest, InstancesAreNormalizedAlone) {
  EmittedGraph graph;
  Tensor* image = graph.Constant({1, 2, 2}, {1, 3, 10, 30});
  const Emitted y = EmitInstanceNormalization(graph.op(), image, graph.Constant({2}, {1, 2}),
                                              graph.Constant({2}, {0, 5}), 0);
  ASSERT_TRUE(y.ok());
  EXPECT_EQ((*y)->type.shape, Shape({1, 2, 2}));
  EXPECT_THAT(Values(y), ElementsAre(-1, 1, 3, 7));
  const Emitted volume =
      EmitInstanceNormalization(graph.op(), graph.Constant({1, 2, 2, 1, 1}, {1, 3, 10, 30}),
                                graph.Constant({2}, {1, 2}), graph.Constant({2}, {0, 5}), 0);
  EXPECT_THAT(Values(volume), ElementsAre(-1, 1, 3, 7));
}

TEST(NormalizationTest, ParametersHaveAValueForEachChannel) {
  EmittedGraph graph;
  const auto text = [&](const Tensor* values, std::vector<int64_t> x) {
    return std::string(CheckChannels("'mean'", values, Shape(std::move(x))).message());
  };
  EXPECT_EQ(text(graph.Counted({2}), {1, 2, 3}), "");
  EXPECT_EQ(text(nullptr, {1, 2, 3}), "");
  EXPECT_EQ(text(graph.Counted({2}), {1, 2}), "");
  EXPECT_THAT(text(graph.Counted({3}), {1, 2, 3}),
              HasSubstr("its 'mean' is 3, expected one value for each of 2 channels"));
  EXPECT_THAT(text(graph.Counted({1, 2}), {1, 2, 3}), HasSubstr("its 'mean' is 1x2"));
  EXPECT_THAT(text(nullptr, {2}), HasSubstr("its input 2 has no channels"));
}

}  // namespace
}  // namespace synap_internal
