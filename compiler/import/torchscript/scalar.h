// Arithmetic on Python's numbers, which a module computes shapes with.
#ifndef COMPILER_IMPORT_TORCHSCRIPT_SCALAR_H_
#define COMPILER_IMPORT_TORCHSCRIPT_SCALAR_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compiler/import/torchscript/value.h"

namespace synap_internal::torchscript_import {

// `kind` ("aten::add") of two values that are no tensors: numbers, strings, lists
// or None. Integers wrap. InvalidArgument where Python raises an exception,
// Unimplemented for other operators.
absl::StatusOr<Value> ScalarBinary(absl::string_view kind, const Value& a, const Value& b);

}  // namespace synap_internal::torchscript_import

#endif  // COMPILER_IMPORT_TORCHSCRIPT_SCALAR_H_
