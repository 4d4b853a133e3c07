// Ranges of attention masks, cut where a value has the same effect on softmax as -inf.
#ifndef COMPILER_QUANTIZE_RANGES_MASKED_RANGES_H_
#define COMPILER_QUANTIZE_RANGES_MASKED_RANGES_H_

#include <map>
#include <string>

#include "compiler/graph/graph.h"
#include "compiler/quantize/value_range.h"

namespace synap_internal {

// The ranges (by tensor name) with those of masks cut where, for the softmax that reads
// them (softmax_rows.h), a value has the same effect as -inf. For a sum y = a + b whose range
// begins at `low`, all values of b below low - max(a) have the same effect: y saturates. Operands
// of a `where` and of ops that only move data begin where the result begins. Constants that are
// masks get a range here, since infinite values have none; a quantizer saturates lower values.
std::map<std::string, ValueRange> MaskedRanges(const Graph& graph,
                                               std::map<std::string, ValueRange> ranges);

}  // namespace synap_internal

#endif  // COMPILER_QUANTIZE_RANGES_MASKED_RANGES_H_
