// Output stage of integer kernels: accumulators to an 8-bit or int16 output by
// requantization, a clamp, and an activation table if the compiler fused one.
#ifndef KERNELS_SHARED_REQUANTIZE_H_
#define KERNELS_SHARED_REQUANTIZE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/rounding.h"
#include "base/tensor_type.h"
#include "kernels/attributes.h"
#include "kernels/op_def.h"

namespace synap_internal {

// The multiplier of Requantize: float(double(a) * double(b) / double(output)).
// The accumulator's scale is a * b; b = 1 if there is only one scale.
float RequantizeMultiplier(float scale_a, float scale_b, float output_scale);

// The attributes that ops with a fused activation share. float32: "activation", an
// op of kernels/unary, with that op's attributes as "activation_alpha" and so on.
struct FusedActivation {
  Clamp clamp;                   // "min", "max"; applied before table or function
  bool table_quantizer = false;  // whether "table_scale" is present
  float table_scale = 1;         // quantizer of the table's index
  int64_t table_zero_point = 0;
  std::string function;  // name of the op; empty: none
  Attributes function_attributes;

  // Reads the attributes; reader.Finish() and Check() return the errors.
  static FusedActivation Read(AttributeReader& reader);
  // InvalidArgument for min > max, NaN, a table without its quantizer or a
  // quantizer without a table, and an unknown function. `table`, the optional
  // operand, must be uint8[256] and requires 8-bit inputs of type `x`; a function
  // requires float32 inputs.
  absl::Status Check(const TensorType& x, const TensorType& table) const;
};

// The bounds of a clamp as quantized values, inside the range of `type`.
struct QuantizedClamp {
  int32_t min;
  int32_t max;
};
QuantizedClamp QuantizeClamp(const Clamp& clamp, float scale, int32_t zero_point, DataType type);

// Maps the accumulators of one op to its output. Immutable after MakeOutputStage;
// any number of threads may use it.
struct OutputStage {
  std::vector<float> multipliers;  // one for each output channel
  int32_t zero_point = 0;          // of the output, or of the table's index
  int32_t min = 0;                 // bounds before the table
  int32_t max = 255;
  const uint8_t* table = nullptr;  // 256 entries, owned by the program; or null

  // One accumulator (zero points already subtracted) of output channel c.
  uint8_t Apply(int64_t acc, size_t c) const {
    const int32_t q = Requantize(acc, multipliers[c], zero_point, min, max);
    return table == nullptr ? static_cast<uint8_t>(q) : table[q];
  }
  // The same for an int16 output, which has no table.
  int16_t ApplyWide(int64_t acc, size_t c) const {
    return static_cast<int16_t>(Requantize(acc, multipliers[c], zero_point, min, max));
  }
};

// weight_scales: one for each output channel. output: a uint8 or int16 tensor
// with a quantizer per tensor. InvalidArgument if a multiplier overflows a float.
absl::StatusOr<OutputStage> MakeOutputStage(const FusedActivation& activation, float x_scale,
                                            absl::Span<const float> weight_scales,
                                            const TensorType& output, const uint8_t* table);

}  // namespace synap_internal

#endif  // KERNELS_SHARED_REQUANTIZE_H_
