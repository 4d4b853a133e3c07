#include "compiler/quantize/ranges/precision_policy.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "absl/strings/str_format.h"
#include "absl/types/span.h"
#include "base/check.h"
#include "base/status_macros.h"
#include "compiler/graph/passes/op_attributes.h"
#include "compiler/graph/passes/output_tail.h"
#include "compiler/graph/passes/tensor_uses.h"
#include "compiler/quantize/quantizer_params.h"
#include "compiler/quantize/ranges/joined_parts.h"
#include "compiler/quantize/ranges/narrowed_ranges.h"
#include "compiler/quantize/ranges/normalizations.h"
#include "compiler/quantize/ranges/recurrences.h"
#include "compiler/quantize/ranges/residuals.h"
#include "compiler/quantize/ranges/result_range.h"
#include "compiler/quantize/statistics/histogram.h"

namespace synap_internal {
namespace {

// Steps of int16 that an 8-bit step must have, so that the second rounding adds little.
constexpr float kFineSteps = 4;
constexpr double kLeastSignal = 400;  // times the noise of steps
constexpr double kDeviations = 4;     // around the mean that a channel's values are taken to reach
// Limits of float16: no value beyond the first, and 1020 of its smallest steps of 2^-24 in a part.
constexpr float kLargestFloat16 = 65504;
constexpr float kNarrowestFloat16 = 1020.0f / (1 << 24);

// Whether float_outputs.h can leave its results real.
bool CanStayReal(const Op& op) { return op.def->stays_real || MovesOrJoins(op); }

// The tensors that lead to outputs for which `ends` is true, and to nothing else, by ops for which
// `passes` is.
std::set<const Tensor*> LeadingOut(const Graph& graph, bool (*passes)(const Op&),
                                   const std::function<bool(size_t)>& ends) {
  std::map<const Tensor*, bool> outputs;
  for (size_t i = 0; const Tensor* tensor : graph.outputs) {
    const auto [it, added] = outputs.emplace(tensor, true);
    it->second = ends(i++) && it->second;
  }
  std::set<const Tensor*> found;
  const auto leads_out = [&](const Tensor& tensor) {
    const auto output = outputs.find(&tensor);
    if (output == outputs.end() ? tensor.users.empty() : !output->second) return false;
    return std::all_of(tensor.users.begin(), tensor.users.end(), [&](const Op* user) {
      return passes(*user) && found.count(user->output()) > 0;
    });
  };
  for (auto op = graph.ops().rbegin(); op != graph.ops().rend(); ++op) {
    for (const Tensor* output : op->outputs) {
      if (leads_out(*output)) found.insert(output);
    }
  }
  return found;
}

struct Moments {
  double mean;
  double deviation;
};

Moments MomentsOf(const Histogram& histogram) {
  double sum = 0, squares = 0, count = 0;
  for (size_t i = 0; i < histogram.counts().size(); ++i) {
    const int bin = histogram.first() + static_cast<int>(i);
    const double value = (histogram.LowerEdge(bin) + histogram.UpperEdge(bin)) / 2;
    const auto times = static_cast<double>(histogram.counts()[i]);
    sum += times * value;
    squares += times * value * value;
    count += times;
  }
  const double mean = sum / std::max(count, 1.0);
  return {mean, std::sqrt(std::max(0.0, squares / std::max(count, 1.0) - mean * mean))};
}

// What leaves the network with nothing but moves behind it.
std::set<const Tensor*> LastResults(const Graph& graph) {
  return LeadingOut(graph, MovesData, [](size_t) { return true; });
}

class Planner {
 public:
  Planner(const PolicyEvidence& evidence, LayerPrecisions& precisions)
      : graph_(evidence.graph),
        evidence_(evidence),
        normalizing_(NormalizingOps(evidence.graph)),
        precisions_(precisions) {
    if (!evidence.statistics.samples().empty()) {
      for (const std::string& tensor : evidence.statistics.tensors()) {
        places_.emplace(tensor, places_.size());
      }
    }
    quantized_end_ =
        LeadingOut(graph_, MovesOrJoins, [&](size_t i) { return !evidence.real_outputs[i]; });
    real_end_ = LeadingOut(graph_, CanStayReal, [&](size_t i) { return evidence.real_outputs[i]; });
  }

  PrecisionMeasure ChannelScales() {
    PrecisionMeasure measure{MeasureKind::kChannelScales, {}};
    const auto last = LastResults(graph_);
    for (const Op& op : graph_.ops()) {
      if (HasRealWeights(op) && last.count(op.output()) > 0 && GiveChannelScales(op)) {
        measure.layers.push_back(op.LayerName());
      }
    }
    return measure;
  }

  PrecisionMeasure WideConcats() {
    const auto may_change = [&](const Op& op) {
      return Rank(precisions_.of(op).type) <= Rank(DataType::kInt16) && !precisions_.IsNamed(op);
    };
    std::map<const Op*, DataType> wide;
    for (const JoinedParts& parts : IntegerConcats(may_change)) {
      const DataType type = TypeFor(parts, precisions_.of(*parts.concat).type);
      for (const Op* op : parts.holders) {
        const auto [widest, added] = wide.emplace(op, type);
        if (Rank(type) > Rank(widest->second)) widest->second = type;
      }
    }
    PrecisionMeasure measure{MeasureKind::kWideConcats, {}};
    for (const Op& op : graph_.ops()) {
      const auto type = wide.find(&op);
      if (type == wide.end() || Rank(type->second) <= Rank(precisions_.of(op).type)) continue;
      precisions_.Set(op, PrecisionOf(type->second));
      AddLayer(op, measure);
    }
    return measure;
  }

  PrecisionMeasure WideInputs() {
    PrecisionMeasure measure{MeasureKind::kWideInputs, {}};
    for (const Tensor* input : graph_.inputs) {
      std::vector<const Op*> moves;
      if (!CollectMoves(*input, moves) || !HasNarrowPart(*input, moves)) continue;
      if (!WidenInput(*input, measure)) continue;
      for (const Op* op : moves) Widen(*op, DataType::kInt16, measure);
    }
    return measure;
  }

  PrecisionMeasure WideOutputs() {
    std::set<const Op*> wide;
    for (const Op& op : graph_.ops()) {
      if (!HasRealWeights(op) || !Changeable(op) || quantized_end_.count(op.output()) == 0)
        continue;
      if (SmallestChannel(op) < kFewSteps) wide.insert(&op);
    }
    return WidenToTheEnd(MeasureKind::kWideOutputs, std::move(wide));
  }

  PrecisionMeasure WideExpectations() {
    PrecisionMeasure measure{MeasureKind::kWideExpectations, {}};
    for (const Op& op : graph_.ops()) {
      if (!op.Is(Probability::kSoftmax) || !Changeable(op)) continue;
      std::vector<const Op*> chain = {&op};
      while (chain.back()->output()->users.size() == 1 &&
             !graph_.IsOutput(chain.back()->output())) {
        chain.push_back(chain.back()->output()->users[0]);
        if (!MovesData(*chain.back())) break;
      }
      const Op& last = *chain.back();
      if (!HasRealWeights(last) || !HasOneChannel(last)) continue;
      for (const Op* layer : chain) Widen(*layer, DataType::kInt16, measure);
    }
    return measure;
  }

  // A sentence for each concat whose narrowest part has few steps of the precision that it has.
  std::vector<LostParts> FindLostParts() {
    std::vector<LostParts> lost;
    for (const JoinedParts& parts : IntegerConcats([](const Op&) { return true; })) {
      const Precision& precision = precisions_.of(*parts.concat);
      if (IsFloat(precision.type)) continue;
      const float steps = parts.narrowest / ParamsFor(parts.range, precision).scale();
      if (steps >= kFewSteps * 256) continue;
      lost.push_back({parts.concat->LayerName(),
                      absl::StrFormat("joins parts of different size in %s: the smallest has a "
                                      "range of %g, which is %.0f steps; float16 keeps it, as the "
                                      "layer gets with '%s' in 'optimize' and without a "
                                      "'data_type' of its own",
                                      Name(precision.type), parts.narrowest, std::floor(steps),
                                      Name(MeasureKind::kWideConcats))});
    }
    return lost;
  }

  absl::StatusOr<PrecisionMeasure> WideSigmoids() {
    PrecisionMeasure measure{MeasureKind::kWideSigmoids, {}};
    ASSIGN_OR_RETURN(const auto narrowed, NarrowedRanges(graph_, precisions_, 8, evidence_.ranges));
    for (const Op& op : graph_.ops()) {
      if (!IsBoundedFunction(op) || !Changeable(op)) continue;
      std::vector<const Op*> chain = {&op};
      for (const Op* source = op.inputs[0]->producer; source != nullptr;
           source = source->inputs[0]->producer) {
        chain.push_back(source);
        if (!MovesData(*source)) break;
      }
      const Op& source = *chain.back();
      if (!HasRealWeights(source) || !Changeable(source) || real_end_.count(source.output()) > 0)
        continue;
      const ValueRange range = RangeIn(narrowed, *source.output());
      ASSIGN_OR_RETURN(const ValueRange part,
                       RelevantPart(op, 8, range, RangeOfResult(op, evidence_.ranges)));
      if (WidthOf(part) >= kFewSteps * WidthOf(range)) continue;
      for (const Op* layer : chain) Widen(*layer, DataType::kInt16, measure);
    }
    return measure;
  }

  PrecisionMeasure WideNorms() {
    PrecisionMeasure measure{MeasureKind::kWideNorms, {}};
    const auto last = LastResults(graph_);
    for (const Op* op : InOrder(graph_, normalizing_)) {
      if (!op->def->normalizes) {
        Widen(*op, DataType::kInt16, measure);
        continue;
      }
      // It takes and gives 16 bits as well as 8. Before it rows may differ a lot; behind it, where
      // nothing follows but outputs, no other layer rounds to 8.
      WidenResultOrSum(*op->inputs[0], measure);
      if (Changeable(*op) && last.count(op->output()) > 0) WidenMoves(*op, measure);
    }
    return measure;
  }

  PrecisionMeasure WideResiduals() {
    PrecisionMeasure measure{MeasureKind::kWideResiduals, {}};
    for (const Op* op : FindResiduals(graph_)) {
      if (op->Is(Arithmetic::kSum)) {
        WidenSum(*op, measure);
      } else {
        Widen(*op, DataType::kInt16, measure);
      }
    }
    return measure;
  }

  PrecisionMeasure WideOutliers() {
    PrecisionMeasure measure{MeasureKind::kWideOutliers, {}};
    if (normalizing_.empty()) return measure;
    for (const Op& op : graph_.ops()) {
      if (!HasRealWeights(op) || !Changeable(op) || !HasOutliers(op)) continue;
      if (!WidenSource(*op.inputs[0], measure)) continue;
      WidenOperand(op, measure);  // weights have no such outliers
    }
    return measure;
  }

  PrecisionMeasure WideStates() {
    PrecisionMeasure measure{MeasureKind::kWideStates, {}};
    const Recurrences found = FindRecurrences(graph_);
    for (const Tensor* input : found.inputs) WidenInput(*input, measure);
    for (const Op* layer : found.input_layers) {
      if (!Changeable(*layer) || layer->Is(LinearForm::kDepthwise)) continue;
      GiveChannelScales(*layer);
      precisions_.SetWideResult(*layer);
      AddLayer(*layer, measure);
    }
    for (const Op* layer : found.recurrent_layers) WidenOperand(*layer, measure);
    for (const Op* op : found.moves) Widen(*op, DataType::kInt16, measure);
    for (const Op* op : found.cells) Widen(*op, DataType::kInt16, measure);
    return measure;
  }

  PrecisionMeasure FineFunctions() {
    PrecisionMeasure measure{MeasureKind::kFineFunctions, {}};
    const auto shown = BeforeOutputs();
    for (const Op& op : graph_.ops()) {
      if (!IsBoundedFunction(op) || !Changeable(op) || shown.count(op.output()) > 0) continue;
      const float width = WidthOf(RangeIn(evidence_.ranges, *op.output()));
      if (width <= 0 || 2 * width > op.def->fixed_max - op.def->fixed_min) continue;
      precisions_.SetMeasured(op);
      measure.layers.push_back(op.LayerName());
    }
    return measure;
  }

  PrecisionMeasure FineAttention() {
    PrecisionMeasure measure{MeasureKind::kFineAttention, {}};
    for (const Op& op : graph_.ops()) {
      const bool divides = IntAttribute(op, "normalize", 1) != 0;
      const bool wide = precisions_.of(op).type == DataType::kInt16 && !precisions_.IsNamed(op);
      if (!op.Is(Probability::kSoftmax) || !divides || !(wide || Changeable(op))) continue;
      const float largest = RangeIn(evidence_.ranges, *op.output()).max;
      if (largest <= 0 || largest > op.def->fixed_max / 2 || !OnlyMatricesRead(*op.output())) {
        continue;
      }
      precisions_.SetMeasured(op);
      measure.layers.push_back(op.LayerName());
    }
    return measure;
  }

 private:
  // Whether a tensor can hold the pixels of an image.
  static bool IsPicture(const Tensor& tensor) {
    const Shape& shape = tensor.type.shape;
    const auto is_color = [&](size_t axis) {
      return shape[axis] == 1 || shape[axis] == 3 || shape[axis] == 4;
    };
    return shape.rank() == 4 && (is_color(1) || is_color(3));
  }

  // Adds the slices that read the tensor, and the moves before them. False if anything else reads
  // it.
  bool CollectMoves(const Tensor& tensor, std::vector<const Op*>& moves) const {
    if (graph_.IsOutput(&tensor) || tensor.users.empty()) return false;
    return std::all_of(tensor.users.begin(), tensor.users.end(), [&](const Op* user) {
      if (!MovesData(*user)) return false;
      moves.push_back(user);
      return user->Is(Movement::kSlice) || CollectMoves(*user->output(), moves);
    });
  }

  bool HasNarrowPart(const Tensor& tensor, const std::vector<const Op*>& moves) const {
    const float width = WidthOf(RangeIn(evidence_.ranges, tensor));
    return std::any_of(moves.begin(), moves.end(), [&](const Op* op) {
      const float part = WidthOf(RangeIn(evidence_.ranges, *op->output()));
      return part > 0 && part < kFewSteps * width;
    });
  }

  // Whether only products of matrices read the tensor, directly or after ops that move it.
  bool OnlyMatricesRead(const Tensor& tensor) const {
    return !graph_.IsOutput(&tensor) && !tensor.users.empty() &&
           std::all_of(tensor.users.begin(), tensor.users.end(), [&](const Op* user) {
             return user->Is(LinearForm::kMatrices) ||
                    (MovesData(*user) && OnlyMatricesRead(*user->output()));
           });
  }

  // The tensors from which values reach an output without a sum of products on the way.
  std::set<const Tensor*> BeforeOutputs() const {
    std::set<const Tensor*> found(graph_.outputs.begin(), graph_.outputs.end());
    for (auto op = graph_.ops().rbegin(); op != graph_.ops().rend(); ++op) {
      const bool leads_out =
          op->def->linear == LinearForm::kNone &&
          std::any_of(op->outputs.begin(), op->outputs.end(),
                      [&](const Tensor* output) { return found.count(output) > 0; });
      if (leads_out) found.insert(op->inputs.begin(), op->inputs.end());
    }
    return found;
  }

  // FindJoinedParts, without concats that float_outputs.h will make real.
  std::vector<JoinedParts> IntegerConcats(const std::function<bool(const Op&)>& may_change) {
    stays_real_.clear();
    for (const Op& op : graph_.ops()) {
      if (StaysReal(op)) stays_real_.insert(&op);
    }
    std::vector<JoinedParts> concats =
        FindJoinedParts(graph_, evidence_.ranges, evidence_.real_outputs, may_change);
    const auto stays_real = [&](const JoinedParts& parts) {
      return stays_real_.count(parts.concat) > 0;
    };
    concats.erase(std::remove_if(concats.begin(), concats.end(), stays_real), concats.end());
    return concats;
  }

  // Whether float_outputs.h will make the op real. REQUIRES: stays_real_ has those before it.
  bool StaysReal(const Op& op) const {
    if (!evidence_.float_ends || precisions_.of(op).bits() != 8 ||
        real_end_.count(op.output()) == 0) {
      return false;
    }
    if (!MovesOrJoins(op)) {
      return op.def->stays_real || (HasRealWeights(op) && !op.Is(LinearForm::kTransposed));
    }
    return std::any_of(op.inputs.begin(), op.inputs.end(), [&](const Tensor* operand) {
      return stays_real_.count(operand->producer) > 0;
    });
  }

  // Whether the op's type may change.
  bool Changeable(const Op& op) const {
    return precisions_.of(op).bits() == 8 && !precisions_.IsNamed(op);
  }

  // By how well a type serves parts of different size: bytes, int16, float16, float32.
  static int Rank(DataType type) {
    if (type == DataType::kFloat32) return 3;
    if (type == DataType::kFloat16) return 2;
    return type == DataType::kInt16 ? 1 : 0;
  }

  // The least type in which the narrowest part has the steps of 8 bits, with room for a second
  // rounding. Layers of int16 are there for accuracy: float16 would take digits of the widest.
  static DataType TypeFor(const JoinedParts& parts, DataType own) {
    const bool leaves_real = parts.leaves_real && !parts.leaves_integers && !parts.taken_apart;
    const float step = FixedPointParams(parts.range, DataType::kInt16).scale();
    const bool fine = step * kFineSteps <= parts.narrowest / 255;
    if (own == DataType::kInt16) return fine ? own : DataType::kFloat32;
    if (leaves_real) return DataType::kFloat32;
    if (fine) return DataType::kInt16;
    const float largest = std::max(std::abs(parts.range.min), std::abs(parts.range.max));
    const bool half = largest <= kLargestFloat16 && parts.narrowest >= kNarrowestFloat16;
    return half ? DataType::kFloat16 : DataType::kFloat32;
  }

  // Null if none was counted.
  const Histogram* HistogramOf(const Tensor& tensor) const {
    const auto place = places_.find(tensor.name);
    if (place == places_.end()) return nullptr;
    const Histogram& histogram = evidence_.statistics.histograms()[place->second];
    return histogram.empty() ? nullptr : &histogram;
  }

  // As a part of the range of all channels, 1 if nothing is known.
  float SmallestChannel(const Op& op) const {
    const Histogram* histogram = HistogramOf(*op.inputs[0]);
    const Tensor* bias = op.input(2);
    if (histogram == nullptr || (bias != nullptr && !bias->is_constant())) return 1;
    const Moments moments = MomentsOf(*histogram);
    const Shape& shape = op.inputs[1]->type.shape;
    const auto axis = static_cast<size_t>(op.def->weight_channels);
    const auto channels = static_cast<size_t>(shape[axis]);
    const auto inner = static_cast<size_t>(shape.Product(axis + 1, shape.rank()));
    std::vector<double> sums(channels, 0), squares(channels, 0);
    const auto weights = op.inputs[1]->values<float>();
    for (size_t i = 0; i < weights.size(); ++i) {
      const double weight = weights[i];
      sums[i / inner % channels] += weight;
      squares[i / inner % channels] += weight * weight;
    }
    double smallest = INFINITY, low = INFINITY, high = -INFINITY;
    for (size_t c = 0; c < channels; ++c) {
      const double center = moments.mean * sums[c] +
                            (bias == nullptr ? 0.0 : static_cast<double>(bias->values<float>()[c]));
      const double reach = kDeviations * moments.deviation * std::sqrt(squares[c]);
      const double min = std::min(0.0, center - reach), max = std::max(0.0, center + reach);
      if (max > min) smallest = std::min(smallest, max - min);
      low = std::min(low, min);
      high = std::max(high, max);
    }
    return high > low ? static_cast<float>(smallest / (high - low)) : 1;
  }

  static bool HasOneChannel(const Op& op) {
    const Shape& shape = op.inputs[1]->type.shape;
    return shape[static_cast<size_t>(op.def->weight_channels)] == 1 && shape.elements() > 1;
  }

  // The op and those that move its results.
  void WidenMoves(const Op& op, PrecisionMeasure& measure) {
    Widen(op, DataType::kInt16, measure);
    for (const Op* user : op.output()->users) WidenMoves(*user, measure);
  }

  // Lets an input have int16. False if its type is final, or has more than 8 bits that aren't
  // int16, or if it is a picture.
  bool WidenInput(const Tensor& input, PrecisionMeasure& measure) {
    const Precision& precision = precisions_.of_input(input);
    const bool is_final = precision.bits() == 8 && precisions_.AreInputsNamed();
    const bool is_integer = precision.type != DataType::kFloat16 && !IsPicture(input);
    if (input.type.dtype != DataType::kFloat32 || is_final || !is_integer) return false;
    if (precision.bits() == 8) {
      precisions_.SetInput(input, PrecisionOf(DataType::kInt16));
      measure.layers.push_back(input.name);
    }
    return true;
  }

  // Gives the weights of a layer of 8 bits a scale for each output channel. False if they have
  // them, or if the scheme's scales are powers of two.
  bool GiveChannelScales(const Op& op) {
    Precision precision = precisions_.of(op);
    if (precision.bits() != 8 || precision.scheme != QuantScheme::kAsymmetricAffine ||
        precision.channelwise) {
      return false;
    }
    precision.channelwise = true;
    precisions_.Set(op, precision);
    return true;
  }

  // int16 for the operand of a layer, and for its results. Its weights keep 8 bits, with a scale
  // for each output channel, unless the scheme's scales are powers of two.
  void WidenOperand(const Op& layer, PrecisionMeasure& measure) {
    const bool affine = precisions_.of(layer).scheme == QuantScheme::kAsymmetricAffine;
    Widen(layer, DataType::kInt16, measure, /*channelwise=*/affine);
  }

  // `channelwise`: weights keep 8 bits, with a scale for each output channel.
  void Widen(const Op& op, DataType type, PrecisionMeasure& measure, bool channelwise = false) {
    if (!Changeable(op)) return;
    Precision precision = PrecisionOf(type);
    precision.channelwise = channelwise;
    precisions_.Set(op, precision);
    AddLayer(op, measure);
  }

  static void AddLayer(const Op& op, PrecisionMeasure& measure) {
    const std::string layer = op.LayerName();
    if (std::find(measure.layers.begin(), measure.layers.end(), layer) == measure.layers.end()) {
      measure.layers.push_back(layer);
    }
  }

  // Lets the layer, or the normalization after a layer, that computes `tensor` give int16, and what
  // moves its results keep that. False, and nothing has changed, if other ops read the results, or
  // if it is a depthwise layer, whose fast loops give bytes.
  bool WidenResult(const Tensor& tensor, PrecisionMeasure& measure) {
    std::vector<const Op*> moves;
    const Tensor* result = &tensor;
    while (result->producer != nullptr && HasSingleUse(graph_, result) &&
           MovesData(*result->producer)) {
      moves.push_back(result->producer);
      result = result->producer->inputs[0];
    }
    const Op* layer = result->producer;
    if (layer == nullptr || !HasSingleUse(graph_, result) || !Changeable(*layer)) return false;
    if (layer->def->normalizes) {
      Widen(*layer, DataType::kInt16, measure);
      WidenResult(*layer->inputs[0], measure);
    } else if (HasRealWeights(*layer) && !layer->Is(LinearForm::kDepthwise)) {
      precisions_.SetWideResult(*layer);
      AddLayer(*layer, measure);
    } else {
      return false;
    }
    for (const Op* op : moves) Widen(*op, DataType::kInt16, measure);
    return true;
  }

  // WidenResult, or that of a sum of several tensors, which then has 16 bits itself.
  void WidenResultOrSum(const Tensor& tensor, PrecisionMeasure& measure) {
    const Op* op = tensor.producer;
    if (op == nullptr || !op->Is(Arithmetic::kSum) || !HasSingleUse(graph_, &tensor)) {
      WidenResult(tensor, measure);
    } else if (Changeable(*op)) {
      WidenSum(*op, measure);
    }
  }

  // Lets a sum have int16, and the layers that compute what a sum of 16 bits adds.
  void WidenSum(const Op& op, PrecisionMeasure& measure) {
    Widen(op, DataType::kInt16, measure);
    if (precisions_.of(op).bits() != 16) return;
    for (const Tensor* operand : op.inputs) WidenResult(*operand, measure);
  }

  // Whether 8 bits would give the layer's operand too much noise for its power.
  bool HasOutliers(const Op& op) const {
    const Histogram* histogram = HistogramOf(*op.inputs[0]);
    if (histogram == nullptr) return false;
    const Moments moments = MomentsOf(*histogram);
    const double power = moments.mean * moments.mean + moments.deviation * moments.deviation;
    const ValueRange range = RangeIn(evidence_.ranges, *op.inputs[0]);
    const double step = static_cast<double>(ParamsFor(range, precisions_.of(op)).scale());
    return power > 0 && power < kLeastSignal * step * step / 12;
  }

  // Lets `tensor` have 16 bits: with what computes it elementwise, from the layers or
  // normalizations before that on, which give int16. False, and nothing has changed, if none of
  // them makes it.
  bool WidenSource(const Tensor& tensor, PrecisionMeasure& measure) {
    const Op* op = tensor.producer;
    if (op == nullptr) return false;
    if (precisions_.of(*op).bits() > 8) return true;
    if (!Changeable(*op)) return false;
    if (HasRealWeights(*op)) return WidenResult(tensor, measure);
    if (op->def->normalizes) {
      Widen(*op, DataType::kInt16, measure);
      return true;
    }
    if (!op->def->elementwise && !MovesData(*op)) return false;
    bool widens = false;
    for (const Tensor* operand : op->inputs) widens |= WidenSource(*operand, measure);
    if (widens) Widen(*op, DataType::kInt16, measure);
    return widens;
  }

  // int16 for the ops of `wide`, and for those that join their results after them.
  PrecisionMeasure WidenToTheEnd(MeasureKind kind, std::set<const Op*> wide) {
    PrecisionMeasure measure{kind, {}};
    for (const Op& op : graph_.ops()) {
      const bool joins = std::any_of(op.inputs.begin(), op.inputs.end(), [&](const Tensor* t) {
        return t != nullptr && wide.count(t->producer) > 0;
      });
      if (joins && Changeable(op)) wide.insert(&op);
      if (wide.count(&op) > 0) Widen(op, DataType::kInt16, measure);
    }
    return measure;
  }

  const Graph& graph_;
  const PolicyEvidence& evidence_;
  const std::set<const Op*> normalizing_;
  std::map<absl::string_view, size_t> places_;  // of observed tensors, in the statistics
  LayerPrecisions& precisions_;
  std::set<const Tensor*> quantized_end_;  // moved and joined only, to outputs of integers
  std::set<const Tensor*> real_end_;       // to outputs of float32
  std::set<const Op*> stays_real_;         // ops that will be float32
};

}  // namespace

absl::StatusOr<std::vector<PrecisionMeasure>> ApplyPrecisionPolicy(
    const PolicyEvidence& evidence, const std::set<MeasureKind>& kinds,
    LayerPrecisions& precisions) {
  CHECK(evidence.real_outputs.size() == evidence.graph.outputs.size());
  Planner planner(evidence, precisions);
  std::vector<PrecisionMeasure> measures;
  const auto wants = [&](MeasureKind kind) { return kinds.count(kind) > 0; };
  const auto add = [&](PrecisionMeasure measure) {
    if (!measure.layers.empty()) measures.push_back(std::move(measure));
  };
  if (wants(MeasureKind::kWideNorms)) add(planner.WideNorms());
  if (wants(MeasureKind::kWideResiduals)) add(planner.WideResiduals());
  if (wants(MeasureKind::kWideOutliers)) add(planner.WideOutliers());
  if (wants(MeasureKind::kWideStates)) add(planner.WideStates());
  if (wants(MeasureKind::kFineFunctions)) add(planner.FineFunctions());
  if (wants(MeasureKind::kFineAttention)) add(planner.FineAttention());
  if (wants(MeasureKind::kWideInputs)) add(planner.WideInputs());
  // Layers of 16 bits need no scales for channels.
  if (wants(MeasureKind::kWideConcats)) add(planner.WideConcats());
  if (wants(MeasureKind::kWideOutputs)) add(planner.WideOutputs());
  if (wants(MeasureKind::kWideExpectations)) add(planner.WideExpectations());
  if (wants(MeasureKind::kWideSigmoids)) {
    ASSIGN_OR_RETURN(PrecisionMeasure sigmoids, planner.WideSigmoids());
    add(std::move(sigmoids));
  }
  if (wants(MeasureKind::kChannelScales)) add(planner.ChannelScales());
  return measures;
}

std::vector<LostParts> FindLostParts(const PolicyEvidence& evidence,
                                     const LayerPrecisions& precisions) {
  LayerPrecisions unchanged = precisions;
  return Planner(evidence, unchanged).FindLostParts();
}

std::set<std::string> HistogramsOfPolicy(const Graph& graph) {
  std::set<std::string> names;
  const auto last = LeadingOut(graph, MovesOrJoins, [](size_t) { return true; });
  const bool normalizes = !NormalizingOps(graph).empty();
  for (const Op& op : graph.ops()) {
    const bool wanted = normalizes || last.count(op.output()) > 0;
    if (HasRealWeights(op) && wanted) names.insert(op.inputs[0]->name);
  }
  return names;
}

PrecisionMeasure ChangedRanges(const Graph& graph, MeasureKind kind,
                               const std::map<std::string, ValueRange>& before,
                               const std::map<std::string, ValueRange>& after) {
  PrecisionMeasure measure{kind, {}};
  for (const Op& op : graph.ops()) {
    const auto old = before.find(op.output()->name);
    const auto changed = after.find(op.output()->name);
    if (old == before.end() || changed == after.end() || old->second == changed->second) continue;
    measure.layers.push_back(op.LayerName());
  }
  return measure;
}

}  // namespace synap_internal
