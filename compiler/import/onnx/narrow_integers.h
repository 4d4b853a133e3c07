// Integers of 8, 16 and 32 bits that no quantizer explains. Kernels only move
// those; arithmetic on them is done in int64, and the low bits are kept.
#ifndef COMPILER_IMPORT_ONNX_NARROW_INTEGERS_H_
#define COMPILER_IMPORT_ONNX_NARROW_INTEGERS_H_

#include <string>

#include "absl/status/statusor.h"
#include "compiler/import/onnx/node_context.h"

namespace synap_internal::onnx_import {

// x itself unless it holds such integers; then as int64, named Name(suffix).
absl::StatusOr<Tensor*> Widened(NodeContext& node, Tensor* x, absl::string_view suffix);

// x as `type`, named Name(suffix) if that takes an op.
absl::StatusOr<Tensor*> CastTo(NodeContext& node, Tensor* x, DataType type,
                               absl::string_view suffix = "");

}  // namespace synap_internal::onnx_import

#endif  // COMPILER_IMPORT_ONNX_NARROW_INTEGERS_H_
