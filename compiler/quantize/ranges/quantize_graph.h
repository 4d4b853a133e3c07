// Gives the tensors of a float graph the types that the NPU computes in.
#ifndef COMPILER_QUANTIZE_RANGES_QUANTIZE_GRAPH_H_
#define COMPILER_QUANTIZE_RANGES_QUANTIZE_GRAPH_H_

#include <map>
#include <string>

#include "absl/status/status.h"
#include "base/warnings.h"
#include "compiler/graph/graph.h"
#include "compiler/quantize/ranges/layer_precision.h"
#include "compiler/quantize/statistics/statistics.h"

namespace synap_internal {

// Ranges of activations by tensor name, for each number of bits that the
// precisions use; kl_divergence, for example, cuts ranges for 8 bits but not for 16.
// A constant has one where its values may saturate (masked_ranges.h).
struct RangesByBits {
  std::map<std::string, ValueRange> bits8;
  std::map<std::string, ValueRange> bits16;
};

// Quantizes in place, each layer by its precision:
//   - activations by the ranges and each op's QuantRule,
//   - weights by their own values, biases to int32, int16's to int64, with scale
//     (input scale * weight scale); 8-bit weights rounded as balanced_rounding.h
//     says; a scale is enlarged until the bias fits: the products that
//     this rounds away are small compared to the bias,
//   - float16 layers and their constants change only in how they are stored, float32 ones not at
//     all,
//   - layers with quantizers of the model (own_quantizers.h) not at all; where they meet others,
//     tensors have the model's quantizer, and float32 inputs that nothing else reads stay,
//   - ops without a kernel for these types stay float32, as do those that read an
//     infinite constant without a range.
// A conversion is inserted between layers of different types; readers of one type
// share it. Graph inputs and outputs become quantized too. NotFound naming the tensor if a range
// is missing. `warnings`: a sentence for each input of the network that was 0 in all
// samples, and for each layer whose products are nearly 0 compared to its bias.
absl::Status QuantizeGraph(const RangesByBits& ranges, const LayerPrecisions& precisions,
                           Graph& graph, Warnings& warnings);

}  // namespace synap_internal

#endif  // COMPILER_QUANTIZE_RANGES_QUANTIZE_GRAPH_H_
