// A residual connection in an op with weights: the sum of its own results and
// another tensor, the operand `residual`.
#ifndef KERNELS_LINEAR_FUSED_SUM_H_
#define KERNELS_LINEAR_FUSED_SUM_H_

#include <cstdint>

#include "absl/status/status.h"
#include "base/tensor_type.h"
#include "kernels/attributes.h"
#include "kernels/op_def.h"

namespace synap {

// The attributes that belong to a residual. Everything else that the op does comes before the
// sum, which is that of the op `add`: float32 without a rounding between the two, integers
// requantized to the op's own quantizer first.
struct FusedSum {
  float own_scale = 0;  // quantizer of the op's own results, integers only; 0: none
  int64_t own_zero_point = 0;
  Clamp clamp;  // "sum_min", "sum_max": of the sum, in real numbers

  // Reads them; errors come out of reader.Finish() and Check().
  static FusedSum Read(AttributeReader& reader);
  // `output`: the op's output as inferred, with x's data type. Refuses a residual of another
  // shape or data type, or without a quantizer per tensor where x has one; own_scale missing
  // there, or no quantizer of that type; sum_min > sum_max or NaN; and other attributes than the
  // defaults without a residual.
  absl::Status Check(const TensorType& output, const TensorType& residual) const;
};

}  // namespace synap

#endif  // KERNELS_LINEAR_FUSED_SUM_H_
