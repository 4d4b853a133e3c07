#include "kernels/top_k/top_k.h"

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
using ::testing::IsEmpty;

const OpDef& TopK() { return TopKOps()[0]; }

template <typename T>
std::vector<int64_t> IndicesOf(Shape shape, const std::vector<T>& x, int64_t k,
                               int64_t largest = 1) {
  return CheckConformance(TopK(), {.name = "top_k",
                                   .inputs = {TestTensor(std::move(shape), x)},
                                   .attributes = {{"k", k}, {"largest", largest}}})[0]
      .template values<int64_t>();
}

TEST(TopKTest, OrdersTheLargestAndTheSmallestOfEachRow) {
  const std::vector<float> x = {1, 5, 2, 7, -1, 0};
  EXPECT_THAT(IndicesOf({2, 3}, x, 2), ElementsAre(1, 2, 0, 2));
  EXPECT_THAT(IndicesOf({2, 3}, x, 2, 0), ElementsAre(0, 2, 1, 2));
}

TEST(TopKTest, TakesTheFirstOfEqualElements) {
  EXPECT_THAT(IndicesOf<uint8_t>({4}, {3, 9, 3, 9}, 4), ElementsAre(1, 3, 0, 2));
  EXPECT_THAT(IndicesOf<int64_t>({3}, {-5, -5, -5}, 2, 0), ElementsAre(0, 1));
  EXPECT_THAT(IndicesOf<int32_t>({3}, {-5, 2, 2}, 1), ElementsAre(1));
}

TEST(TopKTest, NanIsTheLargest) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT_THAT(IndicesOf<float>({4}, {1, nan, inf, nan}, 3), ElementsAre(1, 3, 2));
  EXPECT_THAT(IndicesOf<float>({4}, {1, nan, inf, nan}, 3, 0), ElementsAre(0, 2, 1));
}

TEST(TopKTest, NothingOfNothing) {
  EXPECT_THAT(IndicesOf<float>({2, 0}, {}, 0), IsEmpty());
  EXPECT_THAT(IndicesOf<float>({3}, {1, 2, 3}, 0), IsEmpty());
  EXPECT_THAT(IndicesOf<float>({int64_t{1} << 40, 0}, {}, 0), IsEmpty());
}

TEST(TopKTest, ThreadsDoNotChangeTheResult) {
  TestRandom random(1);
  for (const Shape& shape : {Shape{300, 200}, Shape{3, 7, 900}}) {
    for (const DataType type : {DataType::kFloat32, DataType::kUint8}) {
      CheckConformance(TopK(), {.name = shape.ToString(),
                                .inputs = {RandomTensor({type, shape, {}}, random)},
                                .attributes = {{"k", int64_t{20}}}});
    }
  }
}

std::string Refusal(TensorType type, int64_t k) {
  return RefusalOf(
      TopK(),
      {.name = "refused", .inputs = {TestTensor(std::move(type))}, .attributes = {{"k", k}}});
}

TEST(TopKTest, RejectsOtherTypesAndScalars) {  // top_k_c1
  EXPECT_THAT(Refusal({DataType::kBool, {2}, {}}, 1), HasSubstr("x is bool 2, expected float32"));
  EXPECT_THAT(Refusal({DataType::kFloat32, {}, {}}, 1), HasSubstr("(top_k_c1)"));
}

TEST(TopKTest, RejectsMoreThanThereIs) {  // top_k_c2
  EXPECT_THAT(Refusal({DataType::kFloat32, {2, 3}, {}}, 4),
              HasSubstr("k is 4 for x of shape 2x3, expected 0 to 3 (top_k_c2)"));
  EXPECT_THAT(Refusal({DataType::kFloat32, {3}, {}}, -1), HasSubstr("(top_k_c2)"));
}

}  // namespace
}  // namespace synap_internal
