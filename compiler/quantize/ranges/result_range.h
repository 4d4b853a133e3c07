// The ranges of ops' results where mathematics may fix them.
#ifndef COMPILER_QUANTIZE_RANGES_RESULT_RANGE_H_
#define COMPILER_QUANTIZE_RANGES_RESULT_RANGE_H_

#include <map>
#include <string>

#include "compiler/graph/graph.h"
#include "compiler/quantize/value_range.h"

namespace synap_internal {

// A function of one operand whose results mathematics bounds (sigmoid: 0 to 1).
inline bool IsBoundedFunction(const Op& op) {
  return op.def->is_function() && op.def->quant_rule == QuantRule::kFixedRange;
}

// The range of a tensor in `ranges`, by its name; [0, 0] if it has none.
ValueRange RangeIn(const std::map<std::string, ValueRange>& ranges, const Tensor& tensor);

// The range that mathematics fixes for the op's results or, without one, that in `ranges`.
ValueRange RangeOfResult(const Op& op, const std::map<std::string, ValueRange>& ranges);

}  // namespace synap_internal

#endif  // COMPILER_QUANTIZE_RANGES_RESULT_RANGE_H_
