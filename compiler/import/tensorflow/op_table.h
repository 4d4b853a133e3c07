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

// What several themes say of operators that read their axis when the network is imported.
inline constexpr char kConstantAxis[] = "a constant axis";

// The themes, each in the file of its name.
using Theme = absl::Span<const OpMapping>;
Theme ActivationMappings();
Theme ConstantMappings();
Theme ConversionMappings();
Theme ElementwiseMappings();
Theme IndexingMappings();
Theme MatmulMappings();
Theme NormalizationMappings();
Theme ReductionMappings();
Theme ResizeMappings();
Theme ShapeMappings();
Theme SliceMappings();
Theme TrainingMappings();
Theme WindowMappings();

}  // namespace synap_internal::tensorflow_import

#endif  // COMPILER_IMPORT_TENSORFLOW_OP_TABLE_H_
