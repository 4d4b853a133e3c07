#include "compiler/quantization/detector_safety.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "compiler/calibration/histogram.h"
#include "compiler/testing/run_pass.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Ranges = std::map<std::string, ValueRange>;

class DetectorSafetyTest : public testing::Test {
 protected:
  void Use(absl::string_view body, Ranges ranges) {
    graph_ = GraphOfBody(body);
    ranges_ = std::move(ranges);
    real_outputs_.assign(graph_.outputs.size(), false);
  }

  // The layers that `kind` changes.
  std::vector<std::string> Apply(SafetyKind kind) {
    const auto measures =
        ApplySafety({graph_, statistics_, ranges_, real_outputs_}, {kind}, precisions_);
    EXPECT_TRUE(measures.ok()) << measures.status();
    if (!measures.ok() || measures->empty()) return {};
    EXPECT_EQ(measures->size(), 1u);
    EXPECT_EQ((*measures)[0].kind, kind);
    return (*measures)[0].layers;
  }

  const Op& Layer(absl::string_view name) const {
    for (const Op& op : graph_.ops()) {
      if (op.origins[0] == name) return op;
    }
    ADD_FAILURE() << name;
    return graph_.ops().front();
  }
  DataType TypeOf(absl::string_view name) const { return precisions_.of(Layer(name)).type; }

  // What `tensor` held in the only sample.
  void Observe(const std::string& tensor, const std::vector<float>& values) {
    statistics_ = Statistics({tensor});
    const ValueRange range{*std::min_element(values.begin(), values.end()),
                           *std::max_element(values.begin(), values.end())};
    ASSERT_TRUE(statistics_.Add("sample", {{range, Histogram::Of(values, range)}}).ok());
  }

  Graph graph_;
  Statistics statistics_;
  Ranges ranges_;
  std::vector<bool> real_outputs_;
  LayerPrecisions precisions_{Precision{}};
};

constexpr absl::string_view kBoxesAndScores = R"(
    input %x: float32[1x1x1x2]
    const %w: float32[2x1x1x2] = [1.0, -0.5, 0.1, 0.1]
    %b: float32[1x1x1x2] = conv2d(%x, %w) from "boxes"
    %l: float32[1x1x1x2] = conv2d(%x, %w) from "logits"
    %s: float32[1x1x1x2] = sigmoid(%l) from "scores"
    %k: float32[1x1x1x4] = concat(%b, %s) {axis=3} from "joined"
    %t: float32[4] = reshape(%k) {shape=[4]} from "flat"
    output %t)";

TEST_F(DetectorSafetyTest, AConcatOfBoxesAndScoresHas16Bits) {
  Use(kBoxesAndScores, {{"b", {-2, 6}}, {"k", {-2, 6}}, {"t", {-2, 6}}});
  EXPECT_THAT(Apply(SafetyKind::kWideConcats), ElementsAre("joined", "flat"));
  EXPECT_EQ(TypeOf("joined"), DataType::kInt16);
  EXPECT_EQ(TypeOf("flat"), DataType::kInt16);
  EXPECT_EQ(TypeOf("boxes"), DataType::kUint8);
}

TEST_F(DetectorSafetyTest, WhereInt16IsTooCoarseItIsFloat16) {
  // int16 up to 640 has steps of 1/32, scores of 8 bits have 1/255.
  Use(kBoxesAndScores, {{"b", {0, 640}}, {"k", {0, 640}}, {"t", {0, 640}}});
  EXPECT_THAT(Apply(SafetyKind::kWideConcats), ElementsAre("joined", "flat"));
  EXPECT_EQ(TypeOf("flat"), DataType::kFloat16);
}

TEST_F(DetectorSafetyTest, RangesThatHardlyDifferShareAScale) {
  Use(kBoxesAndScores, {{"b", {-1, 2}}, {"k", {-1, 2}}, {"t", {-1, 2}}});
  EXPECT_THAT(Apply(SafetyKind::kWideConcats), IsEmpty());
}

TEST_F(DetectorSafetyTest, WhatLeavesAsFloat32NeedsNo16Bits) {
  Use(kBoxesAndScores, {{"b", {0, 640}}, {"k", {0, 640}}, {"t", {0, 640}}});
  real_outputs_ = {true};
  EXPECT_THAT(Apply(SafetyKind::kWideConcats), IsEmpty());
}

TEST_F(DetectorSafetyTest, ALayerThatTheMetafileNamesStays) {
  Use(kBoxesAndScores, {{"b", {0, 640}}, {"k", {0, 640}}, {"t", {0, 640}}});
  precisions_.SetNamed(Layer("joined"));
  EXPECT_THAT(Apply(SafetyKind::kWideConcats), IsEmpty());
}

TEST_F(DetectorSafetyTest, AJoinThatAnotherLayerReadsStays) {
  Use(R"(
    input %x: float32[1x2]
    %b: float32[1x2] = add(%x, %x) from "b"
    %s: float32[1x2] = sigmoid(%x) from "s"
    %k: float32[1x4] = concat(%b, %s) {axis=1} from "k"
    %y: float32[1x4] = silu(%k) from "y"
    output %k
    output %y)",
      {{"b", {0, 9}}, {"k", {0, 9}}, {"y", {0, 9}}});
  EXPECT_THAT(Apply(SafetyKind::kWideConcats), IsEmpty());
}

TEST_F(DetectorSafetyTest, ALayerThatOnlyLeavesHasAScaleForEachChannel) {
  Use(R"(
    input %x: float32[1x1x1x2]
    const %w: float32[2x1x1x2] = [1.0, -0.5, 0.1, 0.1]
    %c: float32[1x1x1x2] = conv2d(%x, %w) from "split"
    %a: float32[1x1x1x1] = slice(%c) {starts=[0, 0, 0, 0], sizes=[1, 1, 1, 1]} from "a"
    %b: float32[1x1x1x1] = slice(%c) {starts=[0, 0, 0, 1], sizes=[1, 1, 1, 1]} from "b"
    %d: float32[1x1x1x2] = conv2d(%x, %w) from "logits"
    %s: float32[1x1x1x2] = sigmoid(%d) from "scores"
    output %a
    output %b
    output %s)",
      {});
  EXPECT_THAT(Apply(SafetyKind::kChannelScales), ElementsAre("split"));
  EXPECT_TRUE(precisions_.of(Layer("split")).channelwise);
}

TEST_F(DetectorSafetyTest, ALayerInsideHasOneScale) {
  Use(R"(
    input %x: float32[1x1x1x2]
    const %w: float32[2x1x1x2] = [1.0, -0.5, 0.1, 0.1]
    %a: float32[1x1x1x2] = conv2d(%x, %w) from "inside"
    %b: float32[1x1x1x2] = conv2d(%a, %w) from "last"
    output %b)",
      {});
  EXPECT_THAT(Apply(SafetyKind::kChannelScales), ElementsAre("last"));
}

TEST_F(DetectorSafetyTest, ALastLayerOfDifferentChannelsHas16Bits) {
  constexpr absl::string_view kBody = R"(
    input %x: float32[1x1x1x2]
    const %w: float32[2x1x1x2] = [1.0, -0.5, 0.05, 0.1]
    %c: float32[1x1x1x2] = conv2d(%x, %w) from "head"
    %r: float32[2] = reshape(%c) {shape=[2]} from "flat"
    output %r)";
  Use(kBody, {});
  EXPECT_THAT(Apply(SafetyKind::kWideOutputs), IsEmpty()) << "nothing is known of its operand";
  Observe("x", {-1, -0.5f, 0.5f, 1});
  EXPECT_THAT(Apply(SafetyKind::kWideOutputs), ElementsAre("head", "flat"));
  EXPECT_EQ(TypeOf("head"), DataType::kInt16);
}

TEST_F(DetectorSafetyTest, ALastLayerOfLikeChannelsStays) {
  Use(R"(
    input %x: float32[1x1x1x2]
    const %w: float32[2x1x1x2] = [1.0, -0.5, 0.5, 0.3]
    %c: float32[1x1x1x2] = conv2d(%x, %w) from "head"
    output %c)",
      {});
  Observe("x", {-1, -0.5f, 0.5f, 1});
  EXPECT_THAT(Apply(SafetyKind::kWideOutputs), IsEmpty());
}

TEST_F(DetectorSafetyTest, FromSoftmaxToItsMean) {
  constexpr absl::string_view kBody = R"(
    input %x: float32[1x1x4x4]
    const %n: float32[1x1x1x4] = [0, 1, 2, 3]
    const %m: float32[2x1x1x4] = [0, 1, 2, 3, 0, 1, 2, 3]
    %s: float32[1x1x4x4] = softmax(%x) {axis=3} from "Softmax"
    %t: float32[1x4x1x4] = transpose(%s) {perm=[0, 2, 1, 3]} from "Transpose"
    %e: float32[1x4x1x1] = conv2d(%t, %n) from "Mean"
    %p: float32[1x1x4x4] = softmax(%x) {axis=3} from "Attention"
    %q: float32[1x1x4x2] = conv2d(%p, %m) from "Mix"
    output %e
    output %q)";
  Use(kBody, {});
  EXPECT_THAT(Apply(SafetyKind::kWideExpectations), ElementsAre("Softmax", "Transpose", "Mean"));
  EXPECT_EQ(TypeOf("Mean"), DataType::kInt16);
  EXPECT_EQ(TypeOf("Mix"), DataType::kUint8);
}

constexpr absl::string_view kSigmoidAndOther = R"(
    input %x: float32[1x1x1x2]
    const %w: float32[2x1x1x2] = [1.0, -0.5, 0.5, 0.3]
    %c: float32[1x1x1x2] = conv2d(%x, %w) from "Conv"
    %s: float32[1x1x1x2] = sigmoid(%c) from "Sigmoid"
    %a: float32[1x1x1x2] = add(%c, %x) from "Add"
    output %s
    output %a)";

TEST_F(DetectorSafetyTest, ASigmoidOfARangeThatOthersReadToo) {
  Use(kSigmoidAndOther, {{"c", {-70, 7}}, {"a", {-70, 7}}});
  EXPECT_THAT(Apply(SafetyKind::kWideSigmoids), ElementsAre("Sigmoid", "Conv"));
  Use(kSigmoidAndOther, {{"c", {-10, 7}}, {"a", {-10, 7}}});
  EXPECT_THAT(Apply(SafetyKind::kWideSigmoids), IsEmpty()) << "its steps are fine enough";
}

TEST_F(DetectorSafetyTest, ASigmoidThatStaysRealNeedsNo16Bits) {
  Use(kSigmoidAndOther, {{"c", {-70, 7}}, {"a", {-70, 7}}});
  real_outputs_ = {true, true};
  EXPECT_THAT(Apply(SafetyKind::kWideSigmoids), IsEmpty());
}

TEST_F(DetectorSafetyTest, SixteenBitsStayAsTheyAre) {
  Use(kBoxesAndScores, {{"b", {0, 640}}, {"k", {0, 640}}, {"t", {0, 640}}});
  precisions_ = LayerPrecisions(PrecisionOf(DataType::kInt16));
  for (const SafetyKind kind : AllSafetyKinds()) EXPECT_THAT(Apply(kind), IsEmpty()) << Name(kind);
}

TEST_F(DetectorSafetyTest, ChangedRangesAreNamedByLayer) {
  Use(kBoxesAndScores, {});
  const SafetyMeasure measure =
      ChangedRanges(graph_, SafetyKind::kNarrowedRanges, {{"l", {-9, 9}}, {"b", {0, 1}}},
                    {{"l", {-7, 7}}, {"b", {0, 1}}});
  EXPECT_THAT(measure.layers, ElementsAre("logits"));
}

}  // namespace
}  // namespace synap_internal
