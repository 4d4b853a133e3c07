// Integers of 32 bits and less as int64, which kernels compute with, and constants of ONNX's narrow
// types.
#ifndef COMPILER_IMPORT_ONNX_NARROW_TENSORS_H_
#define COMPILER_IMPORT_ONNX_NARROW_TENSORS_H_

#include "absl/strings/string_view.h"
#include "base/tensor_type.h"
#include "compiler/graph/graph.h"
#include "compiler/import/onnx/narrow_types.h"
#include "compiler/import/onnx/node_context.h"

namespace synap_internal::onnx_import {

// --- Integers of 8, 16 and 32 bits. Kernels only move them, or take them for the real numbers of a
// quantizer; arithmetic on the integers is done in int64, of which the low bits are kept.

bool IsNarrow(const TensorType& type);

// x as int64, named Name(suffix), if it holds such integers; else x itself. Of quantized ones the
// integers, not the numbers that they stand for.
Emitted Widened(NodeContext& node, Tensor* x, absl::string_view suffix);

// The same where only their order counts: x itself if it is quantized, too.
Emitted WidenedKeys(NodeContext& node, Tensor* x, absl::string_view suffix);

// --- Constants of ONNX's narrow types (narrow_types.h)

// How a number becomes one of a narrow type.
struct NarrowConversion {
  // What is beyond an integer type becomes its nearest value; otherwise its low bits are kept.
  bool clamps_integers = false;
  // As RoundToNarrow's.
  bool saturates_floats = true;
  PowerRounding powers = PowerRounding::kUp;
};

// The numbers of x as `onnx_type` has them, in a constant named node.Name(suffix) that counts as
// one of that type. Fractions of integers are dropped. Unimplemented unless x is constant.
// REQUIRES: IsNarrowType(onnx_type).
Emitted NarrowConstant(NodeContext& node, const Emitted& x, int onnx_type,
                       const NarrowConversion& conversion, absl::string_view suffix = "");

}  // namespace synap_internal::onnx_import

#endif  // COMPILER_IMPORT_ONNX_NARROW_TENSORS_H_
