#include "compiler/search/bias_correction.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "base/check.h"
#include "base/status_macros.h"
#include "compiler/search/linear_layers.h"

namespace synap_internal {
namespace {

using Means = std::vector<double>;  // by channel, the last dimension

// Means of tensors that hold float32, by name.
class MeanObserver {
 public:
  explicit MeanObserver(const std::vector<std::string>& tensors) {
    for (const std::string& tensor : tensors) sums_[tensor];
  }

  absl::Status Run(const Graph& graph, const SampleSource& samples, int threads) {
    return ObserveSamples(graph, samples, threads,
                          [&](const std::string& tensor, const Shape& shape,
                              absl::Span<const float> values) { Add(tensor, shape, values); });
  }

  Means MeansOf(const std::string& tensor) const {
    const Sums& sums = sums_.at(tensor);
    Means means = sums.values;
    for (double& mean : means) mean /= std::max<double>(1, static_cast<double>(sums.count));
    return means;
  }

 private:
  struct Sums {
    std::vector<double> values;
    int64_t count = 0;  // of positions
  };

  void Add(const std::string& tensor, const Shape& shape, absl::Span<const float> values) {
    const auto it = sums_.find(tensor);
    if (it == sums_.end() || values.empty()) return;
    Sums& sums = it->second;
    const auto channels = static_cast<size_t>(shape.back());
    sums.values.resize(channels);
    for (size_t i = 0; i < values.size(); i += channels) {
      for (size_t c = 0; c < channels; ++c) sums.values[c] += values[i + c];
      ++sums.count;
    }
  }

  std::map<std::string, Sums> sums_;
};

// For each output channel the sum of its weights times the means of the values that they multiply.
std::vector<double> MeanSums(absl::Span<const float> weights, const Shape& shape, int axis,
                             const Means& means) {
  const auto last = static_cast<size_t>(shape.back());
  const auto channels = static_cast<size_t>(shape[static_cast<size_t>(axis)]);
  std::vector<double> sums(channels, 0);
  if (axis != 0) {  // depthwise
    for (size_t i = 0; i < weights.size(); ++i) {
      sums[i % last] += static_cast<double>(weights[i]) * means[i % last];
    }
    return sums;
  }
  const size_t of_channel = weights.size() / channels;
  const size_t groups = means.size() / last;
  for (size_t c = 0; c < channels; ++c) {
    const size_t first = c / (channels / groups) * last;  // of the group's input channels
    for (size_t i = 0; i < of_channel; ++i) {
      sums[c] += static_cast<double>(weights[c * of_channel + i]) * means[first + i % last];
    }
  }
  return sums;
}

absl::Span<const float> Floats(const Constant& constant) {
  return {reinterpret_cast<const float*>(constant.bytes.data()),
          constant.bytes.size() / sizeof(float)};
}

// Means of the operands of `layers` in the quantized network; null for those that are the
// network's inputs.
absl::StatusOr<std::vector<std::optional<Means>>> QuantizedMeans(
    const Graph& real, const Graph& quantized, const std::vector<LinearLayer>& layers,
    const SampleSource& samples, int threads) {
  std::vector<std::optional<Means>> means(layers.size());
  ASSIGN_OR_RETURN(const ProbeGraph probed, ProbedOperands(real, quantized, layers));
  if (probed.graph.outputs.empty()) return means;
  MeanObserver observer(probed.probes);
  RETURN_IF_ERROR(observer.Run(probed.graph, samples, threads));
  for (size_t i = 0; i < layers.size(); ++i) {
    if (!probed.probes[i].empty()) means[i] = observer.MeansOf(probed.probes[i]);
  }
  return means;
}

void Correct(Graph& graph, const LinearLayer& layer, const Means& real, const Means& quantized) {
  const Tensor& weights = *layer.op->inputs[1];
  const int axis = layer.op->def->weight_channels;
  std::vector<double> missing =
      MeanSums(layer.real->inputs[1]->values<float>(), weights.type.shape, axis, real);
  const Constant stored = Dequantized(weights);
  const std::vector<double> there = MeanSums(Floats(stored), weights.type.shape, axis, quantized);
  for (size_t c = 0; c < missing.size(); ++c) missing[c] -= there[c];
  AddToBias(graph, *layer.op, missing);
}

}  // namespace

absl::Status CorrectBiases(const Graph& real, const SampleSource& samples,
                           BiasCorrection correction, int threads, Graph& quantized) {
  CHECK(correction != BiasCorrection::kNone);
  const std::vector<LinearLayer> layers = FindLinearLayers(real, quantized);
  std::vector<std::string> operands;
  for (const LinearLayer& layer : layers) operands.push_back(layer.real->inputs[0]->name);
  MeanObserver observer(operands);
  RETURN_IF_ERROR(observer.Run(real, samples, threads));
  for (const std::vector<LinearLayer>& step : ByDepth(layers)) {
    std::vector<std::optional<Means>> means(step.size());
    if (correction == BiasCorrection::kFull) {
      ASSIGN_OR_RETURN(means, QuantizedMeans(real, quantized, step, samples, threads));
    }
    for (size_t i = 0; i < step.size(); ++i) {
      const Means expected = observer.MeansOf(step[i].real->inputs[0]->name);
      Correct(quantized, step[i], expected, means[i].value_or(expected));
    }
  }
  quantized.RemoveDead();
  return VerifyGraph(quantized);
}

}  // namespace synap_internal
