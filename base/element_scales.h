// Scale of each element of a quantized tensor.
#ifndef BASE_ELEMENT_SCALES_H_
#define BASE_ELEMENT_SCALES_H_

#include <cstddef>

#include "base/quant_params.h"
#include "base/shape.h"

namespace synap_internal {

// Maps the index of an element in dense data to its scale: the tensor's, or that
// of its channel. A view: `quant` must outlive it. REQUIRES: quant.quantized()
// and valid for `shape`.
class ElementScales {
 public:
  ElementScales(const QuantParams& quant, const Shape& shape) : quant_(quant) {
    if (quant.scheme != QuantScheme::kPerChannelSymmetric) return;
    inner_ = static_cast<size_t>(shape.Product(static_cast<size_t>(quant.axis) + 1, shape.rank()));
  }

  float operator[](size_t element) const {
    return quant_.scales[element / inner_ % quant_.scales.size()];
  }

 private:
  const QuantParams& quant_;
  size_t inner_ = 1;  // consecutive elements of one channel
};

}  // namespace synap_internal

#endif  // BASE_ELEMENT_SCALES_H_
