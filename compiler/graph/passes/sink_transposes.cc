#include "compiler/graph/passes/sink_transposes.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/axes.h"
#include "base/status_macros.h"
#include "compiler/graph/passes/op_attributes.h"
#include "compiler/graph/passes/permutation.h"
#include "compiler/graph/passes/replace_op.h"

namespace synap_internal {
namespace {

using Dims = std::vector<int64_t>;

const Op* TransposeOf(const Tensor* tensor) {
  return tensor != nullptr && tensor->producer != nullptr &&
                 tensor->producer->Is(Movement::kTranspose)
             ? tensor->producer
             : nullptr;
}

// One crossing: op reads transpose(x, perm) and becomes transpose(op'(x), perm).
class Sinker {
 public:
  Sinker(Graph& graph, Op* op, Dims perm) : graph_(graph), op_(op), perm_(std::move(perm)) {}

  // Replaces the op; false if it can't be crossed.
  absl::StatusOr<bool> Sink() {
    if (op_->Is(Movement::kTranspose)) return Compose();
    if (op_->Is(Movement::kReshape)) return CrossReshape();
    Attributes attributes = op_->attributes;
    std::optional<Dims> after;
    if (op_->def->elementwise) after = perm_;
    if (op_->def->sink_transpose != nullptr) after = op_->def->sink_transpose(perm_, attributes);
    if (!after.has_value()) return false;
    std::vector<Tensor*> operands;
    for (size_t i = 0; i < op_->inputs.size(); ++i) {
      if (!IsTable(i) && !CanPull(op_->inputs[i])) return false;
    }
    for (size_t i = 0; i < op_->inputs.size(); ++i) {
      Tensor* operand = op_->inputs[i];
      if (!IsTable(i)) {
        ASSIGN_OR_RETURN(operand, Pull(operand));
      }
      operands.push_back(operand);
    }
    return Finish(op_->def->name, std::move(operands), std::move(attributes), *after);
  }

 private:
  // transpose(transpose(x, p), q) = transpose(x, p[q])
  absl::StatusOr<bool> Compose() {
    const Op* first = op_->inputs[0]->producer;
    return Finish("transpose", {first->inputs[0]},
                  {{"perm", Permute(perm_, IntsAttribute(*op_, "perm"))}}, {});
  }

  // An operand of lower rank broadcasts: leading dimensions of 1 are implied.
  Shape Expanded(const Tensor& tensor) const {
    Dims dims(perm_.size() - tensor.type.shape.rank(), 1);
    dims.insert(dims.end(), tensor.type.shape.dims().begin(), tensor.type.shape.dims().end());
    return Shape(std::move(dims));
  }

  // A table's entries aren't elements that the transpose moves.
  bool IsTable(size_t i) const { return RoleOf(*op_, i) == OperandRole::kTable; }

  bool CanPull(const Tensor* operand) const {
    if (operand->type.shape.rank() > perm_.size()) return false;
    if (const Op* transpose = TransposeOf(operand)) {
      if (IntsAttribute(*transpose, "perm") == perm_) return true;
    }
    return operand->is_constant() || MovesNoData(Expanded(*operand));
  }

  bool MovesNoData(const Shape& shape) const {
    return KeepsElementOrder(shape, InversePermutation(perm_));
  }

  // The operand in x's order of dimensions.
  absl::StatusOr<Tensor*> Pull(Tensor* operand) {
    if (const Op* transpose = TransposeOf(operand)) {
      if (IntsAttribute(*transpose, "perm") == perm_) return transpose->inputs[0];
    }
    if (operand->type.shape.elements() == 1 && op_->def->elementwise) return operand;
    const Shape expanded = Expanded(*operand);
    const Dims inverse = InversePermutation(perm_);
    Tensor* source = operand;
    if (expanded != operand->type.shape) {
      ASSIGN_OR_RETURN(source, Reshaped(source, expanded.dims()));
    }
    if (MovesNoData(expanded)) return Reshaped(source, Permute(expanded.dims(), inverse));
    ASSIGN_OR_RETURN(Op * transposed,
                     graph_.AddInferredOp("transpose", {source}, {{"perm", inverse}}, op_->origins,
                                          operand->name, op_));
    return Folded(transposed);
  }

  absl::StatusOr<Tensor*> Reshaped(Tensor* tensor, Dims shape) {
    ASSIGN_OR_RETURN(Op * reshaped,
                     graph_.AddInferredOp("reshape", {tensor}, {{"shape", std::move(shape)}},
                                          op_->origins, tensor->name, op_));
    return Folded(reshaped);
  }

  // Constants are computed now, so that no transpose is left to sink again.
  absl::StatusOr<Tensor*> Folded(Op* moved) {
    Tensor* output = moved->output();
    if (!moved->inputs[0]->is_constant()) return output;
    ASSIGN_OR_RETURN(std::vector<Constant> values, EvaluateOp(*moved));
    Tensor* constant = graph_.AddConstant(output->name, output->type, std::move(values[0]));
    graph_.RemoveOp(moved);
    return constant;
  }

  // Factors of a reshape: dimensions [in_begin, in_end) of the input become
  // [out_begin, out_end) of the output. Ones at the end have no other side.
  struct Group {
    size_t in_begin, in_end, out_begin, out_end;
  };

  // REQUIRES: as many elements on both sides, at least one.
  static std::vector<Group> GroupsOf(const Shape& in, const Shape& out) {
    std::vector<Group> groups;
    size_t i = 0, o = 0;
    while (i < in.rank() && o < out.rank()) {
      if (in[i] == 1 && out[o] == 1) {
        groups.push_back({i, i + 1, o, o + 1});
        ++i, ++o;
        continue;
      }
      Group group{i, i, o, o};
      int64_t in_product = 1, out_product = 1;
      do {
        if (in_product <= out_product) {
          in_product *= in[i++];
        } else {
          out_product *= out[o++];
        }
      } while (in_product != out_product);
      group.in_end = i;
      group.out_end = o;
      groups.push_back(group);
    }
    for (; i < in.rank(); ++i) groups.push_back({i, i + 1, o, o});
    for (; o < out.rank(); ++o) groups.push_back({i, i, o, o + 1});
    return groups;
  }

  // reshape(transpose(x)): the transpose is split into one inside the groups
  // that merge (it stays before the reshape) and one of whole groups (it moves after it).
  absl::StatusOr<bool> CrossReshape() {
    const Tensor* moved = op_->inputs[0];
    const Shape& in = moved->type.shape;
    const Shape& out = op_->output()->type.shape;
    if (in.elements() == 0) return false;
    const std::vector<Group> groups = GroupsOf(in, out);
    // Groups in the order in which x holds their first dimension of data.
    std::vector<size_t> order(groups.size());
    std::iota(order.begin(), order.end(), size_t{0});
    const Dims positions = PositionsOf(groups, in);
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return positions[a] < positions[b]; });
    Dims front, shape, after(out.rank());
    for (const size_t g : order) {
      for (size_t d = groups[g].in_begin; d < groups[g].in_end; ++d) front.push_back(perm_[d]);
      for (size_t d = groups[g].out_begin; d < groups[g].out_end; ++d) {
        after[d] = static_cast<int64_t>(shape.size());
        shape.push_back(out[d]);
      }
    }
    // If no transpose follows, nothing has moved down.
    if (IsIdentityPermutation(after)) return false;
    Tensor* source = moved->producer->inputs[0];
    if (!IsIdentityPermutation(front)) {
      ASSIGN_OR_RETURN(Op * inner,
                       graph_.AddInferredOp("transpose", {source}, {{"perm", front}}, op_->origins,
                                            absl::StrCat(op_->output()->name, ".merged"), op_));
      source = inner->output();
    }
    return Finish("reshape", {source}, {{"shape", shape}}, after);
  }

  // Where x holds the group: its first dimension of data or, if all are 1, its
  // first; a group without dimensions belongs to the one before.
  Dims PositionsOf(const std::vector<Group>& groups, const Shape& in) const {
    Dims positions;
    const auto end = static_cast<int64_t>(perm_.size());
    for (const Group& group : groups) {
      int64_t any = end, data = end;
      for (size_t d = group.in_begin; d < group.in_end; ++d) {
        any = std::min(any, perm_[d]);
        if (in[d] != 1) data = std::min(data, perm_[d]);
      }
      const int64_t before = positions.empty() ? 0 : positions.back();
      positions.push_back(data < end ? data : any < end ? any : before);
    }
    return positions;
  }

  // Adds op' and a transpose by `after` (none if it is empty or the identity).
  absl::StatusOr<bool> Finish(absl::string_view name, std::vector<Tensor*> operands,
                              Attributes attributes, const Dims& after) {
    const std::string& output = op_->output()->name;
    const bool moves = !IsIdentityPermutation(after);
    ASSIGN_OR_RETURN(Op * moved, graph_.AddInferredOp(
                                     name, std::move(operands), std::move(attributes), op_->origins,
                                     moves ? absl::StrCat(output, ".nhwc") : output, op_));
    Tensor* result = moved->output();
    // A quantizer that the op chose stays chosen.
    result->type.dtype = op_->output()->type.dtype;
    result->type.quant = op_->output()->type.quant;
    if (moves) {
      ASSIGN_OR_RETURN(Op * transpose,
                       graph_.AddInferredOp("transpose", {result}, {{"perm", after}}, op_->origins,
                                            output, op_));
      result = transpose->output();
    }
    ReplaceOp(graph_, op_, result);
    return true;
  }

  Graph& graph_;
  Op* op_;
  const Dims perm_;
};

// The permutation of the first transposed operand.
std::optional<Dims> PermutationIn(const Op& op) {
  for (const Tensor* input : op.inputs) {
    if (const Op* transpose = TransposeOf(input)) return IntsAttribute(*transpose, "perm");
  }
  return std::nullopt;
}

}  // namespace

absl::StatusOr<int> SinkTransposes(Graph& graph) {
  int rewrites = 0;
  // Each rewrite moves a transpose one op down; the bound is for safety.
  const size_t limit = (graph.ops().size() + 1) * (graph.ops().size() + 1);
  for (bool changed = true; changed && static_cast<size_t>(rewrites) < limit;) {
    changed = false;
    std::vector<Op*> order;
    for (Op& op : graph.ops()) order.push_back(&op);
    for (Op* op : order) {
      const std::optional<Dims> perm = PermutationIn(*op);
      if (!perm.has_value()) continue;
      ASSIGN_OR_RETURN(const bool sunk, Sinker(graph, op, *perm).Sink());
      rewrites += sunk;
      changed |= sunk;
    }
    graph.RemoveDead();
  }
  return rewrites;
}

}  // namespace synap_internal
