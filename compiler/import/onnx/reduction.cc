// Reductions along axes, and running sums.
#include "compiler/import/emit/reduction.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "compiler/import/constant_operand.h"
#include "compiler/import/emit/axes.h"
#include "compiler/import/emit/op_name.h"
#include "compiler/import/emit/slice.h"
#include "compiler/import/onnx/narrow_tensors.h"
#include "compiler/import/onnx/op_table.h"

namespace synap_internal::onnx_import {
namespace {

// What a reduction of no elements gives.
enum class Neutral { kUndefined, kZero, kOne, kLowest, kHighest };

template <typename T>
T NeutralValue(Neutral neutral) {
  using Limits = std::numeric_limits<T>;
  switch (neutral) {
    case Neutral::kLowest:
      return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
    case Neutral::kHighest:
      return Limits::has_infinity ? Limits::infinity() : Limits::max();
    default:
      return neutral == Neutral::kOne ? T{1} : T{0};
  }
}

// The neutral value in each element of x reduced along `axes`; bool has the values 0 and 1 alone.
Emitted NeutralTensor(NodeContext& node, const Tensor& x, Neutral neutral,
                      const std::vector<int64_t>& axes, bool keep) {
  std::vector<int64_t> dims;
  for (size_t d = 0; d < x.type.shape.rank(); ++d) {
    const bool reduced = std::find(axes.begin(), axes.end(), static_cast<int64_t>(d)) != axes.end();
    if (!reduced) dims.push_back(x.type.shape[d]);
    if (reduced && keep) dims.push_back(1);
  }
  GraphBuilder& builder = node.builder();
  const std::string name = node.Name(".neutral");
  Tensor* value = nullptr;
  if (x.type.dtype == DataType::kBool) {
    value = builder.AddBool(name, neutral == Neutral::kHighest);
  } else if (IsFloat(x.type.dtype)) {
    value = builder.AddScalar(name, NeutralValue<float>(neutral));
  } else {
    value = builder.AddScalar(name, NeutralValue<int64_t>(neutral));
  }
  return node.Emit("expand", {node.Cast(value, x.type.dtype)}, {{"shape", std::move(dims)}});
}

// Which dimensions are reduced.
struct Extent {
  std::vector<int64_t> axes;
  bool keep = true;
  bool nothing = false;  // none: the operator gives its operand's values one by one
};

absl::StatusOr<Extent> ReadExtent(NodeContext& node) {
  const size_t rank = node.shape(0).rank();
  Extent extent;
  ASSIGN_OR_RETURN(extent.axes, node.IntsOperandOrAttribute(1, "axes"));
  ASSIGN_OR_RETURN(extent.axes, ResolveAxes(std::move(extent.axes), rank));
  extent.keep = node.Int("keepdims", 1) != 0;
  extent.nothing = node.Int("noop_with_empty_axes", 0) != 0 && extent.axes.empty();
  if (extent.axes.empty()) extent.axes = AxesFrom(0, rank);
  return extent;
}

// kAfter(kReduce(kBefore(x))); "" stands for no op.
template <OpName kBefore, OpName kReduce, OpName kAfter, Neutral kNeutral>
absl::Status MapReduceOf(NodeContext& node) {
  constexpr absl::string_view before = kBefore, after = kAfter;
  const TensorType type = node.input(0)->type;
  ASSIGN_OR_RETURN(Extent extent, ReadExtent(node));
  auto& [axes, keep, nothing] = extent;
  Emitted x = node.input(0);
  if (type.shape.elements() == 0 && !nothing && kNeutral != Neutral::kUndefined) {
    x = NeutralTensor(node, *node.input(0), kNeutral, axes, keep);
    return node.SetOutput(after.empty() ? x : node.Emit(after, {x}));
  }
  if (!before.empty()) x = node.Emit(before, {x}, {}, ".before");
  // The largest of bools, which opset 20 has, is true if any of them is.
  if (type.dtype == DataType::kBool && !nothing) {
    x = node.Cast(x, DataType::kInt64, ".numbers");
    x = EmitReduce(node, kReduce, x, std::move(axes), keep, ".reduced");
    return node.SetOutput(node.Cast(x, DataType::kBool));
  }
  if (!nothing) {
    x = EmitReduce(node, kReduce, x, std::move(axes), keep, after.empty() ? "" : ".sum");
  }
  return node.SetOutput(after.empty() ? x : node.Emit(after, {x}));
}

absl::Status MapReduceLogSumExp(NodeContext& node) {
  Tensor* x = node.input(0);
  ASSIGN_OR_RETURN(const Extent extent, ReadExtent(node));
  if (extent.nothing) return node.SetOutput(x);
  if (x->type.shape.elements() == 0) {
    return node.SetOutput(NeutralTensor(node, *x, Neutral::kLowest, extent.axes, extent.keep));
  }
  return node.SetOutput(EmitLogSumExp(node, x, extent.axes, extent.keep));
}

template <OpName kReduce, Neutral kNeutral>
absl::Status MapReduce(NodeContext& node) {
  return MapReduceOf<"", kReduce, "", kNeutral>(node);
}

absl::Status MapArg(NodeContext& node) {
  Emitted x = WidenedKeys(node, node.input(0), ".wide");
  const Shape& shape = node.shape(0);
  ASSIGN_OR_RETURN(const int64_t axis, ResolveAxis(node.Int("axis", 0), shape.rank()));
  const bool keep = node.Int("keepdims", 1) != 0;
  const bool last = node.Int("select_last_index", 0) != 0;
  if (node.node().op_type() == "ArgMin") x = node.Emit("neg", {x}, {}, ".neg");
  if (!last) return node.SetOutput(EmitArgMax(node, x, axis, keep));
  // The first index from the end, counted from the beginning again.
  Tensor* end = node.builder().AddScalar(node.Name(".end"), shape[static_cast<size_t>(axis)] - 1);
  x = EmitReverse(node, x, {axis}, ".reversed");
  return node.SetOutput(node.Emit("sub", {end, EmitArgMax(node, x, axis, keep, ".from_end")}));
}

absl::Status MapCumSum(NodeContext& node) {
  ASSIGN_OR_RETURN(const int64_t axis, ConstantInt(*node.input(1), "axis"));
  return node.SetOutput(node.Emit("cumsum", {node.input(0)},
                                  {{"axis", axis},
                                   {"exclusive", node.Int("exclusive", 0)},
                                   {"reverse", node.Int("reverse", 0)}}));
}

// Each round multiplies by the products that end 1, 2, 4, ... elements before.
absl::Status MapCumProd(NodeContext& node) {
  Emitted x = node.input(0);
  const Shape s = node.shape(0);
  ASSIGN_OR_RETURN(int64_t axis, ConstantInt(*node.input(1), "axis"));
  ASSIGN_OR_RETURN(axis, ResolveAxis(axis, s.rank()));
  const auto at = static_cast<size_t>(axis);
  const bool reverse = node.Int("reverse", 0) != 0, exclusive = node.Int("exclusive", 0) != 0;
  // The elements `shift` places on, with ones where there are none.
  const auto shifted = [&](const Emitted& y, int64_t shift) {
    const auto kept = EmitAxisSlice(node, y, at, reverse ? shift : 0, s[at] - shift, ".kept");
    std::vector<int64_t> pads(2 * s.rank(), 0);
    pads[at + (reverse ? s.rank() : 0)] = shift;
    return node.Emit(
        "pad", {kept},
        {{"pads", std::move(pads)}, {"mode", std::string("constant")}, {"value", 1.0f}},
        ".shifted");
  };
  if (exclusive && s[at] == 1) {
    const auto one = node.Cast(node.Scalar(1, ".one"), node.input(0)->type.dtype);
    return node.SetOutput(node.Emit("expand", {one}, {{"shape", s.dims()}}));
  }
  if (exclusive) x = shifted(x, 1);
  for (int64_t shift = 1; shift < s[at]; shift *= 2) {
    x = node.Emit("mul", {x, shifted(x, shift)}, {}, ".product");
  }
  return node.SetOutput(x);
}

constexpr OpMapping kReductionMappings[] = {
    {"CumProd", 2, 2, MapCumProd, "a constant 'axis'"},
    {"ReduceMean", 1, 2, MapReduce<"reduce_mean", Neutral::kUndefined>, kConstantAxes},
    {"ReduceSum", 1, 2, MapReduce<"reduce_sum", Neutral::kZero>, kConstantAxes},
    {"ReduceMax", 1, 2, MapReduce<"reduce_max", Neutral::kLowest>, kConstantAxes},
    {"ReduceMin", 1, 2, MapReduce<"reduce_min", Neutral::kHighest>, kConstantAxes},
    {"ReduceProd", 1, 2, MapReduce<"reduce_prod", Neutral::kOne>, kConstantAxes},
    {"ReduceL2", 1, 2, MapReduce<"reduce_l2", Neutral::kZero>, kConstantAxes},
    {"ReduceL1", 1, 2, MapReduceOf<"abs", "reduce_sum", "", Neutral::kZero>, kConstantAxes},
    {"ReduceSumSquare", 1, 2, MapReduceOf<"square", "reduce_sum", "", Neutral::kZero>,
     kConstantAxes},
    {"ReduceLogSum", 1, 2, MapReduceOf<"", "reduce_sum", "log", Neutral::kZero>, kConstantAxes},
    {"ReduceLogSumExp", 1, 2, MapReduceLogSumExp, kConstantAxes},
    {"ArgMax", 1, 1, MapArg},
    {"ArgMin", 1, 1, MapArg},
    {"CumSum", 2, 2, MapCumSum, "a constant 'axis'"},
};

}  // namespace

absl::Span<const OpMapping> ReductionMappings() { return kReductionMappings; }

}  // namespace synap_internal::onnx_import
