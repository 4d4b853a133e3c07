#include "compiler/quantize/search/bias_correction.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "base/check.h"
#include "base/status_macros.h"
#include "compiler/quantize/search/layer_patches.h"
#include "compiler/quantize/search/linear_layers.h"
#include "compiler/quantize/search/patch_means.h"
#include "compiler/quantize/search/stepped_network.h"

namespace synap_internal {
namespace {

using Means = std::vector<double>;  // of a layer's patches: [groups, inputs]

// Means of the patches of layers whose operands are tensors of float32.
class MeanObserver {
 public:
  explicit MeanObserver(const std::vector<LinearLayer>& layers) {
    for (const LinearLayer& layer : layers) means_.emplace_back(PatchLayout::Of(*layer.real));
  }

  // `operands`: of each layer the tensor of `graph` that it reads.
  absl::Status Run(const Graph& graph, const std::vector<std::string>& operands,
                   const SampleSource& samples, int threads) {
    std::multimap<std::string, PatchMeans*> by_name;
    for (size_t i = 0; i < operands.size(); ++i) by_name.emplace(operands[i], &means_[i]);
    return ObserveSamples(
        graph, samples, threads,
        [&](const std::string& tensor, const Shape&, absl::Span<const float> values) {
          const auto [begin, end] = by_name.equal_range(tensor);
          for (auto it = begin; it != end; ++it) it->second->Add(values);
        });
  }

  Means MeansOf(size_t layer) const { return means_[layer].Means(); }

 private:
  std::vector<PatchMeans> means_;
};

// For each output channel the sum of its weights times the means of the values that they multiply.
std::vector<double> MeanSums(absl::Span<const float> weights, const PatchLayout& layout,
                             const Means& means) {
  std::vector<double> sums(static_cast<size_t>(layout.channels()), 0);
  for (int64_t c = 0; c < layout.channels(); ++c) {
    const double* mean = means.data() + c / layout.outputs * layout.inputs;
    for (int64_t i = 0; i < layout.inputs; ++i) {
      const float weight = weights[static_cast<size_t>(layout.WeightIndex(c, i))];
      sums[static_cast<size_t>(c)] += static_cast<double>(weight) * mean[i];
    }
  }
  return sums;
}

absl::Span<const float> FloatsOf(const Constant& constant) {
  return {reinterpret_cast<const float*>(constant.bytes.data()),
          constant.bytes.size() / sizeof(float)};
}

// Means of the operands of `layers` in the quantized network; null for those that are the
// network's inputs.
absl::StatusOr<std::vector<std::optional<Means>>> QuantizedMeans(
    const std::vector<LinearLayer>& layers, SteppedNetwork& network) {
  std::vector<LinearLayer> observed;
  std::vector<PatchMeans> sums;
  std::vector<size_t> numbers;
  for (size_t i = 0; i < layers.size(); ++i) {
    if (layers[i].op->inputs[0]->producer == nullptr) continue;
    observed.push_back(layers[i]);
    sums.emplace_back(PatchLayout::Of(*layers[i].real));
    numbers.push_back(i);
  }
  RETURN_IF_ERROR(network.Observe(
      observed, [&](size_t layer, absl::Span<const float> values) { sums[layer].Add(values); }));
  std::vector<std::optional<Means>> means(layers.size());
  for (size_t i = 0; i < sums.size(); ++i) means[numbers[i]] = sums[i].Means();
  return means;
}

void Correct(Graph& graph, const LinearLayer& layer, const Means& real, const Means& quantized) {
  const PatchLayout layout = PatchLayout::Of(*layer.real);
  std::vector<double> missing = MeanSums(layer.real->inputs[1]->values<float>(), layout, real);
  const Constant stored = Dequantized(*layer.op->inputs[1]);
  const std::vector<double> there = MeanSums(FloatsOf(stored), layout, quantized);
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
  MeanObserver observer(layers);
  RETURN_IF_ERROR(observer.Run(real, operands, samples, threads));
  std::map<const Op*, size_t> numbers;
  for (size_t i = 0; i < layers.size(); ++i) numbers[layers[i].op] = i;
  SteppedNetwork network(real, quantized, samples, threads);
  for (const std::vector<LinearLayer>& step : ByDepth(layers)) {
    std::vector<std::optional<Means>> means(step.size());
    if (correction == BiasCorrection::kFull) {
      ASSIGN_OR_RETURN(means, QuantizedMeans(step, network));
    }
    for (size_t i = 0; i < step.size(); ++i) {
      const Means expected = observer.MeansOf(numbers.at(step[i].op));
      Correct(quantized, step[i], expected, means[i].value_or(expected));
    }
  }
  quantized.RemoveDead();
  return VerifyGraph(quantized);
}

}  // namespace synap_internal
