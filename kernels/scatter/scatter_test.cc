#include "kernels/scatter/scatter.h"

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

const OpDef& Scatter() { return ScatterOps()[0]; }

OpCase Case(TestTensor x, TestTensor indices, TestTensor updates, std::string reduction = "none",
            bool constant = true) {
  return {.name = reduction,
          .inputs = {std::move(x), std::move(indices), std::move(updates)},
          .attributes = {{"reduction", std::move(reduction)}},
          .constant = {false, constant, false}};
}

template <typename T>
std::vector<T> Scattered(const OpCase& op_case) {
  return CheckConformance(Scatter(), op_case)[0].template values<T>();
}

TestTensor Indices(const std::vector<int64_t>& values) {
  return TestTensor({static_cast<int64_t>(values.size())}, values);
}

TEST(ScatterTest, ReplacesSlices) {
  const TestTensor x({3, 2}, std::vector<float>{1, 2, 3, 4, 5, 6});
  const TestTensor updates({2, 2}, std::vector<float>{10, 20, 30, 40});
  EXPECT_THAT(Scattered<float>(Case(x, Indices({2, -3}), updates)),
              ElementsAre(30, 40, 3, 4, 10, 20));
}

TEST(ScatterTest, TheLastUpdateOfASliceStays) {
  const TestTensor x({2}, std::vector<uint8_t>{1, 2});
  const TestTensor updates({3}, std::vector<uint8_t>{7, 8, 9});
  EXPECT_THAT(Scattered<uint8_t>(Case(x, Indices({1, 1, 1}), updates)), ElementsAre(1, 9));
}

TEST(ScatterTest, CombinesEveryUpdate) {
  const TestTensor x({2}, std::vector<float>{1, 2});
  const TestTensor updates({3}, std::vector<float>{3, 5, -1});
  const auto run = [&](const char* reduction) {
    return Scattered<float>(Case(x, Indices({1, 1, 0}), updates, reduction));
  };
  EXPECT_THAT(run("add"), ElementsAre(0, 10));
  EXPECT_THAT(run("mul"), ElementsAre(-1, 30));
  EXPECT_THAT(run("max"), ElementsAre(1, 5));
  EXPECT_THAT(run("min"), ElementsAre(-1, 2));
}

TEST(ScatterTest, IntegersWrap) {
  const int64_t largest = std::numeric_limits<int64_t>::max();
  const TestTensor x({1}, std::vector<int64_t>{largest});
  const TestTensor one({1}, std::vector<int64_t>{1});
  EXPECT_THAT(Scattered<int64_t>(Case(x, Indices({0}), one, "add")),
              ElementsAre(std::numeric_limits<int64_t>::min()));
}

TEST(ScatterTest, ClampsComputedIndices) {
  const TestTensor x({3}, std::vector<float>{1, 2, 3});
  const TestTensor updates({2}, std::vector<float>{8, 9});
  EXPECT_THAT(Scattered<float>(Case(x, Indices({7, std::numeric_limits<int64_t>::min()}), updates,
                                    "none", false)),
              ElementsAre(9, 2, 8));
}

TEST(ScatterTest, RejectsOtherIndicesAndScalars_scatter_c1) {
  const TestTensor x({1}, std::vector<float>{1});
  EXPECT_THAT(RefusalOf(Scatter(), Case(x, x, x)), HasSubstr("indices are float32"));
  EXPECT_THAT(RefusalOf(Scatter(), Case(TestTensor({}, std::vector<float>{1}), Indices({0}), x)),
              HasSubstr("(scatter_c1)"));
}

TEST(ScatterTest, RejectsUpdatesOfAnotherShapeOrType_scatter_c2) {
  const TestTensor x({3, 2}, std::vector<float>(6));
  EXPECT_THAT(
      RefusalOf(Scatter(), Case(x, Indices({0}), TestTensor({2}, std::vector<float>{1, 2}))),
      HasSubstr("updates are float32 2, expected float32 1x2"));
  EXPECT_THAT(
      RefusalOf(Scatter(), Case(x, Indices({0}), TestTensor({1, 2}, std::vector<int64_t>{1, 2}))),
      HasSubstr("updates are int64"));
}

TEST(ScatterTest, RejectsConstantIndicesOutside_scatter_c3) {
  const TestTensor x({3}, std::vector<float>{1, 2, 3}), one({1}, std::vector<float>{1});
  EXPECT_THAT(RefusalOf(Scatter(), Case(x, Indices({3}), one)),
              HasSubstr("index 3 is outside of the extent 3"));
}

TEST(ScatterTest, RejectsAnotherReduction_scatter_c4) {
  const TestTensor x({1}, std::vector<float>{1});
  EXPECT_THAT(RefusalOf(Scatter(), Case(x, Indices({0}), x, "mean")),
              HasSubstr("reduction is 'mean'"));
}

TEST(ScatterTest, RejectsIndicesOfNothing_scatter_c5) {
  const TestTensor x({0}, std::vector<float>{}), one({1}, std::vector<float>{1});
  EXPECT_THAT(RefusalOf(Scatter(), Case(x, Indices({0}), one)),
              HasSubstr("has no slices to replace"));
}

TEST(ScatterTest, RejectsPerChannelQuantization_scatter_c6) {
  const TestTensor x({2}, std::vector<int8_t>{1, 2}, QuantParams::PerChannel({1, 2}, 0));
  EXPECT_THAT(RefusalOf(Scatter(), Case(x, Indices({0}), TestTensor({1}, std::vector<int8_t>{1}))),
              HasSubstr("per channel"));
}

}  // namespace
}  // namespace synap_internal
