#include "compiler/graph/passes/producers.h"

#include "kernels/binary/binary.h"

namespace synap_internal {

std::optional<float> ScalarValue(const Tensor& tensor) {
  if (!tensor.is_constant() || tensor.type.dtype != DataType::kFloat32 ||
      tensor.type.shape.elements() != 1) {
    return std::nullopt;
  }
  return tensor.values<float>()[0];
}

std::optional<UnaryFunction> FunctionOf(const Tensor& tensor) {
  if (tensor.producer == nullptr) return std::nullopt;
  const absl::StatusOr<UnaryParams> unary =
      FloatUnary(tensor.producer->def->name, tensor.producer->attributes);
  if (!unary.ok()) return std::nullopt;
  return unary->function;
}

bool IsPower(const Op& op) { return FindBinary(op.def->name) == BinaryFunction::kPow; }

}  // namespace synap_internal
