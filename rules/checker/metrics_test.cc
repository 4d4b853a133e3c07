#include "rules/checker/metrics.h"

#include <gtest/gtest.h>

#include <vector>

namespace synap_internal {
namespace {

Object At(double left, double confidence = 1) {
  return {.box = {left, 0, 10, 10}, .confidence = confidence};
}

TEST(MetricsTest, IntersectionOverUnion) {
  EXPECT_DOUBLE_EQ(IntersectionOverUnion({0, 0, 10, 10}, {0, 0, 10, 10}), 1);
  EXPECT_DOUBLE_EQ(IntersectionOverUnion({0, 0, 10, 10}, {5, 0, 10, 10}), 50.0 / 150);
  EXPECT_EQ(IntersectionOverUnion({0, 0, 10, 10}, {10, 0, 10, 10}), 0);
  EXPECT_EQ(IntersectionOverUnion({0, 0, 10, 10}, {20, 20, 10, 10}), 0);
  EXPECT_EQ(IntersectionOverUnion({}, {}), 0);
}

TEST(MetricsTest, AllFoundIsPerfect) {
  const DetectedPicture picture{{At(0), At(100)}, {At(0, .9), At(100, .6)}};
  const DetectionFigures figures = MeasureDetections({picture}, 0.4);
  EXPECT_DOUBLE_EQ(figures.ap50, 1);
  EXPECT_DOUBLE_EQ(figures.ap50_95, 1);
  EXPECT_EQ(figures.recall, 1);
  EXPECT_EQ(figures.precision, 1);
  EXPECT_EQ(figures.landmark_error, 0);
}

TEST(MetricsTest, AFalseDetectionCostsByItsRank) {
  // Hit, miss, hit of two objects: precision 1 up to a recall of 0.5, then 2/3.
  const DetectedPicture picture{{At(0), At(100)}, {At(0, .9), At(50, .8), At(100, .7)}};
  EXPECT_NEAR(MeasureDetections({picture}, 0.4).ap50, (51 * 1.0 + 50 * 2 / 3.0) / 101, 1e-12);
  // Ranked last, it costs nothing but precision.
  const DetectedPicture last{{At(0), At(100)}, {At(0, .9), At(50, .6), At(100, .7)}};
  EXPECT_NEAR(MeasureDetections({last}, 0.4).ap50, 1, 1e-12);
  EXPECT_DOUBLE_EQ(MeasureDetections({last}, 0.4).precision, 2 / 3.0);
  EXPECT_EQ(MeasureDetections({last}, 0.65).precision, 1);
}

TEST(MetricsTest, OneObjectIsFoundOnce) {
  const DetectedPicture picture{{At(0)}, {At(0, .9), At(1, .8)}};
  const DetectionErrors errors = CountErrors(picture, 0.4);
  EXPECT_EQ(errors.missed, 0);
  EXPECT_EQ(errors.extra, 1);
}

TEST(MetricsTest, ClassesAreMeasuredApart) {
  Object other = At(0);
  other.class_index = 1;
  const DetectedPicture picture{{At(0), other}, {At(0, .9)}};
  EXPECT_DOUBLE_EQ(MeasureDetections({picture}, 0.4).ap50, 0.5);
}

TEST(MetricsTest, LooseBoxesCountAtLowOverlapsOnly) {
  // 8 of 12 pixels in common, 0.667: right at 0.50, 0.55, 0.60 and 0.65.
  const DetectedPicture picture{{At(0)}, {At(2, .9)}};
  const DetectionFigures figures = MeasureDetections({picture}, 0.4);
  EXPECT_DOUBLE_EQ(figures.ap50, 1);
  EXPECT_NEAR(figures.ap50_95, 0.4, 1e-12);
}

TEST(MetricsTest, LandmarksAreMeasuredByTheObjectsSize) {
  Object truth = At(0), found = At(0, .9);
  truth.landmarks = {{2, 2}, {5, 5}};
  found.landmarks = {{2, 3}, {5, 5}};
  EXPECT_DOUBLE_EQ(MeasureDetections({{{truth}, {found}}}, 0.4).landmark_error, 0.05);
}

TEST(MetricsTest, ObjectsWithoutLandmarksDontThinTheirError) {
  Object truth = At(0), found = At(0, .9);
  truth.landmarks = {{2, 2}};
  found.landmarks = {{2, 3}};
  const DetectedPicture picture{{truth, At(100)}, {found, At(100, .9)}};
  EXPECT_DOUBLE_EQ(MeasureDetections({picture}, 0.4).landmark_error, 0.1);
}

TEST(MetricsTest, NothingThereAndNothingFound) {
  const DetectionFigures figures = MeasureDetections({DetectedPicture{}}, 0.4);
  EXPECT_EQ(figures.ap50, 0);
  EXPECT_EQ(figures.recall, 0);
}

}  // namespace
}  // namespace synap_internal
