// Attention masks: the values that a softmax turns into 0.
//
// Attention adds -inf, -1e9 or -10000 to the scores that don't count, or puts them in their place.
// A quantizer that covers such a mask has no steps left for the scores. For the softmax it is the
// same whether such a value is -inf or a bounded distance below the largest of its row.
#ifndef COMPILER_CALIBRATION_SOFTMAX_ROWS_H_
#define COMPILER_CALIBRATION_SOFTMAX_ROWS_H_

#include <cstdint>
#include <map>
#include <vector>

#include "absl/types/span.h"
#include "compiler/ir/graph.h"

namespace synap_internal {

// Rows of a tensor [outer, length, inner], along `length`. Nothing that reads the tensor tells a
// value that lies more than `reach` below the largest of its row from -inf.
struct SoftmaxRows {
  int64_t outer = 1;
  int64_t length = 1;
  int64_t inner = 1;
  float reach = 0;
};

// The float32 tensors, constants included, that are read only by a softmax behind a mask, directly
// or through what makes the mask: add, the first operand of sub, where, maximum with a constant,
// products with a positive constant, concat, and ops that move values.
//   - In front of the softmax, reach is log(8192 * length): what is further away makes less than
//     2^-13 of the row's sum.
//   - In front of an add, a sub, a where or a concat that comes before it, the largest of a row may
//     be masked itself, and large terms may cancel; reach is at least 4096, which bounds infinities
//     and -1e9. Where exactly a quantizer may saturate, masked_ranges.h finds.
// Softmax without an add, sub or where before it has no mask: its tensor is not among them.
std::map<const Tensor*, SoftmaxRows> FindSoftmaxRows(const Graph& graph);

// `values` with those that are out of reach raised to the reach's end. Rows that lie further than
// 256 * reach below the largest value of all are masked as a whole: they become that value. NaN
// stays, as does everything if there is no value but -inf.
// REQUIRES: outer * length * inner values.
std::vector<float> WithinReach(const SoftmaxRows& rows, absl::Span<const float> values);

}  // namespace synap_internal

#endif  // COMPILER_CALIBRATION_SOFTMAX_ROWS_H_
