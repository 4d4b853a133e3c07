#include "runtime/bundle/bundle.h"

#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "runtime/bundle/stored_zip.h"
#include "runtime/bundle/text_bytes.h"

namespace {

// What is accepted must survive being written and read again.
void CheckMetadata(const absl::StatusOr<synap_internal::Bundle>& bundle) {
  if (!bundle.ok()) return;
  for (const synap_internal::BundleSubgraph& subgraph : bundle->subgraphs) {
    const absl::StatusOr<std::string> json = synap_internal::PrintModelMetadata(subgraph.metadata);
    CHECK(json.ok());
    CHECK(synap_internal::ParseModelMetadata(*json).ok());
  }
}

}  // namespace

// The bytes as a bundle, as a bundle's bundle.json and as a model.json: check
// sums would hide the JSON readers from a fuzzer that only sees whole files.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::Span<const uint8_t> bytes(data, size);
  CheckMetadata(synap_internal::ReadBundle(bytes));
  constexpr absl::string_view kMeta =
      R"({"Inputs":{"x":{"shape":[4],"dtype":"u8"}},"Outputs":{"y":{"shape":[4],"dtype":"u8"}}})";
  const absl::Span<const uint8_t> meta(reinterpret_cast<const uint8_t*>(kMeta.data()),
                                       kMeta.size());
  const absl::StatusOr<std::string> zip = synap_internal::WriteStoredZip(
      {{"bundle.json", bytes}, {"0/model.nb", bytes}, {"0/model.json", meta}});
  CHECK(zip.ok());
  CheckMetadata(synap_internal::ReadBundle(synap_internal::AsBytes(*zip)));
  CheckMetadata(synap_internal::ReadModel(bytes, {reinterpret_cast<const char*>(data), size}));
  return 0;
}
