// Estimated time of an inference on a target, layer by layer (docs/latency.md).
#ifndef COMPILER_TARGET_ESTIMATE_H_
#define COMPILER_TARGET_ESTIMATE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "compiler/target/latency_parameters.h"
#include "compiler/target/layer_work.h"
#include "compiler/target/target.h"

namespace synap_internal {

// Prices that the target has, and the defaults of the others.
LatencyParameters ParametersOf(const Target& target);

// Of one instruction or op.
struct LayerEstimate {
  double compute = 0;   // seconds of all engines, if the memory were infinitely fast
  double memory = 0;    // seconds of the traffic that may overlap it
  double overhead = 0;  // fixed seconds
  double seconds = 0;   // in all
};

struct LatencyEstimate {
  std::vector<LayerEstimate> layers;  // one for each instruction or op
  double seconds = 0;
  double low = 0, high = 0;  // 90 % of the published times are in such an interval

  // Appends what runs after this.
  void Add(const LatencyEstimate& next);
};

// Of a layer on the NPU. Work on types that the NN cores don't have is done by the PPU.
LayerEstimate EstimateLayer(absl::Span<const LayerWork> works, const Target& target,
                            const LatencyParameters& parameters);
// The same on `engine`, which may be any. Nothing overlaps on the CPU and the GPU.
LayerEstimate EstimateLayerOn(Engine engine, absl::Span<const LayerWork> works,
                              const Target& target, const LatencyParameters& parameters);
// Fixed seconds of an inference, or of a subgraph, on an engine's delegate.
double StartSeconds(Engine engine, const LatencyParameters& parameters);

// Layers run on the engines that the program names; where it names none, on those that PlaceLayer
// chooses. The CPU and the GPU copy the program's inputs and outputs. REQUIRES: `program` is
// checked.
LatencyEstimate EstimateLatency(const Program& program, const Target& target);

// As if all data that flows as float32 or quantized had `type`, on the engines that PlaceLayer
// chooses.
LatencyEstimate EstimateLatency(const Graph& graph, DataType type, const Target& target);

// "1.80 ms (1.40 to 2.30)".
std::string PrintMilliseconds(const LatencyEstimate& estimate);

}  // namespace synap_internal

#endif  // COMPILER_TARGET_ESTIMATE_H_
