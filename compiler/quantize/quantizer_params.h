// Quantizer parameters for a range: affine, fixed point, per channel.
#ifndef COMPILER_QUANTIZE_QUANTIZER_PARAMS_H_
#define COMPILER_QUANTIZE_QUANTIZER_PARAMS_H_

#include "absl/types/span.h"
#include "base/quant_params.h"
#include "base/shape.h"
#include "compiler/quantize/precision.h"
#include "compiler/quantize/value_range.h"

namespace synap_internal {

// Asymmetric affine parameters so that the range, widened to hold 0, maps onto
// the integers of `type`: scale = (max - min) / 255 for 8 bits, and
// zero_point = round(lowest - min / scale), half to even; 0.0 is exact. For
// the range [0, 0], whose real extent is unknown (such as a recurrent state that all
// samples begin with zeros), [-1, 1] is taken.
QuantParams AffineParams(ValueRange range, DataType type);

// FixedPointFor of the range's largest magnitude; [-1, 1] for the range [0, 0], as above.
QuantParams FixedPointParams(ValueRange range, DataType type);

// The parameters of an activation: affine or fixed point, by the precision's scheme.
// REQUIRES: a precision of integers.
QuantParams ParamsFor(const ValueRange& range, const Precision& precision);

// `quant` if its scale is at least `smallest`, else with the scale `smallest`, or the
// next power of two for fixed point, and the same zero point. REQUIRES: one scale.
QuantParams Widened(const QuantParams& quant, float smallest);

// Symmetric int8 parameters for each index of dimension `axis`: scale =
// largest magnitude / 127, and at least smallest[index]; a channel of zeros gets
// at least 1/127. REQUIRES: values are finite, shape.elements() of them.
QuantParams ChannelParams(absl::Span<const float> values, const Shape& shape, int axis,
                          absl::Span<const float> smallest);

// Width of the range, widened to hold 0.
float WidthOf(const ValueRange& range);

// Of the finite values; {0, 0} if there are none.
ValueRange RangeOf(absl::Span<const float> values);

}  // namespace synap_internal

#endif  // COMPILER_QUANTIZE_QUANTIZER_PARAMS_H_
