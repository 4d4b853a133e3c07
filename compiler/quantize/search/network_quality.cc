#include "compiler/quantize/search/network_quality.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "base/check.h"
#include "base/status_macros.h"
#include "compiler/quantize/analysis/probe_graphs.h"
#include "runtime/program/program.h"

namespace synap_internal {
namespace {

absl::Span<const float> Floats(const void* data, size_t count) {
  return {static_cast<const float*>(data), count};
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
  return op != nullptr && op->def->is_weighted_sum() && tensor->type.shape.rank() > 1 ? tensor
                                                                                      : nullptr;
}

std::vector<const void*> Addresses(const std::vector<AlignedMemory>& memory) {
  std::vector<const void*> addresses;
  for (const AlignedMemory& m : memory) addresses.push_back(m.data());
  return addresses;
}

// The tensors compared for an output, and their sums.
struct Comparison {
  std::string real;           // a tensor of the float graph
  std::string output, layer;  // as OutputNoise
  size_t elements;
  std::vector<double> signal, noise;  // by channel

  // `tensors`: of the float network, by name.
  void Add(const std::map<std::string, AlignedMemory>& tensors, const void* approximation) {
    const auto reference = Floats(tensors.at(real).data(), elements);
    const auto found = Floats(approximation, elements);
    const size_t channels = signal.size();
    for (size_t i = 0; i < elements; i += channels) {
      for (size_t c = 0; c < channels; ++c) {
        const double r = reference[i + c], error = r - found[i + c];
        signal[c] += r * r;
        noise[c] += error * error;
      }
    }
  }

  OutputNoise Result() const {
    OutputNoise result;
    result.output = output;
    result.layer = layer;
    result.channels = signal.size();
    const double mean =
        std::accumulate(signal.begin(), signal.end(), 0.0) / static_cast<double>(signal.size());
    double sum = 0, loudest = 0;
    for (size_t c = 0; c < signal.size(); ++c) {
      if (signal[c] == 0 || signal[c] < kSilentChannel * mean) {
        result.silent.push_back(c);
        continue;
      }
      const double share = noise[c] / signal[c];
      sum += share;
      if (share <= loudest) continue;
      loudest = share;
      result.loudest = c;
    }
    const size_t counted = signal.size() - result.silent.size();
    if (counted > 0) result.share = sum / static_cast<double>(counted);
    if (sum > 0) result.loudest_part = loudest / sum;
    return result;
  }
};

// By the channels of `layer`, which the output moves; as a whole if it is null.
Comparison Compared(const Tensor& output, const Tensor* layer) {
  const Tensor& real = layer == nullptr ? output : *layer;
  const size_t channels = layer == nullptr ? 1 : static_cast<size_t>(real.type.shape.back());
  return {real.name,
          output.name,
          channels > 1 ? real.producer->LayerName() : "",
          static_cast<size_t>(real.type.shape.elements()),
          std::vector<double>(channels, 0),
          std::vector<double>(channels, 0)};
}

std::vector<OutputNoise> Results(const std::vector<Comparison>& comparisons) {
  std::vector<OutputNoise> outputs;
  for (const Comparison& comparison : comparisons) outputs.push_back(comparison.Result());
  return outputs;
}

size_t BytesOfResults(const Graph& graph) {
  size_t bytes = 0;
  for (const Op& op : graph.ops()) {
    for (const Tensor* output : op.outputs) bytes += static_cast<size_t>(output->type.bytes());
  }
  return bytes;
}

const OutputNoise* WorstOf(const std::vector<OutputNoise>& outputs) {
  const auto worst = std::max_element(
      outputs.begin(), outputs.end(),
      [](const OutputNoise& a, const OutputNoise& b) { return a.share < b.share; });
  return worst == outputs.end() || worst->share == 0 ? nullptr : &*worst;
}

// Of the noise of one output.
constexpr double kMuch = 2.0 / 3;

// "channel 3", "channels 3, 5 and 9 others".
std::string ChannelList(const std::vector<size_t>& channels) {
  constexpr size_t kShown = 5;
  const std::vector<size_t> shown(channels.begin(),
                                  channels.begin() + std::min(channels.size(), kShown));
  std::string list =
      absl::StrCat(channels.size() == 1 ? "channel " : "channels ", absl::StrJoin(shown, ", "));
  if (channels.size() > kShown)
    absl::StrAppend(&list, " and ", channels.size() - kShown, " others");
  return list;
}

}  // namespace

absl::StatusOr<std::unique_ptr<NetworkQuality>> NetworkQuality::Create(const Graph& real,
                                                                       int threads,
                                                                       size_t kept_bytes) {
  if (std::none_of(real.outputs.begin(), real.outputs.end(),
                   [](const Tensor* output) { return Comparable(*output); })) {
    return absl::InvalidArgumentError(
        "the network has no output to compare, expected a float32 output that a layer computes");
  }
  std::unique_ptr<NetworkQuality> quality(new NetworkQuality(real.Clone(), threads, kept_bytes));
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
  std::set<std::string> compared;
  for (const Tensor* output : real_.outputs) {
    if (!Comparable(*output)) continue;
    compared.insert(output->name);
    if (const Tensor* layer = LayerOf(*output); layer != nullptr) compared.insert(layer->name);
  }
  const bool keeps_all = samples_.size() * BytesOfResults(real_) <= kept_bytes_;
  if (keeps_all) ++kept_;
  bool finite = true;
  real_run_->Run(Addresses(sample.inputs), [&](const ProgramTensor& tensor, const void* data) {
    const bool is_compared = compared.count(tensor.name) > 0;
    if (!keeps_all && !is_compared) return;
    const auto bytes = static_cast<size_t>(tensor.type.bytes());
    AlignedMemory& kept = sample.tensors[tensor.name];
    kept = AlignedMemory::Allocate(bytes);
    std::memcpy(kept.data(), data, bytes);
    if (!is_compared) return;
    const auto values = Floats(data, bytes / sizeof(float));
    finite = finite && std::all_of(values.begin(), values.end(),
                                   [](float value) { return std::isfinite(value); });
  });
  if (finite) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("sample ", name,
                   ": an output of the network has a value that is not finite, expected "
                   "numbers; check the sample and the model's weights"));
}

absl::StatusOr<std::vector<OutputNoise>> NetworkQuality::Measure(const Graph& quantized) const {
  CHECK(!samples_.empty());
  std::vector<Comparison> comparisons;
  std::vector<const Tensor*> tensors;
  for (size_t i = 0; i < std::min(real_.outputs.size(), quantized.outputs.size()); ++i) {
    const Tensor& real = *real_.outputs[i];
    const Tensor* found = quantized.outputs[i];
    if (!Comparable(real) || found->producer == nullptr) continue;
    const Tensor* layer = LayerOf(real);
    const Tensor* counterpart = layer == nullptr ? nullptr : quantized.FindTensor(layer->name);
    if (layer == &real) counterpart = found;
    const bool by_channel = counterpart != nullptr && counterpart->type.shape == layer->type.shape;
    tensors.push_back(by_channel ? counterpart : found);
    comparisons.push_back(Compared(real, by_channel ? layer : nullptr));
  }
  ASSIGN_OR_RETURN(const ProbeGraph probed, ProbedNetwork(real_, quantized, tensors));
  std::multimap<std::string, size_t> indices;  // of comparisons, by the probe's name
  for (size_t i = 0; i < comparisons.size(); ++i) indices.emplace(probed.probes[i], i);
  ASSIGN_OR_RETURN(std::unique_ptr<ObservedGraph> run,
                   ObservedGraph::Create(probed.graph, threads_));
  RETURN_IF_ERROR(CheckSameInputs(real_, *run));
  for (const Sample& sample : samples_) {
    run->Run(Addresses(sample.inputs), [&](const ProgramTensor& tensor, const void* data) {
      const auto [begin, end] = indices.equal_range(tensor.name);
      for (auto it = begin; it != end; ++it) {
        comparisons[it->second].Add(sample.tensors, data);
      }
    });
  }
  return Results(comparisons);
}

absl::StatusOr<std::vector<OutputNoise>> NetworkQuality::MeasureChange(
    ChangedNetwork network) const {
  Graph& changed = network.graph;
  std::set<const Op*> affected = {network.first};
  for (const Op& op : changed.ops()) {
    const bool depends = std::any_of(op.inputs.begin(), op.inputs.end(), [&](const Tensor* t) {
      return t != nullptr && t->producer != nullptr && affected.count(t->producer) > 0;
    });
    if (depends) affected.insert(&op);
  }
  std::vector<Comparison> comparisons;
  changed.outputs.clear();
  for (const Tensor* real : real_.outputs) {
    if (!Comparable(*real)) continue;
    comparisons.push_back(Compared(*real, LayerOf(*real)));
    Tensor* found = changed.FindTensor(comparisons.back().real);
    if (affected.count(found->producer) > 0) changed.outputs.push_back(found);
  }
  if (changed.outputs.empty()) return Results(comparisons);
  std::vector<std::string> kept;
  std::set<Tensor*> read;
  for (const Op* op : affected) read.insert(op->inputs.begin(), op->inputs.end());
  std::list<Tensor>& tensors = changed.tensors();
  for (auto it = tensors.begin(); kept_ > 0 && it != tensors.end(); ++it) {
    const bool is_border =
        read.count(&*it) > 0 && it->producer != nullptr && affected.count(it->producer) == 0;
    if (!is_border) continue;
    const bool is_renamed = !network.read.empty() && &*it == network.first->inputs[0];
    kept.push_back(is_renamed ? network.read : it->name);
    Tensor* input = changed.AddTensor(changed.UniqueName(it->name), it->type);
    changed.ReplaceUses(&*it, input);
    changed.inputs.push_back(input);
  }
  changed.RemoveDead();
  ASSIGN_OR_RETURN(const std::unique_ptr<ObservedGraph> run, ObservedGraph::Create(changed, 1));
  for (size_t i = 0; i < std::max<size_t>(kept_, 1); ++i) {
    const Sample& sample = samples_[i];
    std::vector<const void*> data = Addresses(sample.inputs);
    for (const std::string& name : kept) data.push_back(sample.tensors.at(name).data());
    run->Run(data, [&](const ProgramTensor& tensor, const void* values) {
      for (Comparison& comparison : comparisons) {
        if (comparison.real == tensor.name) comparison.Add(sample.tensors, values);
      }
    });
  }
  return Results(comparisons);
}

double WorstSqnrDb(const std::vector<OutputNoise>& outputs) {
  constexpr double kMost = 200;
  const OutputNoise* worst = WorstOf(outputs);
  return worst == nullptr ? kMost : std::min(kMost, -10 * std::log10(worst->share));
}

std::string DescribeWorst(const std::vector<OutputNoise>& outputs) {
  const OutputNoise* worst = WorstOf(outputs);
  if (worst == nullptr) return "";
  std::string text = absl::StrCat("The worst output is '", worst->output, "'.");
  if (worst->channels > 1 && worst->loudest_part > kMuch) {
    absl::StrAppendFormat(&text, " Channel %d of the %d of layer '%s' makes %.0f %% of its noise.",
                          worst->loudest, worst->channels, worst->layer, 100 * worst->loudest_part);
  }
  if (worst->layer.empty() || worst->silent.empty()) return text;
  absl::StrAppend(&text, " Of layer '", worst->layer, "', ", ChannelList(worst->silent),
                  worst->silent.size() == 1 ? " doesn't count: it has" : " don't count: each has",
                  " less than a millionth of the mean channel's power.");
  return text;
}

}  // namespace synap_internal
