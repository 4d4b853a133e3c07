// Import of a model file whose framework is known.
#ifndef COMPILER_CONVERT_STAGES_IMPORT_NETWORK_H_
#define COMPILER_CONVERT_STAGES_IMPORT_NETWORK_H_

#include "absl/status/statusor.h"
#include "base/warnings.h"
#include "compiler/graph/graph.h"
#include "compiler/graph/passes/pipeline.h"
#include "compiler/import/framework.h"
#include "compiler/import/model_files.h"
#include "compiler/metafile/metafile.h"

namespace synap_internal {

// ImportStage (import_stage.h) without a look at the file's suffix, nor at whether the framework
// has a second file with weights. Depends on no importer.
absl::StatusOr<Graph> ImportNetwork(const Framework& framework, const ModelFiles& files,
                                    const Metafile& metafile, const PassOptions& passes,
                                    Warnings& warnings);

}  // namespace synap_internal

#endif  // COMPILER_CONVERT_STAGES_IMPORT_NETWORK_H_
