// Model-local functions (FunctionProto): nodes that call one become the nodes of its body.
#ifndef COMPILER_IMPORT_ONNX_MODEL_FUNCTIONS_H_
#define COMPILER_IMPORT_ONNX_MODEL_FUNCTIONS_H_

#include "absl/status/status.h"
#include "onnx/onnx_pb.h"

namespace synap_internal::onnx_import {

// Replaces the calls in the graph and in the bodies of its control flow, and drops the functions. A
// function hides an operator of its name. Tensors and nodes of a body are named
// "<caller>/<name in the body>". InvalidArgument naming the caller for recursion and for calls that
// a function doesn't allow, ResourceExhausted for calls that multiply beyond 2^18 nodes.
absl::Status InlineFunctions(onnx::ModelProto& model);

}  // namespace synap_internal::onnx_import

#endif  // COMPILER_IMPORT_ONNX_MODEL_FUNCTIONS_H_
