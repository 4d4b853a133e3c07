// gather: picks slices of x by index.
//
//   x        rank >= 1, any data type
//   indices  any shape, int64 or int32; negative ones count from the back
//   output   x.shape[:axis] + indices.shape + x.shape[axis + 1:],
//            output[i..., j..., k...] = x[i..., indices[j...], k...]
//
// Attributes: axis (0). Data type and quantization of x.
//
// An index outside of [-extent, extent) is an error of Prepare if the indices are
// constant. Computed indices can't be refused, because Run can't fail: the extent
// is added to negative ones, and the index is clamped to [0, extent).
//
// gather_c1: indices are int64 or int32.
// gather_c2: axis is in [-rank, rank).
// gather_c3: constant indices are inside of x.
// gather_c4: x is not quantized per channel.
// gather_c5: the extent is not 0, unless there are no indices.
#ifndef KERNELS_GATHER_GATHER_H_
#define KERNELS_GATHER_GATHER_H_

#include <algorithm>
#include <cstdint>

#include "absl/types/span.h"
#include "kernels/op_def.h"

namespace synap_internal {

// "gather"; static storage.
absl::Span<const OpDef> GatherOps();

struct GatherPlan {
  int64_t outer = 0;   // slices before the axis
  int64_t extent = 0;  // of the axis
  int64_t count = 0;   // indices
  int64_t run = 0;     // bytes after the axis
  bool wide = true;    // indices are int64

  // The position of indices[i] in [0, extent).
  int64_t Position(const void* indices, int64_t i) const {
    int64_t index =
        wide ? static_cast<const int64_t*>(indices)[i] : static_cast<const int32_t*>(indices)[i];
    if (index < 0) index += extent;
    return std::clamp<int64_t>(index, 0, extent - 1);
  }
};

// Reference, on one thread.
void RunGatherReference(const GatherPlan& plan, const KernelArgs& args);

}  // namespace synap_internal

#endif  // KERNELS_GATHER_GATHER_H_
