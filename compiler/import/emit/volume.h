// Convolution, pooling and resizing over [N,C,D,H,W], as those over the images [N*D,H,W,C] and a
// step that joins these along the depth.
#ifndef COMPILER_IMPORT_EMIT_VOLUME_H_
#define COMPILER_IMPORT_EMIT_VOLUME_H_

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "compiler/graph/graph.h"
#include "compiler/import/emit/convolution.h"
#include "compiler/import/emit/op_emitter.h"
#include "compiler/import/emit/window.h"

namespace synap_internal {

// The node's output [N,O,D,H,W] of x [N,C,D,H,W] and weights [O, C/groups, KD, KH, KW].
// `convolution.window`: checked, over depth, height and width. ResourceExhausted for kernels so
// deep that their ops don't fit the budget.
Emitted EmitVolumeConvolution(OpEmitter& emitter, const Convolution& convolution);

// The same of a transposed convolution of weights [C, O/groups, KD, KH, KW].
// `convolution.output_padding`: of depth, height and width, or empty.
Emitted EmitVolumeTransposedConvolution(OpEmitter& emitter, const Convolution& convolution);

// The node's output, x pooled by `op`, max_pool2d or avg_pool2d, with its `attributes` but for
// those of the window.
Emitted EmitVolumePool(OpEmitter& emitter, absl::string_view op, const Emitted& x,
                       const Window& window, const Attributes& attributes);

// The node's output, x resized by op resize with its `attributes` but for size and scales.
// `size` and `scales`: of depth, height and width.
Emitted EmitVolumeResize(OpEmitter& emitter, const Emitted& x, const std::vector<int64_t>& size,
                         const std::vector<float>& scales, const Attributes& attributes);

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_EMIT_VOLUME_H_
