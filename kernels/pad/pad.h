// pad: adds elements before and after each dimension.
//
//   x        any shape, any data type
//   output   output.shape[i] = pads[i] + x.shape[i] + pads[rank + i]
//
// Attributes: pads[2 * rank], all begins, then all ends; mode ("constant");
// value (0.0), the real number that mode "constant" adds.
// In the other modes, an output index outside of x reads, for each dimension,
//   edge      the nearest element,
//   reflect   the element mirrored at the border, which is not repeated:
//             -1 -> 1, -2 -> 2; extent -> extent - 2.
//
// Quantization: as x; the value is quantized with QuantizeValue, so that 0.0 is
// the zero point and values out of range saturate.
//
// pad_c1: no pad is negative, and the output's shape is valid.
// pad_c2: mode is one of the three.
// pad_c3: with edge and reflect, dimensions that are padded have at least 1 and
//         max(pad) + 1 elements.
// pad_c4: a value that is added to integers without quantization is one of them.
// pad_c5: x is not quantized per channel.
#ifndef KERNELS_PAD_PAD_H_
#define KERNELS_PAD_PAD_H_

#include <array>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "base/shape.h"
#include "kernels/op_def.h"

namespace synap_internal {

// "pad"; static storage.
absl::Span<const OpDef> PadOps();

enum class PadMode : uint8_t { kConstant, kReflect, kEdge };

struct PadPlan {
  int64_t element_size = 0;           // bytes
  std::array<uint8_t, 8> value = {};  // the constant, as one element is stored
  PadMode mode = PadMode::kConstant;
  std::vector<int64_t> begins;  // pads, for each dimension
  Shape input, output;
  std::vector<int64_t> input_strides;  // in elements

  // The index in x of output index `index` of dimension `d`; -1: the constant.
  int64_t Source(size_t d, int64_t index) const;
};

// Reference: one element after the other, on one thread.
void RunPadReference(const PadPlan& plan, const KernelArgs& args);

}  // namespace synap_internal

#endif  // KERNELS_PAD_PAD_H_
