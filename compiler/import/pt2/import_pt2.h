// Reads a file of torch.export (.pt2) into the IR, without libtorch: its JSON graph becomes the
// graph that TorchScript's mappings take (torchscript/op_table.h).
//
// Tensors bear the names of the file, ops those of the modules that they are part of; the layout
// is NCHW. Types are as in torchscript/import_torchscript.h.
#ifndef COMPILER_IMPORT_PT2_IMPORT_PT2_H_
#define COMPILER_IMPORT_PT2_IMPORT_PT2_H_

#include "compiler/import/framework.h"

namespace synap_internal {

extern const Framework kPt2Framework;

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_PT2_IMPORT_PT2_H_
