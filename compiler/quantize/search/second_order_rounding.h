// Second-order weight rounding: errors are fed forward to the weights that are still to round.
#ifndef COMPILER_QUANTIZE_SEARCH_SECOND_ORDER_ROUNDING_H_
#define COMPILER_QUANTIZE_SEARCH_SECOND_ORDER_ROUNDING_H_

#include <cstdint>

#include "base/thread_pool.h"
#include "compiler/quantize/search/rounding_errors.h"

namespace synap_internal {

// Rounds the weights of each output channel to steps that make the error of SearchRounding small,
//   sum over the rows of `fit` of (sum - product of patch and steps * scale)^2
//     + damping * sum of (steps * scale - weight)^2,
// input by input as GPTQ does (arXiv:2210.17323; OBQ, arXiv:2208.11580): each weight goes to the
// integer nearest to the value that is best once those before it are fixed and those after it may
// still be any real numbers. A weight may so end up more than a step from where it was. Inputs come
// in the order of their mean squares, the largest first: later ones make up for them.
//
// With H = X^T X + damping * I over the patches X, and H = M M^T (triangular_factor.h), the error
// is that of the rounding alone and |M^T (steps * scale - weights) - z|^2, with M z = X^T (sum -
// product of patch and weights). Row i of it has the weights up to i only, so that they are rounded
// in turn: GPTQ's error feedback through the inverse Hessian's factor, without inverting. z moves
// the weights to what the quantized operands need; it is 0 where they are those of the float
// network, and with a diagonal H then, each weight goes to its nearest integer.
//
// H of more than kCovarianceInputs inputs would take more than 32 MiB: blocks of so many are
// rounded one after the other, each making up for what the ones before it left; groups, which are
// independent, one at a time. A channel that isn't better then on the rows of `check` keeps the
// steps that it had.
//
// The same bits for any number of threads and on any machine. REQUIRES: `fit` has a row; `check`
// may have none, and then all is kept.
void RoundBySecondOrder(const SumSamples& fit, const SumSamples& check, ThreadPool& pool,
                        WeightIntegers& weights);

inline constexpr int64_t kCovarianceInputs = 2048;

}  // namespace synap_internal

#endif  // COMPILER_QUANTIZE_SEARCH_SECOND_ORDER_ROUNDING_H_
