#include "compiler/quantize/ranges/own_quantizers.h"

#include <algorithm>
#include <vector>

#include "base/data_type.h"
#include "kernels/op_def.h"

namespace synap_internal {

OwnQuantizers::OwnQuantizers(const Graph& graph) {
  for (const Tensor& tensor : graph.tensors()) {
    if (tensor.type.quant.quantized()) tensors_.insert(&tensor);
  }
  const auto has_any = [&](const std::vector<Tensor*>& tensors) {
    return std::any_of(tensors.begin(), tensors.end(),
                       [&](const Tensor* tensor) { return tensor != nullptr && Has(*tensor); });
  };
  for (const Op& op : graph.ops()) {
    if (has_any(op.inputs) || has_any(op.outputs)) ops_.insert(&op);
  }
  // Now, since quantizing changes the graph.
  for (const Tensor& tensor : graph.tensors()) {
    if (const TensorType* type = FindType(tensor)) types_.emplace(&tensor, *type);
  }
}

Tensor* OwnQuantizers::IntegersOf(const Tensor& real) const {
  const Op* producer = real.producer;
  const bool own =
      producer != nullptr && Has(*producer) && producer->Is(TypeConversion::kDequantize);
  return own ? producer->inputs[0] : nullptr;
}

const TensorType* OwnQuantizers::TypeOf(const Tensor& real) const {
  const auto it = types_.find(&real);
  return it == types_.end() ? nullptr : &it->second;
}

const TensorType* OwnQuantizers::FindType(const Tensor& real) const {
  if (const Tensor* integers = IntegersOf(real)) return &integers->type;
  for (const Op* user : real.users) {
    if (Has(*user) && user->Is(TypeConversion::kQuantize)) return &user->output()->type;
  }
  return nullptr;
}

bool OwnQuantizers::ReadNoOther(const Tensor& real) const {
  return !real.users.empty() &&
         std::all_of(real.users.begin(), real.users.end(), [&](const Op* user) {
           return Has(*user) && user->Is(TypeConversion::kQuantize);
         });
}

LayerCounts CountLayers(const Graph& graph) {
  const OwnQuantizers own(graph);
  LayerCounts counts;
  for (const Op& op : graph.ops()) {
    if (!op.Is(TypeConversion::kNone)) continue;
    if (own.Has(op)) {
      ++counts.own;
    } else if (op.def->quant_rule != QuantRule::kNotQuantized &&
               op.output()->type.dtype == DataType::kFloat32) {
      ++counts.real;
    }
  }
  return counts;
}

}  // namespace synap_internal
