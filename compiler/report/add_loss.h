// Adds what quantization loses to a report.
#ifndef COMPILER_REPORT_ADD_LOSS_H_
#define COMPILER_REPORT_ADD_LOSS_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "compiler/report/model_report.h"

namespace synap_internal {

// Adds the loss that `synap convert` measured. InvalidArgument if the text isn't its JSON, and
// FailedPrecondition if it is of another file than that of the digest `sha256`.
absl::Status AddLoss(absl::string_view json, absl::string_view sha256, ModelReport& report);

}  // namespace synap_internal

#endif  // COMPILER_REPORT_ADD_LOSS_H_
