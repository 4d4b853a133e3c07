// Search for the integer weights whose sums are closest to the float network's.
#ifndef COMPILER_QUANTIZE_SEARCH_ROUNDING_SEARCH_H_
#define COMPILER_QUANTIZE_SEARCH_ROUNDING_SEARCH_H_

#include <cstdint>

#include "base/thread_pool.h"
#include "compiler/quantize/search/rounding_errors.h"

namespace synap_internal {

// Moves weights, one at a time, to the other one of the two integers around them as long as that
// reduces, for an output channel,
//   sum over the rows of `fit` of (sum - product of patch and steps * scale)^2
//     + 1/100 * (mean square of a patch's elements) * rows * sum of (steps * scale - weight)^2
// and always the weight that reduces it most. The second term keeps weights in place that the
// samples don't determine. A channel that isn't better then on the rows of `check`, which took no
// part in the search, keeps the steps that it had: no channel gets worse there. Weights that
// saturate stay.
//
// This is what "Up or Down? Adaptive Rounding for Post-Training Quantization", arXiv:2004.10568,
// minimizes; by single steps of an exact error instead of gradients of a relaxed one, which needs
// neither random numbers nor rates. The error's quadratic form is kept for up to kBlockInputs
// inputs at a time (memory and time grow with their square), block after block, and several times
// over all of them where there is more than one. Groups are independent; so many of them
// are searched at a time that their forms have kBlockProducts elements at most.
//
// The same bits for any number of threads and on any machine. REQUIRES: `fit` has a row; `check`
// may have none, and then all is kept.
void SearchRounding(const SumSamples& fit, const SumSamples& check, ThreadPool& pool,
                    WeightIntegers& weights);

inline constexpr int64_t kBlockInputs = 1024;
inline constexpr int64_t kBlockProducts = int64_t{1} << 24;  // 64 MiB

}  // namespace synap_internal

#endif  // COMPILER_QUANTIZE_SEARCH_ROUNDING_SEARCH_H_
