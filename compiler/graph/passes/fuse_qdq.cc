#include "compiler/graph/passes/fuse_qdq.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/graph/passes/fuse_clamp.h"
#include "compiler/graph/passes/replace_op.h"
#include "compiler/graph/passes/sink_dequantize.h"
#include "compiler/graph/passes/sink_transposes.h"
#include "compiler/graph/passes/tensor_uses.h"
#include "kernels/emulated_types.h"
#include "kernels/shared/linear/linear.h"

namespace synap_internal {
namespace {

// The quantized tensor of which `tensor` is the real numbers; null if it isn't dequantized from
// one.
Tensor* IntegersOf(const Tensor* tensor) {
  const Op* producer = tensor->producer;
  const bool found = producer != nullptr && producer->Is(TypeConversion::kDequantize) &&
                     HoldsActivations(producer->inputs[0]->type.dtype);
  return found ? producer->inputs[0] : nullptr;
}

// The bias in steps of `quant`; null if it isn't constant, or if a step count is too large.
Tensor* QuantizedBias(Graph& graph, const Tensor& bias, const QuantParams& quant) {
  if (!bias.is_constant() || bias.type.dtype != DataType::kFloat32) return nullptr;
  std::vector<int32_t> steps;
  for (const float value : bias.values<float>()) {
    const double scale = quant.scales[steps.size() % quant.scales.size()];
    const double rounded = std::nearbyint(static_cast<double>(value) / scale);
    if (!(std::abs(rounded) <= kMaxBias)) return nullptr;
    steps.push_back(static_cast<int32_t>(rounded));
  }
  const TensorType type{DataType::kInt32, bias.type.shape, quant};
  if (!quant.Validate(type.dtype, type.shape).ok()) return nullptr;
  return graph.AddConstant(absl::StrCat(bias.name, ".int32"), type,
                           Constant::Of(absl::MakeConstSpan(steps)));
}

// Turns the op before one quantize into an op over integers.
class QuantizeFuser {
 public:
  QuantizeFuser(Graph& graph, Op* quantize) : graph_(graph), quantize_(quantize) {}

  absl::StatusOr<bool> Fuse() {
    Tensor* real = quantize_->inputs[0];
    if (!HoldsActivations(type().dtype)) return false;
    if (Tensor* integers = IntegersOf(real)) return Requantize(integers);
    if (real->producer == nullptr || !HasSingleUse(graph_, real)) return false;
    FuseClampOp(graph_, real->producer);
    return FuseOp(*quantize_->inputs[0]->producer);
  }

 private:
  const TensorType& type() const { return quantize_->output()->type; }

  absl::StatusOr<bool> Requantize(Tensor* integers) {
    if (integers->type.quant.scheme == QuantScheme::kPerChannelSymmetric) return false;
    if (integers->type == type()) {
      ReplaceOp(graph_, quantize_, integers);
      return true;
    }
    return Replace("requantize", {integers}, {}, quantize_->origins);
  }

  absl::StatusOr<bool> FuseOp(const Op& op) {
    if (op.def->quant_rule == QuantRule::kNotQuantized) return false;
    std::vector<Tensor*> operands;
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      operands.push_back(op.inputs[i] == nullptr ? nullptr : Operand(op, i, operands));
      if (op.inputs[i] != nullptr && operands[i] == nullptr) return false;
    }
    // Interpolation in the operand's steps, then in the output's, would round twice.
    const bool keeps = op.def->quant_rule == QuantRule::kSameAsInput;
    if (keeps && operands[0]->type.quant != type().quant) return false;
    if (!TakesIntegers(op, operands)) return false;
    return Replace(op.def->name, std::move(operands), op.attributes, op.origins);
  }

  // The operand as integers; null if there are none.
  Tensor* Operand(const Op& op, size_t i, const std::vector<Tensor*>& before) {
    const OperandRole role = RoleOf(op, i);
    if (role == OperandRole::kIndex) return op.inputs[i];
    if (role == OperandRole::kBias) {
      return QuantizedBias(graph_, *op.inputs[i],
                           BiasQuantizer(before[0]->type.quant, before[1]->type.quant));
    }
    Tensor* integers = IntegersOf(op.inputs[i]);
    if (integers == nullptr) return nullptr;
    const QuantParams& quant = integers->type.quant;
    const bool by_channel = quant.scheme == QuantScheme::kPerChannelSymmetric;
    const bool weights = role == OperandRole::kWeight;
    return by_channel && (!weights || quant.axis != op.def->weight_channels) ? nullptr : integers;
  }

  bool TakesIntegers(const Op& op, const std::vector<Tensor*>& operands) const {
    std::vector<TensorType> inputs;
    for (const Tensor* operand : operands) {
      inputs.push_back(operand == nullptr ? TensorType{} : operand->type);
    }
    return InferOp(*op.def, {inputs, op.attributes}).ok() && CanRun(op, operands, {type()}).ok();
  }

  // Replaces quantize by the op, with quantize's type of result.
  absl::StatusOr<bool> Replace(absl::string_view name, std::vector<Tensor*> operands,
                               Attributes attributes, std::vector<std::string> origins) {
    ASSIGN_OR_RETURN(
        Op * fused, graph_.AddInferredOp(name, std::move(operands), std::move(attributes),
                                         std::move(origins), quantize_->output()->name, quantize_));
    fused->output()->type.dtype = type().dtype;
    fused->output()->type.quant = type().quant;
    ReplaceOp(graph_, quantize_, fused->output());
    return true;
  }

  Graph& graph_;
  Op* quantize_;
};

template <typename Trait>
std::vector<Op*> OpsThatAre(Trait trait, Graph& graph) {
  std::vector<Op*> found;
  for (Op& op : graph.ops()) {
    if (op.Is(trait)) found.push_back(&op);
  }
  return found;
}

// matmul(x, dequantize(w)): fully_connected, whose weights may have a scale for
// each channel and which has a bias.
absl::StatusOr<int> ConnectMatmuls(Graph& graph) {
  int rewrites = 0;
  for (Op* op : OpsThatAre(LinearForm::kMatrices, graph)) {
    const Tensor* weights = IntegersOf(op->inputs[1]);
    if (weights == nullptr || !weights->is_constant() || weights->type.shape.rank() != 2 ||
        weights->type.shape.elements() == 0) {
      continue;
    }
    ASSIGN_OR_RETURN(Op * transposed, graph.AddInferredOp("transpose", {op->inputs[1]},
                                                          {{"perm", std::vector<int64_t>{1, 0}}},
                                                          op->origins, weights->name, op));
    ASSIGN_OR_RETURN(Op * connected,
                     graph.AddInferredOp("fully_connected", {op->inputs[0], transposed->output()},
                                         {}, op->origins, op->output()->name, op));
    ReplaceOp(graph, op, connected->output());
    ++rewrites;
  }
  return rewrites;
}

// Moves quantize before the ops that only move values, next to the op that computes them.
int LiftQuantize(Graph& graph, Op* quantize) {
  const TensorType type = quantize->output()->type;
  std::vector<Op*> chain;
  Tensor* source = quantize->inputs[0];
  while (source->producer != nullptr && MovesIntegers(*source->producer) &&
         HasSingleUse(graph, source)) {
    chain.push_back(source->producer);
    source = source->producer->inputs[0];
  }
  if (chain.empty()) return 0;
  Op lifted;
  lifted.def = quantize->def;
  lifted.origins = quantize->origins;
  lifted.inputs = {source};
  lifted.outputs = {graph.AddTensor(graph.UniqueName(absl::StrCat(source->name, ".q")),
                                    {type.dtype, source->type.shape, type.quant})};
  Op* added = graph.AddOp(std::move(lifted), chain.back());
  graph.SetInput(chain.back(), 0, added->output());
  for (Op* op : chain) {
    op->output()->type.dtype = type.dtype;
    op->output()->type.quant = type.quant;
  }
  ReplaceOp(graph, quantize, chain.front()->output());
  return 1;
}

}  // namespace

absl::StatusOr<int> FuseQdq(Graph& graph) {
  if (OpsThatAre(TypeConversion::kDequantize, graph).empty()) return 0;
  ASSIGN_OR_RETURN(int rewrites, ConnectMatmuls(graph));
  // Conversions of weights move first: SinkTransposes would separate them from their weights.
  for (const auto pass : {SinkDequantize, SinkTransposes, SinkDequantize}) {
    ASSIGN_OR_RETURN(const int sunk, pass(graph));
    rewrites += sunk;
  }
  for (Op* op : OpsThatAre(TypeConversion::kQuantize, graph)) rewrites += LiftQuantize(graph, op);
  for (Op* op : OpsThatAre(TypeConversion::kQuantize, graph)) {
    ASSIGN_OR_RETURN(const bool fused, QuantizeFuser(graph, op).Fuse());
    rewrites += fused;
  }
  graph.RemoveDead();
  return rewrites;
}

}  // namespace synap_internal
