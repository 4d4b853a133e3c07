// Sandbox of the TorchScript reader: drops its rights before libtorch runs code of an
// untrusted module.
#ifndef COMPILER_IMPORT_TORCHSCRIPT_SANDBOX_H_
#define COMPILER_IMPORT_TORCHSCRIPT_SANDBOX_H_

namespace synap_internal::torchscript_import {

// From now on this process and its threads can't open, create, rename or remove
// files, nor use the network, start programs or look into others: the kernel
// refuses with EPERM. What is open may still be read and written. False if the
// kernel doesn't support it.
bool EnterSandbox();

}  // namespace synap_internal::torchscript_import

#endif  // COMPILER_IMPORT_TORCHSCRIPT_SANDBOX_H_
