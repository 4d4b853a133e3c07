// Views, which share the memory of the tensor that they are made of, and writes in place.
#ifndef COMPILER_IMPORT_TORCHSCRIPT_VIEWS_H_
#define COMPILER_IMPORT_TORCHSCRIPT_VIEWS_H_

#include <functional>
#include <memory>
#include <optional>

#include "absl/status/status.h"
#include "compiler/import/torchscript/node_context.h"
#include "compiler/import/torchscript/op_table.h"
#include "compiler/import/torchscript/value.h"

namespace synap_internal::torchscript_import {

// Makes `view` share the memory of `whole`, of which it is the `kind` of view. `region`: the part
// of the whole that it is, if it is one. `remake`: emits the view of what the whole is by then;
// null if that isn't possible.
void ShareMemory(Result kind, const std::shared_ptr<Variable>& whole,
                 const std::optional<Region>& region, std::function<Emitted()> remake,
                 Variable& view);

// Brings a view up to date with what was written to its memory, where that is known. Views that
// may be copies stay out of date.
absl::Status Refresh(Variable& variable);

// A write in place: the variable stands for `result` from now on, and so does its part of what it
// is a view of.
absl::Status Assign(NodeContext& node, Variable& variable, Tensor* result);

// The variable has another shape from now on, in the same memory ("aten::unsqueeze_").
void ChangeShape(Variable& variable, Tensor* result);

}  // namespace synap_internal::torchscript_import

#endif  // COMPILER_IMPORT_TORCHSCRIPT_VIEWS_H_
