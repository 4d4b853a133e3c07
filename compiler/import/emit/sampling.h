// Images read between their pixels, at positions that the network computes: deformable
// convolutions and sampling from volumes.
#ifndef COMPILER_IMPORT_EMIT_SAMPLING_H_
#define COMPILER_IMPORT_EMIT_SAMPLING_H_

#include <cstdint>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/import/emit/op_emitter.h"
#include "compiler/import/emit/resize.h"
#include "compiler/import/emit/window.h"

namespace synap_internal {

// A convolution each tap of whose window reads its own position in each place of the output.
struct DeformableConvolution {
  Emitted x = nullptr;        // [N,C,H,W]
  Emitted weights = nullptr;  // [O, C/groups, KH, KW]
  Emitted offsets = nullptr;  // [N, 2*offset_groups*taps, OH, OW]: rows and columns in pixels
  Emitted bias = nullptr;     // [O] or null
  Emitted mask = nullptr;     // [N, offset_groups*taps, OH, OW], factors of what is read, or null
  Window window = {};         // over height and width, checked
  int64_t groups = 1;
  int64_t offset_groups = 1;  // of channels, which share their positions
};

// The node's output [N,O,OH,OW]. InvalidArgument for operands that don't fit each other.
Emitted EmitDeformableConvolution(OpEmitter& op, const DeformableConvolution& convolution);

// Positions from -1 to 1 in outputs of `size`, [N,C,H,W] or [N,C,D,H,W], times theta, [N,2,3] or
// [N,3,4]: the grid [N,H,W,2] or [N,D,H,W,3] that sampling takes, the node's output.
// InvalidArgument for a theta that doesn't fit the size.
Emitted EmitAffineGrid(OpEmitter& op, const Emitted& theta, const std::vector<int64_t>& size,
                       bool align_corners);

// Values of x [N,C,D,H,W] at the positions `grid` [N,D',H',W',3] (column, row, depth) from -1 to 1:
// the node's output [N,C,D',H',W']. `sample.mode`: bilinear or nearest. Each image of the depth is
// sampled, and those near a position count: it takes D times the work of an image.
// InvalidArgument for operands that don't fit each other.
Emitted EmitVolumeSample(OpEmitter& op, const Emitted& x, const Emitted& grid,
                         const GridSample& sample);

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_EMIT_SAMPLING_H_
