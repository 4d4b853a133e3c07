// Ranges that hold the values that pads add.
#ifndef COMPILER_QUANTIZE_RANGES_PADDED_RANGES_H_
#define COMPILER_QUANTIZE_RANGES_PADDED_RANGES_H_

#include <map>
#include <string>

#include "base/tensor_type.h"
#include "compiler/graph/graph.h"
#include "compiler/quantize/value_range.h"

namespace synap_internal {

// Range of a pad's output.
struct PaddedRange {
  ValueRange range;
  bool is_wider = false;  // than the operand's
  bool is_cut = false;    // the value lies outside of it and saturates
};

// The range of what `op` gives for an operand of range `operand`: its hull with the value that a
// pad adds. A value at which 8 bits would leave the operand fewer than 16 of their steps, and 16
// bits fewer than 256, saturates where they leave that many. The operand's range for ops that add
// none, and for a pad of lower values before nothing but max pooling, which never takes them.
PaddedRange PadRange(const Op& op, const ValueRange& operand, int bits);

// The real numbers that the integers of a tensor stand for. REQUIRES: one scale.
ValueRange StoredRange(const TensorType& type);

// The ranges (by tensor name), widened to those of pads for tensors that only one pad reads,
// directly or after ops with their operand's quantizer, so that values are rounded once. Tensors
// without an entry in `ranges`, inputs, those whose op fixes their range, and those before a pad
// whose value saturates, are left alone.
std::map<std::string, ValueRange> PaddedRanges(const Graph& graph, int bits,
                                               std::map<std::string, ValueRange> ranges);

}  // namespace synap_internal

#endif  // COMPILER_QUANTIZE_RANGES_PADDED_RANGES_H_
