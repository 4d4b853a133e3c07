// Registry of all ops, by name.
#ifndef KERNELS_REGISTRY_H_
#define KERNELS_REGISTRY_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "kernels/op_def.h"

namespace synap_internal {

// All ops in the order of kernels/ops.bzl; static storage.
absl::Span<const OpDef* const> AllOps();

// The op of that name, or null.
const OpDef* FindOp(absl::string_view name);

}  // namespace synap_internal

#endif  // KERNELS_REGISTRY_H_
