// Supported part of an operator, named in the error of what is refused.
#ifndef COMPILER_IMPORT_OP_LIMITS_H_
#define COMPILER_IMPORT_OP_LIMITS_H_

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace synap_internal {

// The status of mapping one operator. `limits` stand in the operator's row of its importer's table:
// what of it is supported, "constant 'axes'"; empty: all. They end the error of what is refused,
// and docs/ops.md is made of them.
inline absl::Status WithLimits(const absl::Status& status, absl::string_view limits) {
  if (limits.empty() || !absl::IsUnimplemented(status)) return status;
  return absl::UnimplementedError(absl::StrCat(status.message(), " (supported: ", limits, ")"));
}

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_OP_LIMITS_H_
