// Inputs and outputs of an ONNX graph, as the shared search for those of a part of it needs them.
#ifndef COMPILER_IMPORT_ONNX_INPUTS_OUTPUTS_H_
#define COMPILER_IMPORT_ONNX_INPUTS_OUTPUTS_H_

#include <optional>

#include "absl/status/statusor.h"
#include "base/tensor_type.h"
#include "compiler/import/import_options.h"
#include "compiler/import/input_shape.h"
#include "compiler/import/model_part.h"
#include "compiler/import/onnx/graph_index.h"

namespace synap_internal::onnx_import {

// Nodes are those of `graph` in its order; what the bodies of control flow read of the graph
// around them, their node reads. Values that nothing defines are left out. The outputs are read
// only if `options` name none: InvalidArgument if one of them has no name or is such a value.
absl::StatusOr<ModelGraph> ModelGraphOf(const onnx::GraphProto& graph, const GraphIndex& index,
                                        const ImportOptions& options);

// The type of an input: what the model says (`info`, may be null), completed by the metafile
// (`given`). An unknown batch is 1. An optional tensor is one that is there. Unimplemented for
// other types; InvalidArgument if they contradict one another or a dimension stays unknown. Errors
// are without the input's name.
absl::StatusOr<TensorType> InputType(const std::optional<Shape>& given,
                                     const onnx::ValueInfoProto* info);

// ONNX's type of the elements of a tensor, of an optional tensor, or of the tensors of a sequence;
// 0 if there is none.
int ElementTypeOf(const onnx::TypeProto& type);

// The shape of an input or output in the model; nothing if it has none.
std::optional<OpenShape> ModelShape(const onnx::ValueInfoProto& info);

}  // namespace synap_internal::onnx_import

#endif  // COMPILER_IMPORT_ONNX_INPUTS_OUTPUTS_H_
