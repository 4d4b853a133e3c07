// TensorFlow Lite's operators and the functions that map them, in files by theme.
#ifndef COMPILER_IMPORT_TFLITE_OP_TABLE_H_
#define COMPILER_IMPORT_TFLITE_OP_TABLE_H_

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "compiler/import/operator_table.h"
#include "compiler/import/tflite/operator_context.h"

namespace synap_internal::tflite_import {

using OpMapping = OperatorRow<OperatorContext, tflite::BuiltinOperator>;

// The limits of operators that end in an activation.
inline constexpr char kFusedActivations[] =
    "the fused activations RELU, RELU6, RELU_N1_TO_1 and TANH";

const OperatorTable<OpMapping>& Operators();

// The themes.
absl::Span<const OpMapping> ActivationMappings();
absl::Span<const OpMapping> ConversionMappings();
absl::Span<const OpMapping> ConvolutionMappings();
absl::Span<const OpMapping> ElementwiseMappings();
absl::Span<const OpMapping> IndexingMappings();
absl::Span<const OpMapping> MatmulMappings();
absl::Span<const OpMapping> NormalizationMappings();
absl::Span<const OpMapping> PoolingMappings();
absl::Span<const OpMapping> QuantizationMappings();
absl::Span<const OpMapping> RecurrentMappings();
absl::Span<const OpMapping> ReductionMappings();
absl::Span<const OpMapping> ResizeMappings();
absl::Span<const OpMapping> ShapeMappings();
absl::Span<const OpMapping> SliceMappings();

}  // namespace synap_internal::tflite_import

#endif  // COMPILER_IMPORT_TFLITE_OP_TABLE_H_
