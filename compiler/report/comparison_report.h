// Report of a comparison with tensors that were recorded elsewhere.
#ifndef COMPILER_REPORT_COMPARISON_REPORT_H_
#define COMPILER_REPORT_COMPARISON_REPORT_H_

#include <string>

#include "absl/status/status.h"
#include "runtime/verify/recorded_tensors.h"

namespace synap_internal {

// Table of the compared tensors in their order, and the files that no tensor has. Ends with a
// newline.
std::string TextReport(const FolderComparison& comparison);

// OK if no tensor differs by more than `tolerance` steps; else an error about the first that does.
absl::Status CheckWithin(const FolderComparison& comparison, double tolerance);

}  // namespace synap_internal

#endif  // COMPILER_REPORT_COMPARISON_REPORT_H_
