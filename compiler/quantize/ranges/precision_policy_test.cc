#include "compiler/quantize/ranges/precision_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "compiler/quantize/statistics/histogram.h"
#include "compiler/testing/run_pass.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Ranges = std::map<std::string, ValueRange>;

class PrecisionPolicyTest : public testing::Test {
 protected:
  void Use(absl::string_view body, Ranges ranges) {
    graph_ = GraphOfBody(body);
    ranges_ = std::move(ranges);
    real_outputs_.assign(graph_.outputs.size(), false);
  }

  // The layers that `kind` changes.
  std::vector<std::string> Apply(MeasureKind kind) {
    const auto measures =
        ApplyPrecisionPolicy({graph_, statistics_, ranges_, real_outputs_}, {kind}, precisions_);
    EXPECT_TRUE(measures.ok()) << measures.status();
    if (!measures.ok() || measures->empty()) return {};
    EXPECT_FALSE((*measures)[0].layers.empty());
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

// One tensor of two states, h and c.
constexpr absl::string_view kStates = R"(
    input %s: float32[2x1x4]
    %m: float32[2x4] = reshape(%s) {shape=[2, 4]} from "moved"
    %h: float32[1x4] = slice(%m) {sizes=[1, 4], starts=[0, 0], steps=[1, 1]} from "h"
    %c: float32[1x4] = slice(%m) {sizes=[1, 4], starts=[1, 0], steps=[1, 1]} from "c"
    %y: float32[1x4] = add(%h, %c) from "y"
    output %y)";
const Ranges kStateRanges = {
    {"s", {-100, 100}}, {"m", {-100, 100}}, {"h", {-1, 1}}, {"c", {-100, 100}}};

TEST_F(PrecisionPolicyTest, AnInputOfDifferentStatesHas16Bits) {
  Use(kStates, kStateRanges);
  EXPECT_THAT(Apply(MeasureKind::kWideInputs), ElementsAre("s", "moved", "h", "c"));
  EXPECT_EQ(precisions_.of_input(*graph_.inputs[0]).type, DataType::kInt16);
  EXPECT_EQ(TypeOf("h"), DataType::kInt16);
  EXPECT_EQ(TypeOf("y"), DataType::kUint8);
  EXPECT_TRUE(precisions_.Uses(16));
}

TEST_F(PrecisionPolicyTest, AnInputOfSimilarStatesKeeps8Bits) {
  Use(kStates, {{"s", {-1, 1}}, {"m", {-1, 1}}, {"h", {-1, 1}}, {"c", {-0.9f, 0.9f}}});
  EXPECT_THAT(Apply(MeasureKind::kWideInputs), IsEmpty());
}

TEST_F(PrecisionPolicyTest, ThePartsOfAnInputThatTheMetafileNamesFollowIt) {
  Use(kStates, kStateRanges);
  precisions_.SetInputsNamed();
  EXPECT_THAT(Apply(MeasureKind::kWideInputs), IsEmpty());
  precisions_.SetInputs(PrecisionOf(DataType::kInt16));
  EXPECT_THAT(Apply(MeasureKind::kWideInputs), ElementsAre("moved", "h", "c"));
}

TEST_F(PrecisionPolicyTest, AnInputThatIsReadAsAWholeKeeps8Bits) {
  Use(absl::StrCat(kStates, "\n%z: float32[2x1x4] = add(%s, %s) from \"z\"\noutput %z"),
      kStateRanges);
  EXPECT_THAT(Apply(MeasureKind::kWideInputs), IsEmpty());
}

TEST_F(PrecisionPolicyTest, APictureKeeps8Bits) {
  Use(R"(
    input %s: float32[1x2x2x3]
    %h: float32[1x2x2x1] = slice(%s) {sizes=[1, 2, 2, 1], starts=[0, 0, 0, 0], steps=[1, 1, 1, 1]} from "h"
    output %h)",
      {{"s", {0, 255}}, {"h", {0, 1}}});
  EXPECT_THAT(Apply(MeasureKind::kWideInputs), IsEmpty());
}

constexpr absl::string_view kBoxesAndScores = R"(
    input %x: float32[1x1x1x2]
    const %w: float32[2x1x1x2] = [1.0, -0.5, 0.1, 0.1]
    %b: float32[1x1x1x2] = conv2d(%x, %w) from "boxes"
    %l: float32[1x1x1x2] = conv2d(%x, %w) from "logits"
    %s: float32[1x1x1x2] = sigmoid(%l) from "scores"
    %k: float32[1x1x1x4] = concat(%b, %s) {axis=3} from "joined"
    %t: float32[4] = reshape(%k) {shape=[4]} from "flat"
    output %t)";

TEST_F(PrecisionPolicyTest, AConcatOfBoxesAndScoresHas16Bits) {
  Use(kBoxesAndScores, {{"b", {-2, 6}}, {"k", {-2, 6}}, {"t", {-2, 6}}});
  EXPECT_THAT(Apply(MeasureKind::kWideConcats), ElementsAre("joined", "flat"));
  EXPECT_EQ(TypeOf("joined"), DataType::kInt16);
  EXPECT_EQ(TypeOf("flat"), DataType::kInt16);
  EXPECT_EQ(TypeOf("boxes"), DataType::kUint8);
}

TEST_F(PrecisionPolicyTest, WhereInt16IsTooCoarseItIsFloat16) {
  // int16 up to 640 has steps of 1/32, scores of 8 bits have 1/255.
  Use(kBoxesAndScores, {{"b", {0, 640}}, {"k", {0, 640}}, {"t", {0, 640}}});
  EXPECT_THAT(Apply(MeasureKind::kWideConcats), ElementsAre("joined", "flat"));
  EXPECT_EQ(TypeOf("flat"), DataType::kFloat16);
}

TEST_F(PrecisionPolicyTest, RangesThatHardlyDifferShareAScale) {
  Use(kBoxesAndScores, {{"b", {-1, 2}}, {"k", {-1, 2}}, {"t", {-1, 2}}});
  EXPECT_THAT(Apply(MeasureKind::kWideConcats), IsEmpty());
}

TEST_F(PrecisionPolicyTest, WhatLeavesAsFloat32NeedsNo16Bits) {
  Use(kBoxesAndScores, {{"b", {0, 640}}, {"k", {0, 640}}, {"t", {0, 640}}});
  real_outputs_ = {true};
  EXPECT_THAT(Apply(MeasureKind::kWideConcats), IsEmpty());
}

TEST_F(PrecisionPolicyTest, ALayerThatTheMetafileNamesStays) {
  Use(kBoxesAndScores, {{"b", {0, 640}}, {"k", {0, 640}}, {"t", {0, 640}}});
  precisions_.SetNamed(Layer("joined"));
  EXPECT_THAT(Apply(MeasureKind::kWideConcats), IsEmpty());
}

TEST_F(PrecisionPolicyTest, AJoinThatLeavesHas16BitsThoughAnotherLayerReadsIt) {
  Use(R"(
    input %x: float32[1x2]
    %b: float32[1x2] = add(%x, %x) from "b"
    %s: float32[1x2] = sigmoid(%x) from "s"
    %k: float32[1x4] = concat(%b, %s) {axis=1} from "k"
    %y: float32[1x4] = silu(%k) from "y"
    output %k
    output %y)",
      {{"b", {0, 9}}, {"k", {0, 9}}, {"y", {0, 9}}});
  EXPECT_THAT(Apply(MeasureKind::kWideConcats), ElementsAre("k"));
  EXPECT_EQ(TypeOf("y"), DataType::kUint8);
}

// A join of boxes and scores, and what reads it.
std::string Joined(absl::string_view readers) {
  return absl::StrCat(R"(
    input %x: float32[1x2x3]
    input %i: int64[2]
    %b: float32[1x2x3] = add(%x, %x) from "boxes"
    %s: float32[1x2x3] = sigmoid(%x) from "scores"
    %k: float32[1x4x3] = concat(%b, %s) {axis=1} from "joined")",
                      readers);
}

TEST_F(PrecisionPolicyTest, AJoinThatIsTakenApartHas16BitsUpToThere) {
  Use(Joined(R"(
    %t: float32[1x3x4] = transpose(%k) {perm=[0, 2, 1]} from "turned"
    %g: float32[1x2x4] = gather(%t, %i) {axis=1} from "rows"
    %c: float32[1x2x2] = slice(%g) {starts=[0, 0, 2], sizes=[1, 2, 2]} from "apart"
    %r: float32[1x4] = reshape(%c) {shape=[1, 4]} from "flat"
    %y: float32[1x4] = silu(%r) from "y"
    output %y)"),
      {{"b", {0, 640}}, {"k", {0, 640}}, {"t", {0, 640}}, {"g", {0, 640}}});
  EXPECT_THAT(Apply(MeasureKind::kWideConcats), ElementsAre("joined", "turned", "rows", "apart"));
  EXPECT_EQ(TypeOf("apart"), DataType::kFloat16);
  EXPECT_EQ(TypeOf("flat"), DataType::kUint8);
}

TEST_F(PrecisionPolicyTest, AJoinOfWhichEachPartIsCutStays) {
  // The slice chooses positions of boxes and scores alike; only arithmetic follows.
  Use(Joined(R"(
    %c: float32[1x4x1] = slice(%k) {starts=[0, 0, 1], sizes=[1, 4, 1]} from "c"
    %y: float32[1x4x1] = silu(%c) from "y"
    output %y)"),
      {{"b", {0, 640}}, {"k", {0, 640}}, {"c", {0, 640}}});
  EXPECT_THAT(Apply(MeasureKind::kWideConcats), IsEmpty());
}

TEST_F(PrecisionPolicyTest, WhetherAMergedDimensionIsTakenApartIsMeasured) {
  const std::string body = Joined(R"(
    %r: float32[12] = reshape(%k) {shape=[12]} from "flat"
    %g: float32[2] = gather(%r, %i) {axis=0} from "chosen"
    %y: float32[2] = silu(%g) from "y"
    output %y)");
  Ranges ranges = {{"b", {0, 640}}, {"k", {0, 640}}, {"r", {0, 640}}, {"g", {0, 640}}};
  Use(body, ranges);
  EXPECT_THAT(Apply(MeasureKind::kWideConcats), IsEmpty());
  ranges["g"] = {0, 1};
  Use(body, ranges);
  EXPECT_THAT(Apply(MeasureKind::kWideConcats), ElementsAre("joined", "flat", "chosen"));
}

TEST_F(PrecisionPolicyTest, AJoinThatNoLinearLayerKeepsRealLeavesAsFloat32) {
  // Chosen bytes stay bytes up to the join, which float ends would leave as it is.
  Use(Joined(R"(
    %g: float32[1x2x3] = gather(%b, %i) {axis=1} from "best boxes"
    %h: float32[1x2x3] = gather(%s, %i) {axis=1} from "best scores"
    %y: float32[1x4x3] = concat(%g, %h) {axis=1} from "y"
    output %y)"),
      {{"b", {0, 640}}, {"k", {0, 640}}, {"g", {0, 640}}, {"h", {0, 1}}, {"y", {0, 640}}});
  real_outputs_ = {true};
  EXPECT_THAT(Apply(MeasureKind::kWideConcats), ElementsAre("y"));
  EXPECT_EQ(TypeOf("y"), DataType::kFloat32);
}

TEST_F(PrecisionPolicyTest, Int16IsNoWorseThanBytes) {
  const LayerPrecisions wide(PrecisionOf(DataType::kInt16));
  for (const bool real : {false, true}) {
    precisions_ = wide;
    Use(kBoxesAndScores, {{"b", {0, 640}}, {"k", {0, 640}}, {"t", {0, 640}}});
    real_outputs_ = {real};
    EXPECT_THAT(Apply(MeasureKind::kWideConcats), ElementsAre("joined", "flat"));
    EXPECT_EQ(TypeOf("joined"), DataType::kFloat32);
  }
  precisions_ = wide;
  Use(kBoxesAndScores, {{"b", {0, 31}}, {"k", {0, 31}}, {"t", {0, 31}}});
  EXPECT_THAT(Apply(MeasureKind::kWideConcats), IsEmpty());
}

TEST_F(PrecisionPolicyTest, BeyondTheRangeOfFloat16ItIsFloat32) {
  Use(kBoxesAndScores, {{"b", {0, 70000}}, {"k", {0, 70000}}, {"t", {0, 70000}}});
  EXPECT_THAT(Apply(MeasureKind::kWideConcats), ElementsAre("joined", "flat"));
  EXPECT_EQ(TypeOf("joined"), DataType::kFloat32);
}

TEST_F(PrecisionPolicyTest, PartsThatAreLostAreTold) {
  const Ranges ranges = {{"b", {0, 640}}, {"k", {0, 640}}, {"t", {0, 640}}};
  Use(kBoxesAndScores, ranges);
  const auto lost = [&](bool float_ends) {
    return FindLostParts({graph_, statistics_, ranges_, real_outputs_, float_ends}, precisions_);
  };
  ASSERT_EQ(lost(true).size(), 1u);
  EXPECT_EQ(lost(true)[0].layer, "joined");
  EXPECT_TRUE(absl::StrContains(lost(true)[0].sentence, "uint8: the smallest has a range of 1"));
  real_outputs_ = {true};
  EXPECT_THAT(lost(true), IsEmpty());
  EXPECT_EQ(lost(false).size(), 1u);
  real_outputs_ = {false};
  Apply(MeasureKind::kWideConcats);
  EXPECT_THAT(lost(true), IsEmpty());
}

TEST_F(PrecisionPolicyTest, AQuarterOfTheStepsIsEnough) {
  Use(kBoxesAndScores, {{"b", {0, 4}}, {"k", {0, 4}}, {"t", {0, 4}}});
  EXPECT_THAT(Apply(MeasureKind::kWideConcats), IsEmpty());
  Use(kBoxesAndScores, {{"b", {0, 4.1f}}, {"k", {0, 4.1f}}, {"t", {0, 4.1f}}});
  EXPECT_THAT(Apply(MeasureKind::kWideConcats), ElementsAre("joined", "flat"));
}

TEST_F(PrecisionPolicyTest, FourStepsOfInt16InOneOf8BitsAreFineEnough) {
  // A score's step is 1/255; int16 has steps of 1/1024 up to 31, and of 1/512 up to 63.
  Use(kBoxesAndScores, {{"b", {0, 31}}, {"k", {0, 31}}, {"t", {0, 31}}});
  Apply(MeasureKind::kWideConcats);
  EXPECT_EQ(TypeOf("joined"), DataType::kInt16);
  precisions_ = LayerPrecisions(Precision{});
  Use(kBoxesAndScores, {{"b", {0, 40}}, {"k", {0, 40}}, {"t", {0, 40}}});
  Apply(MeasureKind::kWideConcats);
  EXPECT_EQ(TypeOf("joined"), DataType::kFloat16);
}

TEST_F(PrecisionPolicyTest, OnlyWhatIsWantedChanges) {
  Use(kBoxesAndScores, {{"b", {-2, 6}}, {"k", {-2, 6}}, {"t", {-2, 6}}});
  EXPECT_THAT(Apply(MeasureKind::kFloatEnds), IsEmpty());
  EXPECT_THAT(Apply(MeasureKind::kWideOutputs), IsEmpty());
}

TEST_F(PrecisionPolicyTest, ATensorThatLeavesTwiceLeavesInBothTypes) {
  const std::string twice = absl::StrCat(kBoxesAndScores, "\noutput %t");
  for (const bool first : {false, true}) {
    Use(twice, {{"b", {-2, 6}}, {"k", {-2, 6}}, {"t", {-2, 6}}});
    real_outputs_ = {first, !first};
    EXPECT_THAT(Apply(MeasureKind::kWideConcats), ElementsAre("joined", "flat")) << first;
    EXPECT_EQ(TypeOf("flat"), DataType::kInt16);
    precisions_ = LayerPrecisions(Precision{});
  }
}

TEST_F(PrecisionPolicyTest, AJoinThatNothingReadsStays) {
  Use(R"(
    input %x: float32[1x2]
    %b: float32[1x2] = add(%x, %x) from "b"
    %s: float32[1x2] = sigmoid(%x) from "s"
    %k: float32[1x4] = concat(%b, %s) {axis=1} from "k"
    output %b)",
      {{"b", {0, 9}}, {"k", {0, 9}}});
  EXPECT_THAT(Apply(MeasureKind::kWideConcats), IsEmpty());
}

TEST_F(PrecisionPolicyTest, EveryKindMakesItsOwnChangesOnly) {
  const std::map<MeasureKind, std::string> layers = {{MeasureKind::kWideOutputs, "head"},
                                                     {MeasureKind::kWideExpectations, "Mean"},
                                                     {MeasureKind::kWideSigmoids, "Conv"}};
  Use(R"(
    input %x: float32[1x1x4x4]
    const %n: float32[1x1x1x4] = [0, 1, 2, 3]
    const %w: float32[2x1x1x4] = [1.0, -0.5, 0, 0, 0.05, 0.1, 0, 0]
    %s: float32[1x1x4x4] = softmax(%x) {axis=3} from "Softmax"
    %e: float32[1x1x4x1] = conv2d(%s, %n) from "Mean"
    %y: float32[1x1x4x2] = conv2d(%x, %w, _) from "head"
    %c: float32[1x1x4x1] = conv2d(%x, %n) from "Conv"
    %i: float32[1x1x4x1] = sigmoid(%c) from "Sigmoid"
    %a: float32[1x1x4x1] = add(%c, %e) from "Add"
    output %y
    output %i
    output %a)",
      {{"c", {-70, 7}}, {"a", {-70, 7}}});
  Observe("x", {-1, -0.5f, 0.5f, 1});
  for (const MeasureKind kind : AllMeasureKinds()) {
    precisions_ = LayerPrecisions(Precision{});
    Apply(kind);
    for (const auto& [own, layer] : layers) {
      EXPECT_EQ(TypeOf(layer), own == kind ? DataType::kInt16 : DataType::kUint8)
          << Name(kind) << " " << layer;
    }
  }
}

TEST_F(PrecisionPolicyTest, WhatIsComputedOfScoresHasItsOwnRange) {
  Use(R"(
    input %x: float32[1x2]
    %s: float32[1x2] = sigmoid(%x) from "s"
    %b: float32[1x2] = add(%s, %x) from "b"
    %c: float32[1x2] = add(%x, %x) from "c"
    %k: float32[1x4] = concat(%b, %c) {axis=1} from "k"
    output %k)",
      {{"b", {0, 9}}, {"c", {0, 9}}, {"k", {0, 9}}});
  EXPECT_THAT(Apply(MeasureKind::kWideConcats), IsEmpty());
}

TEST_F(PrecisionPolicyTest, AnOperandWithoutARangeSaysNothing) {
  Use(R"(
    input %x: float32[1x2]
    %b: float32[1x2] = add(%x, %x) from "b"
    %c: float32[1x2] = add(%b, %x) from "c"
    %k: float32[1x6] = concat(%b, %c, %x) {axis=1} from "k"
    output %k)",
      {{"b", {0, 9}}, {"k", {0, 9}}});
  EXPECT_THAT(Apply(MeasureKind::kWideConcats), IsEmpty());
}

constexpr absl::string_view kJoinOfJoins = R"(
    input %x: float32[1x2]
    %b: float32[1x2] = add(%x, %x) from "b"
    %s: float32[1x2] = sigmoid(%x) from "s"
    %o: float32[1x2] = add(%x, %x) from "o"
    %k: float32[1x4] = concat(%b, %s) {axis=1} from "k"
    %m: float32[1x6] = concat(%k, %o) {axis=1} from "m"
    output %m)";

TEST_F(PrecisionPolicyTest, AJoinOfJoinsHoldsTheirSmallestRange) {
  Use(kJoinOfJoins, {{"b", {0, 9}}, {"k", {0, 9}}, {"o", {0, 9}}, {"m", {0, 9}}});
  EXPECT_THAT(Apply(MeasureKind::kWideConcats), ElementsAre("k", "m"));
  precisions_ = LayerPrecisions(Precision{});
  precisions_.SetNamed(Layer("k"));
  EXPECT_THAT(Apply(MeasureKind::kWideConcats), ElementsAre("m"));
}

TEST_F(PrecisionPolicyTest, TheSmallestRangeHas255Steps) {
  // A 255th of it is four steps of 1/1024.
  Use(kJoinOfJoins, {{"b", {0, 31}}, {"k", {0, 31}}, {"o", {0, 0.99609375f}}, {"m", {0, 31}}});
  EXPECT_THAT(Apply(MeasureKind::kWideConcats), ElementsAre("k", "m"));
  EXPECT_EQ(TypeOf("m"), DataType::kInt16);
}

TEST_F(PrecisionPolicyTest, ANamedLayerEndsTheWideOnes) {
  Use(R"(
    input %x: float32[1x2]
    %b: float32[1x2] = add(%x, %x) from "b"
    %s: float32[1x2] = sigmoid(%x) from "s"
    %k: float32[1x4] = concat(%b, %s) {axis=1} from "k"
    %r: float32[4x1] = reshape(%k) {shape=[4, 1]} from "r"
    %t: float32[1x4] = transpose(%r) {perm=[1, 0]} from "t"
    output %t)",
      {{"b", {0, 9}}, {"k", {0, 9}}, {"r", {0, 9}}, {"t", {0, 9}}});
  precisions_.SetNamed(Layer("r"));
  EXPECT_THAT(Apply(MeasureKind::kWideConcats), ElementsAre("k"));
}

TEST_F(PrecisionPolicyTest, TheWidestTypeGoesOnToTheEnd) {
  // The scores in %k are a 640th of its range, those in %m a ninth of its own.
  for (const absl::string_view join : {"concat(%k, %m)", "concat(%m, %k)"}) {
    precisions_ = LayerPrecisions(Precision{});
    Use(absl::StrCat(R"(
    input %x: float32[1x2]
    %b: float32[1x2] = add(%x, %x) from "b"
    %c: float32[1x2] = add(%x, %x) from "c"
    %s: float32[1x2] = sigmoid(%x) from "s"
    %k: float32[1x4] = concat(%b, %s) {axis=1} from "k"
    %m: float32[1x4] = concat(%c, %s) {axis=1} from "m"
    %n: float32[1x8] = )",
                     join, R"( {axis=1} from "n"
    output %n)"),
        {{"b", {0, 640}}, {"k", {0, 640}}, {"c", {0, 9}}, {"m", {0, 9}}});
    EXPECT_THAT(Apply(MeasureKind::kWideConcats), ElementsAre("k", "m", "n"));
    EXPECT_EQ(TypeOf("k"), DataType::kFloat16);
    EXPECT_EQ(TypeOf("m"), DataType::kInt16);
    EXPECT_EQ(TypeOf("n"), DataType::kFloat16);
  }
}

TEST_F(PrecisionPolicyTest, ALayerOfSeveralOpsIsNamedOnce) {
  Use(R"(
    input %x: float32[1x2]
    %b: float32[1x2] = add(%x, %x) from "b"
    %s: float32[1x2] = sigmoid(%x) from "s"
    %k: float32[1x4] = concat(%b, %s) {axis=1} from "k"
    %r: float32[4x1] = reshape(%k) {shape=[4, 1]} from "k"
    output %r)",
      {{"b", {0, 9}}, {"k", {0, 9}}, {"r", {0, 9}}});
  EXPECT_THAT(Apply(MeasureKind::kWideConcats), ElementsAre("k"));
}

TEST_F(PrecisionPolicyTest, ALayerWithAScaleForEachChannelStays) {
  Use(R"(
    input %x: float32[1x1x1x2]
    const %w: float32[2x1x1x2] = [1.0, -0.5, 0.1, 0.1]
    %c: float32[1x1x1x2] = conv2d(%x, %w) from "last"
    output %c)",
      {});
  precisions_ =
      LayerPrecisions(PrecisionOf(DataType::kInt8, QuantizationScheme::kDynamicFixedPoint));
  EXPECT_THAT(Apply(MeasureKind::kChannelScales), IsEmpty());
  precisions_ = LayerPrecisions(Precision{DataType::kUint8, QuantScheme::kAsymmetricAffine, true});
  EXPECT_THAT(Apply(MeasureKind::kChannelScales), IsEmpty());
}

TEST_F(PrecisionPolicyTest, ALayerThatOnlyLeavesHasAScaleForEachChannel) {
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
  EXPECT_THAT(Apply(MeasureKind::kChannelScales), ElementsAre("split"));
  EXPECT_TRUE(precisions_.of(Layer("split")).channelwise);
}

TEST_F(PrecisionPolicyTest, ALayerInsideHasOneScale) {
  Use(R"(
    input %x: float32[1x1x1x2]
    const %w: float32[2x1x1x2] = [1.0, -0.5, 0.1, 0.1]
    %a: float32[1x1x1x2] = conv2d(%x, %w) from "inside"
    %b: float32[1x1x1x2] = conv2d(%a, %w) from "last"
    output %b)",
      {});
  EXPECT_THAT(Apply(MeasureKind::kChannelScales), ElementsAre("last"));
}

TEST_F(PrecisionPolicyTest, ALastLayerOfDifferentChannelsHas16Bits) {
  constexpr absl::string_view kBody = R"(
    input %x: float32[1x1x1x2]
    const %w: float32[2x1x1x2] = [1.0, -0.5, 0.05, 0.1]
    %c: float32[1x1x1x2] = conv2d(%x, %w) from "head"
    %r: float32[2] = reshape(%c) {shape=[2]} from "flat"
    output %r)";
  Use(kBody, {});
  EXPECT_THAT(Apply(MeasureKind::kWideOutputs), IsEmpty()) << "nothing is known of its operand";
  Observe("x", {-1, -0.5f, 0.5f, 1});
  EXPECT_THAT(Apply(MeasureKind::kWideOutputs), ElementsAre("head", "flat"));
  EXPECT_EQ(TypeOf("head"), DataType::kInt16);
}

TEST_F(PrecisionPolicyTest, ALastLayerOfLikeChannelsStays) {
  Use(R"(
    input %x: float32[1x1x1x2]
    const %w: float32[2x1x1x2] = [1.0, -0.5, 0.5, 0.3]
    %c: float32[1x1x1x2] = conv2d(%x, %w) from "head"
    output %c)",
      {});
  Observe("x", {-1, -0.5f, 0.5f, 1});
  EXPECT_THAT(Apply(MeasureKind::kWideOutputs), IsEmpty());
}

// Whether a last layer with these weights [2, inputs] and biases [2] (none if empty) has 16 bits.
// Its operand is 2 or 4, equally often, if nothing else is given: their mean is 3, their standard
// deviation 1.
class WideOutputsTest : public PrecisionPolicyTest {
 protected:
  bool Widens(absl::string_view weights, absl::string_view bias = "",
              const std::vector<float>& operand = {2, 4}) {
    const size_t inputs = absl::StrContains(weights, ";") ? 2 : 1;
    const std::string values = absl::StrReplaceAll(weights, {{";", ","}});
    Use(absl::StrCat("input %x: float32[1x", inputs, "]\nconst %w: float32[2x", inputs, "] = [",
                     values, "]\n",
                     bias.empty() ? "" : absl::StrCat("const %b: float32[2] = [", bias, "]\n"),
                     "%y: float32[1x2] = fully_connected(%x, %w", bias.empty() ? "" : ", %b",
                     R"() from "head"
    output %y)"),
        {});
    precisions_ = LayerPrecisions(Precision{});
    Observe("x", operand);
    return !Apply(MeasureKind::kWideOutputs).empty();
  }
};

TEST_F(WideOutputsTest, AChannelWithLessThanAQuarterOfTheRangeIsSmall) {
  // Channel 0 is 3 +- 4, with zero [-1, 7]; channel 1 in proportion.
  EXPECT_TRUE(Widens("1.0, 0.24"));
  EXPECT_TRUE(Widens("0.24, 1.0"));
  EXPECT_FALSE(Widens("1.0, 0.25"));
}

TEST_F(WideOutputsTest, DeviationsAreThoseOfTheOperand) {
  // 3 alone: channel 0 is [0, 3].
  EXPECT_TRUE(Widens("1.0, 0.1", "0.0, 0.4", {3}));
  EXPECT_FALSE(Widens("1.0, 0.1", "0.0, 0.5", {3}));
  // 4 +- 2: channel 0 is [-4, 12], channel 1 [0, 3.8] or [0, 4.2].
  EXPECT_TRUE(Widens("1.0, 0.1", "0.0, 2.6", {2, 6}));
  EXPECT_FALSE(Widens("1.0, 0.1", "0.0, 3.0", {2, 6}));
}

TEST_F(WideOutputsTest, OnlyTheChannelsProportionCounts) {
  EXPECT_TRUE(Widens("0.01, 0.0024"));
  EXPECT_FALSE(Widens("0.01, 0.0026"));
  EXPECT_TRUE(Widens("-0.01, -0.0024"));
  EXPECT_FALSE(Widens("-0.01, -0.0026"));
}

TEST_F(WideOutputsTest, BiasesMoveChannels) {
  // Channel 1 is [0, 1.97] or [0, 2.03] of [-1, 7], then [-2, 0] of [-2, 7] or [-2.7, 0] of more.
  EXPECT_TRUE(Widens("1.0, 0.1", "0.0, 1.27"));
  EXPECT_FALSE(Widens("1.0, 0.1", "0.0, 1.33"));
  EXPECT_TRUE(Widens("1.0, 0.1", "0.0, -1.9"));
  EXPECT_FALSE(Widens("1.0, 0.1", "0.0, -2.6"));
}

TEST_F(WideOutputsTest, WeightsOfAChannelAddUp) {
  // 3 * 2 +- 4 sqrt(2) is [0, 11.66]; channel 1 is [0, 2.89] or [0, 2.94].
  EXPECT_TRUE(Widens("1.0; 1.0, 0.25; 0.245"));
  EXPECT_FALSE(Widens("1.0; 1.0, 0.255; 0.25"));
  // 3 * 0 +- 4 sqrt(2), and in proportion.
  EXPECT_TRUE(Widens("1.0; -1.0, 0.24; -0.24"));
  EXPECT_FALSE(Widens("1.0; -1.0, 0.26; -0.26"));
}

TEST_F(WideOutputsTest, AChannelOfZerosSaysNothing) {
  EXPECT_FALSE(Widens("1.0, 0.0"));
  EXPECT_FALSE(Widens("0.0, 0.0"));
}

TEST_F(WideOutputsTest, LayersInsideStay) {
  Use(R"(
    input %x: float32[1x1]
    const %w: float32[2x1] = [1.0, 0.01]
    const %v: float32[1x2] = [1.0, 1.0]
    %h: float32[1x2] = fully_connected(%x, %w) from "inside"
    %y: float32[1x1] = fully_connected(%h, %v) from "last"
    output %y)",
      {});
  Observe("x", {2, 4});
  EXPECT_THAT(Apply(MeasureKind::kWideOutputs), IsEmpty());
}

TEST_F(WideOutputsTest, LayersWithoutWeightsStay) {
  Use(R"(
    input %x: float32[1x2]
    %r: float32[2] = reshape(%x) {shape=[2]} from "r"
    output %r)",
      {});
  Observe("x", {2, 4});
  EXPECT_THAT(Apply(MeasureKind::kWideOutputs), IsEmpty());
}

TEST_F(WideOutputsTest, WhatFollowsANamedLayerStaysWithIt) {
  Use(R"(
    input %x: float32[1x1]
    const %w: float32[2x1] = [1.0, 0.01]
    %y: float32[1x2] = fully_connected(%x, %w) from "head"
    %r: float32[2] = reshape(%y) {shape=[2]} from "flat"
    output %r)",
      {});
  Observe("x", {2, 4});
  precisions_.SetNamed(Layer("head"));
  EXPECT_THAT(Apply(MeasureKind::kWideOutputs), IsEmpty());
}

TEST_F(WideOutputsTest, LayersWhoseBiasIsComputedStay) {
  Use(R"(
    input %x: float32[1x1]
    input %b: float32[2]
    const %w: float32[2x1] = [1.0, 0.01]
    %y: float32[1x2] = fully_connected(%x, %w, %b) from "head"
    output %y)",
      {});
  Observe("x", {2, 4});
  EXPECT_THAT(Apply(MeasureKind::kWideOutputs), IsEmpty());
}

TEST_F(WideOutputsTest, ChannelsOfDepthwiseKernelsAreTheLastDimension) {
  Use(R"(
    input %x: float32[1x1x2x2]
    const %w: float32[1x1x2x2] = [1.0, 0.1, 1.0, 0.1]
    %y: float32[1x1x1x2] = depthwise_conv2d(%x, %w) from "head"
    output %y)",
      {});
  Observe("x", {2, 4});
  EXPECT_THAT(Apply(MeasureKind::kWideOutputs), ElementsAre("head"));
}

TEST_F(PrecisionPolicyTest, AnExpectationIsReadByOneLayerOfOneChannelAlone) {
  const auto apply = [&](absl::string_view reader, absl::string_view outputs = "output %e") {
    precisions_ = LayerPrecisions(Precision{});
    Use(absl::StrCat(R"(
    input %x: float32[1x1x4x4]
    const %n: float32[1x1x1x4] = [0, 1, 2, 3]
    const %m: float32[2x1x1x4] = [0, 1, 2, 3, 0, 1, 2, 3]
    const %one: float32[1x1x1x1] = [3]
    const %two: float32[1x1x1x2] = [0, 1]
    %s: float32[1x1x4x4] = softmax(%x) {axis=3} from "Softmax"
)",
                     reader, " from \"Mean\"\n", outputs),
        {});
    return Apply(MeasureKind::kWideExpectations);
  };
  constexpr absl::string_view kMean = "%e: float32[1x1x4x1] = conv2d(%s, %n)";
  EXPECT_THAT(apply(kMean), ElementsAre("Softmax", "Mean"));
  EXPECT_THAT(apply(kMean, "output %e\noutput %s"), IsEmpty());
  EXPECT_THAT(apply(kMean, "%o: float32[1x1x4x4] = tanh(%s) from \"o\"\noutput %e\noutput %o"),
              IsEmpty());
  EXPECT_THAT(apply("%e: float32[1x1x4x2] = conv2d(%s, %m)"), IsEmpty());
  EXPECT_THAT(apply("%e: float32[1x1x4x4] = tanh(%s)"), IsEmpty());
  EXPECT_THAT(apply(R"(%t: float32[1x1x4x4] = tanh(%s) from "t"
    %e: float32[1x1x4x1] = conv2d(%t, %n))"),
              IsEmpty());
  EXPECT_THAT(apply(R"(%d: float32[1x1x8x2] = reshape(%s) {shape=[1, 1, 8, 2]} from "Split"
    %e: float32[1x1x8x1] = conv2d(%d, %two))"),
              ElementsAre("Softmax", "Split", "Mean"));
  EXPECT_THAT(apply(R"(%d: float32[1x4x4x1] = transpose(%s) {perm=[0, 2, 3, 1]} from "Turn"
    %e: float32[1x4x4x1] = conv2d(%d, %one))"),
              IsEmpty());
  Use("input %x: float32[2x4]\n%s: float32[2x4] = softmax(%x) from \"s\"\noutput %s", {});
  EXPECT_THAT(Apply(MeasureKind::kWideExpectations), IsEmpty());
}

TEST_F(PrecisionPolicyTest, NamedLayersOfAnExpectationStay) {
  constexpr absl::string_view kBody = R"(
    input %x: float32[1x1x4x4]
    const %n: float32[1x1x1x4] = [0, 1, 2, 3]
    %s: float32[1x1x4x4] = softmax(%x) {axis=3} from "Softmax"
    %e: float32[1x1x4x1] = conv2d(%s, %n) from "Mean"
    output %e)";
  Use(kBody, {});
  precisions_.SetNamed(Layer("Mean"));
  EXPECT_THAT(Apply(MeasureKind::kWideExpectations), ElementsAre("Softmax"));
  precisions_ = LayerPrecisions(Precision{});
  precisions_.SetNamed(Layer("Softmax"));
  EXPECT_THAT(Apply(MeasureKind::kWideExpectations), IsEmpty());
}

TEST_F(PrecisionPolicyTest, FromSoftmaxToItsMean) {
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
  EXPECT_THAT(Apply(MeasureKind::kWideExpectations), ElementsAre("Softmax", "Transpose", "Mean"));
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

TEST_F(PrecisionPolicyTest, ASigmoidOfARangeThatOthersReadToo) {
  Use(kSigmoidAndOther, {{"c", {-70, 7}}, {"a", {-70, 7}}});
  EXPECT_THAT(Apply(MeasureKind::kWideSigmoids), ElementsAre("Sigmoid", "Conv"));
  Use(kSigmoidAndOther, {{"c", {-10, 7}}, {"a", {-10, 7}}});
  EXPECT_THAT(Apply(MeasureKind::kWideSigmoids), IsEmpty()) << "its steps are fine enough";
}

TEST_F(PrecisionPolicyTest, ASigmoidsOwnRangeIsAQuarterOfTheSteps) {
  // The part that matters, from -6.9 to 6.3, is 13.2 wide.
  Use(kSigmoidAndOther, {{"c", {-49, 7}}, {"a", {-49, 7}}});
  EXPECT_THAT(Apply(MeasureKind::kWideSigmoids), ElementsAre("Sigmoid", "Conv"));
  precisions_ = LayerPrecisions(Precision{});
  Use(kSigmoidAndOther, {{"c", {-44, 7}}, {"a", {-44, 7}}});
  EXPECT_THAT(Apply(MeasureKind::kWideSigmoids), IsEmpty());
}

TEST_F(PrecisionPolicyTest, ASigmoidWithExactlyAQuarterOfTheStepsStays) {
  // hard_sigmoid rises from -2.5 to 2.5.
  constexpr absl::string_view kBody = R"(
    input %x: float32[1x1x1x2]
    const %w: float32[2x1x1x2] = [1.0, -0.5, 0.5, 0.3]
    %c: float32[1x1x1x2] = conv2d(%x, %w) from "Conv"
    %s: float32[1x1x1x2] = hard_sigmoid(%c) from "Sigmoid"
    %a: float32[1x1x1x2] = add(%c, %x) from "Add"
    output %s
    output %a)";
  Use(kBody, {{"c", {-10, 10}}, {"a", {-10, 10}}});
  EXPECT_THAT(Apply(MeasureKind::kWideSigmoids), IsEmpty());
  Use(kBody, {{"c", {-10, 10.1f}}, {"a", {-10, 10.1f}}});
  EXPECT_THAT(Apply(MeasureKind::kWideSigmoids), ElementsAre("Sigmoid", "Conv"));
}

TEST_F(PrecisionPolicyTest, ASigmoidOfARangeThatNothingElseReadsIsNarrowedInstead) {
  Use(R"(
    input %x: float32[1x1x1x2]
    const %w: float32[2x1x1x2] = [1.0, -0.5, 0.5, 0.3]
    %c: float32[1x1x1x2] = conv2d(%x, %w) from "Conv"
    %s: float32[1x1x1x2] = sigmoid(%c) from "Sigmoid"
    output %s)",
      {{"c", {-70, 7}}});
  EXPECT_THAT(Apply(MeasureKind::kWideSigmoids), IsEmpty());
}

TEST_F(PrecisionPolicyTest, ASigmoidMayReadItsLayerFromElsewhere) {
  const auto apply = [&](absl::string_view between) {
    precisions_ = LayerPrecisions(Precision{});
    Use(absl::StrCat(R"(
    input %x: float32[1x1x1x2]
    const %w: float32[2x1x1x2] = [1.0, -0.5, 0.5, 0.3]
    %c: float32[1x1x1x2] = conv2d(%x, %w) from "Conv"
    %t: float32[2] = )",
                     between, R"( from "Between"
    %s: float32[2] = sigmoid(%t) from "Sigmoid"
    %a: float32[1x1x1x2] = add(%c, %x) from "Add"
    output %s
    output %a)"),
        {{"c", {-70, 7}}, {"t", {-70, 7}}, {"a", {-70, 7}}});
    return Apply(MeasureKind::kWideSigmoids);
  };
  EXPECT_THAT(apply("reshape(%c) {shape=[2]}"), ElementsAre("Sigmoid", "Between", "Conv"));
  EXPECT_THAT(apply("reshape(%x) {shape=[2]}"), IsEmpty());
  EXPECT_THAT(apply("reduce_max(%c) {axes=[0, 1, 2], keep_dims=0}"), IsEmpty());
}

TEST_F(PrecisionPolicyTest, NamedLayersAndUnknownRangesOfASigmoidStay) {
  for (const absl::string_view named : {"Conv", "Sigmoid"}) {
    precisions_ = LayerPrecisions(Precision{});
    Use(kSigmoidAndOther, {{"c", {-70, 7}}, {"a", {-70, 7}}});
    precisions_.SetNamed(Layer(named));
    EXPECT_THAT(Apply(MeasureKind::kWideSigmoids), IsEmpty()) << named;
  }
  precisions_ = LayerPrecisions(Precision{});
  Use(kSigmoidAndOther, {{"a", {-70, 7}}});
  EXPECT_THAT(Apply(MeasureKind::kWideSigmoids), IsEmpty());
}

TEST_F(PrecisionPolicyTest, ASigmoidThatStaysRealNeedsNo16Bits) {
  Use(kSigmoidAndOther, {{"c", {-70, 7}}, {"a", {-70, 7}}});
  real_outputs_ = {true, true};
  EXPECT_THAT(Apply(MeasureKind::kWideSigmoids), IsEmpty());
  Use(absl::StrReplaceAll(kSigmoidAndOther, {{"output %s", R"(
    %r: float32[2] = reshape(%s) {shape=[2]} from "r"
    output %r)"}}),
      {{"c", {-70, 7}}, {"a", {-70, 7}}});
  real_outputs_ = {true, true};
  EXPECT_THAT(Apply(MeasureKind::kWideSigmoids), IsEmpty());
}

TEST_F(PrecisionPolicyTest, FunctionsWithRangesOfTheirOwnAndSoftmaxAreNoSigmoids) {
  for (const char* function : {"relu(%c)", "softmax(%c)"}) {
    Use(absl::StrReplaceAll(kSigmoidAndOther, {{"sigmoid(%c)", function}}),
        {{"c", {-70, 7}}, {"s", {0, 7}}, {"a", {-70, 7}}});
    EXPECT_THAT(Apply(MeasureKind::kWideSigmoids), IsEmpty()) << function;
  }
}

TEST_F(PrecisionPolicyTest, SixteenBitsWithFineStepsStayAsTheyAre) {
  Use(kBoxesAndScores, {{"b", {0, 31}}, {"k", {0, 31}}, {"t", {0, 31}}});
  precisions_ = LayerPrecisions(PrecisionOf(DataType::kInt16));
  for (const MeasureKind kind : AllMeasureKinds())
    EXPECT_THAT(Apply(kind), IsEmpty()) << Name(kind);
}

TEST_F(PrecisionPolicyTest, ChangedRangesAreNamedByLayer) {
  Use(kBoxesAndScores, {});
  const PrecisionMeasure measure = ChangedRanges(graph_, MeasureKind::kNarrowedRanges,
                                                 {{"l", {-9, 9}}, {"b", {0, 1}}, {"s", {0, 1}}},
                                                 {{"l", {-7, 7}}, {"b", {0, 1}}, {"k", {0, 1}}});
  EXPECT_THAT(measure.layers, ElementsAre("logits"));
}

TEST_F(PrecisionPolicyTest, ANormalizationHas16BitsInside) {
  Use(R"(
    input %x: float32[1x2x4]
    const %k: float32[4] = [1.0, 2.0, 3.0, 4.0]
    %a: float32[1x2x4] = add(%x, %k) from "before"
    %s: float32[1x2x4] = square(%a) from "norm"
    %v: float32[1x2x1] = reduce_mean(%s) {axes=[2], keep_dims=1} from "norm"
    %d: float32[1x2x1] = sqrt(%v) from "norm"
    %n: float32[1x2x4] = div(%a, %d) from "norm"
    %y: float32[1x2x4] = relu(%n) from "after"
    output %y)",
      {{"n", {-2, 2}}});
  EXPECT_THAT(Apply(MeasureKind::kWideNorms), ElementsAre("norm"));
  EXPECT_EQ(TypeOf("before"), DataType::kUint8);
  EXPECT_EQ(TypeOf("norm"), DataType::kInt16);
  EXPECT_EQ(TypeOf("after"), DataType::kUint8);
}

TEST_F(PrecisionPolicyTest, WhatBlocksWithNormalizationsAreAddedToHas16Bits) {
  Use(R"(
    input %x: float32[1x2x4]
    %r: float32[1x2x4] = relu(%x) from "before"
    %s: float32[1x2x4] = square(%r) from "norm"
    %v: float32[1x2x1] = reduce_mean(%s) {axes=[2], keep_dims=1} from "norm"
    %d: float32[1x2x1] = sqrt(%v) from "norm"
    %n: float32[1x2x4] = div(%r, %d) from "norm"
    %f: float32[1x2x4] = relu(%n) from "inside"
    %a: float32[1x2x4] = add(%r, %f) from "sum"
    %y: float32[1x2x4] = relu(%a) from "after"
    output %y)",
      {{"a", {-2, 2}}});
  EXPECT_THAT(Apply(MeasureKind::kWideResiduals), ElementsAre("sum"));
  EXPECT_EQ(TypeOf("before"), DataType::kUint8);
  EXPECT_EQ(TypeOf("inside"), DataType::kUint8);
  EXPECT_EQ(TypeOf("sum"), DataType::kInt16);
  EXPECT_EQ(TypeOf("after"), DataType::kUint8);
}

constexpr absl::string_view kOperands = R"(
    input %x: float32[2x4]
    const %w: float32[4x4] = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]
    )";

constexpr absl::string_view kNorm = R"(
    %s: float32[2x4] = square(%x) from "norm"
    %v: float32[2x1] = reduce_mean(%s) {axes=[1], keep_dims=1} from "norm"
    %d: float32[2x1] = sqrt(%v) from "norm"
    %n: float32[2x4] = div(%x, %d) from "norm")";

// A block whose result comes from the layer "last", and other readers of it.
std::string Block(absl::string_view more) {
  return absl::StrCat(kOperands, kNorm, R"(
    %g: float32[2x4] = fully_connected(%n, %w) from "first"
    %f: float32[2x4] = fully_connected(%g, %w) from "last"
    %m: float32[2x4] = reshape(%f) {shape=[2, 4]} from "moved"
    %a: float32[2x4] = add(%x, %m) from "sum"
    )",
                      more, "\n    output %a");
}

TEST_F(PrecisionPolicyTest, ALayerGives16BitsToTheStreamThatItIsAddedTo) {
  Use(Block(""), {});
  EXPECT_THAT(Apply(MeasureKind::kWideResiduals), ElementsAre("sum", "last", "moved"));
  EXPECT_TRUE(precisions_.HasWideResult(Layer("last")));
  EXPECT_FALSE(precisions_.HasWideResult(Layer("first")));
  EXPECT_EQ(TypeOf("last"), DataType::kUint8);
  EXPECT_EQ(TypeOf("moved"), DataType::kInt16);
  EXPECT_TRUE(precisions_.Uses(16));
}

TEST_F(PrecisionPolicyTest, ALayerThatOthersReadGives8Bits) {
  Use(Block("%o: float32[2x4] = relu(%f)\n output %o"), {});
  EXPECT_THAT(Apply(MeasureKind::kWideResiduals), ElementsAre("sum"));
  EXPECT_FALSE(precisions_.HasWideResult(Layer("last")));
  EXPECT_EQ(TypeOf("moved"), DataType::kUint8);
}

TEST_F(PrecisionPolicyTest, ADepthwiseLayerGives8Bits) {
  Use(R"(
    input %x: float32[1x2x2x4]
    const %w: float32[1x1x1x4] = [1, 2, 3, 4]
    %s: float32[1x2x2x4] = square(%x) from "norm"
    %v: float32[1x2x2x1] = reduce_mean(%s) {axes=[3], keep_dims=1} from "norm"
    %d: float32[1x2x2x1] = sqrt(%v) from "norm"
    %n: float32[1x2x2x4] = div(%x, %d) from "norm"
    %f: float32[1x2x2x4] = depthwise_conv2d(%n, %w) from "last"
    %a: float32[1x2x2x4] = add(%x, %f) from "sum"
    output %a)",
      {});
  EXPECT_THAT(Apply(MeasureKind::kWideResiduals), ElementsAre("sum"));
  EXPECT_FALSE(precisions_.HasWideResult(Layer("last")));
}

TEST_F(PrecisionPolicyTest, ANamedLayerGivesItsOwnType) {
  Use(Block(""), {});
  precisions_.SetNamed(Layer("last"));
  EXPECT_THAT(Apply(MeasureKind::kWideResiduals), ElementsAre("sum"));
  EXPECT_FALSE(precisions_.HasWideResult(Layer("last")));
}

// A GRU's step, whose state is an input.
constexpr absl::string_view kCell = R"(
    input %x: float32[1x2]
    input %h: float32[1x2]
    const %w: float32[2x2] = [1.0, 2.0, 3.0, 4.0]
    %f: float32[1x2] = fully_connected(%x, %w) from "features"
    %r: float32[1x2] = relu(%f) from "features"
    %i: float32[1x2] = fully_connected(%r, %w) from "of_input"
    %o: float32[1x2] = fully_connected(%h, %w) from "of_state"
    %g: float32[1x2] = add(%i, %o) from "gates"
    %z: float32[1x2] = sigmoid(%g) from "gate"
    %n: float32[1x2] = tanh(%g) from "new"
    %d: float32[1x2] = sub(%h, %n) from "change"
    %p: float32[1x2] = mul(%z, %d) from "change"
    %s: float32[1x2] = add(%n, %p) from "state"
    %y: float32[1x2] = fully_connected(%s, %w) from "last"
    output %y
    output %s)";

TEST_F(PrecisionPolicyTest, ARecurrentCellHas16Bits) {
  Use(kCell, {});
  EXPECT_THAT(Apply(MeasureKind::kWideStates),
              ElementsAre("h", "of_input", "of_state", "gates", "gate", "new", "change", "state"));
  EXPECT_EQ(precisions_.of_input(*graph_.inputs[0]).type, DataType::kUint8);
  EXPECT_EQ(precisions_.of_input(*graph_.inputs[1]).type, DataType::kInt16);
  EXPECT_EQ(TypeOf("of_input"), DataType::kUint8);
  EXPECT_TRUE(precisions_.HasWideResult(Layer("of_input")));
  EXPECT_TRUE(precisions_.of(Layer("of_input")).channelwise);
  EXPECT_EQ(TypeOf("of_state"), DataType::kInt16);
  EXPECT_TRUE(precisions_.of(Layer("of_state")).channelwise) << "its weights have 8 bits";
  EXPECT_EQ(TypeOf("state"), DataType::kInt16);
  EXPECT_EQ(TypeOf("last"), DataType::kUint8);
}

TEST_F(PrecisionPolicyTest, ACellKeepsTheTypesThatTheMetafileNames) {
  Use(kCell, {});
  precisions_.SetInputsNamed();
  precisions_.SetNamed(Layer("of_state"));
  precisions_.SetNamed(Layer("of_input"));
  EXPECT_THAT(Apply(MeasureKind::kWideStates),
              ElementsAre("gates", "gate", "new", "change", "state"));
  EXPECT_EQ(precisions_.of_input(*graph_.inputs[1]).type, DataType::kUint8);
  EXPECT_FALSE(precisions_.HasWideResult(Layer("of_input")));
}

// A bounded function inside of a network, and one whose results reach the output.
constexpr absl::string_view kBounded = R"(
    input %x: float32[1x2]
    const %w: float32[2x2] = [1.0, 2.0, 3.0, 4.0]
    %t: float32[1x2] = tanh(%x) from "inside"
    %f: float32[1x2] = fully_connected(%t, %w) from "layer"
    %s: float32[1x2] = sigmoid(%f) from "score"
    %y: float32[1x2] = mul(%s, %f) from "weighted"
    output %y)";

TEST_F(PrecisionPolicyTest, AFunctionInsideHasStepsForWhatItGave) {
  Use(kBounded, {{"t", {-0.2f, 0.3f}}, {"s", {0, 0.001f}}});
  EXPECT_THAT(Apply(MeasureKind::kFineFunctions), ElementsAre("inside"))
      << "a score may be larger in other samples";
  EXPECT_TRUE(precisions_.IsMeasured(Layer("inside")));
}

TEST_F(PrecisionPolicyTest, AFunctionThatGaveMostOfItsRangeKeepsIt) {
  Use(kBounded, {{"t", {-0.6f, 0.5f}}, {"s", {0, 1}}});
  EXPECT_THAT(Apply(MeasureKind::kFineFunctions), IsEmpty());
  EXPECT_FALSE(precisions_.IsMeasured(Layer("inside")));
}

// Two layers with a function between them, after `first`.
std::string Layers(absl::string_view first) {
  return absl::StrCat(kOperands, first, R"(
    %g: float32[2x4] = fully_connected(%n, %w) from "before"
    %e: float32[2x4] = gelu(%g) from "function"
    %f: float32[2x4] = fully_connected(%e, %w) from "layer"
    output %f)");
}

std::vector<float> ManyAndOne(float many, float one) {
  std::vector<float> values(1000, many);
  values.push_back(one);
  return values;
}

TEST_F(PrecisionPolicyTest, ALayerWhoseOperandHasOutliersHas16Bits) {
  Use(Layers(kNorm), {{"e", {0, 10}}});
  Observe("e", ManyAndOne(0.1f, 10));  // 8 bits have noise of 0.0001, of a power of 0.1
  EXPECT_THAT(Apply(MeasureKind::kWideOutliers), IsEmpty());
  Observe("e", ManyAndOne(0.01f, 4));
  ranges_["e"] = {0, 20};  // 0.0005 of 0.016
  EXPECT_THAT(Apply(MeasureKind::kWideOutliers), ElementsAre("before", "function", "layer"));
  EXPECT_TRUE(precisions_.HasWideResult(Layer("before")));
  EXPECT_EQ(TypeOf("before"), DataType::kUint8);
  EXPECT_EQ(TypeOf("function"), DataType::kInt16);
  EXPECT_EQ(TypeOf("layer"), DataType::kInt16);
  EXPECT_TRUE(precisions_.of(Layer("layer")).channelwise) << "its weights have 8 bits";
  EXPECT_EQ(TypeOf("norm"), DataType::kUint8);
  precisions_ =
      LayerPrecisions(PrecisionOf(DataType::kInt8, QuantizationScheme::kDynamicFixedPoint));
  EXPECT_THAT(Apply(MeasureKind::kWideOutliers), ElementsAre("before", "function", "layer"));
  EXPECT_FALSE(precisions_.of(Layer("layer")).channelwise);
}

TEST_F(PrecisionPolicyTest, ALayerWhoseOperandComesWith8BitsKeepsThem) {
  Use(Layers(kNorm), {{"e", {0, 20}}});
  Observe("e", ManyAndOne(0.01f, 4));
  precisions_.SetNamed(Layer("before"));
  EXPECT_THAT(Apply(MeasureKind::kWideOutliers), IsEmpty());
  EXPECT_EQ(TypeOf("function"), DataType::kUint8);
  EXPECT_EQ(TypeOf("layer"), DataType::kUint8);
}

TEST_F(PrecisionPolicyTest, NetworksWithoutNormalizationsKeepTheirOutliers) {
  Use(Layers("%n: float32[2x4] = relu(%x) from \"relu\""), {{"e", {0, 20}}});
  Observe("e", ManyAndOne(0.01f, 4));
  EXPECT_THAT(Apply(MeasureKind::kWideOutliers), IsEmpty());
  EXPECT_THAT(HistogramsOfPolicy(graph_), ElementsAre("e"));
  Use(Layers(kNorm), {});
  EXPECT_THAT(HistogramsOfPolicy(graph_), ElementsAre("e", "n"));
}

// As the op of its own that importers make.
constexpr absl::string_view kOneNorm =
    "%n: float32[2x4] = normalization(%x) {axes=[1]} from \"norm\"";

TEST_F(PrecisionPolicyTest, ALayerGives16BitsToTheNormalizationThatReadsIt) {
  const auto apply = [&](absl::string_view more) {
    precisions_ = LayerPrecisions(Precision{});
    Use(absl::StrCat(kOperands, R"(
    %g: float32[2x4] = fully_connected(%x, %w) from "layer"
    %m: float32[4x2] = reshape(%g) {shape=[4, 2]} from "moved"
    %n: float32[4x2] = normalization(%m) {axes=[1]} from "norm"
    %y: float32[4x2] = relu(%n) from "after"
    output %y
    )",
                     more),
        {});
    return Apply(MeasureKind::kWideNorms);
  };
  EXPECT_THAT(apply(""), ElementsAre("layer", "moved"));
  EXPECT_TRUE(precisions_.HasWideResult(Layer("layer")));
  EXPECT_EQ(TypeOf("moved"), DataType::kInt16);
  EXPECT_EQ(TypeOf("norm"), DataType::kUint8);
  EXPECT_THAT(apply("%o: float32[2x4] = relu(%g)\n output %o"), IsEmpty());
}

TEST_F(PrecisionPolicyTest, ASumHas16BitsForTheNormalizationThatReadsIt) {
  const auto apply = [&](absl::string_view more) {
    precisions_ = LayerPrecisions(Precision{});
    Use(absl::StrCat(kOperands, R"(
    const %k: float32[4] = [1, 2, 3, 4]
    %g: float32[2x4] = fully_connected(%x, %w) from "layer"
    %a: float32[2x4] = add(%g, %k) from "sum"
    %n: float32[2x4] = normalization(%a) {axes=[1]} from "norm"
    %y: float32[2x4] = relu(%n) from "after"
    output %y
    )",
                     more),
        {});
    return Apply(MeasureKind::kWideNorms);
  };
  EXPECT_THAT(apply(""), ElementsAre("sum", "layer"));
  EXPECT_EQ(TypeOf("sum"), DataType::kInt16);
  EXPECT_EQ(TypeOf("norm"), DataType::kUint8);
  EXPECT_THAT(apply("%o: float32[2x4] = relu(%a)\n output %o"), IsEmpty());
}

TEST_F(PrecisionPolicyTest, ANormalizationThatLeavesHas16Bits) {
  const auto apply = [&](absl::string_view end) {
    precisions_ = LayerPrecisions(Precision{});
    Use(absl::StrCat(R"(
    input %x: float32[2x4]
    %n: float32[2x4] = normalization(%x) {axes=[1]} from "norm"
    %m: float32[8] = reshape(%n) {shape=[8]} from "moved"
    )",
                     end),
        {});
    return Apply(MeasureKind::kWideNorms);
  };
  EXPECT_THAT(apply("output %m"), ElementsAre("norm", "moved"));
  EXPECT_THAT(apply("output %m\n output %n"), ElementsAre("norm", "moved"));
  EXPECT_THAT(apply("%o: float32[8] = relu(%m)\n output %o\n output %n"), IsEmpty());
  precisions_ = LayerPrecisions(Precision{});
  precisions_.SetNamed(Layer("norm"));
  EXPECT_THAT(Apply(MeasureKind::kWideNorms), IsEmpty());
}

TEST_F(PrecisionPolicyTest, ANormalizationGives16BitsToTheStreamThatItIsAddedTo) {
  Use(absl::StrCat(kOperands, R"(
    %g: float32[2x4] = fully_connected(%x, %w) from "layer"
    %n: float32[2x4] = normalization(%g) {axes=[1]} from "norm"
    %a: float32[2x4] = add(%x, %n) from "sum"
    output %a)"),
      {});
  EXPECT_THAT(Apply(MeasureKind::kWideResiduals), ElementsAre("sum", "norm", "layer"));
  EXPECT_EQ(TypeOf("norm"), DataType::kInt16);
  EXPECT_TRUE(precisions_.HasWideResult(Layer("layer")));
}

TEST_F(PrecisionPolicyTest, AStreamThatANormalizationMakesHas16Bits) {
  Use(absl::StrCat(kOperands, R"(
    %n: float32[2x4] = normalization(%x) {axes=[1]} from "norm"
    %g: float32[2x4] = fully_connected(%n, %w) from "layer"
    %a: float32[2x4] = add(%n, %g) from "sum"
    %y: float32[2x4] = normalization(%a) {axes=[1]} from "end"
    output %y)"),
      {});
  EXPECT_THAT(Apply(MeasureKind::kWideResiduals), ElementsAre("norm", "sum", "layer"));
  EXPECT_EQ(TypeOf("norm"), DataType::kInt16);
  EXPECT_EQ(TypeOf("end"), DataType::kUint8);
}

TEST_F(PrecisionPolicyTest, ANormalizationGives16BitsToALayerWithOutliers) {
  Use(Layers(kOneNorm), {{"n", {0, 20}}});
  Observe("n", ManyAndOne(0.01f, 4));
  EXPECT_THAT(Apply(MeasureKind::kWideOutliers), ElementsAre("norm", "before"));
  EXPECT_EQ(TypeOf("norm"), DataType::kInt16);
  EXPECT_EQ(TypeOf("before"), DataType::kInt16);
  EXPECT_THAT(HistogramsOfPolicy(graph_), ElementsAre("e", "n"));
}

constexpr absl::string_view kAttention = R"(
    input %q: float32[1x4x4]
    %p: float32[1x4x4] = softmax(%q) {axis=2} from "attention"
    %r: float32[1x4x4] = reshape(%p) {shape=[1, 4, 4]} from "moved"
    %y: float32[1x4x4] = matmul(%r, %q) from "heads"
    output %y)";

TEST_F(PrecisionPolicyTest, AttentionHasStepsForItsLargestValue) {
  Use(kAttention, {{"p", {0, 0.25}}});
  EXPECT_THAT(Apply(MeasureKind::kFineAttention), ElementsAre("attention"));
  EXPECT_TRUE(precisions_.IsMeasured(Layer("attention")));
  EXPECT_FALSE(precisions_.IsMeasured(Layer("heads")));
}

TEST_F(PrecisionPolicyTest, AttentionOfAlmostOneKeepsTheStepsOfProbabilities) {
  Use(kAttention, {{"p", {0, 0.75}}});
  EXPECT_THAT(Apply(MeasureKind::kFineAttention), IsEmpty());
}

TEST_F(PrecisionPolicyTest, AttentionWithoutDivisionKeepsItsSteps) {
  Use(absl::StrReplaceAll(kAttention, {{"{axis=2}", "{axis=2, normalize=0}"}}), {{"p", {0, 0.25}}});
  EXPECT_THAT(Apply(MeasureKind::kFineAttention), IsEmpty());
}

TEST_F(PrecisionPolicyTest, ProbabilitiesThatLeaveKeepTheirSteps) {
  Use(absl::StrCat(kAttention, "\n    output %p"), {{"p", {0, 0.25}}});
  EXPECT_THAT(Apply(MeasureKind::kFineAttention), IsEmpty());
}

}  // namespace
}  // namespace synap_internal
