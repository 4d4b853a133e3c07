#include "kernels/grid_sample/grid_sample.h"

#include <limits>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/testing/conformance.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const OpDef& GridSample() { return GridSampleOps()[0]; }

// Pixels 1, 2, 4 of an image of this shape, read at the coordinates (x, y) of the grid.
std::vector<float> Sample(const Shape& image, const std::vector<float>& grid,
                          const std::string& mode, const std::string& padding,
                          int64_t align_corners) {
  const auto count = static_cast<int64_t>(grid.size() / 2);
  return CheckConformance(GridSample(), {.name = mode + padding,
                                         .inputs = {TestTensor(image, std::vector<float>{1, 2, 4}),
                                                    TestTensor({1, 1, count, 2}, grid)},
                                         .attributes = {{"mode", mode},
                                                        {"padding", padding},
                                                        {"align_corners", align_corners}}})[0]
      .values<float>();
}

// One row of pixels 1, 2, 4 read at the given columns.
std::vector<float> Row(const std::vector<float>& columns, const std::string& mode,
                       const std::string& padding, int64_t align_corners) {
  std::vector<float> grid;
  for (const float column : columns) grid.insert(grid.end(), {column, 0.0f});
  return Sample({1, 1, 3, 1}, grid, mode, padding, align_corners);
}

// One column of the same pixels read at the given rows.
std::vector<float> Column(const std::vector<float>& rows, const std::string& mode,
                          const std::string& padding, int64_t align_corners) {
  std::vector<float> grid;
  for (const float row : rows) grid.insert(grid.end(), {0.0f, row});
  return Sample({1, 3, 1, 1}, grid, mode, padding, align_corners);
}

TEST(GridSampleTest, CornersAreCentersOrEdges) {
  EXPECT_THAT(Row({-1, 0, 1}, "bilinear", "zeros", 1), ElementsAre(1, 2, 4));
  EXPECT_THAT(Row({-1, 0, 1}, "bilinear", "zeros", 0), ElementsAre(0.5f, 2, 2));
  EXPECT_THAT(Row({-0.5f, 0.5f}, "bilinear", "zeros", 1), ElementsAre(1.5f, 3));
}

TEST(GridSampleTest, OutsideIsNothingTheBorderOrTheMirrorImage) {
  EXPECT_THAT(Row({-3, 3}, "nearest", "zeros", 1), ElementsAre(0, 0));
  EXPECT_THAT(Row({-3, 3}, "nearest", "border", 1), ElementsAre(1, 4));
  EXPECT_THAT(Row({-2, 2, 3, 5}, "nearest", "reflection", 1), ElementsAre(2, 2, 1, 4));
  EXPECT_THAT(Row({-1.25f, 1.25f}, "nearest", "reflection", 0), ElementsAre(1, 4));
}

TEST(GridSampleTest, RowsAreReadAsColumnsAre) {
  EXPECT_THAT(Column({-1, 0, 1}, "bilinear", "zeros", 1), ElementsAre(1, 2, 4));
  EXPECT_THAT(Column({-3, 3}, "nearest", "zeros", 1), ElementsAre(0, 0));
  EXPECT_THAT(Column({-3, 3}, "nearest", "border", 1), ElementsAre(1, 4));
}

TEST(GridSampleTest, TheMirrorImageRepeatsItself) {
  // With edges in the corners 1 2 4 4 2 1 1 2 4, else 1 2 4 2 1 2 4: pixels 5, 6, 7 and 8.
  const std::vector<float> from_edges = {8 / 3.0f, 10 / 3.0f, 4, 14 / 3.0f};
  EXPECT_THAT(Row(from_edges, "nearest", "reflection", 0), ElementsAre(1, 1, 2, 4));
  EXPECT_THAT(Row({4, 5, 6, 7}, "nearest", "reflection", 1), ElementsAre(2, 4, 2, 1));
}

TEST(GridSampleTest, NanReadsTheFirstPixel) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const char* mode : {"nearest", "bilinear"}) {
    EXPECT_THAT(Row({nan}, mode, "border", 1), ElementsAre(1)) << mode;
    EXPECT_THAT(Column({nan}, mode, "border", 1), ElementsAre(1)) << mode;
  }
}

TEST(GridSampleTest, CubicRunsThroughThePixels) {
  EXPECT_THAT(Row({-1, 0, 1}, "bicubic", "border", 1), ElementsAre(1, 2, 4));
}

TEST(GridSampleTest, NoCoordinateLeadsOutOfMemory) {
  const float inf = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const char* mode : {"nearest", "bilinear", "bicubic"}) {
    for (const char* padding : {"zeros", "border", "reflection"}) {
      for (const int64_t align : {0, 1}) {
        for (const float y : Row({inf, -inf, nan, 3e38f, -3e38f, 1e9f}, mode, padding, align)) {
          EXPECT_TRUE(y >= -1 && y <= 5) << mode << " " << padding << " " << y;
        }
      }
    }
  }
}

TEST(GridSampleTest, ThreadsDoNotChangeTheResult) {
  TestRandom random(1);
  for (const char* mode : {"nearest", "bilinear", "bicubic"}) {
    CheckConformance(GridSample(),
                     {.name = mode,
                      .inputs = {RandomTensor({DataType::kFloat32, {2, 9, 7, 5}, {}}, random),
                                 RandomTensor({DataType::kFloat32, {2, 70, 80, 2}, {}}, random)},
                      .attributes = {{"mode", std::string(mode)}}});
  }
}

std::string Refusal(TensorType x, TensorType grid, const std::string& mode = "bilinear") {
  return RefusalOf(GridSample(), {.name = "refused",
                                  .inputs = {TestTensor(std::move(x)), TestTensor(std::move(grid))},
                                  .attributes = {{"mode", mode}}});
}

TEST(GridSampleTest, RejectsWhatIsNoImage) {  // grid_sample_c1
  const TensorType grid{DataType::kFloat32, {1, 1, 1, 2}, {}};
  EXPECT_THAT(Refusal({DataType::kFloat32, {1, 0, 2, 1}, {}}, grid), HasSubstr("(grid_sample_c1)"));
  EXPECT_THAT(Refusal({DataType::kInt64, {1, 2, 2, 1}, {}}, grid), HasSubstr("x is int64 1x2x2x1"));
}

TEST(GridSampleTest, RejectsAnotherGrid) {  // grid_sample_c2
  const TensorType x{DataType::kFloat32, {1, 2, 2, 1}, {}};
  EXPECT_THAT(Refusal(x, {DataType::kFloat32, {1, 1, 1, 3}, {}}), HasSubstr("(grid_sample_c2)"));
  EXPECT_THAT(Refusal(x, {DataType::kFloat32, {2, 1, 1, 2}, {}}), HasSubstr("grid is float32 2x1"));
}

TEST(GridSampleTest, RejectsAnotherMode) {  // grid_sample_c3
  EXPECT_THAT(Refusal({DataType::kFloat32, {1, 2, 2, 1}, {}},
                      {DataType::kFloat32, {1, 1, 1, 2}, {}}, "lanczos"),
              HasSubstr("mode is 'lanczos', expected one of bilinear, nearest, bicubic (grid_"));
}

}  // namespace
}  // namespace synap_internal
