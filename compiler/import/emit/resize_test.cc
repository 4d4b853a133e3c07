#include "compiler/import/emit/resize.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "compiler/import/emit/emitted_graph.h"
#include "kernels/resize/resize.h"

namespace synap_internal {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;

TEST(ResizeTest, ScaledSizesAreRoundedDown) {
  EXPECT_EQ(*ScaledSize(5, 1.5), 7);
  EXPECT_EQ(*ScaledSize(4, 0.25), 1);
  EXPECT_EQ(*ScaledSize(Shape::kMaxElements / 2, 2), Shape::kMaxElements);
  EXPECT_FALSE(ScaledSize(Shape::kMaxElements / 2 + 1, 2).ok());
  for (const double scale : {0.1, 0.0, -2.0, 1e30, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THAT(std::string(ScaledSize(4, scale).status().message()),
                HasSubstr("can't resize a dimension of 4 by"))
        << scale;
  }
}

TEST(ResizeTest, TensorflowHasThreeKindsOfCoordinates) {
  EmittedGraph graph;
  Tensor* image = graph.Constant({1, 1, 2, 1}, {0, 4});
  const auto run = [&](bool nearest, bool corners, bool half) {
    return Values(EmitTensorflowResize(graph.op(), image, {{1, 4}, nearest, corners, half}));
  };
  EXPECT_THAT(run(false, false, false), ElementsAre(0, 2, 4, 4));
  EXPECT_THAT(run(false, false, true), ElementsAre(0, 1, 3, 4));
  EXPECT_THAT(run(true, false, false), ElementsAre(0, 0, 4, 4));
  EXPECT_THAT(run(true, true, false), ElementsAre(0, 0, 4, 4));
}

TEST(ResizeTest, OnlyTheNearestPixelIsRounded) {
  const auto rounding = [](bool nearest, bool corners, bool half) {
    EmittedGraph graph;
    const Tensor* y = EmitTensorflowResize(graph.op(), graph.Input({1, 2, 2, 1}),
                                           {{4, 4}, nearest, corners, half})
                          .value();
    const Attributes& attributes = y->producer->attributes;
    const auto found = attributes.find("rounding");
    return found == attributes.end() ? "none" : std::get<std::string>(found->second);
  };
  EXPECT_EQ(rounding(false, true, false), "none");
  EXPECT_EQ(rounding(true, false, false), "floor");
  EXPECT_EQ(rounding(true, true, false), "round_prefer_ceil");
  EXPECT_EQ(rounding(true, false, true), "round_prefer_ceil");
}

TEST(ResizeTest, BothCoordinateFlagsAndOtherSizesAreRefused) {
  EmittedGraph graph;
  const auto text = [&](std::vector<int64_t> dims, const TensorflowResize& resize) {
    return std::string(
        EmitTensorflowResize(graph.op(), graph.Input(std::move(dims)), resize).status().message());
  };
  EXPECT_THAT(text({1, 2, 2, 1}, {{4, 4}, false, true, true}),
              HasSubstr("both align_corners and half_pixel_centers"));
  EXPECT_THAT(text({1, 2, 2, 1}, {{4}}), HasSubstr("its size is [4], expected height and width"));
  EXPECT_THAT(text({2, 2}, {{4, 4}}), HasSubstr("expected an image"));
}

TEST(ResizeTest, GridsSampleAtTheirPositions) {
  EmittedGraph graph;
  Tensor* image = graph.Constant({1, 1, 1, 2}, {3, 5});
  Tensor* grid = graph.Constant({1, 1, 3, 2}, {-1, 0, 0, 0, 1, 0});
  EXPECT_THAT(Values(EmitGridSample(graph.op(), image, grid, {"bilinear", "border", true})),
              ElementsAre(3, 4, 5));
}

std::vector<float> Matrix(const Sampling& sampling, const AxisResize& axis) {
  std::vector<uint8_t> outside;
  return ResizeMatrix(sampling, axis, outside);
}

// Rows are input elements, columns output elements.
TEST(ResizeMatrixTest, LinearWeightsDependOnTheCoordinates) {
  EXPECT_THAT(Matrix({"linear", "half_pixel"}, {2, 4, 2}),
              ElementsAre(1, 0.75f, 0.25f, 0, 0, 0.25f, 0.75f, 1));
  EXPECT_THAT(Matrix({"linear", "asymmetric"}, {2, 4, 2}),
              ElementsAre(1, 0.5f, 0, 0, 0, 0.5f, 1, 1));
  EXPECT_THAT(Matrix({"linear", "align_corners"}, {2, 3, 1.5f}),
              ElementsAre(1, 0.5f, 0, 0, 0.5f, 1));
  EXPECT_THAT(Matrix({"linear", "align_corners"}, {3, 3, 1}),
              ElementsAre(1, 0, 0, 0, 1, 0, 0, 0, 1));
  // At 0.25, 0.75, 1.25, 1.75.
  EXPECT_THAT(Matrix({"linear", "tf_half_pixel_for_nn"}, {3, 4, 2}),
              ElementsAre(0.75f, 0.25f, 0, 0, 0.25f, 0.75f, 0.75f, 0.25f, 0, 0, 0.25f, 0.75f));
}

TEST(ResizeMatrixTest, TheScaleMayBeAnotherThanThatOfTheSizes) {
  // The exact size is 5.2; the second output is at 1.5 / 1.3 - 0.5.
  EXPECT_NEAR(Matrix({"linear", "half_pixel"}, {4, 5, 1.3f})[1], 1.5f - 1.5f / 1.3f, 1e-6f);
}

TEST(ResizeMatrixTest, NearestRoundsAsItIsTold) {
  const auto first = [](const char* rounding) {
    return Matrix({"nearest", "asymmetric", rounding}, {2, 4, 4});  // at 0, 0.25, 0.5, 0.75
  };
  EXPECT_THAT(first("floor"), ElementsAre(1, 1, 1, 1, 0, 0, 0, 0));
  EXPECT_THAT(first("ceil"), ElementsAre(1, 0, 0, 0, 0, 1, 1, 1));
  EXPECT_THAT(first("round_prefer_floor"), ElementsAre(1, 1, 1, 0, 0, 0, 0, 1));
  EXPECT_THAT(first("round_prefer_ceil"), ElementsAre(1, 1, 0, 0, 0, 0, 1, 1));
}

TEST(ResizeMatrixTest, CubicWeightsOfAnOutputSumToOne) {
  for (const bool exclude_outside : {false, true}) {
    Sampling sampling{"cubic", "half_pixel"};
    sampling.exclude_outside = exclude_outside;
    const std::vector<float> matrix = Matrix(sampling, {4, 3, 0.75f});
    std::vector<float> sums(3, 0);
    for (size_t i = 0; i < matrix.size(); ++i) sums[i % 3] += matrix[i];
    EXPECT_THAT(sums, Each(FloatNear(1, 1e-6f)));
  }
}

TEST(ResizeMatrixTest, TapsOutsideAreExcluded) {
  // The first output is at -0.25: Keys' weights of the elements 0 and 1, 0.879 and -0.105, are
  // left.
  Sampling sampling{"cubic", "half_pixel"};
  sampling.exclude_outside = true;
  const std::vector<float> matrix = Matrix(sampling, {4, 8, 2});
  EXPECT_FLOAT_EQ(matrix[0], 0.87890625f / 0.7734375f);
  EXPECT_FLOAT_EQ(matrix[8], -0.10546875f / 0.7734375f);
  EXPECT_EQ(matrix[16], 0);
  EXPECT_FLOAT_EQ(Matrix({"cubic", "half_pixel"}, {4, 8, 2})[8], -0.10546875f);
  EXPECT_FLOAT_EQ(matrix[3 * 8 + 7], 0.87890625f / 0.7734375f);
  EXPECT_FLOAT_EQ(matrix[2 * 8 + 7], -0.10546875f / 0.7734375f);
}

TEST(ResizeMatrixTest, AnOutputWhoseTapsAreAllOutsideIsZero) {
  Sampling sampling{"linear", "asymmetric"};
  sampling.exclude_outside = true;
  EXPECT_THAT(Matrix(sampling, {2, 2, 0.125f}), ElementsAre(1, 0, 0, 0)) << "at 0 and 8";
}

TEST(ResizeMatrixTest, OneOutputIsAtAPlaceOfItsOwn) {
  EXPECT_THAT(Matrix({"linear", "align_corners"}, {2, 1, 0.5f}), ElementsAre(1, 0));
  EXPECT_THAT(Matrix({"linear", "pytorch_half_pixel"}, {4, 1, 0.25f}), ElementsAre(1, 0, 0, 0));
  EXPECT_THAT(Matrix({"linear", "half_pixel"}, {4, 1, 0.25f}), ElementsAre(0, 0.5f, 0.5f, 0));
  EXPECT_THAT(Matrix({"linear", "pytorch_half_pixel"}, {4, 2, 0.5f}),
              ElementsAre(0.5f, 0, 0.5f, 0, 0, 0.5f, 0, 0.5f));
  EXPECT_THAT(Matrix({"linear", "tf_crop_and_resize"}, {3, 1, 1}), ElementsAre(0, 1, 0));
  EXPECT_THAT(Matrix({"linear", "tf_crop_and_resize"}, {3, 2, 1}), ElementsAre(1, 0, 0, 0, 0, 1));
}

TEST(ResizeMatrixTest, SymmetricPixelsHaveTheMiddleInTheMiddle) {
  // The exact size is 5.2.
  const std::vector<float> matrix = Matrix({"linear", "half_pixel_symmetric"}, {4, 5, 1.3f});
  for (size_t i = 0; i < matrix.size(); ++i) {
    EXPECT_NEAR(matrix[i], matrix[matrix.size() - 1 - i], 1e-6f) << i;
  }
  EXPECT_NEAR(matrix[1 * 5 + 2], 0.5f, 1e-6f);
  EXPECT_NEAR(matrix[0 * 5 + 1], 1 - (1.5f - 1 / 1.3f), 1e-6f) << "1 / 1.3 left of it";
}

TEST(ResizeMatrixTest, ACropTellsWhichOutputsAreOutside) {
  std::vector<uint8_t> outside;
  const std::vector<float> matrix =
      ResizeMatrix({"linear", "tf_crop_and_resize"}, {3, 3, 1, 0.5f, 1.5f}, outside);
  EXPECT_THAT(outside, ElementsAre(0, 0, 1));
  EXPECT_THAT(matrix, ElementsAre(0, 0, 0, 1, 0, 0, 0, 1, 0));
  ResizeMatrix({"linear", "tf_crop_and_resize"}, {3, 3, 1, -0.5f, 0.5f}, outside);
  EXPECT_THAT(outside, ElementsAre(1, 0, 0));
}

TEST(NearestElementsTest, PositionsAreRoundedAsTheirModeSays) {
  const auto elements = [](const std::string& coordinates, const std::string& rounding, int64_t in,
                           int64_t out) {
    return NearestElements({"nearest", coordinates, rounding}, {in, out});
  };
  EXPECT_THAT(elements("asymmetric", "floor", 2, 4), ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(elements("asymmetric", "ceil", 2, 4), ElementsAre(0, 1, 1, 1));
  EXPECT_THAT(elements("asymmetric", "round_prefer_floor", 2, 4), ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(elements("asymmetric", "round_prefer_ceil", 2, 4), ElementsAre(0, 1, 1, 1));
  // -0.25, 0.25, 0.75, 1.25; 0.5, 2.5
  EXPECT_THAT(elements("half_pixel", "floor", 2, 4), ElementsAre(0, 0, 0, 1));
  EXPECT_THAT(elements("half_pixel", "round_prefer_floor", 4, 2), ElementsAre(0, 2));
  EXPECT_THAT(elements("half_pixel", "round_prefer_ceil", 4, 2), ElementsAre(1, 3));
  EXPECT_THAT(elements("half_pixel", "round_prefer_ceil", 4, 1), ElementsAre(2));
  EXPECT_THAT(elements("pytorch_half_pixel", "round_prefer_ceil", 4, 1), ElementsAre(0));
  EXPECT_THAT(elements("tf_half_pixel_for_nn", "floor", 4, 2), ElementsAre(1, 3));
  EXPECT_THAT(elements("align_corners", "floor", 5, 3), ElementsAre(0, 2, 4));
  EXPECT_THAT(elements("align_corners", "floor", 5, 1), ElementsAre(0));
}

// As op resize has them, whose test says so too: with a factor of out / in in float32, a position
// that is a whole number may come out as a smaller one.
TEST(NearestElementsTest, RoundedPositionsMayBeThoseOfNeighbours) {
  int differences = 0;
  for (int64_t in = 1; in < 40; ++in) {
    for (int64_t out = 1; out < 40; ++out) {
      const float scale = static_cast<float>(out) / static_cast<float>(in);
      const Sampling sampling = {"nearest", "asymmetric", "floor"};
      const std::vector<int64_t> exact = NearestElements(sampling, {in, out, scale});
      for (int64_t o = 0; o < out; ++o) EXPECT_EQ(exact[static_cast<size_t>(o)], o * in / out);
      differences +=
          NearestSources(in, out, scale, sampling.coordinates, sampling.rounding) != exact ? 1 : 0;
    }
  }
  EXPECT_GT(differences, 0);
  EXPECT_LT(differences, 100);
}

TEST(ResizeMatrixTest, AnyDimensionCanBeResized) {
  EmittedGraph graph;
  Tensor* x = graph.Counted({2, 3});
  const std::vector<float> mean_of_two = {0.5f, 0.5f};
  const Emitted rows = EmitResizedAxis(graph.op(), x, 0, mean_of_two, 1);
  ASSERT_TRUE(rows.ok());
  EXPECT_EQ((*rows)->type.shape, Shape({1, 3}));
  EXPECT_THAT(Values(rows), ElementsAre(1.5f, 2.5f, 3.5f));
  EXPECT_THAT(Values(EmitResizedAxis(graph.op(), x, 1, {1, 0, 1}, 1)), ElementsAre(2, 8));
}

TEST(ResizeMatrixTest, TheLastDimensionNeedsNoTranspose) {
  EmittedGraph graph;
  EXPECT_EQ(graph.Text(EmitResizedAxis(graph.op(), graph.Input({2, 3, 4}), 2, {1, 0, 0, 1}, 1)),
            "y.rows = reshape(x0)\ny.product = matmul(y.rows, y.weights)\n"
            "y.resized = reshape(y.product)\ny.resized 2x3x1");
}

}  // namespace
}  // namespace synap_internal
