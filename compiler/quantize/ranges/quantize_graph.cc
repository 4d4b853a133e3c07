#include "compiler/quantize/ranges/quantize_graph.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/types/span.h"
#include "base/check.h"
#include "base/element_scales.h"
#include "base/rounding.h"
#include "base/status_macros.h"
#include "compiler/graph/passes/op_attributes.h"
#include "compiler/quantize/precision.h"
#include "compiler/quantize/quantizer_params.h"
#include "compiler/quantize/ranges/balanced_rounding.h"
#include "compiler/quantize/ranges/dominant_bias.h"
#include "compiler/quantize/ranges/own_quantizers.h"
#include "compiler/quantize/ranges/padded_ranges.h"
#include "kernels/registry.h"
#include "kernels/shared/linear/linear.h"

namespace synap_internal {
namespace {

template <typename T>
Constant QuantizeAs(absl::Span<const float> values, const TensorType& type) {
  const ElementScales scales(type.quant, type.shape);
  std::vector<T> quantized(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    quantized[i] =
        static_cast<T>(QuantizeValue(values[i], scales[i], type.quant.zero_point(),
                                     std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
  }
  return Constant::Own(std::move(quantized));
}

// Weights of an 8-bit type, with errors that cancel.
Constant StoreBalanced(absl::Span<const float> weights, const TensorType& type, int axis) {
  const std::vector<int32_t> integers = BalancedIntegers(weights, type, axis);
  std::vector<uint8_t> bytes(integers.begin(), integers.end());  // the lowest 8 bits
  return Constant::Own(std::move(bytes));
}

// The nearest float16. Finite values stay finite: 0 times a mask of -1e9 is to be 0.
uint16_t SaturatedHalf(float value) {
  constexpr float kLargestHalf = 65504;
  return FloatToHalf(std::isinf(value) ? value : std::clamp(value, -kLargestHalf, kLargestHalf));
}

// Elements of a dense tensor of this type, by its quantizer if it has one.
Constant StoreValues(absl::Span<const float> values, const TensorType& type) {
  switch (type.dtype) {
    case DataType::kFloat16: {
      std::vector<uint16_t> halves(values.size());
      std::transform(values.begin(), values.end(), halves.begin(), SaturatedHalf);
      return Constant::Own(std::move(halves));
    }
    case DataType::kInt16:
      return QuantizeAs<int16_t>(values, type);
    case DataType::kInt8:
      return QuantizeAs<int8_t>(values, type);
    default:
      return QuantizeAs<uint8_t>(values, type);
  }
}

// round half to even(value / scale), saturated to +-largest. The division is done
// in double: integers have more digits than float. One scale, or one for each value.
template <typename T>
Constant QuantizeBias(absl::Span<const float> values, absl::Span<const float> scales,
                      double largest) {
  std::vector<T> quantized;
  for (size_t i = 0; i < values.size(); ++i) {
    const double scale = scales[i % scales.size()];
    double rounded = std::nearbyint(static_cast<double>(values[i]) / scale);
    if (std::isnan(rounded)) rounded = 0;  // as QuantizeValue
    quantized.push_back(static_cast<T>(std::clamp(rounded, -largest, largest)));
  }
  return Constant::Own(std::move(quantized));
}

// The quantizer of `own` for a type as wide, with the same numbers for the same steps.
QuantParams ShiftedQuantizer(const TensorType& own, DataType type) {
  if (own.dtype == type) return own.quant;
  const auto shift = static_cast<int32_t>(RangeOf(type).min - RangeOf(own.dtype).min);
  return QuantParams::Affine(own.quant.scale(), own.quant.zero_point() + shift);
}

// A part of a tensor with fewer of its 256 steps is hardly told from 0.
constexpr float kFewBiasSteps = 8;

// Biases use at most this many steps, well inside of what kernels hold: kMaxBias,
// kMaxWideBias. Powers of two, so that a division by them is exact.
constexpr float kBiasSteps = 1 << 28;
constexpr auto kWideBiasSteps = static_cast<float>(int64_t{1} << 48);

class GraphQuantizer {
 public:
  GraphQuantizer(const RangesByBits& ranges, const LayerPrecisions& precisions, Graph& graph,
                 Warnings& warnings)
      : ranges_(ranges), precisions_(precisions), own_(graph), graph_(graph), warnings_(warnings) {}

  absl::Status Run() {
    for (Tensor* input : graph_.inputs) {
      if (input->type.dtype != DataType::kFloat32 || own_.ReadNoOther(*input)) continue;
      ASSIGN_OR_RETURN(input->type, TypeFor(*input, precisions_.of_input(*input)));
      WarnOfZeros(*input, precisions_.of_input(*input));
    }
    std::vector<Op*> order;  // the original ops; conversions come in between
    for (Op& op : graph_.ops()) order.push_back(&op);
    for (Op* op : order) RETURN_IF_ERROR(QuantizeOp(*op));
    PlaceConversions();
    graph_.RemoveDead();
    return VerifyGraph(graph_);
  }

 private:
  // The model's type for the values of a tensor, null if it has none or one of another width.
  const TensorType* OwnType(const Tensor& tensor, const Precision& precision) const {
    const TensorType* own = own_.TypeOf(tensor);
    return own != nullptr && SizeOf(own->dtype) == SizeOf(precision.type) ? own : nullptr;
  }

  // Of a tensor that flows: by its quantizer where the model has one for it, else by the
  // statistics.
  absl::StatusOr<TensorType> TypeFor(const Tensor& tensor, const Precision& precision) const {
    TensorType type{precision.type, tensor.type.shape, {}};
    if (precision.type == DataType::kFloat16) return type;
    if (const TensorType* own = OwnType(tensor, precision)) {
      type.quant = ShiftedQuantizer(*own, precision.type);
      return type;
    }
    if (const Op* softmax = UndividedSoftmax(tensor)) {
      type.quant = ParamsFor({softmax->def->fixed_min, softmax->def->fixed_max}, precision);
      return type;
    }
    const auto& ranges = RangesOf(precision);
    const auto it = ranges.find(tensor.name);
    if (it == ranges.end()) {
      return absl::NotFoundError(absl::StrCat(
          "tensor '", tensor.name,
          "': the statistics have no range for it; run the calibration again with this graph"));
    }
    type.quant = ParamsFor(it->second, precision);
    return type;
  }

  // The softmax without a division whose results `tensor` holds, perhaps moved; else null. Each of
  // its rows reaches 1, which a measured range may leave out.
  static const Op* UndividedSoftmax(const Tensor& tensor) {
    const Op* op = tensor.producer;
    while (op != nullptr && (MovesData(*op) || !op->Is(TypeConversion::kNone))) {
      op = op->inputs[0]->producer;
    }
    const bool is_undivided =
        op != nullptr && op->Is(Probability::kSoftmax) && IntAttribute(*op, "normalize", 1) == 0;
    return is_undivided ? op : nullptr;
  }

  absl::Status QuantizeOp(Op& op) {
    if (own_.Has(op)) return KeepOwn(op);
    const bool computes = precisions_.of(op).type != DataType::kFloat32 &&
                          op.output()->type.dtype == DataType::kFloat32 &&
                          op.def->quant_rule != QuantRule::kNotQuantized &&
                          !HasUnboundedConstant(op);
    if (!computes) return KeepFloat(op);
    std::vector<Tensor*> operands;
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      ASSIGN_OR_RETURN(Tensor * operand, QuantizedOperand(op, i, operands));
      operands.push_back(operand);
    }
    if (op.Is(Movement::kPad)) operands[0] = WithRoomForPad(op, *operands[0]);
    std::vector<TensorType> outputs;
    for (size_t i = 0; i < op.outputs.size(); ++i) {
      ASSIGN_OR_RETURN(TensorType output, OutputType(op, operands, i));
      outputs.push_back(std::move(output));
    }
    const absl::Status supported = CanRun(op, operands, outputs);
    if (absl::IsUnimplemented(supported)) return KeepFloat(op);
    RETURN_IF_ERROR(Annotate(supported, op.Label()));
    WarnOfDominantBias(op);
    WarnOfCoarsePart(op, operands[0]->type);
    for (size_t i = 0; i < operands.size(); ++i) graph_.SetInput(&op, i, operands[i]);
    for (size_t i = 0; i < outputs.size(); ++i) op.outputs[i]->type = outputs[i];
    return absl::OkStatus();
  }

  const std::map<std::string, ValueRange>& RangesOf(const Precision& precision) const {
    return precision.bits() == 8 ? ranges_.bits8 : ranges_.bits16;
  }

  // Whether an operand, or what a pad adds, is infinite and has no range at which its quantizer may
  // saturate.
  bool HasUnboundedConstant(const Op& op) const {
    const Precision& precision = precisions_.of(op);
    if (precision.type == DataType::kFloat16) return false;
    if (const std::optional<float> value = PadValue(op); value.has_value() && std::isinf(*value)) {
      return true;
    }
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      const Tensor* operand = op.inputs[i];
      if (operand == nullptr || !operand->is_constant() || RoleOf(op, i) == OperandRole::kReal ||
          operand->type.dtype != DataType::kFloat32) {
        continue;
      }
      const auto values = operand->values<float>();
      if (std::any_of(values.begin(), values.end(), [](float v) { return std::isinf(v); }) &&
          RangesOf(precision).count(operand->name) == 0) {
        return true;
      }
    }
    return false;
  }

  // The operand as the quantized op will read it. `before`: those before it, as it will read them.
  absl::StatusOr<Tensor*> QuantizedOperand(const Op& op, size_t i,
                                           const std::vector<Tensor*>& before) {
    Tensor* operand = op.inputs[i];
    if (operand == nullptr) return operand;
    const bool flows = !operand->is_constant();
    if (flows ? !Stores(operand->type) : operand->type.dtype != DataType::kFloat32) return operand;
    const OperandRole role = RoleOf(op, i);
    if (role == OperandRole::kReal) return flows ? AsFloat(*operand) : operand;
    // Steps of the op's own would only lose what the operand has.
    if (i == 0 && op.def->normalizes && operand->type.dtype != DataType::kFloat32) return operand;
    const Precision& precision = precisions_.of(op);
    if (precision.type == DataType::kFloat16) {
      return flows ? Converted(*operand, precision) : StoredConstant(*operand, precision);
    }
    if (role == OperandRole::kBias) return QuantizedBias(op, *operand, before);
    if (flows) return Converted(*operand, precision);
    if (role != OperandRole::kWeight || op.def->weight_channels < 0) {
      return StoredConstant(*operand, precision);
    }
    const std::vector<float> smallest = SmallestScales(op, before[0]->type, operand->type.shape);
    if (precision.channelwise) return ChannelWeights(op, *operand, smallest);
    return PlainWeights(op, *operand, precision, smallest);
  }

  // The operand of a pad in a quantizer that also holds the value that the pad adds.
  Tensor* WithRoomForPad(const Op& op, Tensor& operand) {
    if (!operand.type.quant.quantized()) return &operand;
    const Precision& precision = precisions_.of(op);
    const PaddedRange padded = PadRange(op, StoredRange(operand.type), precision.bits());
    if (padded.is_cut) WarnOfFarPad(op, padded.range, precision);
    if (!padded.is_wider) return &operand;
    const TensorType type{precision.type, operand.type.shape, ParamsFor(padded.range, precision)};
    return AddConversion(operand, "requantize", type, operand);
  }

  void WarnOfFarPad(const Op& op, const ValueRange& range, const Precision& precision) {
    const float value = *PadValue(op);
    warnings_.Add(
        AtNode("layer", op.LayerName()),
        absl::StrFormat("pads with %g, which becomes %.4g: further away it would leave the values "
                        "beside it too few steps; give the layer %s",
                        value, value < 0 ? range.min : range.max,
                        precision.bits() == 8 ? "int16" : "float16"));
  }

  // Whether a tensor holds real numbers in one of the types that conversions know.
  static bool Stores(const TensorType& type) {
    return IsFloat(type.dtype) || type.quant.quantized();
  }

  // `axis`: of the output channels of weights, else -1.
  Tensor* StoredConstant(Tensor& tensor, const Precision& precision, int axis = -1) {
    Tensor*& made = constants_[{&tensor, precision.type}];
    if (made != nullptr) return made;
    TensorType type{precision.type, tensor.type.shape, {}};
    if (precision.type != DataType::kFloat16) {
      const auto& ranges = RangesOf(precision);
      const auto range = ranges.find(tensor.name);  // that of a mask; values below saturate
      type.quant = ParamsFor(
          range != ranges.end() ? range->second : RangeOf(tensor.values<float>()), precision);
    }
    made = AddStored(tensor, std::move(type), axis);
    return made;
  }

  // The scales that weights must have at least, for each output channel, so that the
  // channel's bias fits and scales have products.
  static std::vector<float> SmallestScales(const Op& op, const TensorType& input,
                                           const Shape& weights) {
    const float input_scale = input.quant.scale();
    const float steps = input.dtype == DataType::kInt16 ? kWideBiasSteps : kBiasSteps;
    const auto axis = static_cast<size_t>(op.def->weight_channels);
    const float smallest = std::numeric_limits<float>::min() / std::min(input_scale, 1.0f);
    std::vector<float> scales(static_cast<size_t>(weights[axis]), smallest);
    const Tensor* bias = op.input(2);
    if (bias == nullptr || !bias->is_constant()) return scales;
    const auto values = bias->values<float>();
    for (size_t c = 0; c < values.size(); ++c) {
      // Beyond this, products of the scale and an integer would pass the largest float.
      constexpr float kLargest = std::numeric_limits<float>::max() / (1 << 16);
      const float needed = std::abs(values[c]) / steps / input_scale;
      scales[c] = std::max(smallest, std::min(needed, kLargest));
    }
    return scales;
  }

  // One scale for all channels. Where the bias of the op asks for a larger one than the
  // weights' range, they are the op's own.
  Tensor* PlainWeights(const Op& op, Tensor& weights, const Precision& precision,
                       absl::Span<const float> smallest) {
    const QuantParams natural = ParamsFor(RangeOf(weights.values<float>()), precision);
    QuantParams quant = natural;
    for (const float scale : smallest) quant = Widened(quant, scale);
    const int axis = op.def->weight_channels;
    if (quant == natural) return StoredConstant(weights, precision, axis);
    return AddStored(weights, {precision.type, weights.type.shape, std::move(quant)}, axis);
  }

  // int8 with a scale for each output channel. The scales depend on the op: they
  // leave room for its bias.
  Tensor* ChannelWeights(const Op& op, const Tensor& weights, absl::Span<const float> smallest) {
    const Shape& shape = weights.type.shape;
    const int channels = op.def->weight_channels;
    QuantParams quant = ChannelParams(weights.values<float>(), shape, channels, smallest);
    return AddStored(weights, {DataType::kInt8, shape, std::move(quant)}, channels);
  }

  // `axis`: of the output channels of weights, else -1.
  Tensor* AddStored(const Tensor& tensor, TensorType type, int axis) {
    const auto values = tensor.values<float>();
    const bool balanced = axis >= 0 && SizeOf(type.dtype) == 1;
    Constant constant = balanced ? StoreBalanced(values, type, axis) : StoreValues(values, type);
    return graph_.AddConstant(absl::StrCat(tensor.name, ".", Name(type.dtype)), std::move(type),
                              std::move(constant));
  }

  // `before`: input and weights.
  absl::StatusOr<Tensor*> QuantizedBias(const Op& op, const Tensor& bias,
                                        const std::vector<Tensor*>& before) {
    if (!bias.is_constant()) {
      return absl::UnimplementedError(absl::StrCat(
          op.Label(), ": the bias is computed, expected a constant; give the layer float16"));
    }
    const TensorType& input = before[0]->type;
    const bool wide = input.dtype == DataType::kInt16;
    TensorType type{wide ? DataType::kInt64 : DataType::kInt32, bias.type.shape,
                    BiasQuantizer(input.quant, before[1]->type.quant)};
    const auto values = bias.values<float>();
    const std::vector<float>& scales = type.quant.scales;
    constexpr double kInt32Max = std::numeric_limits<int32_t>::max();
    Constant constant = wide ? QuantizeBias<int64_t>(values, scales, kMaxWideBias)
                             : QuantizeBias<int32_t>(values, scales, kInt32Max);
    return graph_.AddConstant(absl::StrCat(bias.name, ".", Name(type.dtype)), std::move(type),
                              std::move(constant));
  }

  absl::StatusOr<TensorType> OutputType(const Op& op, const std::vector<Tensor*>& operands,
                                        size_t output) const {
    const Precision precision =
        precisions_.HasWideResult(op) ? PrecisionOf(DataType::kInt16) : precisions_.of(op);
    const Tensor& tensor = *op.outputs[output];
    const bool half = precision.type == DataType::kFloat16;
    TensorType type{precision.type, tensor.type.shape, {}};
    switch (op.def->quant_rule) {
      case QuantRule::kSameAsInput:
        type.quant = operands[0]->type.quant;
        return type;
      case QuantRule::kFixedRange:
        if (OwnType(tensor, precision) != nullptr || precisions_.IsMeasured(op)) {
          return TypeFor(tensor, precision);
        }
        if (!half) type.quant = ParamsFor({op.def->fixed_min, op.def->fixed_max}, precision);
        return type;
      case QuantRule::kOwnRange:
        return TypeFor(tensor, precision);
      case QuantRule::kNotQuantized:
        break;
    }
    CHECK(false);
  }

  // The range of a tensor in the samples, or of a mask's constant; null if there is none.
  const ValueRange* Observed(const Tensor& tensor, const Precision& precision) const {
    const auto& ranges = RangesOf(precision);
    const auto it = ranges.find(tensor.name);
    return it == ranges.end() ? nullptr : &it->second;
  }

  void WarnOfZeros(const Tensor& input, const Precision& precision) {
    const ValueRange* seen = Observed(input, precision);
    if (!input.type.quant.quantized() || seen == nullptr || !(*seen == ValueRange{0, 0})) return;
    warnings_.Add(AtNode("input", input.name),
                  "all values are 0 in all samples, which says nothing about its range: [-1, 1] is "
                  "taken; add samples in which it has the values of real use");
  }

  // Warns of a layer whose products are nearly 0 compared to its bias. REQUIRES: operands are still
  // the float ones.
  void WarnOfDominantBias(const Op& op) {
    const Precision& precision = precisions_.of(op);
    const ValueRange* seen = Observed(*op.inputs[0], precision);
    if (!HasRealBias(op) || precision.type == DataType::kFloat16 || seen == nullptr) return;
    const std::string sentence = DescribeDominantBias(op, *seen);
    if (!sentence.empty()) warnings_.Add(AtNode("layer", op.LayerName()), sentence);
  }

  // Warns of a part of a tensor, such as one state of several, that has few of the tensor's steps.
  void WarnOfCoarsePart(const Op& op, const TensorType& operand) {
    const Precision& precision = precisions_.of(op);
    const ValueRange* part = Observed(*op.output(), precision);
    const bool takes_part = op.Is(Movement::kSlice) && SizeOf(operand.dtype) == 1;
    if (!takes_part || !operand.quant.quantized() || part == nullptr) return;
    const float steps = WidthOf(*part) / operand.quant.scale();
    if (steps <= 0 || steps >= kFewBiasSteps) return;
    const bool is_input = op.inputs[0]->producer == nullptr;
    warnings_.Add(
        AtNode("layer", op.LayerName()),
        absl::StrFormat(
            "the part of '%s' that it takes has %.1f of 256 steps: give int16 "
            "to %s and to this layer in 'data_type'",
            op.inputs[0]->name, steps,
            is_input ? "INPUTS" : absl::StrCat("'", op.inputs[0]->producer->LayerName(), "'")));
  }

  // The op reads float32 and its results stay; readers of its float outputs
  // convert them.
  absl::Status KeepFloat(Op& op) {
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      Tensor* operand = op.inputs[i];
      if (operand == nullptr || operand->is_constant() || !Stores(operand->type)) continue;
      graph_.SetInput(&op, i, AsFloat(*operand));
    }
    return absl::OkStatus();
  }

  // The op has quantizers of the model. What it reads of the layers before it stays what it was,
  // except that integers go into the model's own quantizer without floats in between.
  absl::Status KeepOwn(Op& op) {
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      Tensor* operand = op.inputs[i];
      if (operand == nullptr || operand->is_constant() || own_.Has(*operand) ||
          replaced_.count({&op, i}) > 0 || operand->type.dtype == DataType::kFloat32 ||
          !Stores(operand->type)) {
        continue;
      }
      if (op.Is(TypeConversion::kQuantize) && operand->type.quant.quantized()) {
        Requantize(op);
      } else {
        graph_.SetInput(&op, i, AsFloat(*operand));
      }
    }
    return absl::OkStatus();
  }

  // Turns an own quantize of integers into a requantize, or into nothing.
  void Requantize(Op& op) {
    Tensor* operand = op.inputs[0];
    Tensor* integers = op.output();
    if (operand->type == integers->type && !graph_.IsOutput(integers)) {
      for (const Op* user : integers->users) {
        for (size_t i = 0; i < user->inputs.size(); ++i) {
          if (user->inputs[i] == integers) replaced_.insert({user, i});
        }
      }
      graph_.ReplaceUses(integers, operand);
      return;
    }
    op.def = FindOp("requantize");
    CHECK(op.def != nullptr);
  }

  Tensor* AsFloat(Tensor& tensor) {
    if (tensor.type.dtype == DataType::kFloat32) return &tensor;
    const TensorType type{DataType::kFloat32, tensor.type.shape, {}};
    return Conversion(tensor, tensor.type.quant.quantized() ? "dequantize" : "cast", type, tensor);
  }

  // A tensor that flows, in the type of `precision`.
  absl::StatusOr<Tensor*> Converted(Tensor& tensor, const Precision& precision) {
    if (tensor.type.dtype == precision.type) return &tensor;
    Tensor* integers = own_.IntegersOf(tensor);
    if (integers != nullptr && integers->type.dtype == precision.type) return integers;
    ASSIGN_OR_RETURN(const TensorType type, TypeFor(tensor, precision));
    if (!type.quant.quantized()) return Conversion(*AsFloat(tensor), "cast", type, tensor);
    if (integers != nullptr) return Conversion(*integers, "requantize", type, tensor);
    if (tensor.type.quant.quantized()) return Conversion(tensor, "requantize", type, tensor);
    return Conversion(*AsFloat(tensor), "quantize", type, tensor);
  }

  // `from` by the op, one for all readers; named after `original`.
  Tensor* Conversion(Tensor& from, absl::string_view op_name, const TensorType& type,
                     const Tensor& original) {
    Tensor*& converted = conversions_[{&from, type.dtype}];
    if (converted == nullptr) converted = AddConversion(from, op_name, type, original);
    return converted;
  }

  Tensor* AddConversion(Tensor& from, absl::string_view op_name, const TensorType& type,
                        const Tensor& original) {
    Op conversion;
    conversion.def = FindOp(op_name);
    if (op_name == "cast") conversion.attributes["to"] = std::string(Name(type.dtype));
    conversion.inputs = {&from};
    conversion.origins =
        from.producer == nullptr ? std::vector<std::string>{from.name} : from.producer->origins;
    Tensor* converted = graph_.AddTensor(
        graph_.UniqueName(absl::StrCat(original.name, ".", Name(type.dtype))), type);
    conversion.outputs = {converted};
    graph_.AddOp(std::move(conversion));
    added_[from.producer].push_back(std::prev(graph_.ops().end()));
    return converted;
  }

  // Moves the conversions, which are the graph's last ops, directly after what they convert. At the
  // end, since a search for each one's place would take a time that is quadratic in their number.
  void PlaceConversions() {
    auto& ops = graph_.ops();
    const auto place = [&](const Op* producer, std::list<Op>::iterator at) {
      const auto added = added_.find(producer);
      if (added == added_.end()) return;
      for (const auto conversion : added->second) at = Spliced(conversion, at);
      added_.erase(added);
    };
    place(nullptr, ops.begin());
    for (auto op = ops.begin(); op != ops.end(); ++op) place(&*op, std::next(op));
  }

  // The op's iterator, moved to before `at`.
  std::list<Op>::iterator Spliced(std::list<Op>::iterator op, std::list<Op>::iterator at) {
    graph_.ops().splice(at, graph_.ops(), op);
    return op;
  }

  const RangesByBits& ranges_;
  const LayerPrecisions& precisions_;
  const OwnQuantizers own_;
  Graph& graph_;
  Warnings& warnings_;
  // Operands that were integers of the model and are equal ones of another layer now.
  std::set<std::pair<const Op*, size_t>> replaced_;
  std::map<std::pair<const Tensor*, DataType>, Tensor*> constants_;
  std::map<std::pair<const Tensor*, DataType>, Tensor*> conversions_;
  // Conversions by the op whose result they convert; null: those of inputs.
  std::map<const Op*, std::vector<std::list<Op>::iterator>> added_;
};

}  // namespace

absl::Status QuantizeGraph(const RangesByBits& ranges, const LayerPrecisions& precisions,
                           Graph& graph, Warnings& warnings) {
  return GraphQuantizer(ranges, precisions, graph, warnings).Run();
}

}  // namespace synap_internal
