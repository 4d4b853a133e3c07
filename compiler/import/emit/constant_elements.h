// Elements of a constant that its values select: those that aren't 0, and the distinct ones. How
// many there are depends on the values, so that tensors which are computed have no such results.
#ifndef COMPILER_IMPORT_EMIT_CONSTANT_ELEMENTS_H_
#define COMPILER_IMPORT_EMIT_CONSTANT_ELEMENTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/shape.h"
#include "compiler/graph/graph.h"
#include "compiler/import/emit/op_emitter.h"

namespace synap_internal {

// Unimplemented unless x is constant.
absl::Status CheckSelectsByConstant(const Tensor& x);

// Positions, row-major, of the elements of a constant that aren't 0. ResourceExhausted beyond the
// builder's budget.
absl::StatusOr<std::vector<int64_t>> NonZeroElements(GraphBuilder& builder, const Tensor& x);

// For each dimension of `shape`, the indices along it of the elements at `positions`, row-major.
// ResourceExhausted beyond the builder's budget.
absl::StatusOr<std::vector<std::vector<int64_t>>> CoordinatesOf(
    GraphBuilder& builder, const Shape& shape, const std::vector<int64_t>& positions);

// The distinct slices along a dimension.
struct Distinct {
  std::vector<int64_t> first;    // of each distinct slice, the first one that is equal
  std::vector<int64_t> inverse;  // of each slice, its place among the distinct ones
  std::vector<int64_t> counts;   // of each distinct slice, how many are equal
};
enum class DistinctOrder {
  kAscending,     // NaN after all others
  kByOccurrence,  // in the order in which they come first
  kNeighbors,     // by occurrence; only slices next to each other count as equal
};
// Whether slices with NaN can be equal.
enum class EqualNan { kNo, kYes };
// Of a constant. Unimplemented for another tensor, ResourceExhausted beyond the builder's budget.
absl::StatusOr<Distinct> FindDistinct(OpEmitter& op, Tensor* x, size_t axis, DistinctOrder order,
                                      EqualNan nan);

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_EMIT_CONSTANT_ELEMENTS_H_
