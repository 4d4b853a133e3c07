// Places in the model's own code that nodes of files of torch.export come from.
#ifndef COMPILER_IMPORT_PT2_NODE_METADATA_H_
#define COMPILER_IMPORT_PT2_NODE_METADATA_H_

#include <string>

#include "compiler/import/pt2/json_value.h"

namespace synap_internal::pt2_import {

// Path of the innermost module around a node of the file: "features.0"; empty if it is unknown.
std::string ModuleOf(const Json& node);

// Innermost line outside of PyTorch itself: "model.py:31"; empty if it is unknown.
std::string SourceOf(const Json& node);

}  // namespace synap_internal::pt2_import

#endif  // COMPILER_IMPORT_PT2_NODE_METADATA_H_
