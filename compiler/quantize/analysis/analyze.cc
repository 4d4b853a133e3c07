#include "compiler/quantize/analysis/analyze.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/available_memory.h"
#include "base/check.h"
#include "base/run_in_order.h"
#include "base/status_macros.h"
#include "compiler/quantize/analysis/predicted_noise.h"
#include "compiler/quantize/value_range.h"
#include "kernels/op_def.h"

namespace synap_internal {
namespace {

size_t ElementsOf(const TensorType& type) { return static_cast<size_t>(type.shape.elements()); }

absl::Span<const float> Floats(const ProgramTensor& tensor, const void* data) {
  return {static_cast<const float*>(data), ElementsOf(tensor.type)};
}

// The range that rounding reaches: half a step beyond the integers.
ValueRange RangeWithRounding(const TensorType& type) {
  const ValueRange range = RealRange(type);
  const float half_step = type.quant.scale() / 2;
  return {range.min - half_step, range.max + half_step};
}

// The same as if the values that `more` has observed were added to `sum`.
void Merge(const TensorObservation& more, TensorObservation& sum) {
  sum.range = sum.range.has_value() ? Hull(*sum.range, *more.range) : more.range;
  if (sum.channels.empty()) sum.channels = more.channels;
  for (size_t c = 0; c < more.channels.size(); ++c) {
    sum.channels[c] = Hull(sum.channels[c], more.channels[c]);
  }
  sum.histogram.Merge(more.histogram);
}

// The first origins of the float graph's ops that went into a layer with these origins.
std::vector<std::string> NamesOf(const Graph& real, const std::vector<std::string>& origins) {
  const auto belongs = [&](const std::string& origin) {
    return std::find(origins.begin(), origins.end(), origin) != origins.end();
  };
  std::vector<std::string> names;
  for (const Op& op : real.ops()) {
    if (op.origins.empty() || !std::all_of(op.origins.begin(), op.origins.end(), belongs)) continue;
    const bool known = std::find(names.begin(), names.end(), op.origins[0]) != names.end();
    if (!known) names.push_back(op.origins[0]);
  }
  return names;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Analyzer>> Analyzer::Create(Graph real, Graph quantized,
                                                           int threads) {
  std::unique_ptr<Analyzer> analyzer(new Analyzer(std::move(real), std::move(quantized), threads));
  RETURN_IF_ERROR(analyzer->Prepare());
  return analyzer;
}

absl::Status Analyzer::Prepare() {
  std::vector<const Tensor*> probed;
  for (const LayerPair& layer : LossyLayers(quantized_, pairs_)) {
    rows_.push_back({layer});
    probed.push_back(layer.tensor);
  }
  if (rows_.empty()) {
    return absl::InvalidArgumentError(
        "the float and the quantized graph have no quantized layer in common, expected one at "
        "least; give the float graph and the graph quantized from it");
  }
  PrepareOutputs();
  for (const Output& output : outputs_) probed.push_back(output.tensor);
  std::vector<LayerPair> layers;
  for (const Row& row : rows_) layers.push_back(row.layer);
  ASSIGN_OR_RETURN(isolated_, IsolatedLayers(layers, pairs_));
  ASSIGN_OR_RETURN(weights_, LayersOfRoundedWeights(layers));
  ASSIGN_OR_RETURN(network_, ProbedNetwork(real_, quantized_, probed));
  for (size_t i = 0; i < rows_.size(); ++i) {
    isolated_rows_[isolated_.probes[i]] = i;
    network_rows_.emplace(network_.probes[i], i);
    if (!weights_.probes[i].empty()) weights_rows_[weights_.probes[i]] = i;
    kept_.insert(rows_[i].layer.real);
  }
  for (size_t i = 0; i < outputs_.size(); ++i) {
    network_outputs_.emplace(network_.probes[rows_.size() + i], i);
    kept_.insert(outputs_[i].real);
  }
  kept_.insert(real_.inputs.begin(), real_.inputs.end());
  for (const ProbeGraph* probe : {&isolated_, &weights_}) {
    for (const Tensor* input : probe->graph.inputs) kept_.insert(real_.FindTensor(input->name));
  }
  ChooseObservations();
  // Made at once for their errors, and for their size.
  ASSIGN_OR_RETURN(networks_.emplace_back(), MakeNetworks(1));
  networks_bytes_ = NetworksBytes();
  return CheckSameInputs(real_, *networks_[0]->network);
}

void Analyzer::PrepareOutputs() {
  const size_t count = std::min(real_.outputs.size(), quantized_.outputs.size());
  for (size_t i = 0; i < count; ++i) {
    const Tensor* tensor = quantized_.outputs[i];
    const Tensor* real = real_.outputs[i];
    const bool comparable = tensor->producer != nullptr && real->producer != nullptr &&
                            real->type.dtype == DataType::kFloat32 &&
                            tensor->type.shape == real->type.shape;
    if (comparable && ElementsOf(real->type) > 0) outputs_.push_back({tensor, real, {}});
  }
}

void Analyzer::ChooseObservations() {
  for (const Row& row : rows_) {
    const size_t channels = CountObservedChannels(row.layer);
    if (channels > 0) channels_[row.layer.real->name] = channels;
  }
  for (std::string& name : FindHistogramTensors(real_)) histograms_.insert(std::move(name));
  // All now: samples that run at the same time don't change the map.
  for (const Tensor* input : real_.inputs) observations_[input->name];
  for (const Op& op : real_.ops()) {
    for (const Tensor* output : op.outputs) observations_[output->name];
  }
}

absl::StatusOr<std::unique_ptr<Analyzer::Networks>> Analyzer::MakeNetworks(int threads) const {
  auto networks = std::make_unique<Networks>(threads);
  ASSIGN_OR_RETURN(networks->real, ObservedGraph::Create(real_, threads));
  ASSIGN_OR_RETURN(networks->isolated, ObservedGraph::Create(isolated_.graph, threads));
  ASSIGN_OR_RETURN(networks->weights, ObservedGraph::Create(weights_.graph, threads));
  ASSIGN_OR_RETURN(networks->network, ObservedGraph::Create(network_.graph, threads));
  for (const Tensor* real : kept_) {
    networks->kept[real->name] = AlignedMemory::Allocate(static_cast<size_t>(real->type.bytes()));
  }
  return networks;
}

// Estimated memory of one of networks_.
uint64_t Analyzer::NetworksBytes() const {
  const Networks& first = *networks_[0];
  uint64_t bytes = 0;
  for (const auto& run : {&first.real, &first.isolated, &first.weights, &first.network}) {
    // Weights once as they are, and once as kernels pack them.
    bytes += (*run)->program().arena_bytes + 2 * (*run)->program().constants.size();
  }
  for (const Tensor* real : kept_) bytes += static_cast<uint64_t>(real->type.bytes());
  return bytes;
}

// One for each thread, or as many as half of the available memory holds, which share the threads.
void Analyzer::SetNetworks(size_t samples) {
  const uint64_t affordable =
      static_cast<uint64_t>(AvailableMemory()) / 2 / std::max<uint64_t>(networks_bytes_, 1);
  const uint64_t wanted = std::min(static_cast<uint64_t>(threads_), uint64_t{samples});
  networks_.resize(std::clamp<uint64_t>(affordable, 1, std::max<uint64_t>(wanted, 1)));
  const int each = threads_ / static_cast<int>(networks_.size());
  if (std::exchange(threads_each_, each) == each) return;
  for (std::unique_ptr<Networks>& networks : networks_) networks = nullptr;
}

absl::Span<const float> Analyzer::Networks::Values(const Tensor& tensor) const {
  return {reinterpret_cast<const float*>(kept.at(tensor.name).data()), ElementsOf(tensor.type)};
}

std::vector<const void*> Analyzer::Networks::KeptInputs(const ObservedGraph& run) const {
  std::vector<const void*> data;
  for (size_t i = 0; i < run.inputs(); ++i) data.push_back(kept.at(run.input(i).name).data());
  return data;
}

absl::Status Analyzer::AddSamples(
    size_t count, absl::FunctionRef<absl::StatusOr<NamedSample>(size_t sample)> read,
    absl::FunctionRef<void(int samples)> added) {
  SetNetworks(count);
  SampleTurns turns(count);
  return RunInOrder(
      count, static_cast<int>(networks_.size()),
      [&](size_t i, int worker) -> absl::Status {
        Turn turn(turns, i);
        std::unique_ptr<Networks>& networks = networks_[static_cast<size_t>(worker)];
        if (networks == nullptr) {
          ASSIGN_OR_RETURN(networks, MakeNetworks(threads_each_));
        }
        ASSIGN_OR_RETURN(const NamedSample sample, read(i));
        return AddSample(sample, *networks, turn);
      },
      [&](size_t, const absl::Status& status) -> absl::Status {
        RETURN_IF_ERROR(status);
        added(++samples_);
        return absl::OkStatus();
      });
}

absl::Status Analyzer::AddSample(const NamedSample& sample, Networks& networks, Turn& turn) {
  RETURN_IF_ERROR(RunReal(sample, networks, turn));
  RunIsolated(networks, turn);
  RunWeights(networks, turn);
  RunNetwork(networks, turn);
  return absl::OkStatus();
}

absl::Status Analyzer::RunReal(const NamedSample& sample, Networks& networks, Turn& turn) {
  CHECK(sample.inputs.size() == real_.inputs.size());
  absl::Status status;
  std::vector<const void*> data;
  for (size_t i = 0; i < sample.inputs.size(); ++i) {
    const Tensor& input = *real_.inputs[i];
    const absl::Span<const uint8_t> bytes = sample.inputs[i].bytes;
    CHECK(static_cast<int64_t>(bytes.size()) == input.type.bytes());
    uint8_t* const kept = networks.kept.at(input.name).data();
    std::copy(bytes.begin(), bytes.end(), kept);
    data.push_back(kept);
    if (input.type.dtype == DataType::kFloat32) {
      status.Update(Observe(sample.name, input, networks.Values(input), networks.pool, turn));
    }
  }
  networks.real->Run(data, [&](const ProgramTensor& tensor, const void* values) {
    const Tensor* real = real_.FindTensor(tensor.name);
    if (real == nullptr) return;  // a copy for an output
    const auto kept = networks.kept.find(tensor.name);
    if (kept != networks.kept.end()) {
      std::memcpy(kept->second.data(), values, static_cast<size_t>(tensor.type.bytes()));
    }
    if (tensor.type.dtype != DataType::kFloat32) return;
    status.Update(Observe(sample.name, *real, Floats(tensor, values), networks.pool, turn));
  });
  return status;
}

absl::Status Analyzer::Observe(const std::string& sample, const Tensor& tensor,
                               absl::Span<const float> values, ThreadPool& pool, Turn& turn) {
  if (values.empty()) return absl::OkStatus();
  std::vector<float> within;
  if (const auto rows = masked_.find(&tensor); rows != masked_.end()) {
    within = WithinReach(rows->second, values);
    values = within;
  }
  if (!std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); })) {
    turn.Step([] {});  // later ones are those of the other samples still
    return absl::InvalidArgumentError(
        absl::StrCat("sample ", sample, ": tensor '", tensor.name,
                     "' has a value that is not finite, expected numbers; check the "
                     "sample and the model's weights"));
  }
  TensorObservation observation;
  observation.Add(values, pool);
  const auto channels = channels_.find(tensor.name);
  if (channels != channels_.end()) observation.AddChannels(values, channels->second);
  if (histograms_.count(tensor.name) > 0) observation.AddHistogram(values);
  turn.Step([&] { Merge(observation, observations_.at(tensor.name)); });
  return absl::OkStatus();
}

Fidelity Analyzer::Compared(const LayerPair& layer, absl::Span<const float> computed,
                            Networks& networks) const {
  absl::Span<const float> real = networks.Values(*layer.real);
  std::vector<float> real_within, computed_within;
  if (const auto rows = masked_.find(layer.real); rows != masked_.end()) {
    real_within = WithinReach(rows->second, real);
    computed_within = WithinReach(rows->second, computed);
    real = real_within;
    computed = computed_within;
  }
  if (!layer.feeds_function || !HasOneQuantizer(layer.tensor->type)) {
    return Compare(real, computed, networks.pool);
  }
  const ValueRange range = RealRange(layer.tensor->type);
  std::vector<float> clamped(real.begin(), real.end());
  for (float& value : clamped) value = std::clamp(value, range.min, range.max);
  return Compare(clamped, computed, networks.pool);
}

void Analyzer::RunIsolated(Networks& networks, Turn& turn) {
  const std::vector<const void*> data = networks.KeptInputs(*networks.isolated);
  networks.isolated->Run(data, [&](const ProgramTensor& tensor, const void* values) {
    const auto found = isolated_rows_.find(tensor.name);
    if (found == isolated_rows_.end()) return;
    Row& row = rows_[found->second];
    const absl::Span<const float> real = networks.Values(*row.layer.real);
    const Fidelity own = Compared(row.layer, Floats(tensor, values), networks);
    const size_t channels = CountObservedChannels(row.layer);
    const TensorType& type = row.layer.tensor->type;
    const int64_t saturated =
        HasOneQuantizer(type) ? CountOutside(real, RangeWithRounding(type), networks.pool) : 0;
    turn.Step([&] {
      row.own.Add(own);
      if (channels > 0) row.own_errors.Add(real, Floats(tensor, values), channels);
      row.values += static_cast<int64_t>(real.size());
      row.saturated += saturated;
    });
  });
}

void Analyzer::RunWeights(Networks& networks, Turn& turn) {
  const std::vector<const void*> data = networks.KeptInputs(*networks.weights);
  networks.weights->Run(data, [&](const ProgramTensor& tensor, const void* values) {
    const auto found = weights_rows_.find(tensor.name);
    if (found == weights_rows_.end()) return;
    Row& row = rows_[found->second];
    turn.Step([&] {
      if (!row.weight_errors.has_value()) row.weight_errors.emplace();
      row.weight_errors->Add(networks.Values(*row.layer.real), Floats(tensor, values), 1);
    });
  });
}

void Analyzer::RunNetwork(Networks& networks, Turn& turn) {
  std::vector<const void*> data;
  for (size_t i = 0; i < networks.network->inputs(); ++i) {
    data.push_back(networks.kept.at(real_.inputs[i]->name).data());
  }
  networks.network->Run(data, [&](const ProgramTensor& tensor, const void* values) {
    const absl::Span<const float> computed = Floats(tensor, values);
    const auto [row, last_row] = network_rows_.equal_range(tensor.name);
    for (auto it = row; it != last_row; ++it) {
      Row& left = rows_[it->second];
      const Fidelity accumulated = Compared(left.layer, computed, networks);
      turn.Step([&] { left.accumulated.Add(accumulated); });
    }
    const auto [output, last_output] = network_outputs_.equal_range(tensor.name);
    for (auto it = output; it != last_output; ++it) {
      Output& left = outputs_[it->second];
      const Fidelity fidelity = Compare(networks.Values(*left.real), computed, networks.pool);
      turn.Step([&] { left.fidelity.Add(fidelity); });
    }
  });
}

LayerFigures Analyzer::FiguresOf(const Row& row) const {
  const LayerPair& layer = row.layer;
  LayerFigures figures;
  figures.origins = layer.op->origins;
  figures.names = NamesOf(real_, layer.op->origins);
  figures.tensor = layer.real->name;
  figures.op = std::string(layer.op->def->name);
  figures.type = layer.tensor->type.dtype;
  figures.moves_values = layer.op->def->quant_rule == QuantRule::kSameAsInput;
  figures.own = row.own;
  figures.accumulated = row.accumulated;
  if (CountObservedChannels(layer) > 0) {
    figures.mean_noise = row.own_errors.MeanShare();
    const double noise = row.own_errors.power();
    if (row.weight_errors.has_value() && noise > 0) {
      figures.weight_noise = std::min(1.0, row.weight_errors->power() / noise);
    }
  }
  if (HasOneQuantizer(layer.tensor->type)) {
    figures.saturated = static_cast<double>(row.saturated) / static_cast<double>(row.values);
    figures.used = UsedShare(layer.tensor->type, *observations_.at(figures.tensor).range);
  }
  return figures;
}

Analysis Analyzer::Result() const {
  CHECK(samples_ > 0);
  Analysis analysis;
  analysis.samples = samples_;
  Evidence evidence{real_, quantized_, pairs_, samples_, {}, {}, observations_};
  for (const Row& row : rows_) {
    analysis.layers.push_back(FiguresOf(row));
    evidence.layers.push_back(row.layer);
    evidence.saturated.push_back(analysis.layers.back().saturated.value_or(0));
  }
  for (const Output& output : outputs_) {
    analysis.outputs.push_back({output.real->name, output.tensor->type.dtype, output.fidelity});
  }
  for (const Op& op : quantized_.ops()) {
    if (!pairs_.IsConversion(op)) continue;
    ConversionFigures& figures = analysis.conversions[std::string(op.def->name)];
    ++figures.count;
    figures.elements += op.output()->type.shape.elements();
  }
  analysis.findings = CollectFindings(evidence);
  return analysis;
}

}  // namespace synap_internal
