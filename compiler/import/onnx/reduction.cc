// Reductions, ArgMax and Softmax.
#include <numeric>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/onnx/narrow_integers.h"
#include "compiler/import/onnx/op_table.h"

namespace synap_internal::onnx_import {
namespace {

struct Reduce {
  absl::string_view op_type;
  absl::string_view before;  // op on the operand, or ""
  absl::string_view op;
  absl::string_view after;  // op on the result, or ""
};

constexpr Reduce kReduces[] = {
    {"ReduceMean", "", "reduce_mean", ""},     {"ReduceSum", "", "reduce_sum", ""},
    {"ReduceMax", "", "reduce_max", ""},       {"ReduceMin", "", "reduce_min", ""},
    {"ReduceProd", "", "reduce_prod", ""},     {"ReduceL2", "", "reduce_l2", ""},
    {"ReduceL1", "abs", "reduce_sum", ""},     {"ReduceSumSquare", "square", "reduce_sum", ""},
    {"ReduceLogSum", "", "reduce_sum", "log"}, {"ReduceLogSumExp", "exp", "reduce_sum", "log"},
};

absl::Status MapReduce(NodeContext& node) {
  const Reduce* reduce = kReduces;
  while (reduce->op_type != node.node().op_type()) ++reduce;
  Tensor* x = node.input(0);
  const size_t rank = x->type.shape.rank();
  ASSIGN_OR_RETURN(std::vector<int64_t> axes, node.IntsOperandOrAttribute(1, "axes"));
  ASSIGN_OR_RETURN(axes, NodeContext::Axes(std::move(axes), rank));
  const bool keep = node.Int("keepdims", 1) != 0;
  const bool nothing = node.Int("noop_with_empty_axes", 0) != 0 && axes.empty();
  if (axes.empty()) {
    axes.resize(rank);
    std::iota(axes.begin(), axes.end(), 0);
  }
  if (!reduce->before.empty()) {
    ASSIGN_OR_RETURN(x, node.Emit(reduce->before, {x}, {}, ".before"));
  }
  if (!nothing) {
    ASSIGN_OR_RETURN(
        x, node.Emit(reduce->op, {x}, {{"axes", std::move(axes)}, {"keep_dims", int64_t{keep}}},
                     reduce->after.empty() ? "" : ".sum"));
  }
  return node.SetOutput(reduce->after.empty() ? x : node.Emit(reduce->after, {x}));
}

// x with the order of its elements along an axis turned round.
absl::StatusOr<Tensor*> Reversed(NodeContext& node, Tensor* x, int64_t axis) {
  const Shape& shape = x->type.shape;
  std::vector<int64_t> starts(shape.rank(), 0), steps(shape.rank(), 1);
  starts[static_cast<size_t>(axis)] = shape[static_cast<size_t>(axis)] - 1;
  steps[static_cast<size_t>(axis)] = -1;
  return node.Emit(
      "slice", {x},
      {{"starts", std::move(starts)}, {"sizes", shape.dims()}, {"steps", std::move(steps)}},
      ".reversed");
}

absl::Status MapArg(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, Widened(node, node.input(0), ".wide"));
  ASSIGN_OR_RETURN(const int64_t axis,
                   NodeContext::Axis(node.Int("axis", 0), x->type.shape.rank()));
  const Attributes over = {{"axis", axis}, {"keep_dims", int64_t{node.Int("keepdims", 1) != 0}}};
  const bool last = node.Int("select_last_index", 0) != 0;
  if (node.node().op_type() == "ArgMin") {
    ASSIGN_OR_RETURN(x, node.Emit("neg", {x}, {}, ".neg"));
  }
  if (!last) return node.SetOutput(node.Emit("argmax", {x}, over));
  // The first from behind, counted from the front again.
  Tensor* end =
      node.builder().AddScalar(node.Name(".end"), x->type.shape[static_cast<size_t>(axis)] - 1);
  ASSIGN_OR_RETURN(x, Reversed(node, x, axis));
  ASSIGN_OR_RETURN(Tensor * from_end, node.Emit("argmax", {x}, over, ".from_end"));
  return node.SetOutput(node.Emit("sub", {end, from_end}));
}

// 1 at the largest element along the axis, the first of equal ones, else 0.
// Before opset 13 the dimensions from the axis on count as one.
absl::Status MapHardmax(NodeContext& node) {
  Tensor* x = node.input(0);
  const Shape shape = x->type.shape;
  const bool flattens = node.opset() < 13;
  ASSIGN_OR_RETURN(int64_t axis,
                   NodeContext::Axis(node.Int("axis", flattens ? 1 : -1), shape.rank()));
  if (flattens) {
    const auto split = static_cast<size_t>(axis);
    ASSIGN_OR_RETURN(
        x, node.Reshape(x, {shape.Product(0, split), shape.Product(split, shape.rank())}, ".flat"));
    axis = 1;
  }
  const Shape& s = x->type.shape;
  ASSIGN_OR_RETURN(Tensor * largest, node.Emit("argmax", {x}, {{"axis", axis}}, ".largest"));
  std::vector<int64_t> dims(s.rank() - static_cast<size_t>(axis), 1);
  dims[0] = s[static_cast<size_t>(axis)];
  ASSIGN_OR_RETURN(Tensor * positions,
                   node.builder().AddRange(node.Name(".positions"), 0, dims[0]));
  ASSIGN_OR_RETURN(positions, node.Reshape(positions, std::move(dims), ".positions"));
  ASSIGN_OR_RETURN(Tensor * hit, node.Emit("equal", {largest, positions}, {}, ".hit"));
  ASSIGN_OR_RETURN(Tensor * y, CastTo(node, hit, DataType::kFloat32, flattens ? ".float" : ""));
  return node.SetOutput(flattens ? node.Reshape(y, shape.dims()) : y);
}

// Before opset 13 the dimensions from `axis` on count as one.
absl::Status MapSoftmax(NodeContext& node) {
  Tensor* x = node.input(0);
  const Shape shape = x->type.shape;
  const absl::string_view op = node.node().op_type() == "Softmax" ? "softmax" : "log_softmax";
  const bool flattens = node.opset() < 13;
  ASSIGN_OR_RETURN(const int64_t axis,
                   NodeContext::Axis(node.Int("axis", flattens ? 1 : -1), shape.rank()));
  const int64_t inner = shape.Product(static_cast<size_t>(axis) + 1, shape.rank());
  if (!flattens || inner == 1) return node.SetOutput(node.Emit(op, {x}, {{"axis", axis}}));
  ASSIGN_OR_RETURN(x, node.Reshape(x,
                                   {shape.Product(0, static_cast<size_t>(axis)),
                                    shape.Product(static_cast<size_t>(axis), shape.rank())},
                                   ".flat"));
  ASSIGN_OR_RETURN(x, node.Emit(op, {x}, {{"axis", int64_t{1}}}, ".flat"));
  return node.SetOutput(node.Reshape(x, shape.dims()));
}

constexpr char kConstantAxes[] = "constant 'axes'";

constexpr OpMapping kMappings[] = {
    {"ReduceMean", 1, 2, MapReduce, kConstantAxes},
    {"ReduceSum", 1, 2, MapReduce, kConstantAxes},
    {"ReduceMax", 1, 2, MapReduce, kConstantAxes},
    {"ReduceMin", 1, 2, MapReduce, kConstantAxes},
    {"ReduceProd", 1, 2, MapReduce, kConstantAxes},
    {"ReduceL2", 1, 2, MapReduce, kConstantAxes},
    {"ReduceL1", 1, 2, MapReduce, kConstantAxes},
    {"ReduceSumSquare", 1, 2, MapReduce, kConstantAxes},
    {"ReduceLogSum", 1, 2, MapReduce, kConstantAxes},
    {"ReduceLogSumExp", 1, 2, MapReduce, kConstantAxes},
    {"ArgMax", 1, 1, MapArg},
    {"ArgMin", 1, 1, MapArg},
    {"Softmax", 1, 1, MapSoftmax},
    {"LogSoftmax", 1, 1, MapSoftmax},
    {"Hardmax", 1, 1, MapHardmax},
};

}  // namespace

absl::Span<const OpMapping> ReductionMappings() { return kMappings; }

}  // namespace synap_internal::onnx_import
