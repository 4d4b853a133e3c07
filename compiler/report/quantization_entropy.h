// quantization_entropy.txt: predicted quantization noise of each layer.
#ifndef COMPILER_REPORT_QUANTIZATION_ENTROPY_H_
#define COMPILER_REPORT_QUANTIZATION_ENTROPY_H_

#include <string>

#include "compiler/graph/graph.h"
#include "compiler/quantize/statistics/statistics.h"

namespace synap_internal {

// A line `@<layer>:out<i>, <figure>` for every float32 input and output of a layer and
// `@<layer>:weight, <figure>` for every constant weight, layers in the float graph's order and
// addressed as in quantization_info.yaml; layers that only move values are omitted.
//
// A figure is the NoiseShare (predicted_noise.h) of the quantization noise in the layer's result,
// or of the noise that rounding the weight adds to it: from 0 to 1, higher for layers that lose
// more. Ops that `compiled` runs as one layer have the layer's figure.
//
// `compiled`: the network that a device runs, made from `real`, which was observed.
std::string QuantizationEntropy(const Graph& real, const Graph& compiled,
                                const Statistics& statistics);

}  // namespace synap_internal

#endif  // COMPILER_REPORT_QUANTIZATION_ENTROPY_H_
