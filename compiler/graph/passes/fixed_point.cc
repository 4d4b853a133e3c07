#include "compiler/graph/passes/fixed_point.h"

#include <cmath>

#include "base/rounding.h"

namespace synap_internal {

QuantParams FixedPointFor(double largest, DataType type) {
  const auto limit = static_cast<double>(RangeOf(type).max);
  int length = kMaxFractionalLength;
  while (length > -kMaxFractionalLength && std::nearbyint(std::ldexp(largest, length)) > limit) {
    --length;
  }
  return QuantParams::FixedPoint(length);
}

}  // namespace synap_internal
