// Ops that give the same elements another shape or order, or repeat them, as
// TensorFlow and TensorFlow Lite define them.
#ifndef COMPILER_IMPORT_EMIT_SHAPE_OPS_H_
#define COMPILER_IMPORT_EMIT_SHAPE_OPS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "base/shape.h"
#include "compiler/import/emit/op_emitter.h"
#include "compiler/ir/graph.h"

namespace synap_internal {

// The shape that x of shape `x` is given by `dims`, of which one may be -1: what
// the others leave. InvalidArgument if the -1 can't be resolved.
absl::StatusOr<std::vector<int64_t>> ResolveReshape(const Shape& x, std::vector<int64_t> dims);

// The shape without the dimensions `axes`, all of them 1; without any axes,
// without all that are 1. InvalidArgument for others.
absl::StatusOr<std::vector<int64_t>> SqueezedDims(const Shape& x, std::vector<int64_t> axes);

// x repeats[i] times along dimension i.
absl::StatusOr<Tensor*> EmitTile(OpEmitter& op, Tensor* x, const std::vector<int64_t>& repeats);

// [N, H, W, C] <-> [N, H / block, W / block, block * block * C]. Unimplemented if
// x isn't an image, InvalidArgument if the block doesn't divide it.
absl::StatusOr<Tensor*> EmitSpaceToDepth(OpEmitter& op, Tensor* x, int64_t block);
absl::StatusOr<Tensor*> EmitDepthToSpace(OpEmitter& op, Tensor* x, int64_t block);

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_EMIT_SHAPE_OPS_H_
