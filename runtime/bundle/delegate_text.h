// The member "delegate" of model.json: the hardware that a subgraph is compiled for.
#ifndef RUNTIME_BUNDLE_DELEGATE_TEXT_H_
#define RUNTIME_BUNDLE_DELEGATE_TEXT_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace synap_internal {

struct DelegateText {
  std::string word;  // "npu", "gpu" or "cpu"
  int threads = 0;   // of the option num_threads; 0: as many as the network has
};

// Reads "cpu num_threads=2". Options without an effect here are ignored. Unimplemented for other
// delegates (those of the closed toolkit's CPU runtimes), InvalidArgument for a wrong num_threads.
absl::StatusOr<DelegateText> ParseDelegateText(absl::string_view text);

}  // namespace synap_internal

#endif  // RUNTIME_BUNDLE_DELEGATE_TEXT_H_
