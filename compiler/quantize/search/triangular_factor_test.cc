#include "compiler/quantize/search/triangular_factor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace synap_internal {
namespace {

// X^T X of `rows` random rows, and something on the diagonal; row by row.
std::vector<double> Covariance(int64_t size, int64_t rows, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<double> x(static_cast<size_t>(rows * size));
  for (double& value : x) value = static_cast<double>(random()) / 4294967296.0 - 0.25;
  std::vector<double> a(static_cast<size_t>(size * size));
  for (int64_t i = 0; i < size; ++i) {
    for (int64_t j = 0; j < size; ++j) {
      double& sum = a[static_cast<size_t>(i * size + j)];
      for (int64_t r = 0; r < rows; ++r) {
        sum += x[static_cast<size_t>(r * size + i)] * x[static_cast<size_t>(r * size + j)];
      }
      if (i == j) sum += 0.01 * static_cast<double>(rows);
    }
  }
  return a;
}

TriangularFactor Filled(const std::vector<double>& a, int64_t size) {
  TriangularFactor factor(size);
  for (int64_t j = 0; j < size; ++j) {
    for (int64_t i = 0; i <= j; ++i) {
      factor.column(j)[static_cast<size_t>(i)] = a[static_cast<size_t>(i * size + j)];
    }
  }
  return factor;
}

// M of A = M M^T, an element after the other, each minus one product after the other.
std::vector<double> PlainFactor(std::vector<double> a, int64_t size) {
  const auto at = [&](int64_t i, int64_t j) -> double& {
    return a[static_cast<size_t>(i * size + j)];
  };
  for (int64_t j = size - 1; j >= 0; --j) {
    for (int64_t i = j; i >= 0; --i) {
      for (int64_t k = size - 1; k > j; --k) at(i, j) -= at(i, k) * at(j, k);
      if (i == j) at(j, j) = std::sqrt(at(j, j));
    }
    for (int64_t i = 0; i < j; ++i) at(i, j) /= at(j, j);
  }
  return a;
}

TEST(TriangularFactorTest, HasTheBitsOfThePlainLoopsForAnyNumberOfThreads) {
  for (const int64_t size : {1, 2, 7, 8, 9, 17, 300, 530}) {
    const std::vector<double> a = Covariance(size, 40, 1);
    const std::vector<double> expected = PlainFactor(a, size);
    for (const int threads : {1, 2, 3}) {
      ThreadPool pool(threads);
      TriangularFactor factor = Filled(a, size);
      ASSERT_TRUE(factor.Factor(pool)) << size;
      for (int64_t j = 0; j < size; ++j) {
        for (int64_t i = 0; i <= j; ++i) {
          ASSERT_EQ(factor.column(j)[static_cast<size_t>(i)],
                    expected[static_cast<size_t>(i * size + j)])
              << size << ": " << i << ", " << j;
        }
      }
    }
  }
}

TEST(TriangularFactorTest, TimesItsTransposeIsTheMatrix) {
  constexpr int64_t kSize = 60;
  const std::vector<double> a = Covariance(kSize, 100, 2);
  ThreadPool pool(1);
  TriangularFactor factor = Filled(a, kSize);
  ASSERT_TRUE(factor.Factor(pool));
  for (int64_t i = 0; i < kSize; ++i) {
    EXPECT_GT(factor.diagonal(i), 0);
    for (int64_t j = i; j < kSize; ++j) {
      double sum = 0;
      for (int64_t k = j; k < kSize; ++k) {
        sum += factor.column(k)[static_cast<size_t>(i)] * factor.column(k)[static_cast<size_t>(j)];
      }
      EXPECT_NEAR(sum, a[static_cast<size_t>(i * kSize + j)], 1e-9);
    }
  }
}

TEST(TriangularFactorTest, RefusesWhatIsNotPositiveDefinite) {
  ThreadPool pool(1);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const double last : {0.0, -1.0, 1.0, kInfinity, std::nan("")}) {
    // The second row and column are twice the first ones: with 1 at the end, -3 is left of it.
    TriangularFactor factor = Filled({1, 2, 2, last}, 2);
    EXPECT_FALSE(factor.Factor(pool)) << last;
  }
  TriangularFactor factor = Filled({1, 2, 2, 5}, 2);
  EXPECT_TRUE(factor.Factor(pool));
}

}  // namespace
}  // namespace synap_internal
