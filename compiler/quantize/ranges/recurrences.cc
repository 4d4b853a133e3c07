#include "compiler/quantize/ranges/recurrences.h"

#include <algorithm>
#include <cstddef>
#include <set>

#include "compiler/graph/passes/output_tail.h"
#include "compiler/quantize/ranges/normalizations.h"
#include "compiler/quantize/ranges/result_range.h"

namespace synap_internal {
namespace {

// What computed `tensor`, before ops that moved it; null if it is an input or a constant.
const Op* SourceOf(const Tensor& tensor) {
  const Op* op = tensor.producer;
  while (op != nullptr && MovesData(*op)) op = op->inputs[0]->producer;
  return op;
}

bool IsFunctionTo(const Op* op, float min, float max) {
  return op != nullptr && IsBoundedFunction(*op) && op->def->fixed_min == min &&
         op->def->fixed_max == max;
}

bool IsGate(const Tensor& tensor) {
  const Op* op = SourceOf(tensor);
  if (IsFunctionTo(op, 0, 1)) return true;
  return op != nullptr && op->Is(Arithmetic::kDifference) && op->inputs[0]->is_constant() &&
         IsFunctionTo(SourceOf(*op->inputs[1]), 0, 1);
}

// Whether a tensor may be a state of the step before.
bool IsCarried(const Tensor& tensor) {
  const Op* op = SourceOf(tensor);
  return op == nullptr || !HasRealWeights(*op);
}

// The value of a product of a gate and a value; null if `op` is none. A value weighted by its own
// sigmoid is an activation, not gated.
const Tensor* GatedValue(const Op* op) {
  if (op == nullptr || !op->Is(Arithmetic::kProduct)) return nullptr;
  for (size_t i = 0; i < 2; ++i) {
    const Tensor &gate = *op->inputs[i], &value = *op->inputs[1 - i];
    if (IsGate(gate) && SourceOf(gate)->inputs[0] != &value) return &value;
  }
  return nullptr;
}

bool IsSumOfGated(const Op& sum) {
  const Tensor* values[] = {GatedValue(sum.inputs[0]->producer),
                            GatedValue(sum.inputs[1]->producer)};
  if (values[0] == nullptr || values[1] == nullptr) return false;
  for (size_t i = 0; i < 2; ++i) {
    if (IsFunctionTo(SourceOf(*values[i]), -1, 1) && IsCarried(*values[1 - i])) return true;
  }
  return false;
}

bool IsInterpolation(const Op& sum) {
  for (size_t i = 0; i < 2; ++i) {
    const Tensor* change = GatedValue(sum.inputs[1 - i]->producer);
    const Op* difference = change == nullptr ? nullptr : change->producer;
    if (difference != nullptr && difference->Is(Arithmetic::kDifference) &&
        difference->inputs[1] == sum.inputs[i] && IsCarried(*difference->inputs[0])) {
      return true;
    }
  }
  return false;
}

bool IsState(const Op& op) {
  return op.Is(Arithmetic::kSum) && op.inputs.size() == 2 &&
         (IsSumOfGated(op) || IsInterpolation(op));
}

class CellFinder {
 public:
  explicit CellFinder(const Graph& graph) : graph_(graph) {}

  Recurrences Find() {
    for (const Op& op : graph_.ops()) {
      if (IsState(op)) AddCell(op);
    }
    for (const Op& op : graph_.ops()) {
      if (LeadsOn(op)) AddCell(op);  // with the gate that lets a state out
    }
    std::set<const Op*> recurrent, inputs;
    for (const Op* layer : layers_) {
      const bool reads_state = ReadsState(*layer->inputs[0]);
      if (reads_state) AddMoves(*layer->inputs[0]);
      (reads_state ? recurrent : inputs).insert(layer);
    }
    Recurrences found{InOrder(graph_, cells_),
                      InOrder(graph_, recurrent),
                      InOrder(graph_, inputs),
                      InOrder(graph_, moves_),
                      {}};
    for (const Tensor* input : graph_.inputs) {
      if (inputs_.count(input) > 0) found.inputs.push_back(input);
    }
    return found;
  }

 private:
  // The ops from the linear layers, or the graph's inputs, to `op`.
  void AddCell(const Op& op) {
    std::vector<const Op*> next = {&op};
    while (!next.empty()) {
      const Op* each = next.back();
      next.pop_back();
      if (!cells_.insert(each).second) continue;
      for (const Tensor* operand : each->inputs) {
        if (operand != nullptr && !operand->is_constant()) Follow(*operand, next);
      }
    }
  }

  void Follow(const Tensor& operand, std::vector<const Op*>& next) {
    const Op* op = operand.producer;
    if (op == nullptr) {
      inputs_.insert(&operand);
    } else if (HasRealWeights(*op)) {
      layers_.insert(op);
    } else if (op->def->elementwise || MovesOrJoins(*op)) {
      next.push_back(op);
    }
  }

  bool IsOfCell(const Tensor& tensor) const { return cells_.count(tensor.producer) > 0; }

  // Whether the op, which comes after cells, belongs to one: it squashes the state, lets it out
  // through a gate, or moves and joins states.
  bool LeadsOn(const Op& op) const {
    if (op.inputs.empty() || cells_.count(&op) > 0) return false;
    const bool of_cell = IsOfCell(*op.inputs[0]);
    if (MovesData(op)) return of_cell;
    if (IsFunctionTo(&op, -1, 1)) return of_cell && IsState(*op.inputs[0]->producer);
    if (op.Is(Arithmetic::kProduct)) {
      const Tensor* value = GatedValue(&op);
      return value != nullptr && IsOfCell(*value) && IsFunctionTo(value->producer, -1, 1);
    }
    if (!op.Is(Movement::kConcat) && !op.Is(Arithmetic::kSelection)) return false;
    return std::all_of(op.inputs.begin(), op.inputs.end(), [&](const Tensor* operand) {
      return operand->is_constant() || IsOfCell(*operand);
    });
  }

  // Whether `operand` of a layer holds states, or an input of the graph as it is, after moves and
  // joins.
  bool ReadsState(const Tensor& operand) {
    if (operand.is_constant()) return false;
    const Op* op = operand.producer;
    if (op == nullptr) {
      inputs_.insert(&operand);
      return true;
    }
    if (cells_.count(op) > 0) return true;
    if (MovesData(*op)) return ReadsState(*op->inputs[0]);
    if (!op->Is(Movement::kConcat)) return false;
    return std::any_of(op->inputs.begin(), op->inputs.end(),
                       [&](const Tensor* part) { return IsOfCell(*part); });
  }

  void AddMoves(const Tensor& operand) {
    const Op* op = operand.producer;
    if (op == nullptr || cells_.count(op) > 0 || !MovesOrJoins(*op) || !moves_.insert(op).second) {
      return;
    }
    if (MovesData(*op)) AddMoves(*op->inputs[0]);
  }

  const Graph& graph_;
  std::set<const Op*> cells_, layers_, moves_;
  std::set<const Tensor*> inputs_;
};

}  // namespace

Recurrences FindRecurrences(const Graph& graph) { return CellFinder(graph).Find(); }

}  // namespace synap_internal
