#include "compiler/quantize/ranges/residuals.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>

#include "compiler/quantize/ranges/normalizations.h"

namespace synap_internal {
namespace {

class Finder {
 public:
  explicit Finder(const Graph& graph) : graph_(graph), normalizing_(NormalizingOps(graph)) {
    for (const Op& op : graph.ops()) positions_.emplace(&op, positions_.size());
  }

  std::vector<const Op*> Find() const {
    if (normalizing_.empty()) return {};
    std::set<const Op*> found;
    for (const Op& op : graph_.ops()) {
      if (!op.Is(Arithmetic::kSum) || !AddsEqualShapes(op)) continue;
      std::set<const Op*> stream = StreamInto(op, 0);
      if (stream.empty()) stream = StreamInto(op, 1);
      found.merge(stream);
    }
    return InOrder(graph_, found);
  }

 private:
  // The stream that reaches `sum` by operand `skip`, where the other one is a block's result.
  std::set<const Op*> StreamInto(const Op& sum, size_t skip) const {
    std::set<const Op*> stream = {&sum};
    const Tensor* origin = sum.inputs[skip];
    while (origin->producer != nullptr && MovesData(*origin->producer)) {
      stream.insert(origin->producer);
      origin = origin->producer->inputs[0];
    }
    const auto block = OpsBetween(*origin, *sum.inputs[1 - skip]);
    if (!block.has_value() || !(Normalizes(*block) || IsNormalized(*sum.output()))) return {};
    if (origin->producer != nullptr &&
        (AddsConstant(*origin->producer) || origin->producer->def->normalizes)) {
      stream.insert(origin->producer);
    }
    return stream;
  }

  static bool AddsEqualShapes(const Op& op) {
    return std::all_of(op.inputs.begin(), op.inputs.end(), [&](const Tensor* operand) {
      return !operand->is_constant() && operand->type.shape == op.output()->type.shape;
    });
  }

  static bool AddsConstant(const Op& op) {
    return op.Is(Arithmetic::kSum) && std::any_of(op.inputs.begin(), op.inputs.end(),
                                                  [](const Tensor* x) { return x->is_constant(); });
  }

  // The ops that compute `result` from no earlier tensors than `origin`; nothing if none of them
  // reads `origin`.
  std::optional<std::set<const Op*>> OpsBetween(const Tensor& origin, const Tensor& result) const {
    const auto is_later = [&](const Op* op) {
      return origin.producer == nullptr || positions_.at(op) > positions_.at(origin.producer);
    };
    std::set<const Op*> ops;
    std::vector<const Op*> next = {result.producer};
    bool reached = false;
    while (!next.empty()) {
      const Op* op = next.back();
      next.pop_back();
      if (op == nullptr || !is_later(op) || !ops.insert(op).second) continue;
      for (const Tensor* operand : op->inputs) {
        reached |= operand == &origin;
        if (operand != nullptr) next.push_back(operand->producer);
      }
    }
    if (!reached) return std::nullopt;
    return ops;
  }

  bool Normalizes(const std::set<const Op*>& ops) const {
    return std::any_of(ops.begin(), ops.end(),
                       [&](const Op* op) { return normalizing_.count(op) > 0; });
  }

  bool IsNormalized(const Tensor& tensor) const {
    return std::any_of(tensor.users.begin(), tensor.users.end(), [&](const Op* user) {
      return normalizing_.count(user) > 0 || (MovesData(*user) && IsNormalized(*user->output()));
    });
  }

  const Graph& graph_;
  std::map<const Op*, size_t> positions_;
  const std::set<const Op*> normalizing_;
};

}  // namespace

std::vector<const Op*> FindResiduals(const Graph& graph) { return Finder(graph).Find(); }

}  // namespace synap_internal
