// Operators that give a tensor's elements another shape or order, or repeat them.
#ifndef COMPILER_IMPORT_EMIT_SHAPE_H_
#define COMPILER_IMPORT_EMIT_SHAPE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/shape.h"
#include "compiler/graph/graph.h"
#include "compiler/import/emit/op_emitter.h"

namespace synap_internal {

// Meaning of a 0 among the dimensions of a reshape.
enum class ZeroDim {
  kItself,  // a dimension of 0
  kCopied,  // the dimension of the operand at the same place
};

// `dims` as the shape to reshape x to: at most one of them is -1, which stands for
// what the others leave. InvalidArgument if they don't have as many elements as x.
absl::StatusOr<std::vector<int64_t>> ResolveReshape(const Shape& x, std::vector<int64_t> dims,
                                                    ZeroDim zero = ZeroDim::kItself);

// The same where `dims` replaces the dimensions [first, end) of x and the others stay.
absl::StatusOr<std::vector<int64_t>> ReplacedDims(const Shape& x, size_t first, size_t end,
                                                  std::vector<int64_t> dims,
                                                  ZeroDim zero = ZeroDim::kItself);

// x with the dimensions first to last, both in [-rank, rank), as one. InvalidArgument
// for others and for a last one before the first.
absl::StatusOr<std::vector<int64_t>> FlattenedDims(const Shape& x, int64_t first, int64_t last);

// x as a matrix: the dimensions before `axis`, in [0, rank], and the others.
std::vector<int64_t> MatrixDims(const Shape& x, int64_t axis);

// The axes whose dimension is 1.
std::vector<int64_t> AxesOfOne(const Shape& x);

// x without the dimensions `axes`. InvalidArgument for axes outside of [-rank, rank),
// repeated ones and those whose dimension isn't 1.
absl::StatusOr<std::vector<int64_t>> SqueezedDims(const Shape& x, std::vector<int64_t> axes);

// x with a dimension of 1 at each of `axes`, which count in the result. InvalidArgument for
// axes outside of the result and repeated ones.
absl::StatusOr<std::vector<int64_t>> UnsqueezedDims(const Shape& x, std::vector<int64_t> axes);

// The shape that a and b broadcast to, as in NumPy. InvalidArgument if they don't.
absl::StatusOr<std::vector<int64_t>> BroadcastDims(const Shape& a, const Shape& b);

// x broadcast to `dims`, named Name(suffix); x itself if it has them.
Emitted EmitExpand(OpEmitter& op, const Emitted& x, std::vector<int64_t> dims,
                   absl::string_view suffix = "");

// x as a list of its elements, named Name(suffix).
Emitted EmitFlat(OpEmitter& op, const Emitted& x, absl::string_view suffix = "");

// x repeated repeats[i] times along dimension i.
Emitted EmitTile(OpEmitter& op, const Emitted& x, const std::vector<int64_t>& repeats);

// [N, H, W, C] to [N, H / block, W / block, block * block * C] and back. Unimplemented if
// x isn't an image, InvalidArgument if the block doesn't divide it.
Emitted EmitSpaceToDepth(OpEmitter& op, Tensor* x, int64_t block);
Emitted EmitDepthToSpace(OpEmitter& op, Tensor* x, int64_t block);

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_EMIT_SHAPE_H_
