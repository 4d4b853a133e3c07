// Compares a model's results with those that its self-test recorded.
#ifndef RUNTIME_VERIFY_VERIFY_H_
#define RUNTIME_VERIFY_VERIFY_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/verify/bundle_run.h"
#include "runtime/verify/self_test_data.h"

namespace synap_internal {

// The digest of each layer's outputs during one run, in the form of SelfTestCase::layers.
absl::StatusOr<std::vector<std::string>> LayerDigests(
    BundleRun& run, absl::Span<const absl::Span<const uint8_t>> inputs);

// The digests of the outputs of the last run, in the form of SelfTestCase::outputs.
std::vector<std::string> OutputDigests(const BundleRun& run);

struct Verification {
  size_t outputs = 0;  // compared, over all cases
  size_t layers = 0;   // likewise
  // A sentence for each case that differs: the first layer that does, by how much, and where.
  std::vector<std::string> failures;
};

// Runs each case. `fast` and `reference` are two runs of one bundle, the second with the scalar
// kernels, which define each op; it only runs to find the layer where a case begins to differ.
// InvalidArgument naming the case if it doesn't fit the bundle.
absl::StatusOr<Verification> Verify(BundleRun& fast, BundleRun& reference,
                                    absl::Span<const SelfTestCase> cases);

}  // namespace synap_internal

#endif  // RUNTIME_VERIFY_VERIFY_H_
