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

// A classifier whose float network has 80 % top-1 and 100 % top-5.
TunedPoint Labelled(double milliseconds, double first, double sqnr_db) {
  TunedPoint point = Point(milliseconds, sqnr_db, 38, 40);
  point.loss.task = ModelLoss::Task::kClassification;
  point.loss.accuracy = AccuracyLoss{{0.8, 1}, {first, 0.95}};
  return point;
}

TEST(TuneReportTest, WithLabelsTheAccuracyDecides) {
  const TuneResult result =
      Result({Labelled(1, 0.79, 60), Labelled(2, 0.795, 10), Labelled(3, 0.85, 5)});
  EXPECT_THAT(BestPoints(result, 0), ElementsAre(0, 1, 2));
  const std::optional<Recommendation> taken = Recommend(result, 0);
  ASSERT_TRUE(taken.has_value());
  EXPECT_EQ(taken->point, 1);
  EXPECT_EQ(taken->reason, "the fastest that loses at most 0.5 points of top-1");
  const std::optional<Recommendation> none =
      Recommend(Result({Labelled(1, 0.5, 60), Labelled(2, 0.6, 10)}), 0);
  EXPECT_EQ(none->point, 1);
  EXPECT_EQ(none->reason, "none loses at most 0.5 points of top-1; this one loses least");
}

TEST(TuneReportTest, AccuracyIsShownBesideFloats) {
  const TuneResult result = Result({Labelled(1, 0.79, 60), Labelled(2, 0.795, 10)});
  const std::string text = TuneText(result);
  EXPECT_THAT(text, HasSubstr("; the float network has top-1 80.0 %, top-5 100.0 % and 40 best "
                              "classes there.\n"));
  EXPECT_THAT(text, HasSubstr("  top-1 %        top-5 %  best classes     dB  way\n"));
  EXPECT_THAT(text, HasSubstr("     79.0           95.0      38 of 40   60.0  uint8\n"));
  const std::string html = TuneHtml(result);
  EXPECT_THAT(html, HasSubstr("<th>top-1 %</th><th>top-5 %</th><th>best classes</th>"));
  EXPECT_THAT(html, HasSubstr("<title>float network: top-1 80.0 %</title>"));
  EXPECT_THAT(html, HasSubstr("top-1 79.5 % (float 80.0 %), "));
  EXPECT_THAT(TuneHtml(Result({Point(1, 10)})), Not(HasSubstr("float network: ")));
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
  EXPECT_THAT(text, HasSubstr("Time was up: 3 further ways weren't tried; allow more with "
                              "--time\n"));
  result.limit = "--ways";
  EXPECT_THAT(TuneText(result), HasSubstr("\n3 further ways weren't tried; allow more with "
                                          "--ways\n"));
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
