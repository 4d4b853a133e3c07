// Table of the mappings from ops to ONNX operators of the default domain.
#ifndef COMPILER_EXPORT_ONNX_OP_TABLE_H_
#define COMPILER_EXPORT_ONNX_OP_TABLE_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "compiler/export/onnx/op_context.h"

namespace synap_internal::onnx_export {

struct OpMapping {
  absl::string_view op;  // of kernels/
  // Writes the nodes and makes the output. Errors are those of the attributes, and Unimplemented
  // for options that ONNX doesn't have.
  absl::Status (*write)(OpContext& context);
};

// By family, each in the file of its name.
absl::Span<const OpMapping> ConversionMappings();
absl::Span<const OpMapping> ElementwiseMappings();
absl::Span<const OpMapping> ImageMappings();
absl::Span<const OpMapping> IndexingMappings();
absl::Span<const OpMapping> LinearMappings();
absl::Span<const OpMapping> ReductionMappings();
absl::Span<const OpMapping> ShapeMappings();

// Null for an op without a mapping, which is optional: a network with such an op can't be exported.
const OpMapping* FindMapping(absl::string_view op);

}  // namespace synap_internal::onnx_export

#endif  // COMPILER_EXPORT_ONNX_OP_TABLE_H_
