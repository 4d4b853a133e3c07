#include "compiler/quantize/ranges/result_range.h"

namespace synap_internal {

ValueRange RangeIn(const std::map<std::string, ValueRange>& ranges, const Tensor& tensor) {
  const auto range = ranges.find(tensor.name);
  return range == ranges.end() ? ValueRange{} : range->second;
}

ValueRange RangeOfResult(const Op& op, const std::map<std::string, ValueRange>& ranges) {
  if (op.def->quant_rule == QuantRule::kFixedRange) return {op.def->fixed_min, op.def->fixed_max};
  return RangeIn(ranges, *op.output());
}

}  // namespace synap_internal
