#include "runtime/api/tensor_quantizer.h"

#include "runtime/api/tensor_private.h"

namespace synap_internal {

Quantizer QuantizerOf(const synaptics::synap::Tensor& tensor) {
  const QuantParams& quant = tensor.priv()->metadata.quant;
  if (!quant.quantized() || quant.scales.empty()) return {};
  return {true, quant.scale(), quant.zero_point()};
}

}  // namespace synap_internal
