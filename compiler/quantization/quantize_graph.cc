#include "compiler/quantization/quantize_graph.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/rounding.h"
#include "base/status_macros.h"
#include "compiler/quantization/quantizer_params.h"
#include "kernels/registry.h"

namespace synap {
namespace {

constexpr int64_t kInt32Min = std::numeric_limits<int32_t>::min();
constexpr int64_t kInt32Max = std::numeric_limits<int32_t>::max();

OperandRole RoleOf(const OpDef& op, size_t operand) {
  return op.operands[std::min(operand, op.operands.size() - 1)];
}

Constant QuantizeValues(absl::Span<const float> values, const QuantParams& quant, DataType type) {
  const IntegerRange range = RangeOf(type);
  std::vector<uint8_t> bytes;
  bytes.reserve(values.size());
  for (const float value : values) {
    bytes.push_back(static_cast<uint8_t>(QuantizeValue(value, quant.scale(), quant.zero_point(),
                                                       static_cast<int32_t>(range.min),
                                                       static_cast<int32_t>(range.max))));
  }
  return Constant::Own(std::move(bytes));
}

// round half to even(value / scale), saturated to int32. The division is done in
// double: int32 has more digits than float.
Constant QuantizeBias(absl::Span<const float> values, float scale) {
  std::vector<int32_t> quantized;
  for (const float value : values) {
    const double rounded = std::nearbyint(static_cast<double>(value) / static_cast<double>(scale));
    quantized.push_back(static_cast<int32_t>(
        std::clamp(rounded, static_cast<double>(kInt32Min), static_cast<double>(kInt32Max))));
  }
  return Constant::Of(absl::MakeConstSpan(quantized));
}

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
    if (operand->is_constant()) return QuantizedConstant(*operand);
    // A float tensor that flows: made by an op that stayed float.
    ASSIGN_OR_RETURN(const QuantParams quant, FromStatistics(*operand));
    return Converted(*operand, "quantize", type_, quant);
  }

  Tensor* QuantizedConstant(Tensor& tensor) {
    if (const auto known = quantized_constants_.find(&tensor);
        known != quantized_constants_.end()) {
      return known->second;
    }
    const auto values = tensor.values<float>();
    const QuantParams quant = AffineParams(RangeOf(values), type_);
    TensorType quantized{type_, tensor.type.shape, quant};
    Tensor* made = graph_.AddConstant(absl::StrCat(tensor.name, ".", Name(type_)),
                                      std::move(quantized), QuantizeValues(values, quant, type_));
    quantized_constants_[&tensor] = made;
    return made;
  }

  absl::StatusOr<Tensor*> QuantizedBias(const Op& op, const Tensor& bias) {
    if (!bias.is_constant()) {
      return absl::UnimplementedError(
          absl::StrCat(op.Label(), ": a bias that is not constant can't be quantized"));
    }
    ASSIGN_OR_RETURN(const Tensor* input, QuantizedOperand(op, 0));
    ASSIGN_OR_RETURN(const Tensor* weight, QuantizedOperand(op, 1));
    const float scale = input->type.quant.scale() * weight->type.quant.scale();
    TensorType type{DataType::kInt32, bias.type.shape, QuantParams::Affine(scale, 0)};
    return graph_.AddConstant(absl::StrCat(bias.name, ".int32"), std::move(type),
                              QuantizeBias(bias.values<float>(), scale));
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
    return op.def->prepare({inputs, outputs, constants, op.attributes, KernelPath::kReference})
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
  std::map<const Tensor*, Tensor*> quantized_constants_;
  std::map<std::pair<const Tensor*, DataType>, Tensor*> conversions_;
};

}  // namespace

absl::Status QuantizeGraph(const std::map<std::string, ValueRange>& ranges, DataType type,
                           Graph& graph) {
  return GraphQuantizer(ranges, type, graph).Run();
}

}  // namespace synap
