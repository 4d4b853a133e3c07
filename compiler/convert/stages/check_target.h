// Errors of a target that are known before the work of a conversion.
#ifndef COMPILER_CONVERT_STAGES_CHECK_TARGET_H_
#define COMPILER_CONVERT_STAGES_CHECK_TARGET_H_

#include "absl/status/status.h"
#include "compiler/graph/graph.h"
#include "compiler/metafile/metafile.h"
#include "compiler/target/target.h"

namespace synap_internal {

// Errors of the metafile's `delegate` and `security` that are known before the model is read: a
// delegate that the target lacks, a secure model for a target without an NPU.
absl::Status CheckTarget(const Metafile& metafile, const Target& target);

// Errors of a secure model that are known before it is quantized: layers of the imported graph that
// the target's NPU can't run in any type. OK if the model isn't secure.
absl::Status CheckSecureLayers(const Graph& imported, const Metafile& metafile,
                               const Target& target);

}  // namespace synap_internal

#endif  // COMPILER_CONVERT_STAGES_CHECK_TARGET_H_
