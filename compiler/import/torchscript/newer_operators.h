// Operators that a module's code calls and that this libtorch lacks. For the program that links
// libtorch.
#ifndef COMPILER_IMPORT_TORCHSCRIPT_NEWER_OPERATORS_H_
#define COMPILER_IMPORT_TORCHSCRIPT_NEWER_OPERATORS_H_

#include <set>
#include <string>

#include "caffe2/serialize/inline_container.h"

namespace synap_internal::torchscript_import {

// "aten::_safe_softmax": libtorch itself stops at the first one. Throws what libtorch throws for a
// file that it can't read.
std::set<std::string> FindUnknownOperators(caffe2::serialize::PyTorchStreamReader& file);

}  // namespace synap_internal::torchscript_import

#endif  // COMPILER_IMPORT_TORCHSCRIPT_NEWER_OPERATORS_H_
