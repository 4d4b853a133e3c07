// Unique, of constants.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/constant_operand.h"
#include "compiler/import/emit/axes.h"
#include "compiler/import/emit/indexing.h"
#include "compiler/import/onnx/op_table.h"

namespace synap_internal::onnx_import {
namespace {

// Numbers in ascending order, NaN after all others.
bool Less(int64_t a, int64_t b) { return a < b; }
bool Less(float a, float b) { return std::isnan(b) ? !std::isnan(a) : a < b; }

// The slices of a constant along a dimension, as things that have an order: element by element.
template <typename T>
class Slices {
 public:
  Slices(const Tensor& x, size_t axis)
      : values_(x.values<T>()),
        outer_(static_cast<size_t>(x.type.shape.Product(0, axis))),
        count_(static_cast<size_t>(x.type.shape[axis])),
        inner_(static_cast<size_t>(x.type.shape.Product(axis + 1, x.type.shape.rank()))) {}

  size_t count() const { return count_; }
  bool IsLess(size_t a, size_t b) const {
    for (size_t o = 0; o < outer_; ++o) {
      for (size_t i = 0; i < inner_; ++i) {
        const T x = values_[(o * count_ + a) * inner_ + i];
        const T y = values_[(o * count_ + b) * inner_ + i];
        if (Less(x, y)) return true;
        if (Less(y, x)) return false;
      }
    }
    return false;
  }

 private:
  const absl::Span<const T> values_;
  const size_t outer_, count_, inner_;
};

// Operands of the outputs beside the values, for each distinct slice but `inverse`.
struct Distinct {
  std::vector<int64_t> first;    // the first slice that is equal
  std::vector<int64_t> inverse;  // of each slice, its place among the distinct ones
  std::vector<int64_t> counts;
};

template <typename T>
Distinct FindDistinct(const Slices<T>& slices, bool sorted) {
  std::vector<size_t> order(slices.count());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return slices.IsLess(a, b); });
  // Of equal ones the first comes first.
  std::vector<std::vector<size_t>> groups;
  for (const size_t slice : order) {
    if (groups.empty() || slices.IsLess(groups.back()[0], slice)) groups.emplace_back();
    groups.back().push_back(slice);
  }
  if (!sorted) std::sort(groups.begin(), groups.end());
  Distinct distinct;
  distinct.inverse.resize(slices.count());
  for (const std::vector<size_t>& group : groups) {
    for (const size_t slice : group) {
      distinct.inverse[slice] = static_cast<int64_t>(distinct.first.size());
    }
    distinct.first.push_back(static_cast<int64_t>(group[0]));
    distinct.counts.push_back(static_cast<int64_t>(group.size()));
  }
  return distinct;
}

absl::Status MapUnique(NodeContext& node) {
  Tensor* x = node.input(0);
  if (!x->is_constant()) {
    return absl::UnimplementedError(
        "its input isn't constant: the output's shape would depend on values");
  }
  int64_t axis = 0;
  if (node.HasAttribute("axis")) {
    ASSIGN_OR_RETURN(axis, ResolveAxis(node.Int("axis", 0), x->type.shape.rank()));
  } else {
    ASSIGN_OR_RETURN(x, node.Reshape(x, {x->type.shape.elements()}, ".flat"));
  }
  const bool floats = IsFloat(x->type.dtype);
  ASSIGN_OR_RETURN(const Tensor* keys,
                   node.Cast(x, floats ? DataType::kFloat32 : DataType::kInt64, ".keys"));
  if (!keys->is_constant()) return NotConstant("X", *x);
  // The three lists of indices.
  RETURN_IF_ERROR(node.builder().Charge(3 * keys->type.bytes()));
  const bool sorted = node.Int("sorted", 1) != 0;
  const auto at = static_cast<size_t>(axis);
  const Distinct distinct = floats ? FindDistinct(Slices<float>(*keys, at), sorted)
                                   : FindDistinct(Slices<int64_t>(*keys, at), sorted);
  Tensor* first = node.builder().AddInts(node.Name(".first"), distinct.first);
  RETURN_IF_ERROR(node.SetOutput(EmitGather(node, x, first, axis)));
  RETURN_IF_ERROR(node.SetOutput(1, first));
  RETURN_IF_ERROR(
      node.SetOutput(2, node.builder().AddInts(node.Name(".inverse"), distinct.inverse)));
  return node.SetOutput(3, node.builder().AddInts(node.Name(".counts"), distinct.counts));
}

constexpr OpMapping kUniqueMappings[] = {
    {"Unique", 1, 1, MapUnique, "constants: how many elements are distinct depends on values"},
};

}  // namespace

absl::Span<const OpMapping> UniqueMappings() { return kUniqueMappings; }

}  // namespace synap_internal::onnx_import
