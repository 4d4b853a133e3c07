#include "compiler/quantize/analysis/probe_graphs.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "base/tensor_type.h"

namespace synap_internal {
namespace {

bool ReadsConverted(const Op& op, const TensorPairs& pairs) {
  return std::any_of(op.inputs.begin(), op.inputs.end(), [&](const Tensor* operand) {
    if (operand == nullptr || operand->is_constant()) return false;
    const Tensor* real = pairs.RealOf(operand);
    if (real == nullptr || operand->type.dtype != real->type.dtype) return true;
    return operand->producer != nullptr && pairs.IsConversion(*operand->producer);
  });
}

// Whether only functions of one operand read the tensor, directly or after ops that move or
// convert it.
bool FeedsFunctions(const Graph& graph, const TensorPairs& pairs, const Tensor& tensor) {
  if (graph.IsOutput(&tensor) || tensor.users.empty()) return false;
  return std::all_of(tensor.users.begin(), tensor.users.end(), [&](const Op* reader) {
    if (MovesData(*reader) || pairs.IsConversion(*reader)) {
      return FeedsFunctions(graph, pairs, *reader->output());
    }
    return reader->def->is_lookup() || reader->def->is_function();
  });
}

// `tensor` as a tensor of another type. Between float32 and float16, float32 and a quantized type,
// or two quantized types.
absl::StatusOr<Tensor*> Convert(Graph& graph, Tensor* tensor, const TensorType& type, Op* before) {
  absl::string_view name = "cast";
  Attributes attributes;
  if (type.quant.quantized()) {
    name = tensor->type.quant.quantized() ? "requantize" : "quantize";
  } else if (tensor->type.quant.quantized()) {
    name = "dequantize";
  } else {
    attributes["to"] = std::string(Name(type.dtype));
  }
  ASSIGN_OR_RETURN(
      Op * op,
      graph.AddInferredOp(name, {tensor}, std::move(attributes), {tensor->name},
                          absl::StrCat(tensor->name, ".", Name(type.dtype), ".probe"), before));
  op->output()->type = type;
  return op->output();
}

// A tensor of the float graph as an input of that name.
Tensor* InputOf(Graph& graph, const Tensor& real) {
  Tensor* input = graph.FindTensor(real.name);
  if (input != nullptr) return input;
  graph.inputs.push_back(graph.AddTensor(real.name, real.type));
  return graph.inputs.back();
}

// Adds layers to a graph, one after the other.
class Isolation {
 public:
  Isolation(const TensorPairs& pairs, Graph& graph) : pairs_(pairs), graph_(graph) {}

  // The name of the result in float32.
  absl::StatusOr<std::string> Add(const LayerPair& layer) {
    ASSIGN_OR_RETURN(Tensor * result, Computed(*layer.op, layer.tensor));
    if (result->type.dtype != DataType::kFloat32) {
      ASSIGN_OR_RETURN(result, Convert(graph_, result, layer.real->type, nullptr));
    }
    return result->name;
  }

 private:
  // Numbered, because the graph's own search for a free name takes long for many alike.
  std::string FreshName(const Tensor& tensor) {
    return graph_.UniqueName(absl::StrCat(tensor.name, "#", ++made_));
  }

  absl::StatusOr<Tensor*> Operand(const Tensor* operand) {
    if (operand == nullptr) return nullptr;
    if (operand->is_constant()) return Constant(*operand);
    const Tensor* real = pairs_.RealOf(operand);
    const bool converted = operand->producer != nullptr && pairs_.IsConversion(*operand->producer);
    if (real != nullptr && !converted) {
      Tensor* input = InputOf(graph_, *real);
      if (operand->type == real->type) return input;
      return Convert(graph_, input, operand->type, nullptr);
    }
    if (operand->producer == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat("the float graph has no input '", operand->name, "' of shape ",
                       operand->type.shape.ToString(),
                       ", expected the graph that was quantized; give both of one conversion"));
    }
    return Computed(*operand->producer, operand);
  }

  // A copy of the op over operands of the float network; the one of its outputs that is `wanted`.
  absl::StatusOr<Tensor*> Computed(const Op& op, const Tensor* wanted) {
    Op copy{op.def, op.attributes, {}, {}, op.origins};
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      const auto first = std::find(op.inputs.begin(), op.inputs.end(), op.inputs[i]);
      const auto same = static_cast<size_t>(first - op.inputs.begin());
      Tensor* copied = same < i ? copy.inputs[same] : nullptr;
      if (same == i) {
        ASSIGN_OR_RETURN(copied, Operand(op.inputs[i]));
      }
      copy.inputs.push_back(copied);
    }
    Tensor* result = nullptr;
    for (const Tensor* output : op.outputs) {
      copy.outputs.push_back(graph_.AddTensor(FreshName(*output), output->type));
      if (output == wanted) result = copy.outputs.back();
    }
    graph_.AddOp(std::move(copy));
    return result;
  }

  Tensor* Constant(const Tensor& tensor) {
    Tensor*& copied = constants_[&tensor];
    if (copied == nullptr) {
      copied = graph_.AddTensor(FreshName(tensor), tensor.type);
      copied->constant = tensor.constant;
    }
    return copied;
  }

  const TensorPairs& pairs_;
  Graph& graph_;
  int made_ = 0;
  std::map<const Tensor*, Tensor*> constants_;
};

// The float graph's ops of a quantized linear layer: the linear one, and after it functions of one
// operand that went into the layer. Empty if there are none.
std::vector<const Op*> RealOps(const LayerPair& layer) {
  std::vector<const Op*> ops;
  for (const Op* op = layer.real->producer; op != nullptr; op = op->inputs[0]->producer) {
    ops.insert(ops.begin(), op);
    if (op->def == layer.op->def) return ops;
    if (!op->def->is_function()) break;
  }
  return {};
}

bool HasFloatWeights(const Op& op) {
  return op.inputs[1]->is_float_constant() && !op.inputs[0]->is_constant();
}

// Inputs as float32, converted to what the network reads; those that `real` has in the same type
// stay.
absl::Status MakeInputsReal(const Graph& real, Graph& graph) {
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    Tensor*& input = graph.inputs[i];
    if (i < real.inputs.size() && input->type == real.inputs[i]->type) continue;
    if (!input->type.quant.quantized() && input->type.dtype != DataType::kFloat16) continue;
    const std::string name = input->name;
    Tensor* read = input;
    graph.Rename(read, graph.UniqueName(absl::StrCat(name, ".converted")));
    input = graph.AddTensor(name, {DataType::kFloat32, read->type.shape, {}});
    Op* first = graph.ops().empty() ? nullptr : &graph.ops().front();
    ASSIGN_OR_RETURN(Tensor * converted, Convert(graph, input, read->type, first));
    graph.ReplaceUses(read, converted);
  }
  return absl::OkStatus();
}

}  // namespace

bool HasByteWeights(const Op& op) {
  if (!op.def->is_weighted_sum()) return false;
  const TensorType& type = op.inputs[1]->type;
  return op.inputs[1]->is_constant() && type.quant.quantized() && SizeOf(type.dtype) == 1;
}

Op* NextOp(Graph& graph, const Op* op) {
  auto& ops = graph.ops();
  const auto it = std::find_if(ops.begin(), ops.end(), [&](const Op& o) { return &o == op; });
  return std::next(it) == ops.end() ? nullptr : &*std::next(it);
}

std::vector<LayerPair> LossyLayers(const Graph& quantized, const TensorPairs& pairs) {
  std::vector<LayerPair> layers;
  for (const Op& op : quantized.ops()) {
    if (pairs.IsConversion(op)) continue;
    for (const Tensor* output : op.outputs) {
      const Tensor* real = pairs.RealOf(output);
      if (real == nullptr || real->type.dtype != DataType::kFloat32) continue;
      if (real->type.shape.elements() == 0) continue;
      const bool real_type = output->type.dtype == DataType::kFloat32;
      if (real_type && !ReadsConverted(op, pairs)) continue;
      const bool function = !real_type && FeedsFunctions(quantized, pairs, *output);
      layers.push_back({&op, output, real, function});
    }
  }
  return layers;
}

absl::StatusOr<ProbeGraph> IsolatedLayers(const std::vector<LayerPair>& layers,
                                          const TensorPairs& pairs) {
  ProbeGraph isolated;
  Isolation isolation(pairs, isolated.graph);
  for (const LayerPair& layer : layers) {
    ASSIGN_OR_RETURN(std::string probe, isolation.Add(layer));
    isolated.probes.push_back(std::move(probe));
  }
  RETURN_IF_ERROR(VerifyGraph(isolated.graph));
  return isolated;
}

absl::StatusOr<ProbeGraph> LayersOfRoundedWeights(const std::vector<LayerPair>& layers) {
  ProbeGraph rounded;
  Graph& graph = rounded.graph;
  for (const LayerPair& layer : layers) {
    rounded.probes.emplace_back();
    const std::vector<const Op*> ops =
        HasByteWeights(*layer.op) ? RealOps(layer) : std::vector<const Op*>();
    if (ops.empty() || !HasFloatWeights(*ops[0])) continue;
    const Tensor &weights = *ops[0]->inputs[1], &stored = *layer.op->inputs[1];
    if (weights.type.shape != stored.type.shape) continue;
    const auto own_name = [](const Tensor& tensor) {
      return absl::StrCat(tensor.name, "#rounded");
    };
    std::vector<Tensor*> operands;
    for (const Tensor* operand : ops[0]->inputs) {
      if (operand == nullptr || !operand->is_constant()) {
        operands.push_back(operand == nullptr ? nullptr : InputOf(graph, *operand));
        continue;
      }
      operands.push_back(
          graph.AddConstant(own_name(*operand), operand->type,
                            operand == &weights ? Dequantized(stored) : *operand->constant));
    }
    for (const Op* op : ops) {
      Tensor* result =
          graph.AddTensor(graph.UniqueName(own_name(*op->output())), op->output()->type);
      graph.AddOp({op->def, op->attributes, std::move(operands), {result}, op->origins});
      operands = {result};
    }
    rounded.probes.back() = operands[0]->name;
  }
  RETURN_IF_ERROR(VerifyGraph(graph));
  return rounded;
}

absl::StatusOr<ProbeGraph> ProbedNetwork(const Graph& real, const Graph& quantized,
                                         const std::vector<const Tensor*>& tensors) {
  ProbeGraph network{quantized.Clone(), {}};
  Graph& graph = network.graph;
  for (const Tensor* tensor : tensors) {
    Tensor* probe = graph.FindTensor(tensor->name);
    if (probe->type.dtype != DataType::kFloat32) {
      const TensorType type{DataType::kFloat32, probe->type.shape, {}};
      ASSIGN_OR_RETURN(probe, Convert(graph, probe, type, NextOp(graph, probe->producer)));
    }
    network.probes.push_back(probe->name);
  }
  RETURN_IF_ERROR(MakeInputsReal(real, graph));
  RETURN_IF_ERROR(VerifyGraph(graph));
  return network;
}

}  // namespace synap_internal
