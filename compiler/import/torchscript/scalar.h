// Arithmetic on Python's numbers, by which modules compute shapes.
#ifndef COMPILER_IMPORT_TORCHSCRIPT_SCALAR_H_
#define COMPILER_IMPORT_TORCHSCRIPT_SCALAR_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compiler/import/torchscript/value.h"

namespace synap_internal::torchscript_import {

// `kind` ("aten::add") of two numbers, strings, lists or Nones. Integers wrap.
// InvalidArgument where Python raises an exception, Unimplemented for other
// operators and for tensors.
absl::StatusOr<Value> ScalarBinary(absl::string_view kind, const Value& a, const Value& b);

}  // namespace synap_internal::torchscript_import

#endif  // COMPILER_IMPORT_TORCHSCRIPT_SCALAR_H_
