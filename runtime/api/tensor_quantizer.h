// Quantizer of a tensor of the application interface, for its C and Python forms.
#ifndef RUNTIME_API_TENSOR_QUANTIZER_H_
#define RUNTIME_API_TENSOR_QUANTIZER_H_

#include <cstdint>

#include "synap/tensor.hpp"

namespace synap_internal {

// real = scale * (item - zero_point)
struct Quantizer {
  bool is_quantized = false;
  float scale = 1;
  int32_t zero_point = 0;
};

// The quantizer of all items: inputs and outputs have none for each channel.
Quantizer QuantizerOf(const synaptics::synap::Tensor& tensor);

}  // namespace synap_internal

#endif  // RUNTIME_API_TENSOR_QUANTIZER_H_
