// Constants of ONNX's narrow types (narrow_types.h) that an import computes.
#ifndef COMPILER_IMPORT_ONNX_NARROW_CONSTANT_H_
#define COMPILER_IMPORT_ONNX_NARROW_CONSTANT_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compiler/graph/graph.h"
#include "compiler/import/onnx/narrow_types.h"
#include "compiler/import/onnx/node_context.h"

namespace synap_internal::onnx_import {

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
absl::StatusOr<Tensor*> NarrowConstant(NodeContext& node, Tensor* x, int onnx_type,
                                       const NarrowConversion& conversion,
                                       absl::string_view suffix = "");

}  // namespace synap_internal::onnx_import

#endif  // COMPILER_IMPORT_ONNX_NARROW_CONSTANT_H_
