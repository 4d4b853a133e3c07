// Signal to noise ratio and cosine similarity of an approximation and its reference.
#ifndef BASE_FIDELITY_H_
#define BASE_FIDELITY_H_

#include "absl/types/span.h"

namespace synap_internal {

// Accumulates the sums of both measures, so that data may come in parts. Not thread-safe.
class Fidelity {
 public:
  // REQUIRES: same size.
  void Add(absl::Span<const float> reference, absl::Span<const float> approximation);
  void Add(const Fidelity& other);

  // Signal to quantization noise ratio, 10 log10(sum r² / sum (r - a)²), in dB, from -200 to 200;
  // -200 if either has a NaN.
  double SqnrDb() const;
  // sum r a / sqrt(sum r² sum a²); 1 if both are zero.
  double Cosine() const;

 private:
  double reference_squares_ = 0, approximation_squares_ = 0, products_ = 0, error_squares_ = 0;
};

}  // namespace synap_internal

#endif  // BASE_FIDELITY_H_
