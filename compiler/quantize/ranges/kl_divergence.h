// KL calibration: the clip threshold with the smallest Kullback-Leibler divergence.
#ifndef COMPILER_QUANTIZE_RANGES_KL_DIVERGENCE_H_
#define COMPILER_QUANTIZE_RANGES_KL_DIVERGENCE_H_

#include "compiler/quantize/statistics/histogram.h"
#include "compiler/quantize/value_range.h"

namespace synap_internal {

// Saturates the values of large magnitude: of the ranges `observed` cut to [-t, t], the one whose
// quantized distribution Q has the smallest Kullback-Leibler divergence from the saturated
// distribution P. In P, values outside are counted at the ends; Q has the inside only, averaged
// over each of 2^bits steps. Coarse steps and much saturation both increase the divergence.
//
//   - Thresholds t leave at least 2^bits bins. No range is cut that has fewer, and 16 bits never
//     cut any.
//   - Zero is exact in every quantizer: a peak in its bin counts as much as its neighbours.
//   - Bins are merged in pairs until no more than `most_bins` are left.
//
// REQUIRES: the histogram is of values with the range `observed`, and not empty; bits >= 1.
ValueRange LeastDivergence(const Histogram& histogram, const ValueRange& observed, int bits,
                           int most_bins);

}  // namespace synap_internal

#endif  // COMPILER_QUANTIZE_RANGES_KL_DIVERGENCE_H_
