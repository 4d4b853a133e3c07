// Operators that pick, replace or order elements of a tensor by indices.
#ifndef COMPILER_IMPORT_EMIT_INDEXING_H_
#define COMPILER_IMPORT_EMIT_INDEXING_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compiler/graph/graph.h"
#include "compiler/import/emit/axes.h"
#include "compiler/import/emit/op_emitter.h"

namespace synap_internal {

// Indices are int64. InvalidArgument for constant ones outside of their dimension; computed ones
// have to be inside.

enum class NegativeIndex {
  kFromEnd,  // counts from the end of its dimension
  kOutside,  // is outside of it
};

// x with the dimension `axis`, in [-rank, rank), replaced by those of `indices`, which pick its
// elements; named Name(suffix). InvalidArgument for another axis.
Emitted EmitGather(OpEmitter& op, const Emitted& x, const Emitted& indices, int64_t axis,
                   absl::string_view suffix = "");

// The same where the first `batch` dimensions, at most `axis`, are those of the indices too, and an
// index picks from its own part of x.
Emitted EmitBatchGather(OpEmitter& op, Tensor* x, const Emitted& indices, int64_t axis,
                        int64_t batch);

// indices with `dim` added to the negative ones. InvalidArgument for a constant that is outside of
// [-dim, dim).
Emitted NonNegativeIndices(OpEmitter& op, Tensor* indices, int64_t dim);

// y[i...] = x[i..., indices[i...], i...], the index along `axis`; of the shape of `indices`, named
// Name(suffix). Negative indices count from the end.
Emitted EmitGatherElements(OpEmitter& op, Tensor* x, const Emitted& indices, size_t axis,
                           absl::string_view suffix = "");

// x with `updates` at these places instead, combined with what is there by `reduction` of op
// scatter; named Name(suffix).
Emitted EmitScatterElements(OpEmitter& op, Tensor* x, Tensor* indices, Tensor* updates, size_t axis,
                            absl::string_view reduction, absl::string_view suffix = "");

// x with the slices of `updates` along `axis` at `positions` [k] of that axis, combined likewise.
// `updates` has the shape of x with k elements along the axis. Named Name(suffix).
Emitted EmitScatterSlices(OpEmitter& op, const Emitted& x, const Emitted& positions,
                          const Emitted& updates, size_t axis, absl::string_view reduction,
                          absl::string_view suffix = "");

// y[i...] = x[i[:batch]..., indices[i...]...]: the last dimension of `indices` are coordinates of a
// slice of x. The first `batch` dimensions of both are the same.
Emitted EmitGatherNd(OpEmitter& op, Tensor* x, const Emitted& indices, size_t batch,
                     NegativeIndex negative);

// x with `updates` as these slices, combined likewise; named Name(suffix).
Emitted EmitScatterNd(OpEmitter& op, Tensor* x, const Emitted& indices, const Emitted& updates,
                      absl::string_view reduction, NegativeIndex negative,
                      absl::string_view suffix = "");

// x with `update` in place of the part that `slice` takes along `axis`; named Name(suffix).
Emitted EmitReplacedSlice(OpEmitter& op, Tensor* x, const Emitted& update, size_t axis,
                          const AxisSlice& slice, absl::string_view suffix = "");

// x with `update`, which is at most as large, in place of the part that begins at `start` [rank].
// Where that part isn't within x, it is moved until it is.
Emitted EmitUpdateSlice(OpEmitter& op, Tensor* x, Tensor* update, Tensor* start);

// `on` where the position along a new dimension of `depth` elements at `axis` is the index, else
// `off`; both have one element. An index that is outside is at no position. InvalidArgument for an
// axis outside of [-rank - 1, rank] and a depth that isn't positive.
Emitted EmitOneHot(OpEmitter& op, const Emitted& indices, int64_t depth, int64_t axis, Tensor* on,
                   Tensor* off, NegativeIndex negative);

// The first lengths[b] elements along `time` backwards, for each element b of `batch`, another
// dimension. InvalidArgument for constant lengths outside of 0 to the size of `time`.
Emitted EmitReverseSequence(OpEmitter& op, Tensor* x, const Emitted& lengths, int64_t time,
                            int64_t batch);

// The k largest elements along an axis, or the smallest, from the first one in that order on; of
// equal ones the first comes first.
struct TopKOptions {
  int64_t k = 0;
  int64_t axis = -1;  // in [-rank, rank)
  bool largest = true;
};
struct TopK {
  Tensor* values = nullptr;
  Tensor* indices = nullptr;
};
// `keys`: numbers of x's order that op top_k takes; x itself if that is such. The values are named
// Name(".values"), the indices Name(".indices").
absl::StatusOr<TopK> EmitTopK(OpEmitter& op, Tensor* x, Emitted keys, const TopKOptions& options);

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_EMIT_INDEXING_H_
