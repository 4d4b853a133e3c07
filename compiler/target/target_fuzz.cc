// Fuzzer of target files: any text gives an error that names the file, or a target.
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/match.h"
#include "base/check.h"
#include "compiler/target/parse_target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using synap_internal::TargetFile;
  const TargetFile file = {"chip.yaml", {reinterpret_cast<const char*>(data), size}};
  const auto targets = synap_internal::ParseTargets({&file, 1}, synap_internal::AllTargets());
  if (!targets.ok()) {
    CHECK(absl::StrContains(targets.status().message(), "chip.yaml"));
    return 0;
  }
  CHECK(targets->size() == 1 && !targets->front().engines.empty());
  return 0;
}
