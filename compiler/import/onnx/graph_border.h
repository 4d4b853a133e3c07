// What the options and the model say together about inputs and outputs.
#ifndef COMPILER_IMPORT_ONNX_GRAPH_BORDER_H_
#define COMPILER_IMPORT_ONNX_GRAPH_BORDER_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/tensor_type.h"
#include "compiler/import/import_options.h"
#include "compiler/import/onnx/graph_index.h"

namespace synap_internal::onnx_import {

// The tensors that are asked for, by name and in order. NotFound with the nearest
// names for an unknown one; InvalidArgument for none, or one twice.
absl::StatusOr<std::vector<std::string>> OutputNames(const onnx::GraphProto& graph,
                                                     const GraphIndex& index,
                                                     const std::vector<std::string>& wanted);

// `inputs` with all names filled in. Errors as above.
absl::StatusOr<std::vector<ImportInput>> NamedInputs(const onnx::GraphProto& graph,
                                                     const GraphIndex& index,
                                                     std::vector<ImportInput> inputs);

// The type of an input: what the model says (`info`, may be null), completed by
// the options. An unknown batch is 1. InvalidArgument if they contradict one
// another or a dimension stays unknown.
absl::StatusOr<TensorType> InputType(const ImportInput& input, const onnx::ValueInfoProto* info);

}  // namespace synap_internal::onnx_import

#endif  // COMPILER_IMPORT_ONNX_GRAPH_BORDER_H_
