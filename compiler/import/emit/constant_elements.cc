#include "compiler/import/emit/constant_elements.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/status_macros.h"

namespace synap_internal {
namespace {

bool IsNonZero(const Tensor& tensor, int64_t i) {
  const size_t size = SizeOf(tensor.type.dtype);
  const uint8_t* at = tensor.constant->bytes.data() + static_cast<size_t>(i) * size;
  if (tensor.type.dtype == DataType::kFloat32) return tensor.values<float>()[i] != 0;
  return std::any_of(at, at + size, [](uint8_t byte) { return byte != 0; });
}

// Numbers in ascending order, NaN after all others.
bool Less(int64_t a, int64_t b) { return a < b; }
bool Less(float a, float b) { return std::isnan(b) ? !std::isnan(a) : a < b; }

// The slices of a constant along a dimension, as things that have an order: element by element.
template <typename T>
class OrderedSlices {
 public:
  OrderedSlices(const Tensor& x, size_t axis)
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

template <typename T>
Distinct DistinctOf(const OrderedSlices<T>& slices, DistinctOrder wanted) {
  std::vector<size_t> order(slices.count());
  std::iota(order.begin(), order.end(), size_t{0});
  if (wanted != DistinctOrder::kNeighbors) {
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return slices.IsLess(a, b); });
  }
  // Of equal ones the first comes first.
  std::vector<std::vector<size_t>> groups;
  for (const size_t slice : order) {
    if (groups.empty() || slices.IsLess(groups.back()[0], slice) ||
        slices.IsLess(slice, groups.back()[0])) {
      groups.emplace_back();
    }
    groups.back().push_back(slice);
  }
  if (wanted == DistinctOrder::kByOccurrence) std::sort(groups.begin(), groups.end());
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

}  // namespace

absl::Status CheckSelectsByConstant(const Tensor& x) {
  if (x.is_constant()) return absl::OkStatus();
  return absl::UnimplementedError(absl::StrCat(
      "its operand '", x.name, "' must be constant: the output's shape would depend on values"));
}

std::vector<int64_t> NonZeroElements(const Tensor& x) {
  std::vector<int64_t> found;
  for (int64_t i = 0; i < x.type.shape.elements(); ++i) {
    if (IsNonZero(x, i)) found.push_back(i);
  }
  return found;
}

absl::StatusOr<std::vector<std::vector<int64_t>>> CoordinatesOf(
    GraphBuilder& builder, const Shape& shape, const std::vector<int64_t>& positions) {
  RETURN_IF_ERROR(
      builder.Charge(static_cast<int64_t>(shape.rank() * positions.size() * sizeof(int64_t))));
  std::vector<std::vector<int64_t>> coordinates(shape.rank());
  for (std::vector<int64_t>& along : coordinates) along.resize(positions.size());
  for (size_t i = 0; i < positions.size(); ++i) {
    int64_t rest = positions[i];
    for (size_t d = shape.rank(); d-- > 0; rest /= shape[d]) coordinates[d][i] = rest % shape[d];
  }
  return coordinates;
}

absl::StatusOr<Distinct> FindDistinct(OpEmitter& op, Tensor* x, size_t axis, DistinctOrder order) {
  RETURN_IF_ERROR(CheckSelectsByConstant(*x));
  const bool floats = IsFloat(x->type.dtype);
  ASSIGN_OR_RETURN(const Tensor* keys,
                   op.Cast(x, floats ? DataType::kFloat32 : DataType::kInt64, ".keys"));
  RETURN_IF_ERROR(CheckSelectsByConstant(*keys));
  // The three lists of indices.
  RETURN_IF_ERROR(op.builder().Charge(3 * keys->type.bytes()));
  return floats ? DistinctOf(OrderedSlices<float>(*keys, axis), order)
                : DistinctOf(OrderedSlices<int64_t>(*keys, axis), order);
}

}  // namespace synap_internal
