// Any bytes are a file with a self-test, one without, or are refused.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/check.h"
#include "runtime/bundle/stored_zip.h"
#include "runtime/bundle/text_bytes.h"
#include "runtime/verify/self_test_data.h"

namespace {

using synap_internal::AsBytes;
using synap_internal::ReadSelfTest;
using synap_internal::SelfTestCase;

}  // namespace

// The bytes as a whole file, and as the self_test.json of one: checksums would hide the JSON reader
// from a fuzzer that only sees whole files.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::Span<const uint8_t> bytes(data, size);
  (void)ReadSelfTest(bytes);
  const std::string input = "1234";
  const absl::StatusOr<std::string> zip = synap_internal::WriteStoredZip(
      {{"self_test.json", bytes}, {"self_test/0/0.bin", AsBytes(input)}});
  CHECK(zip.ok());
  const absl::StatusOr<std::vector<SelfTestCase>> cases = ReadSelfTest(AsBytes(*zip));
  if (!cases.ok()) return 0;
  // What is accepted must survive being written and read again.
  const absl::StatusOr<std::string> empty = synap_internal::WriteStoredZip({});
  CHECK(empty.ok());
  const absl::StatusOr<std::string> again = synap_internal::AddSelfTest(*empty, *cases);
  CHECK(again.ok());
  const absl::StatusOr<std::vector<SelfTestCase>> read = ReadSelfTest(AsBytes(*again));
  CHECK(read.ok() && read->size() == cases->size());
  return 0;
}
