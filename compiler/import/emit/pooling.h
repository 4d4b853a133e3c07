// Pooling over whole images and over windows of unequal size, and the elements of windows.
#ifndef COMPILER_IMPORT_EMIT_POOLING_H_
#define COMPILER_IMPORT_EMIT_POOLING_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "compiler/graph/graph.h"
#include "compiler/import/emit/op_emitter.h"
#include "compiler/import/emit/window.h"

namespace synap_internal {

// Each channel of x, [N,C,H,W] or [N,C,L], reduced to one value by `op` ("reduce_mean"): the
// node's output, [N,C,1,1] or [N,C,1].
Emitted EmitGlobalPool(OpEmitter& emitter, absl::string_view op, const Emitted& x);

// Means of x, [N,C,H,W] or [N,C,L], over out = {height, width} windows, of which window i covers
// elements floor(i * in / out) to ceil((i + 1) * in / out) of a dimension: the node's output.
// ResourceExhausted if the matrices that compute it are too large.
Emitted EmitAdaptiveMean(OpEmitter& emitter, const Emitted& x, const std::vector<int64_t>& out);

// The same of x [N,C,D,H,W] and out = {depth, height, width}, or of any other number of dimensions.
Emitted EmitAdaptiveVolumeMean(OpEmitter& emitter, const Emitted& x,
                               const std::vector<int64_t>& out);

// The largest elements of x [N,C,...] over windows likewise, out[i] along spatial dimension i.
// ResourceExhausted if the indices of the windows' elements are too many.
Emitted EmitAdaptiveMax(OpEmitter& emitter, const Emitted& x, const std::vector<int64_t>& out);

// A row and a column: of a window, or of windows.
struct RowAndColumn {
  int64_t row = 0, column = 0;
};

// The taps (elements) of window `number` along dimension `i`, 0 or 1, of an image, of `extent`
// elements, that are inside of it.
struct TapRange {
  int64_t first = 0, last = 0;
};
TapRange TapsInside(const Window& window, size_t i, int64_t number, int64_t extent);

// One tap of each of `windows` windows over x, whose height is dimension `axis` and whose width is
// the next one. A tap outside of x is moved to the nearest tap of its window that is inside. That
// repeats a value with its place, so the first of equal values stays the first. (Padding with -inf
// instead would leave the values without a quantizer.) Named Name(".tap").
Emitted EmitTap(OpEmitter& emitter, const Emitted& x, size_t axis, const Window& window,
                RowAndColumn tap, RowAndColumn windows);

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_EMIT_POOLING_H_
