// The ops of which LayerNorm, RMSNorm, InstanceNorm and GroupNorm are written, matched from their
// end.
#ifndef COMPILER_GRAPH_PASSES_NORMALIZATION_PATTERNS_H_
#define COMPILER_GRAPH_PASSES_NORMALIZATION_PATTERNS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/graph/graph.h"

namespace synap_internal {

// What the result of a matched op is: (x - mean) / sqrt(mean of squares + epsilon) * scale + bias.
struct NormalizationMatch {
  Tensor* x = nullptr;
  bool centers = false;       // else nothing is subtracted
  std::vector<int64_t> axes;  // of the means, in rising order; none of them is dropped
  float epsilon = 0;
  // float32 constants; null: none.
  Tensor* scale = nullptr;
  Tensor* bias = nullptr;
};

// Of x / deviation, or x times its reciprocal, and of x * factor + (bias - mean * factor) with
// factor = reciprocal or reciprocal * scale, as TensorFlow writes it, or + (-mean * factor + bias),
// as Keras 3 does. Nullopt for other ops.
std::optional<NormalizationMatch> MatchNormalization(const Op& op);

// Constants that scale and shift `from` before anything else reads it.
struct AffineMatch {
  std::vector<Op*> ops;  // that do so; the last of them has the result
  Tensor* scale = nullptr;
  Tensor* bias = nullptr;
};
AffineMatch MatchAffine(const Graph& graph, const Tensor& from);

// The op that alone reads `tensor`; null if there are others, or it is an output.
Op* OnlyReader(const Graph& graph, const Tensor& tensor);

}  // namespace synap_internal

#endif  // COMPILER_GRAPH_PASSES_NORMALIZATION_PATTERNS_H_
