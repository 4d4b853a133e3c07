// What a quantizer would cost a tensor, estimated from its histogram.
#ifndef COMPILER_CALIBRATION_QUANTIZATION_ERROR_H_
#define COMPILER_CALIBRATION_QUANTIZATION_ERROR_H_

#include "compiler/calibration/histogram.h"
#include "compiler/calibration/value_range.h"

namespace synap {

// The mean square of (x - dequantize(quantize(x))) for the values x in the histogram, with 2^bits
// steps over `covered` widened to hold 0 and 0 a step, as asymmetric affine quantizers have them;
// what lies outside saturates. Values are taken as spread evenly over their bin's part of
// `observed`, the range of all values.
//
// REQUIRES: the histogram isn't empty; 1 <= bits <= 16.
double MeanSquaredError(const Histogram& histogram, const ValueRange& observed,
                        const ValueRange& covered, int bits);

}  // namespace synap

#endif  // COMPILER_CALIBRATION_QUANTIZATION_ERROR_H_
