// Triangular factors of covariances, with the same bits on every machine.
#ifndef COMPILER_QUANTIZE_SEARCH_TRIANGULAR_FACTOR_H_
#define COMPILER_QUANTIZE_SEARCH_TRIANGULAR_FACTOR_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "base/thread_pool.h"

namespace synap_internal {

// The upper triangular matrix M with A = M M^T, for a symmetric positive definite A [size, size]:
// the Cholesky factor of A with its rows and columns in reverse. Column j of M is what is left for
// input j once all later ones may still make up for the earlier ones.
//
// The bits: Eigen's own decompositions and matrix products add up in an order that depends on the
// width of the machine's vectors, on its number of registers and on the size of its caches. They
// aren't used. Everything here subtracts, element by element, a multiple of one column from another
// one. No element is a sum across a vector, each has one product subtracted after the other in the
// order of the columns, and with -ffp-contract=off each product and each difference is rounded by
// itself: IEEE 754 leaves nothing to the width of vectors, to tiles or to threads.
class TriangularFactor {
 public:
  // A matrix of zeros to fill in. Takes size * size * 8 bytes.
  explicit TriangularFactor(int64_t size);

  int64_t size() const { return size_; }
  // Column j of A, then of M: rows 0 to j count.
  absl::Span<double> column(int64_t j);
  absl::Span<const double> column(int64_t j) const;
  double diagonal(int64_t j) const { return column(j)[static_cast<size_t>(j)]; }

  // Replaces A's upper triangle by M. False if A isn't positive definite or not finite, then the
  // contents are unspecified.
  bool Factor(ThreadPool& pool);

 private:
  int64_t size_;
  std::vector<double> elements_;  // column by column
};

}  // namespace synap_internal

#endif  // COMPILER_QUANTIZE_SEARCH_TRIANGULAR_FACTOR_H_
