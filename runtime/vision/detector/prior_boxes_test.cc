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

struct Prior {
  double x, y, w, h;
};

// Boxes, scores of two classes and landmarks of `count` detections.
std::vector<TestTensor> Outputs(int64_t count, bool landmarks) {
  std::vector<TestTensor> tensors = {TestTensor(Shape{1, count, 4}),
                                     TestTensor(Shape{1, count, 2})};
  if (landmarks) tensors.emplace_back(Shape{1, count, 10});
  for (size_t i = 0; i < tensors.size(); ++i) {
    tensors[i].Randomize(static_cast<uint32_t>(i + 1), i == 1 ? 0.1f : -2, i == 1 ? 1 : 2);
  }
  return tensors;
}

// All boxes, in a rectangle of 1000 x 500 pixels.
void ExpectBoxes(const std::vector<FoundBox>& boxes, const std::vector<Prior>& priors,
                 std::vector<TestTensor> tensors, double v0 = 0.1, double v1 = 0.2) {
  ASSERT_EQ(boxes.size(), priors.size());
  for (size_t i = 0; i < boxes.size(); ++i) {
    const Prior& p = priors[i];
    const float* d = &tensors[0].at({0, static_cast<int64_t>(i), 0});
    const double x = p.x + d[0] * v0 * p.w, y = p.y + d[1] * v0 * p.h;
    const double w = p.w * std::exp(d[2] * v1), h = p.h * std::exp(d[3] * v1);
    ASSERT_NEAR(boxes[i].x0, 1000 * (x - w / 2), 0.01) << i;
    ASSERT_NEAR(boxes[i].y0, 500 * (y - h / 2), 0.01) << i;
    ASSERT_NEAR(boxes[i].x1, 1000 * (x + w / 2), 0.01) << i;
    ASSERT_NEAR(boxes[i].y1, 500 * (y + h / 2), 0.01) << i;
    ASSERT_EQ(boxes[i].score, tensors[1].at({0, static_cast<int64_t>(i), 1}));
    ASSERT_EQ(boxes[i].class_index, 0);
    if (tensors.size() < 3) continue;
    const float* l = &tensors[2].at({0, static_cast<int64_t>(i), 0});
    ASSERT_EQ(boxes[i].landmarks.size(), 5);
    ASSERT_NEAR(boxes[i].landmarks[3].x, 1000 * (p.x + l[6] * v0 * p.w), 0.01);
    ASSERT_NEAR(boxes[i].landmarks[3].y, 500 * (p.y + l[7] * v0 * p.h), 0.01);
  }
}

TEST(RetinafaceTest, DecodesBoxesAndLandmarksOfItsPriors) {
  // An input of 100x60: grids of 13x8, 7x4 and 4x2 cells.
  std::vector<Prior> priors;
  for (const int level : {0, 1, 2}) {
    const double step = 8 << level;
    for (int y = 0; y < std::ceil(60 / step); ++y) {
      for (int x = 0; x < std::ceil(100 / step); ++x) {
        for (const double size : {16 << (2 * level), 32 << (2 * level)}) {
          priors.push_back({(x + 0.5) * step / 100, (y + 0.5) * step / 60, size / 100, size / 60});
        }
      }
    }
  }
  ASSERT_EQ(priors.size(), 2 * (13 * 8 + 7 * 4 + 4 * 2));
  for (const bool landmarks : {true, false}) {
    std::vector<TestTensor> tensors = Outputs(static_cast<int64_t>(priors.size()), landmarks);
    const auto boxes =
        DecodeTensors("retinaface w_scale=100 h_scale=60", tensors, 1000, 500, /*threshold=*/0);
    ASSERT_TRUE(boxes.ok()) << boxes.status();
    ExpectBoxes(*boxes, priors, tensors);
  }
}

TEST(UltrafaceTest, DecodesItsClippedPriors) {
  const std::vector<std::vector<double>> sizes = {
      {10, 16, 24}, {32, 48}, {64, 96}, {128, 192, 256}};
  const int columns[] = {40, 20, 10, 5}, rows[] = {30, 15, 8, 4};
  std::vector<Prior> priors;
  for (size_t level = 0; level < 4; ++level) {
    for (int y = 0; y < rows[level]; ++y) {
      for (int x = 0; x < columns[level]; ++x) {
        for (const double size : sizes[level]) {
          priors.push_back({(x + 0.5) / columns[level], (y + 0.5) / rows[level], size / 320,
                            std::min(1.0, size / 240)});
        }
      }
    }
  }
  ASSERT_EQ(priors.size(), 4420);
  std::vector<TestTensor> tensors = Outputs(4420, false);
  const auto boxes = DecodeTensors("ultraface", tensors, 1000, 500, /*threshold=*/0);
  ASSERT_TRUE(boxes.ok()) << boxes.status();
  ExpectBoxes(*boxes, priors, tensors);
  EXPECT_EQ(DecodeError("ultraface w_scale=640 h_scale=480", Outputs(17640, false)), "");
}

TEST(UltrafaceTest, ReadsBoxesThatTheNetworkHasDecoded) {
  std::vector<TestTensor> tensors = Outputs(5, false);
  std::swap(tensors[0], tensors[1]);  // scores first, as in its files
  const auto boxes = DecodeTensors("ultraface decoded=1", tensors, 1000, 500, /*threshold=*/0);
  ASSERT_TRUE(boxes.ok()) << boxes.status();
  ASSERT_EQ(boxes->size(), 5);
  EXPECT_FLOAT_EQ((*boxes)[4].x0, 1000 * tensors[1].at({0, 4, 0}));
  EXPECT_FLOAT_EQ((*boxes)[4].y1, 500 * tensors[1].at({0, 4, 3}));
  EXPECT_EQ((*boxes)[4].score, tensors[0].at({0, 4, 1}));
}

TEST(SsdTest, TakesPriorsFromItsAttributes) {
  std::vector<TestTensor> tensors = Outputs(4, false);
  auto boxes = DecodeTensors("ssd strides=[16] min_sizes=[[20]] variances=[1,0.5]", tensors, 1000,
                             500, /*threshold=*/0);
  ASSERT_TRUE(boxes.ok()) << boxes.status();
  const double half = 20 / 32.0;
  ExpectBoxes(*boxes,
              {{.25, .25, half, half},
               {.75, .25, half, half},
               {.25, .75, half, half},
               {.75, .75, half, half}},
              tensors, 1, 0.5);
  tensors = Outputs(2, false);
  boxes = DecodeTensors("ssd anchors=[0.5,0.25,0.5,0.125,0.125,0.75,1,0.5]", tensors, 1000, 500,
                        /*threshold=*/0);
  ASSERT_TRUE(boxes.ok()) << boxes.status();
  ExpectBoxes(*boxes, {{0.5, 0.25, 0.5, 0.125}, {0.125, 0.75, 1, 0.5}}, tensors);
}

// The priors of SSD300 as the paper has them (https://arxiv.org/abs/1512.02325, section 2.2).
std::vector<Prior> Ssd300Priors(bool even) {
  const double steps[] = {8, 16, 32, 64, 100, 300};
  const int cells[] = {38, 19, 10, 5, 3, 1};
  const double sizes[] = {30, 60, 111, 162, 213, 264, 315};
  const std::vector<double> ratios[] = {{2}, {2, 3}, {2, 3}, {2, 3}, {2}, {2}};
  std::vector<Prior> priors;
  for (int level = 0; level < 6; ++level) {
    for (int y = 0; y < cells[level]; ++y) {
      for (int x = 0; x < cells[level]; ++x) {
        const double step = even ? 300.0 / cells[level] : steps[level];
        const auto add = [&](double w, double h) {
          priors.push_back({(x + 0.5) * step / 300, (y + 0.5) * step / 300, w / 300, h / 300});
        };
        const double size = sizes[level], geometric_mean = std::sqrt(size * sizes[level + 1]);
        add(size, size);
        add(geometric_mean, geometric_mean);
        for (const double ratio : ratios[level]) {
          add(size * std::sqrt(ratio), size / std::sqrt(ratio));
          add(size / std::sqrt(ratio), size * std::sqrt(ratio));
        }
      }
    }
  }
  return priors;
}

TEST(SsdTest, MakesThePriorsOfSsd300) {
  const std::string format =
      "ssd strides=[8,16,32,64,100,300] min_sizes=[[30],[60],[111],[162],[213],[264]] "
      "max_sizes=[[60],[111],[162],[213],[264],[315]] "
      "aspect_ratios=[[2],[2,3],[2,3],[2,3],[2],[2]] "
      "w_scale=300 h_scale=300";
  ASSERT_EQ(Ssd300Priors(false).size(), 8732);
  std::vector<TestTensor> tensors = Outputs(8732, false);
  for (const bool even : {false, true}) {
    const auto boxes =
        DecodeTensors(format + (even ? " even=1" : ""), tensors, 1000, 500, /*threshold=*/0);
    ASSERT_TRUE(boxes.ok()) << boxes.status();
    ExpectBoxes(*boxes, Ssd300Priors(even), tensors);
  }
}

TEST(SsdTest, ClipsPriorsToTheImage) {
  std::vector<TestTensor> tensors = Outputs(3, false);
  const auto boxes = DecodeTensors(
      "ssd strides=[16] min_sizes=[[10]] aspect_ratios=[[4]] w_scale=16 h_scale=16 clip=1", tensors,
      1000, 500, /*threshold=*/0);
  ASSERT_TRUE(boxes.ok()) << boxes.status();
  ExpectBoxes(*boxes, {{.5, .5, .625, .625}, {.5, .5, 1, .3125}, {.5, .5, .3125, 1}}, tensors);
}

TEST(SsdTest, RefusesWhatDoesNotFit) {
  const std::vector<TestTensor> tensors = Outputs(4, false);
  EXPECT_THAT(DecodeError("ssd", tensors), HasSubstr("priors are unknown; add strides=[8,...]"));
  EXPECT_THAT(DecodeError("ssd min_sizes=[[8]]", tensors),
              HasSubstr("'min_sizes' has 1 lists, expected one for each of the 0 'strides'"));
  EXPECT_THAT(DecodeError("ssd strides=[8,16] min_sizes=[[8]]", tensors),
              HasSubstr("expected one for each of the 2 'strides'"));
  EXPECT_THAT(DecodeError("ssd strides=[8] min_sizes=[[8]] aspect_ratios=[[2],[3]]", tensors),
              HasSubstr("'aspect_ratios' has 2 lists, expected one for each of the 1 'strides'"));
  EXPECT_THAT(
      DecodeError("ssd strides=[8] min_sizes=[[8,9]] max_sizes=[[10]]", tensors),
      HasSubstr("list 0 of format attribute 'max_sizes' has 1 numbers, expected none or 2"));
  EXPECT_THAT(DecodeError("ssd strides=[8] min_sizes=[[8]] aspect_ratios=[[2,0]]", tensors),
              HasSubstr("'aspect_ratios' has the number 0, expected numbers above 0"));
  EXPECT_THAT(DecodeError("ssd anchors=[1,2,3]", tensors), HasSubstr("'anchors' has 3 numbers"));
  EXPECT_THAT(DecodeError("ssd strides=[16] min_sizes=[[20]] variances=[1]", tensors),
              HasSubstr("'variances' has 1 numbers, expected 2"));
  EXPECT_THAT(DecodeError("retinaface", Outputs(5, true)), HasSubstr("any square input"));
  EXPECT_THAT(DecodeError("retinaface", {TestTensor(Shape{1, 5, 4}), TestTensor(Shape{1, 4, 2})}),
              HasSubstr("shapes of the outputs are 1x5x4, 1x4x2, expected of retinaface boxes"));
}

// The priors of YuNet's form of 2021 for an input of that size, which the network halves to each
// grid: the first time up, then down.
std::vector<Prior> YunetPriors(int width, int height) {
  const std::vector<std::vector<double>> sizes = {
      {10, 16, 24}, {32, 48}, {64, 96}, {128, 192, 256}};
  int columns = (width + 1) / 2 / 2, rows = (height + 1) / 2 / 2;
  std::vector<Prior> priors;
  for (size_t level = 0; level < 4; ++level) {
    const int step = 8 << level;
    columns /= 2;
    rows /= 2;
    for (int y = 0; y < rows; ++y) {
      for (int x = 0; x < columns; ++x) {
        for (const double size : sizes[level]) {
          priors.push_back(
              {(x + 0.5) * step / width, (y + 0.5) * step / height, size / width, size / height});
        }
      }
    }
  }
  return priors;
}

void ExpectYunetBoxes(const std::string& format, const std::vector<Prior>& priors) {
  const auto count = static_cast<int64_t>(priors.size());
  TestTensor rows(Shape{count, 14}), scores(Shape{count, 2}), qualities(Shape{count, 1});
  rows.Randomize(1, -2, 2);
  scores.Randomize(2, 0.1f, 1);
  qualities.Randomize(3, -0.25f, 1.25f);
  const auto boxes = DecodeTensors(format, {scores, qualities, rows}, 1000, 500, /*threshold=*/0);
  ASSERT_TRUE(boxes.ok()) << boxes.status();
  ASSERT_EQ(boxes->size(), priors.size());
  for (int64_t i = 0; i < count; ++i) {
    const Prior& p = priors[static_cast<size_t>(i)];
    const FoundBox& box = (*boxes)[static_cast<size_t>(i)];
    const float* d = &rows.at({i, 0});
    ASSERT_NEAR((box.x0 + box.x1) / 2, 1000 * (p.x + 0.1 * d[0] * p.w), 0.01) << i;
    // Not 0.1 as in OpenCV 4.5.4.
    ASSERT_NEAR(box.x1 - box.x0, 1000 * p.w * std::exp(0.2 * d[2]), 0.01) << i;
    ASSERT_NEAR(box.y1 - box.y0, 500 * p.h * std::exp(0.2 * d[3]), 0.01) << i;
    const double quality = std::min(1.0f, std::max(0.0f, qualities.at({i, 0})));
    ASSERT_NEAR(box.score, std::sqrt(scores.at({i, 1}) * quality), 1e-6) << i;
    ASSERT_EQ(box.landmarks.size(), 5);
    ASSERT_NEAR(box.landmarks[4].y, 500 * (p.y + 0.1 * d[13] * p.h), 0.01) << i;
  }
}

TEST(YunetTest, DecodesThePriorsOf2021) {
  // Grids of 20x15, 10x7, 5x3 and 2x1 cells.
  const std::vector<Prior> priors = YunetPriors(160, 120);
  ASSERT_EQ(priors.size(), 1076);
  ExpectYunetBoxes("yunet w_scale=160 h_scale=120", priors);
}

TEST(YunetTest, OddSidesOfTheInputAreHalvedUpFirst) {
  // Grids of 21x15, 10x7, 5x3 and 2x1 cells.
  const std::vector<Prior> priors = YunetPriors(167, 119);
  ASSERT_EQ(priors.size(), 1121);
  ExpectYunetBoxes("yunet w_scale=167 h_scale=119", priors);
  ExpectYunetBoxes("yunet w_scale=161 h_scale=125", YunetPriors(161, 125));
}

TEST(YunetTest, ALowQualityDropsABox) {
  TestTensor rows(Shape{3, 14}), scores(Shape{3, 2}, 0.9f), qualities(Shape{3, 1}, 1);
  qualities.at({1, 0}) = 0.1f;
  const auto boxes = DecodeTensors("yunet strides=[8] w_scale=8 h_scale=8 min_sizes=[[1,2,3]]",
                                   {rows, scores, qualities}, 100, 100);
  ASSERT_TRUE(boxes.ok()) << boxes.status();
  ASSERT_EQ(boxes->size(), 2);
  EXPECT_EQ((*boxes)[1].position, 2);
  EXPECT_THAT(DecodeError("yunet", {rows, scores, TestTensor(Shape{2, 1})}),
              HasSubstr("expected of yunet boxes with landmarks 1xNx14"));
}

TEST(StSsdTest, DecodesBoxesRelativeToTheCornersOfItsAnchors) {
  TestTensor scores(Shape{1, 2, 3}), offsets(Shape{1, 2, 4}), anchors(Shape{1, 2, 4});
  scores.data = {0.1f, 0.2f, 0.7f, 0.9f, 0.05f, 0.05f};
  offsets.data = {0.5f, -0.25f, 0, 1, 0, 0, 0, 0};
  anchors.data = {0.25f, 0.5f, 0.5f, 0.75f, 0, 0, 1, 1};
  const auto boxes = DecodeTensors("st_ssd", {scores, offsets, anchors}, 1000, 500);
  ASSERT_TRUE(boxes.ok()) << boxes.status();
  ASSERT_EQ(boxes->size(), 1);
  const FoundBox& box = (*boxes)[0];
  EXPECT_FLOAT_EQ(box.x0, 1000 * (0.25f + 0.5f * 0.25f));
  EXPECT_FLOAT_EQ(box.y0, 500 * (0.5f - 0.25f * 0.25f));
  EXPECT_FLOAT_EQ(box.x1, 500);
  EXPECT_FLOAT_EQ(box.y1, 500);
  EXPECT_FLOAT_EQ(box.score, 0.7f);
  EXPECT_EQ(box.class_index, 1);
  EXPECT_THAT(DecodeError("st_ssd", {offsets, scores, anchors}),
              HasSubstr("expected of st_ssd in this order scores 1xNxC"));
}

TEST(BlazefaceTest, DecodesBoxesAroundCells) {
  TestTensor logits(Shape{1, 896, 1}), values(Shape{1, 896, 16});
  logits.Randomize(1, -4, 4);
  values.Randomize(2, -50, 50);
  const auto boxes = DecodeTensors("blazeface", {values, logits}, 1000, 500, /*threshold=*/0);
  ASSERT_TRUE(boxes.ok()) << boxes.status();
  ASSERT_EQ(boxes->size(), 896);
  for (int64_t i = 0; i < 896; ++i) {
    const int64_t side = i < 512 ? 16 : 8, cell = i < 512 ? i / 2 : (i - 512) / 6;
    const double x = (static_cast<double>(cell % side) + 0.5) / static_cast<double>(side);
    const double y = (static_cast<double>(cell / side) + 0.5) / static_cast<double>(side);
    const FoundBox& box = (*boxes)[static_cast<size_t>(i)];
    const float* d = &values.at({0, i, 0});
    ASSERT_NEAR((box.x0 + box.x1) / 2, 1000 * (x + d[0] / 128), 0.01) << i;
    ASSERT_NEAR((box.y0 + box.y1) / 2, 500 * (y + d[1] / 128), 0.01) << i;
    ASSERT_NEAR(box.x1 - box.x0, 1000 * d[2] / 128, 0.01) << i;
    ASSERT_NEAR(box.y1 - box.y0, 500 * d[3] / 128, 0.01) << i;
    ASSERT_NEAR(box.score, 1 / (1 + std::exp(-logits.at({0, i, 0}))), 1e-6);
    ASSERT_EQ(box.landmarks.size(), 6);
    ASSERT_NEAR(box.landmarks[5].y, 500 * (y + d[15] / 128), 0.01);
  }
}

TEST(BlazefaceTest, KnowsItsGrids) {
  const auto error = [](int64_t count, int64_t values) {
    return DecodeError("blazeface",
                       {TestTensor(Shape{1, count, values}), TestTensor(Shape{1, count, 1})});
  };
  EXPECT_EQ(error(896, 16), "");
  EXPECT_EQ(error(2304, 16), "");  // one grid of 48x48
  EXPECT_EQ(error(2016, 18), "");  // palms
  EXPECT_THAT(error(900 - 1, 16), HasSubstr("N of one grid or of two"));
  EXPECT_THAT(error(896, 15), HasSubstr("values 1xNx(4+2*L)"));
}

}  // namespace
}  // namespace synap_internal
