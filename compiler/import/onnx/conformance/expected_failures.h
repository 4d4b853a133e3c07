// The checked-in list of cases of ONNX's conformance suite that fail, and why.
#ifndef COMPILER_IMPORT_ONNX_CONFORMANCE_EXPECTED_FAILURES_H_
#define COMPILER_IMPORT_ONNX_CONFORMANCE_EXPECTED_FAILURES_H_

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace synap_internal::onnx_import {

// "node/test_det_2d" -> reason.
using ExpectedFailures = std::map<std::string, std::string>;

// Lines are `group/case: reason`; empty ones and those that begin with # don't
// count. InvalidArgument naming the line for others, and for a case listed twice.
absl::StatusOr<ExpectedFailures> ParseExpectedFailures(absl::string_view text);

}  // namespace synap_internal::onnx_import

#endif  // COMPILER_IMPORT_ONNX_CONFORMANCE_EXPECTED_FAILURES_H_
