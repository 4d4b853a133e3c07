#include "compiler/analysis/analyze.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/status_macros.h"
#include "compiler/quantizer/value_range.h"
#include "kernels/op_def.h"

namespace synap_internal {
namespace {

size_t ElementsOf(const TensorType& type) { return static_cast<size_t>(type.shape.elements()); }

absl::Span<const float> Floats(const ProgramTensor& tensor, const void* data) {
  return {static_cast<const float*>(data), ElementsOf(tensor.type)};
}

bool HasOneQuantizer(const TensorType& type) {
  return type.quant.quantized() && type.quant.scheme != QuantScheme::kPerChannelSymmetric;
}

// The range that rounding reaches: half a step beyond the integers.
ValueRange RangeWithRounding(const TensorType& type) {
  const ValueRange range = RealRange(type);
  const float half_step = type.quant.scale() / 2;
  return {range.min - half_step, range.max + half_step};
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
  RETURN_IF_ERROR(analyzer->Prepare(threads));
  return analyzer;
}

absl::Status Analyzer::Prepare(int threads) {
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
  ASSIGN_OR_RETURN(const ProbeGraph isolated, IsolatedLayers(layers, pairs_));
  ASSIGN_OR_RETURN(const ProbeGraph weights, LayersOfRoundedWeights(layers));
  ASSIGN_OR_RETURN(const ProbeGraph network, ProbedNetwork(real_, quantized_, probed));
  for (size_t i = 0; i < rows_.size(); ++i) {
    isolated_rows_[isolated.probes[i]] = i;
    network_rows_.emplace(network.probes[i], i);
    if (!weights.probes[i].empty()) weights_rows_[weights.probes[i]] = i;
    Keep(*rows_[i].layer.real);
  }
  for (size_t i = 0; i < outputs_.size(); ++i) {
    network_outputs_.emplace(network.probes[rows_.size() + i], i);
    Keep(*outputs_[i].real);
  }
  for (const Tensor* input : real_.inputs) Keep(*input);
  for (const Tensor* input : isolated.graph.inputs) Keep(*real_.FindTensor(input->name));
  for (const Tensor* input : weights.graph.inputs) Keep(*real_.FindTensor(input->name));
  ChooseObservations();
  ASSIGN_OR_RETURN(real_run_, ObservedGraph::Create(real_, threads));
  ASSIGN_OR_RETURN(isolated_run_, ObservedGraph::Create(isolated.graph, threads));
  ASSIGN_OR_RETURN(weights_run_, ObservedGraph::Create(weights.graph, threads));
  ASSIGN_OR_RETURN(network_run_, ObservedGraph::Create(network.graph, threads));
  return CheckSameInputs(real_, *network_run_);
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
}

void Analyzer::Keep(const Tensor& real) {
  AlignedMemory& memory = kept_[real.name];
  if (memory.data() != nullptr) return;
  memory = AlignedMemory::Allocate(static_cast<size_t>(real.type.bytes()));
}

absl::Span<const float> Analyzer::Values(const Tensor& real) const {
  return {reinterpret_cast<const float*>(kept_.at(real.name).data()), ElementsOf(real.type)};
}

absl::Status Analyzer::AddSample(const std::string& name, const std::vector<Constant>& inputs) {
  RETURN_IF_ERROR(RunReal(name, inputs));
  RunIsolated();
  RunWeights();
  RunNetwork();
  ++samples_;
  return absl::OkStatus();
}

absl::Status Analyzer::RunReal(const std::string& sample, const std::vector<Constant>& inputs) {
  CHECK(inputs.size() == real_.inputs.size());
  absl::Status status;
  std::vector<const void*> data;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Tensor& input = *real_.inputs[i];
    const absl::Span<const uint8_t> bytes = inputs[i].bytes;
    CHECK(static_cast<int64_t>(bytes.size()) == input.type.bytes());
    std::copy(bytes.begin(), bytes.end(), kept_.at(input.name).data());
    data.push_back(kept_.at(input.name).data());
    if (input.type.dtype == DataType::kFloat32) {
      status.Update(Observe(sample, input, Values(input)));
    }
  }
  real_run_->Run(data, [&](const ProgramTensor& tensor, const void* values) {
    const Tensor* real = real_.FindTensor(tensor.name);
    if (real == nullptr) return;  // a copy for an output
    const auto kept = kept_.find(tensor.name);
    if (kept != kept_.end()) {
      std::memcpy(kept->second.data(), values, static_cast<size_t>(tensor.type.bytes()));
    }
    if (tensor.type.dtype != DataType::kFloat32) return;
    status.Update(Observe(sample, *real, Floats(tensor, values)));
  });
  return status;
}

absl::Status Analyzer::Observe(const std::string& sample, const Tensor& tensor,
                               absl::Span<const float> values) {
  if (values.empty()) return absl::OkStatus();
  std::vector<float> within;
  if (const auto rows = masked_.find(&tensor); rows != masked_.end()) {
    within = WithinReach(rows->second, values);
    values = within;
  }
  if (!std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); })) {
    return absl::InvalidArgumentError(
        absl::StrCat("sample ", sample, ": tensor '", tensor.name,
                     "' has a value that is not finite, expected numbers; check the "
                     "sample and the model's weights"));
  }
  TensorObservation& observation = observations_[tensor.name];
  observation.Add(values, pool_);
  const auto channels = channels_.find(tensor.name);
  if (channels != channels_.end()) observation.AddChannels(values, channels->second);
  if (histograms_.count(tensor.name) > 0) observation.AddHistogram(values);
  return absl::OkStatus();
}

Fidelity Analyzer::Compared(const LayerPair& layer, absl::Span<const float> computed) {
  absl::Span<const float> real = Values(*layer.real);
  std::vector<float> real_within, computed_within;
  if (const auto rows = masked_.find(layer.real); rows != masked_.end()) {
    real_within = WithinReach(rows->second, real);
    computed_within = WithinReach(rows->second, computed);
    real = real_within;
    computed = computed_within;
  }
  if (!layer.feeds_function || !HasOneQuantizer(layer.tensor->type)) {
    return Compare(real, computed, pool_);
  }
  const ValueRange range = RealRange(layer.tensor->type);
  std::vector<float> clamped(real.begin(), real.end());
  for (float& value : clamped) value = std::clamp(value, range.min, range.max);
  return Compare(clamped, computed, pool_);
}

std::vector<const void*> Analyzer::KeptInputs(const ObservedGraph& run) const {
  std::vector<const void*> data;
  for (size_t i = 0; i < run.inputs(); ++i) data.push_back(kept_.at(run.input(i).name).data());
  return data;
}

void Analyzer::RunIsolated() {
  const std::vector<const void*> data = KeptInputs(*isolated_run_);
  isolated_run_->Run(data, [&](const ProgramTensor& tensor, const void* values) {
    const auto found = isolated_rows_.find(tensor.name);
    if (found == isolated_rows_.end()) return;
    Row& row = rows_[found->second];
    const absl::Span<const float> real = Values(*row.layer.real);
    row.own.Add(Compared(row.layer, Floats(tensor, values)));
    const size_t channels = CountObservedChannels(row.layer);
    if (channels > 0) row.own_errors.Add(real, Floats(tensor, values), channels);
    row.values += static_cast<int64_t>(real.size());
    const TensorType& type = row.layer.tensor->type;
    if (HasOneQuantizer(type)) row.saturated += CountOutside(real, RangeWithRounding(type), pool_);
  });
}

void Analyzer::RunWeights() {
  const std::vector<const void*> data = KeptInputs(*weights_run_);
  weights_run_->Run(data, [&](const ProgramTensor& tensor, const void* values) {
    const auto found = weights_rows_.find(tensor.name);
    if (found == weights_rows_.end()) return;
    Row& row = rows_[found->second];
    if (!row.weight_errors.has_value()) row.weight_errors.emplace();
    row.weight_errors->Add(Values(*row.layer.real), Floats(tensor, values), 1);
  });
}

void Analyzer::RunNetwork() {
  std::vector<const void*> data;
  for (size_t i = 0; i < network_run_->inputs(); ++i) {
    data.push_back(kept_.at(real_.inputs[i]->name).data());
  }
  network_run_->Run(data, [&](const ProgramTensor& tensor, const void* values) {
    const absl::Span<const float> computed = Floats(tensor, values);
    const auto [row, last_row] = network_rows_.equal_range(tensor.name);
    for (auto it = row; it != last_row; ++it) {
      rows_[it->second].accumulated.Add(Compared(rows_[it->second].layer, computed));
    }
    const auto [output, last_output] = network_outputs_.equal_range(tensor.name);
    for (auto it = output; it != last_output; ++it) {
      Output& left = outputs_[it->second];
      left.fidelity.Add(Compare(Values(*left.real), computed, pool_));
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
