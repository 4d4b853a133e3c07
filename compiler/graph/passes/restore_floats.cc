#include "compiler/graph/passes/restore_floats.h"

#include <memory>
#include <optional>
#include <vector>

#include "compiler/graph/passes/fuse_clamp.h"
#include "compiler/graph/passes/replace_op.h"

namespace synap_internal {
namespace {

// Into, out of or between quantizers.
bool IsQuantizerConversion(const Op& op) {
  return !op.Is(TypeConversion::kNone) && !op.Is(TypeConversion::kCast);
}

// What a quantizer's integers hold, if that has no negative number.
std::optional<Clamp> LimitsOf(const TensorType& type) {
  const IntegerRange integers = RangeOf(type.dtype);
  if (type.quant.scales.size() != 1 || type.quant.zero_point() > integers.min) return std::nullopt;
  const auto steps = static_cast<float>(integers.max - type.quant.zero_point());
  return Clamp{0, steps * type.quant.scale()};
}

}  // namespace

absl::StatusOr<int> RestoreFloats(Graph& graph) {
  int restored = 0;
  for (Tensor& tensor : graph.tensors()) {
    if (!tensor.type.quant.quantized()) continue;
    std::optional<Clamp> limits;
    if (tensor.is_constant()) {
      tensor.constant = std::make_shared<const Constant>(Dequantized(tensor));
    } else {
      limits = LimitsOf(tensor.type);
    }
    tensor.type = {DataType::kFloat32, tensor.type.shape, {}};
    if (limits.has_value() && tensor.producer != nullptr) {
      ClampResults(*tensor.producer, limits->min, limits->max);
    }
    ++restored;
  }
  std::vector<Op*> conversions;
  for (Op& op : graph.ops()) {
    if (IsQuantizerConversion(op)) conversions.push_back(&op);
  }
  for (Op* op : conversions) ReplaceOp(graph, op, op->inputs[0]);
  return restored;
}

}  // namespace synap_internal
