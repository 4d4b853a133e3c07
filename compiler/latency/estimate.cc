#include "compiler/latency/estimate.h"

#include <algorithm>

#include "absl/strings/str_format.h"

namespace synap_internal {
namespace {

constexpr LatencyParameterRow kRows[] = {
    {"memory_part", &LatencyParameters::memory_part},
    {"kept_kilobytes", &LatencyParameters::kept_kilobytes},
    {"batch_traffic", &LatencyParameters::batch_traffic},
    {"window_1", &LatencyParameters::window_1},
    {"window_9", &LatencyParameters::window_9},
    {"depthwise", &LatencyParameters::depthwise},
    {"stream_ns", &LatencyParameters::stream_ns},
    {"scatter_ns", &LatencyParameters::scatter_ns},
    {"function_ns", &LatencyParameters::function_ns},
    {"product_ns", &LatencyParameters::product_ns},
    {"interpolation_ns", &LatencyParameters::interpolation_ns},
    {"layer_us", &LatencyParameters::layer_us},
    {"network_us", &LatencyParameters::network_us},
    {"slow_gigamacs", &LatencyParameters::slow_gigamacs},
    {"interval", &LatencyParameters::interval},
};

// The NPU computes with floats of 16 bits.
double BytesOf(DataType type) {
  const auto bytes = static_cast<double>(SizeOf(type));
  return IsFloat(type) ? std::min(bytes, 2.0) : bytes;
}

// Multiply-accumulates per second of the NN cores; 0 if they don't run such work on `type`.
double PeakRate(const LayerWork& work, DataType type, const Target& target) {
  if (RowOf(work.kind).engine != Engine::kNn) return 0;
  const EngineSpec* const cores = target.Find(Engine::kNn);
  if (cores == nullptr) return 0;
  const auto rate = cores->mac_rate.find(type);
  return rate == cores->mac_rate.end() ? 0 : rate->second;
}

// Output channels are dealt to the cores one by one: the last round may leave some idle.
double Idle(const LayerWork& work, const Target& target) {
  if (work.kind == WorkKind::kDepthwise) return 1;
  const int64_t cores = target.Find(Engine::kNn)->count;
  const int64_t rounds = (work.channels + cores - 1) / cores;
  return static_cast<double>(rounds * cores) / static_cast<double>(work.channels);
}

double Slowdown(const LayerWork& work, const LatencyParameters& p) {
  if (work.kind == WorkKind::kDepthwise) return p.depthwise;
  if (work.window <= 2) return p.window_1;
  return work.window < 25 ? p.window_9 : 1.0;
}

// A slow window starves the cores: it takes the time of its operands, and so twice as long with 16
// bits, unless the sums themselves take longer.
double SumsSeconds(const LayerWork& work, const Target& target, const LatencyParameters& p) {
  if (work.macs == 0) return 0;
  const auto macs = static_cast<double>(work.macs);
  const double peak = PeakRate(work, work.type, target);
  if (peak == 0) return macs / (p.slow_gigamacs * 1e9);
  const double peak_8_bits = std::max(peak, PeakRate(work, DataType::kUint8, target));
  const double feeding = Slowdown(work, p) * BytesOf(work.type) / peak_8_bits;
  return macs * Idle(work, target) * std::max(feeding, 1 / peak);
}

double PriceOfElement(WorkKind kind, const LatencyParameters& p) {
  switch (kind) {
    case WorkKind::kScatter:
      return p.scatter_ns;
    case WorkKind::kFunction:
      return p.function_ns;
    case WorkKind::kProduct:
      return p.product_ns;
    case WorkKind::kInterpolation:
      return p.interpolation_ns;
    default:
      return p.stream_ns;
  }
}

double MemorySeconds(const LayerWork& work, const Target& target, const LatencyParameters& p) {
  const double width = BytesOf(work.type);
  double bytes = static_cast<double>(work.weights) * width;
  for (const int64_t elements : work.tensors) {
    const double size = static_cast<double>(elements) * width;
    bytes += std::max(0.0, size - p.kept_kilobytes * 1e3);
    if (work.pictures > 1) bytes += p.batch_traffic * size;
  }
  return bytes / (target.memory_bytes_per_second * p.memory_part);
}

LatencyEstimate Total(std::vector<LayerEstimate> layers, const LatencyParameters& parameters) {
  LatencyEstimate estimate;
  estimate.seconds = parameters.network_us * 1e-6;
  for (const LayerEstimate& layer : layers) estimate.seconds += layer.seconds;
  estimate.layers = std::move(layers);
  estimate.low = estimate.seconds / parameters.interval;
  estimate.high = estimate.seconds * parameters.interval;
  return estimate;
}

}  // namespace

absl::Span<const LatencyParameterRow> LatencyParameterRows() { return kRows; }

LatencyParameters ParametersOf(const Target& target) {
  LatencyParameters parameters;
  for (const LatencyParameterRow& row : kRows) {
    const auto it = target.latency.find(std::string(row.name));
    if (it != target.latency.end()) parameters.*row.value = it->second;
  }
  return parameters;
}

LayerEstimate EstimateLayer(absl::Span<const LayerWork> works, const Target& target,
                            const LatencyParameters& parameters) {
  LayerEstimate layer;
  for (const LayerWork& work : works) {
    const double compute = SumsSeconds(work, target, parameters) +
                           static_cast<double>(work.elements) * BytesOf(work.type) * 1e-9 *
                               PriceOfElement(work.kind, parameters);
    const double memory = MemorySeconds(work, target, parameters);
    const double overhead = work.is_layer ? parameters.layer_us * 1e-6 : 0;
    layer.compute += compute;
    layer.memory += memory;
    layer.overhead += overhead;
    layer.seconds += std::max(compute, memory) + overhead;
  }
  return layer;
}

LatencyEstimate EstimateLatency(const Program& program, const Target& target) {
  const LatencyParameters parameters = ParametersOf(target);
  std::vector<LayerEstimate> layers;
  for (const Instruction& instruction : program.instructions) {
    layers.push_back(EstimateLayer(WorkOf(program, instruction), target, parameters));
  }
  return Total(std::move(layers), parameters);
}

LatencyEstimate EstimateLatency(const Graph& graph, DataType type, const Target& target) {
  const LatencyParameters parameters = ParametersOf(target);
  std::vector<LayerEstimate> layers;
  for (const Op& op : graph.ops()) {
    std::vector<LayerWork> works = WorkOf(op);
    for (LayerWork& work : works) work.type = type;
    layers.push_back(EstimateLayer(works, target, parameters));
  }
  return Total(std::move(layers), parameters);
}

std::string PrintMilliseconds(const LatencyEstimate& estimate) {
  return absl::StrFormat("%.2f ms (%.2f to %.2f)", 1e3 * estimate.seconds, 1e3 * estimate.low,
                         1e3 * estimate.high);
}

}  // namespace synap_internal
