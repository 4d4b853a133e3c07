// From what was observed to the ranges that quantizers cover.
#ifndef COMPILER_CALIBRATION_RANGE_SELECTION_H_
#define COMPILER_CALIBRATION_RANGE_SELECTION_H_

#include <map>
#include <string>

#include "compiler/calibration/statistics.h"
#include "compiler/metafile/metafile.h"

namespace synap {

// The range of every observed tensor, by name. Each lies inside of what was observed. The same on
// every machine; depends on the statistics' content only.
//
//   - kStandard: everything observed.
//   - kMovingAverage: the mean of the samples' smallest and largest values in the order of the
//     samples' names, in which a sample weighs (1 - w) times as much as the next one;
//     w = moving_average_weight, 0.01 by default. The last sample alone with w = 1.
//   - kKlDivergence: kl_divergence.h, with at most min(divergence_nbins,
//     2^divergence_first_quantize_bits) bins, 2048 by default and at most.
//   - kMse: of `observed` cut to [-t, t], what has the smallest MeanSquaredError.
//   - kAuto: of the first three the one with the smallest MeanSquaredError; the first of equals.
//
// `bits`: of the quantized type, 1 to 16. REQUIRES: there is a sample.
std::map<std::string, ValueRange> ChooseRanges(const Statistics& statistics,
                                               QuantizationAlgorithm algorithm,
                                               const QuantizationOptions& options, int bits);

}  // namespace synap

#endif  // COMPILER_CALIBRATION_RANGE_SELECTION_H_
