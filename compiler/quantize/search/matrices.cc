#include "compiler/quantize/search/matrices.h"

#include <algorithm>

#include "base/check.h"
#include "kernels/matmul/matmul.h"
#include "kernels/op_def.h"

namespace synap_internal {

Matrices::Matrices(int64_t count, int64_t rows, int64_t columns) {
  *this = Uninitialized(count, rows, columns);
  std::fill_n(data(), count * rows * columns, 0.0f);
}

Matrices Matrices::Uninitialized(int64_t count, int64_t rows, int64_t columns) {
  Matrices matrices;
  matrices.count_ = count;
  matrices.rows_ = rows;
  matrices.columns_ = columns;
  matrices.memory_ =
      AlignedMemory::Allocate(static_cast<size_t>(count * rows * columns) * sizeof(float));
  return matrices;
}

absl::Span<float> Matrices::row(int64_t matrix, int64_t row) {
  return {data() + (matrix * rows_ + row) * columns_, static_cast<size_t>(columns_)};
}

absl::Span<const float> Matrices::row(int64_t matrix, int64_t row) const {
  return {data() + (matrix * rows_ + row) * columns_, static_cast<size_t>(columns_)};
}

Matrices Matrices::Transposed() const {
  Matrices out = Uninitialized(count_, columns_, rows_);
  // Writes whole cache lines. Where rows are a power of two, lines of more columns at a time would
  // all want the same place in the cache.
  constexpr int64_t kTile = 16;
  for (int64_t m = 0; m < count_; ++m) {
    const float* from = data() + m * rows_ * columns_;
    float* to = out.data() + m * rows_ * columns_;
    for (int64_t begin = 0; begin < rows_; begin += kTile) {
      const int64_t end = std::min(begin + kTile, rows_);
      for (int64_t c = 0; c < columns_; ++c) {
        for (int64_t r = begin; r < end; ++r) to[c * rows_ + r] = from[r * columns_ + c];
      }
    }
  }
  return out;
}

Matrices Matrices::Part(int64_t first, int64_t count, int64_t begin, int64_t columns) const {
  CHECK(first + count <= count_ && begin + columns <= columns_);
  Matrices out = Uninitialized(count, rows_, columns);
  for (int64_t m = 0; m < count; ++m) {
    for (int64_t r = 0; r < rows_; ++r) {
      std::copy_n(row(first + m, r).begin() + begin, columns, out.row(m, r).begin());
    }
  }
  return out;
}

void Matrices::Subtract(const Matrices& other, int64_t first) {
  CHECK(first + other.count_ <= count_ && rows_ == other.rows_ && columns_ == other.columns_);
  float* from = data() + first * rows_ * columns_;
  const int64_t size = other.count_ * rows_ * columns_;
  for (int64_t i = 0; i < size; ++i) from[i] -= other.data()[i];
}

Matrices Product(const Matrices& a, const Matrices& b, ThreadPool& pool) {
  CHECK(a.count() == b.count() && a.columns() == b.rows() && a.columns() > 0);
  Matrices out = Matrices::Uninitialized(a.count(), a.rows(), b.columns());
  Matmul matmul;
  matmul.rows = a.rows();
  matmul.depth = a.columns();
  matmul.columns = b.columns();
  matmul.batch_dims = {a.count()};
  matmul.a_steps = {1};
  matmul.b_steps = {1};
  const void* inputs[] = {a.data(), b.data()};
  void* outputs[] = {out.data()};
  // Products of float32 need no scratch.
  MatmulKernel(matmul).run({inputs, outputs, &pool, nullptr, 0});
  return out;
}

}  // namespace synap_internal
