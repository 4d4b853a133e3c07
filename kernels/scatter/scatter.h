// scatter: replaces slices of x by updates, or combines them.
//
//   x        [N, ...], any data type
//   indices  any shape, int64; negative ones count from the back
//   updates  indices.shape + x.shape[1:], the type of x
//   output   as x: output[indices[j...], k...] = f(output[indices[j...], k...], updates[j...,
//   k...])
//            for all j in row-major order
//
// Attributes: reduction ("none": f(a, b) = b; "add", "mul", "max", "min").
// Data type and quantization of x.
//
// float32: one IEEE operation each; max and min take b unless a is greater (less),
// and are NaN if either is. int32, int64: add and mul wrap. Other types with a
// reduction have no kernel.
//
// As for gather, an index outside of [-N, N) is an error of Prepare if the indices
// are constant; computed indices are clamped to the nearest valid one.
//
// scatter_c1: indices are int64, x has rank 1 or more.
// scatter_c2: updates has the data type of x and the shape above.
// scatter_c3: constant indices are inside of x.
// scatter_c4: reduction is one of the five.
// scatter_c5: N is not 0, unless there are no indices.
// scatter_c6: x is not quantized per channel.
#ifndef KERNELS_SCATTER_SCATTER_H_
#define KERNELS_SCATTER_SCATTER_H_

#include <algorithm>
#include <cstdint>

#include "absl/types/span.h"
#include "kernels/op_def.h"

namespace synap_internal {

absl::Span<const OpDef> ScatterOps();

namespace scatter {

enum class Reduction : uint8_t { kNone, kAdd, kMul, kMax, kMin };

struct Plan {
  Reduction reduction = Reduction::kNone;
  DataType type = DataType::kFloat32;
  int64_t extent = 0;  // N
  int64_t count = 0;   // indices
  int64_t run = 0;     // elements of a slice

  // An index in [0, N).
  int64_t Position(int64_t index) const {
    return std::clamp<int64_t>(index < 0 ? index + extent : index, 0, extent - 1);
  }
};

// Reference, on one thread, because indices may repeat.
void Reference(const Plan& plan, const KernelArgs& args);

}  // namespace scatter
}  // namespace synap_internal

#endif  // KERNELS_SCATTER_SCATTER_H_
