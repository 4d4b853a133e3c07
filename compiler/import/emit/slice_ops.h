// Ops that take tensors apart, put them together or pad them, as TensorFlow and
// TensorFlow Lite define them.
#ifndef COMPILER_IMPORT_EMIT_SLICE_OPS_H_
#define COMPILER_IMPORT_EMIT_SLICE_OPS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "base/shape.h"
#include "compiler/import/emit/op_emitter.h"
#include "compiler/ir/graph.h"

namespace synap_internal {

// sizes[i] elements of dimension i from begin[i] on; -1: all that follow.
absl::StatusOr<Tensor*> EmitSlice(OpEmitter& op, Tensor* x, const std::vector<int64_t>& begin,
                                  std::vector<int64_t> sizes);

// Python's begin:end:stride for each dimension. Bit i of a mask is about entry i:
// it begins or ends at the end of its dimension, stands for all dimensions that
// others don't, adds a dimension of 1, or takes one element and drops the
// dimension.
struct StridedSliceEntries {
  std::vector<int64_t> begin, end, strides;
  int64_t begin_mask = 0, end_mask = 0, ellipsis_mask = 0, new_axis_mask = 0, shrink_axis_mask = 0;
  bool end_is_offset = false;  // from begin
};
absl::StatusOr<Tensor*> EmitStridedSlice(OpEmitter& op, Tensor* x,
                                         const StridedSliceEntries& entries);

// x backwards along `axes`.
absl::StatusOr<Tensor*> EmitReverse(OpEmitter& op, Tensor* x, std::vector<int64_t> axes);

// Parts of x along an axis (in [-rank, rank)), one for each size; one of the
// sizes may be -1. ResourceExhausted for more than 4096.
absl::StatusOr<std::vector<Tensor*>> EmitSplit(OpEmitter& op, Tensor* x, int64_t axis,
                                               std::vector<int64_t> sizes);
// The same for so many equal parts.
absl::StatusOr<std::vector<Tensor*>> EmitEqualSplit(OpEmitter& op, Tensor* x, int64_t axis,
                                                    size_t parts);

// Tensors of one shape next to each other along a new axis, and back.
absl::StatusOr<Tensor*> EmitPack(OpEmitter& op, const std::vector<Tensor*>& inputs, int64_t axis);
absl::StatusOr<std::vector<Tensor*>> EmitUnpack(OpEmitter& op, Tensor* x, int64_t axis,
                                                size_t count);

// Pairs of begin and end, one for each of `rank` dimensions -> all begins, then
// all ends, as op pad has them. InvalidArgument for another number of them, and
// for those outside of 0 to 2^31.
absl::StatusOr<std::vector<int64_t>> ResolvePads(const std::vector<int64_t>& pairs, size_t rank);

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_EMIT_SLICE_OPS_H_
