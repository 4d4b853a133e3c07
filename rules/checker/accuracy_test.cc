#include "rules/checker/accuracy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace synap_internal {
namespace {

using testing::HasSubstr;

Accuracy MakeAccuracy(double recall, double error) {
  return {.figures = {{.name = "float recall", .value = recall, .tolerance = 0.01},
                      {.name = "float landmark_error",
                       .value = error,
                       .higher_is_better = false,
                       .tolerance = 0.002}},
          .pictures = {{"b.jpg", 1, 3, 12.5}, {"a.jpg", 0, 0, 30}}};
}

Comparison Compare(const Json& golden, const Accuracy& found) {
  const absl::StatusOr<Comparison> comparison = CompareAccuracy(golden, found);
  EXPECT_TRUE(comparison.ok()) << comparison.status();
  return comparison.value_or(Comparison{});
}

TEST(AccuracyTest, WhatStaysWithinToleranceIsFine) {
  const Json golden = AccuracyGolden(MakeAccuracy(0.95, 0.03), {});
  EXPECT_FALSE(Compare(golden, MakeAccuracy(0.95, 0.03)).worse);
  EXPECT_FALSE(Compare(golden, MakeAccuracy(0.94, 0.032)).worse);
  EXPECT_FALSE(Compare(golden, MakeAccuracy(0.99, 0.01)).worse);
}

TEST(AccuracyTest, WhatIsWorseIsNamedWithItsFigures) {
  const Json golden = AccuracyGolden(MakeAccuracy(0.95, 0.03), {});
  const Comparison lower = Compare(golden, MakeAccuracy(0.9399, 0.03));
  EXPECT_TRUE(lower.worse);
  EXPECT_THAT(lower.table,
              HasSubstr("float recall            0.9500    0.9399   -0.0101    0.0100  WORSE\n"));
  const Comparison larger = Compare(golden, MakeAccuracy(0.95, 0.0321));
  EXPECT_TRUE(larger.worse);
  EXPECT_THAT(larger.table,
              HasSubstr("float landmark_error    0.0300    0.0321   +0.0021    0.0020  WORSE\n"));
}

TEST(AccuracyTest, WhatIsNoNumberIsWorse) {
  const Json golden = AccuracyGolden(MakeAccuracy(0.95, 0.03), {});
  EXPECT_TRUE(Compare(golden, MakeAccuracy(std::nan(""), 0.03)).worse);
}

TEST(AccuracyTest, AFigureOnOneSideFails) {
  Json golden = AccuracyGolden(MakeAccuracy(0.95, 0.03), {});
  golden["figures"]["float top1"] = {{"value", 0.5}, {"tolerance", 0.1}};
  EXPECT_THAT(Compare(golden, MakeAccuracy(0.95, 0.03)).table, HasSubstr("ONLY IN THE GOLDEN"));
  EXPECT_TRUE(Compare(golden, MakeAccuracy(0.95, 0.03)).worse);
  golden["figures"].erase("float top1");
  golden["figures"].erase("float recall");
  EXPECT_THAT(Compare(golden, MakeAccuracy(0.95, 0.03)).table, HasSubstr("NOT IN THE GOLDEN"));
  EXPECT_TRUE(Compare(golden, MakeAccuracy(0.95, 0.03)).worse);
}

TEST(AccuracyTest, DamagedGoldensAreRefused) {
  for (const char* text : {"[]", "{}", R"({"figures": 3})", R"({"figures": {"float recall": 1}})",
                           R"({"figures": {"float recall": {"value": 1, "tolerance": "x"}}})"}) {
    EXPECT_FALSE(CompareAccuracy(Json::parse(text), MakeAccuracy(0.95, 0.03)).ok()) << text;
  }
}

TEST(AccuracyTest, AnUpdateKeepsTolerances) {
  Json golden = AccuracyGolden(MakeAccuracy(0.95, 0.03), {});
  golden["figures"]["float recall"]["tolerance"] = 0.25;
  const Json updated = AccuracyGolden(MakeAccuracy(0.9, 0.04), golden);
  EXPECT_EQ(updated["figures"]["float recall"].dump(), R"({"value":0.9,"tolerance":0.25})");
  EXPECT_EQ(updated["figures"]["float landmark_error"].dump(),
            R"({"value":0.04,"tolerance":0.002})");
}

TEST(AccuracyTest, TheWorstPicturesComeFirst) {
  EXPECT_THAT(WorstPictures(MakeAccuracy(0, 0), 1), HasSubstr("  b.jpg: 1, 3; 12.50 dB\n"));
}

}  // namespace
}  // namespace synap_internal
