#include "compiler/quantize/ranges/normalizations.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>

namespace synap_internal {
namespace {

bool Averages(const Op& op) { return op.def->averaged_elements != nullptr; }

// The operand that flows of an op whose others are constant; null if there are several.
const Tensor* OnlyFlowing(const Op& op) {
  const Tensor* flowing = nullptr;
  for (const Tensor* operand : op.inputs) {
    if (operand == nullptr || operand->is_constant()) continue;
    if (flowing != nullptr && flowing != operand) return nullptr;
    flowing = operand;
  }
  return flowing;
}

// What leads from `values` by a mean to `result`; nothing if that isn't all.
std::optional<std::set<const Op*>> OpsToMean(const Tensor& values, const Tensor& result) {
  std::set<const Op*> ops;
  bool averaged = false;
  for (const Tensor* tensor = &result; tensor != &values || !averaged;) {
    const Op* op = tensor->producer;
    if (op == nullptr) return std::nullopt;
    const bool known = op->def->is_function() || Averages(*op) || MovesData(*op) ||
                       op->Is(Movement::kBroadcast) || op->Is(Arithmetic::kSum) ||
                       op->Is(Arithmetic::kProduct) || op->Is(Arithmetic::kMaximum);
    tensor = known ? OnlyFlowing(*op) : nullptr;
    if (tensor == nullptr) return std::nullopt;
    averaged |= Averages(*op);
    ops.insert(op);
  }
  return ops;
}

// What x - mean(x) is made of, without x; empty if `centered` isn't that.
std::set<const Op*> CenteringOps(const Tensor& centered) {
  const Op* difference = centered.producer;
  if (difference == nullptr || !difference->Is(Arithmetic::kDifference)) return {};
  std::optional<std::set<const Op*>> ops =
      OpsToMean(*difference->inputs[0], *difference->inputs[1]);
  if (!ops.has_value()) return {};
  ops->insert(difference);
  return *ops;
}

// The constants that scale and shift what `op` gives.
void AddAffine(const Graph& graph, const Op* op, std::set<const Op*>& ops) {
  while (op->output()->users.size() == 1 && !graph.IsOutput(op->output())) {
    op = op->output()->users[0];
    if (!op->Is(Arithmetic::kProduct) && !op->Is(Arithmetic::kSum)) return;
    if (std::none_of(op->inputs.begin(), op->inputs.end(),
                     [](const Tensor* x) { return x->is_constant(); })) {
      return;
    }
    ops.insert(op);
  }
}

// The ops of the normalization whose quotient `op` is; empty if it is none.
std::set<const Op*> OpsOfQuotient(const Graph& graph, const Op& op) {
  const bool product = op.Is(Arithmetic::kProduct);
  if (!product && !op.Is(Arithmetic::kQuotient)) return {};
  for (size_t i = 0; i < (product ? 2 : 1); ++i) {
    const Tensor &values = *op.inputs[i], &deviation = *op.inputs[1 - i];
    if (&values == &deviation) continue;
    auto ops = OpsToMean(values, deviation);
    // The mean of the values themselves is that of a gate.
    if (!ops.has_value() || std::any_of(ops->begin(), ops->end(), [&](const Op* each) {
          return Averages(*each) && each->inputs[0] == &values;
        })) {
      continue;
    }
    ops->insert(&op);
    ops->merge(CenteringOps(values));
    AddAffine(graph, &op, *ops);
    return *ops;
  }
  return {};
}

}  // namespace

std::set<const Op*> NormalizingOps(const Graph& graph) {
  std::set<const Op*> ops;
  for (const Op& op : graph.ops()) {
    if (op.def->normalizes) ops.insert(&op);
    ops.merge(OpsOfQuotient(graph, op));
  }
  return ops;
}

std::vector<const Op*> InOrder(const Graph& graph, const std::set<const Op*>& ops) {
  std::vector<const Op*> ordered;
  for (const Op& op : graph.ops()) {
    if (ops.count(&op) > 0) ordered.push_back(&op);
  }
  return ordered;
}

}  // namespace synap_internal
