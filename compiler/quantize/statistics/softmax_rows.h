// Attention masks: the values that a softmax turns into 0.
//
// Attention adds -inf, -1e9 or -10000 to the scores that don't count, or puts them in their place.
// A quantizer that covers such a mask has no steps left for the scores. For the softmax it is the
// same whether such a value is -inf or a bounded distance below the largest of its row.
#ifndef COMPILER_QUANTIZE_STATISTICS_SOFTMAX_ROWS_H_
#define COMPILER_QUANTIZE_STATISTICS_SOFTMAX_ROWS_H_

#include <cstdint>
#include <map>
#include <vector>

#include "absl/types/span.h"
#include "compiler/graph/graph.h"

namespace synap_internal {

// Rows of a tensor [outer, length, inner], along `length`. For every reader of the tensor, a value
// that lies more than `reach` below the largest of its row has the same effect as -inf.
struct SoftmaxRows {
  int64_t outer = 1;
  int64_t length = 1;
  int64_t inner = 1;
  float reach = 0;
};

// The float32 tensors, constants included, that are read only by a softmax after a mask, directly
// or through the ops of the mask: add, the first operand of sub, where, maximum with a constant,
// products with a positive constant, concat, and ops that move values.
//   - Directly before the softmax, reach is log(8192 * length): values further away add less than
//     2^-13 of the row's sum.
//   - Before an add, a sub, a where or a concat that precedes the softmax, the largest of a row may
//     be masked itself, and large terms may cancel; reach is at least 4096, which bounds infinities
//     and -1e9. masked_ranges.h finds where exactly a quantizer may saturate.
// A softmax without an add, sub or where before it has no mask, and its tensor isn't returned.
std::map<const Tensor*, SoftmaxRows> FindSoftmaxRows(const Graph& graph);

// `values`, where those out of reach are raised to the end of the reach. Rows that lie further than
// 256 * reach below the largest value of all are masked as a whole: they become that value. NaN
// stays, as does everything if there is no value but -inf.
// REQUIRES: outer * length * inner values.
std::vector<float> WithinReach(const SoftmaxRows& rows, absl::Span<const float> values);

}  // namespace synap_internal

#endif  // COMPILER_QUANTIZE_STATISTICS_SOFTMAX_ROWS_H_
