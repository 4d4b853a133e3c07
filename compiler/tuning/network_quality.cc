#include "compiler/tuning/network_quality.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/check.h"
#include "base/status_macros.h"
#include "compiler/analysis/probe_graphs.h"
#include "runtime/program/program.h"

namespace synap {
namespace {

absl::Span<const float> Floats(const ProgramTensor& tensor, const void* data) {
  return {static_cast<const float*>(data), static_cast<size_t>(tensor.type.shape.elements())};
}

bool Comparable(const Tensor& output) {
  return output.producer != nullptr && output.type.dtype == DataType::kFloat32 &&
         output.type.shape.elements() > 0;
}

// The output of the linear layer whose values `output` only has in another order, or null.
const Tensor* LayerOf(const Tensor& output) {
  const Tensor* tensor = &output;
  while (tensor->producer != nullptr && MovesData(*tensor->producer) &&
         tensor->producer->inputs[0]->type.shape.elements() == tensor->type.shape.elements()) {
    tensor = tensor->producer->inputs[0];
  }
  const Op* op = tensor->producer;
  return op != nullptr && op->def->weight_channels >= 0 && tensor->type.shape.rank() > 1 ? tensor
                                                                                         : nullptr;
}

std::vector<const void*> Addresses(const std::vector<AlignedMemory>& memory) {
  std::vector<const void*> addresses;
  for (const AlignedMemory& m : memory) addresses.push_back(m.data());
  return addresses;
}

// What is compared for an output, and its sums.
struct Comparison {
  std::string real;                   // a tensor of the float graph
  std::vector<double> signal, noise;  // by channel

  void Add(absl::Span<const float> reference, absl::Span<const float> approximation) {
    for (size_t i = 0; i < reference.size(); ++i) {
      const double r = reference[i], error = r - approximation[i];
      signal[i % signal.size()] += r * r;
      noise[i % noise.size()] += error * error;
    }
  }

  // Channels without signal don't count.
  double Share() const {
    double sum = 0;
    int channels = 0;
    for (size_t c = 0; c < signal.size(); ++c) {
      if (signal[c] == 0) continue;
      sum += noise[c] / signal[c];
      ++channels;
    }
    return channels == 0 ? 0 : sum / channels;
  }
};

Comparison Compared(const Tensor& real, size_t channels) {
  return {real.name, std::vector<double>(channels, 0), std::vector<double>(channels, 0)};
}

}  // namespace

absl::StatusOr<std::unique_ptr<NetworkQuality>> NetworkQuality::Create(const Graph& real,
                                                                       int threads) {
  if (std::none_of(real.outputs.begin(), real.outputs.end(),
                   [](const Tensor* output) { return Comparable(*output); })) {
    return absl::InvalidArgumentError("the network has no float32 output that a layer computes");
  }
  std::unique_ptr<NetworkQuality> quality(new NetworkQuality(real.Clone(), threads));
  ASSIGN_OR_RETURN(quality->real_run_, ObservedGraph::Create(quality->real_, threads));
  return quality;
}

absl::Status NetworkQuality::AddSample(const std::string& name,
                                       const std::vector<Constant>& inputs) {
  CHECK(inputs.size() == real_.inputs.size());
  Sample& sample = samples_.emplace_back();
  for (size_t i = 0; i < inputs.size(); ++i) {
    const absl::Span<const uint8_t> bytes = inputs[i].bytes;
    CHECK(static_cast<int64_t>(bytes.size()) == real_.inputs[i]->type.bytes());
    sample.inputs.push_back(AlignedMemory::Allocate(bytes.size()));
    std::copy(bytes.begin(), bytes.end(), sample.inputs.back().data());
  }
  for (const Tensor* output : real_.outputs) {
    if (!Comparable(*output)) continue;
    sample.tensors[output->name];
    if (const Tensor* layer = LayerOf(*output); layer != nullptr) sample.tensors[layer->name];
  }
  bool finite = true;
  real_run_->Run(Addresses(sample.inputs), [&](const ProgramTensor& tensor, const void* data) {
    const auto kept = sample.tensors.find(tensor.name);
    if (kept == sample.tensors.end()) return;
    const absl::Span<const float> values = Floats(tensor, data);
    kept->second.assign(values.begin(), values.end());
    finite = finite && std::all_of(values.begin(), values.end(),
                                   [](float value) { return std::isfinite(value); });
  });
  if (finite) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("sample ", name, ": the network's output has a value that is not finite"));
}

absl::StatusOr<std::vector<double>> NetworkQuality::Measure(const Graph& quantized) {
  CHECK(!samples_.empty());
  std::vector<Comparison> comparisons;
  std::vector<const Tensor*> tensors;
  for (size_t i = 0; i < std::min(real_.outputs.size(), quantized.outputs.size()); ++i) {
    const Tensor& real = *real_.outputs[i];
    const Tensor* found = quantized.outputs[i];
    if (!Comparable(real) || found->producer == nullptr) continue;
    const Tensor* layer = LayerOf(real);
    const Tensor* twin = layer == nullptr ? nullptr : quantized.FindTensor(layer->name);
    if (layer == &real) twin = found;
    const bool by_channel = twin != nullptr && twin->type.shape == layer->type.shape;
    tensors.push_back(by_channel ? twin : found);
    comparisons.push_back(by_channel
                              ? Compared(*layer, static_cast<size_t>(layer->type.shape.back()))
                              : Compared(real, 1));
  }
  ASSIGN_OR_RETURN(const ProbeGraph probed, ProbedNetwork(quantized, tensors));
  std::multimap<std::string, size_t> indices;  // of comparisons, by the probe's name
  for (size_t i = 0; i < comparisons.size(); ++i) indices.emplace(probed.probes[i], i);
  ASSIGN_OR_RETURN(std::unique_ptr<ObservedGraph> run,
                   ObservedGraph::Create(probed.graph, threads_));
  RETURN_IF_ERROR(CheckSameInputs(real_, *run));
  for (const Sample& sample : samples_) {
    run->Run(Addresses(sample.inputs), [&](const ProgramTensor& tensor, const void* data) {
      const auto [begin, end] = indices.equal_range(tensor.name);
      for (auto it = begin; it != end; ++it) {
        Comparison& comparison = comparisons[it->second];
        comparison.Add(sample.tensors.at(comparison.real), Floats(tensor, data));
      }
    });
  }
  std::vector<double> shares;
  for (const Comparison& comparison : comparisons) shares.push_back(comparison.Share());
  return shares;
}

double WorstSqnrDb(const std::vector<double>& shares) {
  double worst = 0;
  for (const double share : shares) worst = std::max(worst, share);
  constexpr double kMost = 200;
  return worst == 0 ? kMost : std::min(kMost, -10 * std::log10(worst));
}

}  // namespace synap
