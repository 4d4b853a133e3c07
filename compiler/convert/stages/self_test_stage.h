// Self-tests of artifacts.
#ifndef COMPILER_CONVERT_STAGES_SELF_TEST_STAGE_H_
#define COMPILER_CONVERT_STAGES_SELF_TEST_STAGE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/graph/graph.h"
#include "compiler/metafile/metafile.h"

namespace synap_internal {

struct SelfTestOptions {
  int cases = 1;                     // number of samples; fewer if the dataset has fewer
  bool layers = false;               // also record every layer
  int threads = 1;                   // 0: one for each processor
  std::vector<std::string> samples;  // as CalibrateOptions::samples
};

// `synap` with a self-test (runtime/verify/self_test_data.h): the first samples of the options or
// of the metafile's dataset or, without both, random ones, and the digests of what the model makes
// of them. `graph`: as imported, for the samples' types. Errors as those of calibration.
absl::StatusOr<std::string> SelfTestStage(const std::string& synap, const Graph& graph,
                                          const Metafile& metafile, const SelfTestOptions& options);

}  // namespace synap_internal

#endif  // COMPILER_CONVERT_STAGES_SELF_TEST_STAGE_H_
