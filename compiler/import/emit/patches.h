// Windows of a tensor laid out next to each other (im2col), their sum (col2im), and convolutions
// whose weights the network computes, as products with such windows.
#ifndef COMPILER_IMPORT_EMIT_PATCHES_H_
#define COMPILER_IMPORT_EMIT_PATCHES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "compiler/graph/graph.h"
#include "compiler/import/emit/convolution.h"
#include "compiler/import/emit/op_emitter.h"
#include "compiler/import/emit/window.h"

namespace synap_internal {

// Elements of one dimension that a window reads: element [i, t] is i * stride + t * dilation.
struct AxisWindows {
  int64_t taps = 1;
  int64_t stride = 1;
  int64_t dilation = 1;
};

// x with the dimensions [places, taps] in place of `axis`, named Name(suffix). InvalidArgument for
// a window that reaches over more elements than there are. REQUIRES: all values are positive.
Emitted EmitAxisWindows(OpEmitter& op, const Emitted& x, size_t axis, const AxisWindows& windows,
                        absl::string_view suffix = "");

// The windows over x [N,C,...], padded with zeros: [N, C, taps, places], both row-major; named
// Name(suffix). `window`: checked, over one to three dimensions.
Emitted EmitPatches(OpEmitter& op, const Emitted& x, const Window& window,
                    absl::string_view suffix = "");

// Adds the columns [N, C * taps, places] of windows at their places of images: the node's output
// [N,C,H,W], where `image` is {H, W}. `window`: checked, over height and width. InvalidArgument for
// columns that don't fit the image.
Emitted EmitColumnsToImage(OpEmitter& op, const Emitted& columns, const std::vector<int64_t>& image,
                           const Window& window);

// The node's output of a convolution whose weights [O, C/groups, ...], in the model's order, the
// network computes: [N, O, ...] for x [N, C, ...], with one to three spatial dimensions, over which
// the window is. Unimplemented where the windows over x are too many to be laid out.
Emitted EmitComputedConvolution(OpEmitter& op, const Convolution& convolution);

// The same of a transposed convolution of weights [C, O/groups, ...], with one or two spatial
// dimensions; Unimplemented for three.
Emitted EmitComputedTransposedConvolution(OpEmitter& op, const Convolution& convolution);

// The node's output of a convolution of any kind: over lines, images or volumes, with constant or
// computed weights in the model's order: [O, C/groups, ...], of a transposed one [C, O/groups,
// ...].
Emitted EmitAnyConvolution(OpEmitter& op, Convolution convolution, bool transposed);

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_EMIT_PATCHES_H_
