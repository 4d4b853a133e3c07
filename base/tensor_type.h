// Data type, shape and quantizer of a tensor.
#ifndef BASE_TENSOR_TYPE_H_
#define BASE_TENSOR_TYPE_H_

#include <cstdint>

#include "base/data_type.h"
#include "base/quant_params.h"
#include "base/shape.h"

namespace synap_internal {

// A value type. An absent optional operand has dtype kInvalid.
struct TensorType {
  DataType dtype = DataType::kInvalid;
  Shape shape;
  QuantParams quant;

  bool present() const { return dtype != DataType::kInvalid; }
  // Size of the dense data in bytes. REQUIRES: shape.Validate() is OK.
  int64_t bytes() const { return shape.elements() * static_cast<int64_t>(SizeOf(dtype)); }

  friend bool operator==(const TensorType& a, const TensorType& b) {
    return a.dtype == b.dtype && a.shape == b.shape && a.quant == b.quant;
  }
};

}  // namespace synap_internal

#endif  // BASE_TENSOR_TYPE_H_
