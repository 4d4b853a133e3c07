// Tensors of ONNX's conformance suite as a program's buffers, and the comparison
// of what it computes.
#ifndef COMPILER_IMPORT_ONNX_CONFORMANCE_TENSOR_VALUES_H_
#define COMPILER_IMPORT_ONNX_CONFORMANCE_TENSOR_VALUES_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/aligned_memory.h"
#include "base/tensor_type.h"
#include "onnx/onnx_pb.h"

namespace synap_internal::onnx_import {

// The type of a network's input or output that ONNX declares as that of `tensor`.
absl::StatusOr<TensorType> InputOutputType(const onnx::TensorProto& tensor);

// The tensor's elements, dense, as `type` has them. InvalidArgument if that isn't
// the tensor's InputOutputType.
absl::StatusOr<AlignedMemory> BufferOf(const onnx::TensorProto& tensor, const TensorType& type);

// ONNX's own test runner allows |actual - expected| <= 1e-7 + 1e-3 |expected|, of bfloat16
// 2^-6 |expected|, and takes NaN for equal to NaN. Results of networks whose outputs are float16
// are compared as float16. FailedPrecondition with the type that differs or the first element that
// does. `actual`: dense elements of `type`.
absl::Status ExpectClose(const onnx::TensorProto& expected, const TensorType& type,
                         const uint8_t* actual);

}  // namespace synap_internal::onnx_import

#endif  // COMPILER_IMPORT_ONNX_CONFORMANCE_TENSOR_VALUES_H_
