#include "rules/checker/golden.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace synap_internal {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// One run with one output of shape [1, 2, 3], of which elements 0, 2 and 4 are kept.
Json MakeGolden() {
  return Json::parse(R"({"runs": [{
      "input": "a.jpg",
      "outputs": [{"name": "scores", "type": "uint8", "shape": [1, 2, 3], "sha256": "12",
                   "every": 2, "values": [10, 20, 30]}],
      "detections": [{"class": 0, "confidence": 0.5, "box": [1, 2, 3, 4], "landmarks": []}]}]})");
}

TEST(GoldenTest, EqualRecordsHaveNoDifferences) {
  EXPECT_THAT(Differences(MakeGolden(), MakeGolden()), IsEmpty());
}

TEST(GoldenTest, DifferencesOfValuesAreToldInFigures) {
  Json found = MakeGolden();
  Json& output = found["runs"][0]["outputs"][0];
  output["sha256"] = "34";
  output["values"] = {10, 23, 29};
  EXPECT_THAT(Differences(MakeGolden(), found),
              ElementsAre("a.jpg: output scores differs: 2 of 3 sampled values differ, the first "
                          "at [0, 0, 2]: 23, golden 20; largest difference 3"));
}

TEST(GoldenTest, FidelityIsThatOfTheSampledValues) {
  Json found = MakeGolden();
  Json& output = found["runs"][0]["outputs"][0];
  EXPECT_THAT(Fidelities(MakeGolden(), found), IsEmpty());
  output["sha256"] = "34";
  EXPECT_THAT(Fidelities(MakeGolden(), found),
              ElementsAre("a.jpg: output scores, sampled values after against before: the same"));
  output["values"] = {10, 23, 29};
  // 10 * log10((100 + 400 + 900) / (9 + 1)) and 1430 / sqrt(1400 * 1470).
  EXPECT_THAT(
      Fidelities(MakeGolden(), found),
      ElementsAre("a.jpg: output scores, sampled values after against before: SQNR 21.46 dB, "
                  "cosine 0.996812"));
  output["shape"] = {1, 6};
  EXPECT_THAT(Fidelities(MakeGolden(), found), IsEmpty());
  EXPECT_THAT(Fidelities(Json::parse(R"({"runs": [{}]})"), found), IsEmpty());
}

TEST(GoldenTest, ADifferenceThatNoSampleShowsIsFoundByItsDigest) {
  Json found = MakeGolden();
  found["runs"][0]["outputs"][0]["sha256"] = "34";
  EXPECT_THAT(Differences(MakeGolden(), found),
              ElementsAre(HasSubstr("output scores differs: none of the 3 sampled values")));
}

TEST(GoldenTest, AnotherShapeIsTold) {
  Json found = MakeGolden();
  found["runs"][0]["outputs"][0]["shape"] = {1, 6};
  EXPECT_THAT(Differences(MakeGolden(), found),
              ElementsAre("a.jpg: output scores is uint8[1,6], golden uint8[1,2,3]"));
}

TEST(GoldenTest, AMissingDetectionIsTold) {
  Json found = MakeGolden();
  found["runs"][0]["detections"] = Json::array();
  EXPECT_THAT(Differences(MakeGolden(), found),
              ElementsAre(HasSubstr("detections differ: 0, golden 1; the first that differs, "
                                    "number 0: none, golden {\"class\":0")));
}

TEST(GoldenTest, AnotherInputIsTold) {
  Json found = MakeGolden();
  found["runs"][0]["input"] = "b.jpg";
  EXPECT_THAT(Differences(MakeGolden(), found),
              ElementsAre("b.jpg: the golden has the input a.jpg"));
}

TEST(GoldenTest, ADamagedGoldenIsADifference) {
  Json damaged = MakeGolden();
  damaged["runs"][0]["outputs"][0]["values"] = "none";
  EXPECT_THAT(Differences(damaged, MakeGolden()), ElementsAre(HasSubstr("output scores")));
  damaged["runs"][0].erase("outputs");
  EXPECT_FALSE(Differences(damaged, MakeGolden()).empty());
  EXPECT_FALSE(ParseGolden("{\"runs\": 1}", "g.json").ok());
  EXPECT_FALSE(ParseGolden("[", "g.json").ok());
}

TEST(GoldenTest, TextIsReadBackAndHasOneLineForTheValues) {
  const std::string text = GoldenText(MakeGolden());
  EXPECT_THAT(text, HasSubstr("\n     \"values\": [10,20,30]\n"));
  const auto read = ParseGolden(text, "g.json");
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(*read, MakeGolden());
}

}  // namespace
}  // namespace synap_internal
