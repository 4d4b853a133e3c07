// Reasons why operators have no mapping, for the errors about them.
#ifndef COMPILER_IMPORT_TORCHSCRIPT_REFUSAL_H_
#define COMPILER_IMPORT_TORCHSCRIPT_REFUSAL_H_

#include "absl/strings/string_view.h"

namespace synap_internal::torchscript_import {

// Why the operator `kind` ("aten::rand_like") can't be imported, "its values are random"; empty
// where no reason is known but that nobody has mapped it.
absl::string_view WhyRefused(absl::string_view kind);

}  // namespace synap_internal::torchscript_import

#endif  // COMPILER_IMPORT_TORCHSCRIPT_REFUSAL_H_
