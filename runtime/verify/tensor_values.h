// Tensors' values as real numbers, and how far two tensors are apart.
#ifndef RUNTIME_VERIFY_TENSOR_VALUES_H_
#define RUNTIME_VERIFY_TENSOR_VALUES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "base/tensor_type.h"

namespace synap_internal {

// The real values of a tensor, in its order: dequantized if it is quantized; int64 beyond 2^53 is
// rounded. REQUIRES: `data` holds
// dense values of the type.
std::vector<double> RealValues(const TensorType& type, const void* data);

// Writes real values as dense values of the type: quantized half to even and saturated, or rounded
// to float16 or float32. Plain integers and booleans must be exactly representable:
// InvalidArgument naming the first element that isn't, or for a quantizer that activations don't
// have. REQUIRES: values.size() == type.shape.elements().
absl::Status StoreRealValues(const TensorType& type, absl::Span<const double> values, void* data);

// How far a tensor is from what was expected.
struct Difference {
  int64_t elements = 0;
  int64_t differing = 0;  // elements with another value; NaN equals NaN
  // Largest difference in steps: of the quantizer; of 1 for plain integers; for floats of 1/255 of
  // the expected values' largest magnitude. Infinite where only one of both is a finite number.
  double steps = 0;
  int64_t at = 0;                  // element with the largest difference, the first of several
  double found = 0, expected = 0;  // real values there
  double sqnr_db = 200;            // signal to noise, as Fidelity::SqnrDb
};

// REQUIRES: both have type.shape.elements() values.
Difference Compare(const TensorType& type, absl::Span<const double> found,
                   absl::Span<const double> expected);

// "3 of 4096 elements differ, most by 2 steps: element [0,3,7,12] is 0.5, expected 0.25".
// REQUIRES: an element differs.
std::string DifferenceText(const Difference& difference, const Shape& shape);

}  // namespace synap_internal

#endif  // RUNTIME_VERIFY_TENSOR_VALUES_H_
