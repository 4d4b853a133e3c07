// ONNX's data types of 8 bits and less that the graph doesn't have: constants of them, which are
// weights, become float32, int8 or uint8.
#ifndef COMPILER_IMPORT_ONNX_NARROW_TYPES_H_
#define COMPILER_IMPORT_ONNX_NARROW_TYPES_H_

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/shape.h"
#include "compiler/import/stored_elements.h"

namespace synap_internal::onnx_import {

// Whether `onnx_type` is one of them: float8 (e4m3fn, e4m3fnuz, e5m2, e5m2fnuz, e8m0), float4
// (e2m1), int4, uint4, int2 and uint2.
bool IsNarrowType(int onnx_type);

// The elements of `stored`, which are packed into bytes from the lowest bits on. InvalidArgument
// unless there are as many bytes as they take. REQUIRES: IsNarrowType(onnx_type), and `shape` is
// valid.
absl::StatusOr<TensorData> UnpackNarrow(int onnx_type, const Shape& shape,
                                        absl::Span<const uint8_t> stored);

}  // namespace synap_internal::onnx_import

#endif  // COMPILER_IMPORT_ONNX_NARROW_TYPES_H_
