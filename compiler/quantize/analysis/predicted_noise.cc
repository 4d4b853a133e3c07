#include "compiler/quantize/analysis/predicted_noise.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <variant>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/tensor_type.h"
#include "compiler/quantize/analysis/binned_values.h"
#include "compiler/quantize/analysis/tensor_sums.h"
#include "compiler/quantize/analysis/weight_sums.h"
#include "kernels/attributes.h"
#include "kernels/op_def.h"

namespace synap_internal {
namespace {

// Of a float16, whose largest relative error is 2^-11.
constexpr double kHalfNoise = 1.0 / (1 << 24);
constexpr float kNoLimit = std::numeric_limits<float>::infinity();
// A quantized layer replaces a few float ops.
constexpr int kMostOps = 16;

double Square(double x) { return x * x; }

// The operand of an elementwise op that flows, if there is one and all others are constant numbers.
std::optional<size_t> OnlyOperand(const Op& op) {
  if (!op.def->elementwise || op.outputs.size() != 1) return std::nullopt;
  std::optional<size_t> only;
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    const Tensor* operand = op.inputs[i];
    if (operand == nullptr) return std::nullopt;
    if (operand->is_constant()) {
      if (operand->type.shape.elements() != 1) return std::nullopt;
      continue;
    }
    if (only.has_value()) return std::nullopt;
    only = i;
  }
  return only;
}

float FloatOr(const Attributes& attributes, absl::string_view name, float fallback) {
  const auto it = attributes.find(name);
  if (it == attributes.end()) return fallback;
  const float* value = std::get_if<float>(&it->second);
  return value == nullptr ? static_cast<float>(std::get<int64_t>(it->second)) : *value;
}

int64_t IntOr(const Attributes& attributes, absl::string_view name, int64_t fallback) {
  const auto it = attributes.find(name);
  return it == attributes.end() ? fallback : std::get<int64_t>(it->second);
}

double MeanSquareOf(absl::Span<const float> values) {
  double sum = 0;
  for (const float value : values) sum += Square(value);
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

struct NoisePower {
  double all = 0;
  double weights = 0;  // the part of it that the errors of weights make

  void Add(const NoisePower& other, double gain = 1) {
    all += other.all * gain;
    weights += other.weights * gain;
  }
  NoisePower Times(double gain) const { return {all * gain, weights * gain}; }
};

// The noise of a tensor. What rounding makes depends on the values, so that it isn't a power yet.
struct TensorNoise {
  NoisePower power;
  std::vector<TensorType> roundings;

  void AddRounding(const TensorType& type) {
    if (HasOneQuantizer(type) || type.dtype == DataType::kFloat16) roundings.push_back(type);
  }
};

// Histograms of the float graph's tensors.
class Observations {
 public:
  explicit Observations(const Statistics& statistics) {
    for (size_t i = 0; i < statistics.tensors().size(); ++i) {
      if (statistics.histograms()[i].empty()) continue;
      values_.emplace(statistics.tensors()[i],
                      BinnedValues(statistics.histograms()[i], statistics.TotalRange(i)));
    }
  }

  // Null if it wasn't observed.
  const BinnedValues* Of(const Tensor& real) const {
    const auto it = values_.find(real.name);
    return it == values_.end() ? nullptr : &it->second;
  }

  // Of the values.
  double Power(const Tensor& real) const {
    if (real.is_constant()) return MeanSquareOf(RealValues(real));
    const BinnedValues* values = Of(real);
    return values == nullptr ? 0 : values->MeanSquare();
  }

  // The power of a noise in `real`; `gains`: what the noise of each bin is multiplied by, none: 1.
  NoisePower Power(const TensorNoise& noise, const Tensor& real,
                   absl::Span<const double> gains = {}) const {
    const BinnedValues* values = Of(real);
    if (values == nullptr) return noise.power;
    const double mean_gain = gains.empty() ? 1 : values->MeanOf(gains);
    NoisePower power = noise.power.Times(mean_gain);
    for (const TensorType& type : noise.roundings) {
      power.all += type.dtype == DataType::kFloat16 ? kHalfNoise * values->MeanSquare() * mean_gain
                                                    : values->SquaredError(type, gains);
    }
    return power;
  }

 private:
  std::map<std::string, BinnedValues> values_;
};

// Follows the noise of one quantized layer's operands through the float ops that the layer
// replaces.
class LayerNoise {
 public:
  LayerNoise(const LayerPair& layer, const TensorPairs& pairs, const Observations& observations)
      : layer_(layer), pairs_(pairs), observations_(observations) {}

  PredictedNoise Predict() {
    PredictedNoise predicted{layer_};
    const BinnedValues* values = observations_.Of(*layer_.real);
    if (values == nullptr) return predicted;
    for (const Tensor* operand : layer_.op->inputs) {
      if (operand != nullptr && !operand->is_constant()) AddOperand(*operand);
    }
    TensorNoise noise = At(*layer_.real, kMostOps);
    if (RoundsResult()) noise.AddRounding(layer_.tensor->type);
    std::vector<double> inside;
    predicted.signal = values->MeanSquare();
    if (layer_.feeds_function && HasOneQuantizer(layer_.tensor->type)) {
      const ValueRange range = RealRange(layer_.tensor->type);
      inside = values->Inside(range);
      predicted.signal = values->MeanSquareWithin(range);
    }
    const NoisePower power = observations_.Power(noise, *layer_.real, inside);
    predicted.noise = power.all;
    predicted.weights = power.weights;
    return predicted;
  }

 private:
  // Ops that only move values keep their quantizer; a concat rounds operands with another one.
  bool RoundsResult() const {
    return layer_.op->def->quant_rule != QuantRule::kSameAsInput &&
           !layer_.op->Is(Movement::kConcat);
  }

  // The tensor of the float graph that `operand` holds, with the noise of all its conversions; null
  // if there is none.
  const Tensor* AddOperand(const Tensor& operand) {
    const bool converted = operand.producer != nullptr && pairs_.IsConversion(*operand.producer);
    const Tensor* real =
        converted ? AddOperand(*operand.producer->inputs[0]) : pairs_.RealOf(&operand);
    if (real == nullptr) return nullptr;
    TensorNoise& noise = known_[real];
    const auto& roundings = noise.roundings;
    const bool added =
        std::find(roundings.begin(), roundings.end(), operand.type) != roundings.end();
    if (!added) noise.AddRounding(operand.type);
    return real;
  }

  bool InLayer(const Op& op) const {
    const std::vector<std::string>& origins = layer_.op->origins;
    return &op == layer_.real->producer ||
           std::all_of(op.origins.begin(), op.origins.end(), [&](const std::string& origin) {
             return std::find(origins.begin(), origins.end(), origin) != origins.end();
           });
  }

  // The noise that a float tensor inside the layer has, before the layer's result is rounded;
  // `ops`: how many ops back to look.
  const TensorNoise& At(const Tensor& real, int ops) {
    const auto [it, unknown] = known_.try_emplace(&real);
    const Op* op = real.producer;
    if (!unknown || op == nullptr || ops == 0 || !InLayer(*op)) return it->second;
    TensorNoise noise{Passed(*op, real, ops - 1), {}};
    if (&real != layer_.real && op->def == layer_.op->def) {
      AddFusedRounding("table", real.type.shape, noise);
      AddFusedRounding("own", real.type.shape, noise);
    }
    return it->second = noise;
  }

  NoisePower PowerAt(const Tensor& real, int ops) {
    return observations_.Power(At(real, ops), real);
  }

  // The index of a layer's table, and the sum before a residual, are rounded to quantizers of their
  // own.
  void AddFusedRounding(const std::string& prefix, const Shape& shape, TensorNoise& noise) const {
    const Attributes& fused = layer_.op->attributes;
    const float scale = FloatOr(fused, prefix + "_scale", 0);
    if (scale == 0) return;
    const auto zero_point = static_cast<int32_t>(IntOr(fused, prefix + "_zero_point", 0));
    const QuantParams quantizer = QuantParams::Affine(scale, zero_point);
    noise.AddRounding({layer_.tensor->type.dtype, shape, quantizer});
  }

  // The noise of the op's result, unrounded.
  NoisePower Passed(const Op& op, const Tensor& result, int ops) {
    if (op.Is(Movement::kConcat)) return Concat(op, ops);
    if (op.def->quant_rule == QuantRule::kSameAsInput) return PowerAt(*op.inputs[0], ops);
    if (!HasRealWeights(op) && OnlyOperand(op).has_value()) {
      return Function(op, *OnlyOperand(op), result, ops);
    }
    return Computed(op, result, ops).Times(PartInsideClamp(op, result));
  }

  NoisePower Computed(const Op& op, const Tensor& result, int ops) {
    if (HasRealWeights(op)) return Linear(op, ops);
    if (op.Is(Arithmetic::kSum) || op.Is(Arithmetic::kDifference) || op.Is(Arithmetic::kProduct)) {
      return Binary(op, ops);
    }
    if (op.def->averaged_elements != nullptr) {
      const double elements =
          op.def->averaged_elements(op.inputs[0]->type, result.type, op.attributes);
      return PowerAt(*op.inputs[0], ops).Times(1 / elements);
    }
    if (op.Is(Probability::kSoftmax)) return Softmax(op, result, ops);
    if (op.def->normalizes) return Normalized(op, result, ops);
    return Relative(op, result, ops);
  }

  // Clamped values have no noise.
  double PartInsideClamp(const Op& op, const Tensor& result) const {
    const BinnedValues* values = observations_.Of(result);
    if (values == nullptr || op.def->quant_rule != QuantRule::kOwnRange) return 1;
    double part = 1;
    for (const char* bound : {"min", "max"}) {
      const float limit = FloatOr(op.attributes, bound, kNoLimit);
      if (std::isfinite(limit)) part -= 1 - values->PartBeside(limit);
    }
    return std::max(part, 0.0);
  }

  NoisePower Linear(const Op& op, int ops) {
    const Tensor& x = *op.inputs[0];
    const WeightSums sums = SumWeights(op, StoredFor(op, 1));
    NoisePower power = PowerAt(x, ops).Times(sums.squares);
    const BinnedValues* values = observations_.Of(x);
    if (values == nullptr) return power;
    const double mean_square = Square(values->Mean());
    const double variance = std::max(values->MeanSquare() - mean_square, 0.0);
    const double errors = sums.error_squares * variance + sums.squared_errors * mean_square;
    power.Add({errors, errors});
    return power;
  }

  // Slopes know the op's clamp.
  NoisePower Function(const Op& op, size_t operand, const Tensor& result, int ops) {
    const Tensor& x = *op.inputs[operand];
    const BinnedValues* values = observations_.Of(x);
    if (values == nullptr) return {};
    const absl::StatusOr<std::vector<double>> slopes = values->SquaredSlopes(op, operand);
    if (!slopes.ok()) {  // no function of floats
      return Relative(op, result, ops).Times(PartInsideClamp(op, result));
    }
    return observations_.Power(At(x, ops), x, *slopes);
  }

  // The constant that the layer holds for the op's constant operand i; null if none has its shape.
  const Tensor* StoredTensor(const Op& op, size_t i) const {
    const Tensor* stored = layer_.op->input(i);
    const bool same = op.def == layer_.op->def && stored != nullptr && stored->is_constant() &&
                      stored->type.shape == op.inputs[i]->type.shape;
    return same ? stored : nullptr;
  }

  std::vector<float> StoredFor(const Op& op, size_t i) const {
    const Tensor* stored = StoredTensor(op, i);
    return stored == nullptr ? std::vector<float>() : RealValues(*stored);
  }

  // The values of the op's constant operand i. Those of a mask that its quantizer cuts off are
  // masked all the same (masked_ranges.h): they count as what they were cut to.
  std::vector<float> ConstantValues(const Op& op, size_t i) const {
    std::vector<float> values = RealValues(*op.inputs[i]);
    const Tensor* stored = StoredTensor(op, i);
    if (stored == nullptr || !HasOneQuantizer(stored->type)) return values;
    const ValueRange range = RealRange(stored->type);
    for (float& value : values) value = std::clamp(value, range.min, range.max);
    return values;
  }

  // Of an operand that may be constant.
  NoisePower OperandPower(const Op& op, size_t i, int ops) {
    const Tensor& operand = *op.inputs[i];
    if (!operand.is_constant()) return PowerAt(operand, ops);
    std::vector<float> errors = ConstantValues(op, i);
    const std::vector<float> stored = StoredFor(op, i);
    if (stored.size() != errors.size()) return {};
    for (size_t j = 0; j < errors.size(); ++j) {
      errors[j] = std::isfinite(errors[j]) ? errors[j] - stored[j] : 0;
    }
    return {MeanSquareOf(errors), 0};
  }

  // Of sums, differences and products.
  NoisePower Binary(const Op& op, int ops) {
    NoisePower sum;
    for (size_t i = 0; i < 2; ++i) {
      double gain = op.Is(Arithmetic::kProduct) ? observations_.Power(*op.inputs[1 - i]) : 1;
      if (op.inputs[0] == op.inputs[1])
        gain *= op.Is(Arithmetic::kDifference) ? 0 : 2;  // one error, taken twice
      sum.Add(OperandPower(op, i, ops), gain);
    }
    return sum;
  }

  NoisePower Concat(const Op& op, int ops) {
    const TensorType& type = layer_.tensor->type;
    NoisePower sum;
    double elements = 0;
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      const Tensor& operand = *op.inputs[i];
      const auto count = static_cast<double>(operand.type.shape.elements());
      elements += count;
      if (operand.is_constant()) continue;
      TensorNoise noise = At(operand, ops);
      const Tensor* read = op.def == layer_.op->def ? layer_.op->input(i) : nullptr;
      const bool same = read != nullptr && read->type.quant == type.quant;
      if (!same) noise.AddRounding(type);
      sum.Add(observations_.Power(noise, operand), count);
    }
    return elements == 0 ? sum : sum.Times(1 / elements);
  }

  // A probability p changes by p ((1 - p) e - the mean of the others' errors by their p), at most
  // 2 (p (1 - p) e)² in power, which is exact for two classes.
  NoisePower Softmax(const Op& op, const Tensor& result, int ops) {
    const BinnedValues* values = observations_.Of(result);
    if (values == nullptr) return {};
    // Without the division the largest of a row is 1, whatever its noise.
    const bool divides = IntOr(op.attributes, "normalize", 1) != 0;
    const std::vector<double> gains = values->Weights([divides](double p) {
      if (divides) return 2 * Square(p * (1 - p));
      return p < 1 ? 2 * Square(p) : 0;
    });
    return PowerAt(*op.inputs[0], ops).Times(values->MeanOf(gains));
  }

  // Noise is divided by the values' deviation, taken as that of all rows together, and multiplied
  // by the scale, operand 1.
  NoisePower Normalized(const Op& op, const Tensor& result, int ops) {
    const BinnedValues* values = observations_.Of(*op.inputs[0]);
    if (values == nullptr) return Relative(op, result, ops);
    const bool centers = IntOr(op.attributes, "center", 1) != 0;
    const double spread = values->MeanSquare() - (centers ? Square(values->Mean()) : 0);
    if (spread <= 0) return {};
    const Tensor* scale = op.input(1);
    const bool constant = scale != nullptr && scale->is_constant();
    const double gain = constant ? MeanSquareOf(scale->values<float>()) : 1;
    return PowerAt(*op.inputs[0], ops).Times(gain / spread);
  }

  NoisePower Relative(const Op& op, const Tensor& result, int ops) {
    NoisePower shares;
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      if (op.inputs[i] == nullptr || RoleOf(op, i) == OperandRole::kIndex) continue;
      const double power = op.inputs[i]->is_constant() ? MeanSquareOf(ConstantValues(op, i))
                                                       : observations_.Power(*op.inputs[i]);
      if (power > 0) shares.Add(OperandPower(op, i, ops), 1 / power);
    }
    return shares.Times(observations_.Power(result));
  }

  const LayerPair& layer_;
  const TensorPairs& pairs_;
  const Observations& observations_;
  std::map<const Tensor*, TensorNoise> known_;  // by the float graph's tensor
};

}  // namespace

bool HasOneQuantizer(const TensorType& type) {
  return type.quant.quantized() && type.quant.scheme != QuantScheme::kPerChannelSymmetric;
}

std::vector<PredictedNoise> PredictNoise(const std::vector<LayerPair>& layers,
                                         const TensorPairs& pairs, const Statistics& statistics) {
  const Observations observations(statistics);
  std::vector<PredictedNoise> predicted;
  for (const LayerPair& layer : layers) {
    predicted.push_back(LayerNoise(layer, pairs, observations).Predict());
  }
  return predicted;
}

PredictedNoise PredictInputNoise(const TensorType& type, const Tensor& real,
                                 const Statistics& statistics) {
  const Observations observations(statistics);
  TensorNoise noise;
  noise.AddRounding(type);
  return {{}, observations.Power(real), observations.Power(noise, real).all, 0};
}

double NoiseShare(double noise, const PredictedNoise& predicted) {
  if (noise == 0) return 0;
  const double share = std::sqrt(noise / (predicted.signal + predicted.noise));
  return share <= 1 ? share : 1;  // also where powers overflow
}

}  // namespace synap_internal
