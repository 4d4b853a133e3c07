// Runs the self-test of a model file, for `synap verify` and synap_verify_test.
#ifndef RUNTIME_VERIFY_SELF_TEST_RUN_H_
#define RUNTIME_VERIFY_SELF_TEST_RUN_H_

#include <string>

#include "absl/status/statusor.h"

namespace synap_internal {

// Runs all cases of the self-test of a .synap file. Returns what a user may read, a line without
// its end: "m.synap: 2 samples as recorded: 2 outputs". `threads`: 0: one for each processor.
// FailedPrecondition with a line for each case whose results differ; InvalidArgument if the file
// is damaged or has no self-test. Errors name the file.
absl::StatusOr<std::string> RunSelfTest(const std::string& path, int threads);

}  // namespace synap_internal

#endif  // RUNTIME_VERIFY_SELF_TEST_RUN_H_
