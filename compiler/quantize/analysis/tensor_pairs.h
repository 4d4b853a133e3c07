// Pairs of tensors: each tensor of the quantized network with its original in the float network.
#ifndef COMPILER_QUANTIZE_ANALYSIS_TENSOR_PAIRS_H_
#define COMPILER_QUANTIZE_ANALYSIS_TENSOR_PAIRS_H_

#include <map>

#include "compiler/graph/graph.h"

namespace synap_internal {

// Quantization keeps the names of tensors; tensors that it inserts have names of their own. Both
// graphs must outlive this.
class TensorPairs {
 public:
  TensorPairs(const Graph& real, const Graph& quantized);

  // The tensor of the float graph that `tensor` approximates, of the same shape; null for constants
  // and where the float graph has none.
  const Tensor* RealOf(const Tensor* tensor) const;

  // Whether quantization inserted this op of the quantized graph: a quantize, dequantize,
  // requantize or cast that the float graph doesn't have.
  bool IsConversion(const Op& op) const;

 private:
  void Pair(const Tensor* tensor, const Tensor* real);

  const Graph& real_;
  std::map<const Tensor*, const Tensor*> pairs_;
};

}  // namespace synap_internal

#endif  // COMPILER_QUANTIZE_ANALYSIS_TENSOR_PAIRS_H_
