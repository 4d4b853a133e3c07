#include "kernels/shared/strided_copy/strided_copy.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/thread_pool.h"
#include "gtest/gtest.h"
#include "hwy/targets.h"
#include "kernels/testing/conformance.h"

namespace synap_internal {
namespace {

// Compares both paths over `input_elements` random elements of each size, on
// every target and with 1, 2 and 3 threads.
void Check(const std::string& name, StridedCopy copy, int64_t input_elements) {
  for (const DataType dtype :
       {DataType::kUint8, DataType::kInt16, DataType::kFloat32, DataType::kInt64}) {
    copy.element_size = SizeOf(dtype);
    TestRandom random(7);
    const TestTensor input = RandomTensor({dtype, Shape({input_elements})}, random);
    TestTensor expected(TensorType{dtype, Shape(copy.dims)});
    RunStridedCopyReference(copy, input.data(), expected.data());
    const Kernel kernel = StridedCopyKernel(copy, KernelPath::kFast);
    for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
      hwy::SetSupportedTargetsForTest(target);
      hwy::GetChosenTarget().Update(hwy::SupportedTargets());
      for (const int threads : {1, 2, 3}) {
        TestTensor actual(expected.type());
        const void* const inputs[] = {input.data()};
        void* const outputs[] = {actual.data()};
        ThreadPool pool(threads);
        kernel.run({inputs, outputs, &pool, nullptr, 0});
        EXPECT_TRUE(actual.PaddingIntact()) << name;
        EXPECT_TRUE(expected.bytes() == actual.bytes())
            << name << " of " << Name(dtype) << " on " << hwy::TargetName(target);
      }
    }
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
}

TEST(StridedCopyTest, ReferenceFollowsTheFormula) {
  const std::vector<uint8_t> input = {0, 1, 2, 3, 4, 5, 6, 7};
  std::vector<uint8_t> output(4);
  RunStridedCopyReference({1, {2, 2}, {-4, 2}, 5}, input.data(), output.data());
  EXPECT_EQ(output, (std::vector<uint8_t>{5, 7, 1, 3}));
}

TEST(StridedCopyTest, DenseStridesCountElements) {
  EXPECT_EQ(DenseStrides({2, 3, 4}), (std::vector<int64_t>{12, 4, 1}));
}

TEST(StridedCopyTest, TransposesBlocksOfAnySide) {
  for (const int64_t rows : {1, 3, 4, 15, 16, 17, 63, 65, 100}) {
    for (const int64_t columns : {1, 2, 4, 15, 16, 33, 64, 130}) {
      Check(absl::StrCat("transpose ", rows, "x", columns), {1, {rows, columns}, {1, rows}, 0},
            rows * columns);
    }
  }
}

TEST(StridedCopyTest, TransposesInnerBlocksOfMoreDimensions) {
  Check("outer", {1, {3, 20, 35}, {700, 1, 20}, 0}, 2100);
  Check("middle", {1, {20, 5, 35}, {1, 700, 20}, 0}, 3500);
  Check("with an offset", {1, {18, 30}, {1, 20}, 2}, 600);
  Check("repeated", {1, {3, 4, 20, 35}, {700, 0, 1, 20}, 0}, 2100);
}

TEST(StridedCopyTest, InterleavesFewColumns) {
  for (const int64_t columns : {2, 3, 4}) {
    for (const int64_t rows : {4, 15, 16, 37, 5000}) {
      Check(absl::StrCat(rows, "x", columns), {1, {9, rows, columns}, {rows * columns, 1, rows}, 0},
            9 * rows * columns);
    }
    Check("apart", {1, {6, 20, columns}, {200, 1, 25}, 3}, 1200);
  }
}

TEST(StridedCopyTest, MovesRunsOfAnyLength) {
  for (const int64_t run : {1, 2, 3, 4, 5, 8, 12, 16, 31, 32, 33, 256, 300}) {
    Check(absl::StrCat("run ", run), {1, {7, run}, {run + 3, 1}, 3}, 7 * (run + 3));
    Check(absl::StrCat("swapped run ", run), {1, {5, 3, run}, {run, 5 * run, 1}, 0}, 15 * run);
  }
}

TEST(StridedCopyTest, SplitsLargeCopiesBetweenTasks) {
  Check("dense", {1, {300000}, {1}, 0}, 300000);
  Check("long runs", {1, {3, 70001}, {70003, 1}, 1}, 210009);
  Check("reversed", {1, {150001}, {-1}, 150000}, 150001);
  Check("short runs", {1, {40001, 3}, {5, 1}, 0}, 200005);
}

TEST(StridedCopyTest, RepeatsWithStrideZero) {
  Check("inner", {1, {33, 70}, {1, 0}, 0}, 33);
  Check("outer", {1, {70, 33}, {0, 1}, 0}, 33);
  Check("scalar", {1, {100}, {0}, 0}, 1);
}

TEST(StridedCopyTest, HandlesScalarsAndNothing) {
  Check("scalar", {1, {}, {}, 0}, 1);
  Check("ones", {1, {1, 1, 1}, {7, 9, 1}, 0}, 1);
  Check("empty", {1, {3, 0}, {5, 1}, 0}, 15);
}

}  // namespace
}  // namespace synap_internal
