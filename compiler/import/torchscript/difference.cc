// Differences between neighbours along a dimension, derivatives, and integrals by trapezoids.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/constant_operand.h"
#include "compiler/import/emit/axes.h"
#include "compiler/import/emit/elementwise.h"
#include "compiler/import/emit/reduction.h"
#include "compiler/import/emit/slice.h"
#include "compiler/import/torchscript/op_table.h"
#include "compiler/import/torchscript/operands.h"
#include "compiler/import/torchscript/scalar_type.h"

namespace synap_internal::torchscript_import {
namespace {

using Dims = std::vector<int64_t>;

// Elements 1, 2, ... of x along an axis, or those before them.
Emitted EmitNeighbours(OpEmitter& op, Tensor* x, int64_t axis, bool next,
                       absl::string_view suffix) {
  const auto at = static_cast<size_t>(axis);
  return EmitAxisSlice(op, x, at, next ? 1 : 0, x->type.shape[at] - 1, suffix);
}

// --- Differences

// x with what arguments 3 and 4 hold before and after it along an axis, all as the most general of
// their types.
Emitted EmitExtended(NodeContext& node, Tensor* x, int64_t axis) {
  ASSIGN_OR_RETURN(Tensor * before, node.GetOptionalTensor(3));
  ASSIGN_OR_RETURN(Tensor * after, node.GetOptionalTensor(4));
  DataType type = x->type.dtype;
  if (before != nullptr) type = MoreGeneral(type, before->type.dtype);
  if (after != nullptr) type = MoreGeneral(type, after->type.dtype);
  std::vector<Emitted> parts;
  if (before != nullptr) parts.push_back(node.Cast(before, type, ".before"));
  parts.push_back(node.Cast(x, type, ".typed"));
  if (after != nullptr) parts.push_back(node.Cast(after, type, ".after"));
  return EmitConcat(node, parts, axis, ".extended");
}

// (x, n, dim, prepend, append): n times the differences of neighbours; of bools whether they
// differ. For an n of 0 x alone.
absl::Status MapDiff(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  ASSIGN_OR_RETURN(const int64_t n, node.GetIntOr(1, 1));
  ASSIGN_OR_RETURN(const int64_t axis, node.GetAxisOr(2, x->type.shape.rank(), -1));
  if (n == 0) return node.SetOutput(x);
  ASSIGN_OR_RETURN(x, EmitExtended(node, x, axis));
  const int64_t extent = x->type.shape[static_cast<size_t>(axis)];
  if (n < 0 || n >= extent) {
    return absl::UnimplementedError(absl::StrCat("it takes ", n, " differences of dimension ", axis,
                                                 " of ", extent, ", expected 0 to ", extent - 1));
  }
  constexpr int64_t kOpsOfStep = 3;
  RETURN_IF_ERROR(node.builder().ChargeOps(kOpsOfStep * n));
  const bool flags = x->type.dtype == DataType::kBool;
  for (int64_t i = 0; i < n; ++i) {
    OpEmitter step = node.Step(i);
    const Emitted next = EmitNeighbours(step, x, axis, true, ".next");
    const Emitted last = EmitNeighbours(step, x, axis, false, ".last");
    ASSIGN_OR_RETURN(x, flags ? EmitXor(step, next, last) : step.Emit("sub", {next, last}));
  }
  return node.SetOutput(x);
}

// --- Derivatives

// Elements of x from `start` on, times weights: one, or one for each of them.
struct WeightedPart {
  int64_t start = 0;
  std::vector<float> weights;
};

// The sum of such parts, of `size` elements along the axis.
Emitted EmitWeightedParts(OpEmitter op, Tensor* x, size_t axis, int64_t size,
                          const std::vector<WeightedPart>& parts) {
  Emitted sum = nullptr;
  for (const auto& [start, given] : parts) {
    std::vector<float> weights = given;
    const float first = weights[0];
    if (std::all_of(weights.begin(), weights.end(), [&](float w) { return w == first; })) {
      if (first == 0) continue;
      weights.resize(1);
    }
    Dims dims(x->type.shape.rank(), 1);
    dims[axis] = static_cast<int64_t>(weights.size());
    const Emitted part = EmitAxisSlice(op, x, axis, start, size, ".part");
    const Emitted scaled = op.Emit(
        "mul", {part, op.Values(Shape(std::move(dims)), weights, ".weights")}, {}, ".scaled");
    sum = IsGiven(sum) ? op.Emit("add", {sum, scaled}, {}, ".sum") : scaled;
  }
  return sum;
}

// Weights of three neighbours at distances a and b for the derivative at the middle one, of second
// order (Fornberg, "Generation of Finite Difference Formulas", 1988); at the first or the last one
// where `at` is -1 or 1.
struct Stencil {
  double first, middle, last;
};
Stencil StencilAt(int at, double a, double b) {
  const double whole = a + b;
  if (at < 0) return {-(a + whole) / (a * whole), whole / (a * b), -a / (b * whole)};
  if (at > 0) return {b / (a * whole), -whole / (a * b), (b + whole) / (b * whole)};
  return {-b / (a * whole), (b - a) / (a * b), a / (b * whole)};
}

// The derivative at the first element along the axis, or at the last one.
Emitted EmitEdge(OpEmitter op, Tensor* x, size_t axis, const std::vector<double>& distances,
                 bool last, int64_t order) {
  const int64_t extent = x->type.shape[axis];
  const size_t count = distances.size();
  if (order == 1) {
    const auto slope = static_cast<float>(1 / (last ? distances[count - 1] : distances[0]));
    const int64_t start = last ? extent - 2 : 0;
    return EmitWeightedParts(std::move(op), x, axis, 1, {{start, {-slope}}, {start + 1, {slope}}});
  }
  const size_t from = last ? count - 2 : 0;
  const Stencil s = StencilAt(last ? 1 : -1, distances[from], distances[from + 1]);
  const int64_t start = last ? extent - 3 : 0;
  return EmitWeightedParts(std::move(op), x, axis, 1,
                           {{start, {static_cast<float>(s.first)}},
                            {start + 1, {static_cast<float>(s.middle)}},
                            {start + 2, {static_cast<float>(s.last)}}});
}

// The derivative along an axis on which elements have these distances.
Emitted EmitDerivative(NodeContext& node, Tensor* x, size_t axis,
                       const std::vector<double>& distances, int64_t order) {
  OpEmitter op = node.Step(static_cast<int64_t>(axis));
  std::vector<WeightedPart> inner = {{0, {}}, {1, {}}, {2, {}}};
  for (size_t i = 0; i + 1 < distances.size(); ++i) {
    const Stencil s = StencilAt(0, distances[i], distances[i + 1]);
    inner[0].weights.push_back(static_cast<float>(s.first));
    inner[1].weights.push_back(static_cast<float>(s.middle));
    inner[2].weights.push_back(static_cast<float>(s.last));
  }
  const auto size = static_cast<int64_t>(inner[0].weights.size());
  std::vector<Emitted> parts = {EmitEdge(op.Step(0), x, axis, distances, false, order)};
  if (size > 0) parts.push_back(EmitWeightedParts(op.Step(1), x, axis, size, inner));
  parts.push_back(EmitEdge(op.Step(2), x, axis, distances, true, order));
  return op.Concat(parts, static_cast<int64_t>(axis));
}

// The distances of `extent` elements: argument 1 is a number or a list with, for derivative
// `index`, a number or the places of the elements.
absl::StatusOr<std::vector<double>> ReadDistances(const Value& spacing, size_t index,
                                                  int64_t extent) {
  const List* list = spacing.AsList();
  if (list != nullptr && index >= list->size()) {
    return absl::InvalidArgumentError(absl::StrCat("its spacing has ", list->size(),
                                                   " entries, expected one for each dimension"));
  }
  const Value& own = list != nullptr ? (*list)[index] : spacing;
  const auto count = static_cast<size_t>(extent - 1);
  if (own.IsNone()) return std::vector<double>(count, 1);
  if (!own.IsTensor() || extent == 1) {
    ASSIGN_OR_RETURN(const double distance, NumberOf(own));
    return std::vector<double>(count, distance);
  }
  ASSIGN_OR_RETURN(const Tensor* tensor, TensorOf(own));
  ASSIGN_OR_RETURN(const std::vector<float> places, ConstantFloats(*tensor, "spacing"));
  if (static_cast<int64_t>(places.size()) != extent) {
    return absl::InvalidArgumentError(
        absl::StrCat("its spacing has ", places.size(), " places for ", extent, " elements"));
  }
  std::vector<double> distances;
  for (size_t i = 0; i < count; ++i) {
    distances.push_back(static_cast<double>(places[i + 1]) - static_cast<double>(places[i]));
  }
  return distances;
}

// (x, dims, edge_order), or (x, spacing, dims, edge_order): the derivative along each dimension.
absl::Status MapGradient(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, GetRealTensor(node, 0));
  const size_t at = node.size() > 3 ? 2 : 1;
  ASSIGN_OR_RETURN(const Dims axes, node.GetAxesOrAll(at, x->type.shape.rank()));
  ASSIGN_OR_RETURN(const int64_t order, node.GetIntOr(at + 1, 1));
  if (order != 1 && order != 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("its edge_order is ", order, ", expected 1 or 2"));
  }
  std::vector<Tensor*> derivatives;
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto axis = static_cast<size_t>(axes[i]);
    const int64_t extent = x->type.shape[axis];
    if (extent <= order) {
      return absl::InvalidArgumentError(absl::StrCat("dimension ", axis, " has ", extent,
                                                     " elements, expected ", order + 1,
                                                     " or more for edge_order ", order));
    }
    RETURN_IF_ERROR(node.builder().Charge(extent * int64_t{4 * sizeof(double)}));
    const Value spacing = at == 2 ? node.argument(1) : Value{None{}};
    ASSIGN_OR_RETURN(const std::vector<double> distances, ReadDistances(spacing, i, extent));
    ASSIGN_OR_RETURN(derivatives.emplace_back(), EmitDerivative(node, x, axis, distances, order));
  }
  return node.SetList(std::move(derivatives));
}

// --- Integrals by trapezoids

// The distances between the points of argument 1, a vector along the axis or a tensor like y.
Emitted EmitSpacing(NodeContext& node, Tensor* points, const Shape& y, int64_t axis) {
  if (points->type.shape.rank() == 1) {
    Dims dims(y.rank(), 1);
    dims[static_cast<size_t>(axis)] = points->type.shape[0];
    ASSIGN_OR_RETURN(points, node.Reshape(points, std::move(dims), ".points"));
  } else if (points->type.shape.rank() != y.rank()) {
    return absl::UnimplementedError(absl::StrCat("its points are ", points->type.shape.ToString(),
                                                 " for values ", y.ToString(),
                                                 ", expected a vector or as many dimensions"));
  }
  return node.Emit("sub",
                   {EmitNeighbours(node, points, axis, true, ".points_next"),
                    EmitNeighbours(node, points, axis, false, ".points_last")},
                   {}, ".spacing");
}

// (y, x or dx, dim): the sum of (y[i] + y[i + 1]) / 2 * the distance, or of the cumulative one all
// such sums.
absl::Status MapTrapezoid(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * y, GetRealTensor(node, 0));
  ASSIGN_OR_RETURN(const int64_t axis, node.GetAxisOr(2, y->type.shape.rank(), -1));
  if (y->type.shape[static_cast<size_t>(axis)] < 2) {
    return absl::UnimplementedError("it integrates over fewer than two values");
  }
  const Emitted sum = node.Emit(
      "add",
      {EmitNeighbours(node, y, axis, true, ".next"), EmitNeighbours(node, y, axis, false, ".last")},
      {}, ".sum");
  Emitted area = node.Scale(sum, 0.5f, ".mean");
  if (node.Has(1) && node.argument(1).IsTensor()) {
    ASSIGN_OR_RETURN(Tensor * points, GetRealTensor(node, 1));
    area = node.Emit("mul", {area, EmitSpacing(node, points, y->type.shape, axis)}, {}, ".area");
  } else {
    ASSIGN_OR_RETURN(const float spacing, node.GetRealOr(1, 1));
    area = node.Scale(area, spacing, ".area");
  }
  if (node.kind() == "aten::cumulative_trapezoid") {
    return node.SetOutput(node.Emit("cumsum", {area}, {{"axis", axis}}));
  }
  return node.SetOutput(EmitReduce(node, "reduce_sum", area, {axis}, false));
}

constexpr OpMapping kDifferenceMappings[] = {
    {"aten::diff", 1, MapDiff},
    {"aten::gradient", 3, MapGradient, "constant spacing"},
    {"aten::trapezoid", 1, MapTrapezoid},
    {"aten::trapz", 1, MapTrapezoid},
    {"aten::cumulative_trapezoid", 1, MapTrapezoid},
};

}  // namespace

absl::Span<const OpMapping> DifferenceMappings() { return kDifferenceMappings; }

}  // namespace synap_internal::torchscript_import
