// Own quantizers: those that came with the model, in a network in which only some layers have them
// and the others are quantized here.
#ifndef COMPILER_QUANTIZE_RANGES_OWN_QUANTIZERS_H_
#define COMPILER_QUANTIZE_RANGES_OWN_QUANTIZERS_H_

#include <map>
#include <set>

#include "base/tensor_type.h"
#include "compiler/graph/graph.h"

namespace synap_internal {

// The tensors and ops of a network that keep what the model gave them when the others are
// quantized. Empty for a float network. Refers to the graph, as it was then.
class OwnQuantizers {
 public:
  explicit OwnQuantizers(const Graph& graph);

  bool Has(const Tensor& tensor) const { return tensors_.count(&tensor) > 0; }
  // Whether an operand or a result has a quantizer of the model: the op stays as it is.
  bool Has(const Op& op) const { return ops_.count(&op) > 0; }

  // The 8- or 16-bit integers of which a float32 tensor is the real numbers: the operand of the
  // model's own dequantize. Null if there are none.
  Tensor* IntegersOf(const Tensor& real) const;
  // The type that the model gives the values of a float32 tensor elsewhere: that of IntegersOf or,
  // if there are none, of the first own quantize that reads it. Null if there is neither.
  const TensorType* TypeOf(const Tensor& real) const;
  // Whether nothing but own quantizes read the tensor.
  bool ReadNoOther(const Tensor& real) const;

 private:
  const TensorType* FindType(const Tensor& real) const;

  std::set<const Tensor*> tensors_;
  std::set<const Op*> ops_;
  std::map<const Tensor*, TensorType> types_;
};

// A network's layers: ops that compute real numbers of real numbers in a type that quantization may
// change, and ops over integers of the model's own quantizers, conversions aside.
struct LayerCounts {
  int real = 0, own = 0;
};
LayerCounts CountLayers(const Graph& graph);

}  // namespace synap_internal

#endif  // COMPILER_QUANTIZE_RANGES_OWN_QUANTIZERS_H_
