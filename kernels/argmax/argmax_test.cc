#include "kernels/argmax/argmax.h"

#include <limits>
#include <string>
#include <vector>

#include "base/rounding.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/testing/conformance.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const OpDef& Argmax() { return ArgmaxOps()[0]; }

template <typename T>
std::vector<int64_t> IndicesOf(Shape shape, const std::vector<T>& x, int64_t axis) {
  return CheckConformance(Argmax(), {.name = "argmax",
                                     .inputs = {TestTensor(std::move(shape), x)},
                                     .attributes = {{"axis", axis}}})[0]
      .template values<int64_t>();
}

TEST(ArgmaxTest, FindsTheLargestOfEachRowAndColumn) {
  const std::vector<float> x = {1, 5, 2, 7, -1, 0};
  EXPECT_THAT(IndicesOf({2, 3}, x, -1), ElementsAre(1, 0));
  EXPECT_THAT(IndicesOf({2, 3}, x, 0), ElementsAre(1, 0, 0));
}

TEST(ArgmaxTest, TakesTheFirstOfEqualElements) {
  EXPECT_THAT(IndicesOf<uint8_t>({4}, {3, 9, 9, 1}, 0), ElementsAre(1));
  EXPECT_THAT(IndicesOf<int64_t>({3}, {-5, -5, -5}, 0), ElementsAre(0));
  EXPECT_THAT(IndicesOf<int32_t>({3}, {-5, 2, 2}, 0), ElementsAre(1));
}

TEST(ArgmaxTest, TheFirstNanIsTheLargest) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT_THAT(IndicesOf<float>({5}, {1, nan, inf, nan, 2}, 0), ElementsAre(1));
}

TEST(ArgmaxTest, ThreadsDoNotChangeTheResult) {
  TestRandom random(1);
  for (const Shape& shape : {Shape{300, 200}, Shape{3, 7, 900}, Shape{0, 4}}) {
    for (const DataType type : {DataType::kFloat32, DataType::kUint8}) {
      CheckConformance(Argmax(), {.name = shape.ToString(),
                                  .inputs = {RandomTensor({type, shape, {}}, random)},
                                  .attributes = {{"axis", int64_t{1}}}});
    }
  }
}

TEST(ArgmaxTest, TheDimensionStaysOrGoes) {
  const TensorType x{DataType::kFloat32, {2, 3, 4}, {}};
  const auto shape = [&](int64_t keep_dims) {
    return (*Argmax().infer({{x}, {{"axis", int64_t{1}}, {"keep_dims", keep_dims}}}))[0].shape;
  };
  EXPECT_EQ(shape(1), Shape({2, 1, 4}));
  EXPECT_EQ(shape(0), Shape({2, 4}));
}

std::string Refusal(TensorType type, int64_t axis) {
  return RefusalOf(
      Argmax(),
      {.name = "refused", .inputs = {TestTensor(std::move(type))}, .attributes = {{"axis", axis}}});
}

TEST(ArgmaxTest, RejectsOtherTypes) {  // argmax_c1
  EXPECT_THAT(Refusal({DataType::kBool, {2}, {}}, 0),
              HasSubstr("x of type bool, expected float32, uint8, int32 or int64 (argmax_c1)"));
}

TEST(ArgmaxTest, RejectsAnAxisThatXDoesNotHave) {  // argmax_c2
  EXPECT_THAT(Refusal({DataType::kFloat32, {2}, {}}, 1),
              HasSubstr("axis 1 is outside of a tensor of rank 1, expected one in [-1, 1)"));
}

TEST(ArgmaxTest, RejectsAnEmptyDimension) {  // argmax_c3
  EXPECT_THAT(Refusal({DataType::kFloat32, {2, 0}, {}}, 1), HasSubstr("(argmax_c3)"));
}

}  // namespace
}  // namespace synap_internal
