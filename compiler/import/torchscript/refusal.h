// Reasons why operators have no mapping, and ways around them, for the errors about them.
#ifndef COMPILER_IMPORT_TORCHSCRIPT_REFUSAL_H_
#define COMPILER_IMPORT_TORCHSCRIPT_REFUSAL_H_

#include <string>

#include "absl/strings/string_view.h"

namespace synap_internal::torchscript_import {

// Why the operator `kind` ("aten::rand_like") can't be imported, "its values are random", and in
// which other file of the same module it can be; empty where no more is known than that nobody has
// mapped it.
std::string AdviceOn(absl::string_view kind);

}  // namespace synap_internal::torchscript_import

#endif  // COMPILER_IMPORT_TORCHSCRIPT_REFUSAL_H_
