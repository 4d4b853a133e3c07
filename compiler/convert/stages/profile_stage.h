// Times of an artifact's layers on this machine.
#ifndef COMPILER_CONVERT_STAGES_PROFILE_STAGE_H_
#define COMPILER_CONVERT_STAGES_PROFILE_STAGE_H_

#include <string>

#include "absl/status/statusor.h"
#include "compiler/graph/graph.h"
#include "compiler/metafile/metafile.h"

namespace synap_internal {

struct ProfileOptions {
  std::string tensors;  // a folder for all tensors of a run (recorded_tensors.h); empty: none
  int threads = 1;      // 0: one for each processor
};

// Times of the artifact's layers on this machine for the first sample of the metafile's dataset or,
// if it has none, a random one: the table of runtime/api/network_profile.h. `graph`: as
// imported. Errors as those of calibration.
absl::StatusOr<std::string> ProfileStage(const std::string& synap, const Graph& graph,
                                         const Metafile& metafile, const ProfileOptions& options);

}  // namespace synap_internal

#endif  // COMPILER_CONVERT_STAGES_PROFILE_STAGE_H_
