// Error that a quantizer makes in a tensor, estimated from its histogram.
#ifndef COMPILER_QUANTIZE_RANGES_QUANTIZATION_ERROR_H_
#define COMPILER_QUANTIZE_RANGES_QUANTIZATION_ERROR_H_

#include <vector>

#include "base/data_type.h"
#include "base/quant_params.h"
#include "compiler/quantize/statistics/histogram.h"
#include "compiler/quantize/value_range.h"

namespace synap_internal {

// The mean square of (x - dequantize(quantize(x))) for the values x in the histogram, with the
// integers of `type` and their meaning by `quantizer`; values beyond its range saturate.
// Values are assumed to be spread evenly over their bin's part of `observed`, the range of all
// values.
//
// REQUIRES: the histogram isn't empty; `quantizer` is per tensor and of an integer `type`.
double MeanSquaredError(const Histogram& histogram, const ValueRange& observed,
                        const QuantParams& quantizer, DataType type);

// The same for each bin of the histogram alone, 0 for an empty one.
std::vector<double> BinErrors(const Histogram& histogram, const ValueRange& observed,
                              const QuantParams& quantizer, DataType type);

}  // namespace synap_internal

#endif  // COMPILER_QUANTIZE_RANGES_QUANTIZATION_ERROR_H_
