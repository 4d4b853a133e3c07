#include "runtime/bundle/network_bytes.h"

#include <vector>

#include "absl/status/statusor.h"
#include "runtime/bundle/bundle.h"
#include "runtime/bundle/programs.h"
#include "runtime/program/program.h"

namespace synap_internal {

uint64_t EstimateNetworkBytes(const std::string& model_file, const std::string& metadata_file) {
  const absl::StatusOr<Bundle> bundle =
      metadata_file.empty() ? OpenBundle(model_file) : OpenModel(model_file, metadata_file);
  if (!bundle.ok()) return 0;
  const absl::StatusOr<std::vector<Program>> programs = ReadPrograms(*bundle);
  if (!programs.ok()) return 0;
  uint64_t bytes = 0;
  for (const Program& program : *programs) bytes += program.arena_bytes;
  for (const TensorMetadata* input : InputMetadata(*bundle)) bytes += SizeOfData(*input);
  for (const BundleSubgraph& subgraph : bundle->subgraphs) {
    bytes += 2 * subgraph.model.size();
    for (const TensorMetadata& output : subgraph.metadata.outputs) bytes += SizeOfData(output);
  }
  return bytes;
}

}  // namespace synap_internal
