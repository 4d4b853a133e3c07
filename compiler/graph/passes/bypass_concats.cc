#include "compiler/graph/passes/bypass_concats.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/axes.h"
#include "base/status_macros.h"
#include "compiler/graph/passes/moved_axis.h"
#include "compiler/graph/passes/op_attributes.h"

namespace synap_internal {
namespace {

using Dims = std::vector<int64_t>;

// The positions [begin, end) of a dimension.
struct Cut {
  size_t axis;
  int64_t begin, end;
};

size_t ConcatAxis(const Op& op) {
  return AxisFromFront(IntAttribute(op, "axis", 0), op.output()->type.shape.rank());
}

bool IsRequantized(const Op& concat, const Tensor& operand) {
  const TensorType& type = concat.output()->type;
  return operand.type.dtype != type.dtype || operand.type.quant != type.quant;
}

struct Part {
  Tensor* operand;
  Cut cut;
};

// The operand of a concat along cut.axis that holds all of the cut.
std::optional<Part> PartOf(const Op& concat, const Cut& cut) {
  int64_t begin = 0;
  for (Tensor* operand : concat.inputs) {
    const int64_t end = begin + operand->type.shape[cut.axis];
    if (begin <= cut.begin && cut.end <= end) {
      if (IsRequantized(concat, *operand)) return std::nullopt;
      return Part{operand, {cut.axis, cut.begin - begin, cut.end - begin}};
    }
    begin = end;
  }
  return std::nullopt;
}

// Whether a concat that makes `tensor` has an operand with all of the cut.
bool CanBypass(const Tensor& tensor, const Cut& cut) {
  const Op* op = tensor.producer;
  if (op == nullptr) return false;
  if (op->Is(Movement::kConcat)) {
    if (ConcatAxis(*op) == cut.axis) return PartOf(*op, cut).has_value();
    return std::all_of(op->inputs.begin(), op->inputs.end(), [&](const Tensor* operand) {
      return !IsRequantized(*op, *operand) && CanBypass(*operand, cut);
    });
  }
  if (op->Is(Movement::kSlice)) return false;  // its own turn comes
  const std::optional<size_t> before = AxisBefore(*op, cut.axis);
  return before.has_value() && CanBypass(*op->inputs[0], {*before, cut.begin, cut.end});
}

// The cut of a tensor, made of the operands that hold it.
class Bypass {
 public:
  // `reader`: the op that the new ops are for, and come before.
  Bypass(Graph& graph, Op* reader) : graph_(graph), reader_(reader) {}

  // REQUIRES: CanBypass(tensor, cut).
  absl::StatusOr<Tensor*> Make(const Tensor& tensor, const Cut& cut) {
    const Op& op = *tensor.producer;
    if (op.Is(Movement::kConcat) && ConcatAxis(op) == cut.axis) {
      const Part part = *PartOf(op, cut);
      return CanBypass(*part.operand, part.cut) ? Make(*part.operand, part.cut)
                                                : Sliced(part.operand, part.cut);
    }
    std::vector<Tensor*> operands = op.inputs;
    Attributes attributes = op.attributes;
    if (op.Is(Movement::kConcat)) {
      for (Tensor*& operand : operands) {
        ASSIGN_OR_RETURN(operand, Make(*operand, cut));
      }
    } else {
      const size_t before = *AxisBefore(op, cut.axis);
      ASSIGN_OR_RETURN(operands[0], Make(*operands[0], {before, cut.begin, cut.end}));
    }
    if (op.Is(Movement::kReshape)) {
      attributes["shape"] = Narrowed(tensor.type.shape, cut);
    }
    return Added(op.def->name, std::move(operands), std::move(attributes), tensor);
  }

 private:
  static Dims Narrowed(const Shape& shape, const Cut& cut) {
    Dims dims = shape.dims();
    dims[cut.axis] = cut.end - cut.begin;
    return dims;
  }

  absl::StatusOr<Tensor*> Sliced(Tensor* tensor, const Cut& cut) {
    const Shape& shape = tensor->type.shape;
    if (cut.end - cut.begin == shape[cut.axis]) return tensor;
    Dims starts(shape.rank(), 0);
    starts[cut.axis] = cut.begin;
    return Added("slice", {tensor}, {{"starts", starts}, {"sizes", Narrowed(shape, cut)}}, *tensor);
  }

  absl::StatusOr<Tensor*> Added(absl::string_view name, std::vector<Tensor*> operands,
                                Attributes attributes, const Tensor& like) {
    ASSIGN_OR_RETURN(Op * op,
                     graph_.AddInferredOp(name, std::move(operands), std::move(attributes),
                                          reader_->origins, reader_->output()->name, reader_));
    op->output()->type.dtype = like.type.dtype;
    op->output()->type.quant = like.type.quant;
    return op->output();
  }

  Graph& graph_;
  Op* reader_;
};

// Where the cut is less than all of the operand and can be made without a concat: the operand that
// `reader` reads from now on.
absl::StatusOr<Tensor*> FindBypass(Graph& graph, Op* reader, const Cut& cut) {
  const Tensor& operand = *reader->inputs[0];
  const int64_t extent = operand.type.shape[cut.axis];
  const bool cuts = cut.begin < cut.end && cut.end - cut.begin < extent;
  if (!cuts || !CanBypass(operand, cut)) return nullptr;
  return Bypass(graph, reader).Make(operand, cut);
}

absl::StatusOr<bool> BypassSlice(Graph& graph, Op* slice) {
  Dims starts = IntsAttribute(*slice, "starts");
  const Dims sizes = IntsAttribute(*slice, "sizes");
  const auto steps = slice->attributes.find("steps");
  for (size_t axis = 0; axis < starts.size(); ++axis) {
    const int64_t step = steps == slice->attributes.end() || sizes[axis] == 1
                             ? 1
                             : IntsAttribute(*slice, "steps")[axis];
    if (step < 1) continue;
    const Cut cut{axis, starts[axis], starts[axis] + (sizes[axis] - 1) * step + 1};
    ASSIGN_OR_RETURN(Tensor * part, FindBypass(graph, slice, cut));
    if (part == nullptr) continue;
    graph.SetInput(slice, 0, part);
    starts[axis] = 0;
    slice->attributes["starts"] = starts;
    return true;
  }
  return false;
}

Dims IndicesOf(const Tensor& constant, int64_t extent) {
  Dims indices;
  if (constant.type.dtype == DataType::kInt64) {
    const auto values = constant.values<int64_t>();
    indices.assign(values.begin(), values.end());
  } else {
    const auto values = constant.values<int32_t>();
    indices.assign(values.begin(), values.end());
  }
  for (int64_t& index : indices) index += index < 0 ? extent : 0;
  return indices;
}

absl::StatusOr<bool> BypassGather(Graph& graph, Op* gather) {
  const Tensor& constant = *gather->inputs[1];
  const Shape& shape = gather->inputs[0]->type.shape;
  const size_t axis = AxisFromFront(IntAttribute(*gather, "axis", 0), shape.rank());
  if (!constant.is_constant() || constant.type.shape.elements() == 0) return false;
  Dims indices = IndicesOf(constant, shape[axis]);
  const auto [least, greatest] = std::minmax_element(indices.begin(), indices.end());
  const int64_t first = *least;
  ASSIGN_OR_RETURN(Tensor * part, FindBypass(graph, gather, {axis, first, *greatest + 1}));
  if (part == nullptr) return false;
  for (int64_t& index : indices) index -= first;
  Tensor* moved = graph.AddConstant(constant.name, {DataType::kInt64, constant.type.shape, {}},
                                    Constant::Own(std::move(indices)));
  graph.SetInput(gather, 0, part);
  graph.SetInput(gather, 1, moved);
  return true;
}

}  // namespace

absl::StatusOr<int> BypassConcats(Graph& graph) {
  int rewrites = 0;
  std::vector<Op*> order;
  for (Op& op : graph.ops()) order.push_back(&op);
  for (Op* op : order) {
    for (bool changed = true; changed; rewrites += changed) {
      changed = false;
      if (op->Is(Movement::kSlice)) {
        ASSIGN_OR_RETURN(changed, BypassSlice(graph, op));
      } else if (op->def->index_count != nullptr) {
        ASSIGN_OR_RETURN(changed, BypassGather(graph, op));
      }
    }
  }
  graph.RemoveDead();
  return rewrites;
}

}  // namespace synap_internal
