// Operators that TensorFlow and TensorFlow Lite define alike, most parameters of which are
// constant operands.
#ifndef COMPILER_IMPORT_EMIT_TENSORFLOW_FAMILY_H_
#define COMPILER_IMPORT_EMIT_TENSORFLOW_FAMILY_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compiler/graph/graph.h"
#include "compiler/import/emit/batch_space.h"
#include "compiler/import/emit/op_emitter.h"
#include "compiler/import/emit/slice.h"

namespace synap_internal::tensorflow_family {

// Each takes a node's operands in the order of the comment; those in brackets may be missing or
// null. Unimplemented for parameters that aren't constant, InvalidArgument for those that don't
// fit x.
using Operands = std::vector<Tensor*>;

Emitted Reshape(OpEmitter& op, const Operands& operands);      // x, shape
Emitted ExpandDims(OpEmitter& op, const Operands& operands);   // x, axis
Emitted Transpose(OpEmitter& op, const Operands& operands);    // x, permutation
Emitted Tile(OpEmitter& op, const Operands& operands);         // x, multiples
Emitted BroadcastTo(OpEmitter& op, const Operands& operands);  // x, shape
Emitted Fill(OpEmitter& op, const Operands& operands);         // shape, value
Emitted ShapeOf(OpEmitter& op, const Operands& operands);      // x
Emitted RankOf(OpEmitter& op, const Operands& operands);       // x
// x: zeros of its shape and type, real ones where x is quantized
Emitted ZerosLike(OpEmitter& op, const Operands& operands);
// x without the dimensions `axes`, or without all that are 1 if there are no axes.
Emitted Squeeze(OpEmitter& op, Tensor* x, std::vector<int64_t> axes);

Emitted Slice(OpEmitter& op, const Operands& operands);      // x, begin, size
Emitted Reverse(OpEmitter& op, const Operands& operands);    // x, axes
Emitted Pad(OpEmitter& op, const Operands& operands);        // x, paddings, [value]
Emitted MirrorPad(OpEmitter& op, const Operands& operands);  // x, paddings: reflect
// x, paddings: reflects x together with its edges.
Emitted SymmetricPad(OpEmitter& op, const Operands& operands);
absl::StatusOr<std::vector<Tensor*>> SplitV(OpEmitter& op,
                                            const Operands& operands);  // x, sizes, axis
// x, begin, end, strides; `masks` are the attributes.
Emitted StridedSlice(OpEmitter& op, const Operands& operands, StridedSliceEntries masks);

// Negative indices are outside.
// x, indices; batch_dims and axis may be negative, as both count from the end.
Emitted Gather(OpEmitter& op, const Operands& operands, int64_t axis, int64_t batch_dims);
Emitted GatherNd(OpEmitter& op, const Operands& operands);  // x, indices
// indices, updates, shape: the sums of the updates, among zeros (of quantized ones, integers of 0).
// Unimplemented for quantized updates, unless the indices are constant and no two are equal.
Emitted ScatterNd(OpEmitter& op, const Operands& operands);
// indices, depth, on, off
Emitted OneHot(OpEmitter& op, const Operands& operands, int64_t axis);
// x, lengths
Emitted ReverseSequence(OpEmitter& op, const Operands& operands, int64_t time, int64_t batch);
// x, k: the largest elements of the last dimension, and their indices.
absl::StatusOr<std::vector<Tensor*>> TopK(OpEmitter& op, const Operands& operands);
// condition: int64 [count, rank], the coordinates of the elements of a constant that aren't 0.
Emitted Where(OpEmitter& op, const Operands& operands);

// x, axes: op_name ("reduce_sum", ...) along them; x itself if there are none.
Emitted Reduce(OpEmitter& op, absl::string_view op_name, const Operands& operands, bool keep_dims);
// The same of bools, by "reduce_max" (any) or "reduce_min" (all).
Emitted ReduceTruth(OpEmitter& op, absl::string_view op_name, const Operands& operands,
                    bool keep_dims);
// x, axis: the sums of the elements up to each one, without it if `exclusive`, from the end if
// `reverse`.
Emitted CumSum(OpEmitter& op, const Operands& operands, bool exclusive, bool reverse);

// x, block shape, paddings or crops.
Emitted SpaceToBatch(OpEmitter& op, const Operands& operands, BatchSpace& space);
Emitted BatchToSpace(OpEmitter& op, const Operands& operands, BatchSpace& space);

// A mapping function of either.
template <auto kEmit, typename Context>
absl::Status MapBatchSpace(Context& node) {
  return node.SetOutput(kEmit(node, node.inputs(), node.state().batch_space));
}

}  // namespace synap_internal::tensorflow_family

#endif  // COMPILER_IMPORT_EMIT_TENSORFLOW_FAMILY_H_
