// Range of a tensor's values, in one vectorized pass.
#ifndef COMPILER_QUANTIZE_STATISTICS_OBSERVED_RANGE_H_
#define COMPILER_QUANTIZE_STATISTICS_OBSERVED_RANGE_H_

#include "absl/types/span.h"
#include "compiler/quantize/value_range.h"

namespace synap_internal {

// From the smallest to the largest of `values`, at least one; `min` is NaN if one of them is not
// finite. Zeros are positive: which of two zeros is smaller would depend on the order. The same
// bits on every processor.
ValueRange ObservedRange(absl::Span<const float> values);

}  // namespace synap_internal

#endif  // COMPILER_QUANTIZE_STATISTICS_OBSERVED_RANGE_H_
