// Self-test of an artifact: inputs, and the digests of what the model makes of them. The conversion
// stores it in model.synap, `synap verify` runs it; applications' runtimes ignore it.
// docs/format.md specifies the entries.
#ifndef RUNTIME_VERIFY_SELF_TEST_DATA_H_
#define RUNTIME_VERIFY_SELF_TEST_DATA_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace synap_internal {

// One run of the model. Digests are SHA-256 of dense values, as 64 hexadecimal digits in lower
// case.
struct SelfTestCase {
  std::string name;  // of the sample, for messages
  // Dense values of each of the bundle's inputs, in its type.
  std::vector<absl::Span<const uint8_t>> inputs;
  std::vector<std::string> outputs;  // digest of each of the bundle's outputs
  // Digest of each layer's outputs, one after the other, in the order in which the layers run;
  // empty if they weren't recorded.
  std::vector<std::string> layers;
};

// The file `synap` with these cases: a pure function of both. `synap` has no self-test yet.
// InvalidArgument if it isn't a ZIP of stored entries, ResourceExhausted above 4 GiB.
absl::StatusOr<std::string> AddSelfTest(absl::string_view synap,
                                        absl::Span<const SelfTestCase> cases);

// The cases of a model.synap; none if it has no self-test. Inputs refer into `synap`. Whether they
// fit the model is for its runner to say. InvalidArgument naming the entry, what was found and what
// was expected.
absl::StatusOr<std::vector<SelfTestCase>> ReadSelfTest(absl::Span<const uint8_t> synap);

}  // namespace synap_internal

#endif  // RUNTIME_VERIFY_SELF_TEST_DATA_H_
