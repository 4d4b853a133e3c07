// Orders of a tensor's dimensions, from the graph's NHWC to ONNX's NCHW.
#ifndef COMPILER_EXPORT_ONNX_DIMENSION_ORDER_H_
#define COMPILER_EXPORT_ONNX_DIMENSION_ORDER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/shape.h"

namespace synap_internal::onnx_export {

// Dimension i of a view is dimension order[i] of the tensor, as in `perm` of a transpose.
using Order = std::vector<int64_t>;

// N, C, H, W of an [N, H, W, C].
inline const Order kNchw = {0, 3, 1, 2};

// The tensor as it is.
Order IdentityOrder(size_t rank);

// The view `outer` of the view `inner`, as one.
Order Compose(const Order& inner, const Order& outer);

Shape Reordered(const Shape& shape, const Order& order);

// The view's dimension that is dimension `axis` of the tensor (counted from the end if negative).
int64_t AxisIn(const Order& order, int64_t axis);

}  // namespace synap_internal::onnx_export

#endif  // COMPILER_EXPORT_ONNX_DIMENSION_ORDER_H_
