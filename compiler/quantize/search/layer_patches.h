// Patches of a linear layer: the operand's values under its window at chosen output positions.
#ifndef COMPILER_QUANTIZE_SEARCH_LAYER_PATCHES_H_
#define COMPILER_QUANTIZE_SEARCH_LAYER_PATCHES_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "compiler/graph/graph.h"
#include "compiler/quantize/search/matrices.h"
#include "kernels/shared/window.h"

namespace synap_internal {

// A conv2d, depthwise_conv2d or fully_connected as a product of matrices: at an output position
// (dense index over all dimensions but the last), output channel c is the product of its weights
// with the patch of its group. A depthwise layer has a group for each channel.
struct PatchLayout {
  Window window;  // of images
  Shape x;        // of the operand; rows [1, 1, rows, K] of a fully_connected
  int64_t out_height = 1, out_width = 1;
  int64_t positions = 0;
  int64_t groups = 1;
  int64_t inputs = 0;   // of a patch: taps (in the order of the weights) times channels of a group
  int64_t outputs = 0;  // channels of a group
  bool depthwise = false;

  // REQUIRES: `op` is one of those.
  static PatchLayout Of(const Op& op);

  int64_t channels() const { return groups * outputs; }
  // Where weight `input` of an output channel is in the dense weights.
  int64_t WeightIndex(int64_t channel, int64_t input) const {
    return depthwise ? input * groups + channel : channel * inputs + input;
  }
};

// `wanted` of `positions` for sample number `sample`, all if there are no more. Spread evenly, and
// others for each sample; the same on every machine.
std::vector<int64_t> ChoosePositions(int64_t positions, int64_t wanted, int64_t sample);

// Writes the patches at `positions`, 0 in the padding, into `patches` [groups](rows, inputs), from
// row `row` on. `x`: the operand's values, dense.
void CopyPatches(const PatchLayout& layout, absl::Span<const float> x,
                 absl::Span<const int64_t> positions, int64_t row, Matrices& patches);

}  // namespace synap_internal

#endif  // COMPILER_QUANTIZE_SEARCH_LAYER_PATCHES_H_
