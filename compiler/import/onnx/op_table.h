// ONNX's operators and the functions that map them, in files by theme.
#ifndef COMPILER_IMPORT_ONNX_OP_TABLE_H_
#define COMPILER_IMPORT_ONNX_OP_TABLE_H_

#include "absl/types/span.h"
#include "compiler/import/onnx/node_context.h"
#include "compiler/import/operator_table.h"
#include "onnx/onnx_pb.h"

namespace synap_internal::onnx_import {

using OpMapping = OperatorRow<NodeContext>;

// The operators of the default domain.
const OperatorTable<OpMapping>& Operators();
// The same of ONNX Runtime's domain, com.microsoft.
const OperatorTable<OpMapping>& ContributedOperators();

// Null if the node's operator isn't supported.
const OpMapping* MappingOf(const onnx::NodeProto& node);
// Whether it is one of the default domain.
bool IsStandard(const onnx::NodeProto& node);

// The themes.
absl::Span<const OpMapping> ActivationMappings();
absl::Span<const OpMapping> ConstantMappings();
absl::Span<const OpMapping> ContributedMappings();
absl::Span<const OpMapping> ControlFlowMappings();
absl::Span<const OpMapping> ConversionMappings();
absl::Span<const OpMapping> ConvolutionMappings();
absl::Span<const OpMapping> EinsumMappings();
absl::Span<const OpMapping> ElementwiseMappings();
absl::Span<const OpMapping> ExperimentalMappings();
absl::Span<const OpMapping> IndexingMappings();
absl::Span<const OpMapping> LossMappings();
absl::Span<const OpMapping> MaskMappings();
absl::Span<const OpMapping> MatmulMappings();
absl::Span<const OpMapping> NormalizationMappings();
absl::Span<const OpMapping> PoolingMappings();
absl::Span<const OpMapping> QLinearMappings();
absl::Span<const OpMapping> QuantizationMappings();
absl::Span<const OpMapping> RecurrentMappings();
absl::Span<const OpMapping> ReductionMappings();
absl::Span<const OpMapping> ResizeMappings();
absl::Span<const OpMapping> SequenceMappings();
absl::Span<const OpMapping> ShapeMappings();
absl::Span<const OpMapping> SignalMappings();
absl::Span<const OpMapping> SliceMappings();
absl::Span<const OpMapping> UnaryMappings();  // of kUnaryFunctions

}  // namespace synap_internal::onnx_import

#endif  // COMPILER_IMPORT_ONNX_OP_TABLE_H_
