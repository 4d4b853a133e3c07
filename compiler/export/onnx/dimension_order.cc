#include "compiler/export/onnx/dimension_order.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/axes.h"
#include "base/check.h"

namespace synap_internal::onnx_export {

Order IdentityOrder(size_t rank) {
  Order order(rank);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

Order Compose(const Order& inner, const Order& outer) {
  CHECK(inner.size() == outer.size());
  Order order;
  for (const int64_t i : outer) order.push_back(inner[static_cast<size_t>(i)]);
  return order;
}

Shape Reordered(const Shape& shape, const Order& order) {
  CHECK(shape.rank() == order.size());
  std::vector<int64_t> dims;
  for (const int64_t i : order) dims.push_back(shape[static_cast<size_t>(i)]);
  return Shape(std::move(dims));
}

int64_t AxisIn(const Order& order, int64_t axis) {
  const auto dimension = static_cast<int64_t>(AxisFromFront(axis, order.size()));
  return std::find(order.begin(), order.end(), dimension) - order.begin();
}

}  // namespace synap_internal::onnx_export
