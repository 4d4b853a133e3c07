#include "compiler/import/emit/slice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
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
  const Emitted y = EmitAxisSlice(graph.op(), graph.Input({2, 3}), 1, 1, 2, ".part");
  EXPECT_EQ(graph.Text(y), "y.part = slice(x0)\ny.part 2x2");
  EXPECT_THAT(graph.Run(y, {Count(6)}), ElementsAre(1, 2, 4, 5));
}

TEST(EmitSlicesTest, WholeSlicesAreTheOperandItself) {
  EmittedGraph graph;
  Tensor* x = graph.Input({2, 3});
  EXPECT_EQ(EmitSlices(graph.op(), x, WholeSlices(x->type.shape)).value(), x);
  const Tensor* part = EmitSlices(graph.op(), x, {{0, 2, 1}, {0, 2, 1}}).value();
  EXPECT_EQ(part->producer->attributes.count("steps"), 0u) << "each step is 1";
  EXPECT_THAT(graph.Run(EmitSlices(graph.op(), x, {{0, 2, 1}, {2, 2, -2}}), {Count(6)}),
              ElementsAre(2, 0, 5, 3));
}

TEST(EmitElementTest, DropsTheDimension) {
  EmittedGraph graph;
  const Emitted y = EmitElement(graph.op(), graph.Input({2, 3}), 1, 2, ".last");
  EXPECT_EQ(graph.Text(y), "y.last.slice = slice(x0)\ny.last = reshape(y.last.slice)\ny.last 2");
  EXPECT_THAT(graph.Run(y, {Count(6)}), ElementsAre(2, 5));
}

TEST(EmitSliceTest, MinusOneTakesTheRest) {
  EmittedGraph graph;
  EXPECT_THAT(graph.Run(EmitSlice(graph.op(), graph.Input({2, 3}), {1, 1}, {1, -1}), {Count(6)}),
              ElementsAre(4, 5));
}

TEST(EmitSliceTest, StaysInsideOfItsInput) {
  using Dims = std::vector<int64_t>;
  const auto text = [](const Dims& begin, const Dims& sizes) {
    EmittedGraph graph;
    const Emitted y = EmitSlice(graph.op(), graph.Input({2, 3}), begin, sizes);
    return y.ok() ? (*y)->type.shape.ToString() : graph.Text(y);
  };
  EXPECT_EQ(text({0, 0}, {2, 3}), "2x3");
  EXPECT_EQ(text({0, 1}, {2, 2}), "2x2");
  EXPECT_EQ(text({2, 3}, {0, -1}), "0x0");
  EXPECT_EQ(text({1, 1}, {1, 3}),
            "its slice of [1, 3] elements from [1, 1] on is outside of its input 2x3");
  EXPECT_EQ(text({-1, 0}, {1, 1}),
            "its slice of [1, 1] elements from [-1, 0] on is outside of its input 2x3");
  EXPECT_EQ(text({0, 4}, {1, -1}),
            "its slice of [1, -1] elements from [0, 4] on is outside of its input 2x3");
  EXPECT_EQ(text({0, 0}, {1, -2}),
            "its slice of [1, -2] elements from [0, 0] on is outside of its input 2x3");
  EXPECT_EQ(text({1}, {1, 1}), "its begin has 1 elements, expected 2");
  EXPECT_EQ(text({1, 1}, {1}), "its size has 1 elements, expected 2");
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
  const Emitted y =
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
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  EXPECT_THAT(graph.Run(EmitStridedSlice(
                            graph.op(), graph.Input({5}),
                            {.begin = {2}, .end = {kMax}, .strides = {1}, .end_is_offset = true}),
                        {Count(5), Count(5)}),
              ElementsAre(2, 3, 4));
}

TEST(EmitStridedSliceTest, AMaskedEndIsWhereTheStrideLeadsTo) {
  const auto run = [](int64_t begin, int64_t stride, int64_t begin_mask, int64_t end_mask) {
    EmittedGraph graph;
    const StridedSliceEntries entries = {.begin = {begin},
                                         .end = {3},
                                         .strides = {stride},
                                         .begin_mask = begin_mask,
                                         .end_mask = end_mask};
    return graph.Run(EmitStridedSlice(graph.op(), graph.Input({5}), entries), {Count(5)});
  };
  EXPECT_THAT(run(1, 1, 0, 1), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(run(1, -1, 0, 1), ElementsAre(1, 0));
  EXPECT_THAT(run(1, 1, 1, 0), ElementsAre(0, 1, 2));
  EXPECT_THAT(run(1, -1, 1, 0), ElementsAre(4));
}

TEST(EmitStridedSliceTest, AnEllipsisLeavesDimensionsToTheEntriesAfterIt) {
  // x[0, ..., new, 1]
  const StridedSliceEntries entries = {.begin = {0, 0, 0, 1},
                                       .end = {0, 0, 0, 0},
                                       .strides = {1, 1, 1, 1},
                                       .ellipsis_mask = 0b0010,
                                       .new_axis_mask = 0b0100,
                                       .shrink_axis_mask = 0b1001};
  EmittedGraph graph;
  const Emitted y = EmitStridedSlice(graph.op(), graph.Input({2, 3, 2}), entries);
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ((*y)->type.shape, Shape({3, 1}));
  EXPECT_THAT(graph.Run(y, {Count(12)}), ElementsAre(1, 3, 5));
}

TEST(EmitStridedSliceTest, RefusesEntriesThatDontFit) {
  EmittedGraph graph;
  Tensor* x = graph.Input({5});
  EXPECT_EQ(graph.Text(EmitStridedSlice(graph.op(), x,
                                        {.begin = {0, 0}, .end = {1, 1}, .strides = {1, 1}})),
            "it slices more dimensions than its input 5 has");
  EXPECT_THAT(
      graph.Text(EmitStridedSlice(graph.op(), x, {.begin = {0}, .end = {1, 1}, .strides = {1}})),
      HasSubstr("1 begins, 2 ends and 1 strides"));
  EXPECT_THAT(
      graph.Text(EmitStridedSlice(graph.op(), x, {.begin = {0}, .end = {1}, .strides = {1, 1}})),
      HasSubstr("1 begins, 1 ends and 2 strides"));
}

TEST(EmitStridedSliceTest, TakesSixteenEntriesAtMost) {
  const auto text = [](size_t count) {
    EmittedGraph graph;
    StridedSliceEntries entries;
    entries.begin = entries.end = std::vector<int64_t>(count, 0);
    entries.strides = std::vector<int64_t>(count, 1);
    entries.shrink_axis_mask = 0xFF;  // the first eight take an element of each dimension
    entries.new_axis_mask = ~0xFF;    // the others add one
    return graph.Text(EmitStridedSlice(graph.op(), graph.Input({1, 1, 1, 1, 1, 1, 1, 1}), entries));
  };
  EXPECT_EQ(text(16), "x0 1x1x1x1x1x1x1x1");
  EXPECT_EQ(text(17),
            "it has 17 begins, 17 ends and 17 strides, expected as many of each and at most 16");
}

TEST(EmitStridedSliceTest, OneElementIsTakenInsideOfItsDimension) {
  EmittedGraph graph;
  Tensor* x = graph.Input({5});
  EXPECT_EQ(graph.Text(EmitStridedSlice(
                graph.op(), x, {.begin = {5}, .end = {6}, .strides = {1}, .shrink_axis_mask = 1})),
            "axis 5 is outside of a tensor of rank 5, expected one in [-5, 5)");
  const Emitted y = EmitStridedSlice(
      graph.op(), x, {.begin = {1}, .end = {2}, .strides = {1}, .shrink_axis_mask = 1});
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ((*y)->producer->inputs[0]->producer->attributes.count("steps"), 0u);
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
  EXPECT_THAT(ResolveSplit(6, {0, 6}).value(), ElementsAre(0, 6));
  EXPECT_THAT(ResolveSplit(6, {6, -1}).value(), ElementsAre(6, 0));
  EXPECT_FALSE(ResolveSplit(6, {-1, -1}).ok());
  EXPECT_FALSE(ResolveSplit(6, {7, -1}).ok());
  EXPECT_FALSE(ResolveSplit(6, {-2, 8}).ok());
  EXPECT_FALSE(ResolveSplit(6, {7, 6}).ok());
}

TEST(EmitSplitTest, NamesTheParts) {
  EmittedGraph graph;
  Tensor* x = graph.Input({2, 3});
  const std::vector<Tensor*> parts = EmitSplit(graph.op(), x, -1, {1, 2}).value();
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[1]->name, "y.part1");
  EXPECT_THAT(graph.Run(parts[1], {Count(6)}), ElementsAre(1, 2, 4, 5));
}

TEST(EmitSplitTest, MakesUpTo4096Parts) {
  EmittedGraph graph;
  Tensor* x = graph.Input({4096});
  EXPECT_EQ(EmitSplit(graph.op(), x, 0, std::vector<int64_t>(4096, 1)).value().size(), 4096u);
  EXPECT_EQ(EmitSplit(graph.op(), x, 0, std::vector<int64_t>(4097, 0)).status(),
            absl::ResourceExhaustedError("splits into 4097 parts, expected up to 4096"));
}

TEST(EmitSplitTest, EqualPartsHaveToDivide) {
  EmittedGraph graph;
  Tensor* x = graph.Input({6});
  EXPECT_EQ(EmitEqualSplit(graph.op(), x, 0, 3).value()[2]->type.shape, Shape({2}));
  EXPECT_EQ(ErrorOf(EmitEqualSplit(graph.op(), x, 0, 4)),
            "can't split a dimension of 6 into 4 equal parts");
  EXPECT_EQ(EmitEqualSplit(graph.op(), x, 0, 1).value()[0]->type.shape, Shape({6}));
  EXPECT_EQ(EmitEqualSplit(graph.op(), x, 0, 6).value()[5]->type.shape, Shape({1}));
  EXPECT_FALSE(EmitEqualSplit(graph.op(), x, 0, 0).ok());
  EXPECT_FALSE(EmitEqualSplit(graph.op(), x, 0, 7).ok());
  EXPECT_FALSE(EmitEqualSplit(graph.op(), graph.Input({0}), 0, 2).ok()) << "parts of nothing";
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
  const Emitted packed = EmitPack(graph.op(), {a, b}, -1);
  ASSERT_TRUE(packed.ok()) << packed.status();
  EXPECT_EQ((*packed)->type.shape, Shape({2, 2}));
  const std::vector<Tensor*> parts = EmitUnpack(graph.op(), *packed, 1, 2).value();
  EXPECT_THAT(graph.Run(parts[1], {{1, 2}, {3, 4}}), ElementsAre(3, 4));
  EXPECT_EQ(ErrorOf(EmitUnpack(graph.op(), *packed, 1, 3)),
            "it has 3 outputs for a dimension of 2, expected as many");
}

TEST(EmitPackTest, OperandsHaveOneShape) {
  EmittedGraph graph;
  Tensor *scalar = graph.Input({}), *vector = graph.Input({2});
  EXPECT_EQ(graph.Text(EmitPack(graph.op(), {vector, scalar}, 1)),
            "its operands have different ranks, expected one shape");
  EXPECT_EQ(graph.Text(EmitPack(graph.op(), {scalar, vector}, 1)),
            "axis 1 is outside of a tensor of rank 1, expected one in [-1, 1)");
  EXPECT_EQ(graph.Text(EmitPack(graph.op(), {vector}, 2)),
            "axis 2 is outside of a tensor of rank 2, expected one in [-2, 2)");
}

TEST(ResolvePadsTest, BeginsComeBeforeEnds) {
  EXPECT_THAT(ResolvePads({1, 2, 3, 4}, 2).value(), ElementsAre(1, 3, 2, 4));
  EXPECT_EQ(ErrorOf(ResolvePads({1, 2}, 2)), "its paddings has 2 elements, expected 4");
  EXPECT_EQ(ErrorOf(ResolvePads({-1, 2}, 1)), "it pads by -1 elements, expected 0 or more");
  EXPECT_EQ(ErrorOf(ResolvePads({0, int64_t{1} << 40}, 1)),
            "it pads by 1099511627776 elements, expected at most 2^31");
}

TEST(CheckPadTest, PadsReachFromMinus2To31To2To31) {
  constexpr int64_t kLimit = int64_t{1} << 31;
  EXPECT_TRUE(CheckPad(kLimit).ok());
  EXPECT_TRUE(CheckPad(-kLimit).ok());
  EXPECT_FALSE(CheckPad(kLimit + 1).ok());
  EXPECT_FALSE(CheckPad(-kLimit - 1).ok());
}

}  // namespace
}  // namespace synap_internal
