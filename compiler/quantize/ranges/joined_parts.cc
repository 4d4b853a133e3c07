#include "compiler/quantize/ranges/joined_parts.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/axes.h"
#include "compiler/graph/passes/moved_axis.h"
#include "compiler/graph/passes/op_attributes.h"
#include "compiler/quantize/quantizer_params.h"
#include "compiler/quantize/ranges/result_range.h"

namespace synap_internal {
namespace {

using Axis = std::optional<size_t>;  // nullopt: parts lie anywhere

// Whether the op chooses positions along the dimension.
bool ChoosesAlong(const Op& op, size_t axis) {
  if (op.Is(Movement::kSlice)) {
    return op.inputs[0]->type.shape[axis] != op.output()->type.shape[axis];
  }
  return GatheredAxis(op) == axis;
}

// Whether the op's results are values of `operand`, moved, chosen or joined with others.
bool Holds(const Op& op, const Tensor& operand) {
  if (op.Is(Movement::kConcat)) return true;
  return op.inputs[0] == &operand && op.def->quant_rule == QuantRule::kSameAsInput;
}

Axis After(const Op& op, const Axis& axis) {
  if (!axis.has_value()) return axis;
  const bool keeps_dimensions =
      !MovesData(op) && !GatheredAxis(op).has_value();  // pools, pads, concats
  return keeps_dimensions ? axis : AxisAfter(op, *axis);
}

// Follows a joined tensor's values to where they leave or are taken apart.
class Follower {
 public:
  Follower(const Graph& graph, const std::map<std::string, ValueRange>& ranges,
           const std::vector<bool>& real_outputs, const std::function<bool(const Op&)>& may_change,
           JoinedParts& parts)
      : graph_(graph),
        ranges_(ranges),
        real_outputs_(real_outputs),
        may_change_(may_change),
        parts_(parts) {}

  void Run() {
    const auto axis = static_cast<size_t>(AxisFromFront(
        IntAttribute(*parts_.concat, "axis", 0), parts_.concat->output()->type.shape.rank()));
    if (Matters(*parts_.concat->output(), axis)) holders_.insert(parts_.concat);
    for (const Op& op : graph_.ops()) {
      if (holders_.count(&op) > 0) parts_.holders.push_back(&op);
    }
  }

 private:
  // Whether parts of `tensor` leave or are taken apart; adds the ops after it that lead there.
  bool Matters(const Tensor& tensor, const Axis& axis) {
    const auto [known, added] = known_.emplace(std::pair(&tensor, axis), false);
    if (!added) return known->second;
    bool matters = Leaves(tensor);
    for (const Op* user : tensor.users) {
      if (Holds(*user, tensor) && LeadsOn(*user, axis)) matters = true;
    }
    return known_[{&tensor, axis}] = matters;
  }

  bool LeadsOn(const Op& op, const Axis& axis) {
    if (!may_change_(op)) return true;
    const bool apart = axis.has_value() ? ChoosesAlong(op, *axis) : ChoosesNarrowPart(op);
    if (apart) parts_.taken_apart = true;
    const bool leads = apart || Matters(*op.output(), After(op, axis));
    if (leads) holders_.insert(&op);
    return leads;
  }

  // Where parts lie anywhere, the samples tell: a channel shuffle's halves hold values of all.
  bool ChoosesNarrowPart(const Op& op) const {
    if (!op.Is(Movement::kSlice) && !GatheredAxis(op).has_value()) return false;
    const auto range = ranges_.find(op.output()->name);
    return range != ranges_.end() && WidthOf(range->second) < kFewSteps * WidthOf(parts_.range);
  }

  bool Leaves(const Tensor& tensor) {
    bool leaves = false;
    for (size_t i = 0; i < graph_.outputs.size(); ++i) {
      if (graph_.outputs[i] != &tensor) continue;
      leaves = true;
      (real_outputs_[i] ? parts_.leaves_real : parts_.leaves_integers) = true;
    }
    return leaves;
  }

  const Graph& graph_;
  const std::map<std::string, ValueRange>& ranges_;
  const std::vector<bool>& real_outputs_;
  const std::function<bool(const Op&)>& may_change_;
  JoinedParts& parts_;
  std::set<const Op*> holders_;
  std::map<std::pair<const Tensor*, Axis>, bool> known_;
};

// Widths of tensors, and of the narrowest of the parts that they hold.
class Widths {
 public:
  explicit Widths(const std::map<std::string, ValueRange>& ranges) : ranges_(ranges) {}

  // REQUIRES: the ops before it were added.
  float Add(const Op& op) {
    float& narrowest = narrowest_[op.output()];
    narrowest = WidthOf(RangeOfResult(op, ranges_));
    const bool holds_all = op.Is(Movement::kConcat) || (MovesData(op) && !Cuts(op));
    if (!holds_all) return narrowest;
    for (const Tensor* operand : op.inputs) {
      const float part = NarrowestOf(*operand);
      if (part > 0) narrowest = std::min(narrowest, part);
    }
    return narrowest;
  }

 private:
  static bool Cuts(const Op& op) {
    return op.Is(Movement::kSlice) && op.inputs[0]->type.shape != op.output()->type.shape;
  }

  float NarrowestOf(const Tensor& tensor) const {
    const auto found = narrowest_.find(&tensor);
    if (found != narrowest_.end()) return found->second;
    const auto range = ranges_.find(tensor.name);
    if (range != ranges_.end()) return WidthOf(range->second);
    return tensor.is_float_constant() ? WidthOf(RangeOf(tensor.values<float>())) : 0;
  }

  const std::map<std::string, ValueRange>& ranges_;
  std::map<const Tensor*, float> narrowest_;
};

}  // namespace

std::vector<JoinedParts> FindJoinedParts(const Graph& graph,
                                         const std::map<std::string, ValueRange>& ranges,
                                         const std::vector<bool>& real_outputs,
                                         const std::function<bool(const Op&)>& may_change) {
  std::vector<JoinedParts> found;
  Widths widths(ranges);
  for (const Op& op : graph.ops()) {
    const float narrowest = widths.Add(op);
    const ValueRange range = RangeOfResult(op, ranges);
    if (!op.Is(Movement::kConcat) || narrowest <= 0 || narrowest >= kFewSteps * WidthOf(range) ||
        !may_change(op)) {
      continue;
    }
    JoinedParts parts{&op, range, narrowest, {}};
    Follower(graph, ranges, real_outputs, may_change, parts).Run();
    if (!parts.holders.empty()) found.push_back(std::move(parts));
  }
  return found;
}

}  // namespace synap_internal
