// Sizes that a file leaves open, found from those that the metafile gives.
#ifndef COMPILER_IMPORT_TORCHSCRIPT_OPEN_SIZES_H_
#define COMPILER_IMPORT_TORCHSCRIPT_OPEN_SIZES_H_

#include <vector>

#include "absl/status/status.h"
#include "compiler/import/torchscript/graph_file.h"
#include "compiler/import/torchscript/model_part.h"

namespace synap_internal::torchscript_import {

// Gives the inputs that have open sizes, and no shape in the metafile, the one that follows from
// the shapes of the others: sizes with one symbol are equal. What nothing says is 1 for a batch,
// and as in the example of the export otherwise. InvalidArgument where sizes contradict one another
// or are none that the file was exported for; a batch of 1 always is one.
absl::Status ResolveOpenSizes(const GraphFile& file, std::vector<PartInput>& inputs);

}  // namespace synap_internal::torchscript_import

#endif  // COMPILER_IMPORT_TORCHSCRIPT_OPEN_SIZES_H_
