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
// The same of ONNX's own domain for operators to come, ai.onnx.preview.
const OperatorTable<OpMapping>& PreviewOperators();

// Null if the node's operator isn't supported.
const OpMapping* MappingOf(const onnx::NodeProto& node);
// Whether it is one of the default domain.
bool IsStandard(const onnx::NodeProto& node);

// What several themes say of operators that read their axes when the network is imported.
inline constexpr char kConstantAxes[] = "constant 'axes'";

// The themes, each in the file of its name; UnaryMappings are of kUnaryFunctions.
using Theme = absl::Span<const OpMapping>;
Theme ActivationMappings();
Theme AttentionMappings();
Theme CarriedStateMappings();
Theme ConstantMappings();
Theme ContributedAttentionMappings();
Theme ContributedMappings();
Theme ContributedMatmulMappings();
Theme ContributedQLinearMappings();
Theme ControlFlowMappings();
Theme ConversionMappings();
Theme ConvolutionMappings();
Theme DeterminantMappings();
Theme ElementwiseMappings();
Theme ExperimentalMappings();
Theme FlexAttentionMappings();
Theme GeometryMappings();
Theme IndexingMappings();
Theme LossMappings();
Theme MaskMappings();
Theme MatmulMappings();
Theme NormalizationMappings();
Theme PoolingMappings();
Theme QLinearMappings();
Theme QuantizationMappings();
Theme RecurrentMappings();
Theme ReductionMappings();
Theme ResizeMappings();
Theme SamplingMappings();
Theme SequenceMappings();
Theme ShapeMappings();
Theme SignalMappings();
Theme SliceMappings();
Theme SuppressionMappings();
Theme UnaryMappings();
Theme UniqueMappings();

}  // namespace synap_internal::onnx_import

#endif  // COMPILER_IMPORT_ONNX_OP_TABLE_H_
