#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/shape.h"
#include "runtime/vision/detector/decode_testing.h"

namespace synap_internal {
namespace {

using ::testing::HasSubstr;

// An input of 64x32 pixels: grids of 8x4, 4x2 and 2x1 cells.
constexpr int kStrides[] = {8, 16, 32};
constexpr int Columns(int level) { return 64 / kStrides[level]; }
constexpr int Rows(int level) { return 32 / kStrides[level]; }
constexpr char kInput[] = " w_scale=64 h_scale=32";

// In a rectangle twice as wide and three times as high as the input.
constexpr float kWidth = 128, kHeight = 96;

void ExpectBox(const FoundBox& box, double x0, double y0, double x1, double y1) {
  EXPECT_NEAR(box.x0, 2 * x0, 1e-3);
  EXPECT_NEAR(box.y0, 3 * y0, 1e-3);
  EXPECT_NEAR(box.x1, 2 * x1, 1e-3);
  EXPECT_NEAR(box.y1, 3 * y1, 1e-3);
}

TEST(YoloxTest, DecodesCellsOfAllLevels) {
  constexpr int kPositions = 32 + 8 + 2, kClasses = 3;
  TestTensor list(Shape{1, kPositions, 5 + kClasses});
  list.Randomize(1, 0, 1);
  const auto boxes =
      DecodeTensors(std::string("yolox") + kInput, {list}, kWidth, kHeight, /*threshold=*/0);
  ASSERT_TRUE(boxes.ok()) << boxes.status();
  ASSERT_EQ(boxes->size(), kPositions);
  size_t found = 0;
  for (int level = 0; level < 3; ++level) {
    const int s = kStrides[level];
    for (int y = 0; y < Rows(level); ++y) {
      for (int x = 0; x < Columns(level); ++x, ++found) {
        const float* d = &list.at({0, static_cast<int64_t>(found), 0});
        const FoundBox& box = (*boxes)[found];
        const double cx = (d[0] + x) * s, cy = (d[1] + y) * s;
        const double w = std::exp(d[2]) * s, h = std::exp(d[3]) * s;
        ExpectBox(box, cx - w / 2, cy - h / 2, cx + w / 2, cy + h / 2);
        EXPECT_FLOAT_EQ(box.score, d[4] * d[5 + box.class_index]);
        for (int c = 0; c < kClasses; ++c) EXPECT_LE(d[5 + c], d[5 + box.class_index]);
      }
    }
  }
}

TEST(YoloxTest, FindsTheSizeOfASquareInput) {
  EXPECT_EQ(DecodeError("yolox", {TestTensor(Shape{1, 3549, 85})}), "");  // 416x416
  EXPECT_EQ(DecodeError("yolox strides=[8,16,32,64]", {TestTensor(Shape{1, 8500, 85})}), "");
  EXPECT_THAT(DecodeError("yolox", {TestTensor(Shape{1, 3550, 85})}),
              HasSubstr("3550 detections are not those of any square input with strides of 8, 16, "
                        "32 pixels; write the network's input as w_scale=W h_scale=H"));
  EXPECT_THAT(DecodeError("yolox w_scale=416 h_scale=400", {TestTensor(Shape{1, 3549, 85})}),
              HasSubstr("not those of an input of 416x400"));
  EXPECT_THAT(DecodeError("yolox strides=[0]", {TestTensor(Shape{1, 3549, 85})}),
              HasSubstr("'strides' is '[0]', expected 1 to 16 numbers of pixels"));
  EXPECT_THAT(DecodeError("yolox w_scale=1e9 h_scale=1", {TestTensor(Shape{1, 3549, 85})}),
              HasSubstr("expected at most 16384 pixels"));
}

TEST(FastestdetTest, DecodesTheCellsOfItsGrid) {
  constexpr int kColumns = 4, kRows = 3, kClasses = 2;
  TestTensor planes(Shape{1, 5 + kClasses, kRows, kColumns});
  planes.Randomize(1, 0.125f, 1);
  TestTensor rows(Shape{1, kRows, kColumns, 5 + kClasses});
  for (int v = 0; v < 5 + kClasses; ++v) {
    for (int y = 0; y < kRows; ++y) {
      for (int x = 0; x < kColumns; ++x) rows.at({0, y, x, v}) = planes.at({0, v, y, x});
    }
  }
  const auto boxes = DecodeTensors("fastestdet", {planes}, 1000, 500, /*threshold=*/0);
  const auto same = DecodeTensors("fastestdet transposed=1", {rows}, 1000, 500, /*threshold=*/0);
  ASSERT_TRUE(boxes.ok()) << boxes.status();
  ASSERT_TRUE(same.ok()) << same.status();
  ASSERT_EQ(boxes->size(), kColumns * kRows);
  ASSERT_EQ(same->size(), kColumns * kRows);
  const auto sigmoid = [](double x) { return 1 / (1 + std::exp(-x)); };
  for (int t = 0; t < kColumns * kRows; ++t) {
    const FoundBox& box = (*boxes)[static_cast<size_t>(t)];
    const float* d = &rows.at({0, t / kColumns, t % kColumns, 0});
    EXPECT_NEAR((box.x0 + box.x1) / 2, 1000 * (t % kColumns + std::tanh(d[1])) / kColumns, 0.01);
    EXPECT_NEAR((box.y0 + box.y1) / 2, 500 * (t / kColumns + std::tanh(d[2])) / kRows, 0.01);
    EXPECT_NEAR(box.x1 - box.x0, 1000 * sigmoid(d[3]), 0.01);
    EXPECT_NEAR(box.y1 - box.y0, 500 * sigmoid(d[4]), 0.01);
    EXPECT_EQ(box.class_index, d[6] > d[5] ? 1 : 0);
    EXPECT_FLOAT_EQ(box.score, d[0] * std::max(d[5], d[6]));
    EXPECT_EQ(box.x0, (*same)[static_cast<size_t>(t)].x0);
    EXPECT_EQ(box.score, (*same)[static_cast<size_t>(t)].score);
  }
}

TEST(FastestdetTest, RefusesWhatDoesNotFit) {
  EXPECT_THAT(DecodeError("fastestdet", {TestTensor(Shape{1, 12, 7})}),
              HasSubstr("expected of fastestdet 1x(5+C)xHxW"));
  EXPECT_THAT(DecodeError("fastestdet", {TestTensor(Shape{1, 5, 22, 22})}),
              HasSubstr("which leaves 5 values for a detection, expected at least 6"));
  EXPECT_THAT(DecodeError("fastestdet", {TestTensor(Shape{1, 7, 3, 0})}),
              HasSubstr("output 0: its shape is 1x7x3x0, which has no values"));
}

// Two scores, boxes and landmarks of each level, kind by kind.
std::vector<TestTensor> FaceTensors(int score_count, int per_cell, bool landmarks) {
  std::vector<TestTensor> tensors;
  for (int kind = 0; kind < score_count + (landmarks ? 2 : 1); ++kind) {
    const int values = kind < score_count ? 1 : (kind == score_count ? 4 : 10);
    for (int level = 0; level < 3; ++level) {
      tensors.emplace_back(Shape{1, Columns(level) * Rows(level) * per_cell, values});
      tensors.back().Randomize(static_cast<uint32_t>(tensors.size()), 0, values == 1 ? 1.25f : 2);
    }
  }
  return tensors;
}

TEST(YunetTest, DecodesFacesOfAllLevels) {
  std::vector<TestTensor> tensors = FaceTensors(2, 1, true);
  const auto boxes =
      DecodeTensors(std::string("yunet") + kInput, tensors, kWidth, kHeight, /*threshold=*/0);
  ASSERT_TRUE(boxes.ok()) << boxes.status();
  ASSERT_EQ(boxes->size(), 42);
  size_t found = 0;
  for (int level = 0; level < 3; ++level) {
    const int s = kStrides[level];
    for (int y = 0; y < Rows(level); ++y) {
      for (int x = 0; x < Columns(level); ++x, ++found) {
        const int64_t i = y * Columns(level) + x;
        const auto at = [&](int kind, int v) {
          return double{tensors[static_cast<size_t>(3 * kind + level)].at({0, i, v})};
        };
        const FoundBox& box = (*boxes)[found];
        EXPECT_NEAR(box.score, std::sqrt(std::min(at(0, 0), 1.0) * std::min(at(1, 0), 1.0)), 1e-6);
        const double cx = (at(2, 0) + x) * s, cy = (at(2, 1) + y) * s;
        const double w = std::exp(at(2, 2)) * s, h = std::exp(at(2, 3)) * s;
        ExpectBox(box, cx - w / 2, cy - h / 2, cx + w / 2, cy + h / 2);
        ASSERT_EQ(box.landmarks.size(), 5);
        for (int l = 0; l < 5; ++l) {
          const LandmarkPoint& point = box.landmarks[static_cast<size_t>(l)];
          EXPECT_NEAR(point.x, 2 * (at(3, 2 * l) + x) * s, 1e-3);
          EXPECT_NEAR(point.y, 3 * (at(3, 2 * l + 1) + y) * s, 1e-3);
        }
      }
    }
  }
}

TEST(YunetTest, RefusesOtherTensors) {
  std::vector<TestTensor> tensors = FaceTensors(2, 1, true);
  EXPECT_EQ(DecodeError(std::string("yunet") + kInput, FaceTensors(2, 1, false)), "");
  EXPECT_THAT(DecodeError(std::string("yunet") + kInput, FaceTensors(1, 1, true)),
              HasSubstr("expected of yunet for each stride 2 of 1xNx1, one of 1xNx4"));
  tensors[11] = TestTensor(Shape{1, 3, 10});
  EXPECT_THAT(DecodeError(std::string("yunet") + kInput, tensors), HasSubstr("1x3x10, expected"));
  EXPECT_THAT(DecodeError("yunet", FaceTensors(2, 1, true)), HasSubstr("any square input"));
}

TEST(ScrfdTest, DecodesTwoDetectionsForEachCell) {
  std::vector<TestTensor> tensors = FaceTensors(1, 2, true);
  const auto boxes =
      DecodeTensors(std::string("scrfd") + kInput, tensors, kWidth, kHeight, /*threshold=*/0);
  ASSERT_TRUE(boxes.ok()) << boxes.status();
  ASSERT_EQ(boxes->size(), 84);
  size_t found = 0;
  for (int level = 0; level < 3; ++level) {
    const int s = kStrides[level];
    for (int64_t i = 0; i < Columns(level) * Rows(level) * 2; ++i, ++found) {
      const int64_t x = i / 2 % Columns(level), y = i / 2 / Columns(level);
      const auto at = [&](int kind, int v) {
        return double{tensors[static_cast<size_t>(3 * kind + level)].at({0, i, v})};
      };
      const FoundBox& box = (*boxes)[found];
      EXPECT_EQ(box.score, at(0, 0));
      const double px = static_cast<double>(x * s), py = static_cast<double>(y * s);
      ExpectBox(box, px - at(1, 0) * s, py - at(1, 1) * s, px + at(1, 2) * s, py + at(1, 3) * s);
      EXPECT_NEAR(box.landmarks[4].x, 2 * (px + at(2, 8) * s), 1e-3);
      EXPECT_NEAR(box.landmarks[4].y, 3 * (py + at(2, 9) * s), 1e-3);
    }
  }
}

// The mean of a softmax's bins.
double MeanBin(const float* logits, int bins) {
  double sum = 0, weighted = 0;
  for (int i = 0; i < bins; ++i) {
    sum += std::exp(logits[i]);
    weighted += i * std::exp(logits[i]);
  }
  return weighted / sum;
}

TEST(NanodetTest, DecodesMeansOfBins) {
  constexpr int kClasses = 3, kBins = 8;
  std::vector<TestTensor> apart;
  TestTensor joined(Shape{1, 32 + 8 + 2, kClasses + 4 * kBins});
  joined.Randomize(9, 0.01f, 1);
  int64_t first = 0;
  for (int level = 0; level < 3; ++level) {
    const int64_t cells = Columns(level) * Rows(level);
    TestTensor scores(Shape{1, cells, kClasses}), bins(Shape{1, cells, 4 * kBins});
    for (int64_t i = 0; i < cells; ++i) {
      for (int v = 0; v < kClasses + 4 * kBins; ++v) {
        (v < kClasses ? scores.at({0, i, v}) : bins.at({0, i, v - kClasses})) =
            joined.at({0, first + i, v});
      }
    }
    apart.push_back(scores);
    apart.push_back(bins);
    first += cells;
  }
  const std::string input(kInput);
  const auto expect = [&](const auto& boxes, double offset) {
    ASSERT_TRUE(boxes.ok()) << boxes.status();
    ASSERT_EQ(boxes->size(), 42);
    size_t found = 0;
    for (int level = 0; level < 3; ++level) {
      const int s = kStrides[level];
      for (int y = 0; y < Rows(level); ++y) {
        for (int x = 0; x < Columns(level); ++x, ++found) {
          const float* row = &joined.at({0, static_cast<int64_t>(found), 0});
          const float* bins = row + kClasses;
          const double px = (x + offset) * s, py = (y + offset) * s;
          const FoundBox& box = (*boxes)[found];
          ExpectBox(box, px - MeanBin(bins, kBins) * s, py - MeanBin(bins + kBins, kBins) * s,
                    px + MeanBin(bins + 2 * kBins, kBins) * s,
                    py + MeanBin(bins + 3 * kBins, kBins) * s);
          EXPECT_EQ(box.score, row[box.class_index]);
          for (int c = 0; c < kClasses; ++c) EXPECT_LE(row[c], box.score);
        }
      }
    }
  };
  expect(DecodeTensors("nanodet" + input, apart, kWidth, kHeight, /*threshold=*/0), 0.5);
  expect(DecodeTensors("nanodet_plus strides=[8,16,32]" + input, {joined}, kWidth, kHeight,
                       /*threshold=*/0),
         0);
  EXPECT_THAT(DecodeError("nanodet reg_max=10" + input, apart),
              HasSubstr("expected of nanodet for each stride scores 1xNxC and distances 1xNx44"));
  EXPECT_THAT(DecodeError("nanodet reg_max=0", apart), HasSubstr("'reg_max' is 0"));
  EXPECT_THAT(DecodeError("nanodet_plus", apart), HasSubstr("nanodet_plus needs 1"));
  EXPECT_EQ(DecodeError("nanodet_plus", {TestTensor(Shape{1, 2125, 112})}), "");  // 320x320
}

}  // namespace
}  // namespace synap_internal
