#include "compiler/quantize/search/triangular_factor.h"

#include <algorithm>
#include <cmath>

#include "eigen3/Eigen/Core"

namespace synap_internal {
namespace {

// Columns that are finished together, and rows of a task: a task's part of them stays in the
// first-level cache while the later columns pass by once.
constexpr Eigen::Index kPanel = 8;
constexpr Eigen::Index kRows = 256;

using Square = Eigen::Map<Eigen::ArrayXXd>;

// Subtracts the products with the columns from `end` on from columns [begin, end), at some rows.
void SubtractLater(Square& m, Eigen::Index begin, Eigen::Index end, Eigen::Index first) {
  const Eigen::Index rows = std::min(kRows, end - first);
  for (Eigen::Index k = m.cols() - 1; k >= end; --k) {
    const auto later = m.col(k).segment(first, rows);
    for (Eigen::Index j = begin; j < end; ++j) m.col(j).segment(first, rows) -= later * m(j, k);
  }
}

// Finishes columns [begin, end), from which all later ones are subtracted.
bool FinishPanel(Square& m, Eigen::Index begin, Eigen::Index end) {
  for (Eigen::Index j = end - 1; j >= begin; --j) {
    const double pivot = m(j, j);
    if (!(pivot > 0) || !std::isfinite(pivot)) return false;
    m(j, j) = std::sqrt(pivot);
    m.col(j).head(j) /= m(j, j);
    for (Eigen::Index i = begin; i < j; ++i) m.col(i).head(j) -= m.col(j).head(j) * m(i, j);
  }
  return true;
}

}  // namespace

TriangularFactor::TriangularFactor(int64_t size)
    : size_(size), elements_(static_cast<size_t>(size * size)) {}

absl::Span<double> TriangularFactor::column(int64_t j) {
  return {elements_.data() + j * size_, static_cast<size_t>(size_)};
}

absl::Span<const double> TriangularFactor::column(int64_t j) const {
  return {elements_.data() + j * size_, static_cast<size_t>(size_)};
}

bool TriangularFactor::Factor(ThreadPool& pool) {
  Square m(elements_.data(), size_, size_);
  for (Eigen::Index end = size_; end > 0;) {
    const Eigen::Index begin = std::max<Eigen::Index>(0, end - kPanel);
    if (end < size_) {
      pool.ParallelFor((end + kRows - 1) / kRows,
                       [&](int64_t task, int) { SubtractLater(m, begin, end, task * kRows); });
    }
    if (!FinishPanel(m, begin, end)) return false;
    end = begin;
  }
  return true;
}

}  // namespace synap_internal
