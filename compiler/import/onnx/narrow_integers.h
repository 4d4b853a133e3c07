// Integers of 8, 16 and 32 bits. Kernels only move them, or take them for the real numbers of a
// quantizer; arithmetic on the integers is done in int64, of which the low bits are kept.
#ifndef COMPILER_IMPORT_ONNX_NARROW_INTEGERS_H_
#define COMPILER_IMPORT_ONNX_NARROW_INTEGERS_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/tensor_type.h"
#include "compiler/graph/graph.h"
#include "compiler/import/onnx/node_context.h"

namespace synap_internal::onnx_import {

bool IsNarrow(const TensorType& type);

// x as int64, named Name(suffix), if it holds such integers; else x itself. Of quantized ones the
// integers, not the numbers that they stand for.
absl::StatusOr<Tensor*> Widened(NodeContext& node, Tensor* x, absl::string_view suffix);

// The same where only their order counts: x itself if it is quantized, too.
absl::StatusOr<Tensor*> WidenedKeys(NodeContext& node, Tensor* x, absl::string_view suffix);

}  // namespace synap_internal::onnx_import

#endif  // COMPILER_IMPORT_ONNX_NARROW_INTEGERS_H_
