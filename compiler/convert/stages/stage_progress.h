// Progress of stages that run samples.
#ifndef COMPILER_CONVERT_STAGES_STAGE_PROGRESS_H_
#define COMPILER_CONVERT_STAGES_STAGE_PROGRESS_H_

#include <functional>

namespace synap_internal {

// Called after each sample of a calibration or an analysis, by one thread at a time.
// May be null.
using Progress = std::function<void(int done, int total)>;

}  // namespace synap_internal

#endif  // COMPILER_CONVERT_STAGES_STAGE_PROGRESS_H_
