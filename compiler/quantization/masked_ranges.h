// Ranges of the tensors that masks are made of.
#ifndef COMPILER_QUANTIZATION_MASKED_RANGES_H_
#define COMPILER_QUANTIZATION_MASKED_RANGES_H_

#include <map>
#include <string>

#include "compiler/ir/graph.h"
#include "compiler/quantizer/value_range.h"

namespace synap_internal {

// The ranges (by tensor name) with those of masks cut where the softmax that reads them
// (softmax_rows.h) no longer tells a value from -inf. For a sum y = a + b whose range begins at
// `low`, everything below low - max(a) is the same in b: y saturates. A `where`'s operands and
// what is only moved begin where the result begins. Constants that are masks get a range here,
// which their own values have none of if they are infinite; a quantizer saturates what is below.
std::map<std::string, ValueRange> MaskedRanges(const Graph& graph,
                                               std::map<std::string, ValueRange> ranges);

}  // namespace synap_internal

#endif  // COMPILER_QUANTIZATION_MASKED_RANGES_H_
