// Dynamic fixed point for a range of values.
#ifndef COMPILER_GRAPH_PASSES_FIXED_POINT_H_
#define COMPILER_GRAPH_PASSES_FIXED_POINT_H_

#include "base/data_type.h"
#include "base/quant_params.h"

namespace synap_internal {

inline constexpr int kMaxFractionalLength = 60;

// The largest fractional length with which `largest`, rounded half to even, is at most the largest
// integer of `type`; within +-kMaxFractionalLength, so that products of scales are floats.
QuantParams FixedPointFor(double largest, DataType type);

}  // namespace synap_internal

#endif  // COMPILER_GRAPH_PASSES_FIXED_POINT_H_
