// Choice of the numbers in which an operator of TensorFlow Lite computes what an op computes.
#ifndef COMPILER_EXPORT_TFLITE_ARITHMETIC_H_
#define COMPILER_EXPORT_TFLITE_ARITHMETIC_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"
#include "base/data_type.h"
#include "compiler/graph/graph.h"

namespace synap_internal::tflite_export {

// Set of the quantized integers that an operator has kernels for.
using Integers = uint8_t;
inline constexpr Integers kNoIntegers = 0;
inline constexpr Integers kSignedBytes = 1;    // int8
inline constexpr Integers kUnsignedBytes = 2;  // uint8
inline constexpr Integers kWords = 4;          // int16 with zero points of 0
inline constexpr Integers kBytes = kSignedBytes | kUnsignedBytes;
inline constexpr Integers kAllIntegers = kBytes | kWords;

// The set of one type; none for types of another kind.
Integers SetOf(DataType type);

// Unimplemented for quantized operands and outputs that runtimes refuse to make and to read: int16
// with a zero point other than 0, and integers of other widths. Weights and biases may be those;
// they are converted here.
absl::Status CheckQuantizers(const Op& op);

// Unimplemented for integers of more bits, without a quantizer.
absl::Status CheckPlainIntegers(const Op& op, size_t bits);

// int8, uint8 or int16 for quantized integers; float32 for real numbers; kInvalid for the types
// that the tensors have, none of which is quantized.
using Arithmetic = DataType;

// The arithmetic of an op whose operator takes `available` integers; `bytes`: the signedness that
// costs no conversion. Where bytes meet 16 bits all have 16 bits. Unimplemented where quantized
// values fit no available integers, naming what was found and the nearest type.
absl::StatusOr<Arithmetic> ChooseArithmetic(const Op& op, Integers available, DataType bytes);

}  // namespace synap_internal::tflite_export

#endif  // COMPILER_EXPORT_TFLITE_ARITHMETIC_H_
