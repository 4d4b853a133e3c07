// Operators whose results have as many elements as values decide, of constants only.
#ifndef COMPILER_IMPORT_TORCHSCRIPT_VALUE_DEPENDENT_H_
#define COMPILER_IMPORT_TORCHSCRIPT_VALUE_DEPENDENT_H_

#include "absl/status/status.h"
#include "compiler/import/torchscript/node_context.h"

namespace synap_internal::torchscript_import {

// The indices along each dimension of the elements of argument 0 that aren't 0, as a list of
// tensors: nonzero_numpy, and where without values.
absl::Status MapNonZeroList(NodeContext& node);

}  // namespace synap_internal::torchscript_import

#endif  // COMPILER_IMPORT_TORCHSCRIPT_VALUE_DEPENDENT_H_
