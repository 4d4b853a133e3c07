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

// The themes, each in the file of its name.
using Theme = absl::Span<const OpMapping>;
Theme ActivationMappings();
Theme ConversionMappings();
Theme ConvolutionMappings();
Theme ElementwiseMappings();
Theme IndexingMappings();
Theme MatmulMappings();
Theme NormalizationMappings();
Theme PoolingMappings();
Theme QuantizationMappings();
Theme RecurrentMappings();
Theme ReductionMappings();
Theme ResizeMappings();
Theme ShapeMappings();
Theme SliceMappings();

}  // namespace synap_internal::tflite_import

#endif  // COMPILER_IMPORT_TFLITE_OP_TABLE_H_
