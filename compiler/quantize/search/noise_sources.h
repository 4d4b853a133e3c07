// The places at which a network of 8 bits rounds, and the noise that each makes at its outputs.
#ifndef COMPILER_QUANTIZE_SEARCH_NOISE_SOURCES_H_
#define COMPILER_QUANTIZE_SEARCH_NOISE_SOURCES_H_

#include <cstddef>
#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/graph/graph.h"
#include "compiler/quantize/search/layer_groups.h"
#include "compiler/quantize/search/network_quality.h"

namespace synap_internal {

struct NoiseSource {
  // Indices of groups of layers, each once: nothing is rounded here if all of them have 16 bits.
  std::vector<size_t> groups;
  std::vector<double> shares;  // OutputNoise::share of each output that `quality` measures
};

// The weights of each layer, and each tensor that is rounded: it keeps 16 bits only if the layer
// that makes it and the one that reads it have them. Each is measured alone, in the float network.
// `narrow`: the network of 8 bits, made from `real`, which is that of `quality`. `progress` is
// called now and then with the part that is done. The same on any number of threads.
absl::StatusOr<std::vector<NoiseSource>> MeasureNoiseSources(
    const Graph& real, const Graph& narrow, const std::vector<LayerGroup>& groups,
    const NetworkQuality& quality, int threads, const std::function<void(double part)>& progress);

}  // namespace synap_internal

#endif  // COMPILER_QUANTIZE_SEARCH_NOISE_SOURCES_H_
