// All ops, by name.
#ifndef KERNELS_REGISTRY_H_
#define KERNELS_REGISTRY_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "kernels/op_def.h"

namespace synap {

// In the order of kernels/ops.bzl. Lives for ever.
absl::Span<const OpDef* const> AllOps();

// Null if there is no such op.
const OpDef* FindOp(absl::string_view name);

}  // namespace synap

#endif  // KERNELS_REGISTRY_H_
