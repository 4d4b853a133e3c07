#include "compiler/quantization/quantize_graph.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/element_scales.h"
#include "base/rounding.h"
#include "base/status_macros.h"
#include "compiler/quantization/narrowed_ranges.h"
#include "compiler/quantization/quantizer_params.h"
#include "compiler/quantization/shared_ranges.h"
#include "kernels/registry.h"
#include "kernels/stand_in.h"

namespace synap {
namespace {

constexpr int64_t kInt32Min = std::numeric_limits<int32_t>::min();
constexpr int64_t kInt32Max = std::numeric_limits<int32_t>::max();

OperandRole RoleOf(const OpDef& op, size_t operand) {
  return op.operands[std::min(operand, op.operands.size() - 1)];
}

// 8-bit integers of a dense tensor of this type, by its quantizer.
Constant QuantizeValues(absl::Span<const float> values, const TensorType& type) {
  const IntegerRange range = RangeOf(type.dtype);
  const QuantParams& quant = type.quant;
  const ElementScales scales(quant, type.shape);
  std::vector<uint8_t> bytes(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    bytes[i] = static_cast<uint8_t>(QuantizeValue(values[i], scales[i], quant.zero_point(),
                                                  static_cast<int32_t>(range.min),
                                                  static_cast<int32_t>(range.max)));
  }
  return Constant::Own(std::move(bytes));
}

// round half to even(value / scale), saturated to int32. The division is done in
// double: int32 has more digits than float. One scale, or one for each value.
Constant QuantizeBias(absl::Span<const float> values, absl::Span<const float> scales) {
  std::vector<int32_t> quantized;
  for (size_t i = 0; i < values.size(); ++i) {
    const double scale = scales[i % scales.size()];
    const double rounded = std::nearbyint(static_cast<double>(values[i]) / scale);
    quantized.push_back(static_cast<int32_t>(
        std::clamp(rounded, static_cast<double>(kInt32Min), static_cast<double>(kInt32Max))));
  }
  return Constant::Of(absl::MakeConstSpan(quantized));
}

// True if the tensor leaves the network and does nothing else, moved around on
// the way or not.
bool OnlyLeaves(const Graph& graph, const Tensor& tensor) {
  const auto leads_out = [&graph](const Op* user) {
    return MovesData(*user) && OnlyLeaves(graph, *user->output());
  };
  return (graph.IsOutput(&tensor) || !tensor.users.empty()) &&
         std::all_of(tensor.users.begin(), tensor.users.end(), leads_out);
}

// Int32 biases use at most this many steps, well inside of the 2^30 that kernels
// hold.
constexpr float kBiasSteps = 1 << 28;

class GraphQuantizer {
 public:
  GraphQuantizer(const std::map<std::string, ValueRange>& ranges, DataType type, Graph& graph)
      : ranges_(ranges), type_(type), graph_(graph) {}

  absl::Status Run() {
    for (Tensor* input : graph_.inputs) {
      if (input->type.dtype != DataType::kFloat32) continue;
      ASSIGN_OR_RETURN(const QuantParams quant, FromStatistics(*input));
      SetType(*input, quant);
    }
    std::vector<Op*> order;  // the original ops; conversions come in between
    for (Op& op : graph_.ops()) order.push_back(&op);
    for (Op* op : order) RETURN_IF_ERROR(QuantizeOp(*op));
    graph_.RemoveDead();
    return VerifyGraph(graph_);
  }

 private:
  absl::StatusOr<QuantParams> FromStatistics(const Tensor& tensor) const {
    const auto it = ranges_.find(tensor.name);
    if (it == ranges_.end()) {
      return absl::NotFoundError(
          absl::StrCat("the statistics have no range for tensor '", tensor.name, "'"));
    }
    return AffineParams(it->second, type_);
  }

  void SetType(Tensor& tensor, const QuantParams& quant) const {
    tensor.type.dtype = type_;
    tensor.type.quant = quant;
  }

  absl::Status QuantizeOp(Op& op) {
    const bool computes = op.output()->type.dtype == DataType::kFloat32 &&
                          op.def->quant_rule != QuantRule::kNotQuantized;
    if (!computes) return KeepFloat(op);
    std::vector<Tensor*> operands;
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      ASSIGN_OR_RETURN(Tensor * operand, QuantizedOperand(op, i));
      operands.push_back(operand);
    }
    std::vector<TensorType> outputs = OutputTypes(op);
    for (size_t i = 0; i < outputs.size(); ++i) {
      ASSIGN_OR_RETURN(outputs[i].quant, OutputParams(op, operands, i));
      outputs[i].dtype = type_;
    }
    const absl::Status supported = CanRun(op, operands, outputs);
    if (absl::IsUnimplemented(supported)) return KeepFloat(op);
    RETURN_IF_ERROR(Annotate(supported, op.Label()));
    for (size_t i = 0; i < operands.size(); ++i) graph_.SetInput(&op, i, operands[i]);
    for (size_t i = 0; i < outputs.size(); ++i) op.outputs[i]->type = outputs[i];
    return absl::OkStatus();
  }

  // The operand as the quantized op will read it.
  absl::StatusOr<Tensor*> QuantizedOperand(const Op& op, size_t i) {
    Tensor* operand = op.inputs[i];
    if (operand == nullptr || operand->type.dtype != DataType::kFloat32) return operand;
    const OperandRole role = RoleOf(*op.def, i);
    if (role == OperandRole::kIndex || role == OperandRole::kTable) return operand;
    if (role == OperandRole::kBias) return QuantizedBias(op, *operand);
    if (operand->is_constant()) {
      const bool per_channel = role == OperandRole::kWeight && op.def->weight_channels >= 0 &&
                               OnlyLeaves(graph_, *op.output());
      if (per_channel) return ChannelWeights(op, *operand);
      return QuantizedConstant(*operand);
    }
    // A float tensor that flows: made by an op that stayed float.
    ASSIGN_OR_RETURN(const QuantParams quant, FromStatistics(*operand));
    return Converted(*operand, "quantize", type_, quant);
  }

  Tensor* QuantizedConstant(Tensor& tensor) {
    Tensor*& made = quantized_constants_[{&tensor, nullptr}];
    if (made != nullptr) return made;
    const auto values = tensor.values<float>();
    made = AddQuantized(tensor, {type_, tensor.type.shape, AffineParams(RangeOf(values), type_)});
    return made;
  }

  // int8 with a scale for each output channel. The scales depend on the op: they
  // leave room for its bias.
  absl::StatusOr<Tensor*> ChannelWeights(const Op& op, Tensor& weights) {
    Tensor*& made = quantized_constants_[{&weights, &op}];
    if (made != nullptr) return made;
    ASSIGN_OR_RETURN(const Tensor* input, QuantizedOperand(op, 0));
    const float input_scale = input->type.quant.scale();
    const Shape& shape = weights.type.shape;
    const int channels = op.def->weight_channels;
    const float smallest = std::numeric_limits<float>::min() / std::min(input_scale, 1.0f);
    std::vector<float> smallest_scales(static_cast<size_t>(shape[static_cast<size_t>(channels)]),
                                       smallest);
    const Tensor* bias = op.input(2);
    if (bias != nullptr && bias->is_constant()) {
      const auto values = bias->values<float>();
      for (size_t c = 0; c < values.size(); ++c) {
        const float needed = std::abs(values[c]) / input_scale / kBiasSteps;
        smallest_scales[c] = std::max(smallest, needed);
      }
    }
    QuantParams quant = ChannelParams(weights.values<float>(), shape, channels, smallest_scales);
    made = AddQuantized(weights, {DataType::kInt8, shape, std::move(quant)});
    return made;
  }

  Tensor* AddQuantized(const Tensor& tensor, TensorType type) {
    Constant constant = QuantizeValues(tensor.values<float>(), type);
    return graph_.AddConstant(absl::StrCat(tensor.name, ".", Name(type.dtype)), std::move(type),
                              std::move(constant));
  }

  absl::StatusOr<Tensor*> QuantizedBias(const Op& op, const Tensor& bias) {
    if (!bias.is_constant()) {
      return absl::UnimplementedError(
          absl::StrCat(op.Label(), ": a bias that is not constant can't be quantized"));
    }
    ASSIGN_OR_RETURN(const Tensor* input, QuantizedOperand(op, 0));
    ASSIGN_OR_RETURN(const Tensor* weight, QuantizedOperand(op, 1));
    std::vector<float> scales = weight->type.quant.scales;
    for (float& scale : scales) scale *= input->type.quant.scale();
    Constant constant = QuantizeBias(bias.values<float>(), scales);
    const bool per_channel = weight->type.quant.scheme == QuantScheme::kPerChannelSymmetric;
    TensorType type{DataType::kInt32, bias.type.shape,
                    per_channel ? QuantParams::PerChannel(std::move(scales), 0)
                                : QuantParams::Affine(scales[0], 0)};
    return graph_.AddConstant(absl::StrCat(bias.name, ".int32"), std::move(type),
                              std::move(constant));
  }

  absl::StatusOr<QuantParams> OutputParams(const Op& op, const std::vector<Tensor*>& operands,
                                           size_t output) const {
    switch (op.def->quant_rule) {
      case QuantRule::kSameAsInput:
        return operands[0]->type.quant;
      case QuantRule::kFixedRange:
        return AffineParams({op.def->fixed_min, op.def->fixed_max}, type_);
      case QuantRule::kOwnRange:
        return FromStatistics(*op.outputs[output]);
      case QuantRule::kNotQuantized:
        break;
    }
    CHECK(false);
  }

  absl::Status CanRun(const Op& op, const std::vector<Tensor*>& operands,
                      const std::vector<TensorType>& outputs) const {
    std::vector<TensorType> inputs;
    std::vector<const void*> constants;
    for (const Tensor* operand : operands) {
      inputs.push_back(operand == nullptr ? TensorType{} : operand->type);
      const bool constant = operand != nullptr && operand->is_constant();
      constants.push_back(constant ? operand->constant->bytes.data() : nullptr);
    }
    return PrepareOp(*op.def, {inputs, outputs, constants, op.attributes, KernelPath::kReference})
        .status();
  }

  // The op reads float32 and gives what it gave; whoever reads its float
  // outputs converts them.
  absl::Status KeepFloat(Op& op) {
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      Tensor* operand = op.inputs[i];
      if (operand == nullptr || operand->is_constant() || !operand->type.quant.quantized())
        continue;
      graph_.SetInput(&op, i, Converted(*operand, "dequantize", DataType::kFloat32, {}));
    }
    return absl::OkStatus();
  }

  // One conversion for all readers.
  Tensor* Converted(Tensor& tensor, absl::string_view op_name, DataType type,
                    const QuantParams& quant) {
    Tensor*& converted = conversions_[{&tensor, type}];
    if (converted != nullptr) return converted;
    Op conversion;
    conversion.def = FindOp(op_name);
    conversion.inputs = {&tensor};
    conversion.origins = tensor.producer == nullptr ? std::vector<std::string>{tensor.name}
                                                    : tensor.producer->origins;
    converted = graph_.AddTensor(graph_.UniqueName(absl::StrCat(tensor.name, ".", Name(type))),
                                 {type, tensor.type.shape, quant});
    conversion.outputs = {converted};
    graph_.AddOp(std::move(conversion), NextOf(tensor.producer));
    return converted;
  }

  // The op behind `producer` in the order (null: the end); the first if null.
  Op* NextOf(const Op* producer) {
    auto& ops = graph_.ops();
    if (producer == nullptr) return ops.empty() ? nullptr : &ops.front();
    auto it = std::find_if(ops.begin(), ops.end(), [&](const Op& op) { return &op == producer; });
    CHECK(it != ops.end());
    return ++it == ops.end() ? nullptr : &*it;
  }

  const std::map<std::string, ValueRange>& ranges_;
  const DataType type_;
  Graph& graph_;
  // By constant and, where the op matters, op.
  std::map<std::pair<const Tensor*, const Op*>, Tensor*> quantized_constants_;
  std::map<std::pair<const Tensor*, DataType>, Tensor*> conversions_;
};

}  // namespace

absl::Status QuantizeGraph(const std::map<std::string, ValueRange>& ranges, DataType type,
                           Graph& graph) {
  using Ranges = std::map<std::string, ValueRange>;
  ASSIGN_OR_RETURN(const Ranges chosen, NarrowedRanges(graph, SharedRanges(graph, ranges)));
  return GraphQuantizer(chosen, type, graph).Run();
}

}  // namespace synap
