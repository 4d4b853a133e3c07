// Operators that take tensors apart, put them together or pad them.
#ifndef COMPILER_IMPORT_EMIT_SLICE_H_
#define COMPILER_IMPORT_EMIT_SLICE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/shape.h"
#include "compiler/graph/graph.h"
#include "compiler/import/emit/axes.h"
#include "compiler/import/emit/op_emitter.h"

namespace synap_internal {

// All elements of each dimension.
std::vector<AxisSlice> WholeSlices(const Shape& x);
// A slice for each dimension of x, named Name(suffix); x itself if they are whole.
Emitted EmitSlices(OpEmitter& op, const Emitted& x, const std::vector<AxisSlice>& slices,
                   absl::string_view suffix = "");

// Element `index` of `axis`, in [0, rank), without that dimension; named Name(suffix).
Emitted EmitElement(OpEmitter& op, const Emitted& x, size_t axis, int64_t index,
                    absl::string_view suffix = "");

// `size` elements of x from `start` on along `axis`, in [0, rank), named Name(suffix).
Emitted EmitAxisSlice(OpEmitter& op, const Emitted& x, size_t axis, int64_t start, int64_t size,
                      absl::string_view suffix = "");

// x without the elements that negative ones of `pads` (all begins, then all ends) crop; these
// become 0. InvalidArgument if that is more than x has.
Emitted EmitCropped(OpEmitter& op, Tensor* x, std::vector<int64_t>& pads);

// x repeated beyond its ends by pads of 0 and more. Unimplemented for more than once.
Emitted EmitWrapped(OpEmitter& op, Tensor* x, const std::vector<int64_t>& pads);

// Element `index` of the first dimension, without that dimension; both ops are named Name(suffix).
Emitted EmitRow(OpEmitter& op, const Emitted& x, int64_t index, absl::string_view suffix);

// sizes[i] elements of dimension i from begin[i] on; -1 stands for all that follow.
// InvalidArgument if that is outside of x.
Emitted EmitSlice(OpEmitter& op, Tensor* x, const std::vector<int64_t>& begin,
                  std::vector<int64_t> sizes);

// Python's begin:end:stride, as TensorFlow's StridedSlice has it. Bit i of a mask is about
// entry i.
struct StridedSliceEntries {
  std::vector<int64_t> begin, end, strides;
  int64_t begin_mask = 0;        // begins where its dimension does
  int64_t end_mask = 0;          // ends where its dimension does
  int64_t ellipsis_mask = 0;     // stands for all dimensions that no other entry is for
  int64_t new_axis_mask = 0;     // adds a dimension of 1
  int64_t shrink_axis_mask = 0;  // takes one element and drops the dimension
  bool end_is_offset = false;    // `end` counts from `begin`
};
Emitted EmitStridedSlice(OpEmitter& op, Tensor* x, const StridedSliceEntries& entries);

// x backwards along `axes`, in [-rank, rank), named Name(suffix).
Emitted EmitReverse(OpEmitter& op, const Emitted& x, std::vector<int64_t> axes,
                    absl::string_view suffix = "");

// The sizes of the parts that a dimension of `dim` is split into; one may be -1 and
// stands for what the others leave. InvalidArgument if they don't add up to `dim`.
absl::StatusOr<std::vector<int64_t>> ResolveSplit(int64_t dim, std::vector<int64_t> sizes);

// Parts of x along an axis in [-rank, rank), one for each of `sizes` as above, each
// named Name(".part0"), .... ResourceExhausted for more than 4096.
absl::StatusOr<std::vector<Tensor*>> EmitSplit(OpEmitter& op, Tensor* x, int64_t axis,
                                               std::vector<int64_t> sizes);
// The same into `parts` equal parts. InvalidArgument if there are none.
absl::StatusOr<std::vector<Tensor*>> EmitEqualSplit(OpEmitter& op, Tensor* x, int64_t axis,
                                                    size_t parts);

// `parts` after each other along an axis in [-rank, rank); a single part as it is; named
// Name(suffix). InvalidArgument if a part is null.
Emitted EmitConcat(OpEmitter& op, OpInputs parts, int64_t axis, absl::string_view suffix = "");

// Tensors of one shape after each other along a new axis, and back.
Emitted EmitPack(OpEmitter& op, const std::vector<Tensor*>& inputs, int64_t axis);
absl::StatusOr<std::vector<Tensor*>> EmitUnpack(OpEmitter& op, Tensor* x, int64_t axis,
                                                size_t count);

// InvalidArgument if a tensor is null, as absent operands are.
absl::Status CheckAllPresent(const std::vector<Tensor*>& tensors);

// InvalidArgument for a number of pads or cropped elements outside of -2^31 to 2^31.
absl::Status CheckPad(int64_t pad);

// Pairs of begin and end, one for each of `rank` dimensions, as op pad has them: all
// begins, then all ends. InvalidArgument for another number of them and for those
// outside of 0 to 2^31.
absl::StatusOr<std::vector<int64_t>> ResolvePads(const std::vector<int64_t>& pairs, size_t rank);

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_EMIT_SLICE_H_
