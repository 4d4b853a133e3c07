// Memory that the network of a model takes, known before it is loaded.
#ifndef RUNTIME_BUNDLE_NETWORK_BYTES_H_
#define RUNTIME_BUNDLE_NETWORK_BYTES_H_

#include <cstdint>
#include <string>

namespace synap_internal {

// Estimated bytes of a network that has run, without the kernels' scratch memory: its weights as
// the file has them and as kernels read them, its arena, inputs, outputs and what subgraphs pass
// on. `metadata_file`: "" for a .synap file. 0 for files that aren't a model; loading says why.
uint64_t EstimateNetworkBytes(const std::string& model_file, const std::string& metadata_file);

}  // namespace synap_internal

#endif  // RUNTIME_BUNDLE_NETWORK_BYTES_H_
