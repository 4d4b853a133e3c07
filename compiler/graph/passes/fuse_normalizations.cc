#include "compiler/graph/passes/fuse_normalizations.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/graph/passes/normalization_patterns.h"
#include "compiler/graph/passes/op_attributes.h"
#include "compiler/graph/passes/replace_op.h"
#include "kernels/emulated_types.h"
#include "kernels/registry.h"

namespace synap_internal {
namespace {

using Dims = std::vector<int64_t>;

bool AllAre(const Tensor* tensor, float value) {
  if (tensor == nullptr) return true;
  const auto values = tensor->values<float>();
  return std::all_of(values.begin(), values.end(), [value](float v) { return v == value; });
}

// The only dimension above 1 of constants that broadcast to `to`; nullopt if there are others.
std::optional<size_t> OnlyDimensionOf(const AffineMatch& affine, const Shape& to) {
  std::optional<size_t> found;
  for (const Tensor* constant : {affine.scale, affine.bias}) {
    if (constant == nullptr) continue;
    const Shape& shape = constant->type.shape;
    for (size_t d = 0; d < shape.rank(); ++d) {
      if (shape[d] == 1) continue;
      const size_t dimension = to.rank() - shape.rank() + d;
      if (found.value_or(dimension) != dimension) return std::nullopt;
      found = dimension;
    }
  }
  return found;
}

class Fuser {
 public:
  // `last`: the op whose result `match` describes.
  Fuser(Graph& graph, Op* last, NormalizationMatch match)
      : graph_(graph), last_(last), match_(std::move(match)) {}

  // Whether there is such an op: its axes are next to each other.
  bool TakesAxes() const { return Takes({{}, match_.scale, match_.bias}); }

  // Returns the op that the fused one has replaced.
  absl::StatusOr<const Op*> Fuse() {
    if (match_.scale == nullptr && match_.bias == nullptr) {
      const AffineMatch affine = MatchAffine(graph_, *last_->output());
      // Exporters write the groups of GroupNorm as an InstanceNorm that scales by 1.
      const bool changes = !AllAre(affine.scale, 1) || !AllAre(affine.bias, 0);
      if (!affine.ops.empty() && (!changes || Takes(affine))) {
        last_ = affine.ops.back();
        if (changes) {
          match_.scale = affine.scale;
          match_.bias = affine.bias;
        }
      }
      if (!changes) {
        ASSIGN_OR_RETURN(const Op* replaced, FuseGroups());
        if (replaced != nullptr) return replaced;
      }
    }
    const Op* replaced = last_;
    ASSIGN_OR_RETURN(Op * fused, Add(match_.x, *last_));
    ReplaceOp(graph_, last_, fused->output());
    return replaced;
  }

 private:
  // Scale and bias of channels that a reshape, and perhaps a transpose, takes out of rows along the
  // last dimensions: they stay dimensions of the rows. Null if it isn't so.
  absl::StatusOr<const Op*> FuseGroups() {
    const Op* reshape = OnlyReader(graph_, *last_->output());
    if (reshape == nullptr || !reshape->Is(Movement::kReshape)) return nullptr;
    const Shape& apart = reshape->output()->type.shape;
    Op* transpose = OnlyReader(graph_, *reshape->output());
    if (transpose != nullptr && !transpose->Is(Movement::kTranspose)) transpose = nullptr;
    const Tensor& moved = transpose != nullptr ? *transpose->output() : *reshape->output();
    const AffineMatch affine = MatchAffine(graph_, moved);
    const std::optional<size_t> dimension = OnlyDimensionOf(affine, moved.type.shape);
    if (!dimension.has_value()) return nullptr;
    const size_t channel = transpose == nullptr
                               ? *dimension
                               : static_cast<size_t>(IntsAttribute(*transpose, "perm")[*dimension]);
    const std::optional<Dims> grouped = GroupsOf(apart, channel);
    if (!grouped.has_value()) return nullptr;

    while (match_.x->producer != nullptr && match_.x->producer->Is(Movement::kReshape)) {
      match_.x = match_.x->producer->inputs[0];
    }
    Op* last = affine.ops.back();
    ASSIGN_OR_RETURN(Tensor * x, Reshaped(match_.x, *grouped, *last));
    match_.axes = {2, 3};
    match_.scale = InGroups(affine.scale, *grouped);
    match_.bias = InGroups(affine.bias, *grouped);
    ASSIGN_OR_RETURN(Op * fused, Add(x, *last));
    ASSIGN_OR_RETURN(Tensor * result, Reshaped(fused->output(), apart.dims(), *last));
    if (transpose != nullptr) {
      graph_.SetInput(transpose, 0, result);
      result = transpose->output();
    }
    ReplaceOp(graph_, last, result);
    return last;
  }

  // [.., groups, channels of a group, elements of a channel] if that is how the rows divide into
  // dimension `channel` of `apart`.
  std::optional<Dims> GroupsOf(const Shape& apart, size_t channel) const {
    const Shape& x = match_.x->type.shape;
    const Dims& axes = match_.axes;
    const size_t first = x.rank() - axes.size();
    if (axes.empty() || axes.front() != static_cast<int64_t>(first)) return std::nullopt;
    const int64_t rows = x.Product(0, first), length = x.Product(first, x.rank());
    const int64_t before = apart.Product(0, channel), channels = apart[channel];
    const int64_t elements = apart.Product(channel + 1, apart.rank());
    if (before == 0 || rows % before != 0) return std::nullopt;
    const int64_t groups = rows / before;
    if (groups == 0 || channels % groups != 0 || channels / groups * elements != length) {
      return std::nullopt;
    }
    return Dims{before, groups, channels / groups, elements};
  }

  // A scale or bias of each channel, or one for all of them, beside GroupsOf.
  Tensor* InGroups(const Tensor* constant, const Dims& groups) {
    if (constant == nullptr) return nullptr;
    const auto values = constant->values<float>();
    const bool one = values.size() == 1;
    return graph_.AddConstant(
        constant->name,
        {DataType::kFloat32, one ? Shape({1, 1, 1}) : Shape({groups[1], groups[2], 1}), {}},
        Constant::Own(std::vector<float>(values.begin(), values.end())));
  }

  absl::StatusOr<Tensor*> Reshaped(Tensor* tensor, const Dims& dims, const Op& last) {
    ASSIGN_OR_RETURN(Op * reshape,
                     graph_.AddInferredOp("reshape", {tensor}, {{"shape", dims}}, last.origins,
                                          absl::StrCat(last.output()->name, ".groups"), last_));
    return reshape->output();
  }

  Attributes MatchedAttributes() const {
    Attributes attributes = {{"axes", match_.axes}, {"epsilon", match_.epsilon}};
    if (!match_.centers) attributes["center"] = int64_t{0};
    return attributes;
  }

  // The matched normalization of `x`, for all ops up to `last`.
  absl::StatusOr<Op*> Add(Tensor* x, const Op& last) {
    std::vector<Tensor*> operands = {x, match_.scale, match_.bias};
    while (operands.back() == nullptr) operands.pop_back();
    return graph_.AddInferredOp("normalization", std::move(operands), MatchedAttributes(),
                                JoinOriginsBetween(graph_, *match_.x, last), last.output()->name,
                                last_);
  }

  // Whether the op's constraints allow these.
  bool Takes(const AffineMatch& affine) const {
    const auto type = [](const Tensor* tensor) {
      return tensor == nullptr ? TensorType() : tensor->type;
    };
    const TensorType types[] = {match_.x->type, type(affine.scale), type(affine.bias)};
    return InferOp(*FindOp("normalization"), {types, MatchedAttributes()}).ok();
  }

  Graph& graph_;
  Op* last_;  // what the fused op replaces
  NormalizationMatch match_;
};

}  // namespace

absl::StatusOr<int> FuseNormalizations(Graph& graph) {
  std::vector<Op*> order;
  for (Op& op : graph.ops()) order.push_back(&op);
  std::set<const Op*> replaced;
  for (Op* op : order) {
    if (replaced.count(op) > 0) continue;
    std::optional<NormalizationMatch> match = MatchNormalization(*op);
    if (!match.has_value()) continue;
    Fuser fuser(graph, op, *std::move(match));
    if (!fuser.TakesAxes()) continue;
    ASSIGN_OR_RETURN(const Op* last, fuser.Fuse());
    replaced.insert(last);
  }
  graph.RemoveDead();
  return static_cast<int>(replaced.size());
}

}  // namespace synap_internal
