// The quantization noise of each layer, predicted from the statistics without running a sample.
#ifndef COMPILER_QUANTIZE_ANALYSIS_PREDICTED_NOISE_H_
#define COMPILER_QUANTIZE_ANALYSIS_PREDICTED_NOISE_H_

#include <vector>

#include "base/tensor_type.h"
#include "compiler/graph/graph.h"
#include "compiler/quantize/analysis/probe_graphs.h"
#include "compiler/quantize/analysis/tensor_pairs.h"
#include "compiler/quantize/statistics/statistics.h"

namespace synap_internal {

// Whether one scale and zero point hold for all of a quantized tensor.
bool HasOneQuantizer(const TensorType& type);

// Means of squares over the elements of a layer's result.
struct PredictedNoise {
  LayerPair layer;
  double signal = 0;   // of the float result, within the quantizer's range if it feeds a function
  double noise = 0;    // what the layer loses over operands of the float network
  double weights = 0;  // the part of it that rounding its constant weights makes
};

// For each of the layers, what LayerFigures::own measures, estimated:
//   - Rounding a tensor to its quantizer makes the mean squared error estimated from its
//     histogram, saturation included (quantization_error.h).
//   - A layer's noise is the sum of three: the rounding of its operands, the errors of its weights
//     and the rounding of its result. Errors are independent of each other.
//   - A linear layer multiplies the noise of its input by the mean over its channels of the sum of
//     squared weights. Weights' errors count by the mean and the variance of the input; with
//     balanced rounding (balanced_rounding.h) a channel's errors cancel in the mean.
//   - A function multiplies noise by its squared slope; a clamp passes only the noise of values
//     inside of it; a sum adds noise; a product multiplies each operand's by the power of the
//     other; a mean of n elements divides it by n.
//   - A softmax passes more noise the farther its results are from 0 and 1.
//   - Of all other ops, relative noise (noise by signal) adds up.
// `layers` and `pairs` are LossyLayers and TensorPairs of the same float and quantized graph,
// `statistics` of the float graph. Tensors without values have no noise. The same bits on every
// machine.
std::vector<PredictedNoise> PredictNoise(const std::vector<LayerPair>& layers,
                                         const TensorPairs& pairs, const Statistics& statistics);

// The same for `real`, an input of the float graph that is stored as `type`; it belongs to no
// layer.
PredictedNoise PredictInputNoise(const TensorType& type, const Tensor& real,
                                 const Statistics& statistics);

// From 0 (nothing is lost) to 1: the fraction of noise in the quantized layer's result, as
// amplitudes: sqrt(noise / (signal + noise)). About 10^(-SQNR / 20): 0.1 is 20 dB, 0.01 is 40 dB.
double NoiseShare(double noise, const PredictedNoise& predicted);

}  // namespace synap_internal

#endif  // COMPILER_QUANTIZE_ANALYSIS_PREDICTED_NOISE_H_
