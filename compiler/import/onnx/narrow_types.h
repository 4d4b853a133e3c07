// ONNX's data types of 8 bits and less that the graph doesn't have: constants of them, which are
// weights, become float32, int8 or uint8.
#ifndef COMPILER_IMPORT_ONNX_NARROW_TYPES_H_
#define COMPILER_IMPORT_ONNX_NARROW_TYPES_H_

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/data_type.h"
#include "base/shape.h"
#include "compiler/import/stored_elements.h"

namespace synap_internal::onnx_import {

// Whether `onnx_type` is one of them: float8 (e4m3fn, e4m3fnuz, e5m2, e5m2fnuz, e8m0), float4
// (e2m1), int4, uint4, int2 and uint2.
bool IsNarrowType(int onnx_type);

// The type that its elements have in the graph: float32, int8 or uint8.
// REQUIRES: IsNarrowType(onnx_type).
DataType WideTypeOf(int onnx_type);

// The smallest and the largest value of a narrow integer type.
// REQUIRES: IsNarrowType(onnx_type), and WideTypeOf(onnx_type) is an integer type.
IntegerRange NarrowRange(int onnx_type);

// The direction in which e8m0, whose values are powers of two, rounds: away from zero, towards it,
// or to the nearest power with ties away from zero.
enum class PowerRounding { kUp, kDown, kNearest };

// `value` as a narrow float type has it, rounded half to even (e8m0: by `powers`). What is beyond
// the largest value, infinity included, becomes that if `saturate` is set, otherwise infinity or,
// in types without it, NaN; float4 always saturates. e2m1 has no NaN, it becomes -0; e8m0 has no
// sign, negative numbers become NaN, and 0 is its smallest power. The tables of ONNX's Cast and
// https://arxiv.org/abs/2209.05433, https://arxiv.org/abs/2206.02915,
// https://www.opencompute.org/documents/ocp-microscaling-formats-mx-v1-0-spec-final-pdf.
// REQUIRES: IsNarrowType(onnx_type), and WideTypeOf(onnx_type) is float32.
float RoundToNarrow(int onnx_type, float value, bool saturate,
                    PowerRounding powers = PowerRounding::kUp);

// The elements of `stored`, which are packed into bytes from the lowest bits on. InvalidArgument
// unless there are as many bytes as they take. REQUIRES: IsNarrowType(onnx_type), and `shape` is
// valid.
absl::StatusOr<TensorData> UnpackNarrow(int onnx_type, const Shape& shape,
                                        absl::Span<const uint8_t> stored);

}  // namespace synap_internal::onnx_import

#endif  // COMPILER_IMPORT_ONNX_NARROW_TYPES_H_
