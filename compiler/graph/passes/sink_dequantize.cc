#include "compiler/graph/passes/sink_dequantize.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/graph/passes/op_attributes.h"
#include "compiler/graph/passes/replace_op.h"

namespace synap_internal {
namespace {

// The dimension of `out` that holds dimension `axis` of `in`, after a reshape.
std::optional<int32_t> ReshapedAxis(const Shape& in, const Shape& out, size_t axis) {
  for (size_t i = 0; i < out.rank(); ++i) {
    const bool same =
        out[i] == in[axis] && out.Product(i + 1, out.rank()) == in.Product(axis + 1, in.rank());
    if (same) return static_cast<int32_t>(i);
  }
  return std::nullopt;
}

// The quantizer of the op's result; nullopt if the values of a channel don't stay together.
std::optional<QuantParams> MovedQuantizer(const Op& op, const TensorType& x) {
  if (x.quant.scheme != QuantScheme::kPerChannelSymmetric) return x.quant;
  QuantParams quant = x.quant;
  if (op.Is(Movement::kTranspose)) {
    const std::vector<int64_t>& perm = IntsAttribute(op, "perm");
    quant.axis =
        static_cast<int32_t>(std::find(perm.begin(), perm.end(), x.quant.axis) - perm.begin());
    return quant;
  }
  if (!op.Is(Movement::kReshape)) return std::nullopt;
  const std::optional<int32_t> axis =
      ReshapedAxis(x.shape, op.output()->type.shape, static_cast<size_t>(x.quant.axis));
  if (!axis.has_value()) return std::nullopt;
  quant.axis = *axis;
  return quant;
}

// The op's result over a constant's integers; null if it can't be computed now.
absl::StatusOr<Tensor*> MovedConstant(Graph& graph, const Op& op, const Tensor& constant) {
  const std::optional<QuantParams> quant = MovedQuantizer(op, constant.type);
  if (!quant.has_value() || !MovesData(op)) return nullptr;
  Tensor plain = constant, result;
  plain.type.quant = {};
  result.type = {plain.type.dtype, op.output()->type.shape, {}};
  Op detached = op;
  detached.inputs = {&plain};
  detached.outputs = {&result};
  ASSIGN_OR_RETURN(std::vector<Constant> values, EvaluateOp(detached));
  return graph.AddConstant(constant.name, {plain.type.dtype, result.type.shape, *quant},
                           std::move(values[0]));
}

absl::StatusOr<Tensor*> MovedIntegers(Graph& graph, Op* op, Tensor* integers) {
  if (integers->is_constant()) return MovedConstant(graph, *op, *integers);
  std::vector<Tensor*> operands = op->inputs;
  operands[0] = integers;
  ASSIGN_OR_RETURN(Op * moved,
                   graph.AddInferredOp(op->def->name, std::move(operands), op->attributes,
                                       op->origins, absl::StrCat(op->output()->name, ".q"), op));
  return moved->output();
}

absl::StatusOr<bool> Sink(Graph& graph, Op* op) {
  const Op* dequantize = op->inputs[0]->producer;
  if (dequantize == nullptr || !dequantize->Is(TypeConversion::kDequantize) || !MovesIntegers(*op))
    return false;
  ASSIGN_OR_RETURN(Tensor * moved, MovedIntegers(graph, op, dequantize->inputs[0]));
  if (moved == nullptr) return false;
  ASSIGN_OR_RETURN(Op * sunk, graph.AddInferredOp("dequantize", {moved}, {}, op->origins,
                                                  op->output()->name, op));
  ReplaceOp(graph, op, sunk->output());
  return true;
}

}  // namespace

bool MovesIntegers(const Op& op) {
  return op.inputs.size() == 1 && op.def->picks_values != nullptr &&
         op.def->picks_values(op.attributes);
}

absl::StatusOr<int> SinkDequantize(Graph& graph) {
  std::vector<Op*> order;
  for (Op& op : graph.ops()) order.push_back(&op);
  int rewrites = 0;
  for (Op* op : order) {
    ASSIGN_OR_RETURN(const bool sunk, Sink(graph, op));
    rewrites += sunk;
  }
  graph.RemoveDead();
  return rewrites;
}

}  // namespace synap_internal
