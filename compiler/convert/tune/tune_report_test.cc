#include "compiler/convert/tune/tune_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "compiler/target/target.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TunedPoint Point(double milliseconds, double sqnr_db, int kept = 0, int of_float = 0) {
  TunedPoint point;
  point.candidate.type = DataType::kUint8;
  point.loss.samples = 1;
  point.loss.outputs = {{"y", sqnr_db}};
  point.loss.answers = {of_float, kept};
  if (of_float > 0) point.loss.task = ModelLoss::Task::kDetection;
  TunedCost& cost = point.costs.emplace_back();
  cost.latency.seconds = milliseconds / 1000;
  cost.bytes = 2'000'000;
  return point;
}

TuneResult Result(std::vector<TunedPoint> points) {
  TuneResult result;
  result.model = "a<b>.onnx";
  result.targets = {&DefaultTarget()};
  result.calibrating = 8;
  result.measured = 8;
  result.metafiles.assign(points.size(), "data_type: <x>\n");
  result.points = std::move(points);
  return result;
}

TEST(TuneReportTest, PointsThatAnotherOneBeatsArentBest) {
  // The third is slower than the second and loses more; the last one is as fast as the first.
  EXPECT_THAT(
      BestPoints(Result({Point(1, 10), Point(2, 30), Point(3, 20), Point(4, 40), Point(1, 5)}), 0),
      ElementsAre(0, 1, 3));
}

TEST(TuneReportTest, AnswersCountBeforeTheSqnr) {
  EXPECT_THAT(BestPoints(Result({Point(1, 30, 40, 80), Point(2, 20, 60, 80), Point(3, 50, 60, 80),
                                 Point(4, 90, 59, 80)}),
                         0),
              ElementsAre(0, 1, 2));
}

TEST(TuneReportTest, TheFastestThatKeepsEnoughIsRecommended) {
  const TuneResult result = Result(
      {Point(1, 10, 75, 80), Point(2, 20, 76, 80), Point(2.03, 25, 78, 80), Point(9, 30, 80, 80)});
  const std::optional<Recommendation> taken = Recommend(result, 0);
  ASSERT_TRUE(taken.has_value());
  // Within 2 % of the fastest one's time the one that keeps more.
  EXPECT_EQ(taken->point, 2);
  EXPECT_EQ(taken->reason, "the fastest that keeps 95 % of the detections");
}

TEST(TuneReportTest, WithoutEnoughTheLeastLossIsRecommended) {
  const std::optional<Recommendation> taken = Recommend(Result({Point(1, 10), Point(2, 19)}), 0);
  ASSERT_TRUE(taken.has_value());
  EXPECT_EQ(taken->point, 1);
  EXPECT_EQ(taken->reason, "none has an SQNR of 20 dB; this one loses least");
}

TEST(TuneReportTest, NoOutputThatCanBeComparedIsADash) {
  TunedPoint point = Point(1, 0, 5, 5);
  point.loss.outputs.clear();
  EXPECT_THAT(TuneText(Result({point})), HasSubstr("5 of 5      -  uint8\n"));
  EXPECT_EQ(Recommend(Result({point}), 0)->point, 0);
}

TEST(TuneReportTest, ErrorsAndUntriedWaysAreSaid) {
  TuneResult result = Result({Point(1, 10)});
  TunedPoint& failed = result.points.emplace_back();
  failed.candidate.type = DataType::kInt16;
  failed.error = absl::InvalidArgumentError("no room");
  result.metafiles.emplace_back();
  result.untried = 3;
  const std::string text = TuneText(result);
  EXPECT_THAT(text, HasSubstr("8 samples calibrate, 8 others measure.\n"));
  EXPECT_THAT(text, HasSubstr("Not possible: int16: no room\n"));
  EXPECT_THAT(text, HasSubstr("Time was up: 3 further ways weren't tried"));
  EXPECT_EQ(Recommend(Result({failed}), 0), std::nullopt);
}

TEST(TuneReportTest, ThePageHoldsNoMarkupOfNames) {
  const std::string html = TuneHtml(Result({Point(1, 10), Point(2, 30)}));
  EXPECT_THAT(html, HasSubstr("a&lt;b&gt;.onnx"));
  EXPECT_THAT(html, HasSubstr("data_type: &lt;x&gt;"));
  EXPECT_THAT(html, Not(HasSubstr("<x>")));
  EXPECT_THAT(html, HasSubstr("<circle class=\"best\""));
  EXPECT_THAT(html, HasSubstr("<circle class=\"taken\""));
}

}  // namespace
}  // namespace synap_internal
