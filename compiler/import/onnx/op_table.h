// ONNX's operators and the functions that map them, in a file for each kind (activation.cc, ...).
#ifndef COMPILER_IMPORT_ONNX_OP_TABLE_H_
#define COMPILER_IMPORT_ONNX_OP_TABLE_H_

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "compiler/import/emit/op_emitter.h"
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

// Output 0 of `op_type` over other operands, named Name(".real"), with the node's attributes except
// for `own`, those that the other operator doesn't have.
// REQUIRES: no operand is null, and `op_type` has a row.
Emitted EmitAs(NodeContext& node, absl::string_view op_type, OpInputs operands,
               absl::Span<const absl::string_view> own = {});

// What several kinds say of operators that read their axes when the network is imported.
inline constexpr char kConstantAxes[] = "constant 'axes'";

// Rows of each kind, in the file of its name without Contributed or Flex (FlexAttentionMappings:
// attention.cc); UnaryMappings are of kUnaryFunctions.
using Mappings = absl::Span<const OpMapping>;
Mappings ActivationMappings();
Mappings AttentionMappings();
Mappings ConstantMappings();
Mappings ContributedAttentionMappings();
Mappings ContributedMappings();
Mappings ContributedQLinearMappings();
Mappings ControlFlowMappings();
Mappings ConversionMappings();
Mappings ConvolutionMappings();
Mappings ElementwiseMappings();
Mappings FlexAttentionMappings();
Mappings GeometryMappings();
Mappings IndexingMappings();
Mappings LossMappings();
Mappings MatrixMappings();
Mappings NormalizationMappings();
Mappings PoolingMappings();
Mappings QLinearMappings();
Mappings QuantizationMappings();
Mappings RecurrentMappings();
Mappings ReductionMappings();
Mappings ResizeMappings();
Mappings SamplingMappings();
Mappings SequenceMappings();
Mappings ShapeMappings();
Mappings SignalMappings();
Mappings SliceMappings();
Mappings StateMappings();
Mappings UnaryMappings();
Mappings ValueDependentMappings();

}  // namespace synap_internal::onnx_import

#endif  // COMPILER_IMPORT_ONNX_OP_TABLE_H_
