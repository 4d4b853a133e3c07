#include "compiler/import/emit/nhwc.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "compiler/import/emit/emitted_graph.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(NhwcTest, ReadersShareOneCopy) {
  EmittedGraph graph;
  Tensor* x = graph.Input({1, 2, 3, 4});
  const Emitted first = ToNhwc(graph.op(), x);
  ASSERT_TRUE(first.ok());
  EXPECT_EQ((*first)->type.shape, Shape({1, 3, 4, 2}));
  EXPECT_EQ((*first)->name, "x0.nhwc");
  EXPECT_EQ(*ToNhwc(graph.op(), x), *first);
}

TEST(NhwcTest, ALineIsAnImageOfHeightOneAndBack) {
  EmittedGraph graph;
  const Emitted image = ToNhwc(graph.op(), graph.Counted({1, 2, 3}));
  ASSERT_TRUE(image.ok());
  EXPECT_EQ((*image)->type.shape, Shape({1, 1, 3, 2}));
  EXPECT_THAT(Values(image), ElementsAre(0, 3, 1, 4, 2, 5));
  const Emitted line = FromNhwc(graph.op(), *image, 3);
  ASSERT_TRUE(line.ok());
  EXPECT_EQ((*line)->type.shape, Shape({1, 2, 3}));
  EXPECT_THAT(Values(line), ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(NhwcTest, TheResultHasTheNameOfTheNodesOutput) {
  EmittedGraph image, line;
  EXPECT_EQ(image.Text(FromNhwc(image.op(), image.Input({1, 3, 4, 2}), 4)),
            "y = transpose(x0)\ny 1x2x3x4");
  EXPECT_EQ(line.Text(FromNhwc(line.op(), line.Input({1, 1, 4, 2}), 3)),
            "y.nchw = transpose(x0)\ny = reshape(y.nchw)\ny 1x2x4");
}

TEST(NhwcTest, OtherRanksAreRefused) {
  EmittedGraph graph;
  EXPECT_THAT(std::string(ToNhwc(graph.op(), graph.Input({2, 3})).status().message()),
              HasSubstr("its input 2x3 has rank 2, expected 3 or 4"));
}

TEST(NhwcTest, ImageOpsReturnInTheOrderOfTheModel) {
  EmittedGraph graph;
  const Emitted y = EmitImage(graph.op(), "neg", {graph.Counted({1, 2, 1, 2})}, {});
  ASSERT_TRUE(y.ok());
  EXPECT_EQ((*y)->type.shape, Shape({1, 2, 1, 2}));
  EXPECT_THAT(Values(y), ElementsAre(0, -1, -2, -3));
}

TEST(NhwcTest, ValuesBroadcastAlongTheSecondDimension) {
  EmittedGraph graph;
  Tensor* values = graph.Counted({3});
  EXPECT_EQ((*AlongChannels(graph.op(), values, 4, ".v"))->type.shape, Shape({3, 1, 1}));
  EXPECT_EQ(*AlongChannels(graph.op(), values, 2, ".v"), values);
}

}  // namespace
}  // namespace synap_internal
