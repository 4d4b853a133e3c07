#include "compiler/quantize/analysis/findings.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/tensor_type.h"
#include "compiler/quantize/analysis/predicted_noise.h"
#include "compiler/quantize/ranges/dominant_bias.h"
#include "compiler/quantize/statistics/histogram.h"
#include "compiler/quantize/value_range.h"
#include "kernels/op_def.h"

namespace synap_internal {
namespace {

constexpr double kManyDead = 0.25;  // of the channels; a few are 0 in any network with ReLU
constexpr double kFewWeightSteps = 4;
constexpr double kFewSteps = 16;
constexpr double kOutliers = 0.001;       // of the values, at both ends together
constexpr double kOutliersSpread = 0.25;  // the others have less than that of the steps
constexpr double kMuchSaturation = 0.01;

bool HasOneByteScale(const TensorType& type) {
  return SizeOf(type.dtype) == 1 && HasOneQuantizer(type);
}

double Width(const ValueRange& range) { return static_cast<double>(range.max) - range.min; }

// True if the tensor reaches an output of the network through nothing but reordering.
bool LeadsOut(const Graph& graph, const Tensor& tensor) {
  if (graph.IsOutput(&tensor)) return true;
  return std::any_of(tensor.users.begin(), tensor.users.end(), [&](const Op* user) {
    return MovesData(*user) && LeadsOut(graph, *user->output());
  });
}

// "3 of 16 channels" with the first of them: "3 of 16 channels (0, 4, 7)".
std::string ChannelsText(const std::vector<size_t>& channels, size_t all) {
  constexpr size_t kShown = 5;
  std::string list;
  for (size_t i = 0; i < std::min(channels.size(), kShown); ++i) {
    absl::StrAppend(&list, i == 0 ? "" : ", ", channels[i]);
  }
  return absl::StrCat(channels.size(), " of ", all, " channels (", list,
                      channels.size() > kShown ? ", ..." : "", ")");
}

class Finder {
 public:
  explicit Finder(const Evidence& evidence) : evidence_(evidence) {}

  std::vector<Finding> Run() {
    for (const LayerPair& layer : evidence_.layers) FindConstant(layer);
    for (const LayerPair& layer : evidence_.layers) FindDeadChannels(layer);
    for (const LayerPair& layer : evidence_.layers) FindWeights(layer);
    for (const Op& op : evidence_.real.ops()) FindDominantBias(op);
    for (const Op& op : evidence_.real.ops()) FindOutliers(op);
    for (const LayerPair& layer : evidence_.layers) FindConcat(layer);
    for (const LayerPair& layer : evidence_.layers) FindOutputChannels(layer);
    for (size_t i = 0; i < evidence_.layers.size(); ++i) FindSaturation(i);
    return std::move(findings_);
  }

 private:
  void Add(absl::string_view kind, const Op& op, absl::string_view message) {
    const std::string layer = op.LayerName();
    findings_.push_back({std::string(kind), layer, absl::StrCat("'", layer, "' ", message)});
  }

  const TensorObservation* Observed(const Tensor* real) const {
    if (real == nullptr) return nullptr;
    const auto it = evidence_.observations.find(real->name);
    return it == evidence_.observations.end() || !it->second.range.has_value() ? nullptr
                                                                               : &it->second;
  }

  void FindConstant(const LayerPair& layer) {
    const TensorObservation* seen = Observed(layer.real);
    if (seen == nullptr || layer.op->def->quant_rule == QuantRule::kSameAsInput) return;
    if (seen->range->min != seen->range->max || layer.real->type.shape.elements() < 2) return;
    Add("constant", *layer.op,
        absl::StrFormat("is %g everywhere on all %d samples: if the network needs this layer, add "
                        "samples to the dataset that it reacts to, else remove it",
                        seen->range->min, evidence_.samples));
  }

  void FindDeadChannels(const LayerPair& layer) {
    const TensorObservation* seen = Observed(layer.real);
    if (seen == nullptr) return;
    std::vector<size_t> dead;
    for (size_t c = 0; c < seen->channels.size(); ++c) {
      if (seen->channels[c] == ValueRange{0, 0}) dead.push_back(c);
    }
    if (dead.size() == seen->channels.size()) return;  // a constant layer
    if (static_cast<double>(dead.size()) < kManyDead * static_cast<double>(seen->channels.size())) {
      return;
    }
    Add("dead channels", *layer.op,
        absl::StrFormat("has %s that are 0 on all %d samples: they cost time and give nothing; "
                        "add samples that they react to, or prune them",
                        ChannelsText(dead, seen->channels.size()), evidence_.samples));
  }

  // The constant of the float graph that `constant` was quantized from: passes append to its name.
  const Tensor* RealConstant(const Tensor& constant) const {
    absl::string_view name = constant.name;
    for (size_t dot = name.rfind('.'); dot != absl::string_view::npos; dot = name.rfind('.')) {
      name = name.substr(0, dot);
      const Tensor* real = evidence_.real.FindTensor(name);
      if (real == nullptr || !real->is_constant()) continue;
      const bool same =
          real->type.dtype == DataType::kFloat32 && real->type.shape == constant.type.shape;
      return same ? real : nullptr;
    }
    return nullptr;
  }

  void FindWeights(const LayerPair& layer) {
    const int axis = layer.op->def->weight_channels;
    const Tensor* weights = layer.op->input(1);
    if (axis < 0 || weights == nullptr || !weights->is_constant()) return;
    if (!HasOneByteScale(weights->type)) return;
    const Tensor* real = RealConstant(*weights);
    if (real == nullptr) return;
    const Shape& shape = real->type.shape;
    const auto dimension = static_cast<size_t>(axis);
    const auto count = static_cast<size_t>(shape[dimension]);
    const auto inner = static_cast<size_t>(shape.Product(dimension + 1, shape.rank()));
    std::vector<ValueRange> channels(count);  // with 0 in them
    const auto values = real->values<float>();
    for (size_t i = 0; i < values.size(); ++i) {
      ValueRange& channel = channels[i / inner % count];
      channel = Hull(channel, {values[i], values[i]});
    }
    std::vector<size_t> narrow;
    for (size_t c = 0; c < count; ++c) {
      const double steps = Width(channels[c]) / weights->type.quant.scale();
      if (steps > 0 && steps < kFewWeightSteps) narrow.push_back(c);
    }
    if (narrow.empty()) return;
    Add("weights", *layer.op,
        absl::StrFormat("has weights with one scale for all channels, which leaves %s less than "
                        "%g of 256 steps: use scheme perchannel_symmetric_affine, or int16 for "
                        "this layer",
                        ChannelsText(narrow, count), kFewWeightSteps));
  }

  void FindDominantBias(const Op& op) {
    const TensorObservation* seen = HasRealBias(op) ? Observed(op.inputs[0]) : nullptr;
    if (seen == nullptr) return;
    const std::string sentence = DescribeDominantBias(op, *seen->range);
    if (!sentence.empty()) Add("bias alone", op, sentence);
  }

  void FindOutliers(const Op& op) {
    const bool logits = !op.Is(Probability::kNone);
    const Tensor* operand = logits ? evidence_.quantized.FindTensor(op.inputs[0]->name) : nullptr;
    if (operand == nullptr || !HasOneByteScale(operand->type)) return;
    const TensorObservation* seen = Observed(op.inputs[0]);
    if (seen == nullptr || seen->histogram.empty()) return;
    const ValueRange bulk = BulkOf(seen->histogram);
    const double steps = Width(bulk) / operand->type.quant.scale();
    if (steps >= kOutliersSpread * 256) return;
    if (UsedShare(operand->type, *seen->range) < 0.5) return;  // then it isn't the outliers
    Add("outliers", op,
        absl::StrFormat("reads values of which %g %% lie within %.0f of 256 steps, the rest is "
                        "for few outliers: use algorithm mse or auto, or int16 for the layer "
                        "before it",
                        100 * (1 - kOutliers), std::ceil(steps)));
  }

  // All values but kOutliers.
  static ValueRange BulkOf(const Histogram& histogram) {
    const double at_each_end = kOutliers / 2 * static_cast<double>(histogram.total());
    const auto& counts = histogram.counts();
    const auto last = static_cast<int>(counts.size()) - 1;
    int low = 0, high = last;
    double left_out = 0;
    while (low < last && (left_out += static_cast<double>(counts[low])) <= at_each_end) ++low;
    left_out = 0;
    while (high > low && (left_out += static_cast<double>(counts[high])) <= at_each_end) --high;
    return {static_cast<float>(histogram.LowerEdge(histogram.first() + low)),
            static_cast<float>(histogram.UpperEdge(histogram.first() + high))};
  }

  void FindConcat(const LayerPair& layer) {
    if (!layer.op->Is(Movement::kConcat) || !HasOneByteScale(layer.tensor->type)) return;
    for (const Tensor* operand : layer.op->inputs) {
      const TensorObservation* seen = Observed(evidence_.pairs.RealOf(operand));
      if (seen == nullptr) continue;
      const double steps = Width(*seen->range) / layer.tensor->type.quant.scale();
      if (steps == 0 || steps >= kFewSteps) continue;
      const bool leaves = LeadsOut(evidence_.quantized, *layer.tensor);
      Add("concat", *layer.op,
          absl::StrFormat(
              "puts tensors of very different ranges on one scale: '%s' has %.1f of 256 steps "
              "there; %s",
              operand->name, steps,
              leaves ? "name the concat's operands in the metafile's outputs instead of it"
                     : "use int16 for this layer"));
    }
  }

  void FindOutputChannels(const LayerPair& layer) {
    if (!HasOneByteScale(layer.tensor->type) || !LeadsOut(evidence_.quantized, *layer.tensor)) {
      return;
    }
    const TensorObservation* seen = Observed(layer.real);
    if (seen == nullptr) return;
    std::vector<size_t> narrow;
    for (size_t c = 0; c < seen->channels.size(); ++c) {
      const double width = Width(seen->channels[c]);
      if (width > 0 && width < kFewSteps * layer.tensor->type.quant.scale()) narrow.push_back(c);
    }
    if (narrow.empty() || narrow.size() == seen->channels.size()) return;
    Add("output channels", *layer.op,
        absl::StrFormat("leaves the network with one scale for all channels, of which %s have "
                        "less than %g of 256 steps: use 'dequantize: true' for this output, or "
                        "int16 for this layer",
                        ChannelsText(narrow, seen->channels.size()), kFewSteps));
  }

  void FindSaturation(size_t i) {
    const LayerPair& layer = evidence_.layers[i];
    if (evidence_.saturated[i] <= kMuchSaturation) return;
    if (layer.op->def->quant_rule == QuantRule::kSameAsInput || layer.feeds_function) return;
    Add("saturation", *layer.op,
        absl::StrFormat("has %.1f %% of its values outside of its quantizer's range: add samples "
                        "like these to the dataset; if they are in it, use algorithm standard or "
                        "auto",
                        100 * evidence_.saturated[i]));
  }

  const Evidence& evidence_;
  std::vector<Finding> findings_;
};

}  // namespace

size_t CountObservedChannels(const LayerPair& layer) {
  const bool wanted = layer.op->def->is_weighted_sum() && layer.real->type.shape.rank() > 1;
  return wanted ? static_cast<size_t>(layer.real->type.shape.back()) : 0;
}

std::vector<std::string> FindHistogramTensors(const Graph& real) {
  std::vector<std::string> names;
  for (const Op& op : real.ops()) {
    if (!op.Is(Probability::kNone)) names.push_back(op.inputs[0]->name);
  }
  return names;
}

std::vector<Finding> CollectFindings(const Evidence& evidence) { return Finder(evidence).Run(); }

}  // namespace synap_internal
