// NumPy broadcasting: shapes are aligned at their last dimension, and an
// operand's dimension that is 1 or missing is repeated.
#ifndef KERNELS_SHARED_BROADCAST_BROADCAST_H_
#define KERNELS_SHARED_BROADCAST_BROADCAST_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/shape.h"

namespace synap_internal {

// The common shape. InvalidArgument naming the shapes and the dimension if two
// differ in a dimension where neither is 1.
absl::StatusOr<Shape> BroadcastShapes(absl::Span<const Shape> shapes);

// Index (row-major, in elements) of the operand's element that belongs to element
// `index` of a tensor of shape `output`. The definition, used by the references.
// REQUIRES: BroadcastShapes({output, operand}) is output; output.rank() >= operand.rank().
int64_t OperandIndex(const Shape& output, const Shape& operand, int64_t index);

// The loop over an output whose operands are broadcast, with neighbouring
// dimensions merged where all operands allow it: 1x20x20x64 + 64 becomes 400x64.
struct BroadcastLoop {
  std::vector<int64_t> dims;                  // of the output, outermost first, at least one
  std::vector<std::vector<int64_t>> strides;  // [operand][dimension], in elements; 0 repeats

  // The stride of the innermost dimension: 1 or 0. A tensor of one element has 1.
  int64_t step(size_t operand) const { return strides[operand].back(); }
};

// REQUIRES: as OperandIndex for each operand, and at least one element.
BroadcastLoop MakeBroadcastLoop(const Shape& output, absl::Span<const Shape> operands);

// Calls run(out, offsets, length) for the runs along the innermost dimension
// that make up elements [begin, end) of the output: `length` elements from
// index `out` on, operand k starting at index offsets[k] with loop.step(k).
// REQUIRES: loop.strides.size() == kOperands, 0 <= begin <= end.
template <size_t kOperands, typename Run>
void ForEachRun(const BroadcastLoop& loop, int64_t begin, int64_t end, Run run) {
  const int64_t inner = loop.dims.back();
  for (int64_t at = begin; at < end;) {
    int64_t row = at / inner;
    const int64_t column = at % inner;
    const int64_t length = std::min(inner - column, end - at);
    std::array<int64_t, kOperands> offsets;
    for (size_t k = 0; k < kOperands; ++k) offsets[k] = column * loop.step(k);
    for (size_t d = loop.dims.size() - 1; d-- > 0;) {
      const int64_t coordinate = row % loop.dims[d];
      row /= loop.dims[d];
      for (size_t k = 0; k < kOperands; ++k) offsets[k] += coordinate * loop.strides[k][d];
    }
    run(at, offsets, length);
    at += length;
  }
}

}  // namespace synap_internal

#endif  // KERNELS_SHARED_BROADCAST_BROADCAST_H_
