// TensorFlow Lite's operators and the functions that map them, in files by theme.
#ifndef COMPILER_IMPORT_TFLITE_OP_TABLE_H_
#define COMPILER_IMPORT_TFLITE_OP_TABLE_H_

#include <cstddef>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "compiler/import/tflite/operator_context.h"

namespace synap_internal::tflite_import {

struct OpMapping {
  tflite::BuiltinOperator code;
  // Operands [0, required) are there when `map` is called, and none from `max` on.
  size_t required;
  size_t max;
  // Emits ops for the operator and sets its outputs. Errors are without the operator.
  absl::Status (*map)(OperatorContext& op);
  absl::string_view limits = "";  // op_limits.h
};

// The limits of operators that end in an activation.
inline constexpr char kFusedActivations[] =
    "the fused activations RELU, RELU6, RELU_N1_TO_1 and TANH";

std::vector<const OpMapping*> AllMappings();
// Null if the operator isn't supported.
const OpMapping* FindMapping(tflite::BuiltinOperator code);

// The themes.
absl::Span<const OpMapping> ArithmeticMappings();
absl::Span<const OpMapping> BatchSpaceMappings();
absl::Span<const OpMapping> ConversionMappings();
absl::Span<const OpMapping> ConvolutionMappings();
absl::Span<const OpMapping> FunctionMappings();
absl::Span<const OpMapping> MatrixMappings();
absl::Span<const OpMapping> PoolingMappings();
absl::Span<const OpMapping> RecurrentMappings();
absl::Span<const OpMapping> ReductionMappings();
absl::Span<const OpMapping> ResizeMappings();
absl::Span<const OpMapping> ShapeMappings();
absl::Span<const OpMapping> SliceMappings();

}  // namespace synap_internal::tflite_import

#endif  // COMPILER_IMPORT_TFLITE_OP_TABLE_H_
