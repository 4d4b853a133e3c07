#include "compiler/passes/make_tables.h"

#include <array>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/passes/rewrite.h"

namespace synap {
namespace {

// One quantized operand in, one quantized output of the same shape, element by
// element: the op itself tells its table when it is run over all 256 values.
bool IsTableFunction(const Op& op) {
  if (!op.def->elementwise || op.inputs.size() != 1 || op.outputs.size() != 1) return false;
  const TensorType& in = op.inputs[0]->type;
  const TensorType& out = op.output()->type;
  return in.dtype == DataType::kUint8 && out.dtype == DataType::kUint8 && in.quant.quantized() &&
         out.quant.quantized();
}

absl::StatusOr<Constant> TableOf(const Op& op) {
  std::array<uint8_t, 256> values;
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<uint8_t>(i);
  return EvaluateFunction(op, {DataType::kUint8, Shape({256}), op.inputs[0]->type.quant},
                          Constant::Of(absl::MakeConstSpan(values)), op.output()->type);
}

}  // namespace

absl::StatusOr<int> MakeTables(Graph& graph) {
  std::vector<Op*> order;
  for (Op& op : graph.ops()) order.push_back(&op);
  int rewrites = 0;
  for (Op* op : order) {
    if (op->Is("lookup") || !IsTableFunction(*op)) continue;
    ASSIGN_OR_RETURN(Constant values, TableOf(*op));
    Tensor* table = graph.AddConstant(absl::StrCat(op->output()->name, ".table"),
                                      {DataType::kUint8, Shape({256}), {}}, std::move(values));
    ASSIGN_OR_RETURN(Op * lookup, graph.AddInferredOp("lookup", {op->inputs[0], table}, {},
                                                      op->origins, op->output()->name, op));
    lookup->output()->type = op->output()->type;
    ReplaceOp(graph, op, lookup->output());
    ++rewrites;
  }
  return rewrites;
}

}  // namespace synap
