// Sparse weights of a TensorFlow Lite file, expanded to dense ones.
#ifndef COMPILER_IMPORT_TFLITE_SPARSE_TENSOR_H_
#define COMPILER_IMPORT_TFLITE_SPARSE_TENSOR_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/shape.h"
#include "compiler/import/tflite/model_generated.h"

namespace synap_internal::tflite_import {

// Dense bytes of `shape` with elements of `element_size` bytes, zero where
// `values` has none. InvalidArgument if `sparsity` doesn't fit to the shape or
// to the number of values. REQUIRES: shape.Validate() is OK, and the caller can
// bear the memory.
absl::StatusOr<std::vector<uint8_t>> DenseBytes(const tflite::SparsityParameters& sparsity,
                                                const Shape& shape, size_t element_size,
                                                absl::Span<const uint8_t> values);

}  // namespace synap_internal::tflite_import

#endif  // COMPILER_IMPORT_TFLITE_SPARSE_TENSOR_H_
