// int8 as uint8: the kernels' activations are unsigned, and shifting integers and
// zero point by 128 leaves every real number as it is.
#ifndef COMPILER_IMPORT_TFLITE_UNSIGNED_VALUES_H_
#define COMPILER_IMPORT_TFLITE_UNSIGNED_VALUES_H_

#include "base/tensor_type.h"
#include "compiler/ir/graph.h"

namespace synap::tflite_import {

// int8 with one quantizer for the tensor: what has an unsigned twin. Weights
// with one for each channel stay signed.
bool HasUnsignedTwin(const TensorType& type);

// The twin's type; other types stay.
TensorType ToUnsigned(TensorType type);

// The twin's elements.
Constant ToUnsigned(const Constant& constant);

}  // namespace synap::tflite_import

#endif  // COMPILER_IMPORT_TFLITE_UNSIGNED_VALUES_H_
