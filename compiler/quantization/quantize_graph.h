// Gives the tensors of a float graph 8-bit types.
#ifndef COMPILER_QUANTIZATION_QUANTIZE_GRAPH_H_
#define COMPILER_QUANTIZATION_QUANTIZE_GRAPH_H_

#include <map>
#include <string>

#include "absl/status/status.h"
#include "compiler/calibration/statistics.h"
#include "compiler/ir/graph.h"

namespace synap {

// Asymmetric affine quantization per tensor to `type` (8 bits) in place:
//   - activations by the ranges (by tensor name; SharedRanges and
//     NarrowedRanges choose which) and each op's QuantRule,
//   - weights by their own values, biases to int32 with scale
//     (input scale * weight scale); the weights of a last layer, whose channels
//     mean different things (boxes, scores), as int8 with a scale for each channel,
//   - ops without a kernel for these types stay float32, between a dequantize
//     and a quantize.
// Graph inputs and outputs become quantized too. NotFound naming the tensor if
// a range is missing.
absl::Status QuantizeGraph(const std::map<std::string, ValueRange>& ranges, DataType type,
                           Graph& graph);

}  // namespace synap

#endif  // COMPILER_QUANTIZATION_QUANTIZE_GRAPH_H_
