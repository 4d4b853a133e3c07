// Sandbox of the TorchScript reader: drops its rights before libtorch runs code of an
// untrusted module.
#ifndef COMPILER_IMPORT_TORCHSCRIPT_SANDBOX_H_
#define COMPILER_IMPORT_TORCHSCRIPT_SANDBOX_H_

namespace synap_internal::torchscript_import {

// From now on this process and its threads can't open files for writing, create,
// rename or remove any, nor use the network or start programs: the kernel
// refuses with EPERM. Files may still be read, and what is open be written to.
// False if the kernel doesn't support it.
bool EnterSandbox();

}  // namespace synap_internal::torchscript_import

#endif  // COMPILER_IMPORT_TORCHSCRIPT_SANDBOX_H_
