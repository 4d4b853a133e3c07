// Lints an ONNX model for a vendor's tool: what the tool refuses or leaves to the processor, told
// before it is run.
#ifndef COMPILER_EXPORT_ONNX_LINT_MODEL_H_
#define COMPILER_EXPORT_ONNX_LINT_MODEL_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compiler/export/onnx/export_profile.h"

namespace synap_internal {

struct LintFinding {
  std::string place;  // "node 'Conv_3' (GridSample)", "input 'x'", "the model has opset 22"
  std::string sentence;
  LimitEffect effect = LimitEffect::kRefused;

  std::string Text() const;  // "node 'Conv_3' (GridSample): <sentence>"
};

// What of the model contradicts the wishes on which the tool insists, and the nodes that meet its
// limits, those of subgraphs among them; in the order of the file. Types and ranks are those that
// the file gives. InvalidArgument for bytes that are no model; errors of a file begin with its
// path.
absl::StatusOr<std::vector<LintFinding>> LintOnnxBytes(absl::string_view bytes,
                                                       const ExportProfile& profile);
absl::StatusOr<std::vector<LintFinding>> LintOnnxFile(const std::string& path,
                                                      const ExportProfile& profile);

}  // namespace synap_internal

#endif  // COMPILER_EXPORT_ONNX_LINT_MODEL_H_
