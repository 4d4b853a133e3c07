// Attributes of a residual connection fused into an op with weights: the op adds
// another tensor, the operand `residual`, to its own results.
#ifndef KERNELS_SHARED_LINEAR_FUSED_SUM_H_
#define KERNELS_SHARED_LINEAR_FUSED_SUM_H_

#include <cstdint>

#include "absl/status/status.h"
#include "base/tensor_type.h"
#include "kernels/attributes.h"
#include "kernels/op_def.h"

namespace synap_internal {

// The sum is the last step of the op and computes what the op `add` does: float32 without a
// rounding between the two, integers requantized to the op's own quantizer first.
struct FusedSum {
  float own_scale = 0;  // quantizer of the op's results before the sum, integers only; 0: none
  int64_t own_zero_point = 0;
  Clamp clamp;  // "sum_min", "sum_max": of the sum, in real numbers

  // Reads the attributes; reader.Finish() and Check() return the errors.
  static FusedSum Read(AttributeReader& reader);
  // `output`: the op's output as inferred, with its data type. InvalidArgument for a residual of
  // another shape or data type; for integers, a residual without a quantizer per tensor, or
  // own_scale and own_zero_point that are missing or no quantizer of the type; for sum_min >
  // sum_max or NaN; and for any of the attributes without a residual.
  absl::Status Check(const TensorType& output, const TensorType& residual) const;
};

}  // namespace synap_internal

#endif  // KERNELS_SHARED_LINEAR_FUSED_SUM_H_
