// Ranges without the part that the next op flattens.
#ifndef COMPILER_QUANTIZATION_NARROWED_RANGES_H_
#define COMPILER_QUANTIZATION_NARROWED_RANGES_H_

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "compiler/calibration/statistics.h"
#include "compiler/ir/graph.h"

namespace synap {

// The ranges (by tensor name) with those narrowed that only a function of one
// operand reads: from either end as far as clamping the operand changes the
// function by no more than a quarter of a step of its output of `bits`. SiLU, say,
// is nearly 0 below -6; without that part, the rest of its operand has finer
// steps. Ranges of outputs, of concats and of tensors that several ops read
// stay.
absl::StatusOr<std::map<std::string, ValueRange>> NarrowedRanges(
    const Graph& graph, int bits, std::map<std::string, ValueRange> ranges);

}  // namespace synap

#endif  // COMPILER_QUANTIZATION_NARROWED_RANGES_H_
