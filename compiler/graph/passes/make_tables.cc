#include "compiler/graph/passes/make_tables.h"

#include <array>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/graph/passes/replace_op.h"

namespace synap_internal {
namespace {

bool IsQuantizedByte(const TensorType& type) {
  return type.dtype == DataType::kUint8 && type.quant.quantized();
}

bool IsScalar(const Tensor& tensor) {
  return tensor.is_constant() && tensor.type.shape.elements() == 1;
}

// Tensor at the start of the chain of look-ups that ends in `tensor`; itself if it isn't a look-up.
Tensor* RootOf(Tensor* tensor) {
  while (tensor->producer != nullptr && tensor->producer->def->is_lookup()) {
    tensor = tensor->producer->inputs[0];
  }
  return tensor;
}

// The one tensor that decides the op's results, element by element; null if there is none. Of a
// chain of look-ups the last tensor that all operands share.
Tensor* SourceOf(const Op& op) {
  if (!op.def->elementwise || op.outputs.size() != 1) return nullptr;
  if (!IsQuantizedByte(op.output()->type)) return nullptr;
  Tensor *nearest = nullptr, *root = nullptr;
  bool same = true;
  for (Tensor* operand : op.inputs) {
    if (operand == nullptr || !IsQuantizedByte(operand->type)) return nullptr;
    if (IsScalar(*operand)) continue;
    if (operand->is_constant()) return nullptr;
    same = same && (nearest == nullptr || nearest == operand);
    if (root != nullptr && root != RootOf(operand)) return nullptr;
    nearest = operand;
    root = RootOf(operand);
  }
  Tensor* source = same ? nearest : root;
  const bool fits = source != nullptr && source->type.shape == op.output()->type.shape;
  return fits ? source : nullptr;
}

// Values of `tensor`, a chain of look-ups of `source`, where `source` is 0, 1, ... 255.
std::array<uint8_t, 256> ValuesOf(const Tensor* tensor, const Tensor* source) {
  std::array<uint8_t, 256> values;
  if (tensor == source) {
    std::iota(values.begin(), values.end(), uint8_t{0});
    return values;
  }
  values = ValuesOf(tensor->producer->inputs[0], source);
  const absl::Span<const uint8_t> table = tensor->producer->inputs[1]->values<uint8_t>();
  for (uint8_t& value : values) value = table[value];
  return values;
}

absl::StatusOr<Constant> TableOf(const Op& op, const Tensor* source) {
  std::vector<TypedConstant> operands;
  for (const Tensor* operand : op.inputs) {
    if (IsScalar(*operand)) {
      operands.push_back({{DataType::kUint8, Shape({1}), operand->type.quant}, *operand->constant});
      continue;
    }
    const std::array<uint8_t, 256> values = ValuesOf(operand, source);
    operands.push_back({{DataType::kUint8, Shape({256}), operand->type.quant},
                        Constant::Of(absl::MakeConstSpan(values))});
  }
  return EvaluateFunction(op, std::move(operands), op.output()->type);
}

}  // namespace

absl::StatusOr<int> MakeTables(Graph& graph) {
  std::vector<Op*> order;
  for (Op& op : graph.ops()) order.push_back(&op);
  int rewrites = 0;
  for (Op* op : order) {
    Tensor* source = op->def->is_lookup() ? nullptr : SourceOf(*op);
    if (source == nullptr) continue;
    ASSIGN_OR_RETURN(Constant values, TableOf(*op, source));
    Tensor* table = graph.AddConstant(absl::StrCat(op->output()->name, ".table"),
                                      {DataType::kUint8, Shape({256}), {}}, std::move(values));
    ASSIGN_OR_RETURN(Op * lookup, graph.AddInferredOp("lookup", {source, table}, {}, op->origins,
                                                      op->output()->name, op));
    lookup->output()->type = op->output()->type;
    ReplaceOp(graph, op, lookup->output());
    ++rewrites;
  }
  graph.RemoveDead();
  return rewrites;
}

}  // namespace synap_internal
