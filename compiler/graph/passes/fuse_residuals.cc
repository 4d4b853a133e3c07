#include "compiler/graph/passes/fuse_residuals.h"

#include <list>
#include <unordered_map>

#include "compiler/graph/passes/replace_op.h"
#include "compiler/graph/passes/tensor_uses.h"
#include "kernels/shared/linear/linear.h"

namespace synap_internal {
namespace {

using Place = std::list<Op>::iterator;

bool IsLikeOutput(const Op& op, const Tensor& operand) {
  const TensorType &type = operand.type, &output = op.output()->type;
  return type.dtype == output.dtype && type.shape == output.shape;
}

// A sum of int16 without broadcasting.
bool IsPlainSum(const Op& op) {
  if (!op.Is(Arithmetic::kSum) || !IsLikeOutput(op, *op.inputs[0]) ||
      !IsLikeOutput(op, *op.inputs[1])) {
    return false;
  }
  const TensorType& type = op.output()->type;
  return type.dtype == DataType::kInt16 && type.quant.quantized();
}

// The op that makes operand `i` of a sum, if it can add the other operand.
Op* LinearOperand(const Graph& graph, const Op& sum, size_t i) {
  Op* linear = sum.inputs[i]->producer;
  const bool fits = linear != nullptr && linear->def->epilogue &&
                    linear->input(kResidual) == nullptr && HasSingleUse(graph, sum.inputs[i]);
  return fits ? linear : nullptr;
}

void CopyAttribute(const Op& from, absl::string_view name, Op& to, absl::string_view new_name) {
  const auto it = from.attributes.find(name);
  if (it != from.attributes.end()) to.attributes[std::string(new_name)] = it->second;
}

void FuseResidual(Graph& graph, Op* sum, Op* linear, Tensor* residual) {
  Tensor* own = linear->output();
  linear->attributes["own_scale"] = own->type.quant.scale();
  linear->attributes["own_zero_point"] = int64_t{own->type.quant.zero_point()};
  CopyAttribute(*sum, "min", *linear, "sum_min");
  CopyAttribute(*sum, "max", *linear, "sum_max");
  graph.SetInput(linear, kResidual, residual);
  own->type.quant = sum->output()->type.quant;
  linear->origins = JoinOrigins(*linear, *sum);
  ReplaceOp(graph, sum, own);
}

}  // namespace

absl::StatusOr<int> FuseResiduals(Graph& graph) {
  std::list<Op>& ops = graph.ops();
  std::unordered_map<const Op*, Place> places;
  std::unordered_map<const Op*, int> order;
  for (Place place = ops.begin(); place != ops.end(); ++place) {
    places[&*place] = place;
    order[&*place] = static_cast<int>(order.size());
  }
  int rewrites = 0;
  for (Place place = ops.begin(); place != ops.end();) {
    Op* const sum = &*place++;
    if (!IsPlainSum(*sum)) continue;
    Op *const a = LinearOperand(graph, *sum, 0), *const b = LinearOperand(graph, *sum, 1);
    if (a == nullptr && b == nullptr) continue;
    const bool first = b == nullptr || (a != nullptr && order[a] > order[b]);
    Op* const linear = first ? a : b;
    // The linear op may run later: only the sum reads its result. The residual is computed by then.
    ops.splice(places[sum], ops, places[linear]);
    FuseResidual(graph, sum, linear, sum->inputs[first ? 1 : 0]);
    ++rewrites;
  }
  return rewrites;
}

}  // namespace synap_internal
