#include "compiler/quantize/analysis/tensor_pairs.h"

#include "base/tensor_type.h"

namespace synap_internal {

TensorPairs::TensorPairs(const Graph& real, const Graph& quantized) : real_(real) {
  for (const Tensor& tensor : quantized.tensors()) Pair(&tensor, real.FindTensor(tensor.name));
  // An output that is converted gave its name to what leaves the network.
  for (auto op = quantized.ops().rbegin(); op != quantized.ops().rend(); ++op) {
    if (!IsConversion(*op) || RealOf(op->inputs[0]) != nullptr) continue;
    Pair(op->inputs[0], RealOf(op->output()));
  }
}

void TensorPairs::Pair(const Tensor* tensor, const Tensor* real) {
  if (real == nullptr || tensor->is_constant() || real->is_constant()) return;
  if (tensor->type.shape != real->type.shape) return;
  const bool comparable =
      real->type.dtype == DataType::kFloat32 || real->type.dtype == tensor->type.dtype;
  if (comparable) pairs_[tensor] = real;
}

const Tensor* TensorPairs::RealOf(const Tensor* tensor) const {
  const auto it = pairs_.find(tensor);
  return it == pairs_.end() ? nullptr : it->second;
}

bool TensorPairs::IsConversion(const Op& op) const {
  if (op.Is(TypeConversion::kNone)) return false;
  const Tensor* real = real_.FindTensor(op.output()->name);
  return real == nullptr || real->producer == nullptr || real->producer->def != op.def;
}

}  // namespace synap_internal
