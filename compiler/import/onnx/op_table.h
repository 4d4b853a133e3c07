// ONNX's operators and the functions that map them, in files by theme.
#ifndef COMPILER_IMPORT_ONNX_OP_TABLE_H_
#define COMPILER_IMPORT_ONNX_OP_TABLE_H_

#include <cstddef>
#include <initializer_list>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "compiler/import/onnx/node_context.h"

namespace synap_internal::onnx_import {

struct OpMapping {
  absl::string_view op_type;
  // Operands [0, required) are there when `map` is called, and none from `max` on.
  size_t required;
  size_t max;
  // Emits ops for the node and sets its outputs. Errors are without the node.
  absl::Status (*map)(NodeContext& node);
  absl::string_view limits = "";  // op_limits.h
};

// Of the default domain.
std::vector<const OpMapping*> AllMappings();
// Null if the operator of the default domain isn't supported.
const OpMapping* FindMapping(absl::string_view op_type);
// The same for ONNX Runtime's own domain, com.microsoft.
const OpMapping* FindContributedMapping(absl::string_view op_type);

// The themes.
absl::Span<const OpMapping> ActivationMappings();
absl::Span<const OpMapping> ConstantMappings();
absl::Span<const OpMapping> ContributedMappings();
absl::Span<const OpMapping> ControlFlowMappings();
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

}  // namespace synap_internal::onnx_import

#endif  // COMPILER_IMPORT_ONNX_OP_TABLE_H_
