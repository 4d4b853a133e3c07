#include "compiler/quantize/statistics/calibrate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "compiler/testing/run_pass.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;

// More values than a thread takes at a time.
constexpr size_t kValues = 300000;

Graph SomeGraph() {
  return GraphOfBody(R"(
    input %x: float32[1x300000]
    %s: float32[1x300000] = sigmoid(%x) from "s"
    %r: float32[300000] = reshape(%s) {shape=[300000]} from "r"
    output %r)");
}

std::vector<float> Values(float scale) {
  std::vector<float> values;
  for (size_t i = 0; i < kValues; ++i) {
    values.push_back(scale * (static_cast<float>(i * 7919 % kValues) / kValues - 0.5f));
  }
  return values;
}

absl::Status Add(const std::string& name, const std::vector<std::vector<float>>& values,
                 Calibrator& calibrator) {
  for (size_t i = 0; i < values.size(); ++i) {
    const absl::Span<uint8_t> bytes = calibrator.inputs()[i];
    EXPECT_EQ(bytes.size(), values[i].size() * sizeof(float));
    std::memcpy(bytes.data(), values[i].data(), bytes.size());
  }
  return calibrator.AddSample(name);
}

Statistics Observed(const std::vector<float>& scales, int threads) {
  const Graph graph = SomeGraph();
  auto calibrator = Calibrator::Create(graph, threads);
  EXPECT_TRUE(calibrator.ok()) << calibrator.status();
  for (const float scale : scales) {
    EXPECT_TRUE(Add(absl::StrCat(scale), {Values(scale)}, **calibrator).ok());
  }
  return (*calibrator)->statistics();
}

TEST(CalibratorTest, CountsEveryValueOfEveryTensor) {
  const Statistics statistics = Observed({2, 8}, 1);
  EXPECT_THAT(statistics.tensors(), ElementsAre("x", "s", "r"));
  EXPECT_EQ(statistics.Ranges().at("x").min, -4);
  for (const Histogram& histogram : statistics.histograms()) {
    EXPECT_EQ(histogram.total(), 2 * kValues);
  }
}

TEST(CalibratorTest, CountsTheTensorsThatAreNamedAndWhatTheirValuesComeFrom) {
  const Statistics all = Observed({2}, 1);
  for (const auto& [named, counted] :
       {std::pair<std::set<std::string>, std::vector<bool>>{{"none"}, {false, false, false}},
        {{"x"}, {true, false, false}},
        {{"r"}, {false, true, true}},  // a reshaped s
        {{"s"}, {false, true, false}}}) {
    auto calibrator = Calibrator::Create(SomeGraph(), 2, named);
    ASSERT_TRUE(calibrator.ok()) << calibrator.status();
    ASSERT_TRUE(Add("2", {Values(2)}, **calibrator).ok());
    const Statistics& some = (*calibrator)->statistics();
    EXPECT_EQ(some.Ranges(), all.Ranges());
    for (size_t i = 0; i < counted.size(); ++i) {
      EXPECT_EQ(some.histograms()[i].counts(),
                counted[i] ? all.histograms()[i].counts() : std::vector<uint64_t>())
          << some.tensors()[i];
    }
  }
}

TEST(CalibratorTest, TheRangeIsThatOfAllParts) {
  auto calibrator = Calibrator::Create(SomeGraph(), 2);
  ASSERT_TRUE(calibrator.ok()) << calibrator.status();
  std::vector<float> values(kValues, 1.0f);
  values[kValues / 2] = 5;
  values.back() = -3;
  ASSERT_TRUE(Add("s", {values}, **calibrator).ok());
  EXPECT_EQ((*calibrator)->statistics().TotalRange(0), (ValueRange{-3, 5}));
}

TEST(CalibratorTest, ATensorWithoutValuesIsNotObserved) {
  const Graph graph = GraphOfBody(R"(
    input %x: float32[0]
    %y: float32[0] = tanh(%x) from "y"
    output %y)");
  auto calibrator = Calibrator::Create(graph, 1);
  ASSERT_TRUE(calibrator.ok()) << calibrator.status();
  ASSERT_TRUE((*calibrator)->AddSample("s").ok());
  EXPECT_TRUE((*calibrator)->statistics().tensors().empty());
}

TEST(CalibratorTest, AReshapedTensorHasTheValuesOfItsOperand) {
  const Statistics statistics = Observed({2}, 1);
  EXPECT_EQ(statistics.TotalRange(2), statistics.TotalRange(1));
  EXPECT_EQ(statistics.histograms()[2].counts(), statistics.histograms()[1].counts());
}

TEST(CalibratorTest, AConcatenationHasTheValuesOfItsOperands) {
  const Graph graph = GraphOfBody(R"(
    input %a: float32[1x300000]
    input %b: float32[1x300000]
    %c: float32[1x600000] = concat(%a, %b) {axis=1} from "c"
    output %c)");
  auto calibrator = Calibrator::Create(graph, 2);
  ASSERT_TRUE(calibrator.ok()) << calibrator.status();
  const std::vector<float> a = Values(0.25f), b = Values(40);
  ASSERT_TRUE(Add("s", {a, b}, **calibrator).ok());
  std::vector<float> c = a;
  c.insert(c.end(), b.begin(), b.end());
  const Statistics& statistics = (*calibrator)->statistics();
  const ValueRange range = statistics.TotalRange(2);
  EXPECT_EQ(range, statistics.TotalRange(1));
  const Histogram expected = Histogram::Of(c, range);
  EXPECT_EQ(statistics.histograms()[2].exponent(), expected.exponent());
  EXPECT_EQ(statistics.histograms()[2].counts(), expected.counts());
}

TEST(CalibratorTest, NeitherThreadsNorShardsChangeABit) {
  const std::string whole = Observed({0.001f, 3, 500}, 1).Serialize();
  EXPECT_EQ(Observed({500, 0.001f, 3}, 3).Serialize(), whole);
  Statistics merged = Observed({500}, 2);
  ASSERT_TRUE(merged.Merge(Observed({3, 0.001f}, 1)).ok());
  EXPECT_EQ(merged.Serialize(), whole);
}

// The observed ranges by tensor, after one sample.
std::map<std::string, ValueRange> RangesOf(absl::string_view body,
                                           const std::vector<std::vector<float>>& values) {
  auto calibrator = Calibrator::Create(GraphOfBody(body), 1);
  EXPECT_TRUE(calibrator.ok()) << calibrator.status();
  EXPECT_TRUE(Add("s", values, **calibrator).ok());
  return (*calibrator)->statistics().Ranges();
}

TEST(CalibratorTest, ATensorOfOneValueIsObserved) {
  EXPECT_EQ(RangesOf(R"(
    input %x: float32[1]
    %y: float32[1] = neg(%x) from "y"
    output %y)",
                     {{3}}),
            (std::map<std::string, ValueRange>{{"x", {3, 3}}, {"y", {-3, -3}}}));
}

TEST(CalibratorTest, ComputedTensorsHaveTheirOwnRanges) {
  EXPECT_EQ(RangesOf(R"(
    input %x: float32[2]
    %y: float32[2] = relu(%x) from "y"
    output %y)",
                     {{-1, 2}}),
            (std::map<std::string, ValueRange>{{"x", {-1, 2}}, {"y", {0, 2}}}));
}

TEST(CalibratorTest, ConstantsAndCopiesThatLeaveAreNotObserved) {
  EXPECT_EQ(RangesOf(R"(
    input %x: float32[2]
    const %k: float32[2] = [5.0, -7.0]
    %y: float32[2] = add(%x, %k) from "y"
    output %y
    output %x)",
                     {{1, 2}}),
            (std::map<std::string, ValueRange>{{"x", {1, 2}}, {"y", {-5, 6}}}));
}

TEST(CalibratorTest, PartsAndConcatenationsWithConstantsHaveTheirOwnRanges) {
  EXPECT_EQ(RangesOf(R"(
    input %x: float32[3]
    const %k: float32[1] = [-7.0]
    %p: float32[2] = slice(%x) {sizes=[2], starts=[0]} from "p"
    %c: float32[3] = concat(%p, %k) {axis=0} from "c"
    output %c)",
                     {{1, 2, 9}}),
            (std::map<std::string, ValueRange>{{"x", {1, 9}}, {"p", {1, 2}}, {"c", {-7, 2}}}));
}

TEST(CalibratorTest, MasksAreCutAtTheReachOfTheirTensor) {
  // What precedes the concat reaches further than the concat, which softmax reads.
  const auto ranges = RangesOf(R"(
    input %x: float32[1x2]
    input %o: float32[1x1]
    const %m: float32[1x2] = [0.0, -inf]
    %s: float32[1x2] = add(%x, %m) from "s"
    %c: float32[1x3] = concat(%s, %o) {axis=1} from "c"
    %r: float32[3x1] = reshape(%c) {shape=[3, 1]} from "r"
    %p: float32[3x1] = softmax(%r) {axis=0} from "p"
    output %p)",
                               {{1, 2}, {3}});
  EXPECT_EQ(ranges.at("s"), (ValueRange{-4095, 1}));
  EXPECT_NEAR(ranges.at("c").min, 3 - std::log(8192.0f * 3), 1e-4f);
  EXPECT_EQ(ranges.at("c").max, 3);
  EXPECT_EQ(ranges.at("r"), ranges.at("c"));
}

TEST(CalibratorTest, ItsMemoryIsThatOfTensorsAndTwiceThatOfWeights) {
  const auto calibrator = Calibrator::Create(GraphOfBody(R"(
    input %x: float32[4]
    input %z: float32[4]
    const %k: float32[4] = [1.0, 2.0, 3.0, 4.0]
    %a: float32[4] = add(%x, %k) from "a"
    %b: float32[4] = add(%a, %z) from "b"
    %y: float32[4] = tanh(%b) from "y"
    output %y
    output %b)"),
                                             1);
  ASSERT_TRUE(calibrator.ok()) << calibrator.status();
  EXPECT_EQ((*calibrator)->bytes(), 64u + 2 * 64u + 2 * 16u + 2 * 16u);  // %a, %k, the border
}

TEST(CalibratorTest, RefusesASampleTwice) {
  auto calibrator = Calibrator::Create(SomeGraph(), 1);
  ASSERT_TRUE(Add("a", {Values(1)}, **calibrator).ok());
  const std::string before = (*calibrator)->statistics().Serialize();
  EXPECT_TRUE(absl::IsAlreadyExists(Add("a", {Values(9)}, **calibrator)));
  EXPECT_EQ((*calibrator)->statistics().Serialize(), before);
}

TEST(CalibratorTest, IntegersAreRunAsTheyAre) {
  const Graph graph = GraphOfBody(R"(
    input %x: uint8[4]
    %f: float32[4] = cast(%x) {to="float32"} from "f"
    output %f)");
  auto calibrator = Calibrator::Create(graph, 1);
  ASSERT_TRUE(calibrator.ok()) << calibrator.status();
  const absl::Span<uint8_t> bytes = (*calibrator)->inputs()[0];
  ASSERT_EQ(bytes.size(), 4u);
  for (const size_t i : {0, 1, 2, 3}) bytes[i] = static_cast<uint8_t>(10 + 80 * i);
  ASSERT_TRUE((*calibrator)->AddSample("s").ok());
  const Statistics& statistics = (*calibrator)->statistics();
  ASSERT_THAT(statistics.tensors(), ElementsAre("f"));
  EXPECT_EQ(statistics.TotalRange(0), (ValueRange{10, 250}));
}

TEST(CalibratorTest, RefusesValuesThatAreNotFinite) {
  const Graph graph = SomeGraph();
  for (const size_t place : {size_t{0}, kValues / 2, kValues - 1}) {
    for (const float bad : {NAN, INFINITY, -INFINITY}) {
      auto calibrator = Calibrator::Create(graph, 2);
      std::vector<float> values = Values(1);
      values[place] = bad;
      EXPECT_EQ(
          Add("a", {values}, **calibrator).message(),
          "sample a: tensor 'x' has a value that is not finite, expected numbers; check the sample "
          "and the model's weights");
    }
  }
}

}  // namespace
}  // namespace synap_internal
