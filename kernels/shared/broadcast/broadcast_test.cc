#include "kernels/shared/broadcast/broadcast.h"

#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/testing/conformance.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(BroadcastTest, AlignsShapesAtTheLastDimension) {
  const std::vector<Shape> shapes = {{4, 1, 3}, {5, 1}, {}};
  const absl::StatusOr<Shape> common = BroadcastShapes(shapes);
  ASSERT_TRUE(common.ok());
  EXPECT_EQ(*common, Shape({4, 5, 3}));
}

TEST(BroadcastTest, AZeroDimensionStaysZero) {
  const std::vector<Shape> shapes = {{0, 3}, {1, 3}};
  EXPECT_EQ(*BroadcastShapes(shapes), Shape({0, 3}));
}

TEST(BroadcastTest, NamesTheDimensionThatDiffers) {
  const std::vector<Shape> shapes = {{2, 3}, {2, 4}};
  EXPECT_THAT(BroadcastShapes(shapes).status().message(),
              HasSubstr("2x3 and 2x4 can't be broadcast: dimension 1 is 3 in one and 4"));
}

TEST(BroadcastTest, MergesWhatAllOperandsAllow) {
  const std::vector<Shape> operands = {{1, 20, 20, 64}, {64}};
  const BroadcastLoop loop = MakeBroadcastLoop({1, 20, 20, 64}, operands);
  EXPECT_THAT(loop.dims, ElementsAre(400, 64));
  EXPECT_THAT(loop.strides[0], ElementsAre(64, 1));
  EXPECT_THAT(loop.strides[1], ElementsAre(0, 1));
}

TEST(BroadcastTest, AScalarIsOneLongRun) {
  const std::vector<Shape> operands = {{2, 3, 4}, {1}};
  const BroadcastLoop loop = MakeBroadcastLoop({2, 3, 4}, operands);
  EXPECT_THAT(loop.dims, ElementsAre(24));
  EXPECT_EQ(loop.step(0), 1);
  EXPECT_EQ(loop.step(1), 0);
}

// All shapes of up to four dimensions of 1..3, against the definition.
TEST(BroadcastTest, RunsReadWhatTheDefinitionSays) {
  TestRandom random(7);
  for (int round = 0; round < 300; ++round) {
    std::vector<int64_t> dims, a, b;
    for (int64_t rank = random.Integer(0, 4); rank > 0; --rank) {
      dims.push_back(random.Integer(1, 3));
      a.push_back(random.Integer(0, 1) == 0 ? 1 : dims.back());
      b.push_back(random.Integer(0, 1) == 0 ? 1 : dims.back());
    }
    while (!b.empty() && b.front() == 1 && random.Integer(0, 1) == 0) b.erase(b.begin());
    const Shape output(dims);
    const std::vector<Shape> operands = {Shape(a), Shape(b)};
    const BroadcastLoop loop = MakeBroadcastLoop(output, operands);
    int64_t next = 0;
    const auto check = [&](int64_t at, const std::array<int64_t, 2>& offsets, int64_t length) {
      EXPECT_EQ(at, next);
      next += length;
      for (size_t k = 0; k < 2; ++k) {
        for (int64_t i = 0; i < length; ++i) {
          ASSERT_EQ(offsets[k] + i * loop.step(k), OperandIndex(output, operands[k], at + i))
              << output.ToString() << " from " << operands[k].ToString();
        }
      }
    };
    const int64_t middle = output.elements() / 2;
    ForEachRun<2>(loop, 0, middle, check);
    ForEachRun<2>(loop, middle, output.elements(), check);
    EXPECT_EQ(next, output.elements());
  }
}

}  // namespace
}  // namespace synap_internal
