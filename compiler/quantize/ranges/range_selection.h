// Range selection: the calibration algorithms, from statistics to quantizers' ranges.
#ifndef COMPILER_QUANTIZE_RANGES_RANGE_SELECTION_H_
#define COMPILER_QUANTIZE_RANGES_RANGE_SELECTION_H_

#include <map>
#include <string>

#include "compiler/metafile/metafile.h"
#include "compiler/quantize/precision.h"
#include "compiler/quantize/statistics/statistics.h"

namespace synap_internal {

// The range of every observed tensor, by name. Each lies inside of the observed range. The same on
// every machine; depends on the statistics' content only.
//
//   - kStandard: the whole observed range.
//   - kMovingAverage: the mean of the samples' smallest and largest values in the order of the
//     samples' names, in which a sample weighs (1 - w) times as much as the next one;
//     w = moving_average_weight, 0.01 by default. The last sample alone with w = 1.
//   - kKlDivergence: kl_divergence.h, with at most min(divergence_nbins,
//     2^divergence_first_quantize_bits) bins, 2048 by default and at most.
//   - kMse: the clip threshold t, which cuts `observed` to [-t, t], with the smallest
//     MeanSquaredError.
//   - kAuto: of the first three the one with the smallest MeanSquaredError; the first of equals.
//
// Errors are those of the quantizer that a tensor of `precision` gets for a range (ParamsFor),
// which covers more than the range where the scale is a power of two. kKlDivergence takes the
// number of steps from the precision, and has all of them inside the range.
//
// The tensors are divided among `threads` (0: one for each processor).
//
// REQUIRES: there is a sample; `precision` is of integers.
std::map<std::string, ValueRange> ChooseRanges(const Statistics& statistics,
                                               QuantizationAlgorithm algorithm,
                                               const QuantizationOptions& options,
                                               const Precision& precision, int threads);

}  // namespace synap_internal

#endif  // COMPILER_QUANTIZE_RANGES_RANGE_SELECTION_H_
