// TensorFlow's operators and the functions that map them, in files by theme.
#ifndef COMPILER_IMPORT_TENSORFLOW_OP_TABLE_H_
#define COMPILER_IMPORT_TENSORFLOW_OP_TABLE_H_

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "compiler/import/operator_table.h"
#include "compiler/import/tensorflow/node_context.h"

namespace synap_internal::tensorflow_import {

using OpMapping = OperatorRow<NodeContext>;

const OperatorTable<OpMapping>& Operators();

// The mapping of a node that reads random numbers: as far as dropout with
// nothing to drop needs it. Unimplemented for others.
absl::Status MapRandomOperand(NodeContext& node);

// The themes.
absl::Span<const OpMapping> ActivationMappings();
absl::Span<const OpMapping> ConstantMappings();
absl::Span<const OpMapping> ControlFlowMappings();
absl::Span<const OpMapping> ConversionMappings();
absl::Span<const OpMapping> ConvolutionMappings();
absl::Span<const OpMapping> ElementwiseMappings();
absl::Span<const OpMapping> IndexingMappings();
absl::Span<const OpMapping> MatmulMappings();
absl::Span<const OpMapping> NormalizationMappings();
absl::Span<const OpMapping> PoolingMappings();
absl::Span<const OpMapping> QuantizationMappings();
absl::Span<const OpMapping> RandomMappings();
absl::Span<const OpMapping> ReductionMappings();
absl::Span<const OpMapping> ResizeMappings();
absl::Span<const OpMapping> ShapeMappings();
absl::Span<const OpMapping> SliceMappings();

}  // namespace synap_internal::tensorflow_import

#endif  // COMPILER_IMPORT_TENSORFLOW_OP_TABLE_H_
