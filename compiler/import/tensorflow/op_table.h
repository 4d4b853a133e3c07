// TensorFlow's operators and the functions that map them, in a file for each kind (activation.cc,
// ...).
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

// What several kinds say of operators that read their axis when the network is imported.
inline constexpr char kConstantAxis[] = "a constant axis";

// Rows of each kind, in the file of its name.
using Mappings = absl::Span<const OpMapping>;
Mappings ActivationMappings();
Mappings ConstantMappings();
Mappings ConversionMappings();
Mappings ElementwiseMappings();
Mappings IndexingMappings();
Mappings MatmulMappings();
Mappings NormalizationMappings();
Mappings ReductionMappings();
Mappings ResizeMappings();
Mappings ShapeMappings();
Mappings SliceMappings();
Mappings TrainingMappings();
Mappings WindowMappings();

}  // namespace synap_internal::tensorflow_import

#endif  // COMPILER_IMPORT_TENSORFLOW_OP_TABLE_H_
