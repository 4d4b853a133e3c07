#include "compiler/quantize/search/adaptive_rounding.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "base/check.h"
#include "base/element_scales.h"
#include "base/rounding.h"
#include "base/status_macros.h"
#include "base/thread_pool.h"
#include "compiler/quantize/analysis/probe_graphs.h"
#include "compiler/quantize/search/layer_patches.h"
#include "compiler/quantize/search/linear_layers.h"
#include "compiler/quantize/search/rounding_errors.h"
#include "compiler/quantize/search/rounding_search.h"
#include "compiler/quantize/search/second_order_rounding.h"
#include "compiler/quantize/search/stepped_network.h"

namespace synap_internal {
namespace {

constexpr int64_t kMaxPositions = 4096;                  // of a layer, over all samples
constexpr int64_t kMaxSums = int64_t{1} << 25;           // of all layers
constexpr int64_t kMaxPatchElements = int64_t{1} << 24;  // of a layer's patches, and of a run's
constexpr int64_t kMaxPatch = int64_t{1} << 20;

// The sums that a layer's channels should have, at some positions of each sample. Rows are filled
// from `next` on: [0] those that the weights are fitted to, [1] those that check the choice.
struct Rows {
  std::array<SumSamples, 2> samples;
  std::array<int64_t, 2> next = {0, 0};
};

// A layer whose weights are chosen.
struct Layer {
  LinearLayer ops;
  PatchLayout layout;
  int64_t positions_of_sample = 1;
  bool owns_weights = true;  // no other layer reads them
  bool finite = true;        // all sums; calibration saw them after the clamp only
  Rows rows;
  int sample = 0;  // the number of the one that comes next
};

// `positions` split as Rows: [0] those that the weights are fitted to, [1] those that check them.
std::array<std::vector<int64_t>, 2> SplitPositions(const std::vector<int64_t>& positions,
                                                   int sample, int samples) {
  std::array<std::vector<int64_t>, 2> split;
  for (size_t i = 0; i < positions.size(); ++i) {
    const size_t number = samples >= 4 ? static_cast<size_t>(sample) : i;
    split[number % 4 == 3 ? 1 : 0].push_back(positions[i]);
  }
  return split;
}

class RoundingWork {
 public:
  RoundingWork(const Graph& real, const SampleSource& samples, const RoundingOptions& options,
               Graph& quantized)
      : real_(real),
        samples_(samples),
        options_(options),
        quantized_(quantized),
        pool_(options.threads),
        network_(real, quantized, samples, options.threads) {}

  absl::StatusOr<int> Run() {
    FindLayers();
    RETURN_IF_ERROR(RecordSums());
    int done = 0;
    for (std::vector<Layer*> step : Steps()) {
      RETURN_IF_ERROR(RecordPatches(step));
      for (Layer* layer : step) {
        Adapt(*layer);
        if (options_.progress) options_.progress(++done, static_cast<int>(layers_.size()));
      }
    }
    quantized_.RemoveDead();
    RETURN_IF_ERROR(VerifyGraph(quantized_));
    return static_cast<int>(std::count_if(layers_.begin(), layers_.end(),
                                          [](const Layer& layer) { return layer.owns_weights; }));
  }

 private:
  void FindLayers() {
    int64_t channels = 1;
    for (const LinearLayer& ops : FindLinearLayers(real_, quantized_)) {
      Layer layer;
      layer.ops = ops;
      layer.owns_weights = ops.op->inputs[1]->users.size() == 1;
      if (!layer.owns_weights && !options_.correct_biases) continue;
      layer.layout = PatchLayout::Of(*ops.real);
      if (layer.layout.groups * layer.layout.inputs > kMaxPatch) continue;
      channels += layer.layout.channels();
      layers_.push_back(std::move(layer));
    }
    for (Layer& layer : layers_) {
      const int64_t patch = layer.layout.groups * layer.layout.inputs;
      const int64_t rows =
          std::min({kMaxPositions, kMaxSums / channels, kMaxPatchElements / patch});
      layer.positions_of_sample = std::max<int64_t>(1, rows / options_.samples);
    }
  }

  // The positions of the layer's next sample.
  std::array<std::vector<int64_t>, 2> NextPositions(Layer& layer) const {
    const int sample = layer.sample++;
    return SplitPositions(
        ChoosePositions(layer.layout.positions, layer.positions_of_sample, sample), sample,
        options_.samples);
  }

  // The number of rows of all samples.
  std::array<int64_t, 2> CountRows(Layer& layer) const {
    std::array<int64_t, 2> rows = {0, 0};
    for (layer.sample = 0; layer.sample < options_.samples;) {
      const auto positions = NextPositions(layer);
      for (size_t i = 0; i < 2; ++i) rows[i] += static_cast<int64_t>(positions[i].size());
    }
    layer.sample = 0;
    return rows;
  }

  // The float network with clamps after the layers instead of in them.
  absl::StatusOr<Graph> WithoutClamps() const {
    Graph graph = real_.Clone();
    for (const Layer& layer : layers_) {
      Tensor* sums = graph.FindTensor(layer.ops.real->output()->name);
      Attributes clamp;
      for (const char* bound : {"min", "max"}) {
        auto found = sums->producer->attributes.extract(bound);
        if (!found.empty()) clamp.insert(std::move(found));
      }
      if (clamp.empty()) continue;
      ASSIGN_OR_RETURN(
          Op * clip, graph.AddInferredOp("clip", {sums}, std::move(clamp), sums->producer->origins,
                                         sums->name + ".clamped", NextOp(graph, sums->producer)));
      graph.ReplaceUses(sums, clip->output());
      graph.SetInput(clip, 0, sums);
    }
    return graph;
  }

  // What the float network's layers add up to their biases.
  absl::Status RecordSums() {
    std::map<std::string, Layer*> by_name;
    for (Layer& layer : layers_) {
      const std::array<int64_t, 2> rows = CountRows(layer);
      for (size_t i = 0; i < 2; ++i) {
        layer.rows.samples[i].sums =
            Matrices::Uninitialized(layer.layout.groups, layer.layout.outputs, rows[i]);
      }
      by_name[layer.ops.real->output()->name] = &layer;
    }
    ASSIGN_OR_RETURN(const Graph graph, WithoutClamps());
    RETURN_IF_ERROR(
        ObserveSamples(graph, samples_, options_.threads,
                       [&](const std::string& name, const Shape&, absl::Span<const float> values) {
                         const auto found = by_name.find(name);
                         if (found != by_name.end()) CopySums(*found->second, values);
                       }));
    layers_.erase(std::remove_if(layers_.begin(), layers_.end(),
                                 [](const Layer& layer) { return !layer.finite; }),
                  layers_.end());
    return absl::OkStatus();
  }

  void CopySums(Layer& layer, absl::Span<const float> values) {
    const Tensor* bias = layer.ops.real->input(2);
    const int64_t channels = layer.layout.channels(), outputs = layer.layout.outputs;
    const auto positions = NextPositions(layer);
    for (size_t i = 0; i < 2; ++i) {
      Matrices& sums = layer.rows.samples[i].sums;
      for (const int64_t position : positions[i]) {
        const auto row = static_cast<size_t>(layer.rows.next[i]++);
        const float* pixel = values.data() + position * channels;
        for (int64_t c = 0; c < channels; ++c) {
          const float added = bias == nullptr ? 0 : bias->values<float>()[static_cast<size_t>(c)];
          const float sum = pixel[c] - added;
          sums.row(c / outputs, c % outputs)[row] = sum;
          layer.finite = layer.finite && std::isfinite(sum);
        }
      }
    }
  }

  // Layers whose patches are recorded in the same runs; those before others come first.
  std::vector<std::vector<Layer*>> Steps() {
    std::vector<std::vector<Layer*>> steps;
    std::vector<Layer*> order;
    for (Layer& layer : layers_) order.push_back(&layer);
    std::stable_sort(order.begin(), order.end(),
                     [](const Layer* a, const Layer* b) { return a->ops.depth < b->ops.depth; });
    int64_t elements = 0;
    for (Layer* layer : order) {
      const int64_t positions = std::min(layer->positions_of_sample, layer->layout.positions);
      const int64_t added =
          options_.samples * positions * layer->layout.groups * layer->layout.inputs;
      const bool fits = !steps.empty() && steps.back().back()->ops.depth == layer->ops.depth &&
                        elements + added <= kMaxPatchElements;
      if (!fits) {
        steps.emplace_back();
        elements = 0;
      }
      elements += added;
      steps.back().push_back(layer);
    }
    return steps;
  }

  // The operands of the layers of `step` in the quantized network.
  absl::Status RecordPatches(const std::vector<Layer*>& step) {
    std::vector<LinearLayer> ops;
    for (Layer* layer : step) {
      ops.push_back(layer->ops);
      layer->sample = 0;
      layer->rows.next = {0, 0};
      for (SumSamples& samples : layer->rows.samples) {
        samples.patches =
            Matrices(layer->layout.groups, samples.sums.columns(), layer->layout.inputs);
      }
    }
    return network_.Observe(ops, [&](size_t layer, absl::Span<const float> values) {
      AddPatches(*step[layer], values);
    });
  }

  static void AddPatches(const PatchLayout& layout, absl::Span<const float> values,
                         const std::array<std::vector<int64_t>, 2>& positions, Rows& rows) {
    for (size_t i = 0; i < 2; ++i) {
      CopyPatches(layout, values, positions[i], rows.next[i], rows.samples[i].patches);
      rows.next[i] += static_cast<int64_t>(positions[i].size());
    }
  }

  void AddPatches(Layer& layer, absl::Span<const float> values) const {
    const Tensor& operand = *layer.ops.op->inputs[0];
    const auto positions = NextPositions(layer);
    if (operand.producer != nullptr) {
      AddPatches(layer.layout, values, positions, layer.rows);
      return;
    }
    const QuantParams& quant = operand.type.quant;
    const IntegerRange range = RangeOf(operand.type.dtype);
    std::vector<float> read(values.begin(), values.end());
    for (float& value : read) {
      const int32_t integer =
          QuantizeValue(value, quant.scale(), quant.zero_point(), static_cast<int32_t>(range.min),
                        static_cast<int32_t>(range.max));
      value = DequantizeValue(integer, quant.scale(), quant.zero_point());
    }
    AddPatches(layer.layout, read, positions, layer.rows);
  }

  // Over the rows that weights are chosen by.
  struct Means {
    std::vector<double> patch;  // [groups, inputs]
    std::vector<double> sums;   // [channels]
  };

  // Takes the means off all rows.
  static Means Center(Rows& rows) {
    Means all;
    SumSamples &fit = rows.samples[0], &check = rows.samples[1];
    const auto count = static_cast<double>(fit.patches.rows());
    for (int64_t g = 0; g < fit.patches.count(); ++g) {
      std::vector<double> means(static_cast<size_t>(fit.patches.columns()));
      for (int64_t r = 0; r < fit.patches.rows(); ++r) {
        for (size_t k = 0; k < means.size(); ++k) means[k] += fit.patches.row(g, r)[k] / count;
      }
      for (SumSamples* samples : {&fit, &check}) {
        for (int64_t r = 0; r < samples->patches.rows(); ++r) {
          const absl::Span<float> row = samples->patches.row(g, r);
          for (size_t k = 0; k < means.size(); ++k) row[k] -= static_cast<float>(means[k]);
        }
      }
      for (int64_t o = 0; o < fit.sums.rows(); ++o) {
        double mean = 0;
        for (const float sum : fit.sums.row(g, o)) mean += sum / count;
        for (float& sum : fit.sums.row(g, o)) sum -= static_cast<float>(mean);
        for (float& sum : check.sums.row(g, o)) sum -= static_cast<float>(mean);
        all.sums.push_back(mean);
      }
      all.patch.insert(all.patch.end(), means.begin(), means.end());
    }
    return all;
  }

  // The mean error of each output channel's sums.
  static std::vector<double> Missing(const Layer& layer, const WeightIntegers& integers,
                                     const Means& means) {
    const PatchLayout& layout = layer.layout;
    std::vector<double> missing = means.sums;
    for (int64_t c = 0; c < layout.channels(); ++c) {
      double sum = 0;
      for (int64_t i = 0; i < layout.inputs; ++i) {
        const auto weight = static_cast<size_t>(c * layout.inputs + i);
        sum += integers.steps[weight] *
               means.patch[static_cast<size_t>(c / layout.outputs * layout.inputs + i)];
      }
      missing[static_cast<size_t>(c)] -=
          sum * static_cast<double>(integers.scales[static_cast<size_t>(c)]);
    }
    return missing;
  }

  static WeightIntegers IntegersOf(const Layer& layer) {
    const PatchLayout& layout = layer.layout;
    const Tensor& stored = *layer.ops.op->inputs[1];
    const IntegerRange range = RangeOf(stored.type.dtype);
    const int32_t zero_point = stored.type.quant.zero_point();
    const ElementScales scales(stored.type.quant, stored.type.shape);
    WeightIntegers integers;
    integers.weights = Matrices::Uninitialized(layout.groups, layout.outputs, layout.inputs);
    integers.min = static_cast<int32_t>(range.min) - zero_point;
    integers.max = static_cast<int32_t>(range.max) - zero_point;
    integers.steps.reserve(static_cast<size_t>(layout.channels() * layout.inputs));
    for (int64_t c = 0; c < layout.channels(); ++c) {
      integers.scales.push_back(scales[static_cast<size_t>(layout.WeightIndex(c, 0))]);
      const absl::Span<float> weights =
          integers.weights.row(c / layout.outputs, c % layout.outputs);
      for (int64_t i = 0; i < layout.inputs; ++i) {
        const auto at = static_cast<size_t>(layout.WeightIndex(c, i));
        weights[static_cast<size_t>(i)] = layer.ops.real->inputs[1]->values<float>()[at];
        const int32_t integer = stored.type.dtype == DataType::kInt8 ? stored.values<int8_t>()[at]
                                                                     : stored.values<uint8_t>()[at];
        integers.steps.push_back(integer - zero_point);
      }
    }
    return integers;
  }

  void Round(const std::array<SumSamples, 2>& samples, WeightIntegers& integers) {
    const auto& [fit, check] = samples;
    const std::vector<int32_t> balanced = integers.steps;
    if (options_.rounding == Rounding::kSecondOrder) {
      RoundBySecondOrder(fit, check, pool_, integers);
      return;
    }
    SearchRounding(fit, check, pool_, integers);
    if (options_.rounding != Rounding::kAuto) return;
    const SumSamples& measured = check.patches.rows() > 0 ? check : fit;
    const std::vector<double> searched_errors = SquaredErrors(measured, integers, pool_);
    const std::vector<int32_t> searched = std::exchange(integers.steps, balanced);
    RoundBySecondOrder(fit, check, pool_, integers);
    KeepImprovements(searched_errors, SquaredErrors(measured, integers, pool_), searched, integers);
  }

  void Adapt(Layer& layer) {
    WeightIntegers integers = IntegersOf(layer);
    Means means;
    if (options_.correct_biases) means = Center(layer.rows);
    std::array<SumSamples, 2>& samples = layer.rows.samples;
    if (layer.owns_weights) {
      Round(samples, integers);
      Store(integers, layer);
    }
    samples = {};
    if (!options_.correct_biases) return;
    AddToBias(quantized_, *layer.ops.op, Missing(layer, integers, means));
  }

  static void Store(const WeightIntegers& integers, Layer& layer) {
    Tensor& stored = *layer.ops.op->inputs[1];
    std::vector<uint8_t> bytes(integers.steps.size());
    for (size_t i = 0; i < bytes.size(); ++i) {
      const auto weight = static_cast<int64_t>(i);
      const int64_t channel = weight / layer.layout.inputs, input = weight % layer.layout.inputs;
      bytes[static_cast<size_t>(layer.layout.WeightIndex(channel, input))] = static_cast<uint8_t>(
          integers.steps[i] + stored.type.quant.zero_point());  // the lowest 8 bits
    }
    stored.constant = std::make_shared<Constant>(Constant::Own(std::move(bytes)));
  }

  const Graph& real_;
  const SampleSource& samples_;
  const RoundingOptions& options_;
  Graph& quantized_;
  ThreadPool pool_;
  SteppedNetwork network_;
  std::vector<Layer> layers_;
};

}  // namespace

absl::StatusOr<int> AdaptRounding(const Graph& real, const SampleSource& samples,
                                  const RoundingOptions& options, Graph& quantized) {
  CHECK(options.samples > 0 && options.rounding != Rounding::kBalanced);
  return RoundingWork(real, samples, options, quantized).Run();
}

}  // namespace synap_internal
