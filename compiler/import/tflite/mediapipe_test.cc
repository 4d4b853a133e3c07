// MediaPipe's custom operators, compared with their definitions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "compiler/import/tflite/test_model.h"

namespace synap_internal::tflite_import {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using tflite::BuiltinOperator;

constexpr int kSame = 1, kValid = 2, kNoActivation = 0;

// Pooling's options: width comes before height.
std::vector<int32_t> Pool(int padding, int stride_width, int stride_height, int width, int height) {
  return {padding, stride_width, stride_height, width, height, kNoActivation, 0, 0, 0, 0};
}

std::vector<float> Numbers(int count) {
  std::vector<float> numbers;
  for (int i = 0; i < count; ++i) numbers.push_back(static_cast<float>((i * 37 + 11) % 23) - 11);
  return numbers;
}

TestModel MaxPool(const TestModel::Dims& dims, const std::vector<int32_t>& options) {
  TestModel model;
  model.Input("x", dims).Add({"y", {}}).Add({"i", {}});
  return model.Custom("MaxPoolingWithArgmax2D", {"x"}, {"y", "i"}, options);
}

TEST(MaxPoolingWithArgmaxTest, NumbersTheElementsOfAWindow) {
  const TestModel model = MaxPool({1, 2, 4, 1}, Pool(kValid, 2, 2, 2, 2));
  const std::vector<float> x = {1, 5, 2, 3, 9, 4, 7, 7};
  EXPECT_THAT(TestModel(model).Output("y").Run({x}), ElementsAre(9, 7));
  EXPECT_THAT(TestModel(model).Output("i").Run({x}), ElementsAre(2.1f, 2.1f));
}

// Indices of a window with pads on all sides, from the definition: elements outside don't count.
TEST(MaxPoolingWithArgmaxTest, ElementsOutsideDoNotCount) {
  constexpr int kHeight = 4, kWidth = 5, kChannels = 2, kRows = 3, kColumns = 2;
  // SAME pads the rows by 0 and 1, the columns by 1 on both sides.
  const TestModel model =
      MaxPool({1, kHeight, kWidth, kChannels}, Pool(kSame, 3, 2, kColumns + 2, kRows));
  const std::vector<float> x = Numbers(kHeight * kWidth * kChannels);
  const std::vector<float> found = TestModel(model).Output("i").Run({x});
  const std::vector<float> values = TestModel(model).Output("y").Run({x});
  const int window_columns = kColumns + 2;
  const int pad_left = ((2 - 1) * 3 + window_columns - kWidth) / 2;
  const int pad_top = std::max(0, ((2 - 1) * 2 + kRows - kHeight) / 2);
  ASSERT_EQ(found.size(), 2u * 2 * kChannels);
  for (int row = 0; row < 2; ++row) {
    for (int column = 0; column < 2; ++column) {
      for (int channel = 0; channel < kChannels; ++channel) {
        float largest = std::numeric_limits<float>::lowest();
        int tap = -1;
        for (int i = 0; i < kRows * window_columns; ++i) {
          const int y = row * 2 - pad_top + i / window_columns;
          const int at = column * 3 - pad_left + i % window_columns;
          if (y < 0 || y >= kHeight || at < 0 || at >= kWidth) continue;
          const float value = x[(y * kWidth + at) * kChannels + channel];
          if (value > largest) {
            largest = value;
            tap = i;
          }
        }
        const int o = (row * 2 + column) * kChannels + channel;
        EXPECT_EQ(values[o], largest) << o;
        EXPECT_FLOAT_EQ(found[o], static_cast<float>(tap) + 0.1f) << o;
      }
    }
  }
}

TEST(MaxUnpoolingTest, PutsElementsBack) {
  TestModel model = MaxPool({1, 2, 4, 1}, Pool(kValid, 2, 2, 2, 2));
  model.Custom("MaxUnpooling2D", {"y", "i"}, {"u"}, Pool(kValid, 2, 2, 2, 2)).Output("u");
  EXPECT_THAT(model.Run({{1, 5, 2, 3, 9, 4, 7, 8}}), ElementsAre(0, 0, 0, 0, 9, 0, 0, 8));
  EXPECT_THAT(model.Text(), Not(HasSubstr("add(")));
}

TEST(MaxUnpoolingTest, TakesIndicesOfTheNetworksInput) {
  TestModel model;
  model.Input("x", {1, 1, 2, 2}).Input("i", {1, 1, 2, 2});
  model.Custom("MaxUnpooling2D", {"x", "i"}, {"y"}, Pool(kSame, 3, 1, 3, 1)).Output("y");
  EXPECT_THAT(model.Run({{1, 2, 3, 4}, {0.1f, 2.1f, 1.1f, 0.1f}}),
              ElementsAre(1, 0, 0, 0, 0, 2, 0, 4, 3, 0, 0, 0));
}

TEST(MaxUnpoolingTest, RefusesOtherStrides) {
  TestModel model;
  model.Input("x", {1, 2, 2, 1}).Input("i", {1, 2, 2, 1});
  model.Custom("MaxUnpooling2D", {"x", "i"}, {"y"}, Pool(kSame, 1, 1, 2, 2)).Output("y");
  EXPECT_THAT(model.Text(), HasSubstr("its windows overlap or leave gaps (supported: float32; "
                                      "strides equal to the window)"));
}

TestModel TransposeConv(int padding, int stride_width, int stride_height) {
  TestModel model;
  model.Input("x", {1, 2, 3, 1}).Floats("w", {1, 3, 2, 1}, {1, 2, 3, 4, 5, 6});
  model.Floats("b", {1}, {0.5f});
  return model
      .Custom("Convolution2DTransposeBias", {"x", "w", "b"}, {"y"},
              {padding, stride_width, stride_height})
      .Output("y");
}

// Each input element adds its multiple of the weights, from (row * stride - pad) on.
std::vector<float> Spread(const std::vector<float>& x, int stride_width, int stride_height,
                          int pad_top, int pad_left, int rows, int columns) {
  std::vector<float> y(rows * columns, 0.5f);
  for (int i = 0; i < 6; ++i) {
    for (int tap = 0; tap < 6; ++tap) {
      const int row = i / 3 * stride_height - pad_top + tap / 2;
      const int column = i % 3 * stride_width - pad_left + tap % 2;
      if (row < 0 || row >= rows || column < 0 || column >= columns) continue;
      y[row * columns + column] += x[i] * static_cast<float>(tap + 1);
    }
  }
  return y;
}

TEST(TransposeConvBiasTest, CutsWhatIsBeyondTheStrides) {
  const std::vector<float> x = {1, 2, 3, 4, 5, 6};
  EXPECT_EQ(TransposeConv(kValid, 2, 2).Run({x}), Spread(x, 2, 2, 0, 0, 5, 6));
  // Rows: 3 - (2 - 1) % 2 - 1 = 1 is cut off, none of it above; columns: 2 - (3 - 1) % 2 - 1 = 1.
  EXPECT_EQ(TransposeConv(kSame, 2, 2).Run({x}), Spread(x, 2, 2, 0, 0, 4, 5));
  // Strides of 1: 2 rows, one of them above, and 1 column.
  EXPECT_EQ(TransposeConv(kSame, 1, 1).Run({x}), Spread(x, 1, 1, 1, 0, 2, 3));
}

TEST(TransposeConvBiasTest, StaysAtTheEndOfANetwork) {
  const auto import = TransposeConv(kSame, 2, 2).Import();
  ASSERT_TRUE(import.ok()) << import.status();
  EXPECT_TRUE(import->warnings.empty());
}

TEST(MediapipeTest, DamagedOptionsAreErrors) {
  EXPECT_THAT(MaxPool({1, 2, 2, 1}, {1, 2}).Output("y").Text(),
              HasSubstr("its options have 8 bytes, expected 24 or more"));
  EXPECT_THAT(MaxPool({1, 2, 2, 1}, Pool(0, 2, 2, 2, 2)).Output("y").Text(),
              HasSubstr("its padding is 0, expected 1 (SAME) or 2 (VALID)"));
  EXPECT_THAT(MaxPool({1, 2, 2, 1}, Pool(kSame, 0, 2, 2, 2)).Output("y").Text(),
              HasSubstr("operator #0 MaxPoolingWithArgmax2D ('y')"));
}

}  // namespace
}  // namespace synap_internal::tflite_import
