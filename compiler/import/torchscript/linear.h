// Fully connected layer: x times the transpose of a weight matrix.
#ifndef COMPILER_IMPORT_TORCHSCRIPT_LINEAR_H_
#define COMPILER_IMPORT_TORCHSCRIPT_LINEAR_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compiler/import/torchscript/node_context.h"

namespace synap_internal::torchscript_import {

// x [..., K], w [O, K], bias [O] or null -> [..., O], named node.Name(suffix).
absl::StatusOr<Tensor*> EmitLinear(NodeContext& node, Tensor* x, Tensor* w, Tensor* bias,
                                   absl::string_view suffix);

}  // namespace synap_internal::torchscript_import

#endif  // COMPILER_IMPORT_TORCHSCRIPT_LINEAR_H_
