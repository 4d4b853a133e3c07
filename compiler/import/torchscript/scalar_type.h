// PyTorch's numbers of element types (c10::ScalarType).
#ifndef COMPILER_IMPORT_TORCHSCRIPT_SCALAR_TYPE_H_
#define COMPILER_IMPORT_TORCHSCRIPT_SCALAR_TYPE_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "base/tensor_type.h"
#include "compiler/import/axes.h"

namespace synap::torchscript_import {

// How tensors of type `scalar_type` flow through the graph: floating point types
// as float32, integers as int64, bool; quint8 as uint8, qint8 as int8.
// Unimplemented for others.
absl::StatusOr<DataType> FlowDataType(int64_t scalar_type);

// The number of a flowing tensor's type.
int64_t ScalarTypeOf(const TensorType& type);

// Python's range(start, end, step). InvalidArgument for a step of 0 and numbers
// beyond 2^53.
absl::StatusOr<AxisSlice> ResolveRange(int64_t start, int64_t end, int64_t step);

}  // namespace synap::torchscript_import

#endif  // COMPILER_IMPORT_TORCHSCRIPT_SCALAR_TYPE_H_
