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

absl::StatusOr<Tensor*> Reshape(OpEmitter& op, const Operands& operands);      // x, shape
absl::StatusOr<Tensor*> ExpandDims(OpEmitter& op, const Operands& operands);   // x, axis
absl::StatusOr<Tensor*> Transpose(OpEmitter& op, const Operands& operands);    // x, permutation
absl::StatusOr<Tensor*> Tile(OpEmitter& op, const Operands& operands);         // x, multiples
absl::StatusOr<Tensor*> BroadcastTo(OpEmitter& op, const Operands& operands);  // x, shape
absl::StatusOr<Tensor*> Fill(OpEmitter& op, const Operands& operands);         // shape, value
absl::StatusOr<Tensor*> ShapeOf(OpEmitter& op, const Operands& operands);      // x
absl::StatusOr<Tensor*> RankOf(OpEmitter& op, const Operands& operands);       // x
// x: zeros of its shape and type, real ones where x is quantized
absl::StatusOr<Tensor*> ZerosLike(OpEmitter& op, const Operands& operands);
// x without the dimensions `axes`, or without all that are 1 if there are no axes.
absl::StatusOr<Tensor*> Squeeze(OpEmitter& op, Tensor* x, std::vector<int64_t> axes);

absl::StatusOr<Tensor*> Slice(OpEmitter& op, const Operands& operands);      // x, begin, size
absl::StatusOr<Tensor*> Reverse(OpEmitter& op, const Operands& operands);    // x, axes
absl::StatusOr<Tensor*> Pad(OpEmitter& op, const Operands& operands);        // x, paddings, [value]
absl::StatusOr<Tensor*> MirrorPad(OpEmitter& op, const Operands& operands);  // x, paddings: reflect
// x, paddings: reflects x together with its edges.
absl::StatusOr<Tensor*> SymmetricPad(OpEmitter& op, const Operands& operands);
absl::StatusOr<std::vector<Tensor*>> SplitV(OpEmitter& op,
                                            const Operands& operands);  // x, sizes, axis
// x, begin, end, strides; `masks` are the attributes.
absl::StatusOr<Tensor*> StridedSlice(OpEmitter& op, const Operands& operands,
                                     StridedSliceEntries masks);

// Negative indices are outside.
// x, indices; batch_dims and axis may be negative, as both count from the end.
absl::StatusOr<Tensor*> Gather(OpEmitter& op, const Operands& operands, int64_t axis,
                               int64_t batch_dims);
absl::StatusOr<Tensor*> GatherNd(OpEmitter& op, const Operands& operands);  // x, indices
// indices, updates, shape: the sums of the updates, among zeros (of quantized ones, integers of 0).
// Unimplemented for quantized updates, unless the indices are constant and no two are equal.
absl::StatusOr<Tensor*> ScatterNd(OpEmitter& op, const Operands& operands);
// indices, depth, on, off
absl::StatusOr<Tensor*> OneHot(OpEmitter& op, const Operands& operands, int64_t axis);
// x, lengths
absl::StatusOr<Tensor*> ReverseSequence(OpEmitter& op, const Operands& operands, int64_t time,
                                        int64_t batch);
// x, k: the largest elements of the last dimension, and their indices.
absl::StatusOr<std::vector<Tensor*>> TopK(OpEmitter& op, const Operands& operands);
// condition: int64 [count, rank], the coordinates of the elements of a constant that aren't 0.
absl::StatusOr<Tensor*> Where(OpEmitter& op, const Operands& operands);

// x, axes: op_name ("reduce_sum", ...) along them; x itself if there are none.
absl::StatusOr<Tensor*> Reduce(OpEmitter& op, absl::string_view op_name, const Operands& operands,
                               bool keep_dims);
// The same of bools, by "reduce_max" (any) or "reduce_min" (all).
absl::StatusOr<Tensor*> ReduceTruth(OpEmitter& op, absl::string_view op_name,
                                    const Operands& operands, bool keep_dims);
// x, axis: the sums of the elements up to each one, without it if `exclusive`, from the end if
// `reverse`.
absl::StatusOr<Tensor*> CumSum(OpEmitter& op, const Operands& operands, bool exclusive,
                               bool reverse);

// x, block shape, paddings or crops.
absl::StatusOr<Tensor*> SpaceToBatch(OpEmitter& op, const Operands& operands, BatchSpace& space);
absl::StatusOr<Tensor*> BatchToSpace(OpEmitter& op, const Operands& operands, BatchSpace& space);

// A mapping function of either.
template <auto kEmit, typename Context>
absl::Status MapBatchSpace(Context& node) {
  return node.SetOutput(kEmit(node, node.inputs(), node.state().batch_space));
}

}  // namespace synap_internal::tensorflow_family

#endif  // COMPILER_IMPORT_EMIT_TENSORFLOW_FAMILY_H_
