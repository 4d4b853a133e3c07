#include "compiler/quantize/ranges/shared_ranges.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "compiler/quantize/quantizer_params.h"

namespace synap_internal {
namespace {

// Disjoint sets of tensors with one range each.
class RangeGroups {
 public:
  RangeGroups(const Graph& graph, std::map<std::string, ValueRange> ranges)
      : graph_(graph), ranges_(std::move(ranges)) {}

  struct Source {
    const Tensor* tensor = nullptr;  // null if it has no range of its own
    bool has_one_reader = true;      // as have all tensors on the way to the operand
  };

  // The tensor that gives `tensor` its quantizer: itself, or the tensor whose values
  // the ops in between only move.
  Source SourceOf(const Tensor* tensor) const {
    Source source;
    for (;; tensor = tensor->producer->inputs[0]) {
      if (tensor->users.size() != 1 || graph_.IsOutput(tensor)) source.has_one_reader = false;
      if (tensor->producer == nullptr) break;
      const QuantRule rule = tensor->producer->def->quant_rule;
      if (rule == QuantRule::kFixedRange || rule == QuantRule::kNotQuantized) return source;
      if (rule == QuantRule::kOwnRange) break;
    }
    if (tensor->producer == nullptr) source.has_one_reader = false;
    if (ranges_.contains(tensor->name)) source.tensor = tensor;
    return source;
  }

  // Joins the sets of a concat and its operand. The width of an operand that only the concat
  // reads doesn't matter; no other concat has joined it then.
  void Join(const Tensor* concat, const Source& operand) {
    Group& to = GroupOf(concat);
    Group& from = GroupOf(operand.tensor);
    if (&to == &from) return;
    const ValueRange hull = Hull(to.range, from.range);
    const float narrowest =
        operand.has_one_reader ? to.narrowest : std::min(to.narrowest, from.narrowest);
    constexpr float kLimit = 1.41421356f;
    if (WidthOf(hull) >= kLimit * narrowest) return;
    to.range = hull;
    to.narrowest = narrowest;
    to.members.insert(to.members.end(), from.members.begin(), from.members.end());
    for (const Tensor* member : from.members) leader_[member] = leader_[concat];
  }

  std::map<std::string, ValueRange> Take() {
    for (const auto& [tensor, leader] : leader_) ranges_[tensor->name] = groups_[leader].range;
    return std::move(ranges_);
  }

 private:
  struct Group {
    ValueRange range;
    // The smallest width of a member that has readers of its own.
    float narrowest = 0;
    std::vector<const Tensor*> members;
  };

  Group& GroupOf(const Tensor* tensor) {
    const auto [it, added] = leader_.emplace(tensor, tensor);
    Group& group = groups_[it->second];
    if (added) {
      const ValueRange range = ranges_.at(tensor->name);
      group = {range, WidthOf(range), {tensor}};
    }
    return group;
  }

  const Graph& graph_;
  std::map<std::string, ValueRange> ranges_;
  std::map<const Tensor*, const Tensor*> leader_;
  std::map<const Tensor*, Group> groups_;
};

}  // namespace

std::map<std::string, ValueRange> SharedRanges(const Graph& graph,
                                               const LayerPrecisions& precisions, int bits,
                                               std::map<std::string, ValueRange> ranges) {
  RangeGroups groups(graph, std::move(ranges));
  // From the outputs to the inputs: a concat of concats passes its range to its operands.
  for (auto op = graph.ops().rbegin(); op != graph.ops().rend(); ++op) {
    if (!op->Is(Movement::kConcat) || precisions.of(*op).bits() != bits) continue;
    const Tensor* concat = groups.SourceOf(op->output()).tensor;
    if (concat == nullptr) continue;
    for (const Tensor* operand : op->inputs) {
      if (operand->is_constant()) continue;
      const RangeGroups::Source source = groups.SourceOf(operand);
      if (source.tensor != nullptr) groups.Join(concat, source);
    }
  }
  return groups.Take();
}

}  // namespace synap_internal
