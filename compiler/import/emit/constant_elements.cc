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

// Slices that are equal, those of order[begin, end).
struct EqualSlices {
  size_t begin = 0, end = 0;
};

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
  bool AreEqual(size_t a, size_t b, EqualNan nan) const {
    return !IsLess(a, b) && !IsLess(b, a) && (nan == EqualNan::kYes || !HasNan(a));
  }

 private:
  bool HasNan(size_t slice) const {
    for (size_t o = 0; o < outer_; ++o) {
      for (size_t i = 0; i < inner_; ++i) {
        const T x = values_[(o * count_ + slice) * inner_ + i];
        if (x != x) return true;
      }
    }
    return false;
  }

  const absl::Span<const T> values_;
  const size_t outer_, count_, inner_;
};

template <typename T>
Distinct DistinctOf(const OrderedSlices<T>& slices, DistinctOrder wanted, EqualNan nan) {
  std::vector<size_t> order(slices.count());
  std::iota(order.begin(), order.end(), size_t{0});
  if (wanted != DistinctOrder::kNeighbors) {
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return slices.IsLess(a, b); });
  }
  // Of equal ones the first comes first.
  std::vector<EqualSlices> groups;
  for (size_t i = 0; i < order.size(); ++i) {
    if (groups.empty() || !slices.AreEqual(order[groups.back().begin], order[i], nan)) {
      groups.push_back({i, i});
    }
    groups.back().end = i + 1;
  }
  if (wanted == DistinctOrder::kByOccurrence) {
    std::sort(groups.begin(), groups.end(), [&](const EqualSlices& a, const EqualSlices& b) {
      return order[a.begin] < order[b.begin];
    });
  }
  Distinct distinct;
  distinct.inverse.resize(slices.count());
  for (const EqualSlices& group : groups) {
    for (size_t i = group.begin; i < group.end; ++i) {
      distinct.inverse[order[i]] = static_cast<int64_t>(distinct.first.size());
    }
    distinct.first.push_back(static_cast<int64_t>(order[group.begin]));
    distinct.counts.push_back(static_cast<int64_t>(group.end - group.begin));
  }
  return distinct;
}

}  // namespace

absl::Status CheckSelectsByConstant(const Tensor& x) {
  if (x.is_constant()) return absl::OkStatus();
  return absl::UnimplementedError(absl::StrCat(
      "its operand '", x.name, "' must be constant: the output's shape would depend on values"));
}

absl::StatusOr<std::vector<int64_t>> NonZeroElements(GraphBuilder& builder, const Tensor& x) {
  const int64_t elements = x.type.shape.elements();
  int64_t count = 0;
  for (int64_t i = 0; i < elements; ++i) count += IsNonZero(x, i) ? 1 : 0;
  RETURN_IF_ERROR(builder.Charge(count * static_cast<int64_t>(sizeof(int64_t))));
  std::vector<int64_t> found;
  found.reserve(static_cast<size_t>(count));
  for (int64_t i = 0; i < elements; ++i) {
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

absl::StatusOr<Distinct> FindDistinct(OpEmitter& op, Tensor* x, size_t axis, DistinctOrder order,
                                      EqualNan nan) {
  RETURN_IF_ERROR(CheckSelectsByConstant(*x));
  const bool floats = IsFloat(x->type.dtype);
  ASSIGN_OR_RETURN(const Tensor* keys,
                   op.Cast(x, floats ? DataType::kFloat32 : DataType::kInt64, ".keys"));
  RETURN_IF_ERROR(CheckSelectsByConstant(*keys));
  // The order of the slices, the groups of equal ones and the three lists of indices.
  constexpr int64_t kBytesOfSlice = 2 * sizeof(size_t) + sizeof(EqualSlices) + 3 * sizeof(int64_t);
  RETURN_IF_ERROR(op.builder().Charge(keys->type.shape[axis] * kBytesOfSlice));
  return floats ? DistinctOf(OrderedSlices<float>(*keys, axis), order, nan)
                : DistinctOf(OrderedSlices<int64_t>(*keys, axis), order, nan);
}

}  // namespace synap_internal
