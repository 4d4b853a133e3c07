#include "compiler/graph/passes/moved_axis.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/axes.h"
#include "compiler/graph/passes/op_attributes.h"

namespace synap_internal {
namespace {

// The dimension of `to` with as many positions as dimension `axis` of `from`, and as many elements
// before it and after it.
std::optional<size_t> SameDimension(const Shape& from, size_t axis, const Shape& to) {
  if (from[axis] == 1) return std::nullopt;
  const int64_t before = from.Product(0, axis);
  for (size_t i = 0; i < to.rank(); ++i) {
    if (to[i] == from[axis] && to.Product(0, i) == before) return i;
  }
  return std::nullopt;
}

}  // namespace

std::optional<size_t> GatheredAxis(const Op& op) {
  if (op.def->index_count == nullptr) return std::nullopt;
  return AxisFromFront(IntAttribute(op, "axis", 0), op.inputs[0]->type.shape.rank());
}

std::optional<size_t> AxisBefore(const Op& op, size_t axis) {
  if (op.Is(Movement::kSlice)) return axis;
  if (op.Is(Movement::kTranspose)) return static_cast<size_t>(IntsAttribute(op, "perm")[axis]);
  if (op.Is(Movement::kReshape)) {
    return SameDimension(op.output()->type.shape, axis, op.inputs[0]->type.shape);
  }
  const std::optional<size_t> gathered = GatheredAxis(op);
  if (!gathered.has_value()) return std::nullopt;
  const size_t indices = op.inputs[1]->type.shape.rank();
  if (axis < *gathered) return axis;
  if (axis < *gathered + indices) return std::nullopt;
  return axis - indices + 1;
}

std::optional<size_t> AxisAfter(const Op& op, size_t axis) {
  if (op.Is(Movement::kSlice)) return axis;
  if (op.Is(Movement::kTranspose)) {
    const std::vector<int64_t>& perm = IntsAttribute(op, "perm");
    return static_cast<size_t>(std::find(perm.begin(), perm.end(), static_cast<int64_t>(axis)) -
                               perm.begin());
  }
  if (op.Is(Movement::kReshape)) {
    return SameDimension(op.inputs[0]->type.shape, axis, op.output()->type.shape);
  }
  const std::optional<size_t> gathered = GatheredAxis(op);
  if (!gathered.has_value()) return std::nullopt;
  const size_t indices = op.inputs[1]->type.shape.rank();
  if (axis < *gathered) return axis;
  if (axis == *gathered) return std::nullopt;
  return axis + indices - 1;
}

}  // namespace synap_internal
