#include "compiler/report/comparison_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace synap_internal {
namespace {

FolderComparison Example() {
  FolderComparison comparison;
  comparison.tensors.push_back({"relu.npy", "conv2d 'Conv_0'", "relu", Shape({1, 4}), {4}});
  comparison.tensors.push_back(
      {"output_0.npy", "output 0", "scores", Shape({1, 4}), {4, 2, 1.5, 3, 0.75, 0, 21.25}});
  return comparison;
}

TEST(ComparisonReportTest, ListsTensorsInTheirOrder) {
  FolderComparison comparison = Example();
  EXPECT_EQ(TextReport(comparison),
            "layer            tensor   elements  differing      steps  SQNR/dB\n"
            "conv2d 'Conv_0'  relu            4          0          0    200.0\n"
            "output 0         scores          4          2        1.5     21.2\n");
  comparison.unused = {"a.npy", "b.bin"};
  EXPECT_THAT(
      TextReport(comparison),
      testing::EndsWith("not compared, since no tensor of the model has the name: a.npy, b.bin\n"));
}

TEST(ComparisonReportTest, NamesTheFirstTensorBeyondTheTolerance) {
  EXPECT_EQ(CheckWithin(Example(), 1.5), absl::OkStatus());
  EXPECT_EQ(CheckWithin(Example(), 1).message(),
            "output_0.npy: output 0, tensor 'scores', is the first that differs: 2 of 4 elements "
            "differ, most by 1.5 steps: element [0,3] is 0.75, expected 0");
}

TEST(ComparisonReportTest, WithoutToleranceEveryDifferenceCounts) {
  FolderComparison comparison = Example();
  comparison.tensors[1].difference.steps = 1e-9;
  EXPECT_FALSE(CheckWithin(comparison, 0).ok());
}

}  // namespace
}  // namespace synap_internal
