// Products of dense matrices with the same bits on every machine.
#ifndef COMPILER_QUANTIZE_SEARCH_MATRICES_H_
#define COMPILER_QUANTIZE_SEARCH_MATRICES_H_

#include <cstdint>

#include "absl/types/span.h"
#include "base/aligned_memory.h"
#include "base/thread_pool.h"

namespace synap_internal {

// `count` float32 matrices [rows, columns] side by side: one for each group of a layer.
class Matrices {
 public:
  Matrices() = default;
  // Zeros.
  Matrices(int64_t count, int64_t rows, int64_t columns);
  // Elements have no particular values until they are written.
  static Matrices Uninitialized(int64_t count, int64_t rows, int64_t columns);

  int64_t count() const { return count_; }
  int64_t rows() const { return rows_; }
  int64_t columns() const { return columns_; }

  absl::Span<float> row(int64_t matrix, int64_t row);
  absl::Span<const float> row(int64_t matrix, int64_t row) const;
  const float* data() const { return reinterpret_cast<const float*>(memory_.data()); }
  float* data() { return reinterpret_cast<float*>(memory_.data()); }

  Matrices Transposed() const;
  // Columns [begin, begin + columns) of the matrices [first, first + count).
  Matrices Part(int64_t first, int64_t count, int64_t begin, int64_t columns) const;
  // From the matrices [first, first + other.count()). REQUIRES: as many rows and columns.
  void Subtract(const Matrices& other, int64_t first = 0);

 private:
  int64_t count_ = 0, rows_ = 0, columns_ = 0;
  AlignedMemory memory_;
};

// a[i] x b[i] for each i, an element a chain of fused multiply-adds as matmul.h says. REQUIRES:
// a's columns are b's rows, at least one, and a.count() == b.count().
Matrices Product(const Matrices& a, const Matrices& b, ThreadPool& pool);

}  // namespace synap_internal

#endif  // COMPILER_QUANTIZE_SEARCH_MATRICES_H_
