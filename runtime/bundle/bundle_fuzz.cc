#include "runtime/bundle/bundle.h"

#include <cstddef>
#include <cstdint>

#include "base/check.h"

// What is accepted must survive being written and read again.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::StatusOr<synap::Bundle> bundle = synap::ReadBundle({data, size});
  if (!bundle.ok()) return 0;
  for (const synap::BundleSubgraph& subgraph : bundle->subgraphs) {
    const absl::StatusOr<std::string> json = synap::PrintModelMetadata(subgraph.metadata);
    CHECK(json.ok());
    CHECK(synap::ParseModelMetadata(*json).ok());
  }
  return 0;
}
