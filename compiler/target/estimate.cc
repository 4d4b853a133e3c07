#include "compiler/target/estimate.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_format.h"
#include "compiler/target/facts_as.h"
#include "compiler/target/narrow_integers.h"
#include "compiler/target/placement.h"

namespace synap_internal {
namespace {

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

double IntervalOf(Engine engine, const LatencyParameters& p) {
  if (IsNpu(engine)) return p.interval;
  return engine == Engine::kGpu ? p.gpu_interval : p.cpu_interval;
}

double GigamacsOf(Engine engine, DataType type, const LatencyParameters& p) {
  if (engine == Engine::kGpu) return p.gpu_gigamacs;
  if (type == DataType::kFloat16) return p.cpu_gigamacs_float16;
  if (IsFloat(type)) return p.cpu_gigamacs_float32;
  return p.cpu_gigamacs_8 / BytesOf(type);
}

double ElementNanoseconds(Engine engine, DataType type, const LatencyParameters& p) {
  if (engine == Engine::kGpu) return p.gpu_element_ns;
  return IsFloat(type) ? p.cpu_element_ns_float : p.cpu_element_ns_8 * BytesOf(type);
}

// Elements that a processor reads and writes. It doesn't rearrange the input of a window.
int64_t Touched(const LayerWork& work) {
  if (work.macs == 0) return work.is_layer || work.kind != WorkKind::kCopy ? work.elements : 0;
  int64_t elements = 0;
  for (const int64_t tensor : work.tensors) elements += tensor;
  return elements;
}

// The first of the NPU's engines for all of them, since they share what isn't a layer's own.
Engine DelegateOf(Engine engine) { return IsNpu(engine) ? Engine::kNn : engine; }

// Sums layers on the engines that run them.
class Sum {
 public:
  Sum(const Target& target) : target_(target), parameters_(ParametersOf(target)) {}

  void Add(Engine engine, absl::Span<const LayerWork> works) {
    layers_.push_back(EstimateLayerOn(engine, works, target_, parameters_));
    Start(engine) += layers_.back().seconds;
  }

  // `engine` reads or writes an input or output.
  void AddInputOrOutput(Engine engine, const TensorType& type) {
    if (IsNpu(engine)) return;
    Start(engine) += static_cast<double>(type.shape.elements()) *
                     ElementNanoseconds(engine, type.dtype, parameters_) * 1e-9;
  }

  LatencyEstimate Total() && {
    if (seconds_.empty()) Start(target_.has_npu() ? Engine::kNn : Engine::kCpu);
    LatencyEstimate estimate;
    estimate.layers = std::move(layers_);
    for (const auto& [engine, seconds] : seconds_) {
      const double interval = IntervalOf(engine, parameters_);
      estimate.seconds += seconds;
      estimate.low += seconds / interval;
      estimate.high += seconds * interval;
    }
    return estimate;
  }

 private:
  // The seconds of the engine's delegate so far: its start, when it is asked for first.
  double& Start(Engine engine) {
    const Engine delegate = DelegateOf(engine);
    return seconds_.emplace(delegate, StartSeconds(delegate, parameters_)).first->second;
  }

  const Target& target_;
  const LatencyParameters parameters_;
  std::vector<LayerEstimate> layers_;
  std::map<Engine, double> seconds_;  // of each delegate
};

// The engines that the program names for its layers, or those that PlaceLayer chooses.
std::vector<Engine> EnginesOf(const Program& program, const Target& target) {
  std::vector<Engine> engines;
  const std::vector<LayerFacts> facts = FactsOf(program);
  for (size_t i = 0; i < facts.size(); ++i) {
    const std::string& name = program.instructions[i].engine;
    const auto* const row = std::find_if(std::begin(kEngines), std::end(kEngines),
                                         [&](const EngineRow& r) { return r.name == name; });
    engines.push_back(row == std::end(kEngines) ? PlaceLayer(target, facts[i]).engine
                                                : row->engine);
  }
  return engines;
}

}  // namespace

void LatencyEstimate::Add(const LatencyEstimate& next) {
  layers.insert(layers.end(), next.layers.begin(), next.layers.end());
  seconds += next.seconds;
  low += next.low;
  high += next.high;
}

LatencyParameters ParametersOf(const Target& target) {
  LatencyParameters parameters;
  for (const LatencyParameterRow& row : LatencyParameterRows()) {
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

LayerEstimate EstimateLayerOn(Engine engine, absl::Span<const LayerWork> works,
                              const Target& target, const LatencyParameters& parameters) {
  if (IsNpu(engine)) return EstimateLayer(works, target, parameters);
  LayerEstimate layer;
  for (const LayerWork& work : works) {
    layer.compute +=
        static_cast<double>(work.macs) / (GigamacsOf(engine, work.type, parameters) * 1e9);
    layer.memory += static_cast<double>(Touched(work)) *
                    ElementNanoseconds(engine, work.type, parameters) * 1e-9;
  }
  layer.seconds = layer.compute + layer.memory;
  return layer;
}

double StartSeconds(Engine engine, const LatencyParameters& parameters) {
  if (IsNpu(engine)) return parameters.network_us * 1e-6;
  return 1e-6 * (engine == Engine::kGpu ? parameters.gpu_network_us : parameters.cpu_network_us);
}

LatencyEstimate EstimateLatency(const Program& program, const Target& target) {
  Sum sum(target);
  const std::vector<Engine> engines = EnginesOf(program, target);
  for (size_t i = 0; i < engines.size(); ++i) {
    sum.Add(engines[i], WorkOf(program, program.instructions[i]));
  }
  if (engines.empty()) return std::move(sum).Total();
  const auto type = [&](int32_t t) { return program.tensors[static_cast<size_t>(t)].type; };
  for (const int32_t input : program.inputs) sum.AddInputOrOutput(engines.front(), type(input));
  for (const int32_t output : program.outputs) sum.AddInputOrOutput(engines.back(), type(output));
  return std::move(sum).Total();
}

LatencyEstimate EstimateLatency(const Graph& graph, DataType type, const Target& target) {
  Sum sum(target);
  const std::set<const Tensor*> narrow = NarrowIntegers(graph);
  for (const Op& op : graph.ops()) {
    std::vector<LayerWork> works = WorkOf(op);
    for (LayerWork& work : works) work.type = type;
    sum.Add(PlaceLayer(target, FactsAs(op, type, narrow)).engine, works);
  }
  return std::move(sum).Total();
}

std::string PrintMilliseconds(const LatencyEstimate& estimate) {
  return absl::StrFormat("%.2f ms (%.2f to %.2f)", 1e3 * estimate.seconds, 1e3 * estimate.low,
                         1e3 * estimate.high);
}

}  // namespace synap_internal
