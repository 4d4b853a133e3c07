#include "compiler/import/emit/slice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "compiler/import/emit/emitted_graph.h"
#include "compiler/import/evaluate_graph.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

template <typename T>
std::string ErrorOf(const absl::StatusOr<T>& result) {
  return std::string(result.status().message());
}

TEST(EmitAxisSliceTest, TakesAPartOfOneDimension) {
  EmittedGraph graph;
  const absl::StatusOr<Tensor*> y =
      EmitAxisSlice(graph.op(), graph.Input({2, 3}), 1, 1, 2, ".part");
  EXPECT_EQ(graph.Text(y), "y.part = slice(x0)\ny.part 2x2");
  EXPECT_THAT(graph.Run(y, {Count(6)}), ElementsAre(1, 2, 4, 5));
}

TEST(EmitSlicesTest, WholeSlicesAreTheOperandItself) {
  EmittedGraph graph;
  Tensor* x = graph.Input({2, 3});
  EXPECT_EQ(EmitSlices(graph.op(), x, WholeSlices(x->type.shape)).value(), x);
  EXPECT_THAT(graph.Run(EmitSlices(graph.op(), x, {{0, 2, 1}, {2, 2, -2}}), {Count(6)}),
              ElementsAre(2, 0, 5, 3));
}

TEST(EmitElementTest, DropsTheDimension) {
  EmittedGraph graph;
  const absl::StatusOr<Tensor*> y = EmitElement(graph.op(), graph.Input({2, 3}), 1, 2, ".last");
  EXPECT_EQ(graph.Text(y), "y.last.slice = slice(x0)\ny.last = reshape(y.last.slice)\ny.last 2");
  EXPECT_THAT(graph.Run(y, {Count(6)}), ElementsAre(2, 5));
}

TEST(EmitSliceTest, MinusOneTakesTheRest) {
  EmittedGraph graph;
  EXPECT_THAT(graph.Run(EmitSlice(graph.op(), graph.Input({2, 3}), {1, 1}, {1, -1}), {Count(6)}),
              ElementsAre(4, 5));
  Tensor* x = graph.Input({2, 3});
  EXPECT_THAT(graph.Text(EmitSlice(graph.op(), x, {1, 1}, {1, 3})), HasSubstr("is outside of its"));
  EXPECT_FALSE(EmitSlice(graph.op(), x, {-1, 0}, {1, 1}).ok());
  EXPECT_EQ(graph.Text(EmitSlice(graph.op(), x, {1}, {1, 1})),
            "its begin has 1 elements, expected 2");
}

TEST(EmitStridedSliceTest, MasksChangeEntries) {
  StridedSliceEntries entries;
  entries.begin = {0, 2, 0, -1};
  entries.end = {0, 0, 0, 0};
  entries.strides = {1, -1, 1, 1};
  entries.begin_mask = 0b0010;
  entries.end_mask = 0b0010;
  entries.ellipsis_mask = 0b0001;
  entries.new_axis_mask = 0b0100;
  entries.shrink_axis_mask = 0b1000;
  EmittedGraph graph;
  const absl::StatusOr<Tensor*> y =
      EmitStridedSlice(graph.op(), graph.Input({1, 3, 2}), entries);  // x[..., ::-1, new, -1]
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ((*y)->type.shape, Shape({1, 3, 1}));
  EXPECT_THAT(graph.Run(y, {Count(6)}), ElementsAre(5, 3, 1));
}

TEST(EmitStridedSliceTest, AMaskedBeginOfOneElementIsTheFirst) {
  EmittedGraph graph;
  const StridedSliceEntries entries = {
      .begin = {2}, .end = {3}, .strides = {1}, .begin_mask = 1, .shrink_axis_mask = 1};
  EXPECT_THAT(graph.Run(EmitStridedSlice(graph.op(), graph.Input({5}), entries), {Count(5)}),
              ElementsAre(0));
}

TEST(EmitStridedSliceTest, DimensionsThatStayNeedNoReshape) {
  EmittedGraph graph;
  EXPECT_EQ(graph.Text(EmitStridedSlice(graph.op(), graph.Input({5}),
                                        {.begin = {1}, .end = {3}, .strides = {1}})),
            "y.slice = slice(x0)\ny.slice 2");
}

TEST(EmitStridedSliceTest, EndsMayBeOffsets) {
  EmittedGraph graph;
  EXPECT_THAT(
      graph.Run(EmitStridedSlice(graph.op(), graph.Input({5}),
                                 {.begin = {1}, .end = {3}, .strides = {1}, .end_is_offset = true}),
                {Count(5)}),
      ElementsAre(1, 2, 3));
}

TEST(EmitStridedSliceTest, RefusesEntriesThatDontFit) {
  EmittedGraph graph;
  Tensor* x = graph.Input({5});
  EXPECT_THAT(graph.Text(EmitStridedSlice(graph.op(), x,
                                          {.begin = {0, 0}, .end = {1, 1}, .strides = {1, 1}})),
              HasSubstr("it slices more dimensions than its input 5 has"));
  EXPECT_THAT(
      graph.Text(EmitStridedSlice(graph.op(), x, {.begin = {0}, .end = {1, 1}, .strides = {1}})),
      HasSubstr("1 begins, 2 ends and 1 strides"));
  const std::vector<int64_t> many(2 * Shape::kMaxRank + 1, 1);
  EXPECT_THAT(
      graph.Text(EmitStridedSlice(graph.op(), x, {.begin = many, .end = many, .strides = many})),
      HasSubstr("expected as many of each and at most 16"));
}

TEST(EmitReverseTest, TurnsAxesRound) {
  EmittedGraph graph;
  EXPECT_THAT(graph.Run(EmitReverse(graph.op(), graph.Input({2, 2}), {-1}), {Count(4)}),
              ElementsAre(1, 0, 3, 2));
}

TEST(ResolveSplitTest, OneSizeMayBeOpen) {
  EXPECT_THAT(ResolveSplit(6, {1, -1, 2}).value(), ElementsAre(1, 3, 2));
  EXPECT_THAT(ResolveSplit(6, {6}).value(), ElementsAre(6));
  EXPECT_EQ(ErrorOf(ResolveSplit(6, {1, 2})),
            "can't split a dimension of 6 into [1, 2], expected sizes that add up to it");
  EXPECT_FALSE(ResolveSplit(6, {-1, -1}).ok());
  EXPECT_FALSE(ResolveSplit(6, {7, -1}).ok());
  EXPECT_FALSE(ResolveSplit(6, {-2, 8}).ok());
}

TEST(EmitSplitTest, NamesTheParts) {
  EmittedGraph graph;
  Tensor* x = graph.Input({2, 3});
  const std::vector<Tensor*> parts = EmitSplit(graph.op(), x, -1, {1, 2}).value();
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[1]->name, "y.part1");
  EXPECT_THAT(graph.Run(parts[1], {Count(6)}), ElementsAre(1, 2, 4, 5));
  EXPECT_EQ(EmitSplit(graph.op(), x, 0, std::vector<int64_t>(5000, 0)).status().code(),
            absl::StatusCode::kResourceExhausted);
}

TEST(EmitSplitTest, EqualPartsHaveToDivide) {
  EmittedGraph graph;
  Tensor* x = graph.Input({6});
  EXPECT_EQ(EmitEqualSplit(graph.op(), x, 0, 3).value()[2]->type.shape, Shape({2}));
  EXPECT_EQ(ErrorOf(EmitEqualSplit(graph.op(), x, 0, 4)),
            "can't split a dimension of 6 into 4 equal parts");
  EXPECT_FALSE(EmitEqualSplit(graph.op(), x, 0, 0).ok());
}

TEST(EmitConcatTest, ASinglePartIsItself) {
  EmittedGraph graph;
  Tensor *a = graph.Input({1, 2}), *b = graph.Input({1, 2});
  EXPECT_EQ(EmitConcat(graph.op(), {a}, 0).value(), a);
  EXPECT_THAT(graph.Run(EmitConcat(graph.op(), {a, b}, -1), {{1, 2}, {3, 4}}),
              ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(graph.Text(EmitConcat(graph.op(), {a, nullptr}, 0)), "an operand is missing");
  EXPECT_FALSE(EmitConcat(graph.op(), {a}, 2).ok());
}

TEST(EmitPackTest, UnpackIsTheWayBack) {
  EmittedGraph graph;
  Tensor *a = graph.Input({2}), *b = graph.Input({2});
  const absl::StatusOr<Tensor*> packed = EmitPack(graph.op(), {a, b}, -1);
  ASSERT_TRUE(packed.ok()) << packed.status();
  EXPECT_EQ((*packed)->type.shape, Shape({2, 2}));
  const std::vector<Tensor*> parts = EmitUnpack(graph.op(), *packed, 1, 2).value();
  EXPECT_THAT(graph.Run(parts[1], {{1, 2}, {3, 4}}), ElementsAre(3, 4));
  EXPECT_EQ(ErrorOf(EmitUnpack(graph.op(), *packed, 1, 3)),
            "it has 3 outputs for a dimension of 2, expected as many");
  EXPECT_FALSE(EmitPack(graph.op(), {a, graph.Input({})}, 1).ok());
}

TEST(ResolvePadsTest, BeginsComeBeforeEnds) {
  EXPECT_THAT(ResolvePads({1, 2, 3, 4}, 2).value(), ElementsAre(1, 3, 2, 4));
  EXPECT_EQ(ErrorOf(ResolvePads({1, 2}, 2)), "its paddings has 2 elements, expected 4");
  EXPECT_FALSE(ResolvePads({-1, 2}, 1).ok());
  EXPECT_FALSE(ResolvePads({int64_t{1} << 40, 2}, 1).ok());
  EXPECT_TRUE(CheckPad(-(int64_t{1} << 31)).ok());
  EXPECT_FALSE(CheckPad(-(int64_t{1} << 31) - 1).ok());
}

}  // namespace
}  // namespace synap_internal
