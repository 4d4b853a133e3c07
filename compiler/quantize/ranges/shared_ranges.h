// Unifies the ranges of tensors joined by a concat.
#ifndef COMPILER_QUANTIZE_RANGES_SHARED_RANGES_H_
#define COMPILER_QUANTIZE_RANGES_SHARED_RANGES_H_

#include <map>
#include <string>

#include "compiler/graph/graph.h"
#include "compiler/quantize/ranges/layer_precision.h"
#include "compiler/quantize/statistics/statistics.h"

namespace synap_internal {

// The ranges (by tensor name), widened for tensors that a concat joins: an operand
// whose quantizer isn't the concat's is rounded twice. With a step s
// a rounding adds noise of s * s / 12, hence, for an operand of step s and a
// concat of step t:
//   - an operand that nothing else reads takes the concat's range: t² instead of
//     s² + t²,
//   - operand and concat both take the hull of their ranges if its step is below
//     sqrt(2) times the smaller one: the other readers lose less than what the
//     second rounding costs.
// Tensors without an entry in `ranges`, those whose op fixes their range, and concats that
// `precisions` gives other than `bits`, are left alone.
std::map<std::string, ValueRange> SharedRanges(const Graph& graph,
                                               const LayerPrecisions& precisions, int bits,
                                               std::map<std::string, ValueRange> ranges);

}  // namespace synap_internal

#endif  // COMPILER_QUANTIZE_RANGES_SHARED_RANGES_H_
