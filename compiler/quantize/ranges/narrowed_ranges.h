// Ranges without the part in which the next function is flat.
#ifndef COMPILER_QUANTIZE_RANGES_NARROWED_RANGES_H_
#define COMPILER_QUANTIZE_RANGES_NARROWED_RANGES_H_

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "compiler/graph/graph.h"
#include "compiler/quantize/ranges/layer_precision.h"
#include "compiler/quantize/statistics/statistics.h"

namespace synap_internal {

// The part of `operand`, the range of what `function` reads, that matters for its result: at
// either end, values that change the result by no more than a quarter of a step are left out. The
// step is that of the result's quantizer of `bits` over `result`. REQUIRES: an elementwise op of
// one operand.
absl::StatusOr<ValueRange> RelevantPart(const Op& function, int bits, ValueRange operand,
                                        ValueRange result);

// The ranges (by tensor name), narrowed for tensors that only functions of one operand read,
// directly or after ops that only move data: to the part that matters for one of them. SiLU, for
// example, is nearly 0 below -6; without that part, the rest of its operand has finer steps. Steps
// of a function's result are those of `bits`, or of the function's own precision if that has more,
// over the range that mathematics fixes, unless `precisions` says that it is measured.
// Ranges of outputs and of concats stay.
absl::StatusOr<std::map<std::string, ValueRange>> NarrowedRanges(
    const Graph& graph, const LayerPrecisions& precisions, int bits,
    std::map<std::string, ValueRange> ranges);

}  // namespace synap_internal

#endif  // COMPILER_QUANTIZE_RANGES_NARROWED_RANGES_H_
