#include "compiler/tuning/bias_correction.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/aligned_memory.h"
#include "base/check.h"
#include "base/status_macros.h"
#include "compiler/analysis/observed_graph.h"
#include "compiler/analysis/probe_graphs.h"
#include "kernels/linear/linear.h"
#include "runtime/program/program.h"

namespace synap {
namespace {

using Means = std::vector<double>;  // by channel, the last dimension

// A linear layer in both networks.
struct Layer {
  Op* op;
  const Op* real;
  int depth;  // how many such layers are at most in a row up to this one
};

bool IsByteLinear(const Op& op) {
  return op.def->weight_channels >= 0 && op.inputs.size() >= 2 &&
         op.inputs[0]->type.quant.quantized() && SizeOf(op.inputs[1]->type.dtype) == 1 &&
         op.inputs[1]->is_constant() && op.inputs[1]->type.quant.quantized();
}

std::vector<Layer> FindLayers(const Graph& real, Graph& quantized) {
  std::vector<Layer> layers;
  std::map<const Op*, int> depths;
  for (Op& op : quantized.ops()) {
    int& depth = depths[&op];
    for (const Tensor* operand : op.inputs) {
      const bool flows = operand != nullptr && operand->producer != nullptr;
      if (flows) depth = std::max(depth, depths[operand->producer]);
    }
    const Tensor* output = real.FindTensor(op.output()->name);
    const Op* twin = output == nullptr ? nullptr : output->producer;
    if (twin == nullptr || twin->def != op.def || !IsByteLinear(op)) continue;
    // Which of its taps an output sums depends on where it is.
    if (op.Is("conv_transpose2d")) continue;
    const Tensor &x = *twin->inputs[0], &w = *twin->inputs[1];
    if (!w.is_constant() || w.type.dtype != DataType::kFloat32 || x.is_constant()) continue;
    if (x.type.shape.elements() == 0) continue;
    layers.push_back({&op, twin, ++depth});
  }
  return layers;
}

// Means of tensors that hold float32, by name.
class MeanObserver {
 public:
  MeanObserver(const Graph& graph, const std::vector<std::string>& tensors) {
    for (const std::string& tensor : tensors) sums_[tensor];
    for (const Tensor* input : graph.inputs) inputs_.push_back(input->name);
  }

  absl::Status Run(const Graph& graph, const SampleSource& samples, int threads) {
    ASSIGN_OR_RETURN(std::unique_ptr<ObservedGraph> run, ObservedGraph::Create(graph, threads));
    return samples([&](const std::string&, const std::vector<std::vector<float>>& inputs) {
      std::vector<AlignedMemory> memory;
      std::vector<const void*> data;
      for (size_t i = 0; i < inputs.size(); ++i) {
        memory.push_back(AlignedMemory::Allocate(inputs[i].size() * sizeof(float)));
        std::copy(inputs[i].begin(), inputs[i].end(),
                  reinterpret_cast<float*>(memory.back().data()));
        data.push_back(memory.back().data());
        Add(inputs_[i], graph.inputs[i]->type.shape, inputs[i]);
      }
      run->Run(data, [&](const ProgramTensor& tensor, const void* values) {
        if (tensor.type.dtype != DataType::kFloat32) return;
        Add(tensor.name, tensor.type.shape,
            {static_cast<const float*>(values), static_cast<size_t>(tensor.type.shape.elements())});
      });
      return absl::OkStatus();
    });
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
  std::vector<std::string> inputs_;
};

// For each output channel the sum of its weights times the means of what they are multiplied with.
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

// Adds `missing` (real numbers, by channel) to the layer's bias, which it gets if it has none.
void AddToBias(Graph& graph, Op& op, const std::vector<double>& missing) {
  const QuantParams quant = BiasQuantizer(op.inputs[0]->type.quant, op.inputs[1]->type.quant);
  const Tensor* bias = op.input(2);
  const bool wide = op.inputs[0]->type.dtype == DataType::kInt16;
  const TensorType type = bias != nullptr ? bias->type
                                          : TensorType{wide ? DataType::kInt64 : DataType::kInt32,
                                                       {static_cast<int64_t>(missing.size())},
                                                       quant};
  const auto corrected = [&](size_t c, double value, double largest) {
    const double scale = type.quant.scales[c % type.quant.scales.size()];
    return std::clamp(value + std::nearbyint(missing[c] / scale), -largest, largest);
  };
  Constant constant;
  if (type.dtype == DataType::kInt64) {
    std::vector<int64_t> values(missing.size(), 0);
    for (size_t c = 0; c < values.size(); ++c) {
      const int64_t old = bias == nullptr ? 0 : bias->values<int64_t>()[c];
      values[c] = static_cast<int64_t>(corrected(c, static_cast<double>(old), kMaxWideBias));
    }
    constant = Constant::Of(absl::MakeConstSpan(values));
  } else {
    std::vector<int32_t> values(missing.size(), 0);
    for (size_t c = 0; c < values.size(); ++c) {
      const int32_t old = bias == nullptr ? 0 : bias->values<int32_t>()[c];
      values[c] = static_cast<int32_t>(corrected(c, old, kMaxBias));
    }
    constant = Constant::Of(absl::MakeConstSpan(values));
  }
  const std::string name = bias != nullptr ? bias->name : absl::StrCat(op.output()->name, ".bias");
  graph.SetInput(&op, 2, graph.AddConstant(name, type, std::move(constant)));
}

// Means of the operands of `layers` in the quantized network; null for those that are the
// network's inputs.
absl::StatusOr<std::vector<std::optional<Means>>> QuantizedMeans(const Graph& quantized,
                                                                 const std::vector<Layer>& layers,
                                                                 const SampleSource& samples,
                                                                 int threads) {
  std::vector<const Tensor*> operands;
  for (const Layer& layer : layers) {
    if (layer.op->inputs[0]->producer != nullptr) operands.push_back(layer.op->inputs[0]);
  }
  std::vector<std::optional<Means>> means(layers.size());
  if (operands.empty()) return means;
  ASSIGN_OR_RETURN(ProbeGraph probed, ProbedNetwork(quantized, operands));
  // What is behind the layers doesn't matter yet.
  probed.graph.outputs.clear();
  for (const std::string& probe : probed.probes) {
    probed.graph.outputs.push_back(probed.graph.FindTensor(probe));
  }
  probed.graph.RemoveDead();
  MeanObserver observer(probed.graph, probed.probes);
  RETURN_IF_ERROR(observer.Run(probed.graph, samples, threads));
  size_t next = 0;
  for (size_t i = 0; i < layers.size(); ++i) {
    if (layers[i].op->inputs[0]->producer == nullptr) continue;
    means[i] = observer.MeansOf(probed.probes[next++]);
  }
  return means;
}

void Correct(Graph& graph, const Layer& layer, const Means& real, const Means& quantized) {
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
  const std::vector<Layer> layers = FindLayers(real, quantized);
  std::vector<std::string> operands;
  int deepest = 0;
  for (const Layer& layer : layers) {
    operands.push_back(layer.real->inputs[0]->name);
    deepest = std::max(deepest, layer.depth);
  }
  MeanObserver observer(real, operands);
  RETURN_IF_ERROR(observer.Run(real, samples, threads));
  for (int depth = 1; depth <= deepest; ++depth) {
    std::vector<Layer> step;
    std::copy_if(layers.begin(), layers.end(), std::back_inserter(step),
                 [&](const Layer& layer) { return layer.depth == depth; });
    std::vector<std::optional<Means>> means(step.size());
    if (correction == BiasCorrection::kFull) {
      ASSIGN_OR_RETURN(means, QuantizedMeans(quantized, step, samples, threads));
    }
    for (size_t i = 0; i < step.size(); ++i) {
      const Means expected = observer.MeansOf(step[i].real->inputs[0]->name);
      Correct(quantized, step[i], expected, means[i].value_or(expected));
    }
  }
  quantized.RemoveDead();
  return VerifyGraph(quantized);
}

}  // namespace synap
